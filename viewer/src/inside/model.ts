// The text of the model with line numbers and dimmed comments; the line of the picked part is marked. Long texts are painted where they
// are seen: chunks of lines are plain at first and get their colors when they come near.
import { insideText as text } from "../base/text_inside.ts";
import type { Report } from "../data/model.ts";
import { copyButton, el, section, sentence, table } from "./dom.ts";
import type { Hooks, Picked } from "./hooks.ts";
import { nameOf, integerText } from "./words.ts";
import { lineOfPart, overridesOf, parametersOf, sectionsOf, tokens } from "./yaml.ts";

const WHAT: Record<string, Picked["what"]> = { bodies: "body", joints: "joint", probes: "probe" };
/** The text around a name after its key: colon and quote, the rest of the line. */
const NAME = /^(\s*:?\s*["']?)([^,}\]"']*[^\s,}\]"'])(.*)$/;
const CHUNK = 100, AT_ONCE = 300, LINE = 18, MOST_PARAMETERS = 200;

function parameterTable(lines: string[], overrides: string): HTMLElement | null {
    const parameters = parametersOf(lines), changed = overridesOf(overrides), rows: (Node | string)[][] = [];
    for (const { name, value } of parameters.slice(0, MOST_PARAMETERS)) {
        const now = changed.get(name);
        rows.push([el("code", "", name), el("code", "", value), now === undefined ? "" : el("strong", "", el("code", "", now))]);
        changed.delete(name);
    }
    for (const [name, value] of changed) // overrides of what the file does not name as a parameter
        rows.push([el("code", "", name), "", el("strong", "", el("code", "", value))]);
    if (!rows.length)
        return null;
    const some = overridesOf(overrides).size > 0;
    const head = [text.parameter, text.inFile, ...(some ? [text.overridden] : [])];
    const result = table("inside-table inside-parameters", head, rows.map((row) => (some ? row : row.slice(0, 2))));
    return section("parameters", text.parameters, el("div", "inside-scroll", result));
}

function chunkOf(lines: string[], from: number): HTMLElement {
    const part = lines.slice(from, from + CHUNK), numbers = part.map((_, k) => from + k + 1).join("\n");
    const gutter = el("pre", "model-numbers", numbers), code = el("pre", "model-code", part.join("\n"));
    gutter.setAttribute("aria-hidden", "true");
    const chunk = el("div", "model-chunk", gutter, code);
    chunk.style.containIntrinsicHeight = `${part.length * LINE}px`;
    return chunk;
}

/** What a click on the name in a line does; null: the scene has no such part. */
type FindPart = (name: string, line: number) => (() => void) | null;

function highlight(code: Element, part: string[], from: number, find: FindPart): void {
    const pieces: (Node | string)[] = [];
    part.forEach((line, k) => {
        let named = false; // the key before was `name`
        for (const token of tokens(line)) {
            const value: RegExpMatchArray | null = named && token.sort !== "key" ? token.text.match(NAME) : null;
            const pick = value ? find(value[2], from + k) : null;
            named = token.sort === "key" ? token.text === "name" : named && !value;
            if (value && pick) {
                const name = el("span", "model-part", value[2]);
                name.addEventListener("click", pick);
                pieces.push(value[1], name, value[3]);
            } else
                pieces.push(token.sort === "plain" ? token.text : el("span", `model-${token.sort}`, token.text));
        }
        if (k + 1 < part.length)
            pieces.push("\n");
    });
    code.replaceChildren(...pieces);
}

/** Tells which line to mark when a part is picked. */
export function makeText(report: Report, run: number, hooks: Hooks): HTMLElement {
    const { info, scene } = report.runs[run], element = el("div", "model-body");
    if (!info.text) {
        element.append(sentence(text.noModel));
        return element;
    }
    const lines = info.text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n"), sections = sectionsOf(lines);
    const note = el("span", "inside-soft"), mark = el("div", "model-mark");
    const sheet = el("div", "model-lines", mark), paper = el("div", "model-text", sheet);
    note.setAttribute("aria-live", "polite");
    mark.hidden = true;
    // chunks that were not painted yet have no width of their own: the longest line gives it to all
    const longest = lines.reduce((most, line) => Math.max(most, line.length + 3 * (line.split("\t").length - 1)), 0);
    paper.style.setProperty("--digits", String(String(lines.length).length));
    paper.style.setProperty("--chars", String(longest));
    const find: FindPart = (name, line) => {
        const what = WHAT[sections[line]], list = what ? scene[sections[line] as "bodies" | "joints" | "probes"] : [];
        const index = (list ?? []).findIndex((item) => item.name === name);
        return what && index >= 0 ? () => hooks.pick({ what, index, run }) : null;
    };
    const paint = (chunk: Element, from: number): void =>
        highlight(chunk.lastElementChild as Element, lines.slice(from, from + CHUNK), from, find);
    const near = new IntersectionObserver((entries) => {
        for (const entry of entries)
            if (entry.isIntersecting) {
                paint(entry.target, Number((entry.target as HTMLElement).dataset.from));
                near.unobserve(entry.target);
            }
    }, { rootMargin: "600px" });
    for (let from = 0; from < lines.length; from += CHUNK) {
        const chunk = chunkOf(lines, from);
        chunk.dataset.from = String(from);
        sheet.append(chunk);
        if (from < AT_ONCE)
            paint(chunk, from);
        else
            near.observe(chunk);
    }
    // a tab that is hidden cannot scroll: it does when it is shown
    let wanted = false;
    const scroll = (): void => {
        if (!wanted || !paper.clientWidth)
            return;
        wanted = false;
        mark.scrollIntoView({ block: "center" });
    };
    new ResizeObserver(scroll).observe(paper);
    hooks.onPick?.((part) => {
        const name = part && part.run === run ? nameOf(scene, part.what, part.index) : "";
        const line = name ? lineOfPart(lines, part?.what ?? "", name, sections) : -1;
        note.textContent = line >= 0 ? text.partLine(name, line + 1) : name ? text.noPartLine(name) : "";
        mark.hidden = line < 0;
        if (line < 0)
            return;
        mark.style.top = `${line * LINE}px`;
        wanted = true;
        scroll();
    });
    paper.tabIndex = 0;
    paper.setAttribute("role", "region");
    paper.setAttribute("aria-label", text.modelText);
    element.append(parameterTable(lines, info.overrides ?? "") ?? "", el("section", "", el("div", "model-head",
        el("h2", "", info.file.replace(/^.*[\\/]/, "") || text.modelText),
        el("span", "inside-soft", text.lines(integerText(lines.length))), note,
        copyButton(text.copyModel, () => info.text)), paper));
    return element;
}
