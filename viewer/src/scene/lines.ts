// Space where there is no WebGL: bodies as lines with pins in a slanted view, drawn by the pen.
import { text } from "../base/text.ts";
import { across, cross, distance, dot, sub, unit, type Vec } from "../base/vec.ts";
import { bodyOfMesh, elasticOf, isFrame } from "../data/elastic.ts";
import type { ElasticDef, JointDef, Shape } from "../data/header.ts";
import type { Mesh } from "../data/mesh.ts";
import { movedPoint, newPose, type Pose, type Report, type Run } from "../data/model.ts";
import { palettes, type Palette, type Theme, type Tint } from "../look/colors.ts";
import { size, textSize, windowFactor } from "../look/sizes.ts";
import type { Pen } from "../pen/pen.ts";
import { Sheet } from "../pen/sheet.ts";
import { along, circle, gap, head, line, normal, pin, polyline, roundBox, toward } from "../symbol/ink.ts";
import { outline } from "../symbol/cam.ts";
import type { Point } from "../symbol/plane.ts";
import {
    chosenTraces, coincidentJoints, commonName, extent, ghostTimes, grounded, jointAt, jointAtB, pathWindow, pointAtFrame, roundDown,
    shapePoints, spread, tracePath, traceTimes, upward,
} from "./facts.ts";
import { enlarge, newLine, partsOf, posed, trace, type Line } from "./beams.ts";
import { contactPoints, rollerPoints } from "./contact.ts";
import { drawCaption } from "./caption.ts";
import { Deformed } from "./deformed.ts";
import { listen } from "./gestures.ts";
import { hull, offAxis, shown as shownShapes, toSegment } from "./outline.ts";
import { Slant } from "./slant.ts";
import { Tints } from "./tints.ts";
import { traceColor } from "./traces.ts";
import { forces, reactions, velocities, type Vectors } from "./vectors.ts";
import type { ColorBy, LegendItem, MeshLook, Part, Show, View } from "./view.ts";
import { deflectionLegend, quantityText } from "./words.ts";

type ArrowKind = "reactions" | "forces" | "velocities";
const words = { reactions: text.arrowReaction, forces: text.arrowForce, velocities: text.arrowVelocity };
const units = { reactions: "N", forces: "N", velocities: "m/s" };

/** Round shapes by points on their rims, so that their shadow is round; null for others. */
function rings(shape: Shape): Vec[] | null {
    if (shape.kind !== "cylinder" && shape.kind !== "wheel" && shape.kind !== "disc")
        return null;
    const centers = shape.kind === "disc" ? [shape.center] : [shape.from, shape.to];
    const axis = unit(shape.kind === "disc" ? shape.axis ?? [0, 0, 1] : sub(shape.to, shape.from)), u = across(axis), v = cross(axis, u);
    return centers.flatMap((center) => Array.from({ length: 32 }, (_, i) => {
        const c = shape.radius * Math.cos(i * Math.PI / 16), s = shape.radius * Math.sin(i * Math.PI / 16);
        return [0, 1, 2].map((n) => center[n] + c * u[n] + s * v[n]) as Vec;
    }));
}

/** Points between which a body is drawn, in the model configuration; of meshes those of their shape if `meshed`. */
function corners(run: Run, body: number, meshed = false): Vec[] {
    const def = run.scene.bodies[body], pictures = shownShapes(def), rods = def.shapes.filter((shape) => shape.kind === "rod");
    const frame = isFrame(run.scene, body), off = frame ? offAxis(def, 1e-3 * extent(run)) : [];
    if (!meshed && run.meshes.some(({ def: mesh }) => mesh.body === body && mesh.vertices.count > 0))
        return []; // its elements are drawn
    if (frame) // beams are drawn as curves
        return off.length ? [...off, def.center] : [];
    const points = [...def.points, ...[...pictures, ...rods].flatMap((shape) => rings(shape) ?? shapePoints(shape))];
    const near = 1e-4 * extent(run), distinct = points.filter((p, i) => !points.slice(0, i).some((q) => distance(p, q) < near));
    return distinct.length === 1 ? [...distinct, def.center] : distinct.length ? distinct : [def.center];
}

export class LinesView implements View {
    private sheet = new Sheet();
    readonly canvas = this.sheet.canvas;
    onMove: (() => void) | null = null;
    private run: Run;
    private slant: Slant;
    private bodies: Vec[][];
    private poses: Pose[];
    private beams: Map<number, { beam: ElasticDef; parts: number; lines: Line[] }>; // by their first frames
    private meshes: { deformed: Deformed; edges: Uint32Array; body: number }[] = []; // as they are read
    private meshFactor = 1; // of meshes alone
    private factor = 1; // of deflections
    private ghostPoses: Pose[][] = [];
    private labels: { text: string; joint: number }[];
    private traceTime: Float64Array;
    private traces: { probe: number; path: Float64Array }[];
    private vectors = new Map<ArrowKind, Vectors | null>();
    private tints: Tints;
    private palette: Palette;
    private shown: Show | null = null;
    private hidden: ReadonlySet<number> = new Set();
    private selected: Part | null = null;
    private followed = -1;
    private arrowFactor = 1;
    private t: number;
    private silence: () => void;

    constructor(report: Report, theme: Theme) {
        const run = this.run = report.runs[0];
        this.palette = palettes[theme];
        this.t = report.span[0];
        this.tints = new Tints(run);
        this.bodies = run.scene.bodies.map((_, i) => corners(run, i));
        this.poses = run.scene.bodies.map(() => newPose());
        this.beams = new Map((run.scene.elastic ?? []).filter((beam) => beam.pieces?.length).map((beam) => {
            const parts = partsOf(beam);
            return [beam.first, { beam, parts, lines: beam.pieces!.map((piece) => newLine(piece, parts)) }];
        }));
        this.labels = coincidentJoints(run)
            .map((list) => ({ text: commonName(list.map((i) => run.scene.joints[i].name)), joint: list[0] }));
        this.traceTime = traceTimes(run.motion);
        this.traces = chosenTraces(run).map((probe) => {
            const { body, at } = run.scene.probes[probe];
            return { probe, path: tracePath(run, body, at, this.traceTime) };
        });
        this.slant = new Slant(upward(run.scene), this.cloud());
        void Promise.all(run.meshes.map((mesh) => this.readMesh(mesh).catch(() => undefined))).then(() => this.moved());
        this.silence = listen(this.canvas, {
            pan: (dx, dy, aside) => aside ? this.slant.pan(dx, dy) : this.slant.turn(dx, dy),
            zoom: (x, y, factor) => this.slant.zoomAt(x, y, factor),
            done: () => this.moved(),
        });
    }

    private async readMesh(mesh: Mesh): Promise<void> {
        const { fields } = mesh.def, surface = await mesh.read(), body = bodyOfMesh(this.run.scene, mesh.def);
        const moves = fields.some((field) => field.name === "displacement") ? await mesh.field("displacement") : null;
        this.meshes.push({ deformed: new Deformed(this.run, mesh.def, surface, moves), edges: surface.edges, body });
    }

    /** Borders of their elements. */
    private drawMeshes(pen: Pen, t: number, tints: Tint[], k: number): void {
        const a: Point = [0, 0], b: Point = [0, 0];
        for (const { deformed, edges, body } of this.meshes) {
            if (this.hidden.has(body))
                continue;
            const at = deformed.place(t, deformed.elastic ? this.factor : this.meshFactor);
            const put = (v: number, out: Point): Point => this.slant.put([at[3 * v], at[3 * v + 1], at[3 * v + 2]], out);
            pen.path();
            for (let i = 0; i < edges.length; i += 2) {
                const [x, y] = put(edges[i], a), [u, v] = put(edges[i + 1], b);
                pen.moveTo(x, y).lineTo(u, v);
            }
            pen.stroke({ color: tints[body]?.stroke ?? this.palette.ink, width: k, alpha: 0.8 });
        }
    }

    /** All corners at some times of the motion. */
    private cloud(): Vec[] {
        const { run } = this, pose = newPose(), bodies = run.scene.bodies.map((_, i) => [...corners(run, i, true)]);
        const points = run.scene.joints.filter((joint) => grounded(joint) >= 0 && joint.at && !joint.curve).map(jointAt);
        for (const joint of run.scene.joints)
            contactPoints(joint, (body, p) => (body < 0 ? points : bodies[body]).push(p));
        for (const frame of spread(run.motion.count, 60))
            bodies.forEach((list, body) => [...list, ...elasticOf(run.scene, body) ? [run.scene.bodies[body].center] : []]
                .forEach((p) => points.push(pointAtFrame(run, body, p, frame, pose))));
        return points.filter((p) => p.every(Number.isFinite));
    }

    private moved(): void {
        this.draw(this.t);
        this.onMove?.();
    }

    private place(body: number, p: Vec): Vec {
        return body < 0 ? p : movedPoint(this.poses[body], this.run.scene.bodies[body].center, p);
    }

    private screen(body: number, p: Vec): Point {
        return this.slant.put(this.place(body, p), [0, 0]);
    }

    resize(width: number, height: number): void {
        this.sheet.resize(width, height);
        this.slant.resize(width, height);
        this.draw(this.t);
    }

    draw(t: number): void {
        this.t = t;
        this.paint(this.sheet.clear(this.palette.scene), t);
    }

    private paint(pen: Pen, t: number): void {
        const { run, slant, palette, hidden } = this, show = this.shown, k = windowFactor(slant.width, slant.height);
        const before = this.followed >= 0 ? [...this.poses[this.followed].subarray(0, 3)] as Vec : null;
        this.poses.forEach((pose, body) => run.motion.count && run.motion.at(t, body, pose));
        for (const elastic of this.factor !== 1 ? run.scene.elastic ?? [] : [])
            enlarge(run.scene, elastic, this.frames, this.factor, (body, pose) => this.poses[body].set(pose));
        if (before) // the camera goes along
            slant.center = slant.center.map((x, c) => x + this.poses[this.followed][c] - before[c]) as Vec;
        const tints = this.tints.at(t, palette);
        if (show?.traces)
            this.drawTraces(pen, t, k);
        if (show?.ghosts)
            this.drawGhosts(pen, tints, k);
        // far ones first: bodies and pins in one order of depth would need more than lines
        const depth = run.scene.bodies.map((_, i) => dot(this.poses[i].subarray(0, 3) as unknown as Vec, slant.toward));
        const order = depth.map((_, i) => i).sort((a, b) => depth[a] - depth[b]);
        for (const body of order)
            if (!hidden.has(body))
                this.drawBody(pen, body, tints[body], k);
        this.drawMeshes(pen, t, tints, k);
        this.drawSprings(pen, k);
        this.drawJoints(pen, k);
        for (const probe of run.scene.probes)
            circle(pen, this.screen(probe.body, probe.at), size.probe.radius * k).fill({ color: palette.accent })
                .stroke({ color: palette.paper, width: size.probe.ring * k });
        if (show)
            this.drawArrows(pen, t, show, k);
        if (show?.names)
            this.drawNames(pen, k);
    }

    /** A line, or the outline of all its corners with a pale face. */
    private drawBody(pen: Pen, body: number, tint: Tint, k: number): void {
        if (this.beams.has(body)) {
            const picked = this.selected?.what === "body" && elasticOf(this.run.scene, this.selected.index)?.first === body;
            this.curve(pen, body).stroke({
                color: picked ? this.palette.accent : tint.stroke, width: (picked ? 5 : 3) * k, cap: "round", join: "round" });
        }
        const corners = hull(this.bodies[body].map((p) => this.screen(body, p)), 0.5);
        const chosen = this.selected?.what === "body" && this.selected.index === body;
        const style = { color: chosen ? this.palette.accent : tint.stroke, width: (chosen ? 5 : 3) * k, cap: "round" } as const;
        pen.path();
        corners.forEach((p, i) => i ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1]));
        if (corners.length === 1)
            circle(pen, corners[0], 4 * k);
        if (corners.length > 2)
            pen.close().fill({ color: tint.pale, alpha: 0.6 });
        pen.stroke(corners.length > 2 ? { ...style, width: style.width / 1.6 } : style);
    }

    private frames = posed((body) => this.poses[body]);

    /** The curve of a beam on the screen; shared corners once. */
    private places(body: number): { p: Point; frame: number }[] {
        const { beam, parts, lines } = this.beams.get(body)!;
        return lines.flatMap((line, l) => {
            const { at, frame } = trace(beam.pieces![l], parts, this.frames, line);
            return Array.from({ length: line.count }, (_, i) =>
                ({ p: this.slant.put([at[3 * i], at[3 * i + 1], at[3 * i + 2]], [0, 0]), frame: frame[i] })).slice(l ? 1 : 0);
        });
    }

    private curve(pen: Pen, body: number): Pen {
        return polyline(pen, this.places(body).map(({ p }) => p), false);
    }

    private drawGhosts(pen: Pen, tints: Tint[], k: number): void {
        const { run } = this, now = this.poses;
        if (!this.ghostPoses.length)
            this.ghostPoses = ghostTimes(run).map((t) => run.scene.bodies.map((_, body) => run.motion.at(t, body, newPose())));
        for (const poses of this.ghostPoses) {
            this.poses = poses;
            this.bodies.forEach((list, body) => {
                const corners = hull(list.map((p) => this.screen(body, p)), 0.5);
                pen.path();
                corners.forEach((p, i) => i ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1]));
                pen.close().stroke({ color: tints[body].stroke, width: 2 * k, alpha: size.ghost.stroke });
                if (this.beams.has(body))
                    this.curve(pen, body).stroke({ color: tints[body].stroke, width: 2 * k, alpha: size.ghost.stroke });
            });
        }
        this.poses = now;
    }

    private drawTraces(pen: Pen, t: number, k: number): void {
        const p: Point = [0, 0];
        this.traces.forEach(({ probe, path }, i) => {
            const [first, end] = pathWindow(this.traceTime, t), color = traceColor(this.palette, i);
            for (const [from, to, style] of [[0, path.length / 3, { color, width: size.trace.complete * k, alpha: size.trace.alpha }],
                [first, end, { color, width: size.trace.recent * k }]] as const) {
                pen.path();
                for (let n = from; n < to; n++) {
                    this.slant.put([path[3 * n], path[3 * n + 1], path[3 * n + 2]], p);
                    n > from ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1]);
                }
                if (to === end && end > from) { // the strong part meets the probe
                    const { body, at } = this.run.scene.probes[probe], [x, y] = this.screen(body, at);
                    pen.lineTo(x, y);
                }
                pen.stroke(style);
            }
        });
    }

    private drawJoints(pen: Pen, k: number): void {
        const { palette, run, slant } = this;
        run.scene.joints.forEach((joint, i) => {
            if (joint.gear || joint.free || !(joint.at ?? joint.at_b) || this.hidden.has(joint.b))
                return;
            const p = this.screen(joint.b, jointAtB(joint)), q = this.screen(joint.a, jointAt(joint));
            if (joint.kind === "rod")
                line(pen, q, p).stroke({ color: palette.ink, width: 2 * k });
            if (joint.axis && !joint.curve && joint.kind !== "spherical" && joint.kind !== "fixed") { // as far as it lies in the picture
                const axis = joint.a < 0 ? joint.axis : this.turned(joint.a, joint.axis), u = slant.direct(axis);
                const l = 13 * k / (Math.hypot(...axis) || 1);
                line(pen, along(p, u, -l), along(p, u, l)).stroke({ color: palette.ink, width: 1.6 * k });
            }
            if (joint.curve)
                this.drawCurve(pen, joint, k);
            if (grounded(joint) >= 0)
                this.drawGround(pen, joint.a >= 0 ? p : joint.curve ? this.screen(joint.a, joint.curve[0]) : q, k);
            pin(pen, p, k, palette, joint.kind === "spherical" ? 4.6 : 3.6);
            if (this.selected?.what === "joint" && this.selected.index === i)
                circle(pen, p, 10 * k).stroke({ color: palette.accent, width: size.picked * k });
        });
    }

    /** A cam or a track, and the roller. */
    private drawCurve(pen: Pen, joint: JointDef, k: number): void {
        const curve = outline(joint).map((p) => this.screen(joint.a, p));
        const roller = rollerPoints(joint, 32).map((p) => this.screen(joint.b, p));
        polyline(pen, curve, joint.closed ?? false).stroke({ color: this.palette.ink, width: 1.6 * k });
        if (roller.length)
            polyline(pen, roller, true).fill({ color: this.palette.paper }).stroke({ color: this.palette.ink, width: 1.6 * k });
    }

    private drawGround(pen: Pen, at: Point, k: number): void {
        roundBox(pen, at, [1, 0], 6 * k, 6 * k, 1).fill({ color: this.palette.darkSteel });
    }

    private turned(body: number, d: Vec): Vec {
        const { center } = this.run.scene.bodies[body], p = this.place(body, [center[0] + d[0], center[1] + d[1], center[2] + d[2]]);
        return [p[0] - this.poses[body][0], p[1] - this.poses[body][1], p[2] - this.poses[body][2]];
    }

    private drawSprings(pen: Pen, k: number): void {
        for (const spring of this.run.scene.springs) {
            if (!spring.at || !spring.to)
                continue;
            const p = this.screen(spring.a, spring.at), q = this.screen(spring.b, spring.to), long = gap(p, q);
            const u = toward(p, q), n = normal(u);
            if (spring.a < 0 || spring.b < 0)
                this.drawGround(pen, spring.a < 0 ? p : q, k);
            const flanks = 14, ends = 0.12 * long, step = (long - 2 * ends) / flanks;
            pen.path().moveTo(p[0], p[1]);
            for (let i = 0; i < flanks; i++) {
                const r = along(p, u, ends + (i + 0.5) * step, n, (i % 2 ? -5 : 5) * k);
                pen.lineTo(r[0], r[1]);
            }
            pen.lineTo(q[0], q[1]).stroke({ color: this.palette.spring, width: 1.6 * k });
        }
    }

    private arrowsOf(kind: ArrowKind): Vectors | null {
        if (!this.vectors.has(kind)) {
            this.vectors.set(kind, null);
            const found = kind === "reactions" ? reactions(this.run, "force") : kind === "forces" ? forces(this.run, "force")
                : Promise.resolve(velocities(this.run));
            void found.then((list) => {
                this.vectors.set(kind, list);
                this.moved();
            });
        }
        return this.vectors.get(kind) ?? null;
    }

    private drawArrows(pen: Pen, t: number, show: Show, k: number): void {
        const value: Vec = [0, 0, 0];
        for (const kind of ["forces", "reactions", "velocities"] as const) {
            const found = show[kind] ? this.arrowsOf(kind) : null, color = kind === "velocities" ? this.palette.speed : this.palette.force;
            for (const vector of found?.list ?? []) {
                if (vector.opposite && !show.both)
                    continue;
                const p = vector.place ? this.screen(-1, vector.place(t, [0, 0, 0])) : this.screen(vector.body, vector.at);
                const d = this.slant.direct(vector.value(t, value));
                const s = this.arrowFactor * size.arrow.standard * k / (found?.typical || Infinity), long = Math.hypot(...d) * s;
                if (!(long > size.arrow.least * k))
                    continue;
                const u = toward([0, 0], d), tip = along(p, u, long), h = Math.min(size.arrow.head * k, 0.75 * long);
                line(pen, p, along(tip, u, -0.8 * h)).stroke({ color, width: (kind === "velocities" ? 1.5 : 2.6) * k });
                head(pen, tip, u, h, 0.85 * h, color);
            }
        }
    }

    private drawNames(pen: Pen, k: number): void {
        const halo = { color: this.palette.scene, width: size.name.halo };
        for (const { text: name, joint } of this.labels) {
            const def = this.run.scene.joints[joint], p = this.screen(def.b, jointAtB(def));
            const u = toward([this.slant.width / 2, this.slant.height / 2], p);
            pen.text(p[0] + u[0] * size.name.away * k, p[1] + u[1] * size.name.away * k, name,
                { color: this.palette.ink, size: textSize(size.name.size, k), weight: size.name.weight, align: "center", halo });
        }
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
        this.arrowFactor = factor;
        this.draw(this.t);
    }

    meshLook(look: MeshLook): void {
        this.meshFactor = look.factor;
        this.draw(this.t);
    }

    deflection(factor: number): void {
        this.factor = factor;
        this.draw(this.t);
    }

    hide(bodies: ReadonlySet<number>): void {
        this.hidden = bodies;
        this.draw(this.t);
    }

    fit(): void {
        this.slant.fit();
        this.moved();
    }

    look(which: number): void {
        this.slant.look(which);
        this.moved();
    }

    follow(body: number): void {
        this.followed = body;
    }

    select(part: Part | null): void {
        this.selected = part;
        this.draw(this.t);
    }

    pick(x: number, y: number): Part | null {
        const p: Point = [x, y];
        let best = 9, found: Part | null = null;
        const nearer = (d: number, what: Part["what"], index: number): void => {
            if (d < best) {
                best = d;
                found = { what, index, run: 0 };
            }
        };
        this.run.scene.joints.forEach((joint, i) => {
            if (!joint.gear && (joint.at ?? joint.at_b))
                nearer(gap(p, this.screen(joint.b, jointAtB(joint))), "joint", i);
        });
        if (!found)
            this.bodies.forEach((list, body) => {
                const corners = hull(list.map((q) => this.screen(body, q)), 0.5);
                corners.forEach((q, i) => nearer(toSegment(p, q, corners[(i + 1) % corners.length]), "body", body));
                if (this.beams.has(body) && !this.hidden.has(body))
                    this.places(body).forEach((q, i, all) => i && nearer(toSegment(p, all[i - 1].p, q.p), "body", q.frame));
            });
        return found;
    }

    legend(): LegendItem[] {
        const show = this.shown, { palette, run, slant } = this, items: LegendItem[] = [], k = windowFactor(slant.width, slant.height);
        if (show?.traces)
            this.traces.forEach(({ probe }, i) =>
                items.push({ kind: "trace", color: traceColor(palette, i), text: text.traceOf(run.scene.probes[probe].name) }));
        for (const kind of ["reactions", "forces", "velocities"] as const) {
            const found = show?.[kind] ? this.vectors.get(kind) : null;
            if (!found?.list.length || !(found.typical > 0))
                continue;
            const value = roundDown(0.6 * found.typical / this.arrowFactor);
            const pixels = this.arrowFactor * size.arrow.standard * k * value / found.typical;
            const color = kind === "velocities" ? palette.speed : palette.force;
            items.push({ kind: "arrow", color, text: words[kind](quantityText(value, units[kind])), pixels });
        }
        return [...items, ...this.tints.legend(), ...deflectionLegend(run.scene.elastic, this.factor)];
    }

    scaleBar(): null {
        return null;
    }

    svg(t: number): string {
        const { width, height } = this.slant;
        return this.sheet.figure(this.palette.scene, this.run.info.model, t, (pen) => {
            this.paint(pen, t);
            drawCaption(pen, width, height, this.legend(), null, this.palette);
        });
    }

    camera(): string {
        return this.slant.text();
    }

    setCamera(camera: string): void {
        this.slant.setText(camera);
        this.draw(this.t);
    }

    destroy(): void {
        this.silence();
        this.canvas.remove();
    }
}

export const linesView = async (report: Report, theme: Theme): Promise<View> => new LinesView(report, theme);
