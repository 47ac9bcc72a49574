// Ticks and reduced lines of the small plots. No DOM.

export interface Scale { low: number; high: number; log: boolean }

/** Round numbers (1, 2, 5) within [low, high], about so many. */
export function ticks(low: number, high: number, about: number): number[] {
    if (!(high > low))
        return [low];
    const raw = (high - low) / Math.max(1, about), power = 10 ** Math.floor(Math.log10(raw));
    const step = power * ([1, 2, 5, 10].find((m) => m * power >= raw * 0.999) ?? 10);
    const out: number[] = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++)
        out.push(k * step === 0 ? 0 : Number((k * step).toPrecision(12)));
    return out;
}

/** Powers of ten within [low, high], every n-th where there are many; less than two decades have 1, 2, 5 of each. */
export function logTicks(low: number, high: number, about: number): number[] {
    if (high / low < 99) {
        const out: number[] = [];
        for (let p = Math.floor(Math.log10(low) + 1e-9); 10 ** p <= high * (1 + 1e-9); p++)
            for (const m of [1, 2, 5])
                if (m * 10 ** p >= low * (1 - 1e-9) && m * 10 ** p <= high * (1 + 1e-9))
                    out.push(Number((m * 10 ** p).toPrecision(3)));
        return out;
    }
    const from = Math.ceil(Math.log10(low) - 1e-9), to = Math.floor(Math.log10(high) + 1e-9);
    const every = Math.max(1, Math.ceil((to - from + 1) / about));
    const out: number[] = [];
    for (let p = Math.ceil(from / every) * every; p <= to; p += every)
        out.push(10 ** p);
    return out;
}

/** Values of a log axis are magnitudes; zero and gaps have none. */
export const magnitude = (value: number): number => (Math.abs(value) > 0 ? Math.abs(value) : NaN);

/** The nearest of 1, 2, 5 times a power of ten that is not larger. */
function roundDown(value: number): number {
    const power = 10 ** Math.floor(Math.log10(value) + 1e-9), m = value / power * (1 + 1e-9);
    return power * (m >= 5 ? 5 : m >= 2 ? 2 : 1);
}

/** Scale that holds all values; a log one ends at powers of ten, or at 1, 2, 5 where they lie close. Null: nothing to show. */
export function scaleOf(lists: ArrayLike<number>[], log: boolean): Scale | null {
    let low = Infinity, high = -Infinity;
    for (const list of lists)
        for (let i = 0; i < list.length; i++) {
            const value = log ? magnitude(list[i]) : list[i];
            if (value < low)
                low = value;
            if (value > high)
                high = value;
        }
    if (!Number.isFinite(low) || !Number.isFinite(high))
        return null;
    if (log) {
        if (high / low < 30) {
            const ends = { low: roundDown(low), high: 1 / roundDown(1 / high), log };
            return ends.high > ends.low ? ends : { low: roundDown(low * 0.9), high: 1 / roundDown(0.9 / high), log };
        }
        const from = Math.floor(Math.log10(low) + 1e-9), to = Math.max(Math.ceil(Math.log10(high) - 1e-9), from + 1);
        return { low: 10 ** from, high: 10 ** to, log };
    }
    if (low === high)
        return { low: low - 1, high: high + 1, log };
    const marks = ticks(low, high, 4), step = marks.length > 1 ? marks[1] - marks[0] : high - low;
    return { low: Math.floor(low / step + 1e-9) * step, high: Math.ceil(high / step - 1e-9) * step, log };
}

/** Fraction from low to high. */
export function share(scale: Scale, value: number): number {
    if (!scale.log)
        return (value - scale.low) / (scale.high - scale.low);
    return Math.log(magnitude(value) / scale.low) / Math.log(scale.high / scale.low);
}

/** A line in pixels with at most four points per column of pixels: first, smallest, largest, last. NaN in y separates pieces. */
export function reduce(
    times: ArrayLike<number>, values: ArrayLike<number>, toX: (t: number) => number, toY: (v: number) => number,
): { x: number[]; y: number[] } {
    const x: number[] = [], y: number[] = [];
    let column = NaN, first = -1, last = -1, low = -1, high = -1;
    const flush = (): void => {
        if (first < 0)
            return;
        const seen = [...new Set([first, low, high, last])].sort((a, b) => a - b);
        for (const i of seen) {
            x.push(toX(times[i]));
            y.push(toY(values[i]));
        }
        first = -1;
    };
    for (let i = 0; i < times.length; i++) {
        const at = toX(times[i]), v = toY(values[i]);
        if (!Number.isFinite(v)) {
            flush();
            if (y.length && !Number.isNaN(y[y.length - 1])) {
                x.push(at);
                y.push(NaN);
            }
            column = NaN;
            continue;
        }
        if (Math.floor(at) !== column) {
            flush();
            column = Math.floor(at);
            first = low = high = i;
        }
        last = i;
        if (v < toY(values[low]))
            low = i;
        if (v > toY(values[high]))
            high = i;
    }
    flush();
    return { x, y };
}
