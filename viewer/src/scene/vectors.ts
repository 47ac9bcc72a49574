// Vectors that arrows show: reactions, forces, moments from curves (read when they are first shown), velocities from the motion.
// Lengths are linear: the 95th percentile of all magnitudes of one kind over the run is one length, the same for plane and space.
import { add, dot, length, scale, sub, unit, type Vec } from "../base/vec.ts";
import { wholeBodies, wholeOf } from "../data/elastic.ts";
import type { ContactDef } from "../data/header.ts";
import { bracket, newPose, valueAt, type Curve, type Pose, type Run } from "../data/model.ts";
import { jointAt, jointAtB, percentile, pointAtFrame, spread } from "./facts.ts";

/** One arrow: it starts at point `at` (model configuration) of a body; `value` reads its components at t. */
export interface Vector {
    name: string;
    body: number;
    at: Vec;
    joint: number; // number of the joint whose reaction it is, else -1
    opposite?: boolean; // on the first body of the joint: shown on demand
    place?(t: number, out: Vec): Vec; // of contacts: where it starts, in the world, instead of `at`
    part?: "normal" | "friction"; // of a contact, whose place is marked with the normal force
    value(t: number, out: Vec): Vec;
}

/** All arrows of one kind and the magnitude that has the standard length (0: nothing to show). */
export interface Vectors { list: Vector[]; typical: number }

const none: Vectors = { list: [], typical: 0 };

async function components(run: Run, part: string, letters: [string, string, string]): Promise<(Curve | null)[] | null> {
    const names = letters.map((letter) => `${part}.${letter}`);
    if (!names.some((name) => run.curves.names.has(name)))
        return null;
    return Promise.all(names.map((name) => run.curves.names.has(name) ? run.curves.get(name).catch(() => null) : null));
}

function fromCurves(curves: (Curve | null)[]): (t: number, out: Vec) => Vec {
    return (t, out) => {
        for (let c = 0; c < 3; c++) {
            const curve = curves[c];
            out[c] = curve ? valueAt(curve, t) : 0;
        }
        return out;
    };
}

function typical(run: Run, list: Vector[]): number {
    const { time } = run.motion, frames = spread(time.length, Math.max(20, Math.min(1000, Math.floor(200000 / (list.length || 1)))));
    const magnitudes = new Float64Array(frames.length * list.length), out: Vec = [0, 0, 0];
    let n = 0;
    for (const vector of list)
        for (const frame of frames) {
            vector.value(time[frame], out);
            const m = Math.hypot(out[0], out[1], out[2]);
            if (Number.isFinite(m))
                magnitudes[n++] = m;
        }
    return percentile(magnitudes.subarray(0, n), 0.95);
}

const kinds = { force: ["fx", "fy", "fz"], moment: ["mx", "my", "mz"] } as const;

/** An action is also a reaction: the same arrow reversed, at the same point (of a rod at its other end). */
function reversed(run: Run, { name, body, at, joint, value, place, part }: Vector): Vector {
    if (joint < 0)
        return { name, body, at, joint, value: negative(value), place, part, opposite: true };
    const def = run.scene.joints[joint], rod = def.kind === "rod";
    return { name, body: rod ? def.a : body, at: rod ? jointAt(def) : at, joint, value: negative(value), opposite: true };
}

/** The common normal of two surfaces in space, towards either side; null: not known. */
function normalOf(run: Pick<Run, "pointAt">, { kind, a, b, at, to, axes }: ContactDef, t: number): Vec | null {
    if (a === undefined || b === undefined || !at || !to)
        return null;
    const from = run.pointAt(a, at, t);
    const n = /_ball$/.test(kind) && !/^(plane|face)_/.test(kind) ? sub(run.pointAt(b, to, t), from)
        : axes && /^(plane|face)_/.test(kind) ? sub(run.pointAt(a, add(at, axes[0]), t), from) : null;
    return n && length(n) > 0 ? unit(n) : null;
}

const LEFT_OVER = 0.01; // of a force: a normal that explains less is not the one of its normal component

/** The normal part of the force of a contact. In the plane it follows from the components, (fn, ft) along n and n turned clockwise. */
export function normalPart(run: Pick<Run, "scene" | "pointAt">, def: ContactDef, total: Vec, fn: number, ft: number, t: number): Vec {
    if (run.scene.dimension === 2) {
        const square = fn * fn + ft * ft;
        return square > 0 ? scale([fn * total[0] - ft * total[1], ft * total[0] + fn * total[1], 0], fn / square) : [0, 0, 0];
    }
    const n = normalOf(run, def, t), along = n ? dot(n, total) : 0;
    return n && Math.abs(Math.abs(along) - Math.abs(fn)) <= LEFT_OVER * length(total) ? scale(n, along) : total;
}

/** Contacts press where their bodies touch, and rub there; stops, which act on variables, have no place. */
async function contacts(run: Run): Promise<Vector[]> {
    const list = await Promise.all((run.scene.contacts ?? []).map(async (def): Promise<Vector[]> => {
        const { name, b } = def;
        const [push, place, parts] = await Promise.all([components(run, name, [...kinds.force]), components(run, name, ["x", "y", "z"]),
            components(run, name, ["fn", "ft1", "ft2"])]);
        if (b === undefined || !push || !place)
            return [];
        const whole = fromCurves(push), share = parts ? fromCurves(parts) : null, local: Vec = [0, 0, 0];
        const common = { name, body: b, at: [0, 0, 0] as Vec, joint: -1, place: fromCurves(place) };
        if (!share)
            return [{ ...common, part: "normal", value: whole }];
        const put = (out: Vec, v: Vec): Vec => Object.assign(out, v);
        const normal = (t: number, out: Vec): Vec => {
            share(t, local);
            whole(t, out);
            return put(out, normalPart(run, def, [out[0], out[1], out[2]], local[0], local[1], t));
        };
        return [{ ...common, part: "normal", value: normal }, { ...common, part: "friction", value: (t, out) => {
            const pressed = normal(t, [0, 0, 0]);
            return put(out, sub(whole(t, out), pressed));
        } }];
    }));
    return list.flat();
}

/** The start of an arrow in the world. */
export const startOf = (run: Run, vector: Vector, t: number): Vec =>
    vector.place ? vector.place(t, [0, 0, 0]) : run.pointAt(vector.body, vector.at, t);

const negative = (value: Vector["value"]): Vector["value"] => (t, out) => {
    value(t, out);
    for (let c = 0; c < 3; c++)
        out[c] = -out[c];
    return out;
};

/** Reactions of joints on their second body, and those on the first; with them contacts. */
export async function reactions(run: Run, kind: "force" | "moment"): Promise<Vectors> {
    const list: Vector[] = [];
    await Promise.all(run.scene.joints.map(async (joint, i) => {
        const curves = await components(run, joint.name, [...kinds[kind]]);
        if (curves)
            list.push({ name: joint.name, body: joint.b, at: jointAtB(joint), joint: i, value: fromCurves(curves) });
    }));
    list.sort((a, b) => a.joint - b.joint);
    if (kind === "force")
        list.push(...await contacts(run));
    const large = list.filter(({ part }) => part !== "friction"); // friction has the scale of the others
    return list.length ? { list: list.flatMap((vector) => [vector, reversed(run, vector)]), typical: typical(run, large) } : none;
}

/** Force elements: what they exert on the bodies they push. A spring is no arrow: its own picture stretches. */
export async function forces(run: Run, kind: "force" | "moment"): Promise<Vectors> {
    const list: Vector[] = [];
    await Promise.all(run.scene.forces.map(async (force) => {
        if (force.body < 0)
            return;
        const body = run.scene.bodies[force.body];
        const letters: [string, string, string] = [...kinds[kind]];
        const curves = await components(run, `${force.name}@${body.name}`, letters) ?? await components(run, force.name, letters);
        if (curves)
            list.push({ name: force.name, body: force.body, at: force.at ?? body.center, joint: -1, value: fromCurves(curves) });
    }));
    return list.length ? { list, typical: typical(run, list) } : none;
}

const ALONG = 9; // arrows of a beam

/** Of mass centers and probes, by central differences of the motion. */
export function velocities(run: Run): Vectors {
    const { scene } = run, list: Vector[] = [], same = new Set<string>();
    const add = (name: string, body: number, at: Vec): void => {
        const key = `${body} ${at.join(" ")}`;
        if (body >= 0 && !same.has(key))
            list.push({ name, body, at, joint: -1, value: (t, out) => velocityAt(run, body, at, t, out) });
        same.add(key);
    };
    for (const probe of scene.probes)
        add(probe.name, probe.body, probe.at);
    for (const whole of wholeBodies(scene)) {
        const parts = wholeOf(scene, whole);
        for (const i of spread(parts.length, ALONG))
            add(scene.bodies[parts[i]].name, parts[i], scene.bodies[parts[i]].center);
    }
    return { list, typical: typical(run, list) };
}

const pose = newPose();
/** Velocity of a point: central differences at the two frames about t, straight between them. */
export function velocityAt(run: Run, body: number, p: Vec, t: number, out: Vec): Vec {
    const { time } = run.motion, n = time.length, { k, share } = bracket(time, t);
    out.fill(0);
    if (n < 2)
        return out;
    for (const [frame, weight] of [[k, 1 - share], [Math.min(k + 1, n - 1), share]]) {
        const before = Math.max(frame - 1, 0), after = Math.min(frame + 1, n - 1), dt = time[after] - time[before];
        if (!(dt > 0) || weight === 0)
            continue;
        const a = pointAtFrame(run, body, p, before, pose), b = pointAtFrame(run, body, p, after, pose);
        for (let c = 0; c < 3; c++)
            out[c] += weight * (b[c] - a[c]) / dt;
    }
    return out;
}

const before: Pose = newPose(), after: Pose = newPose();
/** Angular velocity in the axes of the body: the rotation between the frames beside those about t, straight between them. */
export function spinAt(run: Run, body: number, t: number, out: Vec): Vec {
    const { motion } = run, { time } = motion, n = time.length, { k, share } = bracket(time, t);
    out.fill(0);
    for (const [frame, weight] of n < 2 ? [] : [[k, 1 - share], [Math.min(k + 1, n - 1), share]]) {
        const first = Math.max(frame - 1, 0), last = Math.min(frame + 1, n - 1), dt = time[last] - time[first];
        if (!(dt > 0) || weight === 0)
            continue;
        const [a, b, c, d] = motion.frame(first, body, before).subarray(3), [p, q, r, s] = motion.frame(last, body, after).subarray(3);
        const axis = [a * q - b * p - c * s + d * r, a * r - c * p - d * q + b * s, a * s - d * p - b * r + c * q];
        const sine = Math.hypot(...axis), cosine = a * p + b * q + c * r + d * s;
        const angle = sine > 0 ? 2 * Math.atan2(Math.sign(cosine || 1) * sine, Math.abs(cosine)) / sine : 0;
        for (let i = 0; i < 3; i++)
            out[i] += weight * angle * axis[i] / dt;
    }
    return out;
}

const v: Vec = [0, 0, 0], w: Vec = [0, 0, 0];
/** m v^2/2 + w J w/2, by differences of the motion. */
export function kineticEnergy(run: Run, body: number, t: number): number {
    const { mass, center, inertia } = run.scene.bodies[body];
    velocityAt(run, body, center, t, v);
    spinAt(run, body, t, w);
    const [xx, yy, zz, xy, xz, yz] = inertia?.length === 6 ? inertia : [0, 0, 0, 0, 0, 0], [x, y, z] = w;
    const turning = xx * x * x + yy * y * y + zz * z * z + 2 * (xy * x * y + xz * x * z + yz * y * z);
    return (mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + turning) / 2;
}
