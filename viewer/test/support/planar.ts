// Small planar runs made by hand: poses are given as functions of time, coded as in a page.
import { Blocks } from "../../src/data/decode.ts";
import type { BodyDef, JointDef, SceneDef, Vec3 } from "../../src/data/header.ts";
import { Curves, Motion, Run } from "../../src/data/model.ts";

export type PlanePose = [number, number, number]; // x, y of the mass center, rotation

export function motionOf(time: Float64Array, bodies: ((t: number) => PlanePose)[], smooth = false, size = 4): Motion {
    const n = time.length, values = new Int32Array(7 * bodies.length * n), unit = size / 2 ** 20;
    bodies.forEach((pose, b) => time.forEach((t, k) => {
        const [x, y, angle] = pose(t);
        const row = [x / unit, y / unit, 0, Math.cos(angle / 2) * 2 ** 19, 0, 0, Math.sin(angle / 2) * 2 ** 19];
        row.forEach((value, c) => { values[(7 * b + c) * n + k] = Math.round(value); });
    }));
    return new Motion(time, bodies.length, values, [0, 0, 0], unit, smooth);
}

export const body = (name: string, center: Vec3, points: Vec3[], more: Partial<BodyDef> = {}): BodyDef =>
    ({ name, mass: 1, center, points, shapes: [], ...more });

export const joint = (name: string, kind: string, a: number, b: number, at: Vec3, more: Partial<JointDef> = {}): JointDef =>
    ({ name, kind, a, b, at, at_b: at, axis: [0, 0, 1], ...more });

export function runOf(scene: Partial<SceneDef>, time: Float64Array, poses: ((t: number) => PlanePose)[], smooth = false): Run {
    const whole: SceneDef = {
        dimension: 2, gravity: [0, -9.81, 0], size: 1, bodies: [], joints: [], springs: [], forces: [], probes: [], drivers: [], ...scene,
    };
    const blocks = new Blocks(() => null), def = { label: "", scene: whole, info: { model: "test" }, events: [], curves: [] };
    return new Run(def as unknown as Run["def"], motionOf(time, poses, smooth), new Curves([], blocks), [], blocks);
}

export const times = (count: number, end: number): Float64Array => Float64Array.from({ length: count }, (_, i) => end * i / (count - 1));

/** A rod of length l that hangs from the origin and turns by angle(t) from straight down. */
export function pendulum(angle: (t: number) => number, l = 1, count = 201, end = 2, smooth = false): Run {
    return runOf({
        bodies: [body("rod", [0, -l / 2, 0], [[0, 0, 0], [0, -l, 0]])],
        joints: [joint("pivot", "revolute", -1, 0, [0, 0, 0])],
        probes: [{ name: "tip", body: 0, at: [0, -l, 0] }],
    }, times(count, end), [(t) => [l / 2 * Math.sin(angle(t)), -l / 2 * Math.cos(angle(t)), angle(t)]], smooth);
}
