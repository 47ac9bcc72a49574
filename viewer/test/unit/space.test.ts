import assert from "node:assert/strict";
import { test } from "node:test";
import { rotate } from "../../src/base/quat.ts";
import { add, cross, distance, dot, length, scale, sub, unit, type Vec } from "../../src/base/vec.ts";
import type { JointDef } from "../../src/data/header.ts";
import { Camera, FIELD } from "../../src/scene/camera.ts";
import * as forms from "../../src/scene/forms.ts";
import type { Form } from "../../src/scene/forms.ts";
import { hitPart, intoBox, intoCylinder, intoEllipsoid, intoTriangle } from "../../src/scene/hits.ts";
import { convexHull, plate, roundOutline, sharpEdges, spreadOf, triangulate } from "../../src/scene/hull.ts";
import { makeMechanism } from "../../src/scene/mechanism.ts";
import { along, frameTurn } from "../../src/scene/parts.ts";
import { creased, principal } from "../../src/scene/solids.ts";
import { teeth } from "../../src/symbol/gear.ts";
import { joints, springs } from "../../src/symbol/list.ts";
import { body, joint, runOf, times } from "../support/planar.ts";

const near = (a: number, b: number, within: number, what = ""): void =>
    assert.ok(Math.abs(a - b) <= within, `${what} ${a} is not ${b} within ${within}`);

/** Six times the volume between the origin and the triangles, positive where they turn left seen from outside. */
function volume(points: Vec[], index: ArrayLike<number>): number {
    let sum = 0;
    for (let i = 0; i < index.length; i += 3)
        sum += dot(points[index[i]], cross(points[index[i + 1]], points[index[i + 2]]));
    return sum / 6;
}

/** Vertices of a form with a size and a stretch, as the shader places them. */
const verticesOf = (form: Form, size: Vec, stretch: Vec): Vec[] => Array.from({ length: form.position.length / 3 }, (_, i) =>
    [0, 1, 2].map((c) => form.position[3 * i + c] * size[c] + form.side[3 * i + c] * stretch[c]) as Vec);

test("forms are closed, turn outward and have the volume of what they stand for", () => {
    // chords of step h lie within h^2/8 of the arc: what is lost of a volume is less than a share of h^2
    const ball = forms.round(24), r = 0.3, pi = Math.PI, one: Vec = [r, r, r], share = (pi / 48) ** 2;
    const sphere = 4 / 3 * pi * r ** 3, capsule = sphere + 2 * pi * r * r;
    near(volume(verticesOf(ball, one, [0, 0, 0]), ball.index), sphere, share * sphere, "ball");
    near(volume(verticesOf(ball, one, [0, 1, 0]), ball.index), capsule, share * capsule, "capsule");
    // rounded box: core, six plates, twelve quarter cylinders, eight eighths of a ball
    const [a, b, c] = [1, 2, 3].map((h) => 2 * h);
    const box = a * b * c + 2 * r * (a * b + b * c + c * a) + pi * r * r * (a + b + c) + 4 / 3 * pi * r ** 3;
    near(volume(verticesOf(ball, one, [1, 2, 3]), ball.index), box, share * box, "box");
    const rod = forms.cylinder(96), bevel = forms.cylinder.bevel, rim = 1 - bevel;
    const frustum = pi * bevel * (1 + rim + rim * rim) / 3;
    near(volume(verticesOf(rod, [1, 1, 1], [0, 2, 0]), rod.index), 4 * pi + 2 * frustum, 1e-2, "cylinder");
    const cone = forms.cone(96);
    near(volume(verticesOf(cone, [1, 2, 1], [0, 0, 0]), cone.index), 2 * pi, 1e-2, "cone before the shader narrows it");
    const torus = forms.ring(96, 48, false), R = 2, thin = 0.25;
    near(volume(verticesOf(torus, [thin, thin, thin], [R, R, R]), torus.index), 2 * pi * pi * R * thin * thin, 1e-2, "ring");
    const square = forms.ring(96, 4, true);
    near(volume(verticesOf(square, [0.1, 0.2, 0.1], [R, R, R]), square.index), 2 * pi * R * 0.2 * 0.4, 1e-2, "rim");
    near(volume(verticesOf(forms.block(), [1, 2, 3], [0, 0, 0]), forms.block().index), 6, 1e-12, "block");
    assert.ok(volume(verticesOf(forms.tire(64), [1, 1, 1], [0, 0, 0]), forms.tire(64).index) > 0.5 * pi * (1 - 0.56 ** 2));
    const bowl = forms.bowl(64), half = 2 / 3 * pi * (1 - 0.84 ** 3);
    near(volume(verticesOf(bowl, [1, 1, 1], [0, 0, 0]), bowl.index), half, 0.12 * half, "bowl");
});

test("normals of forms stand on their triangles", () => {
    const turned = [forms.cylinder(24), forms.cone(24), forms.ring(24, 12, false), forms.ring(24, 4, true), forms.tire(24), forms.bowl(24)];
    for (const form of [forms.round(6), ...turned, forms.block(), forms.square()]) {
        const p = verticesOf(form, [1, 1, 1], [1.5, 1.5, 1.5]), normal = (i: number): Vec => form.normal.slice(3 * i, 3 * i + 3) as Vec;
        for (let i = 0; i < form.index.length; i += 3) {
            const [a, b, c] = form.index.slice(i, i + 3), n = cross(sub(p[b], p[a]), sub(p[c], p[a]));
            if (length(n) > 1e-9)
                assert.ok(dot(unit(n), normal(a)) > 0.5, `triangle ${i / 3}`);
        }
    }
});

test("corners of outlines move every face at them by one", () => {
    const x: Vec = [1, 0, 0], y: Vec = [0, 1, 0], z: Vec = [0, 0, 1];
    assert.deepEqual(forms.corner([x, y, z]).map((v) => Number(v.toFixed(9))), [1, 1, 1]);
    const slanted = unit([1, 1, 0]), n = forms.corner([x, slanted]);
    near(dot(n, x), 1, 1e-6);
    near(dot(n, slanted), 1, 1e-6);
    assert.ok(length(forms.corner([x, unit([-1, 0.05, 0])])) <= 2 + 1e-12); // a knife's edge
    const block = forms.welded(forms.block());
    for (let i = 0; i < block.normal.length; i += 3)
        for (let c = 0; c < 3; c++)
            near(block.normal[i + c], 2 * block.position[i + c], 1e-6);
});

test("hulls: a cube with points inside has twelve faces and twelve sharp edges", () => {
    const points: Vec[] = [];
    for (const x of [-1, 1])
        for (const y of [-1, 1])
            for (const z of [-1, 1])
                points.push([x, y, z]);
    points.splice(3, 0, [0.2, 0.1, 0], [-0.5, 0.3, 0.9]);
    const faces = convexHull(points);
    assert.equal(faces.length, 12);
    near(volume(points, faces.flat()), 8, 1e-12);
    assert.equal(sharpEdges(points, faces, 0.2).length, 12);
    assert.deepEqual(convexHull(points.slice(0, 3)), []);
});

test("hulls of random points contain them all", () => {
    let seed = 7;
    const random = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647 - 0.5;
    const points = Array.from({ length: 60 }, (): Vec => [random(), random(), random()]), faces = convexHull(points);
    for (const [a, b, c] of faces) {
        const n = unit(cross(sub(points[b], points[a]), sub(points[c], points[a])));
        assert.ok(points.every((p) => dot(n, sub(p, points[a])) < 1e-9));
    }
    assert.equal(faces.length % 2, 0); // closed: 3 F = 2 E
});

test("points lie on a line, in a plane or in space", () => {
    assert.equal(spreadOf([[1, 1, 1], [1, 1, 1]], 1).kind, "point");
    assert.equal(spreadOf([[0, 0, 0], [1, 1, 1], [3, 3, 3]], 1).kind, "line");
    const flat = spreadOf([[0, 0, 2], [1, 0, 2], [1, 1, 2], [0, 1, 2], [0.5, 0.5, 2]], 1);
    assert.ok(flat.kind === "plane" && flat.corners.length === 4);
    assert.equal(spreadOf([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], 1).kind, "space");
});

test("plates: area of a polygon with a notch, volume of a rounded square", () => {
    const notched: Vec[] = [[0, 0, 0], [4, 0, 0], [4, 3, 0], [2, 1, 0], [0, 3, 0]], z: Vec = [0, 0, 1];
    const area = triangulate(notched, z).reduce((sum, [a, b, c]) => {
        const n = cross(sub(notched[b], notched[a]), sub(notched[c], notched[a]));
        assert.ok(n[2] > 0);
        return sum + n[2] / 2;
    }, 0);
    near(area, 8, 1e-12); // 4 x 3 less a triangle of 4 x 2
    const round = roundOutline([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], z, 0.5), skin = plate(round, z, 0.1);
    near(volume(skin.vertices, skin.triangles.flat()), 0.1 * (1 + 4 * 0.5 + Math.PI * 0.25), 2e-3);
    skin.triangles.forEach(([a, b, c]) => {
        const n = cross(sub(skin.vertices[b], skin.vertices[a]), sub(skin.vertices[c], skin.vertices[a]));
        assert.ok(dot(unit(n), skin.normals[a]) > 0.8);
    });
});

test("meshes are smooth over small bends and sharp over large ones", () => {
    const points: Vec[] = [[0, 0, 0], [1, 0, 0], [0, 1, 0.1], [0, -1, 0.1]];
    const soft = creased(points, [[0, 1, 2], [1, 0, 3]]), sharp = creased([...points.slice(0, 3), [0, -0.1, 1]], [[0, 1, 2], [1, 0, 3]]);
    assert.ok(distance(soft.normals[0], soft.normals[4]) < 1e-12);
    assert.ok(distance(sharp.normals[0], sharp.normals[4]) > 0.5);
});

test("principal axes of an inertia", () => {
    const m = [[5, 1, 0.5], [1, 4, -0.3], [0.5, -0.3, 2]], { values, vectors } = principal(m);
    vectors.forEach((v, k) => {
        near(length(v), 1, 1e-12);
        m.forEach((row, i) => near(row[0] * v[0] + row[1] * v[1] + row[2] * v[2], values[k] * v[i], 1e-12));
    });
    near(values[0] + values[1] + values[2], 11, 1e-12);
});

test("frames become quaternions and back", () => {
    for (const axis of [[1, 0, 0], [0, -1, 0], [0.3, 0.2, -0.9], [0, 0, 1], [-1, -1, -1]] as Vec[]) {
        const q = along(axis), w = [q[3], q[0], q[1], q[2]];
        near(Math.hypot(...q), 1, 1e-12);
        near(distance(rotate(w, [0, 1, 0]), unit(axis)), 0, 1e-12);
    }
    const x = unit([-1, 0.1, 0]), y = unit([-0.1, -1, 0]), q = frameTurn(x, y, cross(x, y)); // near half a turn
    near(distance(rotate([q[3], q[0], q[1], q[2]], [1, 0, 0]), x), 0, 1e-12);
});

test("the camera fits: all points are seen, and two sides touch the margin", () => {
    const camera = new Camera([0, 0, 1]), points = [0, 0, 0, 3, 0.2, 0, 1, 2, 0.4, -1, -0.5, 1.5], width = 800, height = 500;
    for (const which of [0, 1, 3, 5, 7]) {
        camera.look(which);
        camera.fit(points, width, height, 0.12);
        const f = height / (2 * Math.tan(FIELD / 2)), xs: number[] = [], ys: number[] = [];
        for (let i = 0; i < points.length; i += 3) {
            const d = sub([points[i], points[i + 1], points[i + 2]], camera.eye), depth = -dot(d, camera.back);
            assert.ok(depth > 0);
            xs.push(width / 2 + f * dot(d, camera.right) / depth);
            ys.push(height / 2 - f * dot(d, camera.above) / depth);
        }
        const free = 0.12 * height, left = Math.min(...xs), top = Math.min(...ys);
        const right = width - Math.max(...xs), bottom = height - Math.max(...ys);
        assert.ok(Math.min(left, right, top, bottom) > free - 1e-6);
        const touches = (a: number, b: number): boolean => Math.abs(a - free) < 1e-6 && Math.abs(b - free) < 1e-6;
        assert.ok(touches(left, right) || touches(top, bottom), `view ${which}: ${left} ${right} ${top} ${bottom}`);
    }
});

test("zoom keeps what is under the pointer; text of the camera comes back", () => {
    const camera = new Camera([0, 1, 0]), height = 600, x = 130, y = -75;
    camera.distance = 4;
    const under = (): Vec => {
        const u = camera.unit(height);
        return add(camera.target, add(scale(camera.right, x * u), scale(camera.above, -y * u)));
    };
    const before = under();
    camera.zoom(1.7, x, y, height);
    near(distance(before, under()), 0, 1e-12);
    const other = new Camera([0, 1, 0]);
    other.read(camera.text());
    near(distance(other.eye, camera.eye), 0, 1e-3);
    other.read("no,camera");
    near(distance(other.eye, camera.eye), 0, 1e-3);
});

test("rays meet boxes, balls, cylinders and triangles where they should", () => {
    const ray = { from: [-5, 0.2, 0.1] as Vec, direction: [1, 0, 0] as Vec };
    near(intoBox(ray, [1, 1, 1]), 4, 1e-12);
    assert.equal(intoBox(ray, [1, 0.1, 1]), Infinity);
    near(intoEllipsoid(ray, [2, 1, 1]), 5 - 2 * Math.sqrt(1 - 0.05), 1e-12);
    near(intoCylinder(ray, 1, 0.3), 5 - Math.sqrt(1 - 0.01), 1e-12);
    assert.equal(intoCylinder(ray, 1, 0.1), Infinity);
    near(intoCylinder({ from: [0.2, 5, 0], direction: [0, -1, 0] }, 1, 0.5), 4.5, 1e-12);
    near(intoTriangle(ray, [0, -1, -1], [0, 1, -1], [0, 0, 2]), 5, 1e-12);
    assert.equal(intoTriangle(ray, [0, 1, -1], [0, 3, -1], [0, 2, 2]), Infinity);
});

test("gears have numbers of teeth in the ratio of their radii", () => {
    assert.equal(teeth(2, 1)[0] / teeth(2, 1)[1], 2);
    assert.equal(teeth(0.3, 0.5)[0] / teeth(0.3, 0.5)[1], 0.6);
    const [a, b] = teeth(1, Math.PI);
    near(b / a, Math.PI, 0.02);
});

/** Points of a circle about z. */
const circle = (c: Vec, radius: number): Vec[] => Array.from({ length: 60 }, (_, i) =>
    add(c, scale([Math.cos(i * Math.PI / 30), Math.sin(i * Math.PI / 30), 0], radius)));

const still = (): [number, number, number] => [0, 0, 0];
const at: Vec = [0.1, 0.2, 0.3], far: Vec = [0.6, 0.2, 0.5];

const RELATIONS = ["gear", "belt", "rack_and_pinion", "planetary_gear", "relation"];
const CURVES = ["cam", "point_on_curve"];

function oneJoint(kind: string, ground: "a" | "b" | "none"): ReturnType<typeof runOf> {
    const first = ground === "a" ? -1 : 0, second = ground === "b" ? -1 : ground === "a" ? 0 : 1;
    const def: JointDef = {
        name: "j", kind, a: first, b: second, at, at_b: at, axis: [0, 0, 1], axis_b: kind === "universal" ? [1, 0, 0] : [0, 0, 1],
        normal: [0, 0, 1], to: kind === "rod" ? far : undefined, pitch: 0.01, driven: true,
    };
    const bodies = [body("x", [0, 0, 0], [at, [0, 0, 0]]), body("y", [0, 0, 0], [at, far])];
    const turning = [0, 1].map((i) => joint(`r${i}`, "revolute", -1, ground === "none" ? i : 0, [i, 0, 0]));
    if (RELATIONS.includes(kind)) { // as in a page: it has neither bodies nor positions
        for (const key of ["a", "b", "at", "at_b", "axis", "axis_b"] as const)
            delete (def as Partial<JointDef>)[key];
        def.gear = { joints: [1, 2], variables: ["r0.angle", "r1.angle"], ratio: kind === "relation" ? undefined : -0.5 };
    }
    if (CURVES.includes(kind))
        Object.assign(def, { curve: circle([at[0] - 0.3, at[1], at[2]], 0.3), closed: true });
    const list = RELATIONS.includes(kind) ? [def, ...turning] : [def];
    return runOf({ bodies: ground === "none" ? bodies : bodies.slice(0, 1), joints: list, dimension: 3 }, times(5, 1),
        ground === "none" ? [still, still] : [still]);
}

test("every joint gives parts with finite numbers, between bodies and on ground at either end", async () => {
    for (const { kind } of joints)
        for (const ground of ["none", "a", "b"] as const) {
            const { parts } = makeMechanism(oneJoint(kind, ground), true), own = { what: "joint", index: 0 };
            const solids = parts.solids.filter((p) => p.owner.what === own.what && p.owner.index === own.index);
            const links = parts.links.filter((p) => p.owner.what === own.what && p.owner.index === own.index);
            assert.ok(solids.length + links.length > 0, `${kind} on ${ground} has no parts`);
            for (const p of solids) {
                assert.ok([...p.at, ...p.turn, ...p.size, ...p.stretch].every(Number.isFinite), `${kind} on ${ground}: ${p.form}`);
                near(Math.hypot(...p.turn), 1, 1e-9, kind);
                assert.ok(p.size.every((s) => s > 0), `${kind}: ${p.form} ${p.size}`);
            }
            assert.ok(links.every((p) => [...p.from, ...p.to, ...p.shape, ...p.across].every(Number.isFinite)), kind);
        }
});

test("every spring gives parts, a rod that only measures gives none", async () => {
    for (const { kind } of springs) {
        const run = oneJoint("revolute", "none");
        run.scene.springs.push({ name: "s", kind, a: 0, b: 1, at, to: far, joint: 0, axis: [0, 0, 1], damped: true });
        const { parts } = makeMechanism(run, false);
        assert.ok([...parts.solids, ...parts.links].some((p) => p.owner.what === "spring"), kind);
    }
    const run = oneJoint("rod", "none");
    run.scene.joints[0].free = true;
    const { parts } = makeMechanism(run, false);
    assert.ok(![...parts.solids, ...parts.links].some((p) => p.owner.what === "joint"));
});

test("a cam is a plate of its outline where its follower is along the axis", () => {
    const run = oneJoint("cam", "none"), [def] = run.scene.joints, shift = 0.4;
    def.at_b = [at[0] + 0.1, at[1], at[2] + shift]; // a roller that touches the disc
    def.roller = 0.1;
    const { parts, measures: { r } } = makeMechanism(run, false), plates = parts.skins.filter((p) => p.owner.what === "joint");
    assert.equal(plates.length, 1);
    const { vertices, triangles } = plates[0].skin, area = 30 * 0.3 ** 2 * Math.sin(Math.PI / 30); // 60 triangles about the middle
    near(volume(vertices, triangles.flat()), area * 2.4 * r, 1e-9);
    near((Math.min(...vertices.map((p) => p[2])) + Math.max(...vertices.map((p) => p[2]))) / 2, at[2] + shift, 1e-12);
});

test("functions have no wheels, whichever way the axes of their joints point", () => {
    for (const axis of [[0, 0, 1], [0, 0, -1]] as Vec[]) {
        const run = oneJoint("relation", "none");
        run.scene.joints[2].axis = axis;
        const { parts } = makeMechanism(run, true);
        assert.equal(parts.solids.filter((p) => p.owner.what === "joint" && p.owner.index === 0).length, 0);
        assert.deepEqual(parts.texts.map((part) => part.text), ["f(x)"]);
    }
});

test("meshes of shapes face outside, in whichever order their file lists corners", () => {
    const vertices = [5, 5, 5, 6, 5, 5, 5, 6, 5, 5, 5, 6], left = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3], right = [...left].reverse();
    for (const triangles of [left, right]) {
        const run = oneJoint("revolute", "none");
        run.scene.bodies[0].shapes.push({ kind: "mesh", vertices, triangles });
        const [{ skin }] = makeMechanism(run, false).parts.skins;
        near(volume(skin.vertices, skin.triangles.flat()), 1 / 6, 1e-12);
    }
});

test("pointing at a rod finds its body, past it nothing", async () => {
    const run = oneJoint("spherical", "none"), { parts } = makeMechanism(run, false), none = new Set<number>();
    const middle: Vec = [0.35, 0.2, 0.4], ray = { from: [0.35, -5, 0.4] as Vec, direction: [0, 1, 0] as Vec };
    const hit = hitPart(run, parts, ray, 0, 0, none);
    assert.deepEqual(hit?.owner, { what: "body", index: 1 });
    near(hit!.distance, middle[1] + 5, 0.02);
    assert.equal(hitPart(run, parts, { ...ray, from: [0.35, -5, 0.9] }, 0, 0, none), null);
    assert.equal(hitPart(run, parts, ray, 0, 0, new Set([1])), null);
});
