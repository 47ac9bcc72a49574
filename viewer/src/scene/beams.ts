// Beams as curves: through the positions of their frames with tangents from their orientations. Each piece between corners is smooth.
// Deflections of elastic bodies can be enlarged: relative to the body as it would lie undeformed between its ends. No drawing here.
import { rotate } from "../base/quat.ts";
import { cross, distance, dot, length, scale, sub, unit, type Vec } from "../base/vec.ts";
import { leadOf } from "../data/elastic.ts";
import type { ElasticDef, PieceDef, SceneDef } from "../data/header.ts";
import type { Pose } from "../data/model.ts";

/** Where the frames are now. */
export interface Frames {
    place(body: number): Vec;
    /** A direction of the model configuration, as the body has turned it. */
    turn(body: number, direction: Vec): Vec;
}

export const posed = (pose: (body: number) => Pose): Frames => ({
    place: (body) => [pose(body)[0], pose(body)[1], pose(body)[2]],
    turn: (body, direction) => rotate(pose(body).subarray(3), direction),
});

/** Points of a curve, x y z one after the other: unit vectors along it and along the height of the section; the nearest frame of each. */
export interface Line { count: number; at: Float64Array; along: Float64Array; up: Float64Array; frame: Int32Array }

const GOAL = 64; // points of a beam: more than pixels between them are not needed
const FINEST = 8; // between two frames

/** Into how many parts the curve between two frames is divided. */
export const partsOf = (beam: ElasticDef): number =>
    beam.kind === "beam" ? Math.min(FINEST, Math.max(1, Math.round(GOAL / Math.max(1, beam.count - 1)))) : GOAL / 2;

export const axesAt = (piece: PieceDef, i: number): [Vec, Vec] => piece.axes[Math.min(i, piece.axes.length - 1)];

export function newLine(piece: PieceDef, parts: number): Line {
    const count = (piece.count - 1) * parts + 1;
    return {
        count, at: new Float64Array(3 * count), along: new Float64Array(3 * count), up: new Float64Array(3 * count),
        frame: Int32Array.from({ length: count }, (_, i) => piece.first + Math.round(i / parts)),
    };
}

/** The curve of a piece now. */
export function trace(piece: PieceDef, parts: number, frames: Frames, line: Line): Line {
    for (let i = 0; i + 1 < piece.count; i++) {
        const a = piece.first + i, b = a + 1, p = frames.place(a), q = frames.place(b), l = distance(p, q);
        const [[d1, d2], [e1, e2]] = [axesAt(piece, i), axesAt(piece, i + 1)];
        const u = frames.turn(a, d1), v = frames.turn(b, e1), up = frames.turn(a, d2), vp = frames.turn(b, e2);
        for (let n = 0; n <= parts; n++) {
            if (n === parts && i + 2 < piece.count)
                break; // the next interval begins there
            const s = n / parts, o = 3 * (i * parts + n), t: Vec = [0, 0, 0], h: Vec = [0, 0, 0];
            for (let c = 0; c < 3; c++) {
                line.at[o + c] = (1 + 2 * s) * (1 - s) * (1 - s) * p[c] + s * s * (3 - 2 * s) * q[c] +
                    l * s * (1 - s) * ((1 - s) * u[c] - s * v[c]);
                t[c] = 6 * s * (1 - s) * (q[c] - p[c]) + l * ((1 - s) * (1 - 3 * s) * u[c] + s * (3 * s - 2) * v[c]);
                h[c] = (1 - s) * up[c] + s * vp[c];
            }
            const e = length(t) > 0 ? unit(t) : u, across = dot(h, e);
            line.along.set(e, o);
            line.up.set(unit([h[0] - across * e[0], h[1] - across * e[1], h[2] - across * e[2]]), o);
        }
    }
    return line;
}

/** The quaternion (w first) of a rotation with these columns. */
function turnOf(x: Vec, y: Vec, z: Vec): [number, number, number, number] {
    const w = 1 + x[0] + y[1] + z[2], i = 1 + x[0] - y[1] - z[2], j = 1 - x[0] + y[1] - z[2], k = 1 - x[0] - y[1] + z[2];
    const most = Math.max(w, i, j, k), s = 0.5 / Math.sqrt(most);
    if (most === w)
        return [w * s, (y[2] - z[1]) * s, (z[0] - x[2]) * s, (x[1] - y[0]) * s];
    if (most === i)
        return [(y[2] - z[1]) * s, i * s, (x[1] + y[0]) * s, (x[2] + z[0]) * s];
    if (most === j)
        return [(z[0] - x[2]) * s, (x[1] + y[0]) * s, j * s, (y[2] + z[1]) * s];
    return [(x[1] - y[0]) * s, (x[2] + z[0]) * s, (y[2] + z[1]) * s, k * s];
}

/** v turned by the smallest rotation that turns the unit vector a into the unit vector b. */
function swung(v: Vec, a: Vec, b: Vec): Vec {
    const c = dot(a, b), n = cross(a, b), share = c > -0.999999 ? dot(n, v) / (1 + c) : 0, m = cross(n, v);
    return [0, 1, 2].map((i) => c * v[i] + m[i] + share * n[i]) as Vec;
}

/** A rigid motion with a stretch: x to origin + stretch turn(x - from). Elastic bodies are seen to deform relative to it. */
export interface Carried { from: Vec; origin: Vec; stretch: number; turn(d: Vec): Vec }

/** Bodies whose poses define it: first and last frame; of meshes the first frame and the one farthest from it. */
export function carriers(scene: SceneDef, elastic: ElasticDef): [number, number] {
    const { first, count } = elastic, from = scene.bodies[first]?.center;
    if (!count || !from)
        return [leadOf(scene, elastic), leadOf(scene, elastic)];
    if (elastic.kind === "beam")
        return [first, first + count - 1];
    let last = first;
    for (let body = first; body < first + count; body++)
        last = distance(scene.bodies[body].center, from) > distance(scene.bodies[last].center, from) ? body : last;
    return [first, last];
}

/** The undeformed body moved rigidly with the first of these frames, then turned and stretched so that the last one is where it is. */
export function carry(scene: SceneDef, [first, last]: [number, number], frames: Frames): Carried {
    const from = scene.bodies[first].center, origin = frames.place(first);
    const rest = sub(scene.bodies[last].center, from), now = sub(frames.place(last), origin), long = length(rest);
    if (!(long > 1e-6 * (scene.size || 1)) || !(length(now) > 0)) // closed, or with one frame
        return { from, origin, stretch: 1, turn: (d) => frames.turn(first, d) };
    const carried = unit(frames.turn(first, rest)), goal = unit(now);
    return { from, origin, stretch: length(now) / long, turn: (d) => swung(frames.turn(first, d), carried, goal) };
}

const STRAIGHT: [Vec, Vec][] = [[[1, 0, 0], [0, 1, 0]]];

/**
 * Poses of the frames with deflections enlarged. What is enlarged is the difference from the undeformed body that is carried by its ends:
 * joints there stay closed.
 */
export function enlarge(
    scene: SceneDef, elastic: ElasticDef, frames: Frames, factor: number, put: (body: number, pose: Pose) => void,
): void {
    if (!elastic.count)
        return;
    const { from, origin, stretch, turn: rigid } = carry(scene, carriers(scene, elastic), frames), moved: [number, Pose][] = [];
    const beam = elastic.kind === "beam" && elastic.pieces;
    for (const piece of beam || [{ first: elastic.first, count: elastic.count, axes: STRAIGHT }])
        for (let i = 0; i < piece.count; i++) {
            const body = piece.first + i, p = frames.place(body), [d1, d2] = axesAt(piece, i), d3 = cross(d1, d2);
            const more = (d: Vec): Vec => {
                const r = rigid(d), t = frames.turn(body, d);
                return [0, 1, 2].map((c) => r[c] + factor * (t[c] - r[c])) as Vec;
            };
            const there = rigid(sub(scene.bodies[body].center, from)).map((x, c) => origin[c] + stretch * x);
            const e1 = unit(more(d1)), h = more(d2), e2 = unit(sub(h, scale(e1, dot(h, e1)))), e3 = cross(e1, e2);
            // R = e1 d1^T + e2 d2^T + e3 d3^T, by columns
            const column = (c: number): Vec => [0, 1, 2].map((r) => e1[r] * d1[c] + e2[r] * d2[c] + e3[r] * d3[c]) as Vec;
            const q = turnOf(column(0), column(1), column(2));
            moved.push([body, Float64Array.of(...there.map((x, c) => x + factor * (p[c] - x)), ...q)]);
        }
    for (const [body, pose] of moved) // after all were read: frames may read what put writes
        put(body, pose);
}
