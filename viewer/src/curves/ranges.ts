// Ranges of axes: what is shown and how much beyond it.
import type { Line } from "./lines.ts";

export type Range = [number, number];

export function extentOf(lines: readonly Line[], pick: (line: Line) => Float64Array): Range | null {
    let low = Infinity, high = -Infinity;
    for (const line of lines)
        for (const value of pick(line)) {
            if (value < low)
                low = value;
            if (value > high)
                high = value;
        }
    return low <= high ? [low, high] : null;
}

/** Some room above and below; rounding noise of a constant is not blown up to the height of the plot, zero is kept where it is near. */
export function comfortable(low: number | null, high: number | null): Range {
    if (low === null || high === null || !(low <= high))
        return [0, 1];
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (size === 0)
        return [-1, 1];
    if (high - low <= 2e-6 * size)
        return [low - 0.1 * size, high + 0.1 * size];
    const room = 0.07 * (high - low), bottom = low - room, top = high + room;
    return [low >= 0 && bottom < 0 ? 0 - 0.01 * (high - low) : bottom, high <= 0 && top > 0 ? 0.01 * (high - low) : top];
}

export function padded([low, high]: Range): Range {
    const width = high - low || Math.max(Math.abs(high), 1e-9);
    return [low - 0.05 * width, high + 0.05 * width];
}

/** Widens one of two ranges so that a unit is as long on both axes. */
export function equalScales(x: Range, y: Range, width: number, height: number): [Range, Range] {
    const perPixel = Math.max((x[1] - x[0]) / width, (y[1] - y[0]) / height);
    const widen = ([low, high]: Range, pixels: number): Range => {
        const middle = (low + high) / 2, half = (perPixel * pixels) / 2;
        return [middle - half, middle + half];
    };
    return [widen(x, width), widen(y, height)];
}
