import assert from "node:assert/strict";
import { test } from "node:test";
import { axisNumbers, clock, number, power, roundBelow, scaledNumbers, short, withUnit } from "../../src/base/format.ts";

test("readouts have four digits and a true minus", () => {
    const rows: [number, string][] = [
        [84.0612, "84.06"], [-119.93, "\u2212119.9"], [-5.9414, "\u22125.941"], [542, "542.0"], [-0.71862, "\u22120.7186"],
            [0.001, "0.001000"],
        [12345.6, "12346"], [99999, "99999"], [0, "0"], [-0, "0"],
    ];
    for (const [value, words] of rows)
        assert.equal(number(value), words);
});

test("outside of 1e-3 to 1e5 numbers have powers of ten", () => {
    assert.equal(number(1.2e-9), "1.200\u00d710\u207b\u2079");
    assert.equal(number(-2.5e7), "\u22122.500\u00d710\u2077");
    assert.equal(number(100000), "1.000\u00d710\u2075");
    assert.equal(number(0.00099999), "0.001000"); // rounds to the border and stands inside
    assert.equal(number(0.00099994), "9.999\u00d710\u207b\u2074");
    assert.equal(short(1.2e-9), "1.2\u00d710\u207b\u2079");
    assert.equal(short(1e-6), "10\u207b\u2076");
});

test("what is no number is shown as such", () => {
    assert.equal(number(NaN), "\u2013");
    assert.equal(number(-Infinity), "\u2212\u221e");
});

test("short numbers have no zeros at their end", () => {
    assert.equal(short(1.5), "1.5");
    assert.equal(short(100), "100");
    assert.equal(short(12000), "12000");
    assert.equal(short(-0.25), "\u22120.25");
});

test("units follow a thin space, degrees at once, and nothing follows where there is none", () => {
    assert.equal(withUnit("1.200", "s"), "1.200\u2009s");
    assert.equal(withUnit("84.06", "\u00b0"), "84.06\u00b0");
    assert.equal(withUnit("7", ""), "7");
});

test("numbers at an axis have the places that their increment needs", () => {
    assert.deepEqual(axisNumbers([-2.5, 0, 2.5, 5], 2.5), ["\u22122.5", "0", "2.5", "5"]);
    assert.deepEqual(axisNumbers([0, 0.2, 0.4, 0.6000000000000001], 0.2), ["0", "0.2", "0.4", "0.6"]);
    assert.deepEqual(axisNumbers([0, 500, 1000], 500), ["0", "500", "1000"]);
    assert.deepEqual(axisNumbers([-1e-9, 0, 1e-9], 1e-9), ["\u221210\u207b\u2079", "0", "10\u207b\u2079"]);
    assert.deepEqual(axisNumbers([0, 250000], 250000), ["0", "2.5\u00d710\u2075"]);
});

test("a clock shows a thousandth of a second, more where the run is short", () => {
    assert.equal(clock(1.2, 10), "1.200");
    assert.equal(clock(0.27, 2), "0.270");
    assert.equal(clock(0.00123456, 0.01), "0.00123");
    assert.equal(clock(-1, 10), "\u22121.000");
});

test("round lengths and powers", () => {
    assert.equal(roundBelow(0.37), 0.2);
    assert.equal(roundBelow(7), 5);
    assert.equal(roundBelow(1), 1);
    assert.equal(power(-12), "10\u207b\u00b9\u00b2");
});

test("numbers at an axis share one power of ten", () => {
    assert.deepEqual(scaledNumbers([-6e-13, -3e-13, 0], 3e-13), {
        words: ["\u22126", "\u22123", "0"], power: "\u00d710\u207b\u00b9\u00b3" });
    assert.deepEqual(scaledNumbers([0, 250000, 500000], 250000), { words: ["0", "2.5", "5"], power: "\u00d710\u2075" });
    assert.deepEqual(scaledNumbers([0, 50, 100], 50), { words: ["0", "50", "100"], power: "" });
});
