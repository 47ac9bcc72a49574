// Fields at one node of a mesh as curves: vectors by their magnitude, tensors by what the file has of them as one number.
import { fieldName } from "../base/text.ts";
import type { Run } from "../data/model.ts";
import type { AllQuantities, Quantities } from "./quantities.ts";

const SINGLE = [1, 2, 3]; // components; tensors have four or six

/** Name of a node in cards and curves: by its number in the result file. */
export const nodeName = (mesh: string, number: number): string => `${mesh}.node${number}`;

/** Adds the curves of a vertex; gives their names. */
export async function nodeCurves(quantities: Quantities, run: Run, mesh: number, vertex: number): Promise<string[]> {
    const found = run.meshes[mesh], names: string[] = [];
    if (!found)
        return names;
    const surface = await found.read(), times = surface.time.length === run.motion.count ? run.motion.time : surface.time;
    for (const def of found.def.fields.filter((field) => SINGLE.includes(field.components))) {
        const name = `${nodeName(found.def.name, surface.nodes?.[vertex] ?? vertex)}.${def.name}`;
        names.push(name);
        if (quantities.find(name))
            continue;
        const field = await found.field(def.name), values = new Float64Array(field.frames);
        for (let k = 0; k < field.frames; k++) {
            const parts = Array.from({ length: def.components }, (_, c) => field.value(vertex, c, k));
            values[k] = def.components === 1 ? parts[0] : Math.hypot(...parts);
        }
        const quantity = fieldName(def.name);
        quantities.include({ name, quantity, unit: def.unit, part: found.def.name, of: "run" }, times, values);
    }
    return names;
}

const NODE = /^(.*)\.node(\d+)\.[^.]+$/;

/** Makes the curves of nodes that an address names and the page does not have yet. */
export async function includeNodes(all: AllQuantities, names: readonly string[]): Promise<void> {
    for (const name of names) {
        const found = all.find(name) ? null : name.match(NODE);
        if (!found)
            continue;
        for (const [index, run] of all.report.runs.entries()) {
            const mesh = run.meshes.findIndex((one) => one.def.name === found[1]), number = Number(found[2]);
            if (mesh < 0)
                continue;
            const { nodes } = await run.meshes[mesh].read(), vertex = nodes ? nodes.indexOf(number) : number;
            if (vertex >= 0 && vertex < run.meshes[mesh].def.vertices.count)
                await nodeCurves(all.runs[index], run, mesh, vertex);
        }
    }
}
