// Beams in space: skins about their curves, with the section that is given. Their vertices are in the world (row 0 of the table), so
// that outlines, shadows and colors are those of all other parts.
import * as three from "three";
import { add, cross, dot, scale, sub, type Vec } from "../base/vec.ts";
import { elasticOf } from "../data/elastic.ts";
import type { ElasticDef } from "../data/header.ts";
import type { Run } from "../data/model.ts";
import { newLine, partsOf, trace, type Frames, type Line } from "./beams.ts";
import type { Ray } from "./hits.ts";
import { makeGhost, makeSolid, mark, release, type Batch, type Shared, type Table } from "./kit.ts";
import type { Owner } from "./parts.ts";

/** A vertex of the outline of a section: place, normal, and the normal that moves both faces of an edge by 1; each along d2 and d3. */
type Corner = [number, number, number, number, number, number];

const SIDES = 20;

/** Counterclockwise seen against the beam; edges have their corners twice. */
function outline(beam: ElasticDef, r: number): Corner[] {
    const thick = (given: number | undefined): number => Math.max((given ?? 0) / 2, 0.3 * r);
    if (beam.height === undefined) {
        const radius = beam.diameter === undefined ? 0.75 * r : thick(beam.diameter);
        return Array.from({ length: SIDES + 1 }, (_, i): Corner => {
            const c = Math.cos(2 * Math.PI * i / SIDES), s = Math.sin(2 * Math.PI * i / SIDES);
            return [radius * c, radius * s, c, s, c, s];
        });
    }
    const h = thick(beam.height), w = thick(beam.width ?? beam.height);
    const faces: [number, number][] = [[1, 0], [0, 1], [-1, 0], [0, -1]];
    return faces.flatMap(([x, y]): Corner[] => [-1, 1].map((side) => {
        const u = x - side * y, v = y + side * x;
        return [u * h, v * w, x, y, u, v];
    }));
}

/** One piece between corners: rings along its curve, and a cover at each end. */
class Skin {
    readonly line: Line;
    private rings: number; // vertices of all rings; those of the covers follow

    constructor(private index: number, beam: ElasticDef, private parts: number, private corners: Corner[], private first: number) {
        this.line = newLine(beam.pieces![index], parts);
        this.rings = this.line.count * corners.length;
    }

    get vertices(): number {
        return this.rings + 2 * this.corners.length;
    }

    /** The frame of each vertex, for colors. */
    frames(): number[] {
        const { frame, count } = this.line, n = this.corners.length;
        return [...Array.from(frame).flatMap((body) => Array<number>(n).fill(body)), ...Array<number>(n).fill(frame[0]),
            ...Array<number>(n).fill(frame[count - 1])];
    }

    triangles(out: number[]): void {
        const { first, rings, corners, line: { count } } = this, n = corners.length;
        for (let i = 0; i + 1 < count; i++)
            for (let j = 0; j + 1 < n; j++) {
                const a = first + i * n + j, b = a + 1, c = a + n, d = c + 1;
                if (corners[j][0] !== corners[j + 1][0] || corners[j][1] !== corners[j + 1][1])
                    out.push(a, b, c, b, d, c);
            }
        for (let j = 1; j + 1 < n; j++) {
            const a = first + rings, b = a + n;
            out.push(a, a + j + 1, a + j, b, b + j, b + j + 1);
        }
    }

    /** `more`: by how much the ends are lengthened, where they meet at a corner. */
    place(beam: ElasticDef, frames: Frames, more: [number, number], [position, normal, edge]: Float32Array[]): void {
        const { corners, line, first, rings } = this, n = corners.length;
        trace(beam.pieces![this.index], this.parts, frames, line);
        const ring = (i: number, start: number, cover: number): void => {
            const get = (from: Float64Array): Vec => [from[3 * i], from[3 * i + 1], from[3 * i + 2]];
            const e = get(line.along), up = get(line.up), side = cross(e, up);
            const end = i === 0 ? -1 : i === line.count - 1 ? 1 : 0, at = add(get(line.at), scale(e, end * more[end > 0 ? 1 : 0]));
            corners.forEach(([u, v, nu, nv, eu, ev], j) => {
                const o = 3 * (start + j);
                for (let c = 0; c < 3; c++) {
                    position[o + c] = at[c] + u * up[c] + v * side[c];
                    normal[o + c] = cover ? cover * e[c] : nu * up[c] + nv * side[c];
                    edge[o + c] = end * e[c] + eu * up[c] + ev * side[c];
                }
            });
        };
        for (let i = 0; i < line.count; i++)
            ring(i, first + i * n, 0);
        ring(0, first + rings, -1);
        ring(line.count - 1, first + rings + n, 1);
    }
}

class BeamSkin {
    readonly batch: Batch;
    readonly skins: Skin[] = [];
    readonly radius: number;
    private arrays: Float32Array[];
    group: three.Group | null = null;

    constructor(readonly beam: ElasticDef, r: number, table: Table) {
        const corners = outline(beam, r), parts = partsOf(beam), index: number[] = [];
        let count = 0;
        this.radius = Math.max(...corners.map(([u, v]) => Math.hypot(u, v)));
        beam.pieces!.forEach((_, i) => {
            const skin = new Skin(i, beam, parts, corners, count);
            skin.triangles(index);
            count += skin.vertices;
            this.skins.push(skin);
        });
        this.arrays = [0, 1, 2].map(() => new Float32Array(3 * count));
        const [position, normal, edge] = this.arrays.map((array) => {
            const attribute = new three.BufferAttribute(array, 3);
            attribute.setUsage(three.DynamicDrawUsage);
            return attribute;
        });
        const colors = this.skins.flatMap((skin) => skin.frames()).flatMap((body) => [table.row(body + 1), 1, 0]);
        const look = new three.Float32BufferAttribute(colors, 3), at = new three.BufferAttribute(new Float32Array(4 * count), 4);
        const [geometry, edges] = [normal, edge].map((normals) => {
            const made = new three.BufferGeometry();
            made.setIndex(index);
            for (const [name, attribute] of Object.entries({ position, normal: normals, at, look }))
                made.setAttribute(name, attribute);
            return made;
        });
        const owner: Owner = { what: "body", index: beam.first };
        this.batch = { form: "skin", geometry, edges, look, owners: Array<Owner>(count).fill(owner), clear: false };
    }

    place(frames: Frames): void {
        const last = this.skins.length - 1;
        this.skins.forEach((skin, i) => skin.place(this.beam, frames, [i ? 0.7 * this.radius : 0, i < last ? 0.7 * this.radius : 0],
            this.arrays));
        for (const geometry of [this.batch.geometry, this.batch.edges!])
            for (const name of ["position", "normal"])
                (geometry.getAttribute(name) as three.BufferAttribute).needsUpdate = true;
    }

    /** Where a ray passes the curve within its thickness: the frame and the distance. */
    hit({ from, direction }: Ray, more: number): { distance: number; body: number } | null {
        let found: { distance: number; body: number } | null = null;
        for (const { line: { count, at, frame } } of this.skins)
            for (let i = 1; i < count; i++) {
                const p: Vec = [at[3 * i - 3], at[3 * i - 2], at[3 * i - 1]], d = sub([at[3 * i], at[3 * i + 1], at[3 * i + 2]], p);
                const w = sub(p, from), across = (v: Vec): Vec => sub(v, scale(direction, dot(v, direction)));
                const dn = across(d), s = Math.min(1, Math.max(0, -dot(dn, across(w)) / (dot(dn, dn) || 1))), q = add(w, scale(d, s));
                const off = Math.hypot(...across(q)), distance = dot(q, direction);
                if (off < this.radius + more && distance > 0 && distance < (found?.distance ?? Infinity))
                    found = { distance, body: frame[s > 0.5 ? i : i - 1] };
            }
        return found;
    }

    destroy(): void {
        if (this.group)
            release(this.group);
        this.batch.geometry.dispose();
        this.batch.edges!.dispose();
    }
}

/** All beams of a run in one state: the motion, or a ghost. */
export class Beams {
    readonly group = new three.Group();
    private list: BeamSkin[];

    /** opacity: below 1 translucent, without outlines. */
    constructor(readonly run: Run, r: number, table: Table, shared: Shared, opacity = 1, order = 0) {
        this.list = (run.scene.elastic ?? []).filter((beam) => beam.pieces?.length).map((beam) => new BeamSkin(beam, r, table));
        for (const skin of this.list) {
            skin.group = opacity < 1 ? makeGhost([skin.batch], table, shared, opacity, order) : makeSolid([skin.batch], table, shared);
            this.group.add(skin.group);
        }
    }

    place(frames: Frames): void {
        for (const skin of this.list)
            skin.place(frames);
    }

    hide(bodies: ReadonlySet<number>): void {
        for (const { beam, group } of this.list)
            group!.visible = !bodies.has(beam.first);
    }

    select(owner: Owner | null): void {
        const beam = owner?.what === "body" ? elasticOf(this.run.scene, owner.index) : undefined;
        mark(this.list.map(({ batch }) => batch), beam ? { what: "body", index: beam.first } : null);
    }

    hit(ray: Ray, more: number, hidden: ReadonlySet<number>): { distance: number; body: number } | null {
        const hits = this.list.filter(({ beam }) => !hidden.has(beam.first)).flatMap((skin) => skin.hit(ray, more) ?? []);
        return hits.sort((a, b) => a.distance - b.distance)[0] ?? null;
    }

    destroy(): void {
        for (const skin of this.list)
            skin.destroy();
        this.group.removeFromParent();
    }
}
