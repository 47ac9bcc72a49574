// From a plot's definition to the lines it shows: values in the units of the screen, names, colors.
import { text } from "../base/text.ts";
import { type Units, shown } from "../base/units.ts";
import type { Curve } from "../data/model.ts";
import { type Palette, curveColor, curveDash } from "../look/colors.ts";
import { type AllQuantities, type Quantity, resampled } from "./quantities.ts";

/** run -1: of every run that has it. minus: the run that is subtracted, -1 none. */
export interface Item { name: string; run: number; minus: number }
/** x: the name of the quantity along the x axis; "" is time. */
export interface PlotDef { items: Item[]; x: string; log: boolean; fromStart: boolean }

export interface Line {
    label: string;
    color: string;
    dash: number[];
    times: Float64Array;
    x: Float64Array | null; // null: times
    y: Float64Array;
    item: Item;
    run: number;
    noise: number; // smaller values are rounding and read as 0
}

/** Curves have seven digits; a tenth of the last one of their largest value is nothing. */
const NOISE = 1e-8;
const largest = (values: Float64Array): number => values.reduce((most, value) => (Math.abs(value) > most ? Math.abs(value) : most), 0);

export interface PlotData {
    title: string;
    unit: string;
    xTitle: string;
    xUnit: string;
    log: boolean;
    equal: boolean; // same scale on both axes
    lines: Line[];
    failed: string[];
}

export const item = (name: string, run = -1, minus = -1): Item => ({ name, run, minus });
export const plot = (...names: string[]): PlotDef => ({ items: names.map((name) => item(name)), x: "", log: false, fromStart: false });

/** What the x axis is where it is not time itself. */
export type Abscissa = "time" | "load" | "mode" | "step";

export function titleOf(first: Quantity, def: PlotDef): string {
    const { quantities, unknowns, unknownRates, reactionForce, reactionMoment, fromStart, difference } = text.plots;
    let title = quantities[first.quantity] ?? first.quantity.charAt(0).toUpperCase() + first.quantity.slice(1);
    if (first.of === "reaction")
        title = first.quantity === "moment" ? reactionMoment : reactionForce;
    if (first.of === "unknown")
        title = def.items.every((one) => one.name.endsWith("_rate")) ? unknownRates : unknowns;
    if (def.items.some((one) => one.minus >= 0))
        title = difference(title);
    return def.fromStart ? fromStart(title) : title;
}

export const RUN_DASHES = [[], [8, 4], [2, 3], [9, 3, 2, 3]];

const dashOf = (all: AllQuantities, run: number): number[] =>
    RUN_DASHES[Math.max(0, all.report.seen(all.chosen).indexOf(run)) % RUN_DASHES.length];

async function lineValues(all: AllQuantities, one: Item, run: number, factor: number,
    def: PlotDef): Promise<{ curve: Curve; y: Float64Array }> {
    const curve = await all.runs[run].curve(one.name);
    const y = Float64Array.from(curve.values);
    if (one.minus >= 0) {
        const other = resampled(await all.runs[one.minus].curve(one.name), curve.times);
        for (let i = 0; i < y.length; i++)
            y[i] -= other[i];
    }
    const start = def.fromStart ? y.find((value) => Number.isFinite(value)) ?? 0 : 0;
    for (let i = 0; i < y.length; i++) {
        y[i] = (y[i] - start) * factor;
        if (def.log)
            y[i] = y[i] === 0 ? NaN : Math.abs(y[i]);
    }
    return { curve, y };
}

const runsOf = (all: AllQuantities, one: Item): number[] =>
    (one.run >= 0 ? [one.run] : all.report.seen(all.chosen)).filter((run) => all.runs[run]?.find(one.name));

function labelOf(all: AllQuantities, one: Item, run: number): string {
    const label = (index: number): string => all.report.runs[index].label;
    if (one.minus >= 0)
        return `${one.name}: ${label(run)} \u2212 ${label(one.minus)}`;
    return all.runs.length > 1 ? `${one.name}, ${label(run)}` : one.name;
}

export async function plotData(all: AllQuantities, def: PlotDef, units: Units, palette: Palette, abscissa: Abscissa): Promise<PlotData> {
    const first = def.items.map((one) => all.find(one.name)).find((one) => one);
    const along = def.x ? all.find(def.x) : undefined;
    const y = shown(first?.unit ?? "", units), x = along ? shown(along.unit, units) : { unit: abscissa === "time" ? "s" : "", factor: 1 };
    const data: PlotData = {
        title: first ? titleOf(first, def) : "",
        unit: y.unit, xTitle: along ? along.name : text.plots[abscissa], xUnit: x.unit, log: def.log,
        equal: !!along && along.unit === "m" && first?.unit === "m" && !def.log,
        lines: [], failed: [],
    };
    if (along && first)
        data.title = text.plots.portrait(def.items.length === 1 ? def.items[0].name : data.title, along.name);
    for (const [index, one] of def.items.entries())
        for (const run of runsOf(all, one)) {
            try {
                const { curve, y: values } = await lineValues(all, one, run, y.factor, def);
                const dash = all.runs.length > 1 && one.run < 0 ? dashOf(all, run) : curveDash(index);
                const xs = along ? resampled(await all.runs[run].curve(def.x), curve.times).map((value) => value * x.factor) : null;
                data.lines.push({
                    label: labelOf(all, one, run), color: curveColor(palette, index), dash, times: curve.times, x: xs, y: values,
                        item: one, run,
                    noise: NOISE * largest(values),
                });
            } catch (error) {
                data.failed.push(`${text.plots.unreadable(one.name)}: ${(error as Error).message}`);
            }
        }
    return data;
}
