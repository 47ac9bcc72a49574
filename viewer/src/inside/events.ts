// What was reported during the run: warnings of the entire run first, then by time. A click shows that time.
import { insideText as text } from "../base/text_inside.ts";
import type { EventDef } from "../data/header.ts";
import type { Report } from "../data/model.ts";
import { button, el, partButton, section, sentence, withParts } from "./dom.ts";
import type { Hooks } from "./hooks.ts";
import { findPart, moment } from "./words.ts";

const FEW = 8, PAGE = 100;

/** Events of the entire run first, then in the order of time; equal times keep their order. */
export const inOrder = (events: EventDef[]): EventDef[] => {
    const at = (event: EventDef): number => (typeof event.t === "number" ? event.t : -Infinity);
    return events.map((event, i) => ({ event, i })).sort((a, b) => {
        const p = at(a.event), q = at(b.event);
        return p === q ? a.i - b.i : p - q;
    }).map(({ event }) => event);
};

/** Kinds with how many events they have, most first. */
export function kindCounts(events: EventDef[]): [kind: string, count: number][] {
    const counts = new Map<string, number>();
    for (const event of events)
        counts.set(event.kind, (counts.get(event.kind) ?? 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}

export function makeEvents(report: Report, run: number, hooks: Hooks): HTMLElement {
    const element = section("events", text.sections.events), events = inOrder(report.runs[run].events ?? []);
    if (!events.length) {
        element.append(sentence(text.noEvents));
        return element;
    }
    const body = el("tbody"), rest = el("div", "inside-row"), kinds = kindCounts(events);
    const shown = new Set(kinds.map(([kind]) => kind));
    let limit = PAGE;
    const draw = (): void => {
        const list = events.filter((event) => shown.has(event.kind));
        body.replaceChildren(...list.slice(0, limit).map((event) => row(event, report, run, hooks)));
        rest.replaceChildren();
        if (list.length > limit)
            rest.append(button(text.moreEvents(list.length - limit), "inside-button", () => {
                limit = Infinity;
                draw();
            }));
    };
    if (events.length > FEW && kinds.length > 1)
        element.append(filters(kinds, shown, draw));
    const heads = text.eventColumns.map((name) => {
        const cell = el("th", "", name);
        cell.scope = "col";
        return cell;
    });
    element.append(el("div", "inside-scroll",
        el("table", "inside-table inside-events-table", el("thead", "", el("tr", "", ...heads)), body)), rest);
    draw();
    return element;
}

function filters(kinds: [string, number][], shown: Set<string>, draw: () => void): HTMLElement {
    const group = el("div", "inside-chips");
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", text.kindFilter);
    for (const [kind, count] of kinds) {
        const chip = button(`${text.eventKinds[kind] ?? kind} ${count}`, "inside-chip", () => {
            if (!shown.delete(kind))
                shown.add(kind);
            chip.setAttribute("aria-pressed", String(shown.has(kind)));
            draw();
        });
        chip.setAttribute("aria-pressed", "true");
        group.append(chip);
    }
    return group;
}

function row(event: EventDef, report: Report, run: number, hooks: Hooks): HTMLElement {
    const { scene, info } = report.runs[run], t = event.t, kind = text.eventKinds[event.kind] ?? event.kind;
    const part = event.part ? findPart(scene, event.part, run) : null;
    let time: HTMLElement;
    if (typeof t === "number") {
        time = button(moment(info, t), "inside-part", () => hooks.goTo(t, run));
        time.setAttribute("aria-label", text.goToTime(moment(info, t)));
    } else
        time = el("span", "inside-soft", text.wholeRun);
    const bad = ["warning", "singular", "stop"].includes(event.kind);
    const tr = el("tr", "", el("td", "inside-number", time), el("td", "", el("span", bad ? "inside-tag" : "inside-tag inside-quiet", kind)),
        el("td", "", part ? partButton(event.part, part, hooks) : event.part || null),
        el("td", "", ...withParts(scene, event.text, run, hooks)));
    if (typeof t === "number") {
        tr.classList.add("inside-link");
        tr.addEventListener("click", (click) => {
            if (!(click.target as Element).closest("button"))
                hooks.goTo(t, run);
        });
    }
    return tr;
}
