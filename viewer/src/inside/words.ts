// Numbers and states of a run as text. No DOM.
import { MINUS, short, withUnit } from "../base/format.ts";
import { insideText as text } from "../base/text_inside.ts";
import type { InfoDef, RunDef, SceneDef } from "../data/header.ts";
import type { Picked } from "./hooks.ts";

const GROUP = "\u202f"; // does not break a line

/** Digits grouped by three; integers are shown in full. */
export function integerText(value: number): string {
    const digits = String(Math.abs(Math.round(value)));
    if (digits.length > 15)
        return short(value);
    return (value < 0 ? MINUS : "") + (digits.length > 4 ? digits.replace(/\B(?=(\d{3})+$)/g, GROUP) : digits);
}

export const seconds = (t: number): string => withUnit(short(t), "s");
/** The unit of "time", which has none if it is a load or the number of a mode. */
export const timeUnit = (info: InfoDef): string => (info.study === "equilibrium" || info.study === "modes" ? "" : "s");
export const moment = (info: InfoDef, t: number): string => withUnit(short(t), timeUnit(info));

/** Texts of results begin small and have no full stop. */
export const asSentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1).replace(/\.?$/, ".");

/** Computing time in a unit of common use. */
export function duration(value: number): string {
    if (value < 1)
        return value < 1e-3 ? withUnit(short(value * 1e6, 3), "µs") : withUnit(short(value * 1e3, 3), "ms");
    if (value < 120)
        return withUnit(short(value, 3), "s");
    const minutes = Math.floor(value / 60);
    return minutes < 120 ? `${withUnit(String(minutes), "min")} ${withUnit(String(Math.floor(value % 60)), "s")}`
        : `${withUnit(String(Math.floor(minutes / 60)), "h")} ${withUnit(String(minutes % 60), "min")}`;
}

/** How the run ended. */
export function statusSentence(info: InfoDef): string {
    const at = moment(info, info.reached), { status } = info;
    if (info.study === "modes" && status === "done")
        return text.studies.modes;
    if (info.study === "equilibrium" && status === "done")
        return info.reached > 0 ? text.studies.equilibrium(short(info.reached)) : text.studies.oneEquilibrium;
    switch (status) {
        case "done": return text.status.done(at);
        case "event": return text.status.event(at, String((info.statistics as Record<string, unknown>)?.stopped_by ?? ""));
        case "stopped": return text.status.stopped(at);
        case "running": return text.status.running(at);
        default: return text.status.failed(at, info.error?.what ? "" : status); // the box of the failure has the details
    }
}

export const failed = (info: InfoDef): boolean => !["done", "event", "stopped"].includes(info.status);

/** Step 0 means that the method controls it. */
export function methodRows(info: InfoDef): [name: string, value: string, help: string][] {
    const rows: [string, string, string][] = [];
    for (const [key, [name, help]] of Object.entries(text.methodRows)) {
        const value = (info as unknown as Record<string, unknown>)[key];
        if (value === undefined || value === null || value === "")
            continue;
        if (key === "step")
            rows.push([name, Number(value) > 0 ? seconds(Number(value)) : text.chosenBySolver, Number(value) > 0 ? help : ""]);
        else
            rows.push([name, typeof value === "number" ? short(value) : String(value), help]);
    }
    return rows;
}

export interface CounterRow {
    name: string;
    help: string;
    values: (number | null)[]; // per run; null: that run has none
    shown: string[];
    perStep: string; // of the first run given
    least: number[]; // runs with the smallest count, where they differ
}

/** Counters of several runs side by side; rows that are zero or missing in all of them are left out. */
export function counterRows(all: Record<string, number>[], first = 0): CounterRow[] {
    const rows: CounterRow[] = [];
    const add = (key: string, name: string, help: string, show: (value: number) => string, perStep: boolean): void => {
        const values = all.map((s) => (typeof s?.[key] === "number" && Number.isFinite(s[key]) ? s[key] : null));
        if (!values.some((value) => value !== null && value !== 0))
            return;
        const known = values.filter((value) => value !== null) as number[], best = Math.min(...known);
        const differ = known.length > 1 && known.some((value) => value !== best);
        const steps = all[first]?.steps, own = values[first];
        rows.push({
            name, help, values,
            shown: values.map((value) => (value === null ? "–" : show(value))),
            perStep: perStep && steps > 0 && own ? short(own / steps, 3) : "",
            least: differ && key !== "real_time_factor" && !key.startsWith("h_") && key !== "dissipated" && key !== "lost_in_impacts"
                ? values.flatMap((value, i) => (value === best ? [i] : [])) : [],
        });
    };
    for (const [key, [name, help]] of Object.entries(text.counterRows))
        add(key, name, help, integerText, key !== "steps");
    for (const [key, [name, unit, help]] of Object.entries(text.measureRows))
        add(key, name, help, (value) => (key === "wall_seconds" ? duration(value) : withUnit(short(value, 3), unit)), false);
    return rows;
}

/** "200 : 1"; empty where nothing was left out. */
export function thinning(run: RunDef): { short: string; long: string } | null {
    const thinned = run.thinned;
    if (!thinned || !(thinned.from > thinned.frames))
        return null;
    const ratio = thinned.from / Math.max(1, thinned.frames);
    return {
        short: text.thinned(short(ratio, ratio < 10 ? 2 : 3)),
        long: text.thinnedHelp(integerText(thinned.from), integerText(thinned.frames)),
    };
}

/** The part a text of the result names: "j3", "revolute 'j3'", "j3.angle", "crank"; null: none of the scene. */
export function findPart(scene: SceneDef, name: string, run: number): Picked | null {
    const quoted = name.match(/'([^']+)'/)?.[1], bare = quoted ?? name;
    const lists = [["joint", scene.joints], ["body", scene.bodies], ["spring", scene.springs], ["probe", scene.probes]] as const;
    for (const candidate of [bare, bare.replace(/\.[^.]*$/, "")])
        for (const [what, list] of lists) {
            if (quoted && /^body\b/.test(name) && what !== "body")
                continue;
            const index = (list ?? []).findIndex((part) => part.name === candidate);
            if (index >= 0 && candidate)
                return { what, index, run };
        }
    const driver = (scene.drivers ?? []).find((d) => d.name === bare || d.variable === bare);
    if (driver && driver.joint >= 0)
        return { what: "joint", index: driver.joint, run };
    const force = (scene.forces ?? []).find((f) => f.name === bare);
    return force && force.body >= 0 ? { what: "body", index: force.body, run } : null;
}

/** Name of a part; empty where the scene has none of that number. */
export function nameOf(scene: SceneDef, what: string, index: number): string {
    const { bodies, joints, springs, probes } = scene;
    const lists: Record<string, { name: string }[]> = { body: bodies, joint: joints, spring: springs, probe: probes };
    return lists[what]?.[index]?.name ?? "";
}

/** A text cut at names of parts, so that these can be picked: in quotes, in lists, or with a digit. Other words stay words. */
export function cutAtParts(scene: SceneDef, sentence: string, run: number): (string | { name: string; part: Picked })[] {
    const pieces: (string | { name: string; part: Picked })[] = [];
    let from = 0;
    for (const match of sentence.matchAll(/[\p{L}_][\p{L}\p{N}_.]*[\p{L}\p{N}_]/gu)) {
        const before = sentence.slice(0, match.index), after = sentence.slice(match.index + match[0].length);
        const quoted = before.endsWith("'") && after.startsWith("'") ? 1 : 0; // what can be picked needs no quotes
        const listed = /(?:, | and |\blinks? |\bfrom )$/i.test(before) || /^(?:, |:| and )/.test(after);
        const part = quoted || listed || /\d|_/.test(match[0]) ? findPart(scene, match[0], run) : null;
        if (!part)
            continue;
        if (match.index - quoted > from)
            pieces.push(sentence.slice(from, match.index - quoted));
        pieces.push({ name: match[0], part });
        from = match.index + match[0].length + quoted;
    }
    if (from < sentence.length)
        pieces.push(sentence.slice(from));
    return pieces;
}

/** A number in a cell of a table: 3, "1.2e-8", "0.013 s", "tol 1e-08" has none. */
export function numberIn(cell: string | number | null): number | null {
    if (typeof cell === "number")
        return Number.isFinite(cell) ? cell : null;
    const match = cell?.trim().match(/^([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?:\s*[%A-Za-z/^\d]*)?$/);
    return match ? Number(match[1]) : null;
}

/** Is a larger number the better one in this column? */
const largerIsBetter = (column: string): boolean => /real.?time factor|digits|speed.?up/i.test(column);
/** Columns in which small numbers are no merit. */
const noMerit = (column: string): boolean => /^(by|h|run|n|tolerance|order|bodies|step)$/i.test(column.trim());

/** Rows with the best value per column; empty where fewer than two numbers differ. Rows that failed do not count. */
export function bestRows(columns: string[], rows: (string | number | null)[][]): number[][] {
    const status = columns.findIndex((name) => /^(status|result)$/i.test(name.trim()));
    const counts = rows.map((row) => status < 0 || /^(agreed|done|ok|event|complete)/i.test(String(row[status] ?? "")));
    return columns.map((name, c) => {
        const values = rows.map((row, r) => (counts[r] ? numberIn(row[c] ?? null) : null));
        const known = values.filter((value) => value !== null) as number[];
        if (noMerit(name) || known.length < 2 || new Set(known).size < 2)
            return [];
        const best = largerIsBetter(name) ? Math.max(...known) : Math.min(...known.map(Math.abs));
        return values.flatMap((value, r) => (value !== null && (largerIsBetter(name) ? value : Math.abs(value)) === best ? [r] : []));
    });
}

/** Numbers of rows in the order of a column; numbers before words, missing values last in both directions. */
export function sortedRows(rows: (string | number | null)[][], column: number, down: boolean): number[] {
    const keys = rows.map((row) => ({ number: numberIn(row[column] ?? null), word: String(row[column] ?? "").replace(/^[-–]$/, "") }));
    const missing = (r: number): boolean => keys[r].number === null && !keys[r].word;
    return rows.map((_, r) => r).sort((a, b) => {
        if (missing(a) !== missing(b))
            return missing(a) ? 1 : -1;
        const p = keys[a].number, q = keys[b].number;
        const order = p !== null && q !== null ? p - q : p !== null ? -1 : q !== null ? 1 : keys[a].word.localeCompare(keys[b].word);
        return (down ? -order : order) || a - b;
    });
}
