import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyName, bodyOfMesh, bodyOrder, bridge, isFrame, wholeBodies, wholeOf } from "../../src/data/elastic.ts";
import type { ElasticDef, MeshDef, SceneDef } from "../../src/data/header.ts";
import { Field, type Surface } from "../../src/data/mesh.ts";
import type { Run } from "../../src/data/model.ts";
import { attachedTo, Deformed } from "../../src/scene/deformed.ts";
import { body, runOf, times, type PlanePose } from "../support/planar.ts";

const near = (a: number, b: number, within: number): void => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b} within ${within}`);

const COUNT = 11, SAG = 0.01, STEP = 1e-7, turned = (t: number): number => 2 * t;
const vertices = Float32Array.from(Array.from({ length: 5 }, (_, i) => [1 + i / 4, 0, 0]).flat());

/** A rod from (1, 0) to (2, 0) that turns about the origin; between its ends it hangs by the sine, more and more, across. */
function rod(kind: string): { run: Run; mesh: Deformed; def: MeshDef } {
    const time = times(COUNT, 1), moved = new Int32Array(3 * 5 * COUNT);
    time.forEach((t, k) => {
        const c = Math.cos(turned(t)), s = Math.sin(turned(t));
        for (let v = 0; v < 5; v++) {
            const x = vertices[3 * v], y = SAG * t * Math.sin(Math.PI * (x - 1));
            moved[(3 * v) * COUNT + k] = Math.round((c * x - s * y - x) / STEP);
            moved[(3 * v + 1) * COUNT + k] = Math.round((s * x + c * y) / STEP);
        }
    });
    const frames = ["rod.a", "rod.b"].map((name, i) => body(name, [1 + i, 0, 0], [])), own = kind === "mesh";
    const elastic: ElasticDef[] = [{ name: "rod", kind, first: own ? 2 : 1, count: 2 }];
    const at = (x: number) => (t: number): PlanePose => [x * Math.cos(turned(t)), x * Math.sin(turned(t)), turned(t)];
    // the body follows the mean motion: half as far as the middle hangs, say
    const mean = (t: number): PlanePose => {
        const y = SAG * t / 2;
        return [1.5 * Math.cos(turned(t)) - y * Math.sin(turned(t)), 1.5 * Math.sin(turned(t)) + y * Math.cos(turned(t)), turned(t)];
    };
    const scene: Partial<SceneDef> = {
        elastic, bodies: [body("crank", [0.5, 0, 0], []), ...own ? [body("rod", [1.5, 0, 0], [])] : [], ...frames],
        probes: own ? [{ name: "middle", body: 1, at: [1.5, 0.02, 0] }] : [],
    };
    const run = runOf(scene, time, [at(0.5), ...own ? [mean] : [], at(1), at(2)]);
    const stored = { block: "", count: 0 };
    const def: MeshDef = { name: "rod", body: own ? 1 : -1, dimension: 2, vertices: { block: "", count: 5 }, triangles: stored,
        edges: stored, time: "", frames: COUNT, fields: [] };
    const surface: Surface = { vertices, triangles: new Uint32Array(0), edges: new Uint32Array(0), nodes: null, time };
    const field = new Field({ name: "displacement", unit: "m", components: 3, block: "", bits: 20, order: 2, low: [0, 0, 0],
        step: [STEP, STEP, STEP] }, 5, COUNT, moved);
    return { run, def, mesh: new Deformed(run, def, surface, field) };
}

/** Along and across the line between the ends, which turns. */
const local = (at: Float32Array, v: number, t: number): [number, number] => {
    const c = Math.cos(turned(t)), s = Math.sin(turned(t));
    return [c * at[3 * v] + s * at[3 * v + 1], -s * at[3 * v] + c * at[3 * v + 1]];
};

test("the deformation of a mesh is enlarged relative to the line between its ends", () => {
    for (const kind of ["mesh", "floating"])
        for (const factor of [1, 20]) {
            const { mesh } = rod(kind), t = 0.5, at = mesh.place(t, factor);
            assert.equal(mesh.elastic, true);
            for (let v = 0; v < 5; v++) {
                const [x, y] = local(at, v, t);
                near(x, 1 + v / 4, 1e-5 * factor); // poses are stored to 4 2^-20
                near(y, factor * SAG * t * Math.sin(Math.PI * v / 4), 1e-5 * factor);
            }
        }
});

test("between the frames of the page a mesh turns rigidly and only its deformation is interpolated", () => {
    const { run, mesh } = rod("floating"), t = 0.55, at = mesh.place(t, 1); // 0.2 rad between frames: chords are 0.5 % shorter
    const [a, b] = [0, 4].map((v) => [at[3 * v], at[3 * v + 1]]);
    const long = Math.hypot(b[0] - a[0], b[1] - a[1]);
    near(long, Math.hypot(...[0, 1].map((c) => run.pointAt(2, [2, 0, 0], t)[c] - run.pointAt(1, [1, 0, 0], t)[c])), 1e-6);
    const across = -Math.sin(turned(t)) * at[6] + Math.cos(turned(t)) * at[7];
    near(across / long, SAG * t, 1e-5); // in proportion to the length
});

test("what is held at a node goes with the mesh", () => {
    const { run, def, mesh } = rod("mesh"), t = 1, list = attachedTo(run, def, vertices);
    assert.deepEqual(list.map(({ vertex }) => vertex), [2]);
    const at = mesh.place(t, 10), [x, y] = local(Float32Array.from(mesh.point(list[0])), 0, t);
    near(x, 1.5, 1e-4);
    near(y, local(at, 2, t)[1] + 0.02, 1e-5);
});

test("a meshed body counts once, with its frames", () => {
    const { run: { scene }, def } = rod("mesh");
    assert.deepEqual([...wholeBodies(scene)], [0, 1]);
    assert.deepEqual([0, 1, 2, 3].map((i) => bodyOrder(scene, i)), [0, 1, 1, 1]);
    assert.deepEqual([1, 3].map((i) => bodyName(scene, i)), ["rod", "rod"]);
    assert.deepEqual([0, 1, 2, 3].map((i) => isFrame(scene, i)), [false, false, true, true]);
    assert.deepEqual([wholeOf(scene, 1), wholeOf(scene, 3)], [[1, 2, 3], [1, 2, 3]]);
    assert.equal(bodyOfMesh(scene, def), 1);
    const reduced = rod("floating");
    assert.deepEqual([...wholeBodies(reduced.run.scene)], [0, 1]);
    assert.equal(bodyOfMesh(reduced.run.scene, reduced.def), 1);
    assert.equal(bodyOfMesh(reduced.run.scene, { name: "plate", body: -1 }), -1);
    bridge(reduced.run.scene, [{ name: "rod" }]);
    assert.equal(reduced.run.scene.elastic![0].pieces, undefined); // its mesh is drawn
    bridge(reduced.run.scene, []);
    assert.deepEqual(reduced.run.scene.elastic![0].pieces, [{ first: 1, count: 2, axes: [[[1, 0, 0], [-0, 1, 0]]] }]);
});
