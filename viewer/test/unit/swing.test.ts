import assert from "node:assert/strict";
import { test } from "node:test";
import { Motion, newPose } from "../../src/data/model.ts";
import { Swinging } from "../../src/data/swing.ts";

/** Three modes of two bodies: the k-th moves one component alone by a tenth of a millimeter. */
function shapes(): Motion {
    const n = 3, values = new Int32Array(2 * 7 * n), at = (body: number, c: number, k: number): number => (body * 7 + c) * n + k;
    for (let body = 0; body < 2; body++)
        for (let k = 0; k < n; k++) {
            values[at(body, 0, k)] = 10000 * (body + 1);
            values[at(body, 3, k)] = 2 ** 19;
        }
    values[at(0, 1, 0)] = 100;
    values[at(1, 0, 1)] += 50;
    values[at(1, 2, 2)] = -100;
    return new Motion(Float64Array.of(1, 2, 3), 2, values, [0, 0, 0], 1e-6);
}

const given = [Float64Array.of(9, 9, 9, 1, 0, 0, 0), Float64Array.of(9, 9, 9, 1, 0, 0, 0)];

test("a mode at rest stands at the middle of all modes", () => {
    const motion = new Swinging(shapes(), given, 1);
    motion.swing = 0;
    for (let k = 0; k < 3; k++)
        assert.deepEqual([...motion.frame(k, 0, newPose())].map((x) => Math.round(x * 1e9) / 1e9), [0.01, 0, 0, 1, 0, 0, 0]);
});

test("every mode swings equally far to both sides, by seven hundredths of the size", () => {
    const motion = new Swinging(shapes(), given, 2), far = (swing: number, k: number, body: number, c: number): number => {
        motion.swing = swing;
        return motion.frame(k, body, newPose())[c];
    };
    assert.ok(Math.abs(far(1, 0, 0, 1) - 0.14) < 1e-9 && Math.abs(far(-1, 0, 0, 1) + 0.14) < 1e-9);
    assert.ok(Math.abs(far(1, 1, 1, 0) - 0.16) < 1e-9 && Math.abs(far(-0.5, 1, 1, 0) + 0.05) < 1e-9);
    assert.ok(Math.abs(far(1, 2, 1, 2) + 0.14) < 1e-9);
    // between two modes there is nothing
    motion.swing = 1;
    assert.deepEqual([...motion.at(1.4, 0, newPose())], [...motion.frame(0, 0, newPose())]);
});
