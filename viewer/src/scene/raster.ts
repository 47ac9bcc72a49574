// Triangles with values at their corners into pixels: a path per triangle would take a hundred times as long and leave seams.

/** Colors of the levels 0 to 255 as they lie in memory of an image (little-endian: alpha first). */
export function levelColors(channels: (share: number) => [number, number, number]): Uint32Array {
    const table = new Uint32Array(256);
    for (let i = 0; i < 256; i++) {
        const [r, g, b] = channels(i / 255);
        table[i] = (255 << 24 | Math.round(b) << 16 | Math.round(g) << 8 | Math.round(r)) >>> 0;
    }
    return table;
}

/**
 * Pixels whose middle is in a triangle get the color of the value there (linear between the corners). A middle on a common edge
 * belongs to one of the two triangles: no gaps, no doubles. xy: two per corner, in pixels; level: 0 to 255, NaN corners are left out.
 */
export function fillTriangles(
    pixels: Uint32Array, width: number, height: number, xy: Float32Array, level: Float32Array, triangles: Uint32Array, colors: Uint32Array,
): void {
    for (let n = 0; n < triangles.length; n += 3) {
        let a = triangles[n], b = triangles[n + 1], c = triangles[n + 2], swap = 0;
        if (xy[2 * b + 1] < xy[2 * a + 1]) { swap = a; a = b; b = swap; }
        if (xy[2 * c + 1] < xy[2 * b + 1]) { swap = b; b = c; c = swap; }
        if (xy[2 * b + 1] < xy[2 * a + 1]) { swap = a; a = b; b = swap; }
        const ax = xy[2 * a], ay = xy[2 * a + 1], bx = xy[2 * b], by = xy[2 * b + 1], cx = xy[2 * c], cy = xy[2 * c + 1];
        const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
        if (!(area !== 0)) // flat, or not a number
            continue;
        const va = level[a], vb = level[b] - va, vc = level[c] - va;
        const gx = (vb * (cy - ay) - vc * (by - ay)) / area, gy = (vc * (bx - ax) - vb * (cx - ax)) / area;
        if (gx !== gx || gy !== gy)
            continue;
        const long = (cx - ax) / (cy - ay), upper = by > ay ? (bx - ax) / (by - ay) : 0, lower = cy > by ? (cx - bx) / (cy - by) : 0;
        const first = Math.max(0, Math.ceil(ay - 0.5)), last = Math.min(height - 1, Math.ceil(cy - 0.5) - 1);
        for (let y = first; y <= last; y++) {
            const line = y + 0.5, one = ax + long * (line - ay), two = line < by ? ax + upper * (line - ay) : bx + lower * (line - by);
            const from = Math.max(0, Math.ceil(Math.min(one, two) - 0.5));
            const to = Math.min(width - 1, Math.ceil(Math.max(one, two) - 0.5) - 1);
            let v = va + gx * (from + 0.5 - ax) + gy * (line - ay);
            for (let at = y * width + from, end = y * width + to; at <= end; at++, v += gx)
                pixels[at] = colors[v <= 0 ? 0 : v >= 255 ? 255 : v + 0.5 | 0];
        }
    }
}
