// Symbols of the plane: canvas and SVG get the same path, and it stays about the joint.
import assert from "node:assert/strict";
import { test } from "node:test";
import { palettes } from "../../src/look/colors.ts";
import { CanvasPen } from "../../src/pen/canvas.ts";
import type { Pen } from "../../src/pen/pen.ts";
import { SvgPen } from "../../src/pen/svg.ts";
import { recorder, corners } from "../support/paths.ts";
import { joints, springs } from "../../src/symbol/list.ts";
import type { Layer, PlaneCurve, PlaneJoint, PlaneSpring, Point } from "../../src/symbol/plane.ts";

const layers: Layer[] = ["back", "ground", "under", "block", "pin", "over"], look = palettes.light, tint = look.tints[0];

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

/** Twenty points about (200, 200), 20 away. */
const around = Array.from({ length: 20 }, (_, i): Point => [200 + 20 * Math.cos(i * Math.PI / 10), 200 + 20 * Math.sin(i * Math.PI / 10)]);

test("joints stay about their place in both backs, on ground and between bodies", () => {
    for (const symbol of joints)
        for (const [a, b] of [[null, tint], [tint, null], [tint, tint]] as const)
            for (const k of [0.5, 1, 1.7]) {
                const s: PlaneJoint = {
                    def: { name: "j", kind: symbol.kind, a: a ? 0 : -1, b: b ? 1 : -1 }, k, look, at: [200, 200], at_b: [220, 200],
                    axis: [1, 0], a, b, side: [0, 1], travel: [-20, 20], onBar: false, bare: false, turned: 0.3,
                    bodies: { a: [150, 170], b: [240, 230] }, thin: false, first: true, stands: true, drive: 1,
                    gear: { radii: [12, 8], turned: [0.1, -0.2], text: "2 : 1" },
                    curve: { points: around, roller: 9, away: [1, 0], face: null },
                };
                // the travel of 20, the second point 20 farther, and 60 k about them: base line 44, block 38 and 22 beyond
                check(`${symbol.kind}, k = ${k}`, (pen, layer) => symbol.plane(pen, s, layer), 40 + 60 * k);
            }
});

const plain: PlaneJoint = {
    def: { name: "j", kind: "cam", a: 0, b: 1 }, k: 1, look, at: [200, 200], at_b: [200, 200], axis: [0, 0], a: tint, b: tint, side: [0, 1],
    travel: [0, 0], onBar: false, bare: false, turned: 0, bodies: { a: [200, 200], b: [200, 150] }, thin: false, first: false,
    stands: true, drive: 0, gear: null, curve: null,
};

/** Corners of what a symbol draws in one layer. */
function cornersOf(symbol: typeof joints[number], s: PlaneJoint, layer: Layer): [number, number][] {
    const pen = new SvgPen();
    symbol.plane(pen, s, layer);
    return [...pen.finish(400, 400, "").matchAll(/ d="([^"]+)/g)].flatMap((path) => corners(path[1]));
}

test("followers of cams touch them: a roller by its rim, an edge by its tip, a face by its lower side", () => {
    const cam = joints.find(({ kind }) => kind === "cam")!;
    const drawn = (at_b: Point, curve: Omit<PlaneCurve, "points">): [number, number][] => cornersOf(cam, {
        ...plain, def: { name: "c", kind: "cam", a: 0, b: 1, closed: true }, at_b, curve: { points: around, ...curve },
    }, "pin");
    // up on the screen is -y: the cam ends at 180, and the follower reaches down to there
    const lowest = (list: [number, number][]): number => Math.max(...list.map(([, y]) => y));
    const roller = drawn([200, 165], { roller: 15, away: [0, -1], face: null });
    for (const [x, y] of roller)
        assert.ok(Math.abs(Math.hypot(x - 200, y - 165) - 15) < 0.01);
    assert.equal(lowest(drawn([200, 180], { roller: 0, away: [0, -1], face: null })), 180);
    const face = drawn([200, 180], { roller: 0, away: [0, -1], face: [-5, 12] });
    assert.equal(lowest(face), 180);
    // over all places of contact, which are counted along normal(away) = (1, 0)
    assert.ok(Math.min(...face.map(([x]) => x)) < 195 && Math.max(...face.map(([x]) => x)) > 212);
});

test("hatch is outside of closed tracks and below open ones", () => {
    const track = joints.find(({ kind }) => kind === "point_on_curve")!, open: Point[] = [[150, 190], [200, 200], [250, 190]];
    for (const points of [around, [...around].reverse(), open, [...open].reverse()]) {
        const closed = points.length > 3, s: PlaneJoint = {
            ...plain, def: { name: "c", kind: "point_on_curve", a: -1, b: 0, closed }, at_b: points[0], a: null,
            curve: { points, roller: 0, away: [0, -1], face: null },
        };
        const drawn = cornersOf(track, s, "back"), hatch = drawn.slice(0, drawn.length - 2 * points.length);
        assert.ok(hatch.length > 10);
        for (const [x, y] of hatch)
            assert.ok(closed ? Math.hypot(x - 200, y - 200) > 24 : y > 195, `${x} ${y}`);
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
