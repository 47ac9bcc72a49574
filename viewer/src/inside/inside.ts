// Tab Inside: how the run was made and what the mechanism is made of. Tab Model: its text. Table of a comparison.
import { insideText as text } from "../base/text_inside.ts";
import type { Report } from "../data/model.ts";
import { makeTable } from "./comparison.ts";
import { button, el } from "./dom.ts";
import { makeEvents } from "./events.ts";
import { makeGroups } from "./groups.ts";
import type { Hooks } from "./hooks.ts";
import { makeMobility } from "./mobility.ts";
import { makeText } from "./model.ts";
import { makePattern } from "./pattern.ts";
import { makeRun } from "./run.ts";
import { makeSteps } from "./steps.ts";

export type { Hooks, Picked } from "./hooks.ts";

type Picking = Parameters<Parameters<NonNullable<Hooks["onPick"]>>[0]>[0];

/** What is made for one run is notified of theme, time and picks until another run is shown. */
function scoped(hooks: Hooks): { inner: Hooks; unsubscribe(): void } {
    let themes: (() => void)[] = [], times: ((t: number) => void)[] = [], picks: ((part: Picking) => void)[] = [];
    let t = NaN, part: Picking = null;
    hooks.onTheme(() => themes.forEach((call) => call()));
    hooks.onTime?.((now) => {
        t = now;
        times.forEach((call) => call(now));
    });
    hooks.onPick?.((now) => {
        part = now;
        picks.forEach((call) => call(now));
    });
    const inner: Hooks = {
        ...hooks,
        goTo: (time, run) => hooks.goTo(time, run),
        pick: (picked) => hooks.pick(picked),
        palette: () => hooks.palette(),
        onTheme: (call) => themes.push(call),
        onTime: (call) => {
            times.push(call);
            call(t);
        },
        onPick: (call) => {
            picks.push(call);
            if (part)
                call(part);
        },
    };
    return { inner, unsubscribe: () => { themes = []; times = []; picks = []; } };
}

/** Choice of the run on top, where there are several; `make` fills the rest for the one chosen. */
function perRun(report: Report, hooks: Hooks, element: HTMLElement, make: (run: number, inner: Hooks) => (Node | null)[]): void {
    const { inner, unsubscribe } = scoped(hooks), content = el("div", "inside-content");
    inner.onRun = undefined; // the contents are rebuilt for another run
    inner.choose = (run) => {
        show(run);
        hooks.choose?.(run);
    };
    let shown = -1;
    const select = el("select", "inside-select");
    const show = (run: number): void => {
        if (run === shown || !report.runs[run])
            return;
        shown = run;
        select.value = String(run);
        unsubscribe();
        content.replaceChildren(...make(run, inner).filter((child): child is Node => child !== null));
    };
    if (report.runs.length > 1) {
        report.runs.forEach((run, i) => {
            const option = el("option", "", run.label || text.runNumber(i));
            option.value = String(i);
            select.append(option);
        });
        select.addEventListener("change", () => inner.choose?.(Number(select.value)));
        element.append(el("label", "inside-choice", el("span", "", text.chooseRun), select));
    }
    element.append(content);
    hooks.onRun?.(show);
    if (shown < 0)
        show(0);
}

export function makeInside(report: Report, hooks: Hooks): HTMLElement {
    const element = el("div", "inside-tab");
    perRun(report, hooks, element, (run, inner) => {
        const sections = [makeRun(report, run, inner), makeMobility(report, run, inner), makeGroups(report, run, inner),
            makePattern(report, run, inner), makeSteps(report, run, inner), makeEvents(report, run, inner)];
        return [navigation(sections), el("div", "inside-sections", ...sections)];
    });
    return element;
}

/** Buttons that lead to the sections; the address after # belongs to the page. */
function navigation(sections: HTMLElement[]): HTMLElement {
    const list = el("nav", "inside-nav");
    list.setAttribute("aria-label", text.sectionList);
    const buttons = sections.map((section) => button(section.querySelector("h2")?.textContent ?? "", "inside-jump", () => {
        const smooth = !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
        section.scrollIntoView({ block: "start", behavior: smooth ? "smooth" : "auto" });
    }));
    // the section that crosses a line a quarter down the window is the current one
    const seen = new IntersectionObserver((entries) => {
        for (const entry of entries) {
            const jump = buttons[sections.indexOf(entry.target as HTMLElement)];
            jump?.setAttribute("aria-current", String(entry.isIntersecting));
            if (jump && entry.isIntersecting && list.scrollWidth > list.clientWidth) // a row on a phone: scrolled sideways alone
                list.scrollLeft = jump.offsetLeft - list.offsetLeft - 24;
        }
    }, { rootMargin: "-25% 0px -74% 0px" });
    sections.forEach((section) => seen.observe(section));
    list.append(...buttons);
    return list;
}

export function makeModel(report: Report, hooks: Hooks): HTMLElement {
    const element = el("div", "inside-tab model-tab");
    perRun(report, hooks, element, (run, inner) => [makeText(report, run, inner)]);
    return element;
}

/** Null where the report has no comparison. */
export function makeComparison(report: Report, hooks: Hooks): HTMLElement | null {
    return makeTable(report, hooks);
}
