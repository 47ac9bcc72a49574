// A planar model as a kinematic diagram, drawn by the pen: on a canvas for the screen, as SVG for papers.
import { text } from "../base/text.ts";
import type { Report, Run } from "../data/model.ts";
import { palettes, type Palette, type Theme, type Tint } from "../look/colours.ts";
import { size } from "../look/sizes.ts";
import { CanvasPen } from "../pen/canvas.ts";
import type { Pen } from "../pen/pen.ts";
import { SvgPen } from "../pen/svg.ts";
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
import { pickPart } from "./pick.ts";
import { drawSelection } from "./selection.ts";
import { Tints } from "./tints.ts";
import { Traces, traceColour } from "./traces.ts";
import type { ColorBy, LegendItem, MeshLook, Part, Show, View } from "./view.ts";

const nothing: Show = {
    traces: false, reactions: false, forces: false, velocities: false, ghosts: false, names: false, grid: false, centers: false,
};

/** From here on bars of one colour are drawn together. */
const MANY_BODIES = 100;

/** One run with all that is drawn of it. */
interface Drawn { run: Run; poses: Poses; bodies: Bodies; marks: Marks; ghosts: { times: number[]; poses: Poses } }

export class PlaneView implements View {
    readonly canvas: HTMLCanvasElement;
    onMove: (() => void) | null = null;
    private context: CanvasRenderingContext2D;
    private pen: CanvasPen;
    private layout: Layout;
    private first: Drawn;
    private others: Drawn[];
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
    private ratio = 2;
    private silence: () => void;

    constructor(report: Report, theme: Theme) {
        this.palette = palettes[theme];
        this.canvas = document.createElement("canvas");
        const context = this.canvas.getContext("2d");
        if (!context)
            throw new Error(text.noCanvas);
        this.context = context;
        this.pen = new CanvasPen(context);
        this.layout = new Layout(report.runs);
        const [first, ...others] = report.runs.map((run): Drawn => ({
            run, poses: new Poses(run), bodies: new Bodies(run), marks: new Marks(run, this.palette),
            ghosts: { times: [], poses: new Poses(run) },
        }));
        this.first = first;
        this.others = others;
        this.t = report.span[0];
        this.traces = new Traces(first.run);
        this.meshes = new PlaneMeshes(first.run, () => this.meshRead());
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
        this.ratio = Math.max(2, typeof devicePixelRatio === "number" ? devicePixelRatio : 1);
        this.canvas.width = Math.max(1, Math.round(width * this.ratio));
        this.canvas.height = Math.max(1, Math.round(height * this.ratio));
        this.canvas.style.width = `${width}px`;
        this.canvas.style.height = `${height}px`;
        this.layout.resize(Math.max(1, width), Math.max(1, height));
        this.draw(this.t);
    }

    draw(t: number): void {
        this.t = t;
        const { context, layout } = this;
        context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
        this.pen.forget();
        context.globalAlpha = 1;
        context.fillStyle = this.palette.scene;
        context.fillRect(0, 0, layout.width, layout.height);
        this.paint(this.pen, t);
    }

    /** Everything from back to front. */
    private paint(pen: Pen, t: number): void {
        const { layout, first, palette, shown, hidden } = this, { poses, marks } = first;
        poses.set(t);
        layout.aim(poses);
        const tints = this.tints.at(t, palette);
        marks.colour(tints, palette);
        marks.place(layout, poses);
        if (shown.grid)
            this.group(pen, "grid", () => drawGrid(pen, layout, palette));
        if (shown.traces)
            this.group(pen, "traces", () => this.traces.draw(pen, layout, poses, t, palette));
        if (shown.ghosts)
            this.group(pen, "ghosts", () => this.drawGhosts(pen, tints));
        this.others.forEach((other, i) => this.group(pen, "run", () => this.drawOther(pen, other, i, t)));
        const usual = (body: number): Paint => paintOf(tints[body], layout.k);
        this.group(pen, "meshes", () => this.drawMeshes(pen, t));
        this.group(pen, "plates", () => this.drawBodies(pen, first, poses, (body) => first.bodies.isPlate(body), usual));
        this.group(pen, "ground", () => {
            if (layout.thin)
                marks.drawGroundLines(pen, layout, palette);
            marks.draw(pen, "ground", hidden);
        });
        const many = first.run.scene.bodies.length > MANY_BODIES && !layout.thin;
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
        first.marks.edgePlaces(OBSTACLE, list);
        this.arrows.edgePlaces(OBSTACLE, list);
        if (this.shown.traces)
            this.traces.edgePlaces(layout, OBSTACLE, list);
        return list;
    }

    /** Meshes are placed in pixels of the canvas or of the paper. */
    private scaleOf(pen: Pen): number {
        return pen === this.pen ? this.ratio : 1;
    }

    /** The node of a mesh that was picked. */
    private drawNode(pen: Pen): void {
        const { selected, layout: { k }, palette } = this;
        const spot = selected?.what === "node" ? this.meshes.spot(selected.mesh ?? 0, selected.index, this.scaleOf(pen)) : null;
        if (spot)
            circle(pen, spot, 5 * k).fill({ color: palette.paper }).stroke({ color: palette.accent, width: 2.5 * k });
    }

    private drawMeshes(pen: Pen, t: number): void {
        const { layout, first: { poses }, palette } = this;
        if (pen === this.pen)
            this.meshes.drawImage(this.context, pen, layout, poses, t, this.ratio, palette);
        else
            this.meshes.drawPaths(pen, layout, poses, t, palette);
        this.pen.forget(); // the image set styles of its own
    }

    /** A mesh came in: it belongs to what fits into the window. */
    private meshRead(): void {
        const { layout, first } = this;
        if (layout.empty)
            layout.box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
        const { box } = layout;
        layout.empty = false;
        this.meshes.reach(first.poses, (x, y) => {
            if (!Number.isFinite(x + y))
                return;
            box.x0 = Math.min(box.x0, x);
            box.x1 = Math.max(box.x1, x);
            box.y0 = Math.min(box.y0, y);
            box.y1 = Math.max(box.y1, y);
        });
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
            if (!this.hidden.has(body) && which(body) && !(drawn === this.first && this.meshes.shows(body)))
                drawn.bodies.draw(pen, this.layout, poses, body, paint(body));
    }

    private drawGhosts(pen: Pen, tints: Tint[]): void {
        const { first, layout } = this, { ghosts } = first, width = size.bar.stroke * layout.k;
        if (!ghosts.times.length)
            ghosts.times = ghostTimes(first.run);
        for (const t of ghosts.times) {
            ghosts.poses.set(t);
            this.drawBodies(pen, first, ghosts.poses, () => true, (body) => {
                const color = tints[body].stroke;
                return { stroke: color, fill: color, strokeAlpha: size.ghost.stroke, fillAlpha: size.ghost.fill, width, block: true };
            });
        }
    }

    /** Runs beside the first: bars and pins in one colour, without fill, so that the first stays readable. */
    private drawOther(pen: Pen, other: Drawn, index: number, t: number): void {
        const { layout, palette } = this, color = runColour(palette, index), width = 1.5 * layout.k;
        other.poses.set(t);
        const paint: Paint = { stroke: color, fill: color, strokeAlpha: 0.9, fillAlpha: 0.12, width, block: true };
        this.drawBodies(pen, other, other.poses, () => true, () => paint);
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
        this.meshes.set(look);
        this.draw(this.t);
    }

    hide(bodies: ReadonlySet<number>): void {
        this.hidden = bodies;
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
        const node = part && part.what !== "body" ? null : this.meshes.pick(x, y, this.ratio, 9);
        return node ? { what: "node", index: node.vertex, run: 0, mesh: node.mesh } : part;
    }

    legend(): LegendItem[] {
        const { palette, shown, layout, first } = this, items: LegendItem[] = [];
        if (this.others.length)
            [first, ...this.others].forEach(({ run }, i) =>
                items.push({ kind: "run", color: i ? runColour(palette, i - 1) : palette.ink, text: run.label || text.runNumber(i + 1) }));
        if (shown.traces)
            this.traces.list.forEach(({ probe }, i) =>
                items.push({ kind: "trace", color: traceColour(palette, i), text: text.traceOf(first.run.scene.probes[probe].name) }));
        items.push(...this.arrows.legend(layout, shown, palette));
        items.push(...this.tints.legend(), ...this.meshes.legend());
        return items;
    }

    scaleBar(): { pixels: number; length: number } | null {
        return scaleBarOf(this.layout);
    }

    svg(t: number): string {
        const pen = new SvgPen(), { width, height } = this.layout;
        pen.path().moveTo(0, 0).lineTo(width, 0).lineTo(width, height).lineTo(0, height).close().fill({ color: this.palette.scene });
        this.paint(pen, t);
        drawCaption(pen, width, height, this.legend(), this.scaleBar(), this.palette);
        const title = text.pictureAt(this.first.run.info.model, String(Number(t.toPrecision(6))));
        this.first.poses.set(this.t);
        return pen.finish(width, height, title);
    }

    camera(): string {
        return this.layout.text();
    }

    setCamera(camera: string): void {
        this.layout.setText(camera);
        this.draw(this.t);
    }

    destroy(): void {
        this.silence();
        this.canvas.remove();
    }
}

/** Other runs: colours of curves that are not the accent. */
export const runColour = (palette: Palette, index: number): string => palette.curves[[3, 0, 5, 2, 4][index % 5]];

export const planeView = async (report: Report, theme: Theme): Promise<View> => new PlaneView(report, theme);
