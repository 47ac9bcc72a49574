import assert from "node:assert/strict";
import { test } from "node:test";
import { CanvasPen } from "../../src/pen/canvas.ts";
import type { Pen } from "../../src/pen/pen.ts";
import { SvgPen } from "../../src/pen/svg.ts";
import { corners, recorder } from "../support/paths.ts";

function figure(pen: Pen): void {
    pen.path().moveTo(1.234567, 2).lineTo(30, -4).arc(50, 60, 10, 0.3, 2.1).arc(80, 20, 5, 1, -1, true).curveTo(1, 2, 3, 4, 5, 6).close()
        .fill({ color: "#ff0000" }).stroke({ color: "#00ff00", width: 2 });
}

test("both backs get the same path", () => {
    const { to, points } = recorder(), svg = new SvgPen();
    figure(new CanvasPen(to));
    figure(svg);
    const drawn = corners(svg.finish(100, 100, "x").split("\n")[1]);
    assert.equal(drawn.length, points.length);
    drawn.forEach(([x, y], i) => assert.ok(Math.hypot(x - points[i][0], y - points[i][1]) < 0.0072, `${i}: ${x} ${y} ${points[i]}`));
});

test("a circle of SVG is two arcs, and fill and stroke are one element", () => {
    const svg = new SvgPen();
    svg.path().arc(10, 10, 5, 0, 2 * Math.PI).fill({ color: "#fff", alpha: 0.5 }).stroke({ color: "#000", width: 1 });
    const line = svg.finish(20, 20, "").split("\n")[1];
    assert.equal(line.match(/A5 5 0 0 1/g)?.length, 2);
    assert.equal(line.match(/<path/g)?.length, 1);
    assert.match(line, /fill-opacity="0.5"/);
});

test("names are text in SVG, never markup", () => {
    const svg = new SvgPen();
    svg.enter('a"><script>').text(0, 0, "</text><script>alert(1)</script>&\u0001", { color: '"/><b x="', size: 12 }).leave();
    const out = svg.finish(1, 1, "<x>");
    assert.doesNotMatch(out, /<script|<b |<x>|\u0001/);
    assert.match(out, /&lt;script&gt;alert\(1\)&lt;\/script&gt;&amp;/);
});

test("numbers have few digits and are never NaN", () => {
    const svg = new SvgPen();
    svg.path().moveTo(1 / 3, -1e-9).lineTo(NaN, 1e3 / 3).stroke({ color: "#000", width: 1 / 3 });
    assert.match(svg.finish(1, 1, ""), /d="M0.33 0L0 333.33"/);
});
