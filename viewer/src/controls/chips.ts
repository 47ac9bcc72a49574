// Chips above the scene: what it shows. On a phone they are in a menu, otherwise they would cover the mechanism.
import { button, make } from "../base/dom.ts";
import { text } from "../base/text.ts";
import type { ProbeDef } from "../data/header.ts";
import type { Report, Run } from "../data/model.ts";
import type { Show } from "../scene/view.ts";
import { openMenu } from "./menu.ts";
import type { Store } from "./state.ts";

const ORDER: (keyof Show)[] = ["traces", "reactions", "forces", "velocities", "ghosts", "names", "grid"];

/** A value over a line has no path. */
const onLine = (run: Run, probe: ProbeDef): boolean =>
    run.meshes.some((mesh) => mesh.def.name === probe.mesh && mesh.def.dimension === 1);

/** Chips of things the report does not have would do nothing. */
export function offered(report: Report): (keyof Show)[] {
    const has = (wanted: (name: string, of: string) => boolean): boolean =>
        report.runs.some((run) => run.def.curves.some((curve) => wanted(curve.name, curve.of)));
    return ORDER.filter((what) => {
        if (what === "traces")
            return report.runs.some((run) => run.scene.probes.some((probe) => !onLine(run, probe)));
        if (what === "reactions")
            return has((name, of) => (of === "joint" || of === "contact") && /\.[fm][xyz]$/.test(name));
        if (what === "forces")
            return report.runs.some((run) => run.scene.forces.length > 0 || run.scene.springs.length > 0);
        if (what === "velocities")
            return report.runs.some((run) => run.scene.bodies.length > 0 || run.meshes.some((mesh) => mesh.def.dimension > 1));
        if (what === "names")
            return report.runs.some((run) => run.scene.bodies.length > 0 || run.scene.probes.length > 0);
        return true;
    });
}

export function makeChips(report: Report, store: Store): HTMLElement {
    const list = offered(report);
    const chips = list.map((what) => {
        const chip = button(text.chips[what], null, () => store.toggle(what), "chip");
        chip.title = text.chipHelp[what];
        return chip;
    });
    const menu = button(text.show, null, () => openMenu(menu, text.show, [...list, "centers" as const].map((what) => (
        { label: text.chips[what], kind: "check" as const, checked: store.state.show[what], stay: true,
            choose: () => store.toggle(what) }))), "chip show-menu");
    const update = (): void => list.forEach((what, index) => chips[index].setAttribute("aria-pressed", String(store.state.show[what])));
    store.on((_, changed) => {
        if (changed.has("show"))
            update();
    });
    update();
    return make("div", { class: "chips", role: "group", "aria-label": text.show }, ...chips, menu);
}
