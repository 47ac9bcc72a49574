import assert from "node:assert/strict";
import { test } from "node:test";
import { palettes } from "../../src/look/colors.ts";
import { colorMap, mapChannels } from "../../src/look/map.ts";
import { sizeFactor } from "../../src/look/sizes.ts";
import { SvgPen } from "../../src/pen/svg.ts";
import { Bodies, paintOf } from "../../src/scene/bodies.ts";
import { drawCaption } from "../../src/scene/caption.ts";
import { faceSpan } from "../../src/scene/contact.ts";
import { gridStep } from "../../src/scene/grid.ts";
import { Layout, Poses } from "../../src/scene/layout.ts";
import { Marks } from "../../src/scene/marks.ts";
import { contours, hull, inside, toSegment } from "../../src/scene/outline.ts";
import { pickPart } from "../../src/scene/pick.ts";
import { fillTriangles, levelColors } from "../../src/scene/raster.ts";
import { UNITS } from "../../src/base/units.ts";
import { quantityText, rangeText, useUnits } from "../../src/scene/words.ts";
import { joints, springs } from "../../src/symbol/list.ts";
import type { PlaneJoint, PlaneSpring, Point } from "../../src/symbol/plane.ts";
import { body, joint, pendulum, runOf, times } from "../support/planar.ts";

const near = (a: number, b: number, within: number): void => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b} within ${within}`);
const look = palettes.light;

test("every symbol draws numbers in every layer, on ground and between bodies", () => {
    const tint = look.tints[0];
    for (const symbol of joints)
        for (const [a, b] of [[null, tint], [tint, null], [tint, tint]] as const)
            for (const thin of [false, true]) {
                const s: PlaneJoint = {
                    def: { name: "j", kind: symbol.kind, a: a ? 0 : -1, b: b ? 1 : -1 }, k: 1, look, at: [100, 100], at_b: [130, 100],
                    axis: [1, 0], a, b, side: [0, 1], travel: [-40, 40], onBar: false, bare: false, turned: 0.3,
                    bodies: { a: [80, 80], b: [150, 120] }, thin, first: true, stands: true, drive: 1,
                    gear: { radii: [20, 10], turned: [0.1, -0.2], text: "2 : 1" },
                    curve: { points: [[80, 90], [120, 80], [120, 110], [90, 120]], roller: 0, away: [1, 0], face: null },
                };
                const pen = new SvgPen();
                for (const layer of ["back", "ground", "under", "block", "pin", "over"] as const)
                    symbol.plane(pen, s, layer);
                const out = pen.finish(200, 200, "");
                assert.doesNotMatch(out, /NaN|Infinity|undefined/);
                if (!thin)
                    assert.match(out, /<path/, `${symbol.kind} draws something`);
            }
});

test("springs: whole, collapsed to nothing, and turned", () => {
    for (const symbol of springs)
        for (const to of [[160, 100], [100, 100]] as Point[]) {
            const s: PlaneSpring = {
                def: { name: "s", kind: symbol.kind, a: -1, b: 0, damped: true, free: 1 }, k: 1, look, from: [100, 100], to,
                shortest: 0, angle: -20, groundEnds: [true, false], thin: false,
            };
            const pen = new SvgPen();
            for (const layer of ["ground", "under", "block", "pin", "over"] as const)
                symbol.plane(pen, s, layer);
            assert.doesNotMatch(pen.finish(200, 200, ""), /NaN|Infinity|undefined/);
        }
});

test("hulls: counterclockwise, without points on edges and doubles", () => {
    assert.deepEqual(hull([[0, 0], [1, 0], [0.5, 0], [1, 1], [0, 1], [0.5, 0.5], [0, 0]], 1e-6), [[0, 0], [1, 0], [1, 1], [0, 1]]);
    assert.deepEqual(hull([[0, 0], [1, 1], [0.4, 0.4]], 1e-6), [[0, 0], [1, 1]]);
    assert.deepEqual(hull([[2, 3], [2, 3]], 1e-6), [[2, 3]]);
    const area = (p: Point[]): number => p.reduce((sum, [x, y], i) => {
        const [u, v] = p[(i + 1) % p.length];
        return sum + (x * v - u * y) / 2;
    }, 0);
    const cloud = Array.from({ length: 500 }, (_, i): Point => [Math.cos(i * i), Math.sin(3 * i) * Math.cos(i)]);
    const around = hull(cloud, 1e-9);
    assert.ok(area(around) > 0);
    assert.ok(cloud.every((p) => inside({ points: around, circle: null, spokes: false }, p, 1e-9)));
});

test("shapes from the front: a turned box is its shadow, a wheel two circles, a cylinder lying in the plane a rectangle", () => {
    const c = Math.SQRT1_2;
    const [box] = contours({ kind: "box", center: [1, 0, 0], size: [2, 1, 3], axes: [[c, c, 0], [-c, c, 0], [0, 0, 1]] });
    assert.equal(box.points.length, 4);
    near(Math.max(...box.points.map((p) => p[0])), 1 + 1.5 * c, 1e-12);
    const wheel = contours({ kind: "wheel", from: [0, 0, -1], to: [0, 0, 1], radius: 0.5 });
    assert.deepEqual(wheel.map((part) => part.circle?.radius), [0.5, 0.28]);
    assert.equal(contours({ kind: "cylinder", from: [0, 0, 0], to: [1, 0, 0], radius: 0.1 })[0].points.length, 4);
});

test("the camera: fits the whole motion, keeps the point under the pointer, comes back from its text", () => {
    const run = pendulum((t) => Math.PI * t), layout = new Layout([run]), poses = new Poses(run), bodies = new Bodies(run);
    layout.resize(800, 600);
    for (const t of [0, 0.5, 1, 1.7]) {
        poses.set(t);
        layout.aim(poses);
        const [x, y] = layout.put(poses, 0, [0, -1, 0], [0, 0]);
        assert.ok(x > 0 && x < 800 && y > 0 && y < 600);
    }
    const under = (): Point => [(123 - layout.ox) / layout.camera.scale, (layout.oy - 456) / layout.camera.scale], before = under();
    layout.zoom(123, 456, 3.7);
    layout.aim(poses);
    near(under()[0], before[0], 1e-12);
    near(under()[1], before[1], 1e-12);
    const kept = layout.text(), scale = layout.camera.scale;
    layout.fit();
    assert.equal(layout.text(), "");
    layout.setText(kept);
    near(layout.camera.scale, scale, 1e-5 * scale);
    layout.setText("rubbish,1,NaN");
    assert.ok(layout.fitted);
    // following does not jump
    poses.set(0.4);
    layout.aim(poses);
    const [x] = layout.put(poses, 0, [0, 0, 0], [0, 0]);
    layout.setFollow(0, poses);
    layout.aim(poses);
    near(layout.put(poses, 0, [0, 0, 0], [0, 0])[0], x, 1e-9);
    assert.equal(bodies.pictures[0].count, 2);
});

test("cams: the face covers all places of contact, and all of the motion is in the window", () => {
    // a disc of radius 0.5 whose middle is 0.2 from its shaft: it touches a flat face e cos(angle) beside the shaft, at most 0.7 above it
    const e = 0.2, R = 0.5, n = 180, face: [number, number, number] = [0, 1, 0];
    const curve = Array.from({ length: n }, (_, i): [number, number, number] =>
        [e + R * Math.cos(2 * Math.PI * i / n), R * Math.sin(2 * Math.PI * i / n), 0]);
    const at_b: [number, number, number] = [0, R, 0];
    const run = runOf({
        bodies: [body("disc", [0, 0, 0], [[0, 0, 0]]), body("valve", [0, 1, 0], [at_b, [0, 1.2, 0]])],
        joints: [joint("cam", "cam", 0, 1, [0, 0, 0], { at_b, curve, closed: true, face })],
    }, times(101, 2 * Math.PI), [(t) => [0, 0, t], (t) => [0, 1 + e * Math.sin(t), 0]]);
    const [low, high] = faceSpan(run, run.scene.joints[0]), step = R * Math.PI / n; // half a chord
    near(low, -e, step);
    near(high, e, step);
    const { box } = new Layout([run]);
    near(box.x1 - box.x0, 2 * (R + e), 1e-2);
    near(box.y0, -R - e, 1e-2);
    // on the screen as in the model: the roller touches the disc at every time
    const roller = { ...run.scene.joints[0], face: undefined, roller: 0.1, at_b: [0, R + 0.1, 0] as [number, number, number] };
    const round = runOf({ ...run.scene, joints: [roller] }, times(101, 2 * Math.PI), [(t) => [0, 0, t],
        (t) => [0, 1 + e * Math.sin(t) + Math.sqrt((R + 0.1) ** 2 - (e * Math.cos(t)) ** 2) - R - 0.1, 0]]);
    const layout = new Layout([round]), poses = new Poses(round), marks = new Marks(round, look);
    layout.resize(800, 600);
    for (const t of [0, 1, 2.5, 4, 6]) {
        poses.set(t);
        layout.aim(poses);
        marks.place(layout, poses);
        const { at_b: [x, y], curve: drawn } = marks.joints[0].s, { points, roller: radius } = drawn!;
        const gaps = points.map((p, i) => toSegment([x, y], p, points[(i + 1) % n]));
        near(Math.min(...gaps), radius, 0.1); // pixels: a chord is off by R (1 - cos(pi / 180)) = 0.03
    }
});

test("picking finds the pin before the bar and nothing beside them", () => {
    const run = pendulum(() => 0), layout = new Layout([run]), poses = new Poses(run);
    const bodies = new Bodies(run), marks = new Marks(run, look);
    layout.resize(800, 600);
    poses.set(0);
    layout.aim(poses);
    marks.place(layout, poses);
    const pivot = layout.put(poses, -1, [0, 0, 0], [0, 0]), mid = layout.put(poses, 0, [0, -0.5, 0], [0, 0]);
    const pick = (x: number, y: number, hidden = new Set<number>()) => pickPart(layout, bodies, marks, poses, x, y, hidden);
    assert.deepEqual(pick(pivot[0], pivot[1]), { what: "joint", index: 0, run: 0 });
    assert.deepEqual(pick(mid[0], mid[1]), { what: "body", index: 0, run: 0 });
    assert.equal(pick(mid[0] + 60, mid[1]), null);
    assert.equal(pick(mid[0], mid[1], new Set([0])), null);
});

test("the path of a bar is the offset of its line: twice the length and one round", () => {
    const run = pendulum(() => 0.7), layout = new Layout([run]), poses = new Poses(run), bodies = new Bodies(run), pen = new SvgPen();
    layout.resize(800, 600);
    poses.set(0);
    layout.aim(poses);
    bodies.draw(pen, layout, poses, 0, paintOf(look.tints[0], layout.k));
    const path = pen.finish(800, 600, "").match(/ d="([^"]+)"/)![1];
    const numbers = [...path.matchAll(/L([\d.-]+) ([\d.-]+)/g)].map((m): Point => [Number(m[1]), Number(m[2])]);
    const ends = [...path.matchAll(/A[\d.]+ [\d.]+ 0 \d \d ([\d.-]+) ([\d.-]+)/g)].map((m): Point => [Number(m[1]), Number(m[2])]);
    assert.equal(numbers.length, 2);
    const length = Math.hypot(numbers[1][0] - ends[0][0], numbers[1][1] - ends[0][1]), across = Math.hypot(numbers[0][0] - ends[0][0],
        numbers[0][1] - ends[0][1]);
    near(length, layout.camera.scale, 0.03); // the rod is 1 m long
    near(across, 14 * layout.k, 0.03);
});

test("several joints with ground in one place stand on one foot", () => {
    const run = runOf({
        bodies: [body("a", [0.5, 0, 0], [[0, 0, 0], [1, 0, 0]]), body("b", [-0.5, 0, 0], [[0, 0, 0], [-1, 0, 0]])],
        joints: [joint("A1", "revolute", -1, 0, [0, 0, 0]), joint("A2", "revolute", -1, 1, [0, 0, 0])],
    }, times(3, 1), [() => [0.5, 0, 0], () => [-0.5, 0, 0]]);
    const marks = new Marks(run, look);
    assert.deepEqual(marks.joints.map(({ s }) => s.stands), [true, false]);
    assert.deepEqual(marks.joints.map(({ s }) => s.first), [true, false]);
});

test("triangles that share edges cover every pixel once", () => {
    const width = 64, height = 48, once = new Uint32Array(width * height), xy: number[] = [], triangles: number[] = [], n = 7;
    for (let j = 0; j <= n; j++)
        for (let i = 0; i <= n; i++) { // inner points are moved, so that no edge is straight
            const moved = i % n && j % n ? 1 : 0;
            xy.push(width * i / n + moved * 3 * Math.sin(7 * i + j), height * j / n + moved * 2 * Math.cos(i + 5 * j));
        }
    for (let j = 0; j < n; j++)
        for (let i = 0; i < n; i++) {
            const p = j * (n + 1) + i;
            triangles.push(p, p + 1, p + n + 2, p + n + 2, p + n + 1, p);
        }
    const places = Float32Array.from(xy), level = new Float32Array(xy.length / 2);
    for (let t = 0; t < triangles.length; t += 3) {
        const one = new Uint32Array(width * height);
        fillTriangles(one, width, height, places, level, Uint32Array.from(triangles.slice(t, t + 3)), new Uint32Array(256).fill(1));
        one.forEach((hit, i) => { once[i] += hit; });
    }
    assert.ok(once.every((count) => count === 1));
});

test("values are linear in a triangle", () => {
    const pixels = new Uint32Array(100 * 100), table = Uint32Array.from({ length: 256 }, (_, i) => i);
    // level = 2 x over a triangle with corners (0,0) (100,0) (0,100)
    fillTriangles(pixels, 100, 100, Float32Array.of(0, 0, 100, 0, 0, 100), Float32Array.of(0, 200, 0), Uint32Array.of(0, 1, 2), table);
    for (const [x, y] of [[10, 10], [50, 20], [5, 80]])
        near(pixels[100 * y + x], 2 * (x + 0.5), 0.51);
    assert.equal(pixels[100 * 80 + 80], 0);
});

test("the color map grows in lightness: it reads in gray", () => {
    const lightness = Array.from({ length: 65 }, (_, i) => {
        const linear = mapChannels(i / 64).map((c) => (c / 255) ** 2.2);
        return 116 * Math.cbrt(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]) - 16;
    });
    lightness.slice(1).forEach((l, i) => assert.ok(l > lightness[i], `${i}`));
    // even: no step of 1/64 is more than twice the mean one
    const mean = (lightness[64] - lightness[0]) / 64;
    lightness.slice(1).forEach((l, i) => assert.ok(l - lightness[i] < 2 * mean));
    assert.equal(colorMap(NaN), colorMap(0));
    assert.equal(levelColors(mapChannels)[255] >>> 24, 255);
});

test("sizes follow the window and the links; the grid has steps of 1, 2, 5 at least 70 pixels apart", () => {
    assert.equal(sizeFactor(820, 560, 1000), 1);
    assert.equal(sizeFactor(820, 560, 35), 0.5);
    assert.equal(sizeFactor(820, 560, 1), 0.45);
    assert.equal(sizeFactor(5000, 5000, 1e4), 1.7);
    for (let scale = 1e-3; scale < 1e6; scale *= 1.37) {
        const step = gridStep(scale), m = step / 10 ** Math.floor(Math.log10(step) + 1e-9);
        assert.ok([1, 2, 5].some((s) => Math.abs(m - s) < 1e-6), String(step));
        assert.ok(step * scale > 69.99 && step * scale < 70 * 2.51);
    }
});

test("numbers in words", () => {
    assert.equal(quantityText(50, "N"), "50\u2009N");
    useUnits({ angle: "deg", length: "mm", force: "kN", stress: "MPa" }); // as plots and cards do
    assert.equal(quantityText(2000, "N"), "2\u2009kN");
    assert.equal(quantityText(0.1, "m"), "100\u2009mm");
    assert.equal(quantityText(3e6, "N/m^2"), "3\u2009MPa");
    assert.deepEqual(rangeText(-1e5, 3e6, "N/m^2"), ["\u22120.1", "3\u2009MPa"]);
    useUnits(UNITS);
});

test("a figure carries its legend and scale bar", () => {
    useUnits({ ...UNITS, length: "mm" });
    const pen = new SvgPen();
    drawCaption(pen, 400, 300, [
        { kind: "trace", color: "#123456", text: "trace of <b>" },
        { kind: "arrow", color: "#c92a2a", text: "reaction, 50 N", pixels: 52 },
        { kind: "colors", color: "", text: "speed", colors: ["#000000", "#ffffff"], low: "0", high: "3 m/s" },
    ], { pixels: 100, length: 0.1 }, look);
    const out = pen.finish(400, 300, "");
    for (const words of ["trace of &lt;b&gt;", "reaction, 50 N", "speed", "3 m/s", "100\u2009mm"])
        assert.ok(out.includes(words), words);
    assert.doesNotMatch(out, /NaN|="-\d/); // nothing left of or above the picture
    useUnits(UNITS);
});
