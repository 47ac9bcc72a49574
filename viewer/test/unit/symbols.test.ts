// Symbols of the plane: canvas and SVG get the same path, and it stays about the joint.
import assert from "node:assert/strict";
import { test } from "node:test";
import { palettes } from "../../src/look/colors.ts";
import { CanvasPen } from "../../src/pen/canvas.ts";
import type { Pen } from "../../src/pen/pen.ts";
import { SvgPen } from "../../src/pen/svg.ts";
import { recorder, corners } from "../support/paths.ts";
import { joints, springs } from "../../src/symbol/list.ts";
import type { Layer, PlaneJoint, PlaneSpring } from "../../src/symbol/plane.ts";

const layers: Layer[] = ["ground", "under", "block", "pin", "over"], look = palettes.light, tint = look.tints[0];

function check(kind: string, draw: (pen: Pen, layer: Layer) => void, reach: number): void {
    const svg = new SvgPen(), { to, points } = recorder(), canvas = new CanvasPen(to);
    for (const layer of layers) {
        draw(svg, layer);
        draw(canvas, layer);
    }
    const drawn = [...svg.finish(400, 400, "").matchAll(/ d="([^"]+)/g)].flatMap((path) => corners(path[1]));
    assert.ok(drawn.length > 0, `${kind} draws nothing`);
    for (const [x, y] of drawn) // from the joint at (200, 200)
        assert.ok(Math.abs(x - 200) <= reach && Math.abs(y - 200) <= reach, `${kind}: ${x} ${y} is farther than ${reach}`);
    const missing = points.filter(([x, y]) => !drawn.some(([u, v]) => Math.hypot(x - u, y - v) < 0.0072)); // of two digits
    assert.deepEqual(missing, [], `${kind}: the canvas has corners that SVG has not`);
    const more = drawn.filter(([x, y]) => !points.some(([u, v]) => Math.hypot(x - u, y - v) < 0.0072));
    assert.ok(more.length <= drawn.length / 2, `${kind}: SVG has corners that the canvas has not`); // circles are two arcs: their far sides
}

test("joints stay about their place in both backs, on ground and between bodies", () => {
    for (const symbol of joints)
        for (const [a, b] of [[null, tint], [tint, null], [tint, tint]] as const)
            for (const k of [0.5, 1, 1.7]) {
                const s: PlaneJoint = {
                    def: { name: "j", kind: symbol.kind, a: a ? 0 : -1, b: b ? 1 : -1 }, k, look, at: [200, 200], at_b: [220, 200],
                    axis: [1, 0], a, b, side: [0, 1], travel: [-20, 20], onBar: false, bare: false, turned: 0.3,
                    bodies: { a: [150, 170], b: [240, 230] }, thin: false, first: true, stands: true, drive: 1,
                    gear: { radii: [12, 8], turned: [0.1, -0.2], text: "2 : 1" },
                };
                // the travel of 20, the second point 20 farther, and 60 k about them: base line 44, block 38 and 22 beyond
                check(`${symbol.kind}, k = ${k}`, (pen, layer) => symbol.plane(pen, s, layer), 40 + 60 * k);
            }
});

test("springs stay about their line", () => {
    for (const symbol of springs)
        for (const k of [0.5, 1, 1.7]) {
            const s: PlaneSpring = {
                def: { name: "s", kind: symbol.kind, a: -1, b: 0, damped: true, free: 1 }, k, look, from: [200, 200], to: [260, 200],
                shortest: 40, angle: 2, groundEnds: [true, false], thin: false,
            };
            check(symbol.kind, (pen, layer) => symbol.plane(pen, s, layer), 60 + 40 * k);
        }
});
