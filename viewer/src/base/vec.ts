// Vectors of three numbers, as tuples where they are few and in typed arrays where they are many.

export type Vec = [number, number, number];

export const add = (a: Vec, b: Vec): Vec => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: Vec, b: Vec): Vec => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vec, s: number): Vec => [s * a[0], s * a[1], s * a[2]];
export const dot = (a: Vec, b: Vec): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vec, b: Vec): Vec => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = (a: Vec): number => Math.hypot(a[0], a[1], a[2]);
export const distance = (a: Vec, b: Vec): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
export const lerp = (a: Vec, b: Vec, s: number): Vec => [a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2])];

/** Of length 1; the zero vector stays. */
export const unit = (a: Vec): Vec => {
    const l = length(a);
    return l > 0 ? scale(a, 1 / l) : a;
};

/** Some unit vector perpendicular to a. */
export const across = (a: Vec): Vec => unit(cross(a, Math.abs(a[2]) < 0.9 * length(a) ? [0, 0, 1] : [1, 0, 0]));
