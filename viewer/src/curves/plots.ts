// The column of plots: they share their time, the time under the pointer and the part of the run that is shown.
import { button, make } from "../base/dom.ts";
import { number, withUnit } from "../base/format.ts";
import { text } from "../base/text.ts";
import type { Units } from "../base/units.ts";
import type { Palette } from "../look/colors.ts";
import { icons } from "../look/icons.ts";
import { type Abscissa, type Line, type PlotData, type PlotDef, plotData } from "./lines.ts";
import { LABEL, Plot, valueOf } from "./plot.ts";
import type { Range } from "./ranges.ts";
import type { AllQuantities } from "./quantities.ts";

export interface PlotsHost {
    goTo(t: number): void;
    /** Opens the menu of a plot below this button. */
    options(plot: number, button: HTMLElement): void;
    removeCurve(plot: number, line: number): void;
}

interface Panel { def: PlotDef; data: PlotData; plot: Plot; element: HTMLElement; values: HTMLElement[] }

const isPortrait = (data: PlotData): boolean => data.lines.some((line) => line.x);

const readout = (line: Line, t: number): string => {
    const value = valueOf(line.times, line.y, t);
    return number(Math.abs(value) < line.noise ? 0 : value);
};

const HEAD = 54, LEAST = 150;

export class Plots {
    readonly element = make("div", { class: "plots" });
    private panels: Panel[] = [];
    private zoomed: Range | null = null;
    private t = 0;
    private hovered: number | null = null;
    private table = make("table", { class: "values" });
    private stale = true;
    private order = 0;
    private wide = false;
    private observer = new ResizeObserver(() => this.resize());

    constructor(private all: AllQuantities, private span: Range, private abscissa: Abscissa, private host: PlotsHost) {
        this.observer.observe(this.element);
    }

    data(index: number): PlotData | undefined {
        return this.panels[index]?.data;
    }

    get allData(): PlotData[] {
        return this.panels.map((panel) => panel.data);
    }

    /** The part of the run that is shown; null: all of it. */
    get part(): Range | null {
        return this.zoomed;
    }

    /** Shows these plots; resolves when they are drawn. */
    async set(defs: readonly PlotDef[], units: Units, palette: Palette): Promise<void> {
        const order = ++this.order;
        const all = await Promise.all(defs.map((def) => plotData(this.all, def, units, palette, this.abscissa)));
        if (order !== this.order) // another choice came meanwhile
            return;
        const focused = this.panels.findIndex((panel) => panel.element.contains(document.activeElement));
        this.panels.forEach((panel) => panel.plot.destroy());
        this.element.replaceChildren();
        this.panels = all.map((data, index) => this.panel(defs[index], data, index));
        this.element.append(...this.panels.map((panel) => panel.element), this.tablePart());
        // of a single equilibrium numbers are enough
        this.element.classList.toggle("single", all.length > 0 && all.every((data) => data.lines.every((line) => line.times.length < 2)));
        if (!this.panels.length)
            this.element.prepend(make("p", { class: "empty", text: text.plots.empty }));
        this.draw(palette);
        this.stale = true;
        this.time(this.t);
        if (focused >= 0)
            this.panels[focused]?.element.querySelector<HTMLElement>(".plot-more")?.focus();
    }

    /** Full width (tab Curves) or a column beside the scene. */
    layout(wide: boolean): void {
        this.wide = wide;
        this.element.classList.toggle("wide", wide);
        this.observer.disconnect();
        for (const box of [this.element, this.element.parentElement])
            if (box)
                this.observer.observe(box);
        this.resize();
    }

    time(t: number): void {
        this.t = t;
        for (const panel of this.panels)
            panel.plot.time(t);
        if (this.hovered === null)
            this.readouts(t);
        this.stale = true;
    }

    /** Fills the table of values; not while playing. */
    settle(): void {
        if (!this.stale)
            return;
        this.stale = false;
        const rows = this.panels.flatMap(({ data }) => data.lines.map((line) =>
            make("tr", {}, make("th", { scope: "row", text: line.label }),
                make("td", { text: withUnit(readout(line, this.t), data.unit) }))));
        this.table.replaceChildren(make("caption", { text: text.plots.values }), make("thead", {},
            make("tr", {}, make("th", { scope: "col", text: text.plots.name }), make("th", { scope: "col", text: text.plots.valueNow }))),
        make("tbody", {}, ...rows));
    }

    resize(): void {
        const [width, heights] = this.sizes();
        if (width < 40)
            return;
        this.panels.forEach((panel, index) => {
            if (panel.plot.box.childElementCount)
                panel.plot.size(width, heights[index]);
            else
                this.drawOne(panel, index, width, heights[index]);
        });
        this.align();
    }

    /** Times are aligned: all y axes have the width of the widest. */
    private align(): void {
        const most = Math.max(0, ...this.panels.map((panel) => panel.plot.axisWidth));
        for (const panel of this.panels)
            panel.plot.align(most);
    }

    private palette: Palette | null = null;

    private draw(palette: Palette): void {
        this.palette = palette;
        const [width, heights] = this.sizes();
        if (width >= 40)
            this.panels.forEach((panel, index) => this.drawOne(panel, index, width, heights[index]));
        this.align();
    }

    private drawOne(panel: Panel, index: number, width: number, height: number): void {
        if (this.palette)
            panel.plot.set(panel.data, this.palette, width, height, this.zoomed ?? this.span, index === this.panels.length - 1);
        panel.plot.time(this.t);
    }

    /** Width of the plots and the height of each: the column is filled, none is too low to read. */
    private sizes(): [number, number[]] {
        const { element } = this, parent = element.parentElement;
        const width = element.clientWidth - (parseFloat(getComputedStyle(element).paddingLeft) || 0);
        const room = (parent?.clientHeight ?? 0) - 14, least = this.wide ? 180 : LEAST;
        const heads = this.panels.map((panel) => (panel.element.firstElementChild as HTMLElement).offsetHeight || HEAD);
        const each = Math.floor((room - LABEL - heads.reduce((sum, one) => sum + one, 0)) / Math.max(1, this.panels.length)) - 2;
        // where the full page scrolls, the height of the column is that of its plots
        const scrolls = !!parent && getComputedStyle(parent).overflowY !== "visible";
        const height = scrolls ? Math.max(least, Math.min(each, 420)) : 190;
        const last = this.panels.length - 1; // has the label of the x axis, too
        return [width, this.panels.map((panel, index) => (isPortrait(panel.data) ? Math.max(height, Math.min(width, 320)) : height) +
            (index === last && !isPortrait(panel.data) ? LABEL : 0))];
    }

    private panel(def: PlotDef, data: PlotData, index: number): Panel {
        const plot = new Plot({
            goTo: (t) => this.host.goTo(t),
            hover: (t) => this.hover(t),
            zoom: (range) => this.zoom(range),
        });
        const values = data.lines.map(() => make("span", { class: "now" }));
        const key = make("ul", { class: "key" }, ...data.lines.map((line, number_) => {
            const sample = make("span", { class: line.dash.length ? "sample dashed" : "sample" });
            sample.style.color = line.color;
            const remove = button(text.plots.removeCurve(line.label), icons.close(), () => this.host.removeCurve(index, number_), "remove");
            return make("li", {}, sample, make("span", { class: "name", text: line.label }), values[number_], remove);
        }), ...data.failed.map((why) => make("li", { class: "failed", text: why })));
        const more = button(text.plots.options, icons.more(), () => this.host.options(index, more), "plot-more");
        const unit = data.unit || data.log ? make("span", { class: "unit", text: this.unitText(data) }) : null;
        plot.box.setAttribute("role", "img");
        plot.box.setAttribute("aria-label", text.plots.describe(data.title, data.lines.map((line) => line.label).join(", ")));
        const element = make("section", { class: "plot" },
            make("header", {}, make("h2", { text: data.title }, unit), more, key), plot.box);
        return { def, data, plot, element, values };
    }

    private unitText(data: PlotData): string {
        const magnitude = data.log ? text.plots.magnitudeOf("").slice(2) : "";
        return [data.unit ? ` / ${data.unit}` : "", magnitude ? ` (${magnitude})` : ""].join("");
    }

    private tablePart(): HTMLElement {
        return make("div", { class: "values-part" }, this.table);
    }

    private readouts(t: number): void {
        for (const { data, values } of this.panels)
            data.lines.forEach((line, index) => {
                const words = readout(line, t);
                if (values[index].textContent !== words)
                    values[index].textContent = words;
            });
    }

    private hover(t: number | null): void {
        this.hovered = t;
        for (const panel of this.panels)
            panel.plot.hover(t);
        this.readouts(t ?? this.t);
    }

    private zoom(range: Range | null): void {
        this.zoomed = range;
        for (const panel of this.panels)
            panel.plot.zoom(range ?? this.span);
        queueMicrotask(() => this.align()); // the plots are drawn then
    }
}
