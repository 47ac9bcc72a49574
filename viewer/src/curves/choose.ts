// The plots shown first: which of thousands of curves a user probably wants to see (report.md: variables that are measured or driven,
// largest reactions, energies).
import type { Curve, Run } from "../data/model.ts";
import { type PlotDef, plot } from "./lines.ts";
import type { Quantities, Quantity } from "./quantities.ts";

const MOST = 3;

function extent(values: ArrayLike<number>): { low: number; high: number } {
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < values.length; i++) {
        if (values[i] < low)
            low = values[i];
        if (values[i] > high)
            high = values[i];
    }
    return { low, high };
}

/** Equal within a hundredth of their range, which is less than the width of a line: a second one on top of the first shows nothing. */
export function equal(a: Curve, b: Curve): boolean {
    if (a.values.length !== b.values.length)
        return false;
    const { low, high } = extent(a.values), tolerance = 1e-2 * (high - low) + 1e-12 * Math.max(Math.abs(low), Math.abs(high));
    const step = Math.max(1, Math.floor(a.values.length / 500));
    for (let i = 0; i < a.values.length; i += step)
        if (Math.abs(a.values[i] - b.values[i]) > tolerance)
            return false;
    return true;
}

const constant = (curve: Curve): boolean => {
    const { low, high } = extent(curve.values);
    return !(high - low > 1e-6 * Math.max(1, Math.abs(low), Math.abs(high)));
};

/** Driven ones first, then those of joints that only measure, then the others. */
function variableNames(run: Run): string[] {
    const { joints, drivers } = run.scene;
    const of = (wanted: (joint: (typeof joints)[number]) => boolean | undefined): string[] =>
        joints.filter(wanted).flatMap((joint) => joint.variables ?? []);
    const names = [...drivers.map((driver) => driver.variable), ...of((joint) => joint.driven), ...of((joint) => joint.free),
        ...of(() => true)];
    return [...new Set(names)].filter((name) => run.curves.names.has(name));
}

/** Up to three that move and are not equal, of the unit of the first one. */
async function distinct(quantities: Quantities, names: readonly string[], limit = 60): Promise<string[]> {
    const kept: Curve[] = [];
    for (const name of names.slice(0, limit)) {
        const unit = quantities.find(name)?.unit;
        if (kept.length && unit !== kept[0].unit)
            continue;
        const curve = await quantities.curve(name);
        if (constant(curve) || kept.some((other) => equal(other, curve)))
            continue;
        kept.push(curve);
        if (kept.length === MOST)
            break;
    }
    return kept.map((curve) => curve.name);
}

/** By their largest value; equal ones once. */
async function largestReactions(quantities: Quantities): Promise<{ names: string[]; largest: number }> {
    const all = quantities.list.filter((one) => one.of === "reaction" && one.magnitude && one.quantity === "force");
    const sized = await Promise.all(all.slice(0, 2000).map(async (one) => {
        const curve = await quantities.curve(one.name);
        return { curve, most: extent(curve.values).high };
    }));
    sized.sort((a, b) => b.most - a.most);
    const kept: Curve[] = [], least = 1e-9 * (sized[0]?.most ?? 0);
    for (const { curve, most } of sized) {
        if (kept.length === MOST || !(most > least))
            break;
        if (!kept.some((other) => equal(other, curve)))
            kept.push(curve);
    }
    return { names: kept.map((curve) => curve.name), largest: sized[0]?.most ?? 0 };
}

/** Unknowns of equations that belong to no body; their rates are left out. */
export const unknownNames = (run: Run): string[] => run.def.curves.filter((curve) => curve.of === "run" && curve.quantity === "value" &&
    !(curve.name.endsWith("_rate") && run.curves.names.has(curve.name.slice(0, -5)))).map((curve) => curve.name);

const MANY = 6, APART = 30;

/** Unknowns in plots of about equal size; of a long row some of them, evenly chosen. */
async function unknownPlots(quantities: Quantities): Promise<PlotDef[]> {
    const names = unknownNames(quantities.run), step = Math.max(1, (names.length - 1) / (MANY - 1));
    const some = names.length <= 2 * MANY ? names : Array.from({ length: MANY }, (_, i) => names[Math.round(i * step)]);
    const sized = await Promise.all(some.map(async (name) => {
        const curve = await quantities.curve(name), { low, high } = extent(curve.values);
        return { name, curve, size: Math.max(Math.abs(low), Math.abs(high)) };
    }));
    const groups: { most: number; names: string[] }[] = [];
    const single = sized.filter(({ curve }, i) => !sized.slice(0, i).some((other) => equal(other.curve, curve)));
    for (const { name, size } of single.sort((a, b) => b.size - a.size)) {
        const last = groups[groups.length - 1];
        if (last && last.names.length < MANY && size * APART >= last.most)
            last.names.push(name);
        else if (size > 0 || !last)
            groups.push({ most: size, names: [name] });
    }
    const order = (list: string[]): string[] => list.sort((a, b) => names.indexOf(a) - names.indexOf(b));
    return groups.slice(0, MOST).map((group) => plot(...order(group.names)));
}

/** Of a field: its value. */
const isPosition = (one: Quantity): boolean => one.quantity === "position" || one.quantity === "value";
const probeNames = (list: readonly Quantity[]): string[] =>
    list.filter((one) => one.of === "probe" && isPosition(one)).map((one) => one.name);

export interface FirstLook { plots: PlotDef[]; largestForce: number }

export async function firstLook(quantities: Quantities): Promise<FirstLook> {
    const { run, list } = quantities, plots: PlotDef[] = [];
    const variables = await distinct(quantities, variableNames(run));
    if (variables.length)
        plots.push(plot(...variables));
    else
        plots.push(...await unknownPlots(quantities));
    let nextPlot = plots.length;
    const reactions = await largestReactions(quantities);
    if (reactions.names.length)
        plots.push(plot(...reactions.names));
    const energies = ["kinetic", "potential", "dissipated", "work"].filter((name) => quantities.find(name));
    if (energies.length)
        plots.push({ ...plot(...energies), fromStart: run.motion.count !== 1 });
    // a mechanism without forces or without joints: the paths of its probes, the speed of its variables, where its bodies are
    const left = (names: readonly string[]): string[] =>
        names.filter((name) => !plots.some((one) => one.items.some((item) => item.name === name)));
    const more = [
        () => distinct(quantities, probeNames(list)),
        () => distinct(quantities, variableNames(run).map((name) => `${name}_rate`).filter((name) => quantities.find(name))),
        () => distinct(quantities, list.filter((one) => one.of === "body" && one.pose).map((one) => one.name)),
        () => distinct(quantities, left(list.filter((one) => one.of === "probe" && !one.magnitude && !isPosition(one))
            .map((one) => one.name))),
    ];
    for (const next of more) {
        if (plots.length >= 3)
            break;
        const names = await next();
        if (names.length)
            plots.splice(nextPlot++, 0, plot(...names)); // motions above forces
    }
    return { plots: plots.slice(0, 3), largestForce: reactions.largest };
}

/** A load path that turns back: the load over the curve of the first plot that moves most. */
export async function loadPath(quantities: Quantities, plots: readonly PlotDef[]): Promise<PlotDef[]> {
    const names = plots[0]?.items.map((one) => one.name) ?? [], sized = await Promise.all(names.map(async (name) => {
        const { low, high } = extent((await quantities.curve(name)).values);
        return { name, size: high - low };
    }));
    const most = sized.sort((a, b) => b.size - a.size)[0];
    return most && quantities.find("load") ? [{ ...plot("load"), x: most.name }] : [];
}
