// The table of `biela compare`: sorted by a click on a column, best values bold, rows whose motion is in the page show it.
import { insideText as text } from "../base/text_inside.ts";
import type { HeaderDef } from "../data/header.ts";
import type { Report } from "../data/model.ts";
import { button, el } from "./dom.ts";
import type { Hooks } from "./hooks.ts";
import { bestRows, numberIn, sortedRows } from "./words.ts";

/** The run of each row; -1: none. If the report does not specify it, by label: in one cell, or in several joined by commas. */
export function runsOfRows(def: HeaderDef): number[] {
    const said = def.comparison?.runs;
    if (said)
        return def.comparison!.rows.map((_, r) => (def.runs[said[r]] ? said[r] : -1));
    const rows = def.comparison?.rows ?? [], labels = new Map(def.runs.map((run, i) => [plain(run.label), i]));
    const found = rows.map((row) => {
        const cells = row.map((cell) => plain(String(cell ?? "")));
        for (let length = Math.min(4, cells.length); length >= 1; length--)
            for (let from = 0; from + length <= cells.length; from++) {
                const run = labels.get(cells.slice(from, from + length).join(","));
                if (run !== undefined && cells[from])
                    return run;
            }
        return -1;
    });
    // one run per row and none named: they are in the same order
    return found.every((run) => run < 0) && rows.length === def.runs.length ? rows.map((_, r) => r) : found;
}

/** Cells with more letters than that are sentences, which go over several lines. */
const LONG = 40;

const plain = (label: string): string => label.toLowerCase().replace(/\s*,\s*/g, ",").trim();

export function makeTable(report: Report, hooks: Hooks): HTMLElement | null {
    const def = report.def.comparison;
    if (!def)
        return null;
    const best = bestRows(def.columns, def.rows), runs = runsOfRows(report.def), body = el("tbody");
    const numeric = def.columns.map((_, c) => def.rows.some((row) => numberIn(row[c] ?? null) !== null));
    const wordy = def.columns.map((_, c) => !numeric[c] && def.rows.some((row) => String(row[c] ?? "").length > LONG));
    let sorted = -1, down = false, chosen = 0;
    const draw = (): void => {
        const order = sorted < 0 ? def.rows.map((_, r) => r) : sortedRows(def.rows, sorted, down);
        body.replaceChildren(...order.map((r) => row(r)));
    };
    const row = (r: number): HTMLElement => {
        const tr = el("tr", runs[r] >= 0 ? "inside-link" : "");
        tr.setAttribute("aria-selected", String(runs[r] === chosen && runs[r] >= 0));
        def.rows[r].forEach((cell, c) => {
            const words = String(cell ?? (wordy[c] ? "" : "–")), kind = numeric[c] ? "inside-number" : wordy[c] ? "inside-wordy" : "";
            const td = el("td", kind);
            if (c === 0 && runs[r] >= 0)
                td.append(button(words, "inside-part", () => choose(runs[r])));
            else
                td.append(best[c].includes(r) ? el("strong", "", words) : words);
            tr.append(td);
        });
        tr.addEventListener("click", (event) => {
            if (runs[r] >= 0 && !(event.target as Element).closest("button"))
                choose(runs[r]);
        });
        return tr;
    };
    const choose = (run: number): void => {
        chosen = run;
        hooks.choose?.(run);
        draw();
    };
    const heads = def.columns.map((name, c) => {
        const cell = el("th", numeric[c] ? "inside-number" : ""), sort = button(name, "inside-sort", () => {
            down = sorted === c && !down;
            sorted = c;
            heads.forEach((head, k) => head.setAttribute("aria-sort", k !== c ? "none" : down ? "descending" : "ascending"));
            draw();
        });
        sort.setAttribute("aria-label", text.sortBy(name));
        cell.scope = "col";
        cell.setAttribute("aria-sort", "none");
        cell.append(sort);
        return cell;
    });
    hooks.onRun?.((run) => {
        chosen = run;
        draw();
    });
    draw();
    return el("section", "inside-comparison", el("h2", "", text.comparison),
        el("div", "inside-scroll", el("table", "inside-table", el("thead", "", el("tr", "", ...heads)), body)),
        ...[text.bestNote, ...(def.note ?? "").split("\n")].filter((line) => line).map((line) => el("p", "inside-note", line)));
}
