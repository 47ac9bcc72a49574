// Step size, order and error estimate over time, drift of the constraints, energy error. Of several runs in one plot each.
import { short, withUnit } from "../base/format.ts";
import { insideText as text } from "../base/text_inside.ts";
import type { Report } from "../data/model.ts";
import { curveColor } from "../look/colors.ts";
import { el, onWidth, section, sentence } from "./dom.ts";
import type { Hooks } from "./hooks.ts";
import { type Line, Plot } from "./plot.ts";
import { timeUnit } from "./words.ts";

const NAMES = ["step.size", "step.order", "step.error", "drift", "velocity_drift", "energy_error"];
const MOST_RUNS = 6;

interface Range { low: number; high: number }

/** Smallest and largest finite value of all lines; null: there is none. */
export function rangeOf(lists: ArrayLike<number>[]): Range | null {
    let low = Infinity, high = -Infinity;
    for (const list of lists)
        for (let i = 0; i < list.length; i++) {
            low = Math.min(low, Number.isNaN(list[i]) ? Infinity : list[i]);
            high = Math.max(high, Number.isNaN(list[i]) ? -Infinity : list[i]);
        }
    return low <= high ? { low, high } : null;
}

export function makeSteps(report: Report, chosen: number, hooks: Hooks): HTMLElement {
    const element = section("steps", text.sections.steps), { curves } = report.runs[chosen];
    if (!NAMES.slice(0, 3).some((name) => curves.names.has(name)))
        element.append(sentence(text.noSteps));
    if (!NAMES.slice(3).some((name) => curves.names.has(name)))
        element.append(sentence(text.noErrors));
    void readLines(report, chosen).then((all) => fill(element, report, chosen, all, hooks),
        (error: Error) => element.append(sentence(`${error.message}.`)));
    return element;
}

async function readLines(report: Report, chosen: number): Promise<Map<string, Line[]>> {
    const runs = [chosen, ...report.runs.map((_, i) => i).filter((i) => i !== chosen)].slice(0, MOST_RUNS), all = new Map<string, Line[]>();
    for (const name of NAMES) {
        if (!report.runs[chosen].curves.names.has(name))
            continue;
        const lines = await Promise.all(runs.filter((run) => report.runs[run].curves.names.has(name)).map(async (run) => ({
            run, curve: await report.runs[run].curves.get(name), name: report.runs[run].label || text.runNumber(run),
        })));
        all.set(name, lines);
    }
    return all;
}

function fill(element: HTMLElement, report: Report, chosen: number, all: Map<string, Line[]>, hooks: Hooks): void {
    const plots: Plot[] = [], grid = el("div", "inside-plots"), marks = report.runs[chosen].events.flatMap((event) =>
        (typeof event.t === "number" ? [event.t] : []));
    const constant: HTMLElement[] = [], unitOfTime = timeUnit(report.runs[chosen].info);
    for (const [name, lines] of all) {
        const title = text.plots[name], own = lines[0].curve.unit;
        const unit = name === "step.error" ? text.inTolerances : own === "1" ? "" : own;
        const range = rangeOf(lines.map((line) => line.curve.values)), step = name.startsWith("step.");
        if (!range || (name === "step.order" && range.high === 0))
            continue; // the method has no order, or no estimate
        if (range.low === range.high && (lines.length === 1 || range.high === 0)) {
            const value = withUnit(short(range.high), unit);
            constant.push(sentence(range.high === 0 ? text.zeroPlot(title) : text.constantPlot(title, value)));
            continue;
        }
        const integers = name === "step.order";
        const options = { title, unit, timeUnit: unitOfTime, log: !integers, stairs: step, integers, marks, chosen };
        plots.push(new Plot(lines, options, report.span, hooks.palette()));
    }
    for (const plot of plots) {
        plot.onGo = (t, run) => hooks.goTo(t, run);
        plot.onCursor = (t) => plots.forEach((other) => other.setCursor(t));
        grid.append(plot.element);
    }
    if (report.runs.length > 1)
        element.append(runLegend(report, chosen, hooks));
    element.append(...constant, grid);
    if (plots.length)
        element.append(el("p", "inside-note", text.plotHint));
    onWidth(grid, () => {
        // all columns of the grid are equally wide: read once, then set, so that the browser lays out once
        const width = Math.floor(plots[0]?.element.clientWidth ?? 0);
        plots.forEach((plot) => plot.resize(width));
    });
    hooks.onTheme(() => plots.forEach((plot) => plot.theme(hooks.palette())));
    hooks.onTime?.((t) => plots.forEach((plot) => plot.time(t)));
}

function runLegend(report: Report, chosen: number, hooks: Hooks): HTMLElement {
    const legend = el("p", "inside-legend");
    const draw = (): void => {
        legend.replaceChildren(...report.runs.slice(0, MOST_RUNS).map((run, i) => {
            const swatch = el("span", "inside-swatch inside-swatch-line");
            swatch.style.background = curveColor(hooks.palette(), i);
            return el("span", i === chosen ? "inside-chosen" : "", swatch, run.label || text.runNumber(i));
        }));
    };
    draw();
    hooks.onTheme(draw);
    return legend;
}
