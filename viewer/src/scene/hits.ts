// Which part is under the pointer: a ray against the parts in their own frames. Plain numbers, no reading back of pixels.
import { rotate, rotateBack } from "../base/quat.ts";
import { across, add, cross, dot, scale, sub, unit, type Vec } from "../base/vec.ts";
import { newPose, type Run } from "../data/model.ts";
import { cylinder } from "./forms.ts";
import type { LinkPart, Owner, Parts, SolidPart } from "./parts.ts";

export interface Ray { from: Vec; direction: Vec } // direction is a unit vector

/** Where a ray enters the box of these half edges about the origin; Infinity: never. */
export function intoBox({ from, direction }: Ray, half: Vec): number {
    let enter = -Infinity, leave = Infinity;
    for (let c = 0; c < 3; c++) {
        const a = (-half[c] - from[c]) / direction[c], b = (half[c] - from[c]) / direction[c];
        if (direction[c] === 0) {
            if (Math.abs(from[c]) > half[c])
                return Infinity;
            continue;
        }
        enter = Math.max(enter, Math.min(a, b));
        leave = Math.min(leave, Math.max(a, b));
    }
    return enter <= leave && leave > 0 ? Math.max(enter, 0) : Infinity;
}

function firstRoot(a: number, b: number, c: number): number {
    const root = b * b - a * c; // of a t^2 + 2 b t + c
    return root < 0 || a === 0 ? Infinity : (-b - Math.sqrt(root)) / a;
}

export function intoEllipsoid({ from, direction }: Ray, radii: Vec): number {
    const p = from.map((x, c) => x / radii[c]) as Vec, d = direction.map((x, c) => x / radii[c]) as Vec;
    const t = firstRoot(dot(d, d), dot(p, d), dot(p, p) - 1);
    return t > 0 ? t : Infinity;
}

/** About y. */
export function intoCylinder(ray: Ray, radius: number, half: number): number {
    const { from: [x, y, z], direction: [u, v, w] } = ray;
    let best = Infinity;
    const t = firstRoot(u * u + w * w, x * u + z * w, x * x + z * z - radius * radius);
    if (t > 0 && Math.abs(y + t * v) <= half)
        best = t;
    for (const end of [-half, half]) {
        const s = (end - y) / v;
        if (s > 0 && s < best && Math.hypot(x + s * u, z + s * w) <= radius)
            best = s;
    }
    return best;
}

export function intoTriangle({ from, direction }: Ray, a: Vec, b: Vec, c: Vec): number {
    const e = sub(b, a), f = sub(c, a), p = cross(direction, f), det = dot(e, p);
    if (det === 0)
        return Infinity;
    const s = sub(from, a), u = dot(s, p) / det, q = cross(s, e), v = dot(direction, q) / det;
    const t = dot(f, q) / det;
    return u >= 0 && v >= 0 && u + v <= 1 && t > 0 ? t : Infinity;
}

/** `more`: by how much thin parts are widened, so that they can be met. */
function intoSolid(ray: Ray, part: SolidPart, more: number): number {
    const [qx, qy, qz, qw] = part.turn, q = [qw, qx, qy, qz];
    const local: Ray = { from: rotateBack(q, sub(ray.from, part.at)), direction: rotateBack(q, ray.direction) }, { size, stretch } = part;
    switch (part.form) {
    case "round":
    case "ball":
        if (stretch[0] === 0 && stretch[2] === 0)
            return stretch[1] === 0 ? intoEllipsoid(local, size.map((s) => s + more) as Vec)
                : intoCylinder(local, size[0] + more, stretch[1] + size[1] + more);
        return intoBox(local, size.map((s, c) => s + stretch[c] + more) as Vec);
    case "bowl":
        return intoEllipsoid(local, size.map((s) => s + more) as Vec);
    case "cylinder":
    case "drum":
        return intoCylinder(local, size[0] + more, stretch[1] + cylinder.bevel * size[1] + more);
    case "cone":
        return intoCylinder({ ...local, from: [local.from[0], local.from[1] - size[1] / 2, local.from[2]] }, size[0] + more, size[1] / 2);
    case "tire":
        return intoCylinder(local, size[0], size[1] / 2);
    case "ring":
    case "rim":
        return intoCylinder(local, stretch[0] + size[0] + more, size[1] + more);
    case "square":
        return intoBox(local, [size[0] / 2, 1e-9, size[2] / 2]);
    default:
        return intoBox(local, size.map((s) => s / 2 + more) as Vec);
    }
}

/** A bar between two points of the world. */
function intoBar(ray: Ray, from: Vec, to: Vec, radius: number): number {
    const y = sub(to, from), l = Math.hypot(...y), e = unit(y), x = across(e), z = cross(x, e);
    const p = sub(ray.from, add(from, scale(y, 0.5))), own = (v: Vec): Vec => [dot(v, x), dot(v, e), dot(v, z)];
    return intoCylinder({ from: own(p), direction: own(ray.direction) }, radius, l / 2);
}

/** Radius about its position that contains the complete part. */
function bound({ form, size, stretch }: SolidPart): number {
    if (form === "cone")
        return Math.hypot(size[0], size[1]);
    return form === "ring" || form === "rim" ? stretch[0] + 2 * Math.max(...size) : Math.hypot(...size.map((s, c) => s + stretch[c]));
}

const bounds = new WeakMap<Parts, Float64Array>();
function boundsOf(parts: Parts): Float64Array {
    let found = bounds.get(parts);
    if (!found)
        bounds.set(parts, found = Float64Array.from(parts.solids, bound));
    return found;
}

/** Whether the line passes p within a distance; most parts are done with this. */
function passes({ from, direction }: Ray, p: Vec, distance: number): boolean {
    const x = p[0] - from[0], y = p[1] - from[1], z = p[2] - from[2], along = x * direction[0] + y * direction[1] + z * direction[2];
    return x * x + y * y + z * z - along * along <= distance * distance;
}

export interface Hit { owner: Owner; distance: number }

/** The nearest part at t; what is translucent counts only where nothing solid is met. */
export function hitPart(run: Run, parts: Parts, ray: Ray, t: number, more: number, hidden: ReadonlySet<number>): Hit | null {
    const n = run.scene.bodies.length, poses = Array.from({ length: n }, (_, body) => run.motion.at(t, body, newPose()));
    const rays: Ray[] = [ray, ...poses.map((pose) => ({
        from: rotateBack(pose.subarray(3), [ray.from[0] - pose[0], ray.from[1] - pose[1], ray.from[2] - pose[2]]),
        direction: rotateBack(pose.subarray(3), ray.direction),
    }))];
    let solid: Hit | null = null, clear: Hit | null = null;
    const meet = (owner: Owner, distance: number, alpha: number): void => {
        if (alpha < 1 && distance < (clear?.distance ?? Infinity))
            clear = { owner, distance };
        if (alpha >= 1 && distance < (solid?.distance ?? Infinity))
            solid = { owner, distance };
    };
    const radii = boundsOf(parts);
    parts.solids.forEach((part, i) => {
        if (!hidden.has(part.row - 1) && passes(rays[part.row], part.at, radii[i] + 2 * more))
            meet(part.owner, intoSolid(rays[part.row], part, more), part.alpha);
    });
    for (const { row, skin, owner, alpha } of parts.skins)
        if (!hidden.has(row - 1))
            for (const [a, b, c] of skin.triangles)
                meet(owner, intoTriangle(rays[row], skin.vertices[a], skin.vertices[b], skin.vertices[c]), alpha);
    const world = (row: number, p: Vec): Vec =>
        row ? add([poses[row - 1][0], poses[row - 1][1], poses[row - 1][2]], rotate(poses[row - 1].subarray(3), p)) : p;
    for (const link of parts.links)
        if (link.form !== "spiral" && !link.rows.some((row) => hidden.has(row - 1)))
            meet(link.owner, intoBar(ray, world(link.rows[0], link.from), world(link.rows[1], link.to), linkRadius(link) + more), 1);
    return solid ?? clear;
}

const linkRadius = (link: LinkPart): number => link.shape[0];
