// What is stretched between points: convex hulls in space, plates with round corners, triangles of polygons. Plain numbers.
import { add, across, cross, distance, dot, length, scale, sub, unit, type Vec } from "../base/vec.ts";

export type Triangle = [number, number, number];

export interface Skin { vertices: Vec[]; normals: Vec[]; triangles: Triangle[] }

/** Arrangement of points: one point, on a line (its two ends), in a plane (normal and the hull's corners in turn), or in space. */
export type Spread =
    | { kind: "point" }
    | { kind: "line"; ends: [Vec, Vec] }
    | { kind: "plane"; normal: Vec; corners: Vec[] }
    | { kind: "space" };

const farthest = (points: Vec[], measure: (p: Vec) => number): Vec => points.reduce((best, p) => measure(p) > measure(best) ? p : best);

export function spreadOf(points: Vec[], size: number): Spread {
    const near = 2e-3 * size;
    if (!points.length)
        return { kind: "point" };
    const first = farthest(points, (p) => distance(p, points[0])), second = farthest(points, (p) => distance(p, first));
    if (distance(first, second) < near)
        return { kind: "point" };
    const e = unit(sub(second, first)), off = (p: Vec): number => length(cross(sub(p, first), e));
    const third = farthest(points, off);
    if (off(third) < near)
        return { kind: "line", ends: [first, second] };
    const normal = unit(cross(e, sub(third, first)));
    if (points.every((p) => Math.abs(dot(sub(p, first), normal)) < 2 * near))
        return { kind: "plane", normal, corners: outline(points, normal) };
    return { kind: "space" };
}

/** Corners of the convex hull of points in a plane, turning left about the normal. */
export function outline(points: Vec[], normal: Vec): Vec[] {
    const x = across(normal), y = cross(normal, x);
    const sorted = points.map((p) => ({ p, u: dot(p, x), v: dot(p, y) })).sort((a, b) => a.u - b.u || a.v - b.v);
    const half = (list: typeof sorted): typeof sorted => {
        const chain: typeof sorted = [];
        for (const c of list) {
            while (chain.length > 1) {
                const [a, b] = [chain[chain.length - 2], chain[chain.length - 1]];
                if ((b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u) > 1e-12)
                    break;
                chain.pop();
            }
            chain.push(c);
        }
        return chain.slice(0, -1);
    };
    return [...half(sorted), ...half(sorted.reverse())].map((c) => c.p);
}

/** Convex hull in space, by adding point after point; triangles are counterclockwise seen from outside. */
export function convexHull(points: Vec[]): Triangle[] {
    const n = points.length, volume = (t: Triangle, p: Vec): number =>
        dot(cross(sub(points[t[1]], points[t[0]]), sub(points[t[2]], points[t[0]])), sub(p, points[t[0]]));
    let start: number[] | null = null, most = 0;
    const far = (measure: (p: Vec) => number): number => points.reduce((best, p, i) => measure(p) > measure(points[best]) ? i : best, 0);
    const a = far((p) => distance(p, points[0])), b = far((p) => distance(p, points[a]));
    const c = far((p) => length(cross(sub(p, points[a]), sub(points[b], points[a])))), d = far((p) => Math.abs(volume([a, b, c], p)));
    if (n > 3 && (most = volume([a, b, c], points[d])) !== 0)
        start = most < 0 ? [a, b, c, d] : [a, c, b, d];
    if (!start)
        return [];
    const [p, q, r, s] = start;
    let faces: Triangle[] = [[p, q, r], [p, s, q], [q, s, r], [r, s, p]];
    const tiny = 1e-9 * Math.abs(most);
    for (let i = 0; i < n; i++) {
        if (start.includes(i))
            continue;
        const seen = faces.filter((face) => volume(face, points[i]) > tiny);
        if (!seen.length)
            continue;
        const edges = new Set(seen.flatMap(([u, v, w]) => [`${u} ${v}`, `${v} ${w}`, `${w} ${u}`]));
        faces = faces.filter((face) => !seen.includes(face));
        for (const edge of edges) {
            const [u, v] = edge.split(" ").map(Number);
            if (!edges.has(`${v} ${u}`))
                faces.push([u, v, i]);
        }
    }
    return faces;
}

/** Edges between faces that bend by more than the angle (rad), as pairs of points. */
export function sharpEdges(points: Vec[], faces: Triangle[], angle: number): [number, number][] {
    const normals = faces.map(([a, b, c]) => unit(cross(sub(points[b], points[a]), sub(points[c], points[a]))));
    const owner = new Map<string, number>();
    faces.forEach(([a, b, c], i) => [[a, b], [b, c], [c, a]].forEach(([u, v]) => owner.set(`${u} ${v}`, i)));
    const out: [number, number][] = [];
    owner.forEach((face, key) => {
        const [u, v] = key.split(" ").map(Number), other = owner.get(`${v} ${u}`);
        if (u < v && other !== undefined && dot(normals[face], normals[other]) < Math.cos(angle))
            out.push([u, v]);
    });
    return out;
}

/** Faces with their own normals. */
export function flat(points: Vec[], faces: Triangle[]): Skin {
    const skin: Skin = { vertices: [], normals: [], triangles: [] };
    for (const face of faces) {
        const [a, b, c] = face.map((i) => points[i]), normal = unit(cross(sub(b, a), sub(c, a))), first = skin.vertices.length;
        skin.vertices.push(a, b, c);
        skin.normals.push(normal, normal, normal);
        skin.triangles.push([first, first + 1, first + 2]);
    }
    return skin;
}

/** The outline moved outward by `radius` with round corners. */
export function roundOutline(corners: Vec[], normal: Vec, radius: number): Vec[] {
    const n = corners.length, out: Vec[] = [];
    corners.forEach((p, i) => {
        const before = unit(sub(p, corners[(i + n - 1) % n])), after = unit(sub(corners[(i + 1) % n], p));
        const from = cross(before, normal), angle = Math.atan2(dot(cross(before, after), normal), dot(before, after));
        const steps = Math.max(1, Math.ceil(angle / 0.3)), side = cross(normal, from);
        for (let k = 0; k <= steps; k++) {
            const a = angle * k / steps;
            out.push(add(p, add(scale(from, radius * Math.cos(a)), scale(side, radius * Math.sin(a)))));
        }
    });
    return out;
}

/** Triangles of a simple polygon that is counterclockwise about the normal, by cutting ears. */
export function triangulate(corners: Vec[], normal: Vec): Triangle[] {
    const left = (a: Vec, b: Vec, c: Vec): number => dot(cross(sub(b, a), sub(c, a)), normal);
    const rest = corners.map((_, i) => i), out: Triangle[] = [];
    while (rest.length > 3) {
        const ear = rest.findIndex((b, k) => {
            const a = rest[(k + rest.length - 1) % rest.length], c = rest[(k + 1) % rest.length];
            const [pa, pb, pc] = [corners[a], corners[b], corners[c]];
            return left(pa, pb, pc) > 0 && !rest.some((i) => i !== a && i !== b && i !== c && left(pa, pb, corners[i]) >= 0 &&
                left(pb, pc, corners[i]) >= 0 && left(pc, pa, corners[i]) >= 0);
        }), k = Math.max(ear, 0); // a polygon that crosses itself has none: cut on
        out.push([rest[(k + rest.length - 1) % rest.length], rest[k], rest[(k + 1) % rest.length]]);
        rest.splice(k, 1);
    }
    return rest.length === 3 ? [...out, [rest[0], rest[1], rest[2]]] : out;
}

/** A plate between two copies of the outline. */
export function plate(corners: Vec[], normal: Vec, thickness: number): Skin {
    const skin: Skin = { vertices: [], normals: [], triangles: [] }, half = scale(normal, thickness / 2), n = corners.length;
    const faces = triangulate(corners, normal);
    const put = (p: Vec, m: Vec): number => {
        skin.normals.push(m);
        return skin.vertices.push(p) - 1;
    };
    for (const sign of [1, -1]) {
        const first = skin.vertices.length;
        corners.forEach((p) => put(add(p, scale(half, sign)), scale(normal, sign)));
        for (const [a, b, c] of faces)
            skin.triangles.push(sign > 0 ? [first + a, first + b, first + c] : [first + a, first + c, first + b]);
    }
    // the rim: smooth where the outline bends little
    const edge = corners.map((p, i) => unit(cross(sub(corners[(i + 1) % n], p), normal)));
    const mean = (i: number, own: Vec): Vec => {
        const other = edge[(i + n) % n];
        return dot(own, other) > 0.7 ? unit(add(own, other)) : own;
    };
    corners.forEach((p, i) => {
        const q = corners[(i + 1) % n], m = mean(i - 1, edge[i]), k = mean(i + 1, edge[i]);
        const a = put(sub(p, half), m), b = put(sub(q, half), k), c = put(add(q, half), k), d = put(add(p, half), m);
        skin.triangles.push([a, b, c], [a, c, d]);
    });
    return skin;
}
