// Sizes of the diagram in the plane: pixels times k, so that symbols follow window and zoom together. Chosen by eye.

const clamp = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x));

/** From the window alone. */
export const windowFactor = (width: number, height: number): number => clamp(Math.min(width, height) / 560, 0.75, 1.7);

/** k: symbols must not crowd links (median distance of points of one body on the screen). */
export const sizeFactor = (width: number, height: number, link: number): number =>
    Math.max(0.45, Math.min(windowFactor(width, height), link > 0 ? link / 70 : Infinity));

/** Free rim about the points: 13 % of the smaller side, at most 60 k, and room for feet and blocks where there are joints. */
export const margin = (width: number, height: number, joints: boolean): number =>
    Math.min(0.13 * Math.min(width, height), 60 * windowFactor(width, height)) +
    (joints ? Math.min(27 * windowFactor(width, height), 0.06 * Math.min(width, height)) : 0);

/** Links shorter than this on the screen are lines without pins. */
export const THIN = 12;
export const THIN_LINE = 1.5;

export const FONT = 'system-ui, "Segoe UI", Helvetica, Arial, sans-serif';
export const TEXT_LEAST = 12;
export const textSize = (size: number, k: number): number => Math.max(TEXT_LEAST, size * clamp(k, 0.9, 1.45));

export const size = {
    bar: { radius: 7, stroke: 1.8, plate: 0.75 }, // plates: fill at 75 %
    beam: { radius: 4.2 }, // at least: elastic bodies are slimmer than rigid ones
    center: 6,
    pin: { radius: 5.2, stroke: 2.0 },
    foot: { width: 30, height: 20, stroke: 1.75, base: 44, line: 2.25 }, // the triangle under a pin
    hatch: { depth: 7.5, every: 6.5, stroke: 1.1 },
    block: { length: 38, width: 22, corner: 3, beyond: 22, stroke: 1.75 },
    wedge: 13,
    rod: { stroke: 2.5, radius: 3.5 },
    slot: { width: 12, stroke: 1.75 },
    follower: { edge: 14, face: 7, beyond: 8 }, // of cams
    gear: { stroke: 1.2, ticks: 24, tick: 5 },
    driver: { radius: 21, sweep: 130 * Math.PI / 180, stroke: 2.2, head: 9, double: 46, beside: 19 },
    spring: { width: 13, stroke: 1.9, flank: 7, least: 8, most: 24, end: 16, endShare: 0.12, wall: 36, damper: 12, beside: 16 },
    spiral: { turns: 1.75, inner: 8, outer: 16 },
    arrow: { shaft: 2.6, head: 12, wide: 10, least: 4, standard: 110, place: 3.2 },
    speed: { shaft: 1.5, head: 10, wide: 8 }, // thinner: color is not the only sign
    moment: { radius: 18, sweep: 1.5 * Math.PI },
    probe: { radius: 3.6, ring: 1.5 },
    trace: { complete: 1.6, alpha: 0.38, recent: 3.0 },
    ghost: { stroke: 0.2, fill: 0.05 },
    name: { size: 13, weight: 500, halo: 3.5, away: 17 },
    grid: { least: 70 }, // pixels between lines, not times k
    picked: 3.6,
};
