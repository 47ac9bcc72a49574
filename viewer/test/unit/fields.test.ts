import assert from "node:assert/strict";
import { test } from "node:test";
import type { Blocks } from "../../src/data/decode.ts";
import { Field, Mesh } from "../../src/data/mesh.ts";
import { Run } from "../../src/data/model.ts";
import { palettes } from "../../src/look/colors.ts";
import { SvgPen } from "../../src/pen/svg.ts";
import { componentName, mapLegend, outlineOf, PlaneMeshes } from "../../src/scene/fields.ts";
import { Layout, Poses } from "../../src/scene/layout.ts";
import { range, shownRange } from "../../src/scene/noise.ts";
import { body, runOf, times } from "../support/planar.ts";

const near = (a: number, b: number, within: number): void => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b} within ${within}`);

/** A unit square of two triangles on a body that turns about the origin; every corner also moves by (0.01 t, 0) beyond that. */
function square(onBody: boolean): { run: Run; mesh: Mesh } {
    const time = times(11, 1), corners = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0], step = 1e-6;
    const moved = new Int32Array(4 * 3 * 11), shade = new Int32Array(4 * 11), angle = (t: number): number => onBody ? t : 0;
    for (let v = 0; v < 4; v++)
        time.forEach((t, k) => {
            const x = corners[3 * v], y = corners[3 * v + 1], c = Math.cos(angle(t)), s = Math.sin(angle(t));
            moved[(3 * v) * 11 + k] = Math.round((c * x - s * y + 0.01 * t - x) / step);
            moved[(3 * v + 1) * 11 + k] = Math.round((s * x + c * y - y) / step);
            shade[v * 11 + k] = v === 2 ? k : -1;
        });
    const coded = { bits: 20, order: 2 }, source = {
        doubles: async () => time, times: async () => time, floats: async () => Float32Array.from(corners),
        integers: async (name: string) => Uint32Array.from(name === "t" ? [0, 1, 2, 0, 2, 3] : [0, 1, 1, 2, 2, 3, 3, 0]),
        differences: async (name: string) => name === "u" ? moved : shade,
    };
    const mesh = new Mesh({
        name: "plate", body: onBody ? 0 : -1, dimension: 2, vertices: { block: "v", count: 4 }, triangles: { block: "t", count: 2 },
        edges: { block: "e", count: 4 }, time: "time", frames: 11, fields: [
            { ...coded, name: "displacement", unit: "m", components: 3, block: "u", low: [0, 0, 0], step: [step, step, step] },
            { ...coded, name: "von_mises", unit: "N/m^2", components: 1, block: "s", low: [5], step: [2] },
        ],
    }, source as unknown as Blocks);
    const bodies = onBody ? [body("plate", [0, 0, 0], [], { mesh: "plate" })] : [];
    const made = runOf({ bodies, probes: [{ name: "corner", body: onBody ? 0 : -1, at: [1, 1, 0], mesh: "plate" }] }, time,
        onBody ? [(t) => [0, 0, angle(t)]] : []);
    return { mesh, run: new Run(made.def, made.motion, made.curves, [mesh], made.blocks) };
}

interface Placed { at: Float32Array; probe: [number, number]; meshes: PlaneMeshes }

async function movedPoint(onBody: boolean, factor: number, t: number): Promise<Placed> {
    const { run } = square(onBody), poses = new Poses(run), meshes = new PlaneMeshes(run, () => {});
    const look = { factor, field: "von_mises", component: -1, edges: true };
    meshes.set(look);
    for (const mesh of meshes.list) {
        await mesh.read(look);
        poses.set(t);
        mesh.place(poses, t, factor);
    }
    const { body: b, at: p } = run.scene.probes[0];
    return { at: meshes.list[0].deformed!.at, probe: [poses.x(b, p), poses.y(b, p)], meshes };
}

test("a mesh of ground: displacement times the factor, probes go along", async () => {
    const { at, probe } = await movedPoint(false, 10, 0.55);
    near(at[6], 1 + 10 * 0.0055, 1e-5);
    near(at[7], 1, 1e-5);
    near(probe[0], at[6], 1e-6);
    near(probe[1], at[7], 1e-6);
});

test("a mesh of a body: the factor enlarges the deformation, not the motion of the body", async () => {
    const t = 0.5, c = Math.cos(t), s = Math.sin(t), one = await movedPoint(true, 1, t), ten = await movedPoint(true, 10, t);
    // single precision and coding: 1e-6 of positions of 1, ten times of it with the factor
    near(one.at[6], c - s + 0.005, 2e-5);
    near(one.at[7], s + c, 2e-5);
    near(ten.at[6], c - s + 0.05, 2e-4);
    near(ten.at[7], s + c, 2e-4);
    near(ten.probe[0], ten.at[6], 1e-6);
});

test("range over the run, legend and paths", async () => {
    const { mesh, run } = square(false), field = await mesh.field("von_mises");
    assert.deepEqual(range(field, -1), [3, 25]); // 5 - 2 and 5 + 2 * 10
    const { meshes } = await movedPoint(false, 1, 1), pen = new SvgPen(), layout = new Layout([run]), poses = new Poses(run);
    layout.resize(400, 300);
    layout.aim(poses);
    meshes.drawPaths(pen, layout, palettes.light);
    assert.doesNotMatch(pen.finish(400, 300, ""), /NaN/);
    const [item] = meshes.legend();
    assert.deepEqual([item.kind, item.low, item.high], ["colors", "3", "25\u2009Pa"]);
    assert.equal(componentName("stress", 4, 3), "stress xy");
    assert.equal(componentName("displacement", 3, 1), "displacement y");
});

test("a mesh of a second run: its outline and pale triangles", async () => {
    const pairs = Array.from(outlineOf(Uint32Array.from([0, 1, 2, 0, 2, 3])));
    assert.deepEqual(pairs, [0, 1, 1, 2, 2, 3, 3, 0]); // without the diagonal
    const { run } = square(false), { meshes } = await movedPoint(false, 1, 1), layout = new Layout([run]), poses = new Poses(run);
    layout.resize(400, 300);
    layout.aim(poses);
    for (const over of [false, true]) {
        const pen = new SvgPen();
        meshes.drawPlain(pen, layout, "#123456", over);
        const svg = pen.finish(400, 300, "");
        assert.equal(svg.includes("fill=\"#123456\""), !over);
        assert.doesNotMatch(svg, /NaN/);
    }
});

test("rounding is told from values", async () => {
    const vertices = Float32Array.from([0, 0, 0, 2, 0, 0, 0, 3, 0]), time = times(2, 1);
    const field = (unit: string, components: number, low: number[], step: number[], numbers: number[]): Field =>
        new Field({ name: "f", unit, components, block: "", bits: 20, order: 2, low, step }, 3, 2, Int32Array.from(numbers));
    const { run } = square(false);
    const counted = { name: "kinetic", quantity: "energy", unit: "J", part: "", of: "run", block: "", at: 0, count: 2, time: "" };
    run.curves.add({ ...counted, times: time, values: Float64Array.of(12, 0) } as unknown as Parameters<typeof run.curves.add>[0]);
    const stress = (size: number): Field => field("N/m^2", 1, [0], [size / 5], [0, 1, 2, 3, 4, 5]);
    // 12 J in 6 m^2: 2 Pa, of which 1e-9 is the least that counts as nonzero
    assert.deepEqual(await shownRange(run, stress(1.9e-9), vertices, -1), { low: 0, high: 0, rounding: true });
    assert.equal((await shownRange(run, stress(2.1e-9), vertices, -1)).rounding, false);
    const displacement = field("m", 2, [0, 0], [1, 1e-15], [0, 5, 1, 2, 0, 1, 2, 1, 0, 1, 3, 3]);
    assert.equal((await shownRange(run, displacement, vertices, 1)).rounding, true); // the second component beside the first
    assert.equal((await shownRange(run, displacement, vertices, 0)).rounding, false);
    const even = await shownRange(run, field("K", 1, [5], [1e-12], [0, 1, 2, 3, 4, 5]), vertices, -1);
    assert.equal(even.low, even.high);
    assert.deepEqual([mapLegend(stress(1).def, -1, even).low, mapLegend(stress(1).def, -1, even).high], ["", "5\u2009Pa"]);
    assert.equal(componentName("von_mises", 1, -1), "von Mises");
});
