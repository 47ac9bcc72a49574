// Surfaces that may touch, where the bodies' own pictures do not show them: lines (ground: hatched) as far as they are needed, circles,
// ellipses. Boxes and points are drawn by their bodies.
import { across, add, cross, dot, scale, sub, type Vec } from "../base/vec.ts";
import type { ContactDef } from "../data/header.ts";
import { newPose, type Run } from "../data/model.ts";
import type { Palette, Tint } from "../look/colors.ts";
import { size } from "../look/sizes.ts";
import type { Pen } from "../pen/pen.ts";
import { line, wall } from "../symbol/ink.ts";
import type { Point } from "../symbol/plane.ts";
import { directionAt, extent, pointAtFrame, spread } from "./facts.ts";
import { outline } from "./hull.ts";
import type { Layout, Poses } from "./layout.ts";
import { contours } from "./outline.ts";

/** A plane of a body (a line in the plane), and how far from its point contacts come. */
export interface Flat { body: number; at: Vec; normal: Vec; low: number; high: number }
/** An outline of a body. */
interface Ring { body: number; points: Vec[] }

const FRAMES = 120, SIDES = 64;
const close = (p: Vec, q: Vec): boolean => Math.hypot(...sub(p, q)) < 1e-12;
type Surfaced = Required<Omit<ContactDef, "variable" | "lower" | "upper" | "planes" | "except">>;
const surfaced = (contacts: ContactDef[] | undefined): Surfaced[] =>
    (contacts ?? []).flatMap(({ name, kind, a, b, at, to, axes, radii, curve }) =>
        a === undefined || b === undefined || !at || !to || !axes ? [] :
            [{ name, kind, a, b, at, to, axes, radii: radii ?? [], curve: curve ?? [] }]);

/** The points of a body that touch one plane, rounded by one radius: corners of a box, ends of a capsule, a ball. */
export interface Corners { body: number; points: Vec[]; radius: number }
export function corners(run: Run): Corners[] {
    const groups = new Map<string, Corners>();
    for (const { name, kind, b, to, radii } of surfaced(run.scene.contacts)) {
        const key = name.replace(/\.\d+$/, ""), known = groups.get(key);
        if (kind === "plane_ball")
            groups.set(key, { body: b, points: [...known?.points ?? [], to], radius: radii[0] ?? 0 });
    }
    return [...groups.values()];
}

/** Planes, each once, as far as what may touch them comes over the run: along the line, in space the distance from the point. */
export function flats(run: Run): Flat[] {
    const list: Flat[] = [], L = extent(run), pose = newPose(), space = run.scene.dimension === 3;
    for (const { kind, a, b, at, to, axes, radii } of surfaced(run.scene.contacts)) {
        if (!kind.startsWith("plane_"))
            continue;
        let flat = list.find((one) => one.body === a && close(one.at, at) && close(one.normal, axes[0]));
        if (!flat)
            list.push(flat = { body: a, at, normal: axes[0], low: Infinity, high: -Infinity });
        const room = Math.max(...radii, 0) + 0.08 * L;
        for (const frame of spread(run.motion.count, FRAMES)) {
            const n = directionAt(run, a, axes[0], frame, pose), u: Vec = [n[1], -n[0], 0];
            const d = sub(pointAtFrame(run, b, to, frame, pose), pointAtFrame(run, a, at, frame, pose)), up = dot(d, n);
            const along = space ? Math.hypot(...sub(d, scale(n, up))) : dot(d, u);
            flat.low = Math.min(flat.low, along - room);
            flat.high = Math.max(flat.high, along + room);
        }
    }
    return [...list, ...space ? [] : wideFlats(run)].filter(({ low, high }) => high > low);
}

/** Calls with each plane that many bodies may touch, the others of its contact, and where the centers of those bodies come. */
function eachWide(run: Run, use: (flat: Side & { body: number }, beside: Side[], come: Vec[]) => void): void {
    const pose = newPose(), most = Math.floor(20000 / (run.scene.bodies.length || 1));
    const frames = spread(run.motion.count, Math.max(4, Math.min(FRAMES, most)));
    for (const { planes = [], b, except = [] } of run.scene.contacts ?? []) {
        const bodies = run.scene.bodies.flatMap((_, i) => b === undefined ? except.includes(i) ? [] : [i] : i === b ? [i] : []);
        for (const flat of planes) {
            const { body, at, normal } = flat, u = across(normal), v = cross(normal, u), come: Vec[] = [];
            for (const frame of frames) {
                const axes = [u, v].map((d) => directionAt(run, body, d, frame, pose)), from = pointAtFrame(run, body, at, frame, pose);
                for (const other of bodies) {
                    const d = sub(pointAtFrame(run, other, run.scene.bodies[other].center, frame, pose), from);
                    if (other !== body)
                        come.push(add(scale(u, dot(d, axes[0])), scale(v, dot(d, axes[1]))));
                }
            }
            use(flat, planes.filter((other) => other !== flat && other.body === body), come);
        }
    }
}
type Side = { at: Vec; normal: Vec };

/** Lines that many bodies may touch: as far as those come, and no farther than the other lines of the same contact. */
function wideFlats(run: Run): Flat[] {
    const list: Flat[] = [], room = 0.08 * extent(run);
    eachWide(run, ({ body, at, normal }, beside, come) => {
        const flat: Flat = { body, at, normal, low: Infinity, high: -Infinity }, u: Vec = [normal[1], -normal[0], 0];
        for (const d of come) {
            flat.low = Math.min(flat.low, dot(d, u) - room);
            flat.high = Math.max(flat.high, dot(d, u) + room);
        }
        for (const other of beside)
            clip(flat, other);
        list.push(flat);
    });
    return list;
}

/** The same in space: outlines. */
export interface Wide { body: number; normal: Vec; points: Vec[] }
export function widePlanes(run: Run): Wide[] {
    const list: Wide[] = [], room = 0.08 * extent(run);
    eachWide(run, ({ body, at, normal }, beside, come) => {
        const u = across(normal), v = cross(normal, u), low = [Infinity, Infinity], high = [-Infinity, -Infinity];
        for (const d of come)
            [u, v].forEach((axis, i) => {
                low[i] = Math.min(low[i], dot(d, axis) - room);
                high[i] = Math.max(high[i], dot(d, axis) + room);
            });
        const corner = (x: number, y: number): Vec => add(at, add(scale(u, x), scale(v, y)));
        let points = [corner(low[0], low[1]), corner(high[0], low[1]), corner(high[0], high[1]), corner(low[0], high[1])];
        for (const other of beside)
            points = cut(points, other);
        if (come.length && points.length > 2)
            list.push({ body, normal, points });
    });
    return list;
}

/** The part of a convex outline on the free side of a plane. */
function cut(points: Vec[], { at, normal }: Side): Vec[] {
    return points.flatMap((p, i): Vec[] => {
        const q = points[(i + 1) % points.length], x = dot(normal, sub(p, at)), y = dot(normal, sub(q, at));
        const between = add(p, scale(sub(q, p), x / (x - y)));
        return [...x >= 0 ? [p] : [], ...x >= 0 !== y >= 0 ? [between] : []];
    });
}

/** Leaves the part of a line that is on the free side of another one of the same body. */
function clip(flat: Flat, other: Side): void {
    const along = dot(other.normal, [flat.normal[1], -flat.normal[0], 0]), up = dot(other.normal, sub(flat.at, other.at));
    if (Math.abs(along) < 1e-9)
        return;
    if (along > 0)
        flat.low = Math.max(flat.low, -up / along);
    else
        flat.high = Math.min(flat.high, -up / along);
}

function circleAt(body: number, center: Vec, x: number, y = x, turn: Vec = [1, 0, 0]): Ring {
    const points = Array.from({ length: SIDES }, (_, i): Vec => {
        const u = x * Math.cos(2 * Math.PI * i / SIDES), v = y * Math.sin(2 * Math.PI * i / SIDES);
        return add(center, [u * turn[0] - v * turn[1], u * turn[1] + v * turn[0], 0]);
    });
    return { body, points };
}

function rings(run: Run): Ring[] {
    const hulls = corners(run).map(({ body, points, radius }): Ring => {
        const all = radius > 0 ? points.flatMap((p) => circleAt(body, p, radius).points) : points;
        return { body, points: all.length > 1 ? outline(all, [0, 0, 1]) : all };
    });
    const list = surfaced(run.scene.contacts).flatMap(({ kind, a, b, at, to, axes, radii: [r = 0, s = 0], curve }): Ring[] => {
        switch (kind) {
        case "plane_ellipsoid":
            return [circleAt(b, to, r, s, axes[1])];
        case "face_ball": { // s: half of its length
            const u: Vec = [s * axes[0][1], -s * axes[0][0], 0];
            return [{ body: a, points: [sub(at, u), add(at, u)] }, circleAt(b, to, r)];
        }
        case "curve_ball":
        case "curve_corner": // there and back, as rings are closed
            return [{ body: a, points: [...curve, ...[...curve].reverse()] }, circleAt(b, to, r)];
        case "ball_ball":
        case "hole_ball":
            return [circleAt(a, at, r), circleAt(b, to, s)];
        default:
            return [];
        }
    });
    const real = [...hulls, ...list].filter(({ points }) => points.length > 1 && !points.every((p) => close(p, points[0])));
    const same = (p: Ring, q: Ring): boolean => p.body === q.body && p.points.length === q.points.length &&
        p.points.every((point, i) => close(point, q.points[i]));
    return real.filter((ring, i) => !real.slice(0, i).some((other) => same(other, ring)));
}

/** What stands on ground: its shapes. */
function standing(run: Run): Ring[] {
    return (run.scene.ground?.shapes ?? []).flatMap(contours).map(({ points, circle }) => circle
        ? circleAt(-1, [circle.center[0], circle.center[1], 0], circle.radius)
        : { body: -1, points: points.map(([x, y]): Vec => [x, y, 0]) });
}

export class Surfaces {
    private flats: Flat[];
    private rings: Ring[];

    constructor(readonly run: Run) {
        const plane = run.scene.dimension === 2 && run.scene.contacts !== undefined;
        this.flats = plane ? flats(run) : [];
        this.rings = [...plane ? rings(run) : [], ...run.scene.dimension === 2 ? standing(run) : []];
    }

    /** What fitting has to see: outlines, ends of lines on ground. */
    reach(include: (x: number, y: number) => void): void {
        const pose = newPose();
        for (const { body, points } of this.rings)
            for (const frame of spread(this.run.motion.count, FRAMES / 2))
                for (const point of points) {
                    const [x, y] = pointAtFrame(this.run, body, point, frame, pose);
                    include(x, y);
                }
        for (const { body, at, normal: [x, y], low, high } of this.flats)
            if (body < 0)
                for (const far of [low, high])
                    include(at[0] + far * y, at[1] - far * x);
    }

    draw(pen: Pen, layout: Layout, poses: Poses, tints: Tint[], look: Palette, hidden: ReadonlySet<number>): void {
        const { k } = layout, from: Point = [0, 0], to: Point = [0, 0];
        for (const { body, at, normal: [x, y], low, high } of this.flats) {
            if (hidden.has(body))
                continue;
            layout.put(poses, body, [at[0] + low * y, at[1] - low * x, 0], from);
            layout.put(poses, body, [at[0] + high * y, at[1] - high * x, 0], to);
            const long = Math.hypot(to[0] - from[0], to[1] - from[1]);
            if (body < 0 && !layout.thin)
                wall(pen, [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2], [-x, y], long, k, look);
            else
                line(pen, from, to)
                    .stroke({ color: body < 0 ? look.ink : tints[body].stroke, width: layout.thin ? 1 : size.slot.stroke * k });
        }
        for (const { body, points } of this.rings) {
            if (hidden.has(body))
                continue;
            pen.path();
            points.forEach((p, i) => {
                layout.put(poses, body, p, to);
                if (i)
                    pen.lineTo(to[0], to[1]);
                else
                    pen.moveTo(to[0], to[1]);
            });
            if (body >= 0 && !this.run.scene.bodies[body].shapes.length)
                pen.close().fill({ color: tints[body].pale });
            pen.close().stroke({ color: body < 0 ? look.ink : tints[body].stroke, width: layout.thin ? 1 : size.bar.stroke * k });
        }
    }
}
