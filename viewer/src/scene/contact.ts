// Joints with a curve, cams and tracks: what they add to the picture of their bodies.
import { add, cross, dot, scale, sub, unit, type Vec } from "../base/vec.ts";
import type { JointDef } from "../data/header.ts";
import { newPose, type Run } from "../data/model.ts";
import { away, outline } from "../symbol/cam.ts";
import { directionAt, jointAtB, pointAtFrame, spread } from "./facts.ts";

/** Points on the rim of the roller; none without one. */
export function rollerPoints(joint: JointDef, count: number): Vec[] {
    const radius = joint.curve ? joint.roller ?? 0 : 0, x = away(joint), y = cross(unit(joint.axis ?? [0, 0, 1]), x);
    return Array.from({ length: radius > 0 ? count : 0 }, (_, i) => {
        const angle = 2 * Math.PI * i / count;
        return add(jointAtB(joint), add(scale(x, radius * Math.cos(angle)), scale(y, radius * Math.sin(angle))));
    });
}

/** Calls with points, in the model configuration, that have to be seen with their bodies: those of the curve and of the roller. */
export function contactPoints(joint: JointDef, add: (body: number, p: Vec) => void): void {
    outline(joint).forEach((p) => add(joint.a, p));
    rollerPoints(joint, 8).forEach((p) => add(joint.b, p));
}

/** Where the cam touches a flat face over the run: least and largest distance from b's point along away x axis. */
export function faceSpan(run: Run, joint: JointDef): [number, number] {
    const { curve, face } = joint, out = away(joint), along = cross(out, unit(joint.axis ?? [0, 0, 1])), pose = newPose();
    let low = 0, high = 0;
    for (const frame of curve?.length && face ? spread(run.motion.count, 100) : []) {
        const n = directionAt(run, joint.b, out, frame, pose), t = directionAt(run, joint.b, along, frame, pose);
        const points = curve!.map((p) => pointAtFrame(run, joint.a, p, frame, pose));
        const touch = points.reduce((best, p) => dot(p, n) > dot(best, n) ? p : best);
        const s = dot(sub(touch, pointAtFrame(run, joint.b, jointAtB(joint), frame, pose)), t);
        low = Math.min(low, s);
        high = Math.max(high, s);
    }
    return [low, high];
}
