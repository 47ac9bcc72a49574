// Where the vertices of a mesh are. Its deformation is relative to a rigid motion: of the frames of an elastic body, of its body, or none.
// Only the deformation is interpolated between the frames of the page, and enlarged.
import type { Vec } from "../base/vec.ts";
import { elasticNamed } from "../data/elastic.ts";
import type { MeshDef } from "../data/header.ts";
import type { Field, Surface } from "../data/mesh.ts";
import { bracket, newPose, type Run } from "../data/model.ts";
import { carriers, carry, posed, type Carried } from "./beams.ts";

/** Columns of the matrix of a rigid motion, with its stretch. */
interface Place { from: Vec; origin: Vec; x: Vec; y: Vec; z: Vec; stretch: number }

const REST: Carried = { from: [0, 0, 0], origin: [0, 0, 0], stretch: 1, turn: (d) => d };

export class Deformed {
    /** x y z of every vertex, after place(). */
    readonly at: Float32Array;
    /** The mesh is that of an elastic body of a mechanism. */
    readonly elastic: boolean;
    private bodies: [number, number] | null;
    private poses = [newPose(), newPose()];
    private known = new Map<number, Float32Array>(); // deformations at the two frames used last
    private moved: Float32Array;
    private now: Place;

    constructor(readonly run: Run, mesh: MeshDef, private surface: Surface, private displacement: Field | null) {
        const { scene, motion } = run, body = elasticNamed(scene, mesh.name), there = mesh.body >= 0 && mesh.body < scene.bodies.length;
        this.elastic = body !== undefined;
        this.bodies = !motion.count ? null : body ? carriers(scene, body) : there ? [mesh.body, mesh.body] : null;
        this.at = new Float32Array(surface.vertices);
        this.moved = new Float32Array((surface.vertices.length / 3) * (displacement?.def.components ?? 0));
        this.now = this.carried(surface.time[0] ?? 0);
    }

    private carried(t: number): Place {
        const { bodies, poses, run } = this;
        let now = REST;
        if (bodies) {
            bodies.forEach((body, i) => run.motion.at(t, body, poses[i]));
            now = carry(run.scene, bodies, posed((body) => poses[body === bodies[0] ? 0 : 1]));
        }
        const { from, origin, stretch, turn } = now, column = (d: Vec): Vec => turn(d).map((x) => stretch * x) as Vec;
        return { from, origin, stretch, x: column([1, 0, 0]), y: column([0, 1, 0]), z: column([0, 0, 1]) };
    }

    /** From the undeformed mesh, in the axes of the model configuration, at frame k. */
    private deformation(k: number): Float32Array {
        const { surface: { vertices, time }, displacement, moved, known } = this, kept = known.get(k);
        if (kept || !displacement)
            return kept ?? new Float32Array(vertices.length);
        const { from, origin, x, y, z, stretch } = this.carried(time[k]), out = new Float32Array(vertices.length);
        const n = displacement.def.components, d: Vec = [0, 0, 0], square = stretch * stretch;
        displacement.between(k, 0, moved);
        for (let v = 0, i = 0; i < vertices.length; v += n, i += 3) {
            for (let c = 0; c < 3; c++)
                d[c] = vertices[i + c] + (c < n ? moved[v + c] : 0) - origin[c];
            [x, y, z].forEach((e, c) => {
                out[i + c] = (e[0] * d[0] + e[1] * d[1] + e[2] * d[2]) / square - (vertices[i + c] - from[c]);
            });
        }
        if (known.size > 1)
            known.delete(known.keys().next().value as number);
        known.set(k, out);
        return out;
    }

    /** The deformation times `factor`, on top of the rigid motion. */
    place(t: number, factor: number): Float32Array {
        const { surface: { vertices, time }, at } = this, { k, share } = bracket(time, t);
        const { from, origin, x, y, z } = this.now = this.carried(t), a = this.deformation(k);
        const b = share > 0 && k + 1 < time.length ? this.deformation(k + 1) : a;
        for (let i = 0; i < vertices.length; i += 3) {
            const p = vertices[i] - from[0] + factor * (a[i] + share * (b[i] - a[i]));
            const q = vertices[i + 1] - from[1] + factor * (a[i + 1] + share * (b[i + 1] - a[i + 1]));
            const r = vertices[i + 2] - from[2] + factor * (a[i + 2] + share * (b[i + 2] - a[i + 2]));
            for (let c = 0; c < 3; c++)
                at[i + c] = origin[c] + x[c] * p + y[c] * q + z[c] * r;
        }
        return at;
    }

    /** Where a point is then that goes with a vertex. */
    point({ at: p, vertex }: Attached): Vec {
        const { at, now: { x, y, z }, surface: { vertices } } = this, v = 3 * vertex;
        const d = [p[0] - vertices[v], p[1] - vertices[v + 1], p[2] - vertices[v + 2]];
        return [0, 1, 2].map((c) => at[v + c] + x[c] * d[0] + y[c] * d[1] + z[c] * d[2]) as Vec;
    }
}

/** A point that is attached to a mesh goes with the vertex it is nearest to. */
export interface Attached { at: Vec; vertex: number }

/** Probes of a mesh, and whatever is held at its nodes. */
export function attachedTo(run: Run, mesh: MeshDef, vertices: Float32Array): Attached[] {
    const { probes, joints, springs, forces } = run.scene, on = (body: number): boolean => mesh.body >= 0 && body === mesh.body;
    const points = new Set<Vec>();
    const add = (held: boolean, at: Vec | undefined): unknown => held && at && points.add(at);
    probes.forEach(({ body, at, mesh: name }) => add(name === mesh.name || on(body), at));
    joints.forEach(({ a, b, at, at_b }) => (add(on(a), at), add(on(b), at_b ?? at)));
    springs.forEach(({ a, b, at, to }) => (add(on(a), at), add(on(b), to)));
    forces.forEach(({ body, at }) => add(on(body), at));
    return [...points].map((at) => {
        let vertex = 0, best = Infinity;
        for (let v = 0; v < vertices.length / 3; v++) {
            const d = Math.hypot(vertices[3 * v] - at[0], vertices[3 * v + 1] - at[1], vertices[3 * v + 2] - at[2]);
            if (d < best) {
                best = d;
                vertex = v;
            }
        }
        return { at, vertex };
    });
}
