import assert from "node:assert/strict";
import { test } from "node:test";
import { ProfileDrawing, type Row, extent, rowAt } from "../../src/curves/profile.ts";
import { palettes } from "../../src/look/colors.ts";
import { SvgPen } from "../../src/pen/svg.ts";

// u(x, t) = t x (2 - x) at x = 0, 1, 2: the middle moves from 0 to 4
const row: Row = {
    label: "", x: Float64Array.of(0, 1, 2), times: Float64Array.of(0, 4), values: Float32Array.of(0, 0, 0, 0, 4, 0),
    vertices: Uint32Array.of(7, 5, 6),
};
const profile = { title: "u", unit: "", xTitle: "x / m", rows: [row] };
const look = { grid: true, ghosts: false, names: true, factor: 1, colors: ["#123456"], marks: [{ name: "middle", x: 1 }], picked: -1 };

test("a row between frames lies on straight lines", () => {
    assert.deepEqual([...rowAt(row, 1, new Float64Array(3))], [0, 1, 0]);
    assert.deepEqual([...rowAt(row, 9, new Float64Array(3))], [0, 4, 0]);
});

test("axes hold the whole run; modes swing to both sides", () => {
    const { x, y } = extent(profile, false);
    assert.deepEqual(x, [0, 2]);
    assert.ok(y[0] <= 0 && y[0] > -0.5 && y[1] > 4 && y[1] < 5);
    assert.ok(extent(profile, true).y[0] < -4);
});

test("the curve, its axes and the probe are drawn; the nearest vertex is found", () => {
    const drawing = new ProfileDrawing(profile, false), pen = new SvgPen();
    drawing.draw(pen, 800, 600, 4, look, palettes.light);
    const svg = pen.finish(800, 600, "u");
    assert.match(svg, /middle/);
    assert.match(svg, /stroke="#123456"/);
    // x = 1 is in the middle between the margins of 76 and 36, its value 4 near the upper one of 88
    assert.equal(drawing.nearest((76 + 764) / 2, 110, 800, 600, 4, 1), 5);
    assert.equal(drawing.nearest(300, 500, 800, 600, 4, 1), -1);
});
