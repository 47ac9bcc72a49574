import assert from "node:assert/strict";
import { test } from "node:test";
import { csv } from "../../src/curves/csv.ts";

test("curves with the same times share their rows; nine digits, gaps are empty", () => {
    const times = Float64Array.of(0, 0.1, 1 / 3);
    const words = csv([{ name: "j1.angle", times, values: [1, -2.5e-12, Math.PI] }, { name: "j1.fx", times, values: [NaN, 0, 1e9 / 3] }]);
    assert.equal(words, "time,j1.angle,j1.fx\n0,1,\n0.1,-2.5e-12,0\n0.333333333,3.14159265,333333333\n");
});

test("curves with other times get rows of their own, in order", () => {
    const words = csv([{ name: "a", times: [0, 1, 2], values: [1, 2, 3] }, { name: "b", times: [0.5, 1], values: [8, 9] }], "load");
    assert.equal(words, "load,a,b\n0,1,\n0.5,,8\n1,2,9\n2,3,\n");
});

test("a time that comes twice at an event keeps both rows where all curves have it", () => {
    const times = [0, 1, 1, 2];
    assert.equal(csv([{ name: "a", times, values: [1, 2, 3, 4] }]), "time,a\n0,1\n1,2\n1,3\n2,4\n");
});

test("names stay text for spreadsheets", () => {
    const words = csv([{ name: '=1+"2",x', times: [0], values: [1] }]);
    assert.equal(words.split("\n")[0], 'time,"=1+""2"",x"');
});
