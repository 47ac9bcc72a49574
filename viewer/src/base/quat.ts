// Rotations as unit quaternions, scalar first.
import type { Vec } from "./vec.ts";

export type Quat = [number, number, number, number];

export const NONE: Quat = [1, 0, 0, 0];

/** v turned by q: v + 2 u x (u x v + w v), u the vector part. */
export function rotate(q: ArrayLike<number>, v: Vec): Vec {
    const w = q[0], x = q[1], y = q[2], z = q[3];
    const a = y * v[2] - z * v[1] + w * v[0], b = z * v[0] - x * v[2] + w * v[1], c = x * v[1] - y * v[0] + w * v[2];
    return [v[0] + 2 * (y * c - z * b), v[1] + 2 * (z * a - x * c), v[2] + 2 * (x * b - y * a)];
}

/** v turned back. */
export const rotateBack = (q: ArrayLike<number>, v: Vec): Vec => rotate([q[0], -q[1], -q[2], -q[3]], v);

/** Of plane motions: the angle about z. */
export const planeAngle = (q: ArrayLike<number>): number => 2 * Math.atan2(q[3], q[0]);
