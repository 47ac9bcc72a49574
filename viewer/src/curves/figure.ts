// A plot as a figure for papers: axes, ticks and labels with units, drawn from the curve data by a pen.
import { axisNumbers, power, scaledNumbers } from "../base/format.ts";
import type { Palette } from "../look/colors.ts";
import type { Pen } from "../pen/pen.ts";
import { SvgPen } from "../pen/svg.ts";
import type { Line, PlotData } from "./lines.ts";
import { type Range, comfortable, equalScales, extentOf, padded } from "./ranges.ts";

export interface FigureSize { width: number; height: number }

/** Ticks at 1, 2, 5 times powers of ten, about so many. */
export function ticks([low, high]: Range, about: number): { values: number[]; increment: number } {
    const rough = (high - low) / Math.max(1, about), base = 10 ** Math.floor(Math.log10(rough));
    const increment = base * ([1, 2, 5, 10].find((lead) => lead * base >= rough * (1 - 1e-9)) ?? 10);
    const first = Math.ceil(low / increment - 1e-9), last = Math.floor(high / increment + 1e-9);
    return { values: Array.from({ length: last - first + 1 }, (_, i) => (first + i) * increment), increment };
}

interface Frame { left: number; top: number; width: number; height: number; x: Range; y: Range; log: boolean }

const toX = (frame: Frame, x: number): number => frame.left + ((x - frame.x[0]) / (frame.x[1] - frame.x[0])) * frame.width;
const toY = (frame: Frame, y: number): number => {
    const [low, high] = frame.log ? [Math.log10(frame.y[0]), Math.log10(frame.y[1])] : frame.y;
    return frame.top + frame.height - (((frame.log ? Math.log10(y) : y) - low) / (high - low)) * frame.height;
};

function yTicks(frame: Frame): { ticks: { value: number; words: string }[]; power: string } {
    if (frame.log) {
        const from = Math.ceil(Math.log10(frame.y[0]) - 1e-9), to = Math.floor(Math.log10(frame.y[1]) + 1e-9),
            step = Math.ceil((to - from) / 8) || 1;
        return { power: "", ticks: Array.from({ length: Math.floor((to - from) / step) + 1 },
            (_, i) => ({ value: 10 ** (from + i * step), words: power(from + i * step) })) };
    }
    const { values, increment } = ticks(frame.y, frame.height / 55), scaled = scaledNumbers(values, increment);
    return { power: scaled.power, ticks: values.map((value, i) => ({ value, words: scaled.words[i] })) };
}

/** Long series keep first, smallest, largest and last of every half pixel: the path looks the same. */
export function thinned(xs: ArrayLike<number>, ys: ArrayLike<number>, step: number): [number, number][] {
    const out: [number, number][] = [];
    let column = -Infinity, kept: [number, number][] = [];
    const flush = (): void => {
        if (kept.length > 4) {
            let low = 0, high = 0;
            kept.forEach(([, y], i) => {
                if (y < kept[low][1])
                    low = i;
                if (y > kept[high][1])
                    high = i;
            });
            kept = [...new Set([0, Math.min(low, high), Math.max(low, high), kept.length - 1])].map((i) => kept[i]);
        }
        out.push(...kept);
        kept = [];
    };
    for (let i = 0; i < xs.length; i++) {
        const here = Math.floor(xs[i] / step), gap = !Number.isFinite(ys[i]);
        if (here !== column || gap)
            flush();
        column = here;
        if (gap)
            out.push([xs[i], NaN]);
        else
            kept.push([xs[i], ys[i]]);
    }
    flush();
    return out;
}

function drawLine(pen: Pen, frame: Frame, line: Line): void {
    const xs = Float64Array.from(line.x ?? line.times, (x) => toX(frame, x)), ys = Float64Array.from(line.y, (y) => toY(frame, y));
    const points = line.x ? Array.from(xs, (x, i): [number, number] => [x, ys[i]]) : thinned(xs, ys, 0.5);
    pen.path();
    let open = false;
    for (const [x, y] of points) {
        const here = Number.isFinite(x) && Number.isFinite(y);
        if (here && open)
            pen.lineTo(x, y);
        else if (here)
            pen.moveTo(x, y);
        open = here;
    }
    pen.stroke({ color: line.color, width: 1.75, dash: line.dash.length ? line.dash : undefined });
}

/** The legend is above the frame in rows; text widths are estimated, since SVG cannot measure text. */
function keyRows(lines: readonly Line[], width: number): { line: Line; x: number; row: number }[] {
    let x = 0, row = 0;
    return lines.map((line) => {
        const wide = 28 + 7 * line.label.length + 16;
        if (x > 0 && x + wide > width) {
            x = 0;
            row++;
        }
        const label = { line, x, row };
        x += wide;
        return label;
    });
}

export function drawFigure(pen: Pen, data: PlotData, palette: Palette, { width, height }: FigureSize, zoom: Range | null): void {
    const key = keyRows(data.lines, width - 90), rows = (key[key.length - 1]?.row ?? 0) + 1, portrait = data.lines.some((line) => line.x);
    const frame: Frame = {
        left: 72, top: 34 + 19 * rows, width: width - 72 - 18, height: height - (34 + 19 * rows) - 52, x: [0, 1], y: [0, 1], log: data.log,
    };
    const shown = zoom && !portrait ? data.lines.map((line) => within(line, zoom)) : data.lines;
    const x = zoom && !portrait ? zoom : extentOf(shown, (line) => line.x ?? line.times) ?? [0, 1], y = extentOf(shown, (line) => line.y);
    frame.x = portrait ? padded(x) : x[1] > x[0] ? x : [x[0] - 0.5, x[0] + 0.5];
    frame.y = data.log ? decades(y) : portrait ? padded(y ?? [0, 1]) : comfortable(y?.[0] ?? null, y?.[1] ?? null);
    if (data.equal)
        [frame.x, frame.y] = equalScales(frame.x, frame.y, frame.width, frame.height);
    pen.path().moveTo(0, 0).lineTo(width, 0).lineTo(width, height).lineTo(0, height).close().fill({ color: palette.paper });
    drawAxes(pen, frame, data, palette);
    pen.enter("curves");
    for (const line of shown)
        drawLine(pen, frame, line);
    pen.leave();
    for (const { line, x: at, row } of key) {
        const left = frame.left + at, middle = 40 + 19 * row;
        pen.path().moveTo(left, middle).lineTo(left + 20, middle).stroke({ color: line.color, width: 2,
            dash: line.dash.length ? line.dash : undefined });
        pen.text(left + 26, middle, line.label, { color: palette.ink, size: 13, base: "middle" });
    }
}

function within(line: Line, [low, high]: Range): Line {
    const from = line.times.findIndex((t) => t >= low), behind = line.times.findIndex((t) => t > high),
        to = behind < 0 ? line.times.length : behind;
    const first = Math.max(0, from);
    return { ...line, times: line.times.slice(first, to), y: line.y.slice(first, to) };
}

const decades = (y: Range | null): Range => (y && y[0] > 0 ? [10 ** Math.floor(Math.log10(y[0])),
    10 ** Math.ceil(Math.log10(y[1]) + 1e-9)] : [0.1, 1]);

function drawAxes(pen: Pen, frame: Frame, data: PlotData, palette: Palette): void {
    const { left, top, width, height } = frame, bottom = top + height, right = left + width, grid = { color: palette.line, width: 0.75 };
    const x = ticks(frame.x, width / 90), xWords = axisNumbers(x.values, x.increment), small = { color: palette.ink, size: 12 };
    pen.enter("axes");
    x.values.forEach((value, i) => {
        const at = toX(frame, value);
        pen.path().moveTo(at, top).lineTo(at, bottom).stroke(grid);
        pen.path().moveTo(at, bottom).lineTo(at, bottom + 4).stroke({ color: palette.ink, width: 1 });
        pen.text(at, bottom + 8, xWords[i], { ...small, align: "center", base: "top" });
    });
    const y = yTicks(frame);
    if (y.power)
        pen.text(left - 8, top - 10, y.power, { ...small, align: "right", base: "middle" });
    for (const { value, words } of y.ticks) {
        const at = toY(frame, value);
        pen.path().moveTo(left, at).lineTo(right, at).stroke(grid);
        pen.path().moveTo(left - 4, at).lineTo(left, at).stroke({ color: palette.ink, width: 1 });
        pen.text(left - 8, at, words, { ...small, align: "right", base: "middle" });
    }
    pen.path().moveTo(left, top).lineTo(left, bottom).lineTo(right, bottom).stroke({ color: palette.ink, width: 1 });
    const unit = (name: string, of: string): string => (of ? `${name} / ${of}` : name);
    pen.text((left + right) / 2, bottom + 28, unit(data.xTitle, data.xUnit), { ...small, size: 13, align: "center", base: "top" });
    pen.text(left - 60, 18, unit(data.title, data.unit), { color: palette.ink, size: 14, weight: 600, base: "middle" });
    pen.leave();
}

/** The figure as SVG text. */
export function figureSvg(data: PlotData, palette: Palette, size: FigureSize, zoom: Range | null = null): string {
    const pen = new SvgPen();
    drawFigure(pen, data, palette, size, zoom);
    return pen.finish(size.width, size.height, data.title);
}
