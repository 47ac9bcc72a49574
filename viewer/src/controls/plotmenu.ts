// The menu of a plot: axes, what it is drawn against, files, removal.
import { make } from "../base/dom.ts";
import { text } from "../base/text.ts";
import type { PlotDef } from "../curves/lines.ts";
import type { AllQuantities } from "../curves/quantities.ts";
import type { Exports } from "./exports.ts";
import { type MenuItem, closeMenu, openMenu } from "./menu.ts";
import type { Store } from "./state.ts";

/** Names in question for the x axis: those of the plots first, then all, grouped as in the list. */
function against(all: AllQuantities, now: string, words: string, choose: (x: string) => void): HTMLElement {
    const select = make("select", {}, make("option", { value: "", text: words }));
    const groups = new Map<string, HTMLOptGroupElement>();
    for (const one of all.list.slice(0, 3000)) {
        let group = groups.get(one.of);
        if (!group) {
            group = make("optgroup", { label: text.plots.groups[one.of] ?? one.of });
            groups.set(one.of, group);
            select.append(group);
        }
        group.append(make("option", { value: one.name, text: one.name }));
    }
    select.value = now;
    select.addEventListener("change", () => {
        choose(select.value);
        closeMenu();
    });
    return make("label", { class: "field" }, make("span", { text: text.plots.against }), select);
}

export function openPlotMenu(anchor: HTMLElement, index: number, store: Store, all: AllQuantities, exports: Exports,
    abscissa: string): void {
    const def = store.state.plots[index], { plots } = text;
    if (!def)
        return;
    const change = (next: Partial<PlotDef>): void =>
        store.set({ plots: store.state.plots.map((one, i) => (i === index ? { ...one, ...next } : one)) });
    const items: MenuItem[] = [
        { part: against(all, def.x, abscissa, (x) => change({ x })) },
        { label: plots.log, kind: "check", checked: def.log, choose: () => change({ log: !def.log }) },
        { label: plots.start, kind: "check", checked: def.fromStart, choose: () => change({ fromStart: !def.fromStart }) },
        ...exports.plotMenu(index),
        { label: plots.remove, choose: () => store.set({ plots: store.state.plots.filter((_, i) => i !== index) }) },
    ];
    openMenu(anchor, plots.options, items);
}
