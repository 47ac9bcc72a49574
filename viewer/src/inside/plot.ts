// A small plot over time on a canvas: lines of several runs, a cursor, the time shown; a click goes there.
import { short, withUnit } from "../base/format.ts";
import { insideText as text } from "../base/text_inside.ts";
import { type Curve, valueAt } from "../data/model.ts";
import { curveColor, type Palette } from "../look/colors.ts";
import { logTicks, magnitude, reduce, type Scale, scaleOf, share, ticks } from "./axis.ts";
import { el, sizeCanvas } from "./dom.ts";

export interface Line { curve: Curve; run: number; name: string }
export interface PlotOptions {
    title: string;
    unit: string;
    timeUnit: string;
    log: boolean;
    stairs: boolean; // values belong to the time up to their sample
    integers: boolean; // counts, from zero
    marks: number[]; // times of events
    chosen: number; // run
}

const HEIGHT = 150, LEFT = 54, RIGHT = 12, TOP = 8, BOTTOM = 24;
const FONT = "12px system-ui, \"Segoe UI\", Helvetica, Arial, sans-serif";

export class Plot {
    readonly element: HTMLElement;
    onGo: ((t: number, run: number) => void) | null = null;
    /** Called when the cursor moves here, so that other plots follow; NaN: it left. */
    onCursor: ((t: number) => void) | null = null;
    private canvas = el("canvas", "inside-plot");
    private layer = el("canvas");
    private value = el("span", "inside-value");
    private width = 0;
    private scale: Scale;
    private from: number;
    private to: number;
    private cursor = NaN;
    private now = NaN;

    constructor(private lines: Line[], private options: PlotOptions, span: [number, number], private palette: Palette) {
        this.scale = scaleOf(lines.map((line) => line.curve.values), options.log) ?? { low: 0, high: 1, log: false };
        if (!options.log && options.integers)
            this.scale = { low: Math.min(0, this.scale.low), high: this.scale.high, log: false };
        [this.from, this.to] = span[1] > span[0] ? span : [span[0] - 0.5, span[0] + 0.5];
        this.element = el("figure", "inside-plot-figure",
            el("figcaption", "", el("span", "", el("strong", "", options.title),
                options.unit ? el("span", "inside-soft", ` / ${options.unit}`) : null), this.value), this.canvas);
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute("role", "application");
        this.canvas.setAttribute("aria-label", text.plotCanvas(options.title));
        this.value.setAttribute("aria-live", "polite");
        this.listen();
    }

    private listen(): void {
        const time = (event: MouseEvent): number => this.from + (this.to - this.from) *
            Math.max(0, Math.min(1, (event.offsetX - LEFT) / (this.width - LEFT - RIGHT)));
        this.canvas.addEventListener("pointermove", (event) => this.onCursor?.(time(event)));
        this.canvas.addEventListener("pointerleave", () => this.onCursor?.(NaN));
        this.canvas.addEventListener("blur", () => this.onCursor?.(NaN));
        this.canvas.addEventListener("click", (event) => this.onGo?.(time(event), this.options.chosen));
        this.canvas.addEventListener("keydown", (event) => {
            const step = (this.to - this.from) * (event.shiftKey ? 0.05 : 0.005);
            const start = Number.isFinite(this.cursor) ? this.cursor : Number.isFinite(this.now) ? this.now : this.from;
            if (event.key === "ArrowLeft" || event.key === "ArrowRight")
                this.onCursor?.(Math.max(this.from, Math.min(this.to, start + (event.key === "ArrowLeft" ? -step : step))));
            else if (event.key === "Enter")
                this.onGo?.(start, this.options.chosen);
            else
                return;
            event.preventDefault();
            event.stopPropagation(); // arrows move the time of the page elsewhere
        });
    }

    private x = (t: number): number => LEFT + (this.width - LEFT - RIGHT) * (t - this.from) / (this.to - this.from);
    private y = (v: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - share(this.scale, v));

    resize(width: number): void {
        this.width = width;
        this.paint();
    }

    theme(palette: Palette): void {
        this.palette = palette;
        this.paint();
    }

    /** Time shown by the page. */
    time(t: number): void {
        this.now = t;
        this.compose();
    }

    setCursor(t: number): void {
        this.cursor = t;
        this.compose();
    }

    private paint(): void {
        const c = this.width ? sizeCanvas(this.layer, this.width, HEIGHT) : null;
        if (!c)
            return;
        c.fillStyle = this.palette.paper;
        c.fillRect(0, 0, this.width, HEIGHT);
        this.paintAxes(c);
        // the chosen run last, so that it lies above the others
        for (const line of [...this.lines].sort((a, b) => Number(a.run === this.options.chosen) - Number(b.run === this.options.chosen)))
            this.paintLine(c, line);
        this.compose();
    }

    private paintAxes(c: CanvasRenderingContext2D): void {
        const p = this.palette, { low, high, log } = this.scale, bottom = HEIGHT - BOTTOM;
        c.font = FONT;
        c.fillStyle = p.soft;
        c.strokeStyle = p.gridPlot;
        c.lineWidth = 1;
        c.textBaseline = "middle";
        c.textAlign = "right";
        const marks = log ? logTicks(low, high, 4) : ticks(low, high, 4).filter((v) => !this.options.integers || Number.isInteger(v));
        for (const mark of marks) {
            const y = Math.round(this.y(mark)) + 0.5;
            c.beginPath();
            c.moveTo(LEFT, y);
            c.lineTo(this.width - RIGHT, y);
            c.stroke();
            c.fillText(short(mark), LEFT - 7, y);
        }
        c.textBaseline = "top";
        const times = ticks(this.from, this.to, Math.max(2, Math.floor(this.width / 90)));
        for (const t of times) {
            const x = Math.round(this.x(t)) + 0.5;
            c.beginPath();
            c.moveTo(x, TOP);
            c.lineTo(x, bottom);
            c.stroke();
            const label = short(t), half = c.measureText(label).width / 2;
            c.textAlign = x + half > this.width - 1 ? "right" : "center";
            c.fillText(label, c.textAlign === "right" ? this.width - 1 : x, bottom + 7);
        }
        c.strokeStyle = p.faint;
        c.lineWidth = 1;
        for (const t of this.options.marks.slice(0, 400)) { // events
            const x = this.x(t);
            c.beginPath();
            c.moveTo(x, bottom);
            c.lineTo(x, bottom + 5);
            c.stroke();
        }
        c.beginPath();
        c.moveTo(LEFT, bottom + 0.5);
        c.lineTo(this.width - RIGHT, bottom + 0.5);
        c.stroke();
    }

    private color(line: Line): string {
        return curveColor(this.palette, this.lines.length > 1 ? line.run : 0);
    }

    private paintLine(c: CanvasRenderingContext2D, line: Line): void {
        const { x, y } = reduce(line.curve.times, line.curve.values, this.x, this.y), floor = HEIGHT - BOTTOM;
        c.strokeStyle = this.color(line);
        c.lineWidth = this.lines.length > 1 && line.run === this.options.chosen ? 2.2 : 1.6;
        c.lineJoin = "round";
        c.beginPath();
        let open = false, last = 0;
        for (let i = 0; i < x.length; i++) {
            if (Number.isNaN(y[i])) {
                open = false;
                continue;
            }
            const v = Math.min(y[i], floor);
            if (!i && this.options.stairs) {
                c.moveTo(this.x(this.from), v); // the first step begins where the run does
                open = true;
                last = this.x(this.from);
            }
            if (open && this.options.stairs)
                c.lineTo(last, v); // a step is stored with the time where it ends
            if (open)
                c.lineTo(x[i], v);
            else
                c.moveTo(x[i], v);
            if (!open && (i + 1 >= x.length || Number.isNaN(y[i + 1])))
                c.lineTo(x[i] + 0.01, v); // a single sample is a dot
            open = true;
            last = x[i];
        }
        c.lineCap = "round";
        c.stroke();
    }

    /** The lines, the time of the page, the cursor with its values. */
    private compose(): void {
        const c = this.width ? sizeCanvas(this.canvas, this.width, HEIGHT) : null, p = this.palette;
        if (!c)
            return;
        c.drawImage(this.layer, 0, 0, this.width, HEIGHT);
        const vertical = (t: number, color: string, width: number): void => {
            if (!(t >= this.from && t <= this.to))
                return;
            c.strokeStyle = color;
            c.lineWidth = width;
            c.beginPath();
            c.moveTo(this.x(t), TOP);
            c.lineTo(this.x(t), HEIGHT - BOTTOM);
            c.stroke();
        };
        vertical(this.now, p.accent, 1.25);
        if (!Number.isFinite(this.cursor)) {
            this.value.replaceChildren();
            return;
        }
        vertical(this.cursor, p.soft, 1);
        this.label(c, this.cursor);
        const values: HTMLElement[] = [];
        for (const line of this.lines) {
            const { times } = line.curve;
            if (!times.length || this.cursor < times[0] || this.cursor > times[times.length - 1])
                continue;
            const v = this.at(line);
            if (!Number.isFinite(v))
                continue;
            const shown = el("span", "", short(v, this.lines.length > 1 ? 3 : 4));
            if (this.lines.length > 1)
                shown.style.color = this.color(line);
            values.push(shown);
            const y = this.y(this.options.log ? magnitude(v) : v);
            if (!Number.isFinite(y))
                continue;
            c.fillStyle = this.color(line);
            c.strokeStyle = p.paper;
            c.lineWidth = 1.5;
            c.beginPath();
            c.arc(this.x(this.cursor), Math.min(y, HEIGHT - BOTTOM), 4, 0, 2 * Math.PI);
            c.fill();
            c.stroke();
        }
        this.value.replaceChildren(...values);
    }

    /** The time at the foot of the cursor, over the numbers of the axis. */
    private label(c: CanvasRenderingContext2D, t: number): void {
        const words = withUnit(short(t), this.options.timeUnit), y = HEIGHT - BOTTOM + 1;
        c.font = FONT;
        c.textAlign = "center";
        c.textBaseline = "top";
        const half = c.measureText(words).width / 2 + 5, x = Math.max(half, Math.min(this.width - half, this.x(t)));
        c.fillStyle = this.palette.ink;
        c.beginPath();
        c.roundRect(x - half, y, 2 * half, BOTTOM - 3, 4);
        c.fill();
        c.fillStyle = this.palette.paper;
        c.fillText(words, x, y + 6);
    }

    /** Stairs keep the value of the step; between samples on a log axis a straight line would invent values. */
    private at(line: Line): number {
        if (!this.options.stairs)
            return valueAt(line.curve, this.cursor);
        const { times, values } = line.curve;
        let low = 0, high = times.length - 1;
        while (low < high) { // the first sample that is not before the cursor: steps are stored with their end
            const middle = (low + high) >> 1;
            if (times[middle] < this.cursor)
                low = middle + 1;
            else
                high = middle;
        }
        return values[low];
    }
}
