// How the run was made: command, method, end, counters, thinning; what went wrong and what may help.
import { short } from "../base/format.ts";
import { insideText as text } from "../base/text_inside.ts";
import type { Report } from "../data/model.ts";
import { copyButton, el, button, partButton, section, sentence, table, withParts } from "./dom.ts";
import type { Hooks } from "./hooks.ts";
import { counterRows, duration, failed, findPart, methodRows, moment, statusSentence, thinning, timeUnit, integerText } from "./words.ts";

/** More runs do not fit side by side; the comparison has all of them. */
const MOST_COLUMNS = 6;

export function makeRun(report: Report, index: number, hooks: Hooks): HTMLElement {
    const { info, def } = report.runs[index];
    return section("run", text.sections.run,
        failureBox(report, index, hooks),
        figures(report, index),
        info.command ? commandBox(info.command) : sentence(text.noCommand),
        el("div", "inside-columns",
            el("div", "", el("h3", "", text.method), definitions(methodRows(info).concat(samplesRow(report, index)))),
            el("div", "inside-wide", el("h3", "", text.counters), counters(report, index))),
        thinning(def) ? sentence((thinning(def) as { long: string }).long) : null);
}

/** How the run ended, and the most important numbers. */
function figures(report: Report, index: number): HTMLElement {
    const { info } = report.runs[index], s = info.statistics ?? {}, line = el("p", "inside-lead", statusSentence(info));
    if (failed(info))
        line.replaceChildren(el("span", "inside-bad", statusSentence(info)));
    if (s.wall_seconds > 0)
        line.append(` ${text.tookTime(duration(s.wall_seconds), timeUnit(info) ? s.real_time_factor : 0, short(s.real_time_factor, 3))}`);
    return line;
}

function commandBox(command: string): HTMLElement {
    const code = el("code", "", command);
    return el("div", "inside-command", el("div", "inside-label", text.command),
        el("div", "inside-command-line", code, copyButton(text.copyCommand, () => command)));
}

function definitions(rows: [string, string, string][]): HTMLElement {
    const list = el("dl", "inside-list");
    for (const [name, value, help] of rows)
        list.append(el("dt", "", name), el("dd", "", value, help ? el("span", "inside-help", help) : null));
    return list;
}

function samplesRow(report: Report, index: number): [string, string, string][] {
    const { def, motion } = report.runs[index], thinned = thinning(def);
    if (thinned)
        return [[text.samples, thinned.short, ""]];
    return motion.count ? [[text.samples, text.allSamples(integerText(motion.count)), ""]] : [];
}

function counters(report: Report, index: number): HTMLElement {
    // the chosen run first, so that the others are read against it
    const others = report.runs.map((_, i) => i).filter((i) => i !== index);
    const shown = [index, ...others].slice(0, MOST_COLUMNS);
    const rows = counterRows(shown.map((i) => report.runs[i].info.statistics ?? {}));
    if (!rows.length)
        return sentence(text.noCounters);
    const several = shown.length > 1;
    const heads = several ? shown.map((i) => report.runs[i].label || text.runNumber(i)) : [text.count];
    const result = table(`inside-table inside-counters ${several ? "inside-several" : "inside-single"}`,
        [text.counter, ...heads, ...(several ? [] : [text.perStep]), text.meaning],
        rows.map((row) => [
            row.name,
            ...row.shown.map((value, k) => (row.least.includes(k) ? el("strong", "", value) : value)),
            ...(several ? [] : [row.perStep]),
            row.help,
        ]));
    result.querySelectorAll("tr").forEach((tr) => {
        [...tr.children].forEach((cell, c) => {
            if (c > 0 && c <= shown.length + (several ? 0 : 1))
                cell.classList.add("inside-number");
            if (!several && c === 2)
                cell.classList.add("inside-per-step");
            if (c === tr.children.length - 1)
                cell.classList.add("inside-meaning");
        });
    });
    return el("div", "inside-scroll", result, several ? el("p", "inside-note", text.leastNote) : null);
}

function failureBox(report: Report, index: number, hooks: Hooks): HTMLElement | null {
    const { info, scene } = report.runs[index], error = info.error;
    if (!error?.what)
        return null;
    const list = el("dl", "inside-list");
    const add = (name: string, ...value: (Node | string)[]): void => {
        list.append(el("dt", "", name), el("dd", "", ...value));
    };
    if (error.advice)
        add(text.advice, error.advice);
    if (error.part) {
        const part = findPart(scene, error.part, index);
        add(text.failurePart, part ? partButton(error.part, part, hooks) : error.part);
    }
    if (error.equation)
        add(text.failureEquation, error.equation);
    if (typeof error.time === "number") {
        const t = error.time;
        add(text.failureTime, button(moment(info, t), "inside-part", () => hooks.goTo(t, index)));
    }
    const box = el("div", "inside-failure", el("h3", "", text.failure), el("p", "", ...withParts(scene, error.what, index, hooks)), list);
    box.setAttribute("role", "group");
    return box;
}
