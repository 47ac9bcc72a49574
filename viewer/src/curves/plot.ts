// One plot by uPlot. While time runs nothing is redrawn: line and dots of the time are elements above the plot, moved by transform.
import uPlot from "uplot";
import { make } from "../base/dom.ts";
import { axisNumbers, power, scaledNumbers } from "../base/format.ts";
import { bracket } from "../data/model.ts";
import type { Palette } from "../look/colors.ts";
import type { Line, PlotData } from "./lines.ts";
import { type Range, comfortable, equalScales, extentOf, padded } from "./ranges.ts";


export interface PlotHost {
    goTo(t: number): void;
    hover(t: number | null): void;
    zoom(range: Range | null): void;
}

const FONT = '12px system-ui, "Segoe UI", Helvetica, Arial, sans-serif';
export const LABEL = 18; // height of a label below an axis
const POWER = 18; // room for a power of ten above the axis
const AXIS_Y = 52, AXIS_X = 26, PAD: [number, number, number, number] = [8, 24, 0, 0]; // right: half of the last number at the x axis

const FEW = 5; // samples: from here on lines speak for themselves

export function valueOf(times: Float64Array, values: Float64Array, t: number): number {
    if (!times.length || t < times[0] - 1e-12 || t > times[times.length - 1] + 1e-9 * Math.abs(t))
        return NaN;
    const { k, share } = bracket(times, t);
    if (share === 0 || values.length < 2)
        return values[k];
    return share === 1 ? values[k + 1] : values[k] + share * (values[k + 1] - values[k]);
}

/** uPlot knows gaps as null, which arrays of numbers cannot hold. */
const withGaps = (values: Float64Array): (number | null)[] | Float64Array =>
    (values.some(Number.isNaN) ? Array.from(values, (value) => (Number.isNaN(value) ? null : value)) : values);

function aligned(lines: readonly Line[]): uPlot.AlignedData {
    if (lines.every((line) => line.times === lines[0].times))
        return [lines[0].times, ...lines.map((line) => withGaps(line.y))] as uPlot.AlignedData;
    return uPlot.join(lines.map((line) => [line.times, withGaps(line.y)] as uPlot.AlignedData));
}

export class Plot {
    readonly box = make("div", { class: "plot-box" });
    private drawn: uPlot | null = null;
    private line = make("div", { class: "time-line" });
    private hoverLine = make("div", { class: "hover-line" });
    private dots: HTMLElement[] = [];
    private data: PlotData | null = null;
    private t = 0;
    private power = ""; // that the numbers at the y axis have in common
    private own = AXIS_Y; // width that they need
    private shared = 0; // width that all plots of a column have
    private ranges: [Range, Range] | null = null; // of a portrait zoomed into

    constructor(private host: PlotHost) {}

    get portrait(): boolean {
        return !!this.data?.lines.some((line) => line.x);
    }

    set(data: PlotData, palette: Palette, width: number, height: number, zoom: Range, labeled: boolean): void {
        this.drawn?.destroy();
        this.drawn = null;
        this.data = data;
        this.ranges = null;
        if (!data.lines.length || width < 40 || height < 40)
            return;
        const options = this.options(data, palette, width, height, zoom, labeled);
        const values = this.portrait ? ([[0, 1], [0, 1]] as uPlot.AlignedData) : aligned(data.lines);
        this.drawn = new uPlot(options, values, this.box);
        this.overlay(this.drawn, data);
        this.time(this.t);
    }

    size(width: number, height: number): void {
        if (this.drawn && (this.drawn.width !== width || this.drawn.height !== height)) {
            this.drawn.setSize({ width, height });
            if (this.portrait) // equal scales depend on the size
                this.drawn.setData(this.drawn.data);
            this.time(this.t);
        }
    }

    private axisSize(values: readonly string[] | null): number {
        this.own = axisWidth(values ?? []);
        return Math.max(this.own, this.shared);
    }

    /** Width that the y axis needs. */
    get axisWidth(): number {
        return this.drawn ? this.own : 0;
    }

    /** Makes the y axis this wide, so that times are aligned in a column. */
    align(width: number): void {
        if (this.shared === width)
            return;
        this.shared = width;
        const { drawn } = this;
        if (drawn) {
            drawn.setSize({ width: drawn.width, height: drawn.height });
            this.time(this.t);
        }
    }

    zoom(range: Range): void {
        if (this.drawn && !this.portrait) {
            this.drawn.setScale("x", { min: range[0], max: range[1] });
            this.time(this.t);
        }
    }

    /** Moves line and dots to time t. */
    time(t: number): void {
        this.t = t;
        const { drawn, data } = this;
        if (!drawn || !data)
            return;
        const { min, max } = drawn.scales.x;
        const inside = this.portrait || (min != null && max != null && t >= min && t <= max);
        this.line.hidden = !inside || this.portrait;
        if (!this.portrait && inside)
            this.line.style.transform = `translateX(${drawn.valToPos(t, "x")}px)`;
        data.lines.forEach((one, index) => {
            const dot = this.dots[index], y = valueOf(one.times, one.y, t), x = one.x ? valueOf(one.times, one.x, t) : t;
            dot.hidden = !inside || !Number.isFinite(y) || !Number.isFinite(x);
            if (!dot.hidden)
                dot.style.transform = `translate(${drawn.valToPos(x, "x")}px, ${drawn.valToPos(y, "y")}px)`;
        });
    }

    hover(t: number | null): void {
        const { drawn } = this;
        this.hoverLine.hidden = t === null || this.portrait || !drawn;
        if (drawn && t !== null && !this.portrait)
            this.hoverLine.style.transform = `translateX(${drawn.valToPos(t, "x")}px)`;
    }

    destroy(): void {
        this.drawn?.destroy();
        this.drawn = null;
    }

    private overlay(drawn: uPlot, data: PlotData): void {
        this.dots = data.lines.map((one) => {
            const dot = make("div", { class: "time-dot" });
            dot.style.background = one.color;
            return dot;
        });
        this.hoverLine.hidden = true;
        drawn.over.append(this.hoverLine, this.line, ...this.dots);
        let down = 0;
        drawn.over.addEventListener("mousedown", (event) => { down = event.clientX; });
        drawn.over.addEventListener("click", (event) => {
            if (Math.abs(event.clientX - down) < 4)
                this.host.goTo(this.portrait ? this.nearest(event.offsetX, event.offsetY) : drawn.posToVal(event.offsetX, "x"));
        });
        drawn.over.addEventListener("mousemove", (event) => {
            if (!this.portrait)
                this.host.hover(drawn.posToVal(event.clientX - drawn.rect.left, "x"));
        });
        drawn.over.addEventListener("mouseleave", () => this.host.hover(null));
    }

    /** Time of the sample that is nearest to a point on the screen. */
    private nearest(left: number, top: number): number {
        let best = Infinity, when = this.t;
        const { drawn, data } = this;
        for (const one of data?.lines ?? [])
            for (let i = 0; drawn && one.x && i < one.times.length; i++) {
                const d = Math.hypot(drawn.valToPos(one.x[i], "x") - left, drawn.valToPos(one.y[i], "y") - top);
                if (d < best) {
                    best = d;
                    when = one.times[i];
                }
            }
        return when;
    }

    private options(data: PlotData, palette: Palette, width: number, height: number, zoom: Range, labeled: boolean): uPlot.Options {
        const portrait = this.portrait, axis = { stroke: palette.soft, font: FONT, labelFont: FONT, gap: 5, labelGap: 0, labelSize: LABEL };
        const lines = { stroke: palette.gridPlot, width: 1 }, ticks = { ...lines, size: 5 };
        const label = data.xUnit ? `${data.xTitle} / ${data.xUnit}` : data.xTitle;
        const fullRanges = (u: uPlot): [Range, Range] => {
            const x = padded(extentOf(data.lines, (line) => line.x ?? line.times) ?? [0, 1]);
            const y = padded(extentOf(data.lines, (line) => line.y) ?? [0, 1]);
            return data.equal ? equalScales(x, y, u.width - AXIS_Y - PAD[1], u.height - AXIS_X - LABEL - PAD[0]) : [x, y];
        };
        const now = (u: uPlot): [Range, Range] => this.ranges ?? fullRanges(u);
        const yRange = (u: uPlot, low: number, high: number): Range => {
            if (portrait && !data.log)
                return now(u)[1];
            if (data.log)
                return low > 0 && high > 0 ? (uPlot.rangeLog(low, high, 10, true) as Range) : [1e-3, 1];
            return comfortable(low, high);
        };
        return {
            width, height, pxAlign: 0, padding: [() => (this.power ? POWER : PAD[0]), PAD[1], PAD[2], PAD[3]], legend: { show: false },
            scales: {
                x: { time: false, range: (u, low, high) => (portrait ? now(u)[0] : low < high ? [low, high] : [low - 0.5, low + 0.5]) },
                y: { distr: data.log ? 3 : 1, range: yRange },
            },
            axes: [
                { ...axis, size: AXIS_X, space: 60, grid: lines, ticks, label: labeled || portrait ? label : undefined,
                    values: axisText(false, null) },
                { ...axis, size: (_, values) => this.axisSize(values), space: 28, grid: lines, ticks: { ...ticks, show: false },
                    values: axisText(data.log, (words) => { this.power = words; }) },
            ],
            series: [{}, ...(portrait ? [{ paths: () => null, points: { show: false } }] : data.lines.map((one) =>
                ({ stroke: one.color, width: 2, dash: one.dash, points: { show: one.times.length <= FEW }, spanGaps: false })))],
            cursor: {
                x: false, y: false, points: { show: false },
                drag: { x: true, y: portrait, setScale: false, dist: 4 },
                bind: { dblclick: () => () => this.reset() },
            },
            hooks: {
                init: [(u) => { if (!portrait) u.setScale("x", { min: zoom[0], max: zoom[1] }); }],
                setSelect: [(u) => this.selected(u)],
                draw: [(u) => { if (portrait) drawPortrait(u, data); }, (u) => { if (this.power) drawPower(u, this.power, palette.soft); },
                    () => this.time(this.t)],
            },
        };
    }

    private reset(): null {
        if (this.portrait) {
            this.ranges = null;
            this.drawn?.setData(this.drawn.data);
            this.time(this.t);
        } else {
            this.host.zoom(null);
        }
        return null;
    }

    private selected(u: uPlot): void {
        const { left, top, width, height } = u.select;
        if (width < 4)
            return;
        const x: Range = [u.posToVal(left, "x"), u.posToVal(left + width, "x")];
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        if (!this.portrait)
            return this.host.zoom(x);
        this.ranges = [x, [u.posToVal(top + height, "y"), u.posToVal(top, "y")]];
        u.setData(u.data);
        this.time(this.t);
    }
}

/** A common power of ten of the y axis is shown once above the numbers: `common` receives it. */
const axisText = (log: boolean, common: ((power: string) => void) | null) =>
    (_: uPlot, splits: (number | null)[], __: number, ___: number, increment: number): string[] => {
        common?.("");
        if (log) // tens alone have numbers, those between are lines
            return splits.map((value) => (value !== null && Math.abs(Math.log10(value) % 1) < 1e-6
                ? power(Math.round(Math.log10(value))) : ""));
        const values = splits.map((value) => value ?? 0);
        if (!common)
            return axisNumbers(values, increment);
        const scaled = scaledNumbers(values, increment);
        common(scaled.power);
        return scaled.words;
    };

const axisWidth = (values: readonly string[]): number => Math.max(AXIS_Y, 12 + 7.2 * Math.max(0, ...values.map((value) => value.length)));

function drawPower(u: uPlot, words: string, color: string): void {
    const { ctx, bbox } = u, ratio = uPlot.pxRatio;
    ctx.save();
    ctx.font = FONT.replace("12px", `${12 * ratio}px`);
    ctx.fillStyle = color;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    ctx.fillText(words, bbox.left + 2 * ratio, bbox.top - 9 * ratio);
    ctx.restore();
}

function drawPortrait(u: uPlot, data: PlotData): void {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (const one of data.lines) {
        ctx.strokeStyle = one.color;
        ctx.lineWidth = 2 * uPlot.pxRatio;
        ctx.lineJoin = "round";
        ctx.setLineDash(one.dash.map((length) => length * uPlot.pxRatio));
        ctx.beginPath();
        let open = false;
        for (let i = 0; one.x && i < one.y.length; i++) {
            const x = u.valToPos(one.x[i], "x", true), y = u.valToPos(one.y[i], "y", true);
            const here = Number.isFinite(x) && Number.isFinite(y);
            if (here && open)
                ctx.lineTo(x, y);
            else if (here)
                ctx.moveTo(x, y);
            open = here;
        }
        ctx.stroke();
    }
    ctx.restore();
}
