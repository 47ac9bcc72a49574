// A color map from dark blue over green to yellow, even to the eye and growing in lightness, so that it reads in gray too.
// Control points: viridis (public domain, CC0; S. van der Walt and N. Smith), every eighth of its range.
const points = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"];

const parse = (hex: string): [number, number, number] =>
    [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as [number, number, number];
const byte = (x: number): string => Math.round(Math.min(255, Math.max(0, x))).toString(16).padStart(2, "0");
const rgb = points.map(parse);

/** Red, green, blue (0 to 255) at a share of the range. */
export function mapChannels(share: number): [number, number, number] {
    const s = Math.min(1, Math.max(0, share || 0)) * (rgb.length - 1), i = Math.min(rgb.length - 2, Math.floor(s)), f = s - i;
    return [0, 1, 2].map((c) => rgb[i][c] + f * (rgb[i + 1][c] - rgb[i][c])) as [number, number, number];
}

export const colorMap = (share: number): string => `#${mapChannels(share).map(byte).join("")}`;

/** Two colors mixed: a share of the second. */
export function mixed(a: string, b: string, share: number): string {
    const p = parse(a), q = parse(b);
    return `#${p.map((x, c) => byte(x + share * (q[c] - x))).join("")}`;
}
