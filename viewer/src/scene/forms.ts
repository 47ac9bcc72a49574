// Unit geometries of space, as plain arrays. A vertex is at position * size + side * stretch: so one sphere cut along its three
// planes is every ball, capsule and rounded box, and edges stay round whatever the proportions.

export interface Form {
    position: number[];
    normal: number[];
    side: number[];
    index: number[];
}

const empty = (): Form => ({ position: [], normal: [], side: [], index: [] });

type Three = [number, number, number];
function vertex(form: Form, position: Three, normal: Three, side: Three): number {
    const l = Math.hypot(...normal) || 1;
    form.position.push(...position);
    form.normal.push(normal[0] / l, normal[1] / l, normal[2] / l);
    form.side.push(...side);
    return form.position.length / 3 - 1;
}

/** Triangles of a grid of (rows) x (columns) vertices; rows go up, columns around: counterclockwise seen from outside. */
function grid(form: Form, first: number, rows: number, columns: number): void {
    for (let i = 0; i + 1 < rows; i++)
        for (let j = 0; j + 1 < columns; j++) {
            const a = first + i * columns + j, b = a + 1, c = a + columns, d = c + 1;
            form.index.push(a, c, b, b, c, d);
        }
}

/** A point of a profile: radius, height, and which end (-1, 0, 1) it moves with when the form is stretched. */
type Station = [number, number, number];

/**
 * Turned about y. Pieces meet in edges, within one the surface is smooth; they run from the bottom to the top on the outside.
 * Inner surfaces run downward.
 */
function lathe(pieces: Station[][], segments: number): Form {
    const form = empty();
    for (const piece of pieces) {
        const first = form.position.length / 3;
        piece.forEach(([r, y, s], i) => {
            const before = piece[Math.max(i - 1, 0)], after = piece[Math.min(i + 1, piece.length - 1)];
            const dr = after[0] - before[0], dy = after[1] + after[2] - before[1] - before[2];
            for (let j = 0; j <= segments; j++) {
                const angle = 2 * Math.PI * j / segments, c = Math.cos(angle), z = Math.sin(angle);
                vertex(form, [r * c, y, r * z], [dy * c, -dr, dy * z], [0, s, 0]);
            }
        });
        grid(form, first, piece.length, segments + 1);
    }
    return form;
}

/** A sphere in eight parts: quarter k of the longitudes has its own sides in x and z, each half its own in y. */
export function round(quarter: number): Form {
    const form = empty(), signs = [[1, 1], [-1, 1], [-1, -1], [1, -1]];
    const rows: [number, number][] = [];
    for (const s of [-1, 1])
        for (let i = 0; i <= quarter; i++)
            rows.push([(s < 0 ? i / quarter - 1 : i / quarter) * Math.PI / 2, s]);
    const columns: [number, number, number][] = [];
    for (let k = 0; k < 4; k++)
        for (let j = 0; j <= quarter; j++)
            columns.push([(k + j / quarter) * Math.PI / 2, signs[k][0], signs[k][1]]);
    columns.push([0, 1, 1]);
    for (const [latitude, sy] of rows)
        for (const [longitude, sx, sz] of columns) {
            const c = Math.cos(latitude);
            const n: Three = [c * Math.cos(longitude), Math.sin(latitude), c * Math.sin(longitude)];
            vertex(form, n, n, [sx, sy, sz]);
        }
    grid(form, 0, rows.length, columns.length);
    // the two faces at the poles, where the four corners part
    const n = quarter + 1, top = (rows.length - 1) * columns.length;
    form.index.push(0, n, 2 * n, 0, 2 * n, 3 * n);
    form.index.push(top, top + 2 * n, top + n, top, top + 3 * n, top + 2 * n);
    return form;
}

const BEVEL = 0.14;
/** Radius 1 about y with beveled rims; as high as 2 BEVEL before it is stretched. */
export function cylinder(segments: number): Form {
    const b = BEVEL, rim = 1 - b;
    return lathe([
        [[0, -b, -1], [rim, -b, -1]], [[rim, -b, -1], [1, 0, -1]], // bottom, lower rim
        [[1, 0, -1], [1, 0, 1]],
        [[1, 0, 1], [rim, b, 1]], [[rim, b, 1], [0, b, 1]],
    ], segments);
}
cylinder.bevel = BEVEL;

/** Height 0 to 1, radius 1 below; the shader narrows its top. */
export const cone = (segments: number): Form => lathe([[[0, 0, 0], [1, 0, 0]], [[1, 0, 0], [1, 1, 0]], [[1, 1, 0], [0, 1, 0]]], segments);

/** The upper half of a ball as a bowl, open downward. */
export function bowl(segments: number): Form {
    const arc = (radius: number, from: number, to: number): Station[] => Array.from({ length: 9 }, (_, i) => {
        const angle = from + (to - from) * i / 8;
        return [radius * Math.cos(angle), radius * Math.sin(angle), 0];
    });
    return lathe([arc(1, 0.1, Math.PI / 2), arc(0.84, Math.PI / 2, 0.12), [arc(0.84, 0.12, 0.12)[0], arc(1, 0.1, 0.1)[0]]], segments);
}

/** Bent about y: side is the position on the circle, position the section (round, or square where `square`). */
export function ring(segments: number, around: number, square: boolean): Form {
    const form = empty(), corners = square ? [[1, -1], [1, 1], [-1, 1], [-1, -1]] : [];
    const put = (u: number, v: number, nu: number, nv: number): void => {
        for (let j = 0; j <= segments; j++) {
            const angle = 2 * Math.PI * j / segments, c = Math.cos(angle), z = Math.sin(angle);
            vertex(form, [u * c, v, u * z], [nu * c, nv, nu * z], [c, 0, z]);
        }
    };
    if (square)
        for (let i = 0; i < 4; i++) {
            const first = form.position.length / 3, [a, b] = [corners[i], corners[(i + 1) % 4]];
            const nu = b[1] - a[1], nv = a[0] - b[0];
            put(a[0], a[1], nu, nv);
            put(b[0], b[1], nu, nv);
            grid(form, first, 2, segments + 1);
        }
    else {
        for (let i = 0; i <= around; i++) {
            const angle = 2 * Math.PI * i / around;
            put(Math.cos(angle), Math.sin(angle), Math.cos(angle), Math.sin(angle));
        }
        grid(form, 0, around + 1, segments + 1);
    }
    return form;
}

/** From 0.56 to 1 of the radius, 1 wide, shoulders rounded from 0.9. */
export function tire(segments: number): Form {
    const shoulder = (sign: number): Station[] => Array.from({ length: 7 }, (_, i) => {
        const angle = i / 6 * Math.PI / 2;
        return [0.84 + 0.16 * Math.cos(angle), sign * (0.26 + 0.24 * Math.sin(angle)), 0];
    });
    const low = shoulder(-1).reverse(), high = shoulder(1);
    return lathe([
        [[0.56, -0.4, 0], [0.62, -0.46, 0], [0.72, -0.5, 0], ...low, ...high, [0.72, 0.5, 0], [0.62, 0.46, 0], [0.56, 0.4, 0]],
        [[0.56, 0.4, 0], [0.56, -0.4, 0]],
    ], segments);
}

/** Edges 1, sharp. */
export function block(): Form {
    const form = empty();
    for (let axis = 0; axis < 3; axis++)
        for (const s of [-1, 1]) {
            const at = (u: number, v: number): Three => {
                const p: Three = [0, 0, 0];
                p[axis] = s / 2;
                p[(axis + 1) % 3] = s * u / 2;
                p[(axis + 2) % 3] = v / 2;
                return p;
            };
            const normal: Three = [0, 0, 0];
            normal[axis] = s;
            const [a, b, c, d] = [at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)].map((p) => vertex(form, p, normal, [0, 0, 0]));
            form.index.push(a, b, c, a, c, d);
        }
    return form;
}

/** In the plane across y, edges 1. */
export function square(): Form {
    const form = empty(), corners: Three[] = [[-0.5, 0, -0.5], [-0.5, 0, 0.5], [0.5, 0, 0.5], [0.5, 0, -0.5]];
    const [a, b, c, d] = corners.map((p) => vertex(form, p, [0, 1, 0], [0, 0, 0]));
    form.index.push(a, b, c, a, c, d);
    return form;
}

/** A wire: position is (fraction of its length, cosine and sine about the wire); the shader computes its path. */
export function wire(steps: number, around: number): Form {
    const form = empty();
    for (let i = 0; i <= steps; i++)
        for (let j = 0; j <= around; j++) {
            const angle = 2 * Math.PI * j / around;
            vertex(form, [i / steps, Math.cos(angle), Math.sin(angle)], [0, Math.cos(angle), Math.sin(angle)], [0, 0, 0]);
        }
    grid(form, 0, steps + 1, around + 1);
    return form;
}

/**
 * The displacement of a corner that moves every face at it outward by 1: the shortest n with n . f = 1 for all their normals f, by
 * projections in turn. Corners that are too sharp for that go at most twice as far.
 */
export function corner(normals: Three[]): Three {
    const n: Three = [0, 0, 0], rounds = normals.length > 1 ? 60 : 1;
    for (let i = 0; i < rounds; i++)
        for (const f of normals) {
            const short = 1 - n[0] * f[0] - n[1] * f[1] - n[2] * f[2];
            for (let c = 0; c < 3; c++)
                n[c] += short * f[c];
        }
    const l = Math.hypot(...n);
    return l > 2 ? [2 * n[0] / l, 2 * n[1] / l, 2 * n[2] / l] : n;
}

/** Normals of all vertices with equal keys become one, that of their corner: outlines must not break at edges. */
export function cornerNormals(keys: string[], normal: ArrayLike<number>): number[] {
    const groups = new Map<string, Map<string, Three>>(), found = new Map<string, Three>();
    keys.forEach((key, i) => {
        const n: Three = [normal[3 * i], normal[3 * i + 1], normal[3 * i + 2]], same = n.map((x) => Math.round(x * 1e3)).join(" ");
        const group = groups.get(key) ?? new Map<string, Three>();
        groups.set(key, group.set(same, n)); // a seam has the same normal twice
    });
    groups.forEach((group, key) => found.set(key, corner([...group.values()])));
    return keys.flatMap((key) => found.get(key)!);
}

/** The form with its outline's normals. */
export function welded(form: Form): Form {
    const keys = Array.from({ length: form.position.length / 3 }, (_, i) =>
        [...form.position.slice(3 * i, 3 * i + 3), ...form.side.slice(3 * i, 3 * i + 3)].map((x) => Math.round(x * 1e5)).join(" "));
    return { ...form, normal: cornerNormals(keys, form.normal) };
}
