// The bar below: back, play, forward, slider with ticks of events, clock, speed, loop.
import { button, label, make } from "../base/dom.ts";
import { clock, short, withUnit } from "../base/format.ts";
import { text } from "../base/text.ts";
import type { Report } from "../data/model.ts";
import { icons } from "../look/icons.ts";
import { type Player, speeds, stepFrom } from "./player.ts";
import type { Store } from "./state.ts";

/** Text of the clock; a number without unit is shown with its name. */
export const clockWords = (scale: Scale, t: number): string => {
    const number = clock(t, scale.span[1] - scale.span[0]);
    return scale.words?.(t) ?? (scale.unit ? withUnit(number, scale.unit) : `${scale.name} ${number}`);
};

const FINE = 100000; // positions of the slider
const marked = new Set(["warning", "impact", "contact"]); // events with ticks of their own

/** discrete: samples alone have a meaning (modes, turning paths of loads). words: what a value is called where it is not its own number. */
export interface Scale { name: string; unit: string; span: [number, number]; discrete?: boolean; words?: (t: number) => string }

export class Bar {
    readonly element: HTMLElement;
    readonly speeds: number[];
    private play: HTMLButtonElement;
    private loop: HTMLButtonElement;
    private slider: HTMLInputElement;
    private clockPart: HTMLElement;
    private speed: HTMLSelectElement;

    constructor(private report: Report, private store: Store, player: Player, private scale: Scale, private swings = false) {
        const [first, last] = scale.span;
        this.speeds = speeds(last - first).list;
        this.play = button(text.bar.play, icons.play(), () => player.toggle(), "tool play");
        this.loop = button(text.bar.loop, icons.loop(), () => store.set({ loop: !store.state.loop }), "tool loop");
        this.slider = make("input", { type: "range", class: "slider", min: 0, max: FINE, step: 1, "aria-label": scale.name });
        this.slider.addEventListener("input", () => {
            const t = first + (Number(this.slider.value) / FINE) * (last - first);
            store.set(scale.discrete ? { time: Math.round(t) } : { playing: false, time: t });
        });
        this.slider.addEventListener("keydown", (event) => {
            // arrows mean samples here too, not steps of the slider
            if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End")
                event.preventDefault();
        });
        this.clockPart = make("span", { class: "clock" }); // no output: it would be read out at every frame
        this.speed = make("select", { class: "speed", "aria-label": text.bar.speed, title: text.bar.speedHelp });
        this.speed.addEventListener("change", () => store.set({ speed: Number(this.speed.value) }));
        const back = button(text.bar.back, icons.back(), () => this.step(-1)),
            forward = button(text.bar.forward, icons.forward(), () => this.step(1));
        this.loop.hidden = this.swings;
        label(this.loop, text.bar.loop, "L");
        label(back, text.bar.back, "\u2190");
        label(forward, text.bar.forward, "\u2192");
        const still = !(last > first) && !this.swings;
        for (const control of [this.play, back, forward, this.slider, this.speed, this.loop])
            control.toggleAttribute("disabled", still);
        this.element = make("footer", { class: "bar" },
            make("div", { class: "buttons" }, back, this.play, forward),
            make("div", { class: "slider-part" }, this.slider, this.ticks()),
            make("div", { class: "clock-part" }, this.clockPart, this.speed, this.loop));
        store.on((_, changed) => {
            if (["time", "playing", "loop", "speed"].some((key) => changed.has(key as "time")))
                this.update();
        });
        this.update();
    }

    step(direction: 1 | -1): void {
        const times = this.report.runs[this.store.state.run].motion.time;
        if (times.length)
            this.store.set({ playing: false, time: stepFrom(times, this.store.state.time, direction) });
    }

    /** A share of the run forward or back. */
    jump(share: number): void {
        const [first, last] = this.scale.span, time = this.store.state.time + share * (last - first);
        this.store.set({ playing: false, time: Math.min(last, Math.max(first, time)) });
    }

    private ticks(): HTMLElement {
        const [first, last] = this.scale.span, row = make("div", { class: "ticks" });
        for (const run of this.report.many ? this.report.runs.slice(0, 1) : this.report.runs)
            for (const event of run.events.slice(0, 500)) {
                if (event.t === null || !(last > first))
                    continue;
                const words = text.bar.event(withUnit(short(event.t), this.scale.unit), event.text || event.kind);
                const mark = marked.has(event.kind) ? event.kind : "";
                const tick = make("button", { class: `tick ${mark}`, type: "button", tabindex: -1 });
                label(tick, words);
                tick.style.left = `${(100 * (event.t - first)) / (last - first)}%`;
                tick.addEventListener("click", () => this.store.set({ playing: false, time: event.t ?? 0 }));
                row.append(tick);
            }
        return row;
    }

    private update(): void {
        const { state } = this.store, [first, last] = this.scale.span, share = last > first ? (state.time - first) / (last - first) : 0;
        this.slider.value = String(Math.round(share * FINE));
        this.slider.style.setProperty("--share", `${100 * share}%`);
        const words = clockWords(this.scale, state.time);
        this.clockPart.textContent = words;
        this.slider.setAttribute("aria-valuetext", this.spoken(state.time));
        if (this.play.dataset.now !== String(state.playing)) {
            this.play.dataset.now = String(state.playing);
            this.play.replaceChildren(state.playing ? icons.pause() : icons.play());
            label(this.play, state.playing ? text.bar.pause : text.bar.play, text.keys.play);
        }
        this.loop.setAttribute("aria-pressed", String(state.loop));
        const list = this.speeds.includes(state.speed) ? this.speeds : [...this.speeds, state.speed].sort((a, b) => a - b);
        if (this.speed.options.length !== list.length || this.speed.value !== String(state.speed)) {
            this.speed.replaceChildren(...list.map((value) => make("option", { value: String(value), text: `${short(value, 3)}\u00d7` })));
            this.speed.value = String(state.speed);
        }
    }

    spoken(t: number): string {
        const words = short(t);
        return this.scale.unit === "s" ? text.bar.seconds(words) : this.scale.words?.(t) ?? `${this.scale.name} ${words}`;
    }
}
