// Spatial models: drawn by three. draw(t) paints now; nothing runs by itself.
import * as three from "three";
import { text } from "../base/text.ts";
import { add, dot, scale, sub, unit, type Vec } from "../base/vec.ts";
import { movedPoint, newPose, type Report, type Run } from "../data/model.ts";
import { palettes, type Palette, type Theme } from "../look/colors.ts";
import { windowFactor } from "../look/sizes.ts";
import type { Point } from "../symbol/plane.ts";
import { Actor } from "./actor.ts";
import { SpaceArrows, type ArrowKind } from "./arrows3.ts";
import { Camera, FIELD } from "./camera.ts";
import { namesByDefault, roundDown, upward } from "./facts.ts";
import { listen } from "./gestures.ts";
import { hitPart, type Ray } from "./hits.ts";
import { newShared, type Shared } from "./kit.ts";
import { Labels } from "./labels.ts";
import { makeMechanism, reachPoints, type Mechanism } from "./mechanism.ts";
import { Names, OBSTACLE, type Screen } from "./names.ts";
import { runColor } from "./plane.ts";
import { roomOf, Stage, type Room } from "./stage.ts";
import { MeshActor } from "./surface.ts";
import { Tints } from "./tints.ts";
import { traceColor } from "./traces.ts";
import { Trails } from "./trails.ts";
import type { ColorBy, LegendItem, MeshLook, Part, Show, View } from "./view.ts";
import { deflectionLegend, quantityText } from "./words.ts";

const RATIO = 2; // pixels of the picture per pixel of the page: outlines need it on plain screens too

const nothing: Show = {
    traces: false, reactions: false, forces: false, velocities: false, ghosts: false, names: false, grid: false, centers: false,
    both: false,
};

function newRenderer(): three.WebGLRenderer {
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("webgl2", { antialias: true, alpha: false, stencil: false, powerPreference: "high-performance" });
    if (!context) // tested before three does, which would write into the console
        throw new Error(text.noWebgl);
    const renderer = new three.WebGLRenderer({ canvas, context, antialias: true });
    renderer.setPixelRatio(RATIO);
    renderer.toneMapping = three.NoToneMapping;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = three.PCFShadowMap;
    renderer.autoClear = false;
    return renderer;
}

class SpaceView implements View, Screen<Run> {
    readonly canvas: HTMLCanvasElement;
    onMove: (() => void) | null = null;
    width = 0;
    height = 0;
    k = 1;
    private run: Run;
    private scene = new three.Scene();
    private eye = new three.PerspectiveCamera(FIELD * 180 / Math.PI);
    private view: Camera;
    private stage: Stage;
    private room: Room;
    private onMesh = new Map<Vec, { body: number; at: () => Vec }>(); // where points of meshes are now
    private points: Float64Array;
    private shared: Shared;
    private actors: Actor[];
    private trails: Trails;
    private arrows: SpaceArrows;
    private names: Names;
    private labels = new Labels();
    private tints: Tints;
    private palette: Palette;
    private shown = nothing;
    private hidden: ReadonlySet<number> = new Set();
    private followed = -1;
    private followedAt: Vec = [0, 0, 0];
    private t: number;
    private fitted = true; // the user has not moved the camera: it is fitted again when the window changes
    private waiting = 0; // a requested picture
    private silence: () => void;

    constructor(
        private renderer: three.WebGLRenderer,
        private report: Report,
        private mechanisms: Mechanism[],
        private meshes: MeshActor[],
        theme: Theme,
    ) {
        const run = this.run = report.runs[0], { measures } = mechanisms[0];
        this.canvas = renderer.domElement;
        this.palette = palettes[theme];
        this.trails = new Trails(run);
        const reach = report.seen(0).flatMap((index) => Array.from(reachPoints(report.runs[index])));
        this.points = Float64Array.from([...reach, ...meshes.flatMap((mesh) => mesh.reach()), ...this.trails.reach()]);
        this.view = new Camera(upward(run.scene));
        this.room = roomOf(this.points, this.view.up, measures.size);
        this.stage = new Stage(this.room, this.view, this.points);
        this.shared = newShared(measures.r);
        this.actors = report.runs.map((other, i) => new Actor(other, mechanisms[i], this.shared, i));
        this.arrows = new SpaceArrows(run, measures, this.shared, () => this.later());
        this.names = new Names(run);
        this.tints = new Tints(run);
        this.scene.add(this.stage.group, this.trails.group, this.arrows.group, ...[...this.actors, ...meshes].map((thing) => thing.group));
        for (const mesh of meshes)
            for (const one of mesh.run === run ? mesh.attached : [])
                this.onMesh.set(one.at, { body: mesh.mesh.def.body, at: () => mesh.point(one) });
        this.t = report.span[0];
        this.theme(theme);
        this.silence = this.listen();
    }

    private listen(): () => void {
        const redraw = (): void => this.later();
        this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
        this.canvas.addEventListener("webglcontextrestored", redraw);
        return listen(this.canvas, {
            pan: (dx, dy, aside) => aside ? this.view.pan(dx, dy, this.height) : this.view.turn(dx, dy),
            zoom: (x, y, factor) => this.view.zoom(factor, x - this.width / 2, y - this.height / 2, this.height),
            done: () => {
                this.fitted = false;
                this.later(true);
            },
        });
    }

    /** Draws with the next frame of the browser, once for all that changed until then. */
    private later(byUser = false): void {
        if (this.waiting)
            return;
        this.waiting = requestAnimationFrame(() => {
            this.waiting = 0;
            this.draw(this.t);
            if (byUser)
                this.onMove?.();
        });
    }

    resize(width: number, height: number): void {
        this.width = Math.max(1, width);
        this.height = Math.max(1, height);
        this.k = windowFactor(width, height);
        this.renderer.setSize(this.width, this.height, false);
        this.canvas.style.width = `${this.width}px`;
        this.canvas.style.height = `${this.height}px`;
        this.shared.screen.value.set(this.width, this.height);
        this.labels.resize(this.width, this.height);
        if (this.fitted)
            this.view.fit(this.points, this.width, this.height);
        this.draw(this.t);
    }

    draw(t: number): void {
        cancelAnimationFrame(this.waiting);
        this.waiting = 0;
        this.t = t;
        if (!this.width)
            return;
        this.place(t);
        this.aim();
        this.label();
        this.renderer.clear();
        this.renderer.render(this.scene, this.eye);
        this.renderer.render(this.labels.scene, this.labels.camera);
    }

    private place(t: number): void {
        for (const actor of this.actors)
            actor.place(t);
        if (this.tints.changing)
            this.actors[0].paint(this.palette, this.tints.at(t, this.palette).map((tint) => tint.solid), null);
        for (const mesh of this.meshes)
            mesh.place(t);
        if (this.shown.traces)
            this.trails.place(t);
        this.arrows.place(t, this.shown, this.hidden);
        this.keepUp();
    }

    /** Goes along with the followed body. */
    private keepUp(): void {
        if (this.followed < 0)
            return;
        const now = this.run.pointAt(this.followed, this.run.scene.bodies[this.followed].center, this.t);
        this.view.target = add(this.view.target, sub(now, this.followedAt));
        this.followedAt = now;
    }

    private aim(): void {
        const { view, eye, room } = this;
        eye.aspect = this.width / this.height;
        eye.near = 0.01 * view.distance;
        eye.far = view.distance + 20 * room.radius;
        eye.position.set(...view.eye);
        eye.up.set(...view.above);
        eye.lookAt(...view.target);
        eye.updateProjectionMatrix();
        // 1.5 pixels; thinner where rods themselves are, else many small ones are all outline
        this.shared.width.value = Math.min(1.5, Math.max(0.5, 0.5 * this.mechanisms[0].measures.r / view.unit(this.height)));
    }

    /** Where a point of the world is on the screen; behind the eye: far outside. */
    private project(p: Vec, out: Point): Point {
        const { view } = this, d = sub(p, view.eye), depth = -dot(d, view.back), f = this.height / (2 * Math.tan(FIELD / 2));
        out[0] = depth > 0 ? this.width / 2 + f * dot(d, view.right) / depth : -1e6;
        out[1] = depth > 0 ? this.height / 2 - f * dot(d, view.above) / depth : -1e6;
        return out;
    }

    put(run: Run, body: number, p: Vec, out: Point): Point {
        const deformed = this.onMesh.get(p);
        return this.project(deformed?.body === body ? deformed.at() : run.pointAt(body, p, this.t), out);
    }

    private label(): void {
        const { labels, palette, view, run } = this;
        labels.clear();
        if (this.shown.names)
            this.names.draw(labels, this, run, palette, this.hidden, () => this.obstacles());
        for (const { rows, from, to, text: words } of this.mechanisms[0].parts.texts) {
            const [a, b] = [from, to].map((p, i) => this.row(rows[i], p)), at = this.project(scale(add(a, b), 0.5), [0, 0]);
            const halo = { color: palette.scene, width: 3.5 };
            labels.text(at[0], at[1], words, { color: palette.soft, size: 12, align: "center", halo });
        }
        const long = 30 * Math.min(1, this.k), axes: Vec[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
        labels.cross(this.width - 1.75 * long, this.height - 1.75 * long, long,
            axes.map((e) => [dot(e, view.right), -dot(e, view.above), dot(e, view.back)]), palette);
        labels.finish();
    }

    /** A fixed point of a part, relative to the mass center of its row. */
    private row(row: number, p: Vec): Vec {
        return row ? movedPoint(this.run.motion.at(this.t, row - 1, newPose()), [0, 0, 0], p) : p;
    }

    /** Places along rods, which names should not cover. */
    private obstacles(): number[] {
        const out: number[] = [], { scene } = this.run, a: Point = [0, 0], b: Point = [0, 0];
        scene.bodies.forEach((def, body) => {
            for (let i = 1; i < def.points.length && i < 4 && !this.hidden.has(body); i++) {
                this.put(this.run, body, def.points[i - 1], a);
                this.put(this.run, body, def.points[i], b);
                const steps = Math.min(200, Math.ceil(Math.hypot(b[0] - a[0], b[1] - a[1]) / OBSTACLE));
                for (let s = 0; s <= steps; s++)
                    out.push(a[0] + (b[0] - a[0]) * s / steps, a[1] + (b[1] - a[1]) * s / steps);
            }
        });
        return out;
    }

    theme(theme: Theme): void {
        const look = this.palette = palettes[theme];
        this.scene.background = new three.Color(look.scene);
        this.stage.theme(theme, look);
        this.shared.ink.value.set(look.outline);
        this.shared.accent.value.set(look.accent);
        this.shared.strokeColor.value.set(look.groundStroke);
        this.trails.theme(look);
        this.arrows.theme(look);
        this.labels.clearSheet();
        for (const mesh of this.meshes)
            mesh.theme(look, mesh.other ? runColor(look, this.report.runs.indexOf(mesh.run) - 1) : null);
        this.paint();
    }

    private paint(): void {
        const solids = this.tints.at(this.t, this.palette).map((tint) => tint.solid);
        this.actors.forEach((actor, i) => actor.paint(this.palette, solids, i ? runColor(this.palette, i - 1) : null));
        this.later();
    }

    show(show: Show): void {
        this.shown = { ...show };
        this.stage.showGrid(show.grid);
        this.trails.group.visible = show.traces;
        this.actors[0].showGhosts(show.ghosts);
        this.actors[0].showCenters(show.centers, this.mechanisms[0].measures.r);
        this.paint();
    }

    colorBy(what: ColorBy): void {
        this.tints.by = what;
        this.paint();
    }

    arrowScale(factor: number): void {
        this.arrows.scale = factor;
        this.later();
    }

    meshLook(look: MeshLook): void {
        void Promise.all(this.meshes.map((mesh) => mesh.setLook(look).catch(() => undefined))).then(() => this.later());
    }

    deflection(factor: number): void {
        for (const thing of [...this.actors, ...this.meshes])
            thing.setDeflection(factor);
        this.later();
    }

    hide(bodies: ReadonlySet<number>): void {
        this.hidden = bodies;
        for (const thing of [...this.actors, ...this.meshes])
            thing.hide(bodies);
        this.later();
    }

    fit(): void {
        this.followed = -1;
        this.fitted = true;
        this.view.fit(this.points, this.width || 1, this.height || 1);
        this.later(true);
    }

    look(which: number): void {
        this.view.look(which);
        this.fit();
    }

    follow(body: number): void {
        this.followed = body < this.run.scene.bodies.length ? body : -1;
        this.fitted &&= this.followed < 0;
        if (this.followed >= 0)
            this.followedAt = this.run.pointAt(body, this.run.scene.bodies[body].center, this.t);
        this.later(true);
    }

    select(part: Part | null): void {
        this.actors[0].select(part && part.run === 0 ? part : null);
        this.later();
    }

    private ray(x: number, y: number): Ray {
        const { view } = this, f = 2 * Math.tan(FIELD / 2) / this.height;
        const side = scale(view.right, (x - this.width / 2) * f), up = scale(view.above, (this.height / 2 - y) * f);
        return { from: view.eye, direction: unit(add(add(side, up), scale(view.back, -1))) };
    }

    pick(x: number, y: number): Part | null {
        const ray = this.ray(x, y), more = 2.5 * this.view.unit(this.height);
        const hit = hitPart(this.run, this.mechanisms[0].parts, ray, this.t, more, this.hidden);
        let part: Part | null = hit && hit.owner.what !== "ground" ? { what: hit.owner.what, index: hit.owner.index, run: 0 } : null;
        let nearest = hit?.distance ?? Infinity;
        const beam = this.actors[0].hitBeam(ray, more);
        if (beam && beam.distance < nearest) {
            nearest = beam.distance;
            part = { what: "body", index: beam.body, run: 0 };
        }
        for (const mesh of this.meshes) {
            const on = mesh.run === this.run ? mesh.hit(ray) : null;
            if (!on || on.distance >= nearest)
                continue;
            nearest = on.distance;
            part = { what: "node", index: on.vertex, run: 0, mesh: mesh.number };
        }
        return part;
    }

    showRuns(seen: readonly number[]): void {
        this.actors.forEach((actor, i) => actor.group.visible = seen.includes(i));
        for (const mesh of this.meshes)
            mesh.group.visible = seen.includes(this.report.runs.indexOf(mesh.run));
    }

    legend(): LegendItem[] {
        const { palette, shown, run, report } = this, items: LegendItem[] = [];
        if (report.runs.length > 1)
            report.runs.forEach(({ label }, i) => this.actors[i].group.visible &&
                items.push({ kind: "run", color: i ? runColor(palette, i - 1) : palette.ink, text: label || text.runNumber(i + 1) }));
        if (shown.traces)
            this.trails.list.forEach(({ probe }, i) =>
                items.push({ kind: "trace", color: traceColor(palette, i), text: text.traceOf(run.scene.probes[probe].name) }));
        const words: Record<ArrowKind, (value: string) => string> =
            { reactions: text.arrowReaction, forces: text.arrowForce, velocities: text.arrowVelocity };
        for (const { kind, typical, perUnit } of this.arrows.lengths(shown)) {
            const value = roundDown(0.6 * typical / this.arrows.scale), speed = kind === "velocities";
            items.push({
                kind: "arrow", color: speed ? palette.speed : palette.force, text: words[kind](quantityText(value, speed ? "m/s" : "N")),
                pixels: value * perUnit / this.view.unit(this.height || 1),
            });
        }
        return [...items, ...this.tints.legend(), ...this.meshes.slice(0, 1).flatMap((mesh) => mesh.legend()),
            ...deflectionLegend(run.scene.elastic, this.actors[0].deflection)];
    }

    scaleBar(): null {
        return null;
    }

    svg(): null {
        return null;
    }

    camera(): string {
        return this.view.text();
    }

    setCamera(camera: string): void {
        if (this.view.read(camera)) // else it is of another picture
            this.fitted = false;
        this.later();
    }

    destroy(): void {
        this.silence();
        cancelAnimationFrame(this.waiting);
        for (const thing of [...this.actors, ...this.meshes, this.trails, this.arrows, this.labels, this.stage])
            thing.destroy();
        this.renderer.dispose();
        this.canvas.remove();
    }
}

/** Rejects where there is no WebGL: the page then draws lines by the pen. */
export async function makeSpace(report: Report, theme: Theme): Promise<View> {
    const renderer = newRenderer(), mechanisms: Mechanism[] = [], meshes: MeshActor[] = [];
    for (const run of report.runs) {
        mechanisms.push(makeMechanism(run, namesByDefault(run.scene)));
        for (let i = 0; i < run.meshes.length; i++)
            if (run.meshes[i].def.vertices.count)
                meshes.push(await MeshActor.make(run, i, run !== report.runs[0]));
    }
    return new SpaceView(renderer, report, mechanisms, meshes, theme);
}
