// A planar model as a kinematic diagram, drawn by the pen: on a canvas for the screen, as SVG for papers.
import { text } from "../base/text.ts";
import { bodyOfMesh } from "../data/elastic.ts";
import type { Report, Run } from "../data/model.ts";
import { palettes, type Palette, type Theme, type Tint } from "../look/colors.ts";
import { size } from "../look/sizes.ts";
import type { Pen } from "../pen/pen.ts";
import { Sheet } from "../pen/sheet.ts";
import { circle } from "../symbol/ink.ts";
import { Arrows } from "./arrows.ts";
import { Bodies, paintOf, type Paint } from "./bodies.ts";
import { PlaneMeshes } from "./fields.ts";
import { drawCaption } from "./caption.ts";
import { ghostTimes } from "./facts.ts";
import { listen } from "./gestures.ts";
import { drawGrid, scaleBarOf } from "./grid.ts";
import { Layout, Poses } from "./layout.ts";
import { Marks } from "./marks.ts";
import { Names, OBSTACLE } from "./names.ts";
import { Surfaces } from "./surfaces.ts";
import { pickPart } from "./pick.ts";
import { drawSelection } from "./selection.ts";
import { Tints } from "./tints.ts";
import { Traces, traceColor } from "./traces.ts";
import type { ColorBy, LegendItem, MeshLook, Part, Show, View } from "./view.ts";
import { deflectionLegend } from "./words.ts";

const nothing: Show = {
    traces: false, reactions: false, forces: false, velocities: false, ghosts: false, names: false, grid: false, centers: false,
    both: false,
};

/** From here on bars of one color are drawn together. */
const MANY_BODIES = 100;

/** One run with all that is drawn of it. */
interface Drawn {
    run: Run;
    poses: Poses;
    bodies: Bodies;
    marks: Marks;
    surfaces: Surfaces;
    meshes: PlaneMeshes;
    ghosts: { times: number[]; poses: Poses };
}

export class PlaneView implements View {
    private sheet = new Sheet();
    readonly canvas = this.sheet.canvas;
    onMove: (() => void) | null = null;
    private layout: Layout;
    private first: Drawn;
    private others: Drawn[];
    private seen: ReadonlySet<number>; // numbers of runs
    private traces: Traces;
    private meshes: PlaneMeshes;
    private arrows: Arrows;
    private names: Names;
    private tints: Tints;
    private palette: Palette;
    private shown = nothing;
    private hidden: ReadonlySet<number> = new Set();
    private selected: Part | null = null;
    private t: number;
    private silence: () => void;

    constructor(report: Report, theme: Theme) {
        this.palette = palettes[theme];
        this.layout = new Layout(report.runs);
        const [first, ...others] = report.runs.map((run): Drawn => ({
            run, poses: new Poses(run), bodies: new Bodies(run), marks: new Marks(run, this.palette), surfaces: new Surfaces(run),
            meshes: new PlaneMeshes(run, () => this.meshRead(run)), ghosts: { times: [], poses: new Poses(run) },
        }));
        this.first = first;
        this.others = others;
        this.seen = new Set(report.runs.keys());
        this.t = report.span[0];
        this.traces = new Traces(first.run);
        this.traces.reach((x, y) => this.layout.include(x, y));
        first.surfaces.reach((x, y) => this.layout.include(x, y));
        this.meshes = first.meshes;
        this.arrows = new Arrows(first.run, () => this.moved());
        this.names = new Names(first.run);
        this.tints = new Tints(first.run);
        this.first.poses.set(this.t);
        this.silence = listen(this.canvas, {
            pan: (dx, dy) => this.layout.pan(dx, dy),
            zoom: (x, y, factor) => this.layout.zoom(x, y, factor),
            done: () => this.moved(),
        });
    }

    private moved(): void {
        this.draw(this.t);
        this.onMove?.();
    }

    resize(width: number, height: number): void {
        this.sheet.resize(width, height);
        this.layout.resize(Math.max(1, width), Math.max(1, height));
        this.draw(this.t);
    }

    draw(t: number): void {
        this.t = t;
        this.paint(this.sheet.clear(this.palette.scene), t);
    }

    /** Everything from back to front. */
    private paint(pen: Pen, t: number): void {
        const { layout, first, palette, shown, hidden } = this, { poses, marks } = first;
        poses.set(t);
        this.meshes.place(poses, t);
        layout.aim(poses);
        const tints = this.tints.at(t, palette);
        marks.color(tints, palette);
        marks.place(layout, poses);
        if (shown.grid)
            this.group(pen, "grid", () => drawGrid(pen, layout, palette));
        if (shown.traces)
            this.group(pen, "traces", () => this.traces.draw(pen, layout, poses, t, palette));
        if (shown.ghosts)
            this.group(pen, "ghosts", () => this.drawGhosts(pen, tints));
        this.others.forEach((other, i) => {
            if (this.seen.has(i + 1))
                this.group(pen, "run", () => this.drawOther(pen, other, i, t));
        });
        const usual = (body: number): Paint => paintOf(tints[body], layout.k);
        this.group(pen, "meshes", () => this.drawMeshes(pen));
        this.others.forEach(({ meshes }, i) =>
            this.seen.has(i + 1) && meshes.drawPlain(pen, layout, runColor(palette, i), true));
        if (marks.curved)
            this.group(pen, "back", () => marks.draw(pen, "back", hidden));
        this.group(pen, "plates", () => this.drawBodies(pen, first, poses, (body) => first.bodies.isPlate(body), usual));
        this.group(pen, "ground", () => {
            if (layout.thin)
                marks.drawGroundLines(pen, layout, palette);
            marks.draw(pen, "ground", hidden);
        });
        this.group(pen, "contacts", () => first.surfaces.draw(pen, layout, poses, tints, palette, hidden));
        const many = first.run.scene.bodies.length > MANY_BODIES && !layout.thin;
        this.group(pen, "beams", () => first.bodies.bands.draw(pen, layout, poses, hidden, usual));
        this.group(pen, "bars", () => {
            if (many)
                first.bodies.drawBars(pen, layout, poses, hidden, tints);
            else
                this.drawBodies(pen, first, poses, (body) => !first.bodies.isPlate(body), usual);
        });
        for (const layer of ["under", "block"] as const)
            this.group(pen, layer, () => marks.draw(pen, layer, hidden));
        drawSelection(pen, layout, first.bodies, marks, poses, this.selected, palette);
        this.group(pen, "pin", () => marks.draw(pen, "pin", hidden));
        this.drawNode(pen);
        if (shown.centers)
            this.group(pen, "centers", () => first.run.scene.bodies.forEach((def, body) => {
                if (def.mass > 0 && !hidden.has(body) && !layout.thin)
                    first.bodies.drawCenter(pen, layout, poses, body, palette);
            }));
        if (!layout.thin)
            this.group(pen, "probes", () => this.traces.drawProbes(pen, layout, poses, palette, hidden));
        this.group(pen, "drivers", () => marks.draw(pen, "over", hidden));
        this.group(pen, "arrows", () => this.arrows.draw(pen, layout, poses, t, shown, palette, hidden));
        if (shown.names && !layout.thin)
            this.group(pen, "names", () => this.names.draw(pen, layout, poses, palette, hidden, () => this.obstacles()));
    }

    /** What names keep away from: edges of bodies, feet, blocks, springs. */
    private obstacles(): number[] {
        const list: number[] = [], { first, layout } = this;
        for (let body = 0; body < first.run.scene.bodies.length; body++)
            if (!this.hidden.has(body))
                first.bodies.edgePlaces(layout, first.poses, body, OBSTACLE, list);
        first.bodies.bands.edgePlaces(layout, first.poses, OBSTACLE, this.hidden, list);
        first.marks.edgePlaces(OBSTACLE, list);
        this.arrows.edgePlaces(OBSTACLE, list);
        if (this.shown.traces)
            this.traces.edgePlaces(layout, OBSTACLE, list);
        return list;
    }

    /** Meshes are placed in pixels of the canvas or of the paper. */
    private scaleOf(pen: Pen): number {
        return pen === this.sheet.pen ? this.sheet.ratio : 1;
    }

    /** The node of a mesh that was picked. */
    private drawNode(pen: Pen): void {
        const { selected, layout: { k }, palette } = this;
        const spot = selected?.what === "node" ? this.meshes.spot(selected.mesh ?? 0, selected.index, this.scaleOf(pen)) : null;
        if (spot)
            circle(pen, spot, 5 * k).fill({ color: palette.paper }).stroke({ color: palette.accent, width: 2.5 * k });
    }

    private drawMeshes(pen: Pen): void {
        const { layout, palette } = this;
        if (pen === this.sheet.pen)
            this.meshes.drawImage(this.sheet.context, pen, layout, this.sheet.ratio, palette);
        else
            this.meshes.drawPaths(pen, layout, palette);
        this.sheet.pen.resetStyles(); // drawing the image changed the styles
    }

    /** A mesh came in: it belongs to what fits into the window. */
    private meshRead(run: Run): void {
        const { layout } = this, { meshes, poses } = [this.first, ...this.others].find((drawn) => drawn.run === run)!;
        if (layout.empty)
            layout.box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
        layout.empty = false;
        meshes.reach(poses, (x, y) => layout.include(x, y));
        if (layout.fitted)
            layout.fit();
        this.moved();
    }

    private group(pen: Pen, name: string, draw: () => void): void {
        pen.enter(name);
        draw();
        pen.leave();
    }

    private drawBodies(pen: Pen, drawn: Drawn, poses: Poses, which: (body: number) => boolean, paint: (body: number) => Paint): void {
        for (let body = 0; body < drawn.run.scene.bodies.length; body++)
            if (!this.hidden.has(body) && which(body) && !drawn.meshes.shows(body))
                drawn.bodies.draw(pen, this.layout, poses, body, paint(body));
    }

    private drawGhosts(pen: Pen, tints: Tint[]): void {
        const { first, layout } = this, { ghosts } = first, width = size.bar.stroke * layout.k;
        if (!ghosts.times.length)
            ghosts.times = ghostTimes(first.run);
        for (const t of ghosts.times) {
            ghosts.poses.set(t);
            const paint = (body: number): Paint => {
                const color = tints[body].stroke;
                return { stroke: color, fill: color, strokeAlpha: size.ghost.stroke, fillAlpha: size.ghost.fill, width, block: true };
            };
            this.meshes.place(ghosts.poses, t);
            first.run.meshes.forEach((mesh) => {
                const body = bodyOfMesh(first.run.scene, mesh.def);
                if (body >= 0 && !this.hidden.has(body)) // a mesh alone would be a tangle
                    this.meshes.drawGhost(pen, layout, mesh, paint(body));
            });
            this.drawBodies(pen, first, ghosts.poses, () => true, paint);
            first.bodies.bands.draw(pen, layout, ghosts.poses, this.hidden, paint);
        }
        this.meshes.place(first.poses, this.t);
    }

    /** Runs beside the first: bars and pins in one color, without fill, so that the first stays readable. */
    private drawOther(pen: Pen, other: Drawn, index: number, t: number): void {
        const { layout, palette } = this, color = runColor(palette, index), width = 1.5 * layout.k;
        other.poses.set(t);
        other.meshes.place(other.poses, t);
        const paint: Paint = { stroke: color, fill: color, strokeAlpha: 0.9, fillAlpha: 0.12, width, block: true };
        this.drawBodies(pen, other, other.poses, () => true, () => paint);
        other.bodies.bands.draw(pen, layout, other.poses, this.hidden, () => paint);
        other.meshes.drawPlain(pen, layout, color, false);
    }

    theme(theme: Theme): void {
        this.palette = palettes[theme];
        this.draw(this.t);
    }

    show(show: Show): void {
        this.shown = { ...show };
        this.draw(this.t);
    }

    colorBy(what: ColorBy): void {
        this.tints.by = what;
        this.draw(this.t);
    }

    arrowScale(factor: number): void {
        this.arrows.scale = factor;
        this.draw(this.t);
    }

    meshLook(look: MeshLook): void {
        for (const { meshes } of [this.first, ...this.others])
            meshes.set(look);
        this.draw(this.t);
    }

    deflection(factor: number): void {
        for (const { poses, ghosts } of [this.first, ...this.others])
            poses.deflection = ghosts.poses.deflection = factor;
        this.draw(this.t);
    }

    hide(bodies: ReadonlySet<number>): void {
        this.hidden = bodies;
        for (const { meshes } of [this.first, ...this.others])
            meshes.hidden = bodies;
        this.draw(this.t);
    }

    fit(): void {
        this.layout.fit();
        this.moved();
    }

    look(_which: number): void {
        this.fit();
    }

    follow(body: number): void {
        this.layout.setFollow(body, this.first.poses);
        this.moved();
    }

    select(part: Part | null): void {
        this.selected = part;
        this.draw(this.t);
    }

    pick(x: number, y: number): Part | null {
        const { layout, first: { bodies, marks, poses } } = this, part = pickPart(layout, bodies, marks, poses, x, y, this.hidden);
        const node = part && part.what !== "body" ? null : this.meshes.pick(x, y, this.sheet.ratio, 9);
        return node ? { what: "node", index: node.vertex, run: 0, mesh: node.mesh } : part;
    }

    legend(): LegendItem[] {
        const { palette, shown, layout, first } = this, items: LegendItem[] = [];
        if (this.others.length)
            [first, ...this.others].forEach(({ run }, i) => this.seen.has(i) &&
                items.push({ kind: "run", color: i ? runColor(palette, i - 1) : palette.ink, text: run.label || text.runNumber(i + 1) }));
        if (shown.traces)
            this.traces.list.forEach(({ probe }, i) =>
                items.push({ kind: "trace", color: traceColor(palette, i), text: text.traceOf(first.run.scene.probes[probe].name) }));
        items.push(...this.arrows.legend(layout, shown, palette));
        items.push(...this.tints.legend(), ...this.meshes.legend(), ...deflectionLegend(first.run.scene.elastic, first.poses.deflection));
        return items;
    }

    scaleBar(): { pixels: number; length: number } | null {
        return scaleBarOf(this.layout);
    }

    svg(t: number): string {
        const { width, height } = this.layout;
        const figure = this.sheet.figure(this.palette.scene, this.first.run.info.model, t, (pen) => {
            this.paint(pen, t);
            drawCaption(pen, width, height, this.legend(), this.scaleBar(), this.palette);
        });
        this.first.poses.set(this.t);
        return figure;
    }

    camera(): string {
        return this.layout.text();
    }

    setCamera(camera: string): void {
        this.layout.setText(camera);
        this.draw(this.t);
    }

    showRuns(seen: readonly number[]): void {
        this.seen = new Set(seen);
    }

    destroy(): void {
        this.silence();
        this.canvas.remove();
    }
}

/** Other runs: colors of curves that are not the accent. */
export const runColor = (palette: Palette, index: number): string => palette.curves[[3, 0, 5, 2, 4][index % 5]];

export const planeView = async (report: Report, theme: Theme): Promise<View> => new PlaneView(report, theme);
