// The three rows of the page: head, main, bar; tabs; scene and plots with a border that can be moved.
import { button, label, make } from "../base/dom.ts";
import { text } from "../base/text.ts";
import type { Store, Tab } from "../controls/state.ts";
import { icons } from "../look/icons.ts";

export interface Layout {
    root: HTMLElement;
    title: HTMLElement;
    subtitle: HTMLElement;
    themeButton: HTMLButtonElement;
    exportButton: HTMLButtonElement;
    helpButton: HTMLButtonElement;
    main: HTMLElement;
    panels: Record<Tab, HTMLElement>;
    tabs: Map<Tab, HTMLElement>;
    sceneBox: HTMLElement; // holds the canvas
    sceneTools: HTMLElement;
    legend: HTMLElement;
    scaleBar: HTMLElement;
    runs: HTMLElement;
    note: HTMLElement;
    side: HTMLElement; // holds the plots beside the scene
    border: HTMLElement;
    list: HTMLElement; // quantities, in the tab Curves
    wide: HTMLElement; // holds the plots in the tab Curves
    mini: HTMLElement; // holds the canvas in the tab Curves
    live: HTMLElement;
    clock: HTMLElement; // of films
    modes: HTMLElement; // list of modes, beside the scene
}

function makeTabs(list: readonly Tab[], panels: Record<Tab, HTMLElement>, store: Store): { nav: HTMLElement; tabs: Map<Tab, HTMLElement> } {
    const tabs = new Map<Tab, HTMLElement>();
    for (const tab of list) {
        const element = button(text.tabs[tab], null, () => store.set({ tab }), "tab");
        element.setAttribute("role", "tab");
        element.id = `tab-${tab}`;
        element.setAttribute("aria-controls", `panel-${tab}`);
        panels[tab].setAttribute("aria-labeledby", element.id);
        tabs.set(tab, element);
    }
    const nav = make("div", { class: "tabs", role: "tablist", "aria-label": text.tabList }, ...tabs.values());
    nav.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step)
            return;
        const next = list[(list.indexOf(store.state.tab) + step + list.length) % list.length];
        store.set({ tab: next });
        tabs.get(next)?.focus();
        event.preventDefault();
    });
    return { nav, tabs };
}

/** A separator that is dragged, moved by arrows and hidden by a double click. */
function makeBorder(store: Store, width: () => number, right: () => number): HTMLElement {
    const border = make("div", {
        class: "border", role: "separator", tabindex: 0, "aria-orientation": "vertical", "aria-label": text.scene.border,
    });
    const clamp = (share: number): number => (share < 0.06 ? 0 : Math.min(0.7, Math.max(share, 0.15)));
    let before = 0.36;
    border.addEventListener("pointerdown", (event) => {
        border.setPointerCapture(event.pointerId);
        event.preventDefault();
        border.focus();
    });
    border.addEventListener("pointermove", (event) => {
        if (border.hasPointerCapture(event.pointerId))
            store.set({ split: clamp((right() - event.clientX) / width()) });
    });
    border.addEventListener("dblclick", () => {
        if (store.state.split > 0)
            before = store.state.split;
        store.set({ split: store.state.split > 0 ? 0 : before });
    });
    border.addEventListener("keydown", (event) => {
        const step = { ArrowLeft: 0.02, ArrowRight: -0.02 }[event.key];
        if (step === undefined && event.key !== "Enter")
            return;
        store.set({ split: step === undefined ? (store.state.split > 0 ? 0 : 0.36) : clamp((store.state.split || 0.13) + step) });
        event.preventDefault();
    });
    store.on((state, changed) => {
        if (changed.has("split"))
            border.setAttribute("aria-valuenow", String(Math.round(100 * state.split)));
    });
    border.setAttribute("aria-valuemin", "0");
    border.setAttribute("aria-valuemax", "70");
    border.setAttribute("aria-valuenow", String(Math.round(100 * store.state.split)));
    return border;
}

export function makeLayout(store: Store, tabList: readonly Tab[], version: string): Layout {
    const panel = (tab: Tab): HTMLElement => make("section",
        { class: `panel ${tab}`, id: `panel-${tab}`, role: "tabpanel", hidden: tab !== store.state.tab });
    const panels = {
        motion: panel("motion"), curves: panel("curves"), inside: panel("inside"), model: panel("model"), comparison: panel("comparison"),
    };
    const { nav, tabs } = makeTabs(tabList, panels, store);
    const title = make("h1"), subtitle = make("p", { class: "subtitle" });
    const otherTheme = (): void => store.set({ theme: store.state.theme === "dark" ? "light" : "dark" });
    const themeButton = button(text.head.dark, icons.moon(), otherTheme);
    const exportButton = button(text.head.export, null, () => {}, "plain export"),
        helpButton = button(text.head.help, icons.help(), () => {}, "tool help-button");
    label(helpButton, text.head.help, "?");
    const head = make("header", { class: "head" }, make("div", { class: "name" }, title, subtitle), nav,
        make("div", { class: "tools" }, helpButton, themeButton, exportButton));

    const sceneBox = make("div", { class: "scene-box" }), sceneTools = make("div", { class: "scene-tools" });
    const legend = make("ul", { class: "legend" }), scaleBar = make("div", { class: "scale-bar" }), runs = make("ul", { class: "runs" });
    const note = make("p", { class: "note", hidden: true });
    const sceneFoot = make("div", { class: "scene-foot" }, make("div", {}, runs, legend), scaleBar);
    const scene = make("div", { class: "scene" }, sceneBox, sceneTools, note, sceneFoot);
    const clock = make("div", { class: "film-clock" });
    scene.append(clock);
    const side = make("div", { class: "side", tabindex: -1 });
    const border = makeBorder(store, () => panels.motion.clientWidth, () => panels.motion.getBoundingClientRect().right);
    const modes = make("div", { class: "modes", hidden: true });
    side.append(modes);
    panels.motion.append(scene, border, side);

    const list = make("div", { class: "list" }), wide = make("div", { class: "wide-plots" }), mini = make("div", { class: "mini" });
    panels.curves.append(list, wide, mini);
    for (const tab of ["inside", "model", "comparison"] as const)
        panels[tab].append(make("p", { class: "foot", text: text.foot(version) }));

    const main = make("main", { class: "main" }, ...tabList.map((tab) => panels[tab]));
    const live = make("div", { class: "unseen", role: "status", "aria-live": "polite" });
    const root = make("div", { class: "page" }, head, main, live);
    return {
        root, title, subtitle, themeButton, exportButton, helpButton, main, panels, tabs, sceneBox, sceneTools, legend, scaleBar, runs,
            note,
        side, border, list, wide, mini, live, clock, modes,
    };
}
