import assert from "node:assert/strict";
import { test } from "node:test";
import { Damaged } from "../../src/data/decode.ts";
import { logTicks, reduce, scaleOf, share, ticks } from "../../src/inside/axis.ts";
import { firstOrdering, orderingText } from "../../src/inside/pattern.ts";
import { asAssembled, BAND, BESIDE, BORDER, CORNER, INSIDE, Pattern, Ordering } from "../../src/inside/ordering.ts";

// rows 0..3, columns 0..3:   x . x .
//                            . x . x
//                            x x . .
//                            . . x x
const pattern = () => new Pattern(4, 4, Uint32Array.of(0, 2, 4, 6, 8), Uint32Array.of(0, 2, 1, 3, 0, 1, 2, 3));

test("the pattern knows its entries", () => {
    const p = pattern();
    assert.equal(p.entries, 8);
    assert.deepEqual([...p.row], [0, 0, 1, 1, 2, 2, 3, 3]);
    assert.equal(p.find(1, 3), 3);
    assert.equal(p.find(1, 0), -1);
});

test("an ordering moves entries and tells their sort", () => {
    // rows 2 0 1 3, columns 0 1 2 3; blocks [0, 1), [1, 2), border 2, band 2
    const places = new Ordering(pattern(), Uint32Array.of(2, 0, 1, 3), Uint32Array.of(0, 1, 2, 3), Uint32Array.of(0, 1, 2), 2, 2);
    assert.deepEqual([...places.positionOfRow], [1, 2, 0, 3]);
    assert.equal(places.inner, 2);
    assert.equal(places.sortOf(0, 0), INSIDE);
    assert.equal(places.sortOf(1, 0), BESIDE);
    assert.equal(places.sortOf(0, 2), BORDER);
    assert.equal(places.sortOf(2, 1), BAND);
    assert.equal(places.sortOf(3, 3), CORNER);
    assert.deepEqual(places.sizes(), [[1, 2]]);
    assert.equal(orderingText(places), "4 × 4, 8 entries; 2 blocks of 1; 2 border columns, 2 band rows");
});

test("orderings may leave rows out", () => {
    const places = new Ordering(pattern(), Uint32Array.of(3, 1, 0), Uint32Array.of(0, 1, 2), null, 0, 0);
    assert.equal(places.positionOfRow[2], -1);
    assert.equal(orderingText(places), "3 × 3, 4 entries; 1 redundant row left out");
    assert.equal(places.sortOf(0, 0), BESIDE);
});

test("the nearest entry is found within its distance", () => {
    const places = asAssembled(pattern());
    assert.deepEqual(places.nearest(0.4, 1.2, 1), { row: 0, column: 0 });
    assert.deepEqual(places.nearest(3.5, 3.5, 0.4), { row: 3, column: 3 });
    assert.equal(places.nearest(0.5, 3.5, 0.2), null);
    // against all entries, at random points
    let seed = 7;
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    for (let k = 0; k < 200; k++) {
        const r = 4 * random(), c = 4 * random(), p = pattern();
        const best = Math.min(...[...p.row].map((row, e) => Math.hypot(row + 0.5 - r, p.column[e] + 0.5 - c)));
        const found = places.nearest(r, c, 4);
        assert.ok(found && Math.abs(Math.hypot(found.row + 0.5 - r, found.column + 0.5 - c) - best) < 1e-12);
    }
});

test("damaged patterns and orderings are refused", () => {
    assert.throws(() => new Pattern(2, 2, Uint32Array.of(0, 1), Uint32Array.of(0)), Damaged);
    assert.throws(() => new Pattern(1, 2, Uint32Array.of(0, 1), Uint32Array.of(2)), Damaged);
    assert.throws(() => new Pattern(2, 2, Uint32Array.of(0, 2, 1), Uint32Array.of(0)), Damaged);
    assert.throws(() => new Ordering(pattern(), Uint32Array.of(0, 0), Uint32Array.of(0, 1), null, 0, 0), Damaged);
    assert.throws(() => new Ordering(pattern(), Uint32Array.of(0, 9), Uint32Array.of(0, 1), null, 0, 0), Damaged);
    assert.throws(() => new Ordering(pattern(), Uint32Array.of(0, 1), Uint32Array.of(0, 1), Uint32Array.of(0, 5), 0, 0), Damaged);
});

test("the ordering of the run is shown first, else one with blocks", () => {
    const def = { orderings: ["natural", "p5", "mechanism"].map((name) => ({ name })) } as unknown as Parameters<typeof firstOrdering>[0];
    assert.equal(firstOrdering(def, "p5"), 1);
    assert.equal(firstOrdering(def, "natural"), 2); // it stands beside it anyway
    assert.equal(firstOrdering(def, "the solver's own"), 2);
    assert.equal(firstOrdering({ orderings: [{ name: "natural" }, { name: "amd" }] } as unknown as typeof def, "x"), 1);
});

test("ticks are round and inside", () => {
    assert.deepEqual(ticks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
    assert.deepEqual(ticks(-0.3, 0.35, 4), [-0.2, 0, 0.2]);
    assert.deepEqual(logTicks(1e-12, 1e-3, 4), [1e-12, 1e-9, 1e-6, 1e-3]);
    assert.deepEqual(logTicks(0.01, 0.1, 4), [0.01, 0.02, 0.05, 0.1]);
});

test("scales hold all values; logarithms pass over zero, signs and gaps", () => {
    const linear = scaleOf([[1, 7, NaN]], false);
    assert.ok(linear && linear.low <= 1 && linear.high >= 7);
    const log = scaleOf([[0, -3e-9, NaN, 2e-4]], true);
    assert.deepEqual(log, { low: 1e-9, high: 1e-3, log: true });
    assert.equal(share({ low: 1e-4, high: 1, log: true }, -1e-2), 0.5);
    assert.equal(scaleOf([[0, NaN]], true), null);
    for (const [low, high] of [[0.013, 0.021], [1, 1], [3e-7, 4e-6]]) {
        const scale = scaleOf([[low, high]], true);
        assert.ok(scale && scale.low <= low * (1 + 1e-9) && scale.high >= high * (1 - 1e-9) && scale.high > scale.low);
    }
});

test("a reduced line keeps extremes of every column, first and last, and gaps", () => {
    const n = 100000, times = Float64Array.from({ length: n }, (_, i) => i / n);
    const values = Float64Array.from(times, (t) => Math.sin(300 * t));
    values[54321] = 9; // a peak of one sample
    values[777] = NaN;
    const { x, y } = reduce(times, values, (t) => 400 * t, (v) => v);
    assert.ok(x.length <= 4 * 402 + 2);
    assert.equal(Math.max(...y.filter((v) => !Number.isNaN(v))), 9);
    assert.equal(y.filter((v) => Number.isNaN(v)).length, 1);
    assert.ok(x.every((v, i) => i === 0 || v >= x[i - 1]));
    assert.deepEqual([y[0], y[y.length - 1]], [values[0], values[n - 1]]);
});
