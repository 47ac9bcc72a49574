// Strokes that several symbols of the plane share. Positions on the screen in pixels, y down.
import { size } from "../look/sizes.ts";
import type { Palette } from "../look/colors.ts";
import type { Pen } from "../pen/pen.ts";
import type { PlaneJoint, Point } from "./plane.ts";

export const FULL = 2 * Math.PI;

/** p + s u + t v. */
export const along = (p: Point, u: Point, s: number, v: Point = u, t = 0): Point =>
    [p[0] + s * u[0] + t * v[0], p[1] + s * u[1] + t * v[1]];
/** u turned by a right angle. */
export const normal = (u: Point): Point => [-u[1], u[0]];
export const middle = (p: Point, q: Point): Point => [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];
export const gap = (p: Point, q: Point): number => Math.hypot(q[0] - p[0], q[1] - p[1]);
/** The direction from p to q; `other` if they coincide. */
export function toward(p: Point, q: Point, other: Point = [1, 0]): Point {
    const d = gap(p, q);
    return d > 1e-9 ? [(q[0] - p[0]) / d, (q[1] - p[1]) / d] : other;
}
/** Is one of the bodies ground? */
export const onGround = (s: PlaneJoint): boolean => s.a === null || s.b === null;

export function line(pen: Pen, p: Point, q: Point): Pen {
    return pen.path().moveTo(p[0], p[1]).lineTo(q[0], q[1]);
}

export function circle(pen: Pen, p: Point, radius: number): Pen {
    return pen.path().moveTo(p[0] + radius, p[1]).arc(p[0], p[1], radius, 0, FULL).close();
}

/** A pin: paper inside, ink around. */
export function pin(pen: Pen, p: Point, k: number, look: Palette, radius = size.pin.radius): void {
    circle(pen, p, radius * k).fill({ color: look.paper }).stroke({ color: look.ink, width: size.pin.stroke * k });
}

/** Base line from p to q with hatch on the side that `out` points to. */
export function hatched(pen: Pen, p: Point, q: Point, out: Point, k: number, look: Palette): void {
    hatchPath(pen.path(), p, q, out, k);
    pen.stroke({ color: look.ink, width: size.hatch.stroke * k });
    line(pen, p, q).stroke({ color: look.ink, width: size.foot.line * k, cap: "round" });
}

/** The strokes of the hatch alone, added to the path. */
function hatchPath(pen: Pen, p: Point, q: Point, out: Point, k: number): void {
    const { depth, every } = size.hatch, length = gap(p, q), u = toward(p, q);
    const count = Math.max(1, Math.round(length / (every * k))), step = length / count;
    for (let i = 1; i <= count; i++) {
        const from = along(p, u, i * step), to = along(from, out, depth * k, u, -Math.min(depth * k, i * step));
        pen.moveTo(from[0], from[1]).lineTo(to[0], to[1]);
    }
}

/** A path along points. */
export function polyline(pen: Pen, points: Point[], closed: boolean): Pen {
    pen.path();
    points.forEach(([x, y], i) => i ? pen.lineTo(x, y) : pen.moveTo(x, y));
    return closed ? pen.close() : pen;
}

/** The side of a curve that faces `out`: 1 or -1 times the normal of its direction. */
export function sideOf(points: Point[], out: Point): number {
    const first = points[0] ?? [0, 0], last = points[points.length - 1] ?? first, n = normal([last[0] - first[0], last[1] - first[1]]);
    return n[0] * out[0] + n[1] * out[1] < 0 ? -1 : 1;
}

/** The outer side of a closed curve. */
export function outside(points: Point[]): number {
    const twice = points.reduce((sum, [x, y], i) => {
        const [u, v] = points[(i + 1) % points.length];
        return sum + x * v - u * y;
    }, 0);
    return twice > 0 ? -1 : 1;
}

/** The part of a closed curve on one side of a line: where (p - from) . out < 0. */
export function cut(points: Point[], from: Point, out: Point): Point[] {
    const beyond = (p: Point): number => (p[0] - from[0]) * out[0] + (p[1] - from[1]) * out[1];
    return points.flatMap((p, i) => {
        const q = points[(i + 1) % points.length], s = beyond(p), t = beyond(q), kept = s < 0 ? [p] : [];
        return s < 0 === t < 0 ? kept : [...kept, along(p, [q[0] - p[0], q[1] - p[1]], s / (s - t))];
    });
}

/** Hatch beside a curve on one of its sides, `off` pixels from it. */
export function hatchAlong(pen: Pen, points: Point[], closed: boolean, side: number, off: number, k: number, look: Palette): void {
    const { depth, every, stroke } = size.hatch, ends = closed ? points.length : points.length - 1;
    let left = depth * k; // to the next stroke
    pen.path();
    for (let i = 0; i < ends; i++) {
        const p = points[i], q = points[(i + 1) % points.length], long = gap(p, q), u = toward(p, q), n = normal(u);
        for (; left < long; left += every * k) {
            const from = along(p, u, left, n, side * off), to = along(from, u, -depth * k, n, side * depth * k);
            pen.moveTo(from[0], from[1]).lineTo(to[0], to[1]);
        }
        left -= long;
    }
    pen.stroke({ color: look.ink, width: stroke * k });
}

/** Ground under pins: triangles with base line and hatch, all of one kind in one path. */
export function feet(pen: Pen, list: { at: Point; out: Point }[], k: number, look: Palette): void {
    const { width, height, stroke, base, line: thick } = size.foot, half = base / 2 * k;
    const bottoms = list.map(({ at, out }) => ({ m: along(at, out, height * k), u: normal(out) }));
    pen.path();
    list.forEach(({ at }, i) => {
        const { m, u } = bottoms[i], left = along(m, u, width / 2 * k), right = along(m, u, -width / 2 * k);
        pen.moveTo(at[0], at[1]).lineTo(left[0], left[1]).lineTo(right[0], right[1]).close();
    });
    pen.fill({ color: look.groundFill }).stroke({ color: look.ink, width: stroke * k }).path();
    // hatch has the same slope on either side
    list.forEach(({ out }, i) => hatchPath(pen, along(bottoms[i].m, bottoms[i].u, half), along(bottoms[i].m, bottoms[i].u, -half), out, k));
    pen.stroke({ color: look.ink, width: size.hatch.stroke * k }).path();
    for (const { m, u } of bottoms) {
        const p = along(m, u, half), q = along(m, u, -half);
        pen.moveTo(p[0], p[1]).lineTo(q[0], q[1]);
    }
    pen.stroke({ color: look.ink, width: thick * k, cap: "round" });
}

export const foot = (pen: Pen, at: Point, out: Point, k: number, look: Palette): void => feet(pen, [{ at, out }], k, look);

/** Base line beside p, across `out`. */
export function wall(pen: Pen, p: Point, out: Point, length: number, k: number, look: Palette): void {
    const u = normal(out);
    hatched(pen, along(p, u, length / 2), along(p, u, -length / 2), out, k, look);
}

/** A box with rounded corners: center, direction of its length, half sizes. Leaves the path open to fill and stroke. */
export function roundBox(pen: Pen, c: Point, u: Point, halfLength: number, halfWidth: number, corner: number): Pen {
    const v = normal(u), r = Math.min(corner, halfLength, halfWidth), a = halfLength - r, b = halfWidth - r, start = Math.atan2(u[1], u[0]);
    pen.path();
    const corners: [number, number][] = [[a, b], [-a, b], [-a, -b], [a, -b]];
    corners.forEach(([s, t], i) => {
        const p = along(c, u, s, v, t), angle = start + i * Math.PI / 2;
        pen.arc(p[0], p[1], r, angle, angle + Math.PI / 2);
    });
    return pen.close();
}

/** A filled head whose tip is at p, pointing along u. */
export function head(pen: Pen, p: Point, u: Point, length: number, wide: number, color: string): void {
    const v = normal(u), a = along(p, u, -length, v, wide / 2), b = along(p, u, -length, v, -wide / 2);
    pen.path().moveTo(p[0], p[1]).lineTo(a[0], a[1]).lineTo(b[0], b[1]).close().fill({ color });
}

/** An arc about c with a head at its end; sweep > 0 is clockwise on the screen. */
export function turning(
    pen: Pen, c: Point, radius: number, from: number, sweep: number, width: number, headLength: number, color: string,
): void {
    const sense = Math.sign(sweep) || 1, short = Math.min(Math.abs(sweep), 0.8 * headLength / radius), end = from + sweep;
    pen.path().moveTo(c[0] + radius * Math.cos(from), c[1] + radius * Math.sin(from))
        .arc(c[0], c[1], radius, from, end - sense * short, sense < 0).stroke({ color, width, cap: "butt" });
    const tip: Point = [c[0] + radius * Math.cos(end), c[1] + radius * Math.sin(end)];
    // the head follows the chord over its own length: on small circles the tangent would point outward
    const angle = end - sense * short / 2 + sense * Math.PI / 2;
    head(pen, tip, [Math.cos(angle), Math.sin(angle)], headLength, headLength, color);
}

/** The arc of a driver about a pin, on the side away from ground. */
export function driverArc(pen: Pen, s: PlaneJoint): void {
    const { radius, sweep, stroke, head: length } = size.driver, up = Math.atan2(-s.side[1], -s.side[0]), sense = s.drive || -1;
    turning(pen, s.at_b, radius * s.k, up - sense * sweep / 2, sense * sweep, stroke * s.k, length * s.k, s.look.accent);
}

/** The double arrow of a driver beside a block. */
export function driverDouble(pen: Pen, s: PlaneJoint, c: Point): void {
    const { double, beside, stroke, head: length } = size.driver, { k, axis } = s, n = normal(axis), color = s.look.accent;
    const out: Point = n[0] * s.side[0] + n[1] * s.side[1] > 0 ? [-n[0], -n[1]] : n, m = along(c, out, beside * k), h = double / 2 * k;
    line(pen, along(m, axis, -h + 0.8 * length * k), along(m, axis, h - 0.8 * length * k)).stroke({ color, width: stroke * k });
    head(pen, along(m, axis, h), axis, length * k, length * k, color);
    head(pen, along(m, axis, -h), [-axis[0], -axis[1]], length * k, length * k, color);
}

// ---- what slides

/** The part that moves along a line: the block on b, or on a where b is ground. */
export function block(pen: Pen, s: PlaneJoint): void {
    const { length, width, corner, stroke } = size.block, tint = s.b ?? s.a;
    if (tint)
        roundBox(pen, s.b ? s.at_b : s.at, s.axis, length / 2 * s.k, width / 2 * s.k, corner * s.k)
            .fill({ color: tint.pale }).stroke({ color: tint.stroke, width: stroke * s.k });
}

/** Ends of the travel of the block on the body that carries it: from a's point, or from b's where b is ground. */
function travelEnds(s: PlaneJoint): [Point, Point] {
    const beyond = size.block.beyond * s.k, from = s.b ? s.at : s.at_b, sense = s.b ? 1 : -1;
    const low = Math.min(sense * s.travel[0], sense * s.travel[1]), high = Math.max(sense * s.travel[0], sense * s.travel[1]);
    return [along(from, s.axis, low - beyond), along(from, s.axis, high + beyond)];
}

/** Base line and hatch beside the axis over the full travel. */
export function rail(pen: Pen, s: PlaneJoint): void {
    const [p, q] = travelEnds(s), n = normal(s.axis), out: Point = n[0] * s.side[0] + n[1] * s.side[1] < 0 ? [-n[0], -n[1]] : n;
    if (s.thin) {
        line(pen, p, q).stroke({ color: s.look.ink, width: 1 });
        return;
    }
    const off = size.block.width / 2 * s.k, a = along(p, out, off), b = along(q, out, off);
    // hatch has the same slope for rails on both sides
    if (n[0] * out[0] + n[1] * out[1] > 0)
        hatched(pen, a, b, out, s.k, s.look);
    else
        hatched(pen, b, a, out, s.k, s.look);
}

/** Two guide lines over the travel. */
export function guides(pen: Pen, s: PlaneJoint): void {
    const [p, q] = travelEnds(s), n = normal(s.axis), off = size.block.width / 2 * s.k;
    pen.path();
    for (const t of [off, -off]) {
        const a = along(p, n, t), b = along(q, n, t);
        pen.moveTo(a[0], a[1]).lineTo(b[0], b[1]);
    }
    pen.stroke({ color: s.a?.stroke ?? s.look.ink, width: size.block.stroke * s.k, cap: "round" });
}
