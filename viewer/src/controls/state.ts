// What the user has chosen. Lives in the address after `#`, so that a link into a report can be mailed; some settings are also kept by the
// browser.
import { type Units, UNITS, pressures } from "../base/units.ts";
import type { Item, PlotDef } from "../curves/lines.ts";
import type { Theme } from "../look/colors.ts";
import type { ColorBy, MeshLook, Part, Show } from "../scene/view.ts";

export const TABS = ["motion", "curves", "inside", "model", "comparison"] as const;
export type Tab = (typeof TABS)[number];

export interface State {
    tab: Tab;
    time: number;
    playing: boolean;
    speed: number; // times real time
    loop: boolean;
    theme: Theme;
    show: Show;
    colorBy: ColorBy;
    arrows: number; // factor of arrow lengths
    deflection: number; // factor of deflections of beams
    mesh: MeshLook;
    units: Units;
    picked: Part | null;
    follow: number;
    hidden: ReadonlySet<number>;
    plots: PlotDef[];
    run: number; // the one that texts and cards are about
    camera: string;
    split: number; // share of the width that plots have; 0: hidden
    film: boolean;
}

export const SHOW: Show = {
    traces: true, reactions: false, forces: false, velocities: false, ghosts: false, names: false, grid: true, centers: false, both: false,
};

export const initial = (): State => ({
    tab: "motion", time: 0, playing: false, speed: 1, loop: true, theme: "light", show: { ...SHOW }, colorBy: "body", arrows: 1,
    deflection: 1,
    mesh: { factor: 1, field: "", component: -1, edges: true }, units: { ...UNITS }, picked: null, follow: -1, hidden: new Set(), plots: [],
    run: 0, camera: "", split: 0.36, film: false,
});

type Listener = (state: State, changed: ReadonlySet<keyof State>) => void;

export class Store {
    private listeners: Listener[] = [];

    constructor(readonly state: State) {}

    on(listener: Listener): void {
        this.listeners.push(listener);
    }

    /** Calls the listeners where something differs. */
    set(change: Partial<State>): void {
        const changed = new Set<keyof State>();
        for (const key of Object.keys(change) as (keyof State)[])
            if (this.state[key] !== change[key])
                changed.add(key);
        if (!changed.size)
            return;
        Object.assign(this.state, change);
        for (const listener of this.listeners)
            listener(this.state, changed);
    }

    toggle(what: keyof Show): void {
        this.set({ show: { ...this.state.show, [what]: !this.state.show[what] } });
    }
}

const SHOW_LETTERS: [keyof Show, string][] = [
    ["traces", "t"], ["reactions", "r"], ["forces", "f"], ["velocities", "v"], ["ghosts", "g"], ["names", "n"], ["grid", "d"],
        ["centers", "m"], ["both", "b"],
];

const part = encodeURIComponent;

function itemText({ name, run, minus }: Item): string {
    return part(name) + (run >= 0 ? `@${run}` : "") + (minus >= 0 ? `-${minus}` : "");
}

function itemFrom(words: string): Item | null {
    const found = words.match(/^([^@]*)(?:@(\d+))?(?:-(\d+))?$/);
    // names hold minus signs: with a run behind @ alone the last number is the one subtracted
    if (!found || (found[3] !== undefined && found[2] === undefined))
        return words.includes("@") ? null : { name: decoded(words), run: -1, minus: -1 };
    return { name: decoded(found[1]), run: found[2] === undefined ? -1 : Number(found[2]),
        minus: found[3] === undefined ? -1 : Number(found[3]) };
}

function decoded(words: string): string {
    try {
        return decodeURIComponent(words);
    } catch {
        return words;
    }
}

/** Curves of a plot joined by `,`, its x quantity after `:`, plots by `;`. `!l` log axis, `!s` from the start. */
export const plotsText = (plots: readonly PlotDef[]): string => plots.map((plot) =>
    plot.items.map(itemText).join(",") + (plot.log ? "!l" : "") + (plot.fromStart ? "!s" : "") + (plot.x
        ? `:${part(plot.x)}` : "")).join(";");

export function plotsFrom(words: string): PlotDef[] {
    return words.split(";").filter(Boolean).map((one) => {
        const [front, x = ""] = one.split(":"), [names, ...marks] = front.split(/!(?=[ls](?:!|$))/);
        const items = names.split(",").filter(Boolean).map(itemFrom).filter((item): item is Item => item !== null);
        return { items, x: decoded(x), log: marks.includes("l"), fromStart: marks.includes("s") };
    });
}

/** The address of this state; what is as at first is left out. */
export function toHash(state: State, first: State): string {
    const words: string[] = [];
    const put = (key: string, now: string, then: string): void => {
        if (now !== then)
            words.push(`${key}=${now}`);
    };
    const letters = (show: Show): string => SHOW_LETTERS.filter(([key]) => show[key]).map(([, letter]) => letter).join("");
    const one = (p: Part | null): string => (p ? `${p.what}.${p.index}.${p.run}${p.mesh === undefined ? "" : `.${p.mesh}`}` : "");
    const mesh = ({ factor, field, component, edges }: MeshLook): string => `${factor},${part(field)},${component},${edges ? 1 : 0}`;
    const units = (u: Units): string => `${u.angle},${u.length},${u.force},${u.stress}`;
    if (state.film)
        words.push("film");
    put("tab", state.tab, first.tab);
    put("t", String(Number(state.time.toPrecision(9))), String(Number(first.time.toPrecision(9))));
    put("speed", String(state.speed), String(first.speed));
    put("loop", state.loop ? "1" : "0", first.loop ? "1" : "0");
    put("theme", state.theme, first.theme);
    put("show", letters(state.show), letters(first.show));
    put("color", state.colorBy, first.colorBy);
    put("arrows", String(state.arrows), String(first.arrows));
    put("deflection", String(state.deflection), String(first.deflection));
    put("mesh", mesh(state.mesh), mesh(first.mesh));
    put("units", units(state.units), units(first.units));
    put("pick", one(state.picked), one(first.picked));
    put("follow", String(state.follow), String(first.follow));
    put("hide", [...state.hidden].join(","), [...first.hidden].join(","));
    put("run", String(state.run), String(first.run));
    put("plots", plotsText(state.plots), plotsText(first.plots));
    put("view", part(state.camera), part(first.camera));
    put("split", state.split.toFixed(3), first.split.toFixed(3));
    return words.join("&");
}

const PARTS: readonly string[] = ["body", "joint", "spring", "probe", "node"];

/** The part of the state that an address gives; what is missing or invalid is left out. */
export function fromHash(hash: string): Partial<State> {
    const found = new Map(hash.replace(/^#/, "").split("&").map((words) => {
        const at = words.indexOf("=");
        return at < 0 ? [words, ""] : [words.slice(0, at), words.slice(at + 1)];
    }));
    const change: Partial<State> = {};
    const number = (key: string, use: (value: number) => void): void => {
        const words = found.get(key), value = Number(words);
        if (words && Number.isFinite(value))
            use(value);
    };
    const choice = <T extends string>(words: string | undefined, choices: readonly T[], use: (value: T) => void): void => {
        if (words !== undefined && (choices as readonly string[]).includes(words))
            use(words as T);
    };
    if (found.has("film"))
        change.film = true;
    choice(found.get("tab"), TABS, (tab) => { change.tab = tab; });
    choice(found.get("theme"), ["light", "dark"], (theme) => { change.theme = theme; });
    choice(found.get("color"), ["body", "group", "one", "speed", "energy"], (colorBy) => { change.colorBy = colorBy; });
    number("t", (time) => { change.time = time; });
    number("speed", (speed) => { change.speed = speed > 0 ? speed : 1; });
    number("loop", (loop) => { change.loop = loop !== 0; });
    number("arrows", (arrows) => { change.arrows = Math.min(10, Math.max(0.1, arrows)); });
    number("deflection", (deflection) => { change.deflection = Math.min(1e4, Math.max(0.1, deflection)); });
    number("follow", (follow) => { change.follow = follow; });
    number("run", (run) => { change.run = run; });
    number("split", (split) => { change.split = Math.min(0.8, Math.max(0, split)); });
    const show = found.get("show");
    if (show !== undefined)
        change.show = Object.fromEntries(SHOW_LETTERS.map(([key, letter]) => [key, show.includes(letter)])) as unknown as Show;
    const units = found.get("units")?.split(",");
    const known = [["deg", "rad"], ["mm", "m"], ["N", "kN"], pressures] as const;
    if (units && units.length >= 3 && units.length <= 4 && units.every((unit, i) => (known[i] as readonly string[]).includes(unit)))
        change.units = { angle: units[0], length: units[1], force: units[2], stress: units[3] ?? UNITS.stress } as Units;
    const mesh = found.get("mesh")?.split(",");
    if (mesh?.length === 4 && mesh.filter((_, i) => i !== 1).every((word) => Number.isFinite(Number(word))))
        change.mesh = { factor: Number(mesh[0]), field: decoded(mesh[1]), component: Number(mesh[2]), edges: mesh[3] === "1" };
    const picked = found.get("pick")?.split(".");
    if (picked && PARTS.includes(picked[0]) && picked.slice(1).every((word) => /^\d+$/.test(word)) && picked.length >= 3)
        change.picked = {
            what: picked[0] as Part["what"], index: Number(picked[1]), run: Number(picked[2]),
                ...(picked[3] ? { mesh: Number(picked[3]) } : {}),
        };
    const hidden = found.get("hide");
    if (hidden !== undefined)
        change.hidden = new Set(hidden.split(",").filter((word) => /^\d+$/.test(word)).map(Number));
    if (found.has("plots"))
        change.plots = plotsFrom(found.get("plots") ?? "");
    if (found.has("view"))
        change.camera = decoded(found.get("view") ?? "");
    return change;
}

const KEPT = "biela";

/** Settings kept for all reports; pages opened from disk may have no storage. */
export function storedSettings(): Partial<State> {
    try {
        return fromHash(localStorage.getItem(KEPT) ?? "");
    } catch {
        return {};
    }
}

export function storeSettings(state: State, unitsChosen: boolean): void {
    const { angle, length, force } = state.units;
    try {
        localStorage.setItem(KEPT, [`theme=${state.theme}`, `split=${state.split.toFixed(3)}`, `loop=${state.loop ? 1 : 0}`,
            ...(unitsChosen ? [`units=${angle},${length},${force}`] : [])].join("&"));
    } catch {
        // private windows: nothing is kept
    }
}
