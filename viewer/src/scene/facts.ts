// Properties of a run that both pictures, plane and space, need before they draw. No drawing here, all in SI and world coordinates.
//   extent          L, the length that all proportions refer to (never 0)
//   spread          frames evenly over the run, for questions about the complete motion
//   percentile, median, roundDown, roundNear (1-2-5 numbers)
//   travel          where a joint's second body goes along the axis
//   groundSide      the direction of ground
//   coincidentJoints  joints that always coincide share one mark and one name
//   commonName      the name of coinciding joints
//   chosenTraces    probes whose path is worth drawing; traceTimes, tracePath, pathWindow
//   ghostTimes      four times over one period or over the window
//   gearRadii       pitch radii from ratio and distance
//   tintOf          which of the six tints a body has
//   namesByDefault
// Arrows (which curves, how long) are in vectors.ts.
import { rotate } from "../base/quat.ts";
import { cross, distance, dot, length, scale, sub, unit, type Vec } from "../base/vec.ts";
import { bodyOrder, elasticOf, wholeBodies, wholeOf } from "../data/elastic.ts";
import type { JointDef, SceneDef, Shape } from "../data/header.ts";
import { movedPoint, newPose, type Motion, type Pose, type Run } from "../data/model.ts";

// ---- numbers

/** The value that a share p of all are not above; values are sorted in place. */
export function percentile(values: Float64Array, p: number): number {
    if (!values.length)
        return 0;
    values.sort();
    return values[Math.min(values.length - 1, Math.max(0, Math.ceil(p * values.length) - 1))];
}

export const median = (values: number[]): number => percentile(Float64Array.from(values), 0.5);

const steps = [1, 2, 5, 10];
/** The largest of 1, 2, 5 times a power of ten that is not above x. */
export function roundDown(x: number): number {
    if (!(x > 0) || !Number.isFinite(x))
        return 1;
    const power = 10 ** Math.floor(Math.log10(x) + 1e-12), m = x / power;
    return power * (m >= 5 * (1 - 1e-9) ? 5 : m >= 2 * (1 - 1e-9) ? 2 : 1);
}

/** The nearest one, by ratio. */
export function roundNear(x: number): number {
    if (!(x > 0) || !Number.isFinite(x))
        return 1;
    const power = 10 ** Math.floor(Math.log10(x)), m = x / power;
    return power * steps.reduce((best, s) => Math.abs(Math.log(s / m)) < Math.abs(Math.log(best / m)) ? s : best);
}

// ---- the complete run

/** At most `count` frames, evenly, with the first and the last. */
export function spread(frames: number, count: number): number[] {
    if (frames <= count)
        return Array.from({ length: frames }, (_, k) => k);
    return Array.from({ length: count }, (_, i) => Math.round(i * (frames - 1) / (count - 1)));
}

/** Where a point of a body (-1: ground; none: gears) is at a frame. */
export function pointAtFrame(run: Run, body: number, p: Vec, frame: number, pose: Pose = newPose()): Vec {
    return !(body >= 0) ? p : movedPoint(run.motion.frame(frame, body, pose), run.scene.bodies[body].center, p);
}

/** A direction of a body at a frame. */
export function directionAt(run: Run, body: number, d: Vec, frame: number, pose: Pose = newPose()): Vec {
    return !(body >= 0) ? d : rotate(run.motion.frame(frame, body, pose).subarray(3), d);
}

/** L: diagonal of the box of all joint points; of a model without two of them the reach of its motion. */
export function extent(run: Run): number {
    if (run.scene.size > 0)
        return run.scene.size;
    const low: Vec = [Infinity, Infinity, Infinity], high: Vec = [-Infinity, -Infinity, -Infinity];
    const pose = newPose();
    for (const frame of spread(run.motion.count, 60))
        run.scene.bodies.forEach((def, body) => {
            for (const p of [def.center, ...def.points, ...def.shapes.flatMap(shapePoints)])
                pointAtFrame(run, body, p, frame, pose).forEach((x, c) => {
                    low[c] = Math.min(low[c], x);
                    high[c] = Math.max(high[c], x);
                });
        });
    const size = distance(low, high);
    return size > 0 && Number.isFinite(size) ? size : 1;
}

/** Points between which a shape lies: for boxes about everything. */
export function shapePoints(shape: Shape): Vec[] {
    const around = (center: Vec, radius: number): Vec[] =>
        [0, 1, 2].flatMap((c) => [-radius, radius].map((r) => center.map((x, i) => i === c ? x + r : x) as Vec));
    switch (shape.kind) {
    case "rod":
        return [shape.from, shape.to];
    case "box": {
        const axes = shape.axes ?? [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
        return [0, 1, 2, 3, 4, 5, 6, 7].map((corner) => shape.center.map((x, i) =>
            x + axes.reduce((sum, axis, c) => sum + (corner >> c & 1 ? 0.5 : -0.5) * shape.size[c] * axis[i], 0)) as Vec);
    }
    case "cylinder":
    case "wheel":
        return [...around(shape.from, shape.radius), ...around(shape.to, shape.radius)];
    case "sphere":
    case "disc":
        return around(shape.center, shape.radius);
    case "polygon":
    case "points":
        return shape.points;
    case "mesh": {
        if (!Array.isArray(shape.vertices))
            return [];
        const flat = shape.vertices;
        return Array.from({ length: flat.length / 3 }, (_, i) => [flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]] as Vec);
    }
    default:
        return [];
    }
}

/** The joint's position on its two bodies in the model configuration. */
export const jointAt = (joint: JointDef): Vec => joint.at ?? joint.at_b ?? [0, 0, 0];
export const jointAtB = (joint: JointDef): Vec => joint.to ?? joint.at_b ?? joint.at ?? [0, 0, 0];

/** Against gravity; without gravity y in the plane and z in space. */
export function upward(scene: SceneDef): Vec {
    if (scene.dimension === 2)
        return [0, 1, 0];
    return length(scene.gravity) > 0 ? unit(scale(scene.gravity, -1)) : [0, 0, 1];
}

// ---- joints

/** Least and largest position of b's point along the axis over the run, in m from a's point. */
export function travel(run: Run, joint: JointDef): [number, number] {
    const axis = joint.axis ?? joint.axis_b;
    if (!axis || length(axis) === 0 || run.motion.count === 0)
        return [0, 0];
    const e = unit(axis), pose = newPose();
    let low = Infinity, high = -Infinity;
    for (const frame of spread(run.motion.count, 400)) {
        const from = pointAtFrame(run, joint.a, jointAt(joint), frame, pose), to = pointAtFrame(run, joint.b, jointAtB(joint), frame, pose);
        const s = dot(sub(to, from), directionAt(run, joint.a, e, frame, pose));
        low = Math.min(low, s);
        high = Math.max(high, s);
    }
    return Number.isFinite(low) && Number.isFinite(high) ? [low, high] : [0, 0];
}

/** The moving body of a joint with ground, or -1 where there is none. */
export const grounded = (joint: JointDef): number => joint.a < 0 ? joint.b : joint.b < 0 ? joint.a : -1;

/**
 * Ground is drawn where the body never is: of the candidates (down first, it has a bonus) the one with the least largest cosine
 * between it and the direction from the joint to the body's center over the run. The center may lie in the joint: then its points.
 * Coinciding joints have ground on the same side.
 */
export function groundSide(run: Run, joints: JointDef | JointDef[], candidates: Vec[]): Vec {
    const bonus = (i: number): number => i === 0 ? -0.3 : 0, cosines: number[] = candidates.map(() => -1);
    let seen = 0;
    for (const joint of Array.isArray(joints) ? joints : [joints])
        seen += nearness(run, joint, candidates, cosines);
    if (!seen)
        return candidates[0];
    let best = 0;
    for (let i = 1; i < candidates.length; i++)
        if (cosines[i] + bonus(i) < cosines[best] + bonus(best) - 1e-6)
            best = i;
    return candidates[best];
}

/** Raises the largest cosine of each candidate where this joint's body comes nearer; returns the number of points used. */
function nearness(run: Run, joint: JointDef, candidates: Vec[], cosines: number[]): number {
    const body = grounded(joint);
    if (body < 0)
        return 0;
    const def = run.scene.bodies[body], [at, base] = joint.a < 0 ? [jointAtB(joint), jointAt(joint)] : [jointAt(joint), jointAtB(joint)];
    const near = 0.01 * extent(run), away = (p: Vec): boolean => distance(p, at) > near, rod = joint.kind === "rod", pose = newPose();
    // of a rod it is the rod itself that leaves ground
    const seen = (rod ? [at] : away(def.center) ? [def.center] : def.points.filter(away)).map((p) => ({ body, p }));
    if (elasticOf(run.scene, body)) // where the beam is
        for (const frame of spread(wholeOf(run.scene, body).length, 5).map((i) => wholeOf(run.scene, body)[i]))
            if (away(run.scene.bodies[frame].center))
                seen.push({ body: frame, p: run.scene.bodies[frame].center });
    for (const frame of spread(run.motion.count, 120)) {
        const foot = rod ? base : pointAtFrame(run, body, at, frame, pose);
        for (const { body: part, p } of seen) {
            const direction = unit(sub(pointAtFrame(run, part, p, frame, pose), foot));
            candidates.forEach((d, i) => { cosines[i] = Math.max(cosines[i], dot(d, direction)); });
        }
    }
    return run.motion.count ? seen.length : 0;
}

/** Down, up and the sides: four candidates in the plane, six in space (down first). */
export function groundSides(scene: SceneDef): Vec[] {
    const up = upward(scene), down = scale(up, -1);
    if (scene.dimension === 2)
        return [down, up, [-1, 0, 0], [1, 0, 0]];
    const e = Math.abs(up[0]) < 0.9 ? unit(sub([1, 0, 0], scale(up, up[0]))) : [0, 1, 0] as Vec, n = cross(up, e);
    return [down, up, e, scale(e, -1), n, scale(n, -1)];
}

/** Joints (by number) that always coincide, in the order of the scene; each joint is in one of the lists. */
export function coincidentJoints(run: Run): number[][] {
    const near = 1e-3 * extent(run), frames = spread(run.motion.count, 5), pose = newPose();
    const lists: { path: Vec[]; joints: number[] }[] = [];
    const grid = new Map<string, typeof lists>(); // by the position at the first frame, so that many joints stay cheap
    run.scene.joints.forEach((joint, i) => {
        if (joint.gear || !(joint.at ?? joint.at_b))
            return;
        const path = frames.map((frame) => pointAtFrame(run, joint.b, joint.at_b ?? joint.at ?? [0, 0, 0], frame, pose));
        const start = path[0] ?? joint.at ?? [0, 0, 0], cell = start.map((x) => Math.round(x / (4 * near)));
        for (let dx = -1; dx <= 1; dx++)
            for (let dy = -1; dy <= 1; dy++)
                for (const list of grid.get(`${cell[0] + dx} ${cell[1] + dy}`) ?? [])
                    if (list.path.every((p, k) => distance(p, path[k]) < near)) {
                        list.joints.push(i);
                        return;
                    }
        const list = { path, joints: [i] }, key = `${cell[0]} ${cell[1]}`;
        lists.push(list);
        grid.set(key, [...grid.get(key) ?? [], list]);
    });
    return lists.map((list) => list.joints);
}

/** A1 and A2 are A; names without a common beginning: the first. */
export function commonName(names: string[]): string {
    let common = names[0] ?? "";
    for (const name of names)
        while (!name.startsWith(common))
            common = common.slice(0, -1);
    return common.replace(/[-_.\s]+$/, "") || (names[0] ?? "");
}

/**
 * Pitch radii of a gear between two turning joints with parallel axes d apart: external for ratio < 0, internal for ratio > 0.
 * The model has no radii: these follow from ratio and distance. null where there are none.
 */
export function gearRadii(d: number, ratio: number): { r1: number; r2: number; internal: boolean } | null {
    const a = Math.abs(ratio), internal = ratio > 0;
    if (!(d > 0) || !(a > 0) || !Number.isFinite(a) || internal && Math.abs(1 - a) < 1e-9)
        return null;
    const r1 = d * a / (internal ? Math.abs(1 - a) : 1 + a);
    return { r1, r2: r1 / a, internal };
}

/** The ratio of a relation as pictures show it, with `more` behind it; functions have none. */
export const ratioText = (joint: JointDef, more = ""): string =>
    joint.gear?.ratio === undefined ? "f(x)" : String(Number(joint.gear.ratio.toPrecision(4))).replace("-", "\u2212") + more;

/** The same for every kind of relation. The model does not determine all: pulleys fit into their distance, rings are a share of `size`. */
export function relationRadii(kind: string, d: number, ratio: number, size: number): { r1: number; r2: number; internal: boolean } | null {
    const a = Math.abs(ratio);
    if (!(a > 0) || !Number.isFinite(a))
        return null;
    if (kind === "belt")
        return d > 0 ? { r1: 0.6 * d * a / (1 + a), r2: 0.6 * d / (1 + a), internal: false } : null;
    if (kind === "rack_and_pinion")
        return { r1: a, r2: 0, internal: false };
    if (kind === "planetary_gear")
        return { r1: 0.12 * size * Math.min(a, 0.6), r2: 0.12 * size, internal: true };
    return gearRadii(d, ratio);
}

// ---- traces and ghosts

const FINE = 2000; // points of a path whose frames are few
const FINEST = 32; // of them between two frames

/** Times of the points of a path: the frames, and times between them where these are few and the motion between them is smooth. */
export function traceTimes(motion: Motion): Float64Array {
    const { time, count } = motion, parts = motion.smooth && count > 1 ? Math.min(FINEST, Math.floor(FINE / (count - 1))) : 1;
    if (parts < 2)
        return time;
    const out: number[] = [];
    for (let k = 0; k + 1 < count; k++) {
        const gap = time[k + 1] - time[k], pieces = gap > 0 ? parts : 1; // at an event there are two frames of one time
        for (let i = 0; i < pieces; i++)
            out.push(time[k] + gap * i / pieces);
    }
    out.push(time[count - 1]);
    return Float64Array.from(out);
}

/** Path of a point over these times, x y z one after the other. */
export function tracePath(run: Run, body: number, p: Vec, times: Float64Array): Float64Array {
    const path = new Float64Array(3 * times.length), pose = newPose(), frames = times === run.motion.time;
    times.forEach((t, k) => path.set(frames ? pointAtFrame(run, body, p, k, pose) : run.pointAt(body, p, t, pose), 3 * k));
    return path;
}

/** Probes that travel more than 3 % of L and not along a straight line (1 %): such a line hides rail and spring. */
export function chosenTraces(run: Run): number[] {
    const size = extent(run), frames = spread(run.motion.count, 200), pose = newPose();
    return run.scene.probes.map((_, i) => i).filter((i) => {
        const probe = run.scene.probes[i];
        if (probe.body < 0)
            return false;
        const path = frames.map((frame) => pointAtFrame(run, probe.body, probe.at, frame, pose));
        const far = farthest(path, path[0]), other = farthest(path, far), line = unit(sub(other, far));
        if (!(distance(far, other) > 0.03 * size))
            return false;
        const off = path.map((p) => length(cross(sub(p, far), line)));
        return Math.max(...off) > 0.01 * distance(far, other);
    });
}

function farthest(path: Vec[], from: Vec): Vec {
    return path.reduce((best, p) => distance(p, from) > distance(best, from) ? p : best, from);
}

/** Points of the complete path that are drawn strongly at t: the last fifth of the run up to now. First point and one past the last. */
export function pathWindow(time: Float64Array, t: number): [number, number] {
    const n = time.length;
    if (!n)
        return [0, 0];
    const start = t - (time[n - 1] - time[0]) / 5;
    return [lowerBound(time, start), lowerBound(time, t)];
}

function lowerBound(time: Float64Array, t: number): number {
    let low = 0, high = time.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (time[middle] < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/** The time after which all bodies have returned to where they began; the complete run if that never happens. */
export function period(run: Run): number {
    const { motion } = run, n = motion.count, near = 5e-3 * extent(run), away = 0.03 * extent(run);
    if (n < 3)
        return n ? motion.time[n - 1] - motion.time[0] : 0;
    const frames = spread(n, 2000), bodies = spread(motion.bodies, 40), pose = newPose();
    const first = bodies.map((body) => Array.from(motion.frame(0, body, newPose())));
    let left = false, best = Infinity, end = -1;
    for (const k of frames) {
        let gap = 0;
        bodies.forEach((body, i) => {
            motion.frame(k, body, pose);
            const moved = Math.hypot(pose[0] - first[i][0], pose[1] - first[i][1], pose[2] - first[i][2]);
            gap = Math.max(gap, moved, rotationBetween(pose, first[i]) * extent(run));
        });
        left ||= gap > away;
        if (!left)
            continue;
        if (gap < 4 * near && gap < best) {
            best = gap;
            end = k;
        } else if (end >= 0 && gap > 4 * near)
            break;
    }
    return motion.time[end > 0 && best < 2 * near ? end : n - 1] - motion.time[0];
}

function rotationBetween(a: ArrayLike<number>, b: ArrayLike<number>): number {
    return 1 - Math.abs(a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6]);
}

/** Four times evenly over one period (the last one would be the first again) or over the window chosen. */
export function ghostTimes(run: Run, window?: [number, number]): number[] {
    const start = window?.[0] ?? run.motion.time[0] ?? 0, span = window ? window[1] - window[0] : period(run);
    return [0, 1, 2, 3].map((i) => start + span * i / 4);
}

// ---- colors and names

/** Which tint a body has: in turn, by its structural group, or the first for all. */
export function tintOf(scene: SceneDef, body: number, by: string): number {
    if (by === "one")
        return 0;
    if (by === "group" && scene.groups) {
        const group = scene.groups.findIndex((g) => g.bodies.includes(body));
        return group < 0 ? 5 : group % 6;
    }
    return bodyOrder(scene, body) % 6;
}

/** Names are on at first unless there are many bodies. */
export const namesByDefault = (scene: SceneDef): boolean => wholeBodies(scene).length <= 12;
