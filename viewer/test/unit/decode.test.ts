import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { Blocks, Damaged, fromDifferences } from "../../src/data/decode.ts";

/** The coder, written again from the description: differences of order 2, zigzag, planes. */
function code(series: number[][]): Uint8Array {
    const all: number[] = [];
    for (const row of series)
        row.forEach((value, i) => {
            const d = i === 0 ? value : i === 1 ? value - row[0] : value - 2 * row[i - 1] + row[i - 2];
            all.push(((d << 1) ^ (d >> 31)) >>> 0);
        });
    const bytes = new Uint8Array(4 * all.length);
    for (let plane = 0; plane < 4; plane++)
        all.forEach((value, i) => { bytes[plane * all.length + i] = (value >>> (8 * plane)) & 255; });
    return bytes;
}

test("whole numbers come back from their differences", () => {
    const series = [[5, -7, 1 << 20, -(1 << 20), 0], [0, 0, 0, 0, 1], [2147483647, -2147483648, 3, 4, 5]];
    const wrapped = series.map((row) => row.map((value) => value | 0));
    assert.deepEqual([...fromDifferences(code(wrapped), 3, 5, 2)], wrapped.flat());
});

test("a block that does not fit its count is refused", () => {
    assert.throws(() => fromDifferences(new Uint8Array(12), 1, 4, 2), Damaged);
});

test("blocks are read by name, damaged ones are refused", async () => {
    const planes = new Uint8Array(16), source = new Uint8Array(Float64Array.of(1.5, -2e300).buffer);
    for (let i = 0; i < 16; i++)
        planes[(i % 8) * 2 + Math.floor(i / 8)] = source[i];
    const whole = deflateSync(planes).toString("base64");
    const blocks = new Blocks((name) => ({ good: whole, cut: whole.slice(0, 8), bad: "@@" })[name] ?? null);
    assert.deepEqual([...await blocks.doubles("good")], [1.5, -2e300]);
    for (const name of ["cut", "bad", "none"])
        await assert.rejects(blocks.doubles(name), Damaged);
});
