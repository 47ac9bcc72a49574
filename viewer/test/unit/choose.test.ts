import assert from "node:assert/strict";
import { test } from "node:test";
import { firstLook } from "../../src/curves/choose.ts";
import { plotData, plot } from "../../src/curves/lines.ts";
import { AllQuantities, Quantities } from "../../src/curves/quantities.ts";
import { Blocks } from "../../src/data/decode.ts";
import type { JointDef, RunDef, SceneDef } from "../../src/data/header.ts";
import { Curves, Motion, Report, Run } from "../../src/data/model.ts";
import { palettes } from "../../src/look/colors.ts";

const times = Float64Array.from({ length: 101 }, (_, i) => i / 10);
type Made = [name: string, quantity: string, unit: string, part: string, of: string, value: (t: number) => number];

/** A run in memory: joints by name, curves by functions of time; bodies rest but the first, which moves along x and turns. */
function run(label: string, joints: Partial<JointDef>[], made: Made[], drivers: SceneDef["drivers"] = []): Run {
    const scene = {
        dimension: 2, gravity: [0, -9.81, 0], size: 1, bodies: [{ name: "bar", mass: 1, center: [0, 0, 0], points: [], shapes: [] }],
        joints: joints.map((joint) => ({ name: "", kind: "revolute", a: -1, b: 0, ...joint })), springs: [], forces: [], probes: [],
            drivers,
    } as SceneDef;
    const curves = new Curves([], new Blocks(() => null));
    for (const [name, quantity, unit, part, of, value] of made)
        curves.add({ name, quantity, unit, part, of, block: "", at: 0, count: times.length, time: "", times, values: times.map(value) });
    const poses = new Int32Array(7 * times.length), n = times.length;
    times.forEach((t, i) => {
        poses[i] = Math.round(t * 1000); // 1 mm each
        poses[3 * n + i] = Math.round(Math.cos(t / 2) * 2 ** 19);
        poses[6 * n + i] = Math.round(Math.sin(t / 2) * 2 ** 19);
    });
    const def = { label, scene, info: { study: "motion" }, events: [], frames: {}, curves: curves.list } as unknown as RunDef;
    return new Run(def, new Motion(times, 1, poses, [0, 0, 0], 1e-3), curves, [], new Blocks(() => null));
}

const angle = (name: string, value: (t: number) => number): Made => [`${name}.angle`, "angle", "rad", name, "joint", value];
const force = (name: string, axis: string, value: (t: number) => number): Made => [`${name}.f${axis}`, "force", "N", name, "joint", value];

test("driven variables come first, equal ones once, at most three", async () => {
    const joints = ["a", "b", "c", "d", "e"].map((name) => ({ name, variables: [`${name}.angle`] }));
    const made = [angle("a", (t) => t), angle("b", (t) => Math.sin(t)), angle("c", (t) => 2 * t), angle("d", (t) => 2 * t),
        angle("e", () => 1)];
    const look = await firstLook(new Quantities(run("", joints, made, [{ name: "D", joint: 2, variable: "c.angle" }])));
    assert.deepEqual(look.plots[0].items.map((one) => one.name), ["c.angle", "a.angle", "b.angle"]);
});

test("variables that are measured come before the others", async () => {
    const joints = [{ name: "a", variables: ["a.angle"] }, { name: "m", variables: ["m.angle"], free: true }];
    const look = await firstLook(new Quantities(run("", joints, [angle("a", (t) => t), angle("m", (t) => -t)])));
    assert.deepEqual(look.plots[0].items.map((one) => one.name), ["m.angle", "a.angle"]);
});

test("the largest reactions are shown as magnitudes, energies from their start", async () => {
    const made = [force("a", "x", () => 3), force("a", "y", () => 4), force("b", "x", (t) => t), force("c", "y", () => -20),
        force("d", "x", () => 1e-12),
        ["kinetic", "energy", "J", "", "energy", (t: number) => t] as Made,
            ["potential", "energy", "J", "", "energy", (t: number) => 6700 - t] as Made];
    const quantities = new Quantities(run("", [], made)), look = await firstLook(quantities);
    assert.deepEqual(look.plots.map((one) => one.items.map((item) => item.name)).slice(-2),
        [["|c|", "|b|", "|a|"], ["kinetic", "potential"]]);
    assert.equal(look.plots[look.plots.length - 1].fromStart, true);
    assert.equal(look.largestForce, 20);
    assert.equal((await quantities.curve("|a|")).values[50], 5);
});

test("lines: values from their start in the units of the screen", async () => {
    const report = new Report({ format: 1, version: "", title: "", runs: [] },
        [run("A", [], [["potential", "energy", "J", "", "energy", (t) => 6700 - t], angle("a", (t) => t)])]);
    const all = new AllQuantities(report), units = { angle: "deg", length: "mm", force: "N", stress: "kPa" } as const;
    const energy = await plotData(all, { ...plot("potential"), fromStart: true }, units, palettes.light, "time");
    assert.ok(Math.abs(energy.lines[0].y[100] + 10) < 1e-9 && energy.lines[0].y[0] === 0);
    const degrees = await plotData(all, plot("a.angle"), units, palettes.light, "time");
    assert.ok(Math.abs(degrees.lines[0].y[10] - 180 / Math.PI) < 1e-9);
    assert.equal(degrees.unit, "\u00b0");
});

test("places of bodies come from the poses; angles go on beyond a half turn", async () => {
    const quantities = new Quantities(run("", [], []));
    const x = await quantities.curve("bar.x"), turned = await quantities.curve("bar.angle");
    assert.ok(Math.abs(x.values[100] - 10) < 1e-9);
    assert.ok(Math.abs(turned.values[100] - 10) < 1e-5); // 2^-19 of a turn, well below
});

test("runs are overlaid with dashes; a difference is taken at equal times", async () => {
    const runs = [run("A", [], [angle("a", (t) => t)]), run("B", [], [angle("a", (t) => 3 * t)])];
    const all = new AllQuantities(new Report({ format: 1, version: "", title: "", runs: [] }, runs)),
        units = { angle: "rad", length: "m", force: "N", stress: "kPa" } as const;
    const both = await plotData(all, plot("a.angle"), units, palettes.light, "time");
    assert.equal(both.lines.length, 2);
    assert.equal(both.lines[0].color, both.lines[1].color);
    assert.notDeepEqual(both.lines[0].dash, both.lines[1].dash);
    const difference = await plotData(all, { ...plot(), items: [{ name: "a.angle", run: 1, minus: 0 }] }, units, palettes.light, "time");
    assert.ok(Math.abs(difference.lines[0].y[50] - 10) < 1e-9);
    assert.match(difference.lines[0].label, /B \u2212 A/);
});

test("a mesh with one probe: its place, its speed, the energies; nothing twice", async () => {
    const mesh = run("", [], [["middle.x", "position", "m", "middle", "probe", (t) => t], ["middle.y", "position", "m", "middle", "probe",
        (t) => 2 * t * t], ["middle.vx", "velocity", "m/s", "middle", "probe", (t) => Math.sin(t)],
    ["kinetic", "energy", "J", "", "energy", (t) => t]]);
    mesh.scene.bodies = [];
    const look = await firstLook(new Quantities(mesh));
    assert.deepEqual(look.plots.map((one) => one.items.map((item) => item.name)), [["middle.x", "middle.y"], ["middle.vx"], ["kinetic"]]);
});

test("unknowns of equations: small ones in a plot of their own, of a long row some, equal ones once", async () => {
    const value = (name: string, of: (t: number) => number): Made => [name, "value", "", "", "run", of];
    const few = run("", [], [value("y1", (t) => Math.cos(t)), value("y2", (t) => 1e-5 * t), value("y3", (t) => t / 10),
        value("y1_rate", (t) => -Math.sin(t))]);
    few.scene.bodies = [];
    const look = await firstLook(new Quantities(few));
    assert.deepEqual(look.plots.map((one) => one.items.map((item) => item.name)), [["y1", "y3"], ["y2"]]);
    const row = run("", [], Array.from({ length: 101 }, (_, i) => value(`u${i + 1}`, (t) => Math.sin(Math.PI * i / 100 + 0.1) * t)));
    row.scene.bodies = [];
    const [first] = (await firstLook(new Quantities(row))).plots;
    assert.ok(first.items.length > 2 && first.items.length <= 6);
    assert.equal(first.items[0].name, "u1");
});
