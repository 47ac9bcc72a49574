// A mesh of the page: vertices on the surface, triangles, borders of elements, and fields at the vertices over time.
import { Blocks, Damaged } from "./decode.ts";
import type { FieldDef, MeshDef } from "./header.ts";

export interface Surface {
    vertices: Float32Array;
    triangles: Uint32Array;
    edges: Uint32Array;
    nodes: Uint32Array | null;
    time: Float64Array;
}

/** Values of a field at all vertices and frames. */
export class Field {
    constructor(readonly def: FieldDef, readonly vertices: number, readonly frames: number, private values: Int32Array) {}

    value(vertex: number, component: number, frame: number): number {
        const at = (vertex * this.def.components + component) * this.frames + frame;
        return this.def.low[component] + this.values[at] * this.def.step[component];
    }

    /** Between frames k and k + 1, of all vertices: out[vertex][component]. */
    between(k: number, share: number, out: Float32Array): Float32Array {
        const { components, low, step } = this.def, v = this.values, n = this.frames, next = share > 0 && k + 1 < n ? 1 : 0;
        for (let vertex = 0, at = k, to = 0; vertex < this.vertices; vertex++)
            for (let c = 0; c < components; c++, at += n, to++)
                out[to] = low[c] + (v[at] + share * (v[at + next] - v[at])) * step[c];
        return out;
    }
}

export class Mesh {
    private surface: Promise<Surface> | null = null;
    private kept = new Map<string, Promise<Field>>();

    constructor(readonly def: MeshDef, private blocks: Blocks) {}

    read(): Promise<Surface> {
        this.surface ??= this.readSurface();
        return this.surface;
    }

    private async readSurface(): Promise<Surface> {
        const { vertices, triangles, edges, nodes, time, frames } = this.def;
        const surface = {
            vertices: await this.blocks.floats(vertices.block),
            triangles: await this.blocks.integers(triangles.block),
            edges: await this.blocks.integers(edges.block),
            nodes: nodes ? await this.blocks.integers(nodes.block) : null,
            time: await this.blocks.times(time), // as poses: numbers of samples where a load path turns back
        };
        const fits = surface.vertices.length === 3 * vertices.count && surface.triangles.length === 3 * triangles.count &&
            surface.edges.length === 2 * edges.count && surface.time.length === frames;
        if (!fits || surface.triangles.some((i) => i >= vertices.count) || surface.edges.some((i) => i >= vertices.count))
            throw new Damaged(`mesh ${this.def.name} does not fit its blocks`);
        return surface;
    }

    field(name: string): Promise<Field> {
        let found = this.kept.get(name);
        if (!found) {
            found = this.readField(name);
            this.kept.set(name, found);
        }
        return found;
    }

    private async readField(name: string): Promise<Field> {
        const def = this.def.fields.find((field) => field.name === name);
        if (!def)
            throw new Damaged(`mesh ${this.def.name} has no field ${name}`);
        const { count } = this.def.vertices;
        const values = await this.blocks.differences(def.block, count * def.components, this.def.frames, def.order);
        return new Field(def, count, this.def.frames, values);
    }
}
