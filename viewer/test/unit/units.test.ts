import assert from "node:assert/strict";
import { test } from "node:test";
import { type Units, forceUnit, lengthUnit, shown, stressUnit } from "../../src/base/units.ts";

const usual: Units = { angle: "deg", length: "mm", force: "kN", stress: "kPa" },
    plain: Units = { angle: "rad", length: "m", force: "N", stress: "kPa" };

test("angles, lengths and forces follow the choice, with their rates", () => {
    assert.ok(Math.abs(Math.PI * shown("rad", usual).factor - 180) < 1e-12);
    assert.equal(shown("rad/s", usual).unit, "\u00b0/s");
    assert.deepEqual(shown("m", usual), { unit: "mm", factor: 1000 });
    assert.deepEqual(shown("N", usual), { unit: "kN", factor: 1e-3 });
    assert.deepEqual(shown("N m", usual), { unit: "kN m", factor: 1e-3 });
});

test("SI stays SI where it is chosen", () => {
    for (const unit of ["rad", "m", "N", "J", "W", "s", "rad/s", "N m"])
        assert.deepEqual(shown(unit, plain), { unit, factor: 1 });
    assert.deepEqual(shown("m/s^2", plain), { unit: "m/s\u00b2", factor: 1 });
    assert.deepEqual(shown("1", plain), { unit: "", factor: 1 });
});

test("the first choice goes by size", () => {
    assert.equal(lengthUnit(0.49), "mm");
    assert.equal(lengthUnit(0.5), "m");
    assert.equal(forceUnit(9999), "N");
    assert.equal(forceUnit(1e4), "kN");
});

test("stresses in Pa, kPa, MPa, GPa by their size", () => {
    const units = [0, 1e-14, 999, 1000, -2e5, 1e6, 2.1e11, 1e15].map(stressUnit);
    assert.deepEqual(units, ["Pa", "Pa", "Pa", "kPa", "kPa", "MPa", "GPa", "GPa"]);
    assert.deepEqual(shown("N/m^2", plain), { unit: "kPa", factor: 1e-3 });
});
