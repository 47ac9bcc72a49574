// A report in memory: runs with their poses, curves and meshes as functions of time. No page, no drawing.
import { rotate } from "../base/quat.ts";
import type { Vec } from "../base/vec.ts";
import { Blocks, Damaged } from "./decode.ts";
import type { CurveDef, EventDef, FramesDef, HeaderDef, InfoDef, RunDef, SceneDef } from "./header.ts";
import { bridge } from "./elastic.ts";
import { FORMAT } from "./header.ts";
import { Mesh } from "./mesh.ts";

/** Place and rotation of a body: x y z of the mass center, quaternion from the model configuration (w first). */
export type Pose = Float64Array;
export const newPose = (): Pose => Float64Array.of(0, 0, 0, 1, 0, 0, 0);

/** Where t lies in ascending times: k and the fraction from time[k] to time[k + 1], within the ends. */
export function bracket(time: ArrayLike<number>, t: number): { k: number; share: number } {
    const last = time.length - 1;
    if (last < 1 || !(t > time[0]))
        return { k: 0, share: 0 };
    if (t >= time[last])
        return { k: last - 1, share: 1 };
    let low = 0, high = last;
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (time[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    const width = time[high] - time[low];
    return { k: low, share: width > 0 ? (t - time[low]) / width : 1 };
}

/** Weights of values k - 1 .. k + 2 at a fraction from k to k + 1: a cubic with slopes of parabolas through three values. At the
 * ends and beside events (equal times) all three lie on one side. */
function cubicWeights(time: Float64Array, k: number, share: number, weights: Float64Array): void {
    const h = time[k + 1] - time[k], before = k > 0 ? time[k] - time[k - 1] : 0;
    const behind = k + 2 < time.length ? time[k + 2] - time[k + 1] : 0;
    const s = share, slope0 = s * (1 - s) * (1 - s), slope1 = -s * s * (1 - s), ahead = s * s * (3 - 2 * s);
    weights.fill(0);
    weights[1] = 1 - ahead;
    weights[2] = ahead;
    // a slope is the straight one of this interval, and a share of what it differs by from the neighbor's: h times the differences
    const slope = (factor: number, share0: number, share3: number): void => {
        weights[2] += factor * (1 - share0 - share3);
        weights[1] -= factor * (1 - share0 - share3);
        if (share0) {
            weights[1] += factor * share0 * h / before;
            weights[0] -= factor * share0 * h / before;
        }
        if (share3) {
            weights[3] += factor * share3 * h / behind;
            weights[2] -= factor * share3 * h / behind;
        }
    };
    const left = before > 0 ? h / (h + before) : 0, right = behind > 0 ? h / (h + behind) : 0;
    slope(slope0, left, left ? 0 : -right);
    slope(slope1, right ? 0 : -left, right);
}

/** Poses of all bodies at the frames of the page; between them on cubics where the frames are evenly chosen, else on straight lines. */
export class Motion {
    private weights = new Float64Array(4);
    private weightsOf = [-1, -1]; // frame and fraction: the same for all bodies of a picture

    constructor(
        readonly time: Float64Array,
        readonly bodies: number,
        private values: Int32Array, // [body][component][frame]
        private origin: Vec,
        private unit: number,
        readonly smooth = false,
    ) {}

    get count(): number {
        return this.time.length;
    }

    frame(k: number, body: number, out: Pose): Pose {
        const n = this.time.length;
        let at = body * 7 * n + k, square = 0;
        for (let c = 0; c < 3; c++, at += n)
            out[c] = this.origin[c] + this.values[at] * this.unit;
        for (let c = 3; c < 7; c++, at += n) {
            out[c] = this.values[at];
            square += out[c] * out[c];
        }
        return normalize(out, square);
    }

    at(t: number, body: number, out: Pose): Pose {
        const { k, share } = bracket(this.time, t);
        return this.between(k, share, body, out);
    }

    /** Between frames k and k + 1; callers that need all bodies bracket the time once. */
    between(k: number, share: number, body: number, out: Pose): Pose {
        if (share === 0 || this.time.length < 2)
            return this.frame(k, body, out);
        if (share === 1)
            return this.frame(k + 1, body, out);
        const n = this.time.length, v = this.values;
        if (this.weightsOf[0] !== k || this.weightsOf[1] !== share) {
            this.weightsOf = [k, share];
            if (this.smooth)
                cubicWeights(this.time, k, share, this.weights);
            else
                this.weights.set([0, 1 - share, share, 0]);
        }
        const [w0, w1, w2, w3] = this.weights, back = w0 ? 1 : 0, on = w3 ? 2 : 1; // nothing beyond the ends is read
        let at = body * 7 * n + k, square = 0;
        for (let c = 0; c < 7; c++, at += n)
            out[c] = w0 * v[at - back] + w1 * v[at] + w2 * v[at + 1] + w3 * v[at + on];
        for (let c = 0; c < 3; c++)
            out[c] = this.origin[c] + out[c] * this.unit;
        for (let c = 3; c < 7; c++)
            square += out[c] * out[c];
        return normalize(out, square);
    }
}

function normalize(pose: Pose, square: number): Pose {
    const s = square > 0 ? 1 / Math.sqrt(square) : 0;
    pose[3] = s ? pose[3] * s : 1;
    for (let c = 4; c < 7; c++)
        pose[c] *= s;
    return pose;
}

/** Position of a point of a body: p and center in the model configuration. */
export function movedPoint(pose: Pose, center: Vec, p: Vec): Vec {
    const r = rotate(pose.subarray(3), [p[0] - center[0], p[1] - center[1], p[2] - center[2]]);
    return [pose[0] + r[0], pose[1] + r[1], pose[2] + r[2]];
}

export interface Curve extends CurveDef {
    times: Float64Array;
    values: Float32Array | Float64Array;
}

/** Curves of a run, read from their blocks when they are first requested. */
export class Curves {
    private kept = new Map<string, Promise<Curve>>();
    private ready = new Map<string, Curve>();
    readonly names: Map<string, CurveDef>;

    constructor(readonly list: CurveDef[], private blocks: Blocks) {
        this.names = new Map(list.map((def) => [def.name, def]));
    }

    /** Adds one that is computed in the page. */
    add(curve: Curve): void {
        this.list.push(curve);
        this.names.set(curve.name, curve);
        this.ready.set(curve.name, curve);
        this.kept.set(curve.name, Promise.resolve(curve));
    }

    get(name: string): Promise<Curve> {
        let found = this.kept.get(name);
        if (!found) {
            found = this.read(name);
            this.kept.set(name, found);
        }
        return found;
    }

    /** The one that was read before, else undefined. */
    now(name: string): Curve | undefined {
        return this.ready.get(name);
    }

    private async read(name: string): Promise<Curve> {
        const def = this.names.get(name);
        if (!def)
            throw new Damaged(`there is no curve ${name}`);
        const [times, all] = await Promise.all([this.blocks.times(def.time), this.blocks.floats(def.block)]);
        if (def.at < 0 || def.at + def.count > all.length || times.length !== def.count)
            throw new Damaged(`curve ${name} does not fit its block`);
        const curve = { ...def, times, values: all.subarray(def.at, def.at + def.count) };
        this.ready.set(name, curve);
        return curve;
    }
}

/** Value of a curve at a time, on a straight line between its samples; NaN in gaps. */
export function valueAt(curve: Curve, t: number): number {
    if (!curve.times.length)
        return NaN;
    const { k, share } = bracket(curve.times, t), v = curve.values;
    if (share === 0 || v.length < 2)
        return v[k];
    return share === 1 ? v[k + 1] : v[k] + share * (v[k + 1] - v[k]);
}

/** What the curves of a body are called by: its name, marked where a probe has the same. */
export const bodyLabel = (scene: SceneDef, name: string): string =>
    scene.probes.some((probe) => probe.name === name) ? `${name} (body)` : name;

/** Probes and bodies of one name keep their curves apart. */
function nameBodies(run: RunDef): void {
    for (const curve of run.curves)
        if (curve.of === "body" && curve.name.startsWith(`${curve.part}.`))
            curve.name = bodyLabel(run.scene, curve.part) + curve.name.slice(curve.part.length);
}

export class Run {
    constructor(
        readonly def: RunDef,
        readonly motion: Motion,
        readonly curves: Curves,
        readonly meshes: Mesh[],
        readonly blocks: Blocks,
    ) {}

    get label(): string {
        return this.def.label;
    }
    get scene(): SceneDef {
        return this.def.scene;
    }
    get info(): InfoDef {
        return this.def.info;
    }
    get events(): EventDef[] {
        return this.def.events;
    }

    /** Where point p (model configuration) of a body is at t; -1 is ground. */
    pointAt(body: number, p: Vec, t: number, pose: Pose = newPose()): Vec {
        return !(body >= 0) ? p : movedPoint(this.motion.at(t, body, pose), this.scene.bodies[body].center, p);
    }
}

/** Do the names of at least half the bodies agree? Scenes without bodies count as equal: nothing that is drawn differs. */
function haveSameBodies(a: SceneDef, b: SceneDef): boolean {
    const names = new Set(a.bodies.map((body) => body.name)), least = Math.min(names.size, b.bodies.length);
    return b.bodies.filter((body) => names.has(body.name)).length >= least / 2;
}

/** At most so many runs are shown at once; of more runs the first one, the reference of all differences, and the chosen one. */
const MOST_AT_ONCE = 4;

export class Report {
    private readonly sameBodies: boolean[]; // as the first run

    constructor(readonly def: HeaderDef, readonly runs: Run[]) {
        this.sameBodies = runs.map((run) => haveSameBodies(runs[0].scene, run.scene));
    }

    get many(): boolean {
        return this.runs.length > MOST_AT_ONCE;
    }

    /** Numbers of the runs that scene and plots show: over the first one those of the same bodies, others when they are chosen. */
    seen(chosen: number): number[] {
        const shown = (index: number): boolean => index === 0 || index === chosen || (!this.many && this.sameBodies[index]);
        return this.runs.map((_, index) => index).filter(shown);
    }

    /** First and last time of all runs. */
    get span(): [number, number] {
        const first = Math.min(...this.runs.map((run) => run.motion.time[0] ?? 0));
        const last = Math.max(...this.runs.map((run) => run.motion.time[run.motion.count - 1] ?? 0));
        return [first, last];
    }
}

async function readMotion(blocks: Blocks, frames: FramesDef, bodies: number, smooth: boolean): Promise<Motion> {
    const time = await blocks.times(frames.time);
    if (time.length !== frames.count)
        throw new Damaged(`${time.length} times where ${frames.count} were announced`);
    const values = bodies ? await blocks.differences(frames.poses.block, 7 * bodies, frames.count, frames.poses.order) : new Int32Array(0);
    return new Motion(time, bodies, values, frames.poses?.origin ?? [0, 0, 0], (frames.poses?.size ?? 1) / 2 ** (frames.poses?.bits ?? 20),
        smooth);
}

/** What every part of the page relies on. */
function check(run: RunDef): void {
    const lists = (of: unknown, ...names: string[]): string | undefined =>
        names.find((name) => !Array.isArray((of as Record<string, unknown>)[name]));
    const missing = (["scene", "info", "frames"] as const).find((name) => typeof run?.[name] !== "object" || !run[name]) ??
        lists(run, "curves", "events") ?? lists(run.scene, "bodies", "joints", "springs", "forces", "probes", "drivers");
    if (missing)
        throw new Damaged(`a run of this report has no ${missing}: the file is damaged`);
}

/** Probes of a field without displacement hold its value, although the file calls them positions. */
function nameValues(run: RunDef): void {
    for (const curve of run.curves) {
        const probe = curve.of === "probe" ? run.scene.probes.find((one) => one.name === curve.part) : undefined;
        const mesh = probe?.mesh ? run.meshes?.find((one) => one.name === probe.mesh) : undefined;
        if (!mesh || mesh.fields.some((field) => field.name === "displacement"))
            continue;
        const value = mesh.fields.find((field) => field.name === "value"), rate = mesh.fields.find((field) => field.name === "rate");
        Object.assign(curve, curve.quantity === "velocity" ? { quantity: "rate", unit: rate?.unit ?? "" }
            : { quantity: "value", unit: value?.unit ?? "" });
    }
}

/** Meshes of shapes are stored in blocks; from here on they are arrays, as small ones are in the header. */
async function readShapes(blocks: Blocks, scene: SceneDef): Promise<void> {
    for (const shape of [...scene.bodies.flatMap((body) => body.shapes ?? []), ...scene.ground?.shapes ?? []]) {
        if (shape.kind !== "mesh" || Array.isArray(shape.vertices) || Array.isArray(shape.triangles))
            continue;
        const { vertices, triangles } = shape;
        const [positions, corners] = await Promise.all([blocks.floats(vertices.block), blocks.integers(triangles.block)]);
        if (positions.length !== 3 * vertices.count || corners.length !== 3 * triangles.count || corners.some((i) => i >= vertices.count))
            throw new Damaged("a shape does not fit its blocks");
        shape.vertices = Array.from(positions);
        shape.triangles = Array.from(corners);
    }
}

/** Reads the header; find gives the text of a block. Poses are read at once, curves and fields when they are requested. */
export async function readReport(text: string, find: (name: string) => string | null): Promise<Report> {
    let def: HeaderDef;
    try {
        def = JSON.parse(text) as HeaderDef;
    } catch {
        throw new Damaged("the data of this report are damaged or were cut short");
    }
    if (!(def?.format >= 1) || !Array.isArray(def.runs) || !def.runs.length)
        throw new Damaged("this page holds no report of biela");
    if (def.format > FORMAT)
        throw new Damaged(`the data are of format ${def.format}, this page knows ${FORMAT}: make the report with the newer biela`);
    def.runs.forEach(check);
    const blocks = new Blocks(find);
    const runs = await Promise.all(def.runs.map(async (run) => {
        await readShapes(blocks, run.scene);
        nameValues(run);
        nameBodies(run);
        bridge(run.scene, run.meshes ?? []);
        const even = !run.thinned && ["motion", "kinematics"].includes(run.info.study);
        const motion = await readMotion(blocks, run.frames, run.scene.bodies.length, even);
        const meshes = (run.meshes ?? []).map((mesh) => new Mesh(mesh, blocks));
        return new Run(run, motion, new Curves(run.curves, blocks), meshes, blocks);
    }));
    return new Report(def, runs);
}
