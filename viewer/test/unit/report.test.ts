import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import type { BodyDef, HeaderDef, Shape } from "../../src/data/header.ts";
import { Damaged } from "../../src/data/decode.ts";
import { readReport, Report, Run } from "../../src/data/model.ts";
import { runsOfRows } from "../../src/inside/comparison.ts";

/** Bytes of equal weight together, deflated, base64. */
function block(numbers: ArrayBufferView, width: number): string {
    const bytes = new Uint8Array(numbers.buffer), count = bytes.length / width, planes = new Uint8Array(bytes.length);
    bytes.forEach((byte, i) => { planes[(i % width) * count + Math.floor(i / width)] = byte; });
    return deflateSync(planes).toString("base64");
}

const mesh = (vertices: unknown, triangles: unknown): Shape => ({ kind: "mesh", vertices, triangles } as Shape);

/** A report without bodies: shapes of the ground, so many runs. */
function page(shapes: Shape[], labels: string[] = [""]): string {
    const scene = { dimension: 3, gravity: [0, 0, 0], size: 1, bodies: [], ground: { shapes }, joints: [], springs: [], forces: [],
        probes: [], drivers: [] };
    const runs = labels.map((label) => ({ label, scene, info: {}, events: [], frames: { count: 2, time: "t" }, curves: [] }));
    return JSON.stringify({ format: 1, version: "", title: "", runs });
}

const named = (name: string): BodyDef => ({ name, mass: 1, center: [0, 0, 0], points: [], shapes: [] });

const corners = [0.5, 0, -1, 2, 0.25, 0, 0, 1, 3, 7, 7, 7];
const blocks: Record<string, string> = {
    t: block(Float64Array.of(0, 1), 8), v: block(Float32Array.from(corners), 4), i: block(Uint32Array.of(0, 1, 2, 2, 1, 3), 4),
};
const read = (text: string) => readReport(text, (name) => blocks[name] ?? null);

test("meshes of shapes are read from blocks and from arrays alike", async () => {
    const stored = mesh({ block: "v", count: 4 }, { block: "i", count: 2 }), plain = mesh(corners, [0, 1, 2, 2, 1, 3]);
    const report = await read(page([stored, plain], ["a", "b"]));
    for (const run of report.runs)
        for (const shape of run.scene.ground!.shapes)
            assert.deepEqual(shape, plain);
});

test("meshes that do not fit their blocks are refused", async () => {
    await assert.rejects(read(page([mesh({ block: "v", count: 5 }, { block: "i", count: 2 })])), Damaged);
    await assert.rejects(read(page([mesh({ block: "v", count: 4 }, { block: "i", count: 1 })])), Damaged);
    await assert.rejects(read(page([mesh({ block: "v", count: 4 }, { block: "none", count: 2 })])), Damaged);
    blocks.far = block(Uint32Array.of(0, 1, 4), 4);
    await assert.rejects(read(page([mesh({ block: "v", count: 4 }, { block: "far", count: 1 })])), Damaged);
});

test("of many runs the first and the chosen one are seen, of few all", async () => {
    const few = await read(page([], ["a", "b", "c", "d"])), many = await read(page([], ["a", "b", "c", "d", "e"]));
    assert.deepEqual([few.many, few.seen(2)], [false, [0, 1, 2, 3]]);
    assert.deepEqual([many.many, many.seen(0), many.seen(3)], [true, [0], [0, 3]]);
});

test("runs of other bodies are seen when they are chosen", async () => {
    const report = await read(page([], ["a", "b", "c"]));
    const names = [["crank", "rod", "slider"], ["rod", "crank"], ["crank", "coupler", "rocker"]];
    const runs = report.runs.map((run, i) => new Run({ ...run.def, scene: { ...run.scene, bodies: names[i].map(named) } },
        run.motion, run.curves, [], run.blocks));
    const mixed = new Report(report.def, runs);
    assert.deepEqual([mixed.seen(0), mixed.seen(1), mixed.seen(2)], [[0, 1], [0, 1], [0, 1, 2]]);
});

test("rows of a comparison find their runs", () => {
    const runs = ["reference", "natural, partition, rk4"].map((label) => ({ label }));
    const rows = [["natural", "partition", "rk4", "agreed"], ["relative", "partition", "rk4", "refused"]];
    const def = (said?: number[]): HeaderDef => ({ runs, comparison: { columns: [], rows, runs: said } } as unknown as HeaderDef);
    assert.deepEqual(runsOfRows(def()), [1, -1]);
    assert.deepEqual(runsOfRows(def([0, 1])), [0, 1]);
    assert.deepEqual(runsOfRows(def([-1, 7])), [-1, -1]);
});
