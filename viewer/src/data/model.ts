// A report in memory: runs with their poses, curves and meshes, asked by time. No page, no drawing.
import { turn } from "../base/quat.ts";
import type { Vec } from "../base/vec.ts";
import { Blocks, Damaged } from "./decode.ts";
import type { CurveDef, EventDef, FramesDef, HeaderDef, InfoDef, RunDef, SceneDef } from "./header.ts";
import { FORMAT } from "./header.ts";
import { Mesh } from "./mesh.ts";

/** Place and rotation of a body: x y z of the mass center, quaternion from the model configuration (w first). */
export type Pose = Float64Array;
export const newPose = (): Pose => Float64Array.of(0, 0, 0, 1, 0, 0, 0);

/** Where t lies in ascending times: k and the share of the way from time[k] to time[k + 1], within the ends. */
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

/** Weights of values k - 1 .. k + 2 at a share of the way from k to k + 1: a cubic with slopes by parabolas through three values; at the
 * ends and beside events (equal times) one-sided ones. */
function cubicWeights(time: Float64Array, k: number, share: number, weights: Float64Array): void {
    const h = time[k + 1] - time[k], before = k > 0 ? time[k] - time[k - 1] : 0;
    const behind = k + 2 < time.length ? time[k + 2] - time[k + 1] : 0;
    const s = share, slope0 = s * (1 - s) * (1 - s), slope1 = -s * s * (1 - s), ahead = s * s * (3 - 2 * s);
    weights.fill(0);
    weights[1] = 1 - ahead;
    weights[2] = ahead;
    // slope0 h (difference quotients left and right of k, each weighted by the other's width)
    const left = before > 0 ? h / (h + before) : 0, right = behind > 0 ? h / (h + behind) : 0;
    weights[2] += slope0 * (1 - left) + slope1 * (1 - right);
    weights[1] -= slope0 * (1 - left) + slope1 * (1 - right);
    if (before > 0) {
        weights[1] += slope0 * left * h / before;
        weights[0] -= slope0 * left * h / before;
    }
    if (behind > 0) {
        weights[3] += slope1 * right * h / behind;
        weights[2] -= slope1 * right * h / behind;
    }
}

/** Poses of all bodies at the frames of the page; between them on cubics where the frames are evenly chosen, else on straight lines. */
export class Motion {
    private weights = new Float64Array(4);
    private weightsOf = [-1, -1]; // frame and share: all bodies of a picture ask for the same

    constructor(
        readonly time: Float64Array,
        readonly bodies: number,
        private values: Int32Array, // [body][component][frame]
        private origin: Vec,
        private unit: number,
        private smooth = false,
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
        return normalise(out, square);
    }

    at(t: number, body: number, out: Pose): Pose {
        const { k, share } = bracket(this.time, t);
        return this.between(k, share, body, out);
    }

    /** Between frames k and k + 1; callers that place all bodies bracket the time once. */
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
        const [w0, w1, w2, w3] = this.weights, back = w0 ? 1 : 0, on = w3 ? 2 : 1; // no look beyond the ends
        let at = body * 7 * n + k, square = 0;
        for (let c = 0; c < 7; c++, at += n)
            out[c] = w0 * v[at - back] + w1 * v[at] + w2 * v[at + 1] + w3 * v[at + on];
        for (let c = 0; c < 3; c++)
            out[c] = this.origin[c] + out[c] * this.unit;
        for (let c = 3; c < 7; c++)
            square += out[c] * out[c];
        return normalise(out, square);
    }
}

function normalise(pose: Pose, square: number): Pose {
    const s = square > 0 ? 1 / Math.sqrt(square) : 0;
    pose[3] = s ? pose[3] * s : 1;
    for (let c = 4; c < 7; c++)
        pose[c] *= s;
    return pose;
}

/** Where a point of a body stands: p and center in the model configuration. */
export function placed(pose: Pose, center: Vec, p: Vec): Vec {
    const r = turn(pose.subarray(3), [p[0] - center[0], p[1] - center[1], p[2] - center[2]]);
    return [pose[0] + r[0], pose[1] + r[1], pose[2] + r[2]];
}

export interface Curve extends CurveDef {
    times: Float64Array;
    values: Float32Array | Float64Array;
}

/** Curves of a run, read from their blocks when they are first asked for. */
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
    place(body: number, p: Vec, t: number, pose: Pose = newPose()): Vec {
        return body < 0 ? p : placed(this.motion.at(t, body, pose), this.scene.bodies[body].center, p);
    }
}

export class Report {
    constructor(readonly def: HeaderDef, readonly runs: Run[]) {}

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

/** Reads the header; find gives the text of a block. Poses are read at once, curves and fields when they are asked for. */
export async function readReport(text: string, find: (name: string) => string | null): Promise<Report> {
    let def: HeaderDef;
    try {
        def = JSON.parse(text) as HeaderDef;
    } catch {
        throw new Damaged("the data of this report are damaged or were cut short");
    }
    if (!(def.format >= 1) || !Array.isArray(def.runs) || !def.runs.length)
        throw new Damaged("this page holds no report of biela");
    if (def.format > FORMAT)
        throw new Damaged(`the data are of format ${def.format}, this page knows ${FORMAT}: make the report with the newer biela`);
    const blocks = new Blocks(find);
    const runs = await Promise.all(def.runs.map(async (run) => {
        const even = !run.thinned && ["motion", "kinematics"].includes(run.info.study);
        const motion = await readMotion(blocks, run.frames, run.scene.bodies.length, even);
        const meshes = (run.meshes ?? []).map((mesh) => new Mesh(mesh, blocks));
        return new Run(run, motion, new Curves(run.curves, blocks), meshes, blocks);
    }));
    return new Report(def, runs);
}
