// The pattern of the Jacobian as assembled and ordered, side by side; a description of the entry under the pointer, in both at once.
import { insideText as text } from "../base/text_inside.ts";
import type { PatternDef } from "../data/header.ts";
import type { Report } from "../data/model.ts";
import { el, onWidth, section, sentence, withParts } from "./dom.ts";
import type { Hooks } from "./hooks.ts";
import { asAssembled, BAND, BESIDE, BORDER, CORNER, INSIDE, type Pattern, type Ordering, readPattern, readOrdering } from "./ordering.ts";
import { type Cell, entryColor, Spy } from "./spy.ts";
import { integerText } from "./words.ts";

/** Room for one picture. */
const WIDEST = 560;

export function makePattern(report: Report, run: number, hooks: Hooks): HTMLElement {
    const { def, info, scene } = report.runs[run], element = section("pattern", text.sections.pattern);
    if (!def.pattern) {
        element.append(sentence(info.inside_missing ?? (scene.joints.length ? text.noPattern : text.noEntries)));
        return element;
    }
    const from = def.pattern;
    if (!from.rows || !from.columns) {
        element.append(sentence(text.noEntries));
        return element;
    }
    readPattern(from, report.runs[run].blocks).then(
        (pattern) => fill(element, report, run, from, pattern, hooks),
        (error: Error) => element.append(sentence(`${error.message}.`)));
    return element;
}

/** The ordering of the run where it is among those of the page, else one that finds blocks. */
export function firstOrdering(def: PatternDef, used: string): number {
    const names = def.orderings.map((ordering) => ordering.name);
    const found = [used === "natural" ? "" : used, "mechanism", "p5", "btf"].map((name) => names.indexOf(name));
    return found.find((k) => k >= 0) ?? Math.max(0, names.findIndex((name) => name !== "natural"));
}

/** "102 × 102, 713 entries; 16 border columns, 16 band rows; 53 blocks of 1, 9 blocks of 2". */
export function orderingText(ordering: Ordering): string {
    const { pattern } = ordering;
    let entries = 0;
    for (let e = 0; e < pattern.entries; e++)
        if (ordering.positionOfRow[pattern.row[e]] >= 0 && ordering.positionOfColumn[pattern.column[e]] >= 0)
            entries++;
    const words = [text.matrixSize(integerText(ordering.rows), integerText(ordering.columns), integerText(entries))];
    if (ordering.rows < pattern.rows)
        words.push(text.notPlaced(pattern.rows - ordering.rows));
    const sizes = ordering.sizes();
    if (sizes.length)
        words.push(text.blocksOf(sizes.slice(-4)) + (sizes.length > 4 ? ", …" : ""));
    if (ordering.border || ordering.band)
        words.push([ordering.border ? text.border(ordering.border) : "", ordering.band ? text.band(ordering.band) : ""]
            .filter(Boolean).join(", "));
    return words.join("; ");
}

function fill(element: HTMLElement, report: Report, run: number, def: PatternDef, pattern: Pattern, hooks: Hooks): void {
    const { blocks, info, scene } = report.runs[run];
    const before = asAssembled(pattern), kept = new Map<number, Ordering>();
    const choice = el("select", "inside-select");
    // the natural order is the picture at the left
    const offered = def.orderings.flatMap((ordering, k) => (ordering.name === "natural" && def.orderings.length > 1 ? [] : [k]));
    offered.forEach((k) => {
        const ordering = def.orderings[k];
        const option = el("option", "", ordering.name + (ordering.name === info.ordering ? ` (${text.usedByRun})` : ""));
        option.value = String(k);
        choice.append(option);
    });
    choice.setAttribute("aria-label", text.orderingChoice);
    const sizeBefore = el("span", "inside-caption", orderingText(before)), sizeAfter = el("span", "inside-caption");
    const left = new Spy(el("div", "inside-spy-title", el("strong", "", text.before), sizeBefore));
    const right = new Spy(el("div", "inside-spy-title", el("span", "inside-row", el("strong", "", text.after), choice), sizeAfter));
    const words = el("p", "inside-words"), legend = el("p", "inside-legend");
    const frame = el("div", "inside-spies", left.element, right.element);
    words.setAttribute("aria-live", "polite");
    let after = before, pinned: { row: number; column: number } | null = null;

    const name = (list: string[] | undefined, index: number): string => list?.[index] ?? integerText(index + 1);
    const describe = (at: { row: number; column: number } | null, pick: boolean): void => {
        words.replaceChildren();
        if (!at) {
            words.append(text.patternHint);
            return;
        }
        const entry = pattern.find(at.row, at.column) >= 0, r = after.positionOfRow[at.row], c = after.positionOfColumn[at.column];
        const row = name(def.row_names, at.row), column = name(def.column_names, at.column);
        const named = (label: string, words: string): HTMLElement => el("span", "", el("span", "inside-soft", `${label} `),
            ...(pick ? withParts(scene, words, run, hooks) : [words]));
        words.append(named(text.row, row), named(text.column, column));
        let kind = entry ? text.entryHere : text.noEntryHere;
        if (entry && after.inner >= 0 && r >= 0 && c >= 0)
            kind += ` ${text.entrySortsHover[after.sortOf(r, c)]}`;
        const moved = after === before ? "" : r < 0 || c < 0 ? `, ${text.rowLeftOut}`
            : `, ${text.movedTo(integerText(at.row + 1), integerText(at.column + 1), integerText(r + 1), integerText(c + 1))}`;
        words.append(el("span", "inside-soft", kind + moved));
    };
    const onCell = (ordering: () => Ordering) => (cell: Cell | null, click: boolean): void => {
        const at = cell ? { row: ordering().rowAt[cell.row], column: ordering().columnAt[cell.column] } : pinned;
        if (click)
            pinned = at;
        describe(at, at !== null && at === pinned);
        left.show(at && { row: before.positionOfRow[at.row], column: before.positionOfColumn[at.column] });
        const r = at ? after.positionOfRow[at.row] : -1, c = at ? after.positionOfColumn[at.column] : -1;
        right.show(r >= 0 && c >= 0 ? { row: r, column: c } : null);
    };
    left.onCell = onCell(() => before);
    right.onCell = onCell(() => after);

    const drawLegend = (): void => {
        legend.replaceChildren();
        const sorts = after.inner < 0 ? [] : [INSIDE, BESIDE, ...(after.border ? [BORDER] : []), ...(after.band ? [BAND] : []),
            ...(after.border && after.band ? [CORNER] : [])];
        for (const sort of sorts) {
            const swatch = el("span", "inside-swatch");
            swatch.style.background = entryColor(hooks.palette(), sort);
            legend.append(el("span", "", swatch, text.entrySorts[sort]));
        }
    };
    const order = async (): Promise<void> => {
        const k = Number(choice.value), found = kept.get(k) ?? await readOrdering(pattern, def.orderings[k], blocks);
        kept.set(k, found);
        after = found;
        sizeAfter.textContent = orderingText(found);
        right.set(found, hooks.palette(), text.patternCanvas(def.orderings[k].name, orderingText(found)));
        drawLegend();
    };
    choice.addEventListener("change", () => void order());
    hooks.onTheme(() => {
        left.theme(hooks.palette());
        right.theme(hooks.palette());
        drawLegend();
    });
    left.set(before, hooks.palette(), text.patternCanvas(text.before, orderingText(before)));
    describe(null, false);
    element.append(el("p", "inside-caption", text.patternCaption), frame, words, legend);
    if (def.orderings.length) {
        choice.value = String(firstOrdering(def, info.ordering));
        order().catch((error: Error) => right.element.replaceChildren(sentence(`${error.message}.`)));
    } else
        right.element.remove();
    onWidth(frame, (width) => {
        // one or two columns, as the stylesheet has it
        const side = Math.floor(Math.min(WIDEST, left.element.clientWidth || width));
        left.resize(side);
        right.resize(side);
    });
}
