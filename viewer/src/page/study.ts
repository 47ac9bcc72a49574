// What the slider moves: time of a motion, load of an equilibrium, number of a mode.
import { short } from "../base/format.ts";
import { text } from "../base/text.ts";
import type { Scale } from "../controls/bar.ts";
import type { Abscissa } from "../curves/lines.ts";
import type { Report, Run } from "../data/model.ts";
import { Swinging, meshEnlargement, swinging } from "../data/swing.ts";

export interface Study { report: Report; abscissa: Abscissa; scale: Scale; modes: string[] | null; enlarged: number[] }

/** The events of a modes file contain the frequencies; without them modes have only numbers. */
const modeWords = (run: Run): string[] =>
    Array.from(run.motion.time, (t) => run.events.find((event) => event.kind === "mode" && event.t === t)?.text ?? "");

async function modesOf(report: Report): Promise<Study> {
    const moving = swinging(report), words = modeWords(moving.runs[0]);
    const name = (t: number): string => {
        const frequency = words[Math.round(t) - Math.round(moving.span[0])];
        return frequency ? `${text.modes.mode(Math.round(t))}, ${frequency}` : text.modes.mode(Math.round(t));
    };
    return {
        report: moving, abscissa: "mode", modes: words, enlarged: await meshEnlargement(moving),
        scale: { name: text.bar.mode, unit: "", span: moving.span, discrete: true, words: name },
    };
}

/** A load path that turns back is shown by the number of its steps; the load is one of the curves. */
async function equilibrium(report: Report): Promise<Study> {
    const scale: Scale = { name: text.bar.load, unit: "", span: report.span }, loads: (Float64Array | null)[] = [];
    for (const run of report.runs) {
        const real = await run.blocks.doubles(run.def.frames.time), turned = real !== run.motion.time;
        loads.push(turned ? real : null);
        if (turned && !run.curves.names.has("load"))
            run.curves.add({
                name: "load", quantity: "load", unit: "", part: "", of: "run", block: "", at: 0, count: real.length, time: "",
                    times: run.motion.time,
                values: real,
            });
    }
    const first = loads[0];
    if (!first)
        return { report, abscissa: "load", modes: null, enlarged: [], scale };
    const words = (t: number): string =>
        `${text.bar.step} ${Math.round(t)}: ${text.bar.load.toLowerCase()} ${short(first[Math.round(t)] ?? NaN)}`;
    return { report, abscissa: "step", modes: null, enlarged: [], scale: { ...scale, name: text.bar.step, discrete: true, words } };
}

export async function studyOf(report: Report): Promise<Study> {
    const { study } = report.runs[0].info;
    if (study === "modes" && report.runs[0].motion.count > 0)
        return modesOf(report);
    if (study === "equilibrium")
        return equilibrium(report);
    return { report, abscissa: "time", modes: null, enlarged: [], scale: { name: text.bar.time, unit: "s", span: report.span } };
}

/** Sets the share of the shapes of all modes. */
export function swing(report: Report, share: number): void {
    for (const run of report.runs)
        if (run.motion instanceof Swinging)
            run.motion.swing = share;
}
