// Legend of the runs in one report: the dash of its curves, its name; a click makes it the one that cards and texts are about.
import { make } from "../base/dom.ts";
import { text } from "../base/text.ts";
import { RUN_DASHES } from "../curves/lines.ts";
import type { Report } from "../data/model.ts";
import type { Store } from "./state.ts";

const sampleOf = (index: number): HTMLElement =>
    make("span", { class: RUN_DASHES[index % RUN_DASHES.length].length ? "sample dashed" : "sample" });

export function fillRuns(list: HTMLElement, report: Report, store: Store): void {
    if (report.runs.length < 2)
        return;
    list.setAttribute("aria-label", text.scene.runs);
    const update = report.many ? fillChoice(list, report, store) : fillButtons(list, report, store);
    store.on((_, changed) => {
        if (changed.has("run"))
            update();
    });
    update();
}

function fillButtons(list: HTMLElement, report: Report, store: Store): () => void {
    const buttons = report.runs.map((run, index) => {
        const button = make("button", { class: "run-button", type: "button" }, sampleOf(index), make("span", { text: run.label }));
        button.addEventListener("click", () => store.set({ run: index }));
        return button;
    });
    list.append(...buttons.map((button) => make("li", {}, button)));
    return () => buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(index === store.state.run)));
}

/** The first one, and one of the others beside it. */
function fillChoice(list: HTMLElement, report: Report, store: Store): () => void {
    const choice = make("select", { class: "run-choice" });
    choice.setAttribute("aria-label", text.scene.runBeside);
    choice.append(...report.runs.map(({ label }, index) =>
        make("option", { value: String(index), text: index ? label : text.scene.firstAlone })));
    choice.addEventListener("change", () => store.set({ run: Number(choice.value) }));
    list.append(make("li", {}, sampleOf(0), make("span", { text: report.runs[0].label })), make("li", {}, sampleOf(1), choice));
    return () => {
        choice.value = String(store.state.run);
    };
}
