// Tab Inside: how the run was made and what the mechanism is made of. Tab Model: its text. Table of a comparison.
import type { Report } from "../data/model.ts";
import type { Hooks } from "./hooks.ts";

export type { Hooks, Picked } from "./hooks.ts";

export function makeInside(report: Report, hooks: Hooks): HTMLElement {
    const element = document.createElement("div");
    element.className = "inside";
    void report, hooks;
    return element;
}

export function makeModel(report: Report, hooks: Hooks): HTMLElement {
    const element = document.createElement("div");
    element.className = "model";
    void report, hooks;
    return element;
}

/** null where the report has no comparison. */
export function makeComparison(report: Report, hooks: Hooks): HTMLElement | null {
    void hooks;
    if (!report.def.comparison)
        return null;
    const element = document.createElement("div");
    element.className = "comparison";
    return element;
}
