import assert from "node:assert/strict";
import { test } from "node:test";
import { figureSvg, thinned, ticks } from "../../src/curves/figure.ts";
import type { Line, PlotData } from "../../src/curves/lines.ts";
import { comfortable, equalScales } from "../../src/curves/ranges.ts";
import { palettes } from "../../src/look/colors.ts";

const line = (label: string, times: number[], y: number[]): Line =>
    ({ label, color: "#0b7285", dash: [], times: Float64Array.from(times), x: null, y: Float64Array.from(y),
        item: { name: label, run: -1, minus: -1 }, run: 0, noise: 0 });
const data = (lines: Line[]): PlotData =>
    ({ title: "Angle", unit: "\u00b0", xTitle: "time", xUnit: "s", log: false, equal: false, lines, failed: [] });

test("ticks are 1, 2, 5 times powers of ten and lie inside", () => {
    assert.deepEqual(ticks([0, 10], 5).values, [0, 2, 4, 6, 8, 10]);
    assert.deepEqual(ticks([-0.3, 0.31], 4).values.map((v) => Math.round(10 * v)), [-2, 0, 2]);
    assert.equal(ticks([3, 3.004], 4).increment.toPrecision(3), "0.00100");
});

test("a figure has its curve at the right place and its labels with units", () => {
    const svg = figureSvg(data([line("j1.angle", [0, 1, 2], [0, 10, 20])]), palettes.light, { width: 720, height: 400 });
    assert.match(svg, /time \/ s/);
    assert.match(svg, /Angle \/ °/);
    assert.match(svg, />j1.angle</);
    const d = svg.match(/<g class="curves">\s*<path d="([^"]*)"/)?.[1] ?? "";
    const points = [...d.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map((m) => [Number(m[1]), Number(m[2])]);
    assert.equal(points.length, 3);
    // a straight line stays straight and goes from the left border to the right one, upward
    assert.ok(Math.abs(points[1][0] - (points[0][0] + points[2][0]) / 2) < 0.02 &&
        Math.abs(points[1][1] - (points[0][1] + points[2][1]) / 2) < 0.02);
    assert.equal(points[0][0], 72);
    assert.equal(points[2][0], 720 - 18);
    assert.ok(points[2][1] < points[0][1]);
});

test("gaps break the path, names stay text", () => {
    const svg = figureSvg(data([line("<script>&", [0, 1, 2, 3, 4], [0, 1, NaN, 1, 0])]), palettes.light, { width: 400, height: 300 });
    const d = svg.match(/<g class="curves">\s*<path d="([^"]*)"/)?.[1] ?? "";
    assert.equal((d.match(/M/g) ?? []).length, 2);
    assert.ok(!svg.includes("<script>") && svg.includes("&lt;script&gt;&amp;"));
});

test("thinning keeps the peaks", () => {
    const n = 20000, xs = Array.from({ length: n }, (_, i) => (700 * i) / n), ys = xs.map(() => 1);
    ys[12345] = 99;
    ys[6789] = -99;
    const kept = thinned(xs, ys, 0.5);
    assert.ok(kept.length <= 4 * 1401);
    assert.ok(kept.some(([x, y]) => y === 99 && x === xs[12345]) && kept.some(([x, y]) => y === -99 && x === xs[6789]));
    assert.ok(kept.every(([x], i) => i === 0 || x >= kept[i - 1][0]));
});

test("ranges: noise of a constant stays small, equal scales are equal", () => {
    const [low, high] = comfortable(5, 5.000001);
    assert.ok(high - low > 0.9);
    assert.deepEqual(comfortable(0, 0), [-1, 1]);
    const [x, y] = equalScales([0, 2], [0, 1], 400, 400);
    assert.ok(Math.abs((x[1] - x[0]) - (y[1] - y[0])) < 1e-12 && y[0] === -0.5);
});
