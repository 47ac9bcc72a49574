// Legend of the runs in one report: the dash of its curves, its name; a click makes it the one that cards and texts are about.
import { make } from "../base/dom.ts";
import { text } from "../base/text.ts";
import { RUN_DASHES } from "../curves/lines.ts";
import type { Report } from "../data/model.ts";
import type { Store } from "./state.ts";

export function fillRuns(list: HTMLElement, report: Report, store: Store): void {
    if (report.runs.length < 2)
        return;
    list.setAttribute("aria-label", text.scene.runs);
    const buttons = report.runs.map((run, index) => {
        const sample = make("span", { class: RUN_DASHES[index % RUN_DASHES.length].length ? "sample dashed" : "sample" });
        const button = make("button", { class: "run-button", type: "button" }, sample, make("span", { text: run.label }));
        button.addEventListener("click", () => store.set({ run: index }));
        return button;
    });
    list.append(...buttons.map((button) => make("li", {}, button)));
    const update = (): void => buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(index === store.state.run)));
    store.on((_, changed) => {
        if (changed.has("run"))
            update();
    });
    update();
}
