import assert from "node:assert/strict";
import { test } from "node:test";
import { Motion, newPose } from "../../src/data/model.ts";

const unit = 1e-6;

/** One body whose x follows f at these times. */
function motion(times: number[], f: (t: number) => number, smooth = true): Motion {
    const n = times.length, values = new Int32Array(7 * n);
    times.forEach((t, k) => {
        values[k] = Math.round(f(t) / unit);
        values[3 * n + k] = 1 << 19;
    });
    return new Motion(Float64Array.from(times), 1, values, [0, 0, 0], unit, smooth);
}

const largest = (one: Motion, f: (t: number) => number, from: number, to: number): number => {
    let worst = 0;
    for (let i = 0; i <= 500; i++) {
        const t = from + (to - from) * i / 500;
        worst = Math.max(worst, Math.abs(one.at(t, 0, newPose())[0] - f(t)));
    }
    return worst;
};

test("parabolas are met between frames of any distance", () => {
    const f = (t: number): number => 3 * t * t - 2 * t + 1;
    assert.ok(largest(motion([0, 0.4, 0.5, 1.3, 2], f), f, 0.4, 1.3) < 2 * unit);
});

test("between frames a circle is met to third order, by straight lines to second", () => {
    const error = (n: number, smooth: boolean): number => {
        const times = Array.from({ length: n + 1 }, (_, k) => 2 * k / n);
        return largest(motion(times, Math.sin, smooth), Math.sin, 0.3, 1.7);
    };
    const cubic = error(10, true) / error(20, true), straight = error(10, false) / error(20, false);
    assert.ok(cubic > 6.5, `halving the step divides the error by ${cubic}`);
    assert.ok(straight > 3 && straight < 5, `${straight}`);
});

test("a corner at an event stays a corner", () => {
    const f = (t: number): number => Math.abs(t - 1);
    assert.ok(largest(motion([0, 0.5, 1, 1, 1.5, 2], f), f, 0, 2) < 2 * unit);
});
