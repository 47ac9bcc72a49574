// Outlines of bodies in the plane, in the model configuration: hulls of the points that joints hold, and given shapes.
import { distance, type Vec } from "../base/vec.ts";
import { isFrame } from "../data/elastic.ts";
import type { BodyDef, SceneDef, Shape } from "../data/header.ts";
import type { Point } from "../symbol/plane.ts";

/** Corners of the convex hull, counterclockwise, without those that lie on an edge (within `near`); two for a line, one for a point. */
export function hull(points: Point[], near: number): Point[] {
    const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
    const distinct = sorted.filter((p, i) => {
        for (let j = i - 1; j >= 0 && p[0] - sorted[j][0] <= near; j--)
            if (Math.hypot(p[0] - sorted[j][0], p[1] - sorted[j][1]) <= near)
                return false;
        return true;
    });
    if (distinct.length < 3)
        return distinct;
    const half = (list: Point[]): Point[] => {
        const chain: Point[] = [];
        for (const p of list) {
            while (chain.length > 1 && !turnsLeft(chain[chain.length - 2], chain[chain.length - 1], p, near))
                chain.pop();
            chain.push(p);
        }
        chain.pop();
        return chain;
    };
    return [...half(distinct), ...half([...distinct].reverse())];
}

/** Is q more than `near` right of the line from p to r? */
function turnsLeft(p: Point, q: Point, r: Point, near: number): boolean {
    const cross = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
    return cross > near * Math.hypot(r[0] - p[0], r[1] - p[1]);
}

const flat = (p: Vec): Point => [p[0], p[1]];

/** Shapes with an outline of their own; rods and point masses only add points to the hull. */
export const outlined = (shape: Shape): boolean => shape.kind !== "rod" && shape.kind !== "points";

/** Shapes that are drawn: where a picture is given, that alone. */
export function shown(body: BodyDef): Shape[] {
    const pictures = body.shapes.filter((shape) => shape.picture);
    return (pictures.length ? pictures : body.shapes).filter(outlined);
}

/** Corners of the bar or plate of a body in the model configuration; one point: a bar to the mass center. */
export function outlinePoints(scene: SceneDef, index: number): Vec[] {
    const body = scene.bodies[index], pictures = body.shapes.filter((shape) => shape.picture), near = 1e-3 * (scene.size || 1);
    const probes = scene.probes.filter((probe) => probe.body === index).map((probe) => probe.at);
    const frame = isFrame(scene, index), held = frame ? offAxis(body, near) : [...body.points, ...probes];
    const points = pictures.length ? [] : held.map(flat);
    for (const shape of pictures.length ? pictures : body.shapes) {
        if (shape.kind === "rod")
            points.push(flat(shape.from), flat(shape.to));
        if (shape.kind === "points")
            points.push(...shape.points.map(flat));
    }
    if (points.length && (frame || hull(points, near).length === 1) && !shown(body).length)
        points.push(flat(body.center));
    return hull(points, near).map(([x, y]) => [x, y, 0]);
}

/** Of a frame of a beam only points away from the beam need a bar. */
export const offAxis = (frame: BodyDef, near: number): Vec[] => frame.points.filter((p) => distance(p, frame.center) > near);

/** One closed curve of a shape: corners (model configuration), or a circle. */
export interface Contour { points: Point[]; circle: { center: Point; radius: number } | null; color?: string; spokes: boolean }

const polygon = (points: Point[], shape: Shape): Contour => ({ points, circle: null, color: shape.color, spokes: false });
const round = (center: Vec, radius: number, shape: Shape, spokes = false): Contour =>
    ({ points: [], circle: { center: flat(center), radius }, color: shape.color, spokes });

/** What a shape looks like from the front. */
export function contours(shape: Shape): Contour[] {
    switch (shape.kind) {
    case "box": {
        const axes = shape.axes ?? [[1, 0, 0], [0, 1, 0], [0, 0, 1]], corners: Point[] = [];
        for (let i = 0; i < 8; i++)
            corners.push([0, 1].map((c) => shape.center[c] +
                axes.reduce((sum, axis, a) => sum + (i >> a & 1 ? 0.5 : -0.5) * shape.size[a] * axis[c], 0)) as Point);
        return [polygon(hull(corners, 1e-9), shape)];
    }
    case "sphere":
        return [round(shape.center, shape.radius, shape)];
    case "disc":
        return edgeOn(shape.axis ?? [0, 0, 1]) ? [tube(shape.center, shape.axis ?? [0, 0, 1], shape.thickness ?? 0.1 * shape.radius,
            shape.radius, shape)] : [round(shape.center, shape.radius, shape, true)];
    case "cylinder":
    case "wheel": {
        const axis: Vec = [shape.to[0] - shape.from[0], shape.to[1] - shape.from[1], shape.to[2] - shape.from[2]];
        const center: Vec = [(shape.to[0] + shape.from[0]) / 2, (shape.to[1] + shape.from[1]) / 2, 0];
        if (edgeOn(axis))
            return [tube(center, axis, Math.hypot(axis[0], axis[1]), shape.radius, shape)];
        const rim = round(center, shape.radius, shape, true);
        return shape.kind === "wheel" ? [rim, round(center, 0.56 * shape.radius, shape)] : [rim];
    }
    case "polygon":
        return [polygon(shape.points.map(flat), shape)];
    case "mesh": {
        if (!Array.isArray(shape.vertices))
            return [];
        const v = shape.vertices, points = Array.from({ length: v.length / 3 }, (_, i) => [v[3 * i], v[3 * i + 1]] as Point);
        return [polygon(hull(points, 1e-9), shape)];
    }
    default:
        return [];
    }
}

/** Does the axis lie in the plane rather than across it? */
const edgeOn = (axis: Vec): boolean => Math.hypot(axis[0], axis[1]) > Math.abs(axis[2]);

/** A cylinder from the side. */
function tube(center: Vec, axis: Vec, long: number, radius: number, shape: Shape): Contour {
    const l = Math.hypot(axis[0], axis[1]) || 1, ux = axis[0] / l, uy = axis[1] / l, h = long / 2;
    const corner = (s: number, t: number): Point => [center[0] + s * h * ux - t * radius * uy, center[1] + s * h * uy + t * radius * ux];
    return polygon([corner(1, 1), corner(-1, 1), corner(-1, -1), corner(1, -1)], shape);
}

/** Is p inside the contour, or within `near` of it? */
export function inside(contour: Contour, p: Point, near: number): boolean {
    if (contour.circle)
        return Math.hypot(p[0] - contour.circle.center[0], p[1] - contour.circle.center[1]) <= contour.circle.radius + near;
    let odd = false;
    const { points } = contour;
    for (let i = 0, j = points.length - 1; i < points.length; j = i++) {
        const [xi, yi] = points[i], [xj, yj] = points[j];
        if (toSegment(p, points[j], points[i]) <= near)
            return true;
        if (yi > p[1] !== yj > p[1] && p[0] < (xj - xi) * (p[1] - yi) / (yj - yi) + xi)
            odd = !odd;
    }
    return odd;
}

/** Distance of p from the segment a b. */
export function toSegment(p: Point, a: Point, b: Point): number {
    const dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
    const s = square > 0 ? Math.min(1, Math.max(0, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / square)) : 0;
    return Math.hypot(p[0] - a[0] - s * dx, p[1] - a[1] - s * dy);
}
