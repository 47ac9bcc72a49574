// The list of all quantities at the left of the tab Curves: search, click adds to the chosen plot or takes away.
import { button, make } from "../base/dom.ts";
import { text } from "../base/text.ts";
import { type Item, type PlotDef, item } from "./lines.ts";
import type { AllQuantities, Quantity } from "./quantities.ts";

export interface ChooserHost {
    plots(): readonly PlotDef[];
    set(plots: PlotDef[]): void;
    reset(): void;
}

interface Row { item: Item; unit: string; label: string; group: string }

const MOST = 400; // rows made at once; the others are found by searching
const ORDER = [
    "unknown", "joint", "reaction", "probe", "body", "spring", "force", "driver", "gear", "signal",
    "energy", "run", "section", "frame", "difference",
];

const same = (a: Item, b: Item): boolean => a.name === b.name && a.run === b.run && a.minus === b.minus;

export class Chooser {
    readonly element: HTMLElement;
    private rows: Row[];
    private target = 0; // number of the plot; as many as there are: a new one
    private search: HTMLInputElement;
    private targetPart: HTMLSelectElement;
    private list = make("div", { class: "quantities" });
    private closed = new Set<string>(["section", "frame", "difference"]);

    constructor(private all: AllQuantities, private host: ChooserHost) {
        this.rows = this.makeRows();
        this.search = make("input", { type: "search", class: "search", placeholder: text.plots.search, "aria-label": text.plots.search });
        this.search.addEventListener("input", () => this.fill());
        this.targetPart = make("select", { "aria-label": text.plots.target });
        this.targetPart.addEventListener("change", () => {
            this.target = Number(this.targetPart.value);
            this.fill();
        });
        const tools = make("div", { class: "list-tools" }, this.search,
            make("label", { class: "field" }, make("span", { text: text.plots.target }), this.targetPart));
        this.element = make("div", { class: "chooser", role: "region", "aria-label": text.plots.list }, tools, this.list,
            button(text.plots.reset, null, () => host.reset(), "plain reset"));
    }

    /** After the plots have changed. */
    update(): void {
        const plots = this.host.plots();
        this.target = Math.min(this.target, plots.length);
        this.targetPart.replaceChildren(
            ...plots.map((plot, index) => make("option", { value: index,
                text: `${text.plots.plotNumber(index + 1)}: ${this.summary(plot)}` })),
            make("option", { value: plots.length, text: text.plots.newPlot }));
        this.targetPart.value = String(this.target);
        this.fill();
    }

    private summary(plot: PlotDef): string {
        const words = plot.items.map((one) => one.name).join(", ");
        return words.length > 26 ? `${words.slice(0, 25)}\u2026` : words;
    }

    private makeRows(): Row[] {
        const row = (one: Quantity): Row => ({ item: item(one.name), unit: one.unit, label: one.name,
            group: ORDER.includes(one.of) ? one.of : "run" });
        const rows = this.all.list.map(row), { runs } = this.all.report;
        const shared = runs.length > 1 ? this.all.list.filter((one) => this.all.runs[0].find(one.name)) : [];
        for (const one of shared)
            for (let run = 1; run < runs.length; run++)
                if (this.all.runs[run].find(one.name))
                    rows.push({
                        item: item(one.name, run, 0), unit: one.unit, group: "difference",
                        label: `${one.name}: ${runs[run].label} \u2212 ${runs[0].label}`,
                    });
        return rows;
    }

    private fill(): void {
        const words = this.search.value.trim().toLowerCase().split(/\s+/).filter(Boolean), target = this.host.plots()[this.target];
        const named = (row: Row): string =>
            `${row.label} ${text.plots.groups[row.group]} ${text.plots.quantities[this.all.find(row.item.name)?.quantity ?? ""] ?? ""}`;
        const found = words.length ? this.rows.filter((row) => words.every((word) => named(row).toLowerCase().includes(word))) : this.rows;
        const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.quantity : undefined;
        this.list.replaceChildren();
        let made = 0;
        for (const group of ORDER) {
            const rows = found.filter((row) => row.group === group);
            if (!rows.length)
                continue;
            const shown = rows.slice(0, Math.max(0, MOST - made));
            made += shown.length;
            this.list.append(this.group(group, shown, rows.length, target, words.length > 0));
        }
        if (!found.length)
            this.list.append(make("p", { class: "empty", text: text.plots.none }));
        if (focused !== undefined)
            [...this.list.querySelectorAll<HTMLElement>("[data-quantity]")].find((one) => one.dataset.quantity === focused)?.focus();
    }

    private group(group: string, rows: Row[], count: number, target: PlotDef | undefined, searching: boolean): HTMLElement {
        const details = make("details", {}, make("summary", { text: text.plots.groups[group] },
            make("span", { class: "count", text: ` ${count}` })));
        details.open = searching || !this.closed.has(group);
        details.addEventListener("toggle", () => {
            if (!searching)
                this.closed[details.open ? "delete" : "add"](group);
        });
        details.append(make("ul", {}, ...rows.map((row) => {
            const inside = !!target?.items.some((one) => same(one, row.item));
            const element = button(row.label, null, () => this.toggle(row, inside), "quantity");
            element.setAttribute("aria-pressed", String(inside));
            element.dataset.quantity = row.label;
            return make("li", {}, element);
        })));
        if (rows.length < count)
            details.append(make("p", { class: "empty", text: text.plots.more(count - rows.length) }));
        return details;
    }

    private toggle(row: Row, inside: boolean): void {
        const plots = [...this.host.plots()], target = plots[this.target];
        if (inside && target) {
            const items = target.items.filter((one) => !same(one, row.item));
            if (items.length)
                plots[this.target] = { ...target, items };
            else
                plots.splice(this.target, 1);
        } else if (target && this.fits(target, row)) {
            plots[this.target] = { ...target, items: [...target.items, row.item] };
        } else { // another unit never shares an axis
            plots.push({ items: [row.item], x: "", log: false, fromStart: false });
            this.target = plots.length - 1;
        }
        this.host.set(plots);
    }

    private fits(plot: PlotDef, row: Row): boolean {
        const first = plot.items[0];
        return !first || (this.all.find(first.name)?.unit === row.unit && (first.minus >= 0) === (row.item.minus >= 0));
    }
}
