// PNG files of screenshots and stored pictures, 8 bits a channel: as many lines as the tests need, so that they need no library.
import { inflateSync } from "node:zlib";

export interface Picture { width: number; height: number; rgb: Uint8Array }

const paeth = (a: number, b: number, c: number): number => {
    const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
};

/** Undoes the filters of all rows in place; bpp: bytes to the pixel on the left. */
function unfilter(raw: Uint8Array, rows: number, stride: number, bpp: number): Uint8Array {
    const out = new Uint8Array(rows * stride);
    for (let y = 0; y < rows; y++) {
        const kind = raw[y * (stride + 1)], from = y * (stride + 1) + 1, to = y * stride;
        for (let i = 0; i < stride; i++) {
            const left = i >= bpp ? out[to + i - bpp] : 0, up = y ? out[to + i - stride] : 0;
            const corner = y && i >= bpp ? out[to + i - stride - bpp] : 0;
            const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][kind];
            out[to + i] = raw[from + i] + guess;
        }
    }
    return out;
}

export function readPng(file: Buffer): Picture {
    let width = 0, height = 0, depth = 8, kind = 2, palette: Uint8Array = new Uint8Array(0);
    const parts: Buffer[] = [];
    for (let at = 8; at < file.length;) {
        const length = file.readUInt32BE(at), name = file.toString("latin1", at + 4, at + 8), body = file.subarray(at + 8, at + 8 + length);
        if (name === "IHDR")
            [width, height, depth, kind] = [body.readUInt32BE(0), body.readUInt32BE(4), body[8], body[9]];
        else if (name === "PLTE")
            palette = body;
        else if (name === "IDAT")
            parts.push(body);
        at += 12 + length;
    }
    const channels = { 0: 1, 2: 3, 3: 1, 6: 4 }[kind];
    if (!channels || depth > 8 || (depth < 8 && kind !== 3))
        throw new Error(`PNG of kind ${kind} with ${depth} bits is not read here`);
    const stride = Math.ceil(width * channels * depth / 8), bpp = Math.max(1, channels * depth / 8);
    const bytes = unfilter(inflateSync(Buffer.concat(parts)), height, stride, bpp);
    const rgb = new Uint8Array(3 * width * height);
    for (let y = 0, to = 0; y < height; y++)
        for (let x = 0; x < width; x++, to += 3) {
            if (kind === 3) {
                const bit = x * depth, index = (bytes[y * stride + (bit >> 3)] >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
                rgb.set(palette.subarray(3 * index, 3 * index + 3), to);
            } else
                for (let c = 0; c < 3; c++)
                    rgb[to + c] = bytes[y * stride + x * channels + (channels < 3 ? 0 : c)];
        }
    return { width, height, rgb };
}

export interface Difference { share: number; worstTile: number; picture: Picture }

/** Share of pixels that differ by more than 24 of 255 in a channel, in all and in the worst tile of 32 x 32. */
export function compare(a: Picture, b: Picture): Difference {
    if (a.width !== b.width || a.height !== b.height)
        throw new Error(`pictures of ${a.width} x ${a.height} and ${b.width} x ${b.height}`);
    const columns = Math.ceil(a.width / 32), tiles = new Map<number, number>(), shown = new Uint8Array(a.rgb.length).fill(255);
    let count = 0;
    for (let i = 0; i < a.width * a.height; i++) {
        let far = 0;
        for (let c = 0; c < 3; c++)
            far = Math.max(far, Math.abs(a.rgb[3 * i + c] - b.rgb[3 * i + c]));
        if (far <= 24)
            continue;
        count++;
        shown.set([200, 0, 0], 3 * i);
        const tile = Math.floor(Math.floor(i / a.width) / 32) * columns + Math.floor((i % a.width) / 32);
        tiles.set(tile, (tiles.get(tile) ?? 0) + 1);
    }
    return { share: count / (a.width * a.height), worstTile: Math.max(0, ...tiles.values()) / 1024, picture: { ...a, rgb: shown } };
}
