// The pattern of the Jacobian as assembled and ordered, side by side; a description of the entry under the pointer, in both at once.
import { insideText as text } from "../base/text_inside.ts";
import type { PatternDef } from "../data/header.ts";
import type { Report } from "../data/model.ts";
import { el, onWidth, section, sentence, withParts } from "./dom.ts";
import type { Hooks } from "./hooks.ts";
import { asAssembled, BAND, BESIDE, BORDER, CORNER, INSIDE, type Pattern, type Places, readPattern, readPlaces } from "./places.ts";
import { type Cell, entryColor, Spy } from "./spy.ts";
import { whole } from "./words.ts";

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
export function placesWords(places: Places): string {
    const { pattern } = places;
    let entries = 0;
    for (let e = 0; e < pattern.entries; e++)
        if (places.placeOfRow[pattern.row[e]] >= 0 && places.placeOfColumn[pattern.column[e]] >= 0)
            entries++;
    const words = [text.matrixSize(whole(places.rows), whole(places.columns), whole(entries))];
    if (places.rows < pattern.rows)
        words.push(text.notPlaced(pattern.rows - places.rows));
    const sizes = places.sizes();
    if (sizes.length)
        words.push(text.blocksOf(sizes.slice(-4)) + (sizes.length > 4 ? ", …" : ""));
    if (places.border || places.band)
        words.push([places.border ? text.border(places.border) : "", places.band ? text.band(places.band) : ""].filter(Boolean).join(", "));
    return words.join("; ");
}

function fill(element: HTMLElement, report: Report, run: number, def: PatternDef, pattern: Pattern, hooks: Hooks): void {
    const { blocks, info, scene } = report.runs[run];
    const before = asAssembled(pattern), kept = new Map<number, Places>();
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
    const sizeBefore = el("span", "inside-caption", placesWords(before)), sizeAfter = el("span", "inside-caption");
    const left = new Spy(el("div", "inside-spy-title", el("strong", "", text.before), sizeBefore));
    const right = new Spy(el("div", "inside-spy-title", el("span", "inside-row", el("strong", "", text.after), choice), sizeAfter));
    const words = el("p", "inside-words"), legend = el("p", "inside-legend");
    const frame = el("div", "inside-spies", left.element, right.element);
    words.setAttribute("aria-live", "polite");
    let after = before, pinned: { row: number; column: number } | null = null;

    const name = (list: string[] | undefined, index: number): string => list?.[index] ?? whole(index + 1);
    const tell = (at: { row: number; column: number } | null, pick: boolean): void => {
        words.replaceChildren();
        if (!at) {
            words.append(text.patternHint);
            return;
        }
        const entry = pattern.find(at.row, at.column) >= 0, r = after.placeOfRow[at.row], c = after.placeOfColumn[at.column];
        const row = name(def.row_names, at.row), column = name(def.column_names, at.column);
        const named = (label: string, words: string): HTMLElement => el("span", "", el("span", "inside-soft", `${label} `),
            ...(pick ? withParts(scene, words, run, hooks) : [words]));
        words.append(named(text.row, row), named(text.column, column));
        let kind = entry ? text.entryHere : text.noEntryHere;
        if (entry && after.inner >= 0 && r >= 0 && c >= 0)
            kind += ` ${text.entrySortsHover[after.sortOf(r, c)]}`;
        const moved = after === before ? "" : r < 0 || c < 0 ? `, ${text.rowLeftOut}`
            : `, ${text.movedTo(whole(at.row + 1), whole(at.column + 1), whole(r + 1), whole(c + 1))}`;
        words.append(el("span", "inside-soft", kind + moved));
    };
    const look = (places: () => Places) => (cell: Cell | null, click: boolean): void => {
        const at = cell ? { row: places().rowAt[cell.row], column: places().columnAt[cell.column] } : pinned;
        if (click)
            pinned = at;
        tell(at, at !== null && at === pinned);
        left.show(at && { row: before.placeOfRow[at.row], column: before.placeOfColumn[at.column] });
        const r = at ? after.placeOfRow[at.row] : -1, c = at ? after.placeOfColumn[at.column] : -1;
        right.show(r >= 0 && c >= 0 ? { row: r, column: c } : null);
    };
    left.onCell = look(() => before);
    right.onCell = look(() => after);

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
        const k = Number(choice.value), found = kept.get(k) ?? await readPlaces(pattern, def.orderings[k], blocks);
        kept.set(k, found);
        after = found;
        sizeAfter.textContent = placesWords(found);
        right.set(found, hooks.palette(), text.patternCanvas(def.orderings[k].name, placesWords(found)));
        drawLegend();
    };
    choice.addEventListener("change", () => void order());
    hooks.onTheme(() => {
        left.theme(hooks.palette());
        right.theme(hooks.palette());
        drawLegend();
    });
    left.set(before, hooks.palette(), text.patternCanvas(text.before, placesWords(before)));
    tell(null, false);
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
