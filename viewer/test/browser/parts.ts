// A page taken apart into its data and put together again, and the coding of blocks written once more from docs/REPORT.md.
import { readFileSync, writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import type { HeaderDef } from "../../src/data/header.ts";

export interface Parts { front: string; header: string; blocks: Map<string, string>; back: string }

const DATA = /<script type="application\/(?:json|octet-stream)" id="(\w+)">([\s\S]*?)<\/script>\s*/g;

export function takeApart(file: string): Parts {
    const page = readFileSync(file, "utf8"), found = [...page.matchAll(DATA)], last = found[found.length - 1];
    return {
        front: page.slice(0, found[0].index), header: found.find((one) => one[1] === "biela")![2],
        blocks: new Map(found.filter((one) => one[1] !== "biela").map((one) => [one[1], one[2]])),
        back: page.slice((last.index ?? 0) + last[0].length),
    };
}

export function putTogether(file: string, { front, header, blocks, back }: Parts): string {
    const data = [...blocks].map(([name, text]) => `<script type="application/octet-stream" id="${name}">${text}</script>\n`).join("");
    writeFileSync(file, `${front}<script type="application/json" id="biela">${header}</script>\n${data}${back}`);
    return file;
}

/** The same page with another header; text from models must not end the script. */
export function changed(parts: Parts, change: (header: HeaderDef) => void): Parts {
    const header = JSON.parse(parts.header) as HeaderDef;
    change(header);
    return { ...parts, header: JSON.stringify(header).replace(/</g, "\\u003c") };
}

function planes(bytes: Uint8Array, width: number): string {
    const count = bytes.length / width, out = new Uint8Array(bytes.length);
    for (let plane = 0; plane < width; plane++)
        for (let i = 0; i < count; i++)
            out[plane * count + i] = bytes[i * width + plane];
    return deflateSync(out, { level: 1 }).toString("base64");
}

const bytesOf = (numbers: ArrayBufferView): Uint8Array => new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);

export const codeDoubles = (values: ArrayLike<number>): string => planes(bytesOf(Float64Array.from(values)), 8);
export const codeFloats = (values: ArrayLike<number>): string => planes(bytesOf(Float32Array.from(values)), 4);

/** Second differences along time, zigzag; value(series, frame) are whole numbers. */
export function codeDifferences(series: number, frames: number, value: (s: number, k: number) => number): string {
    const out = new Int32Array(series * frames);
    for (let s = 0; s < series; s++) {
        let before = 0, step = 0;
        for (let k = 0; k < frames; k++) {
            const now = value(s, k), first = (now - before) | 0, stored = k === 0 ? now : k === 1 ? first : (first - step) | 0;
            out[s * frames + k] = (stored << 1) ^ (stored >> 31);
            [before, step] = [now, first];
        }
    }
    return planes(bytesOf(out), 4);
}
