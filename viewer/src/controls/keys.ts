// Keys of the page; not while typing, not with Ctrl, Alt or Meta, none needs a second hand.
import { button, make } from "../base/dom.ts";
import { text } from "../base/text.ts";
import { icons } from "../look/icons.ts";
import type { View } from "../scene/view.ts";
import type { Bar } from "./bar.ts";
import type { Player } from "./player.ts";
import type { Store } from "./state.ts";

export interface KeysHost { store: Store; bar: Bar; player: Player; view(): View | null; bodies(): readonly number[]; span: [number,
    number]; release(): void; help(): void }

const typing = (target: EventTarget | null): boolean =>
    target instanceof HTMLElement && (target.isContentEditable || target.tagName === "TEXTAREA" || target.tagName === "SELECT" ||
        (target instanceof HTMLInputElement && target.type !== "range" && target.type !== "checkbox"));

/** Buttons and tabs have keys of their own. */
const ownKeys = (target: EventTarget | null, key: string): boolean => target instanceof HTMLElement && (
    ((key === " " || key === "Enter") && !!target.closest("button, a, summary, [role=option], input[type=checkbox]")) ||
    (key.startsWith("Arrow") && !!target.closest("[role=tablist], [role=separator], [role=menu], input[type=range]:not(.slider)")));

export function listenToKeys(host: KeysHost): void {
    const { store, bar, player, span } = host;
    const faster = (direction: 1 | -1): void => {
        const list = bar.speeds, { speed } = store.state;
        const next = direction > 0 ? list.find((value) => value > speed) : [...list].reverse().find((value) => value < speed);
        store.set({ speed: next ?? speed });
    };
    const nextBody = (): void => {
        const { picked } = store.state, bodies = host.bodies();
        const next = bodies.find((body) => picked?.what === "body" && body > picked.index) ?? bodies[0];
        if (bodies.length)
            store.set({ picked: { what: "body", index: next, run: picked?.run ?? store.state.run } });
    };
    const actions: Record<string, (event: KeyboardEvent) => void> = {
        " ": () => player.toggle(),
        ArrowLeft: (event) => (event.shiftKey ? bar.jump(-0.01) : bar.step(-1)),
        ArrowRight: (event) => (event.shiftKey ? bar.jump(0.01) : bar.step(1)),
        Home: () => store.set({ playing: false, time: span[0] }),
        End: () => store.set({ playing: false, time: span[1] }),
        ",": () => faster(-1),
        ".": () => faster(1),
        l: () => store.set({ loop: !store.state.loop }),
        f: () => host.view()?.fit(),
        t: () => store.toggle("traces"),
        r: () => store.toggle("reactions"),
        g: () => store.toggle("ghosts"),
        n: () => store.toggle("names"),
        c: nextBody,
        d: () => store.set({ theme: store.state.theme === "dark" ? "light" : "dark" }),
        Escape: () => host.release(),
        "?": () => host.help(),
    };
    for (let which = 0; which <= 7; which++)
        actions[String(which)] = () => host.view()?.look(which);
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented && !event.key.startsWith("Arrow") &&
            !/^(Home|End)$/.test(event.key))
            return;
        if (typing(event.target) || ownKeys(event.target, event.key))
            return;
        if (document.querySelector("dialog[open]") && event.key !== "?")
            return;
        const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (!action)
            return;
        action(event);
        event.preventDefault();
    });
}

/** The list of keys, as a window above the page. */
export function helpDialog(version: string): HTMLDialogElement {
    const rows = (list: string[][]): HTMLElement => make("dl", {}, ...list.flatMap(([key, what]) =>
        [make("dt", {}, ...key.split(" ").map((one) => (/^(drag|click|wheel|double|right|or|in|plots:|–)$/i.test(one)
            ? `${one} ` : make("kbd", { text: one })))),
            make("dd", { text: what })]));
    const dialog = make("dialog", { class: "help", "aria-label": text.keys.title });
    dialog.append(make("header", {}, make("h2", { text: text.keys.title }), button(text.keys.close, icons.close(), () => dialog.close())),
        make("div", { class: "columns" }, rows(text.keys.rows), rows(text.keys.mouse)),
        make("p", { class: "foot", text: text.foot(version) }));
    dialog.addEventListener("click", (event) => {
        if (event.target === dialog)
            dialog.close();
    });
    return dialog;
}
