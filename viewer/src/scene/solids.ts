// Bodies as parts: from their shapes, else from the points where joints hold them, else from their inertia.
import { across, add, cross, distance, dot, length, lerp, scale, sub, unit, type Vec } from "../base/vec.ts";
import { elasticOf, isFrame } from "../data/elastic.ts";
import type { BodyDef, Shape } from "../data/header.ts";
import type { Run } from "../data/model.ts";
import { percentile, shapePoints } from "./facts.ts";
import { convexHull, flat, outline, plate, roundOutline, sharpEdges, spreadOf, type Skin, type Triangle } from "./hull.ts";
import { offAxis } from "./outline.ts";
import { frameTurn, type ColorName, type Parts } from "./parts.ts";

/** Radius of rods: a share of the lower quartile of their lengths, within limits of L. */
export function rodRadius(run: Run, size: number): number {
    const lengths: number[] = [];
    run.scene.bodies.forEach((body, i) => {
        if (body.points.length === 2 && !elasticOf(run.scene, i))
            lengths.push(distance(body.points[0], body.points[1]));
    });
    for (const { first, count } of run.scene.elastic?.filter(({ count }) => count > 1) ?? [])
        lengths.push(distance(run.scene.bodies[first].center, run.scene.bodies[first + count - 1].center));
    for (const joint of run.scene.joints)
        if (joint.kind === "rod" && joint.at && joint.to)
            lengths.push(distance(joint.at, joint.to));
    const quartile = lengths.length ? percentile(Float64Array.from(lengths), 0.25) : size;
    return Math.min(Math.max(0.055 * quartile, 0.004 * size), 0.0125 * size);
}

export interface Measures { r: number; size: number }

const axes: [Vec, Vec, Vec] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

/** Vertices of a mesh with normals smooth across bends below the angle. */
export function creased(points: Vec[], triangles: Triangle[], cosine = 0.75): Skin {
    const skin = flat(points, triangles), around = new Map<string, Vec[]>();
    const key = (p: Vec): string => p.map((x) => x.toPrecision(7)).join(" "), keys = skin.vertices.map(key);
    keys.forEach((k, i) => {
        const list = around.get(k);
        if (list)
            list.push(skin.normals[i]);
        else
            around.set(k, [skin.normals[i]]);
    });
    const smooth = (n: Vec, all: Vec[]): Vec => unit(all.reduce((sum, m) => dot(n, m) > cosine ? add(sum, m) : sum, [0, 0, 0] as Vec));
    skin.normals = skin.normals.map((n, i) => smooth(n, around.get(keys[i])!));
    return skin;
}

function meshSkin(shape: Shape & { kind: "mesh" }): Skin {
    const v = shape.vertices as number[], t = shape.triangles as number[]; // readReport has read their blocks
    const points: Vec[] = [], triangles: Triangle[] = [];
    for (let i = 0; i + 2 < v.length; i += 3)
        points.push([v[i], v[i + 1], v[i + 2]]);
    for (let i = 0; i + 2 < t.length; i += 3)
        if (Math.max(t[i], t[i + 1], t[i + 2]) < points.length)
            triangles.push([t[i], t[i + 1], t[i + 2]]);
    // some files list corners clockwise: turned inside out they would show outlines alone
    const middle = scale(points.reduce((sum, p) => add(sum, p), [0, 0, 0] as Vec), 1 / Math.max(points.length, 1));
    const volume = triangles.reduce((sum, t) => {
        const [a, b, c] = t.map((corner) => sub(points[corner], middle));
        return sum + dot(a, cross(b, c));
    }, 0);
    return creased(points, volume < 0 ? triangles.map(([i, j, k]): Triangle => [i, k, j]) : triangles);
}

function addShape(parts: Parts, body: number, shape: Shape, { r }: Measures): void {
    const color: ColorName = shape.color ?? (body < 0 ? "rest" : body + 1);
    switch (shape.kind) {
    case "rod":
        parts.capsule(body, color, shape.from, shape.to, shape.radius ?? r);
        break;
    case "box": {
        const [x, y] = shape.axes ?? axes;
        parts.box(body, color, shape.center, x, y, shape.size, 0.5 * r);
        break;
    }
    case "cylinder":
        parts.cylinder(body, color, shape.from, shape.to, shape.radius);
        break;
    case "sphere":
        parts.sphere(body, color, shape.center, shape.radius);
        break;
    case "disc": {
        const half = scale(unit(shape.axis ?? [0, 0, 1]), (shape.thickness ?? 1.2 * r) / 2);
        parts.cylinder(body, color, sub(shape.center, half), add(shape.center, half), shape.radius);
        break;
    }
    case "wheel": {
        const axis = sub(shape.to, shape.from), width = length(axis), y = unit(axis), x = across(y);
        const middle = lerp(shape.from, shape.to, 0.5);
        const size: Vec = [shape.radius, width, shape.radius], half = scale(y, 0.3 * width), hub = scale(y, 0.42 * width);
        parts.solid("tire", body, middle, frameTurn(x, y, cross(x, y)), size, [0, 0, 0], shape.color ?? "dark");
        parts.cylinder(body, "steel", sub(middle, half), add(middle, half), 0.57 * shape.radius);
        parts.cylinder(body, "dark", sub(middle, hub), add(middle, hub), 0.12 * shape.radius);
        break;
    }
    case "polygon":
        addPlate(parts, body, color, shape.points, 1.2 * r);
        break;
    case "points":
        addMasses(parts, body, color, shape.points, shape.masses ?? [], r);
        break;
    case "mesh":
        parts.skin(body, color, meshSkin(shape));
        break;
    }
}

/** Any simple polygon, clockwise or counterclockwise. */
function addPlate(parts: Parts, body: number, color: ColorName, points: Vec[], thickness: number): void {
    if (points.length < 3)
        return;
    const twice = points.reduce((sum, p, i) => add(sum, cross(p, points[(i + 1) % points.length])), [0, 0, 0] as Vec);
    parts.skin(body, color, plate(points, unit(twice), thickness));
}

/** Point masses: balls of equal density, joined to the heaviest. */
function addMasses(parts: Parts, body: number, color: ColorName, points: Vec[], masses: number[], r: number): void {
    const heaviest = Math.max(...masses, 1e-300), middle = points[Math.max(masses.indexOf(heaviest), 0)];
    points.forEach((p, i) => {
        parts.sphere(body, color, p, 2.6 * r * Math.cbrt((masses[i] ?? heaviest) / heaviest));
        if (distance(p, middle) > r)
            parts.capsule(body, color, middle, p, 0.5 * r);
    });
}

/** The point of a shape nearest to p, approximately: the end of a thin rod from p. */
function nearest(shape: Shape, p: Vec): Vec | null {
    if (shape.kind === "rod" || shape.kind === "cylinder" || shape.kind === "wheel") {
        const axis = sub(shape.to, shape.from), s = dot(sub(p, shape.from), axis) / (dot(axis, axis) || 1);
        return lerp(shape.from, shape.to, Math.min(1, Math.max(0, s)));
    }
    if (shape.kind === "box") {
        const e = shape.axes ?? axes;
        return e.reduce((sum, axis, c) => {
            const s = dot(sub(p, shape.center), axis), h = shape.size[c] / 2;
            return add(sum, scale(axis, Math.min(h, Math.max(-h, s))));
        }, shape.center);
    }
    if (shape.kind === "sphere")
        return distance(p, shape.center) < shape.radius ? p : shape.center;
    if (shape.kind === "disc") {
        const e = unit(shape.axis ?? [0, 0, 1]), offset = sub(p, shape.center), radial = sub(offset, scale(e, dot(offset, e)));
        const l = length(radial);
        return l > 0 ? add(shape.center, scale(radial, Math.min(1, shape.radius / l))) : shape.center;
    }
    if (shape.kind === "points")
        return shape.points.reduce((best, q) => distance(p, q) < distance(p, best) ? q : best, shape.points[0] ?? p);
    return null;
}

/** Connects joints that are away from the shapes. */
function addSpokes(parts: Parts, body: number, def: BodyDef, shapes: Shape[], r: number): void {
    for (const p of def.points) {
        const ends = shapes.map((shape) => nearest(shape, p));
        if (!ends.length || ends.some((q) => q === null))
            continue;
        const end = (ends as Vec[]).reduce((best, q) => distance(p, q) < distance(p, best) ? q : best);
        if (distance(p, end) > 0.5 * r)
            parts.capsule(body, body + 1, p, end, 0.6 * r);
    }
}

function addHull(parts: Parts, body: number, points: Vec[], r: number): void {
    const faces = convexHull(points);
    if (!faces.length)
        return;
    parts.alpha = 0.26;
    parts.skin(body, body + 1, flat(points, faces));
    parts.alpha = 1;
    for (const [a, b] of sharpEdges(points, faces, 12 * Math.PI / 180))
        parts.capsule(body, body + 1, points[a], points[b], 0.55 * r);
    // points inside are held by a thin rod to the nearest corner
    const corners = new Set(faces.flat());
    points.forEach((p, i) => {
        if (corners.has(i))
            return;
        const other = [...corners].reduce((best, k) => distance(points[k], p) < distance(points[best], p) ? k : best);
        parts.capsule(body, body + 1, p, points[other], 0.4 * r);
    });
}

function addPoints(parts: Parts, body: number, def: BodyDef, { r, size }: Measures, isBlock: boolean): void {
    const away = def.points.filter((p) => distance(p, def.center) > 0.02 * size); // a probe of the mass center holds nothing
    const points = away.length > 2 ? away : def.points, color = body + 1, spread = spreadOf(points, size);
    if (spread.kind === "line")
        parts.capsule(body, color, spread.ends[0], spread.ends[1], r);
    else if (spread.kind === "plane")
        parts.skin(body, color, plate(roundOutline(spread.corners, spread.normal, 2 * r), spread.normal, 1.2 * r));
    else if (spread.kind === "space")
        addHull(parts, body, points, r);
    else if (def.points.length && distance(def.points[0], def.center) > 0.02 * size) {
        parts.capsule(body, color, def.points[0], def.center, r);
        parts.sphere(body, color, def.center, 2.4 * r);
    } else if (!isBlock)
        addInertia(parts, body, def, r, size);
}

/** The ellipsoid of equal mass and inertia. */
function addInertia(parts: Parts, body: number, def: BodyDef, r: number, size: number): void {
    const inertia = def.inertia ?? [], [xx, yy, zz, xy, xz, yz] = inertia;
    const known = def.mass > 0 && inertia.length === 6 && xx + yy + zz > 0;
    const { values, vectors } = known ? principal([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) : { values: [0, 0, 0], vectors: axes };
    const sum = values[0] + values[1] + values[2];
    const half = values.map((v) => Math.sqrt(Math.max(0, 5 / (2 * (def.mass || 1)) * (sum - 2 * v)))) as Vec;
    const radii = half.map((h) => Math.min(Math.max(h, 1.6 * r), 0.4 * size)) as Vec;
    const [x, y] = vectors;
    parts.alpha = known ? 0.4 : 1;
    parts.solid("ball", body, def.center, frameTurn(x, y, cross(x, y)), known ? radii : [3 * r, 3 * r, 3 * r], [0, 0, 0], body + 1);
    parts.alpha = 1;
    if (known)
        parts.sphere(body, "dark", def.center, 0.8 * r);
}

/** Eigenvalues and unit eigenvectors of a symmetric matrix, by Jacobi's rotations. */
export function principal(m: number[][]): { values: Vec; vectors: [Vec, Vec, Vec] } {
    const a = m.map((row) => [...row]), v = axes.map((row) => [...row]); // rows of v become the vectors
    for (let sweep = 0; sweep < 30; sweep++)
        for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
            if (Math.abs(a[p][q]) < 1e-300)
                continue;
            const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]), t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
            const c = 1 / Math.hypot(t, 1), s = t * c;
            for (let k = 0; k < 3; k++)
                [a[k][p], a[k][q]] = [c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]];
            for (let k = 0; k < 3; k++) {
                [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]];
                [v[p][k], v[q][k]] = [c * v[p][k] - s * v[q][k], s * v[p][k] + c * v[q][k]];
            }
        }
    return { values: [a[0][0], a[1][1], a[2][2]], vectors: v as [Vec, Vec, Vec] };
}

/** isBlock: the joint's own picture is the body (a block on its rail). */
export function addBody(parts: Parts, run: Run, body: number, measures: Measures, isBlock: boolean): void {
    const def = run.scene.bodies[body], pictures = def.shapes.filter((shape) => shape.picture);
    const shapes = pictures.length ? pictures : def.shapes;
    parts.owner = { what: "body", index: body };
    if (run.meshes.some(({ def: mesh }) => mesh.body === body && mesh.vertices.count > 0))
        return; // drawn deformed (surface.ts)
    if (isFrame(run.scene, body))
        for (const p of offAxis(def, 1e-3 * measures.size)) // arms; the beam itself bends (beams3.ts)
            parts.capsule(body, body + 1, def.center, p, 0.6 * measures.r);
    for (const shape of shapes)
        addShape(parts, body, shape, measures);
    if (shapes.length && !pictures.length)
        addSpokes(parts, body, def, shapes, measures.r);
    else if (!shapes.length && !def.mesh && !elasticOf(run.scene, body))
        addPoints(parts, body, def, measures, isBlock);
}

export function addGround(parts: Parts, run: Run, measures: Measures): void {
    parts.owner = { what: "ground", index: 0 };
    for (const shape of run.scene.ground?.shapes ?? [])
        addShape(parts, -1, shape, measures);
}

/** Points that reach as far as the picture of a body, for fitting. */
export function reachOf(def: BodyDef): Vec[] {
    const points = [...def.points, ...def.shapes.flatMap(shapePoints)];
    if (points.length < 20)
        return points.length ? points : [def.center];
    const spread = spreadOf(points, 1);
    return spread.kind === "plane" ? outline(points, spread.normal) : extremes(points);
}

/** Of many points those farthest along 26 directions. */
function extremes(points: Vec[]): Vec[] {
    const out = new Set<Vec>();
    for (let x = -1; x <= 1; x++)
        for (let y = -1; y <= 1; y++)
            for (let z = -1; z <= 1; z++)
                out.add(points.reduce((best, p) => dot(p, [x, y, z]) > dot(best, [x, y, z]) ? p : best));
    return [...out];
}
