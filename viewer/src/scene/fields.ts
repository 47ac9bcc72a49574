// Meshes of the plane: deformed triangles filled by a color map, borders of elements, bars and cables as lines.
import { fieldName, text } from "../base/text.ts";
import type { Vec } from "../base/vec.ts";
import type { Field, Mesh, Surface } from "../data/mesh.ts";
import type { FieldDef } from "../data/header.ts";
import { bracket, type Run } from "../data/model.ts";
import type { Palette } from "../look/colors.ts";
import { colorMap, mapChannels } from "../look/map.ts";
import type { Pen } from "../pen/pen.ts";
import { spread } from "./facts.ts";
import type { Layout, Poses } from "./layout.ts";
import { fillTriangles, levelColors } from "./raster.ts";
import { shownRange, valueOf, type Range } from "./noise.ts";
import type { LegendItem, MeshLook } from "./view.ts";
import { rangeText } from "./words.ts";

const LINE_LEVELS = 24;
const BORDER = "#101820"; // of elements: on the colors of the map, in both themes

interface Values extends Range { field: Field; component: number; at: Float32Array }

/** One mesh with what was read of it. */
class PlaneMesh {
    surface: Surface | null = null;
    private moves: { field: Field; at: Float32Array } | null = null;
    values: Values | null = null;
    xy = new Float32Array(0); // world, then screen
    level = new Float32Array(0);
    private edge: Uint32Array | null = null;
    private center: Vec;
    private probes: MeshProbe[] = [];
    private requested = 0; // reads take time: the last request counts

    constructor(readonly run: Run, readonly mesh: Mesh) {
        this.center = run.scene.bodies[mesh.def.body]?.center ?? [0, 0, 0];
    }

    async read(look: MeshLook): Promise<void> {
        const { fields, vertices } = this.mesh.def, requested = ++this.requested;
        this.surface ??= await this.mesh.read();
        this.probes = probesOn(this.run, this.mesh, this.surface.vertices);
        this.xy = new Float32Array(2 * vertices.count);
        this.level = new Float32Array(vertices.count);
        if (!this.moves && fields.some((field) => field.name === "displacement")) {
            const field = await this.mesh.field("displacement");
            this.moves = { field, at: new Float32Array(vertices.count * field.def.components) };
        }
        const wanted = fields.find((field) => field.name === look.field) ?? fields.find((field) => field.name === "von_mises") ?? fields[0];
        if (!wanted)
            return;
        const component = look.component < wanted.components ? look.component : -1;
        if (this.values?.field.def.name === wanted.name && this.values.component === component)
            return;
        const field = await this.mesh.field(wanted.name), given = await shownRange(this.run, field, this.surface.vertices, component);
        if (requested !== this.requested) // another one was requested meanwhile
            return;
        this.values = { field, component, ...given, at: new Float32Array(vertices.count * wanted.components) };
    }

    /** World positions of all vertices at t, and of the probes on them. */
    place(poses: Poses, t: number, factor: number): void {
        this.deform(poses, t, factor);
        for (const { at, vertex } of this.probes) { // a probe goes with the vertex it is nearest to
            const v = this.mesh.def.body, shift = poses.shift.get(at) ?? [0, 0], p = this.reference(vertex);
            poses.shift.delete(at); // the rigid motion first
            shift[0] = this.xy[2 * vertex] - poses.x(v, p);
            shift[1] = this.xy[2 * vertex + 1] - poses.y(v, p);
            poses.shift.set(at, shift);
        }
    }

    /** Where the mesh ends; bars and cables are all ends. */
    get outline(): Uint32Array {
        const { triangles, edges } = this.surface!;
        this.edge ??= triangles.length ? outlineOf(triangles) : edges;
        return this.edge;
    }

    private reference(vertex: number): Vec {
        const { vertices } = this.surface!;
        return [vertices[3 * vertex], vertices[3 * vertex + 1], vertices[3 * vertex + 2]];
    }

    /** The deformation relative to the rigid motion is enlarged, not the rigid motion. */
    private deform(poses: Poses, t: number, factor: number): void {
        const { surface, moves, xy, center } = this, body = this.mesh.def.body;
        if (!surface)
            return;
        const { vertices, time } = surface, { k, share } = bracket(time, t), d = poses.data, n = vertices.length / 3;
        moves?.field.between(k, share, moves.at);
        const step = moves?.field.def.components ?? 0, rigid = body >= 0 && body < poses.run.scene.bodies.length;
        const c = rigid ? d[4 * body + 2] : 1, s = rigid ? d[4 * body + 3] : 0;
        for (let v = 0; v < n; v++) {
            const x = vertices[3 * v], y = vertices[3 * v + 1], dx = x - center[0], dy = y - center[1];
            const rx = rigid ? d[4 * body] + c * dx - s * dy : x, ry = rigid ? d[4 * body + 1] + s * dx + c * dy : y;
            xy[2 * v] = moves ? rx + factor * (x + moves.at[v * step] - rx) : rx;
            xy[2 * v + 1] = moves && step > 1 ? ry + factor * (y + moves.at[v * step + 1] - ry) : ry;
        }
        this.color(k, share);
    }

    private color(k: number, share: number): void {
        const { values, level } = this;
        if (!values)
            return;
        const { field, component, low, high, at } = values, n = field.def.components, scale = high > low ? 255 / (high - low) : 0;
        field.between(k, share, at);
        for (let v = 0; v < level.length; v++)
            level[v] = (valueOf(at, v * n, n, component) - low) * scale;
    }

    /** From the world to the screen, in units of 1/ratio pixels. */
    project(layout: Layout, ratio: number): void {
        const { xy } = this, s = layout.camera.scale * ratio, ox = layout.ox * ratio, oy = layout.oy * ratio;
        for (let i = 0; i < xy.length; i += 2) {
            xy[i] = ox + s * xy[i];
            xy[i + 1] = oy - s * xy[i + 1];
        }
    }
}

/** A probe on a mesh goes with the vertex it is nearest to. */
export interface MeshProbe { at: Vec; vertex: number }

export function probesOn(run: Run, mesh: Mesh, vertices: Float32Array): MeshProbe[] {
    return run.scene.probes.filter((probe) => probe.mesh === mesh.def.name).map(({ at }) => {
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

/** Edges of one triangle alone, as pairs of vertices: the outline of a surface. */
export function outlineOf(triangles: Uint32Array): Uint32Array {
    const once = new Map<string, [number, number]>();
    for (let i = 0; i < triangles.length; i += 3)
        for (let c = 0; c < 3; c++) {
            const a = triangles[i + c], b = triangles[i + (c + 1) % 3], key = a < b ? `${a} ${b}` : `${b} ${a}`;
            once.has(key) ? once.delete(key) : once.set(key, [a, b]);
        }
    return Uint32Array.from([...once.values()].flat());
}

export class PlaneMeshes {
    readonly list: PlaneMesh[];
    private look: MeshLook = { factor: 1, field: "", component: -1, edges: true };
    private colors = levelColors(mapChannels);
    private sheet: HTMLCanvasElement | null = null;
    private image: ImageData | null = null;
    private requested = false;

    constructor(readonly run: Run, private ready: () => void) {
        this.list = run.meshes.filter((mesh) => mesh.def.vertices.count > 0).map((mesh) => new PlaneMesh(run, mesh));
    }

    set(look: MeshLook): void {
        this.look = { ...look };
        this.requested = false;
    }

    private read(): void {
        if (this.requested)
            return;
        this.requested = true;
        void Promise.all(this.list.map((mesh) => mesh.read(this.look).catch(() => undefined))).then(() => this.ready());
    }

    /** Does a body have a mesh that shows it? */
    shows(body: number): boolean {
        const name = this.run.scene.bodies[body].mesh;
        return name !== undefined && this.list.some(({ mesh, surface }) => mesh.def.name === name && surface !== null);
    }

    /** The world positions over the run, for fitting; calls back with x and y. */
    reach(poses: Poses, add: (x: number, y: number) => void): void {
        for (const mesh of this.list) {
            if (!mesh.surface)
                continue;
            for (const frame of spread(mesh.surface.time.length, 20)) {
                poses.set(mesh.surface.time[frame]);
                mesh.place(poses, mesh.surface.time[frame], this.look.factor);
                for (let i = 0; i < mesh.xy.length; i += 2)
                    add(mesh.xy[i], mesh.xy[i + 1]);
            }
        }
    }

    /** On the screen: into the canvas itself, at its own resolution. */
    drawImage(context: CanvasRenderingContext2D, pen: Pen, layout: Layout, poses: Poses, t: number, ratio: number, look: Palette): void {
        if (!this.list.length)
            return;
        this.read();
        const width = context.canvas.width, height = context.canvas.height;
        if (!this.sheet || !this.image || this.sheet.width !== width || this.sheet.height !== height) {
            this.sheet = document.createElement("canvas");
            this.sheet.width = width;
            this.sheet.height = height;
            this.image = new ImageData(width, height);
        }
        const pixels = new Uint32Array(this.image.data.buffer), ink = this.sheet.getContext("2d");
        pixels.fill(0);
        for (const mesh of this.list) {
            if (!mesh.surface)
                continue;
            mesh.place(poses, t, this.look.factor);
            mesh.project(layout, ratio);
            if (mesh.values)
                fillTriangles(pixels, width, height, mesh.xy, mesh.level, mesh.surface.triangles, this.colors);
        }
        ink?.putImageData(this.image, 0, 0);
        context.globalAlpha = 1;
        context.drawImage(this.sheet, 0, 0, layout.width, layout.height);
        for (const mesh of this.list)
            this.drawEdges(pen, mesh, 1 / ratio, layout, look);
    }

    /** For papers: triangles as paths, those of one level together. */
    drawPaths(pen: Pen, layout: Layout, poses: Poses, t: number, look: Palette): void {
        for (const mesh of this.list) {
            if (!mesh.surface)
                continue;
            mesh.place(poses, t, this.look.factor);
            mesh.project(layout, 1);
            const { triangles } = mesh.surface, { xy, level } = mesh, levels = 64;
            const shelves: number[][] = Array.from({ length: levels }, () => []);
            for (let n = 0; n < triangles.length && mesh.values; n += 3) {
                const mean = (level[triangles[n]] + level[triangles[n + 1]] + level[triangles[n + 2]]) / 3;
                shelves[Math.min(levels - 1, Math.max(0, Math.floor(mean / 256 * levels) || 0))].push(n);
            }
            shelves.forEach((shelf, i) => {
                if (!shelf.length)
                    return;
                pen.path();
                for (const n of shelf) {
                    for (let c = 0; c < 3; c++) {
                        const v = 2 * triangles[n + c];
                        c ? pen.lineTo(xy[v], xy[v + 1]) : pen.moveTo(xy[v], xy[v + 1]);
                    }
                    pen.close();
                }
                const color = colorMap(i / (levels - 1));
                pen.fill({ color }).stroke({ color, width: 0.4 }); // the stroke closes the seams
            });
            this.drawEdges(pen, mesh, 1, layout, look);
        }
    }

    /** Borders of elements; where there are no triangles (bars, cables) the lines themselves carry the colors. */
    private drawEdges(pen: Pen, mesh: PlaneMesh, unit: number, layout: Layout, look: Palette): void {
        if (!mesh.surface)
            return;
        const { edges, triangles } = mesh.surface, { xy } = mesh, lines = triangles.length === 0;
        if (lines && mesh.values) {
            this.drawLines(pen, mesh, unit, layout);
            return;
        }
        if (!this.look.edges && !lines)
            return;
        const mean = meanLength(edges, xy) * unit, crowded = mean < 5;
        if (mean < 2.2 && !lines) // borders would be all there is to see
            return;
        segments(pen, edges, xy, unit);
        if (lines)
            pen.stroke({ color: look.ink, width: 2.2 * layout.k });
        else
            pen.stroke({ color: BORDER, width: crowded ? 0.4 : 0.7, alpha: crowded ? 0.3 : 0.45 });
    }

    /** Of a run beside the first: pale triangles with their borders, to lie under its picture, or the outline, to lie over it. */
    drawPlain(pen: Pen, layout: Layout, poses: Poses, t: number, color: string, over: boolean): void {
        if (this.list.length)
            this.read();
        for (const mesh of this.list) {
            if (!mesh.surface)
                continue;
            mesh.place(poses, t, this.look.factor);
            mesh.project(layout, 1);
            const { triangles, edges } = mesh.surface, { xy, outline } = mesh, lines = triangles.length === 0;
            if (over) {
                segments(pen, outline, xy, 1).stroke({ color, width: 2 * layout.k, cap: "round" });
                continue;
            }
            pen.path();
            for (let n = 0; n < triangles.length; n++) {
                const x = xy[2 * triangles[n]], y = xy[2 * triangles[n] + 1];
                n % 3 ? pen.lineTo(x, y) : pen.moveTo(x, y);
            }
            if (!lines)
                pen.fill({ color, alpha: 0.14 });
            if (!lines && meanLength(edges, xy) > 5)
                segments(pen, edges, xy, 1).stroke({ color, width: 0.7, alpha: 0.6 });
        }
    }

    private drawLines(pen: Pen, mesh: PlaneMesh, unit: number, layout: Layout): void {
        const { edges } = mesh.surface!, { xy, level } = mesh;
        for (let shelf = 0; shelf < LINE_LEVELS; shelf++) {
            let any = false;
            for (let i = 0; i < edges.length; i += 2) {
                const mean = (level[edges[i]] + level[edges[i + 1]]) / 2;
                if (Math.min(LINE_LEVELS - 1, Math.max(0, Math.floor(mean / 256 * LINE_LEVELS) || 0)) !== shelf)
                    continue;
                if (!any)
                    pen.path();
                any = true;
                const a = 2 * edges[i], b = 2 * edges[i + 1];
                pen.moveTo(xy[a] * unit, xy[a + 1] * unit).lineTo(xy[b] * unit, xy[b + 1] * unit);
            }
            if (any)
                pen.stroke({ color: colorMap(shelf / (LINE_LEVELS - 1)), width: 2.8 * layout.k, cap: "round" });
        }
    }

    /** The nearest vertex within `reach` pixels: mesh and vertex. Places are those of the last picture. */
    pick(x: number, y: number, ratio: number, reach: number): { mesh: number; vertex: number } | null {
        let best = reach * ratio, found: { mesh: number; vertex: number } | null = null;
        this.list.forEach(({ xy, mesh, surface }) => {
            for (let v = 0; surface && v < xy.length / 2; v++) {
                const d = Math.hypot(xy[2 * v] - x * ratio, xy[2 * v + 1] - y * ratio);
                if (d < best) {
                    best = d;
                    found = { mesh: this.run.meshes.indexOf(mesh), vertex: v };
                }
            }
        });
        return found;
    }

    /** Where a vertex is in the last picture. */
    spot(mesh: number, vertex: number, ratio: number): [number, number] | null {
        const found = this.list.find((item) => item.mesh === this.run.meshes[mesh]);
        return found?.surface && vertex * 2 + 1 < found.xy.length ? [found.xy[2 * vertex] / ratio, found.xy[2 * vertex + 1] / ratio] : null;
    }

    legend(): LegendItem[] {
        const values = this.list.find((mesh) => mesh.values)?.values;
        return values ? [mapLegend(values.field.def, values.component, values)] : [];
    }
}

/** The colors of a field's component with the ends of its range; of an even one the one value. */
export function mapLegend(def: FieldDef, component: number, { low, high, rounding }: Range): LegendItem {
    const ends = rangeText(low, high, def.unit), even = high <= low, name = componentName(def.name, def.components, component);
    return {
        kind: "colors", color: "", text: rounding ? text.roundingOnly(name) : name,
        colors: Array.from({ length: 16 }, (_, i) => colorMap(even ? 0 : i / 15)),
        low: even ? "" : ends[0], high: rounding ? "0" : ends[1],
    };
}

/** displacement y, stress xy. */
export function componentName(field: string, components: number, component: number): string {
    const plain = fieldName(field), letters = components <= 3 ? ["x", "y", "z"] : ["xx", "yy", "zz", "xy", "yz", "xz"];
    return component < 0 || components === 1 ? plain : `${plain} ${letters[component] ?? component + 1}`;
}

function segments(pen: Pen, ends: Uint32Array, xy: Float32Array, unit: number): Pen {
    pen.path();
    for (let i = 0; i < ends.length; i += 2) {
        const a = 2 * ends[i], b = 2 * ends[i + 1];
        pen.moveTo(xy[a] * unit, xy[a + 1] * unit).lineTo(xy[b] * unit, xy[b + 1] * unit);
    }
    return pen;
}

function meanLength(edges: Uint32Array, xy: Float32Array): number {
    let sum = 0, count = 0;
    for (let i = 0; i < edges.length; i += 2 * Math.max(1, Math.floor(edges.length / 400)), count++) {
        const a = 2 * edges[i], b = 2 * edges[i + 1];
        sum += Math.hypot(xy[a] - xy[b], xy[a + 1] - xy[b + 1]);
    }
    return count ? sum / count : 0;
}
