// Meshes of the plane: deformed triangles filled by a color map, borders of elements, bars and cables as lines.
import { fieldName, text } from "../base/text.ts";
import type { Vec } from "../base/vec.ts";
import { bodyOfMesh } from "../data/elastic.ts";
import type { Field, Mesh, Surface } from "../data/mesh.ts";
import type { FieldDef } from "../data/header.ts";
import { bracket, type Run } from "../data/model.ts";
import type { Palette } from "../look/colors.ts";
import { colorMap, mapChannels } from "../look/map.ts";
import type { Pen } from "../pen/pen.ts";
import type { Paint } from "./bodies.ts";
import { attachedTo, Deformed, type Attached } from "./deformed.ts";
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
    deformed: Deformed | null = null;
    values: Values | null = null;
    xy = new Float32Array(0); // on the screen, after project()
    level = new Float32Array(0);
    private edge: Uint32Array | null = null;
    private attached: Attached[] = [];
    private requested = 0; // reads take time: the last request counts

    constructor(readonly run: Run, readonly mesh: Mesh) {}

    async read(look: MeshLook): Promise<void> {
        const { fields, vertices } = this.mesh.def, requested = ++this.requested;
        this.surface ??= await this.mesh.read();
        if (!this.deformed) {
            const moves = fields.some((field) => field.name === "displacement") ? await this.mesh.field("displacement") : null;
            this.deformed = new Deformed(this.run, this.mesh.def, this.surface, moves);
            this.attached = attachedTo(this.run, this.mesh.def, this.surface.vertices);
            this.xy = new Float32Array(2 * vertices.count);
            this.level = new Float32Array(vertices.count);
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

    /** Positions of all vertices and colors at t, and of what is attached to them. `factor` is of meshes alone. */
    place(poses: Poses, t: number, factor: number): void {
        const { surface, deformed, mesh: { def } } = this;
        if (!surface || !deformed)
            return;
        const { k, share } = bracket(surface.time, t);
        deformed.place(t, deformed.elastic ? poses.deflection : factor);
        for (const one of this.attached) {
            const [x, y] = deformed.point(one), rigid: Vec = [...one.at]; // another object: nothing is attached to it
            poses.attach(def.body, one.at, [x - poses.x(def.body, rigid), y - poses.y(def.body, rigid)]);
        }
        this.color(k, share);
    }

    /** Where the mesh ends; bars and cables are all ends. */
    get outline(): Uint32Array {
        const { triangles, edges } = this.surface!;
        this.edge ??= triangles.length ? outlineOf(triangles) : edges;
        return this.edge;
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
        const { xy } = this, at = this.deformed!.at, s = layout.camera.scale * ratio, ox = layout.ox * ratio, oy = layout.oy * ratio;
        for (let i = 0, v = 0; i < xy.length; i += 2, v += 3) {
            xy[i] = ox + s * at[v];
            xy[i + 1] = oy - s * at[v + 1];
        }
    }
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
    /** Bodies that are not drawn. */
    hidden: ReadonlySet<number> = new Set();
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
        return this.list.some(({ mesh: { def }, deformed }) => deformed !== null && (def.name === name || def.body === body));
    }

    private get visible(): PlaneMesh[] {
        return this.list.filter(({ run: { scene }, mesh: { def } }) => !this.hidden.has(bodyOfMesh(scene, def)));
    }

    /** All at t, with what is attached to them; before anything else is drawn in these poses. */
    place(poses: Poses, t: number): void {
        for (const mesh of this.list)
            mesh.place(poses, t, this.look.factor);
    }

    /** The world positions over the run, for fitting; calls back with x and y. */
    reach(poses: Poses, add: (x: number, y: number) => void): void {
        for (const mesh of this.list) {
            if (!mesh.surface || !mesh.deformed)
                continue;
            const { at } = mesh.deformed;
            for (const frame of spread(mesh.surface.time.length, 20)) {
                poses.set(mesh.surface.time[frame]);
                mesh.place(poses, mesh.surface.time[frame], this.look.factor);
                for (let i = 0; i < at.length; i += 3)
                    add(at[i], at[i + 1]);
            }
        }
    }

    /** On the screen: into the canvas itself, at its own resolution. */
    drawImage(context: CanvasRenderingContext2D, pen: Pen, layout: Layout, ratio: number, look: Palette): void {
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
        for (const mesh of this.visible) {
            if (!mesh.surface || !mesh.deformed)
                continue;
            mesh.project(layout, ratio);
            if (mesh.values)
                fillTriangles(pixels, width, height, mesh.xy, mesh.level, mesh.surface.triangles, this.colors);
        }
        ink?.putImageData(this.image, 0, 0);
        context.globalAlpha = 1;
        context.drawImage(this.sheet, 0, 0, layout.width, layout.height);
        for (const mesh of this.visible)
            this.drawEdges(pen, mesh, 1 / ratio, layout, look);
    }

    /** For papers: triangles as paths, those of one level together. */
    drawPaths(pen: Pen, layout: Layout, look: Palette): void {
        for (const mesh of this.visible) {
            if (!mesh.surface || !mesh.deformed)
                continue;
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
    drawPlain(pen: Pen, layout: Layout, color: string, over: boolean): void {
        if (this.list.length)
            this.read();
        for (const mesh of this.visible) {
            if (!mesh.surface || !mesh.deformed)
                continue;
            mesh.project(layout, 1);
            const { triangles, edges } = mesh.surface, { xy, outline } = mesh, lines = triangles.length === 0;
            if (over) {
                segments(pen, outline, xy, 1).stroke({ color, width: 2 * layout.k, cap: "round" });
                continue;
            }
            if (!lines)
                fillAll(pen, triangles, xy).fill({ color, alpha: 0.14 });
            if (!lines && meanLength(edges, xy) > 5)
                segments(pen, edges, xy, 1).stroke({ color, width: 0.7, alpha: 0.6 });
        }
    }

    /** At another time: its outline and a pale fill. */
    drawGhost(pen: Pen, layout: Layout, mesh: Mesh, paint: Paint): void {
        const one = this.list.find((item) => item.mesh === mesh);
        if (!one?.surface || !one.deformed)
            return;
        one.project(layout, 1);
        fillAll(pen, one.surface.triangles, one.xy).fill({ color: paint.fill, alpha: paint.fillAlpha });
        segments(pen, one.outline, one.xy, 1).stroke({ color: paint.stroke, width: paint.width, alpha: paint.strokeAlpha, cap: "round" });
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
        this.visible.forEach(({ xy, mesh, surface }) => {
            for (let v = 0; surface && v < (surface.nodes?.length ?? xy.length / 2); v++) {
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

function fillAll(pen: Pen, triangles: Uint32Array, xy: Float32Array): Pen {
    pen.path();
    for (let n = 0; n < triangles.length; n++) {
        const x = xy[2 * triangles[n]], y = xy[2 * triangles[n] + 1];
        n % 3 ? pen.lineTo(x, y) : pen.moveTo(x, y);
    }
    return pen;
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
