import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHash, plotsFrom } from "../../src/controls/state.ts";
import { AllQuantities } from "../../src/curves/quantities.ts";
import { Blocks } from "../../src/data/decode.ts";
import type { RunDef } from "../../src/data/header.ts";
import { Field, Mesh, type Surface } from "../../src/data/mesh.ts";
import { Curves, Motion, Report, Run } from "../../src/data/model.ts";
import { fitting, knownPlots } from "../../src/page/valid.ts";

const blocks = new Blocks(() => null), time = Float64Array.of(0, 1, 2);

/** Two vertices, which are the nodes 4 and 9 of the file, with a pressure p = vertex + frame. */
class Plate extends Mesh {
    override read(): Promise<Surface> {
        const empty = new Uint32Array(0);
        return Promise.resolve({ vertices: new Float32Array(6), triangles: empty, edges: empty, nodes: Uint32Array.of(4, 9), time });
    }
    override field(): Promise<Field> {
        return Promise.resolve(new Field(this.def.fields[0], 2, 3, Int32Array.of(0, 1, 2, 1, 2, 3)));
    }
}

function report(): Report {
    const field = { name: "p", unit: "Pa", components: 1, block: "", bits: 20, order: 2, low: [0], step: [1] };
    const mesh = { name: "plate", body: -1, dimension: 2, vertices: { block: "", count: 2 }, frames: 3, fields: [field] };
    const scene = { dimension: 2, size: 1, bodies: [{ name: "a" }], joints: [], springs: [], forces: [], probes: [], drivers: [] };
    const def = { label: "", scene, info: { study: "motion" }, events: [], frames: {}, curves: [], meshes: [mesh] } as unknown as RunDef;
    return new Report({ format: 1, version: "", title: "", runs: [] }, [new Run(def, new Motion(time, 1, new Int32Array(21), [0, 0, 0], 1),
        new Curves([], blocks), [new Plate(mesh as never, blocks)], blocks)]);
}

const fit = (hash: string): object => fitting(fromHash(hash), report(), [0, 2], ["motion", "curves"]);

test("what the report does not have is dropped from an address", () => {
    assert.deepEqual(fit("#t=9&run=3&follow=7&tab=comparison&pick=body.5.0&mesh=1,q,-1,1&hide=0,8"), { time: 2, hidden: new Set([0]) });
    assert.deepEqual(fit("#pick=node.2.0.0"), {});
    assert.deepEqual(fit("#pick=node.1.0.0&tab=curves&mesh=2,p,-1,1"), {
        tab: "curves", picked: { what: "node", index: 1, run: 0, mesh: 0 }, mesh: { factor: 2, field: "p", component: -1, edges: true } });
    assert.deepEqual(fit("#mesh=1,p,4,1"), {});
});

test("curves of a node come back from an address", async () => {
    const all = new AllQuantities(report()), asked = plotsFrom("plate.node9.p:a.x;nonsense;a.x,plate.node7.p");
    const plots = await knownPlots(asked, all);
    assert.deepEqual(plots?.map((plot) => [plot.items.map((item) => item.name), plot.x]), [[["plate.node9.p"], "a.x"], [["a.x"], ""]]);
    assert.deepEqual([...(await all.runs[0].curve("plate.node9.p")).values], [1, 2, 3]);
    assert.equal(await knownPlots(plotsFrom("nonsense"), all), null);
    assert.deepEqual(await knownPlots([], all), []);
});
