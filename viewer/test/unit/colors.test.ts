import assert from "node:assert/strict";
import { test } from "node:test";
import { type Theme, palettes } from "../../src/look/colors.ts";

type Rgb = [number, number, number];

/** sRGB, linear: IEC 61966-2-1. */
const linear = (color: string): Rgb => [1, 3, 5].map((at) => {
    const c = parseInt(color.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}) as Rgb;

const times = (m: number[][], v: Rgb): Rgb => m.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]) as Rgb;

/** CIELAB of linear sRGB under D65. */
function lab(rgb: Rgb): Rgb {
    const xyz = times([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]], rgb);
    const f = xyz.map((value, i) => {
        const t = value / [0.95047, 1, 1.08883][i];
        return t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 * t + 16) / 116;
    });
    return [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])];
}

/** Full dichromacy after Machado, Oliveira, Fernandes (2009), table of severity 1, applied to linear sRGB. */
const eyes: Record<string, number[][]> = {
    normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

const seen = (color: string, eye: string): Rgb => lab(times(eyes[eye], linear(color)).map((c) => Math.min(1, Math.max(0, c))) as Rgb);
const luminance = (color: string): number => times([[0.2126, 0.7152, 0.0722], [0, 0, 0], [0, 0, 0]], linear(color))[0];
const contrast = (a: string, b: string): number => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
};

for (const theme of ["light", "dark"] as Theme[]) {
    const palette = palettes[theme];
    for (const eye of Object.keys(eyes))
        test(`${theme}: ${eye} eyes tell the curves apart`, () => {
            let least = Infinity;
            palette.curves.forEach((a, i) => palette.curves.slice(0, i).forEach((b) => {
                const p = seen(a, eye), q = seen(b, eye);
                least = Math.min(least, Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
            }));
            assert.ok(least >= 30, `smallest difference ${least.toFixed(1)}`);
        });
    test(`${theme}: curves stand out from the panel`, () => {
        for (const color of palette.curves)
            assert.ok(contrast(color, palette.paper) >= 3.25, // 3.3 in two digits; the norm asks for 3
                 `${color} ${contrast(color, palette.paper).toFixed(2)}`);
    });
    test(`${theme}: text and controls are readable`, () => {
        for (const [name, on, least] of [["ink", "paper", 7], ["soft", "paper", 7], ["ink", "scene", 7], ["soft", "scene", 7],
            ["faint", "paper", 3],
            ["force", "paper", 4.5], ["accent", "paper", 3]] as const)
            assert.ok(contrast(palette[name], palette[on]) >= least,
                `${name} on ${on}: ${contrast(palette[name], palette[on]).toFixed(2)}`);
    });
}
