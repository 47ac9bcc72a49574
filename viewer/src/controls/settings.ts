// Menus of the scene: views, colors, units, arrows, meshes.
import { button, label, make } from "../base/dom.ts";
import { short } from "../base/format.ts";
import { fieldName, text } from "../base/text.ts";
import { type Units, pressures } from "../base/units.ts";
import { elasticNamed } from "../data/elastic.ts";
import type { Report } from "../data/model.ts";
import { icons } from "../look/icons.ts";
import type { ColorBy, View } from "../scene/view.ts";
import { type MenuItem, openMenu } from "./menu.ts";
import type { State, Store } from "./state.ts";

function choice<T extends string>(name: string, choices: readonly T[], words: Record<T, string>, now: T,
    choose: (value: T) => void): HTMLElement {
    const select = make("select", {}, ...choices.map((one) => make("option", { value: one, text: words[one] })));
    select.value = now;
    select.addEventListener("change", () => choose(select.value as T));
    return make("label", { class: "field" }, make("span", { text: name }), select);
}

/** A slider over powers of ten; its value is shown beside it. */
function factor(name: string, now: number, low: number, high: number, choose: (value: number) => void): HTMLElement {
    const input = make("input", { type: "range", min: Math.log10(low), max: Math.log10(high), step: 0.01, value: Math.log10(now) });
    const value = make("output", { text: `${short(now, 3)}\u00d7` });
    input.addEventListener("input", () => {
        const next = Number((10 ** Number(input.value)).toPrecision(2));
        value.textContent = `${short(next, 3)}\u00d7`;
        input.setAttribute("aria-valuetext", value.textContent);
        choose(next);
    });
    return make("label", { class: "field" }, make("span", { text: name }), input, value);
}

export function settingsMenu(report: Report, store: Store): MenuItem[] {
    const { state } = store, { menus } = text, units = (change: Partial<Units>): void =>
        store.set({ units: { ...store.state.units, ...change } });
    const grouped = report.runs[0].scene.groups?.length;
    const colors = (["body", "group", "one", "speed", "energy"] as ColorBy[]).filter((one) => one !== "group" || grouped);
    return [
        { part: choice(menus.color, colors, menus.colors, state.colorBy, (colorBy) => store.set({ colorBy })) },
        { part: factor(text.scene.arrows, state.arrows, 0.1, 10, (arrows) => store.set({ arrows })) },
        ...(report.runs.some((run) => run.scene.elastic?.length) ? [{ part: factor(text.scene.deflection, state.deflection, 1, 1e3,
            (deflection) => store.set({ deflection })) }] : []),
        { label: text.chips.both, kind: "check", checked: state.show.both, stay: true, choose: () => store.toggle("both") },
        { label: text.chips.centers, kind: "check", checked: state.show.centers, stay: true, choose: () => store.toggle("centers") },
        ...(state.hidden.size ? [{ label: text.card.showAll, choose: (): void => store.set({ hidden: new Set() }) }] : []),
        { heading: text.menus.unitsOf },
        { part: choice(menus.angle, ["deg", "rad"] as const, menus.units, state.units.angle, (angle) => units({ angle })) },
        { part: choice(menus.length, ["mm", "m"] as const, menus.units, state.units.length, (length) => units({ length })) },
        { part: choice(menus.force, ["N", "kN"] as const, menus.units, state.units.force, (force) => units({ force })) },
        ...(report.runs.some((run) => run.meshes.length) ? [{ part: choice(menus.stress, pressures, menus.units,
            state.units.stress, (stress) => units({ stress })) }] : []),
        ...meshMenu(report, store),
    ];
}

const COMPONENTS: Record<number, string[]> = { 3: ["x", "y", "z"], 4: ["xx", "yy", "zz", "xy"], 6: ["xx", "yy", "zz", "xy", "yz", "xz"] };

function meshMenu(report: Report, store: Store): MenuItem[] {
    const meshes = report.runs.flatMap((run) => run.meshes), { mesh } = store.state, words = text.scene;
    if (!meshes.length)
        return [];
    const fields = [...new Map(meshes.flatMap((one) => one.def.fields.map((field) => [field.name, field.components]))).entries()];
    const change = (next: Partial<State["mesh"]>): void => store.set({ mesh: { ...store.state.mesh, ...next } });
    const names = Object.fromEntries(fields.map(([name]) => [name, fieldName(name)])) as Record<string,
        string>;
    const componentPart = make("div");
    const showComponents = (field: string, now: number): void => {
        const count = fields.find(([name]) => name === field)?.[1] ?? 1,
            list = COMPONENTS[count] ?? Array.from({ length: count }, (_, i) => String(i + 1));
        componentPart.replaceChildren();
        if (count > 1)
            componentPart.append(choice(words.component, ["-1", ...list.map((_, i) => String(i))],
                Object.fromEntries([["-1", words.magnitude], ...list.map((name, i) => [String(i), name])]), String(now),
                (component) => change({ component: Number(component) })));
    };
    showComponents(mesh.field, mesh.component);
    const free = report.runs.some((run) => run.meshes.some(({ def }) => !elasticNamed(run.scene, def.name)));
    return [
        { heading: words.mesh },
        { part: choice(words.field, Object.keys(names), names, mesh.field, (field) => {
            showComponents(field, -1);
            change({ field, component: -1 });
        }) },
        { part: componentPart },
        ...(free ? [{ part: factor(words.factor, mesh.factor, 0.1, 1e4, (value) => change({ factor: value })) }] : []),
        { label: words.edges, kind: "check", checked: mesh.edges, stay: true, choose: () => change({ edges: !store.state.mesh.edges }) },
    ];
}

/** Fit, views, settings: at the upper right of the scene. */
export function sceneButtons(report: Report, store: Store, view: () => View | null): HTMLElement {
    const space = report.runs.some((run) => run.scene.dimension === 3), { scene, head } = text;
    const fit = button(scene.fit, icons.fit(), () => view()?.fit());
    label(fit, scene.fit, "F");
    const views = button(scene.views, icons.cube(), () => openMenu(views, scene.views, [0, 7, 1, 2, 3, 4, 5, 6].map((which) => (
        { label: scene.look[which], choose: () => view()?.look(which) }))));
    const settings = button(head.settings, icons.sliders(), () => openMenu(settings, head.settings, settingsMenu(report, store)));
    const moves = !view()?.fixed;
    return make("div", { class: "scene-buttons" }, moves ? fit : null, space && moves ? views : null, settings);
}
