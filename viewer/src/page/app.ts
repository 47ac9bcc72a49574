// The page at work: scene, plots and controls hang together by the state.
import { label, make } from "../base/dom.ts";
import { short, withUnit } from "../base/format.ts";
import { text } from "../base/text.ts";
import { forceUnit, lengthUnit, shown, stressUnit } from "../base/units.ts";
import { Bar, type Scale, clockWords } from "../controls/bar.ts";
import { Card } from "../controls/card.ts";
import { makeChips } from "../controls/chips.ts";
import { Exports } from "../controls/exports.ts";
import { helpDialog, listenToKeys } from "../controls/keys.ts";
import { closeMenu, openMenu } from "../controls/menu.ts";
import { Player, speeds } from "../controls/player.ts";
import { openPlotMenu } from "../controls/plotmenu.ts";
import { fillRuns } from "../controls/runs.ts";
import { sceneButtons } from "../controls/settings.ts";
import { type State, Store, type Tab, TABS, fromHash, storedSettings, initial, storeSettings, toHash } from "../controls/state.ts";
import { type FirstLook, firstLook, loadPath } from "../curves/choose.ts";
import { Chooser } from "../curves/chooser.ts";
import { item } from "../curves/lines.ts";
import { Plots } from "../curves/plots.ts";
import { AllQuantities } from "../curves/quantities.ts";
import { wholeBodies } from "../data/elastic.ts";
import type { Report } from "../data/model.ts";
import { makeComparison, makeInside, makeModel, type Hooks } from "../inside/inside.ts";
import { palettes } from "../look/colors.ts";
import { icons } from "../look/icons.ts";
import { setVariables } from "../look/variables.ts";
import type { View } from "../scene/view.ts";
import { useUnits } from "../scene/words.ts";
import { fillHead } from "./head.ts";
import { type Layout, makeLayout } from "./layout.ts";
import { largestStress } from "./fields.ts";
import { hasPicture, makePicture } from "./picture.ts";
import { type Study, swing } from "./study.ts";
import { fitting, knownPlots } from "./valid.ts";

export class App {
    readonly store: Store;
    readonly all: AllQuantities;
    readonly plots: Plots;
    readonly layout: Layout;
    readonly bar: Bar;
    readonly player: Player;
    readonly scale: Scale;
    readonly exports: Exports;
    readonly chooser: Chooser;
    view: View | null = null;
    private first: State; // what the address leaves out
    private tabs: Tab[];
    private home: Tab; // where times are shown
    private unitsChosen = false;
    private addressTimer = 0;
    private spoken = new Set<string>();
    private inside = new Map<Tab, () => HTMLElement | null>();

    readonly report: Report;

    constructor(private study: Study) {
        const { report, abscissa, scale } = study, { span } = scale;
        this.report = report;
        this.scale = scale;
        const dark = matchMedia("(prefers-color-scheme: dark)").matches, kept = storedSettings();
        this.first = { ...initial(), theme: dark ? "dark" : "light", time: span[0],
            speed: study.modes ? 1 : speeds(span[1] - span[0]).first };
        if (study.modes)
            this.first.show = { ...this.first.show, traces: false };
        this.first.units = { ...this.first.units, length: lengthUnit(report.runs[0].scene.size),
            stress: stressUnit(largestStress(report)) };
        this.first.show = { ...this.first.show, names: report.runs[0].scene.dimension === 2 &&
            wholeBodies(report.runs[0].scene).length <= 12 };
        const fields = report.runs.flatMap((run) => run.meshes.flatMap((mesh) => mesh.def.fields.map((field) => field.name)));
        // the shape of a mode is more useful than its stresses
        const wanted = study.modes ? ["displacement"] : ["von_mises", "displacement"];
        this.first.mesh = { ...this.first.mesh, field: wanted.find((name) => fields.includes(name)) ?? fields[0] ?? "" };
        this.home = this.first.tab = hasPicture(report) ? "motion" : "curves";
        const address = fromHash(location.hash);
        this.unitsChosen = !!(kept.units ?? address.units);
        Object.assign(this.first, kept, kept.units ? { units: { ...kept.units, stress: this.first.units.stress } } : {});
        this.tabs = TABS.filter((tab) => (tab !== "comparison" || report.def.comparison) && (tab !== "motion" || this.home === tab));
        this.store = new Store({ ...this.first, ...fitting(address, report, span, this.tabs) });
        this.all = new AllQuantities(report);
        this.all.chosen = this.store.state.run;
        this.player = new Player(this.store, span, study.modes ? (share) => this.swing(share) : null);
        this.bar = new Bar(report, this.store, this.player, this.scale, !!study.modes);
        this.layout = makeLayout(this.store, this.tabs, report.def.version);
        this.plots = new Plots(this.all, span, abscissa, {
            goTo: (t) => this.goTo(t),
            options: (plot, anchor) => openPlotMenu(anchor, plot, this.store, this.all, this.exports, text.plots[abscissa]),
            removeCurve: (plot, line) => this.removeCurve(plot, line),
        });
        this.exports = new Exports(report, this.all, this.store, this.plots, this.scale, () => this.view,
            (words) => this.say(words), !!study.modes);
        this.chooser = new Chooser(this.all, {
            plots: () => this.store.state.plots,
            set: (plots) => this.store.set({ plots }),
            reset: () => this.store.set({ plots: this.first.plots }),
        });
    }

    /** Puts the page together; resolves when the first picture and plots are there. */
    async start(parent: HTMLElement): Promise<void> {
        const { layout, store, report } = this;
        setVariables(document.documentElement, store.state.theme);
        fillHead(report, layout.title, layout.subtitle);
        layout.root.append(this.bar.element);
        layout.root.classList.toggle("film", store.state.film);
        layout.root.classList.toggle("no-picture", this.home === "curves");
        parent.append(layout.root);
        let damage = "";
        const look = await firstLook(this.all.runs[0]).catch((error: Error): FirstLook => {
            damage = error.message; // curves may be damaged while the motion can be shown
            return { plots: [], largestForce: 0 };
        });
        this.first.plots = this.study.modes ? [] : look.plots;
        if (this.study.abscissa === "step")
            this.first.plots = [...await loadPath(this.all.runs[0], look.plots), ...look.plots].slice(0, 3);
        if (!this.unitsChosen)
            this.first.units = { ...this.first.units, force: forceUnit(look.largestForce) };
        const address = fromHash(location.hash);
        const requested = address.plots ? await knownPlots(address.plots, this.all).catch(() => null) : null;
        Object.assign(store.state, { plots: requested ?? this.first.plots, units: address.units ?? this.first.units });
        const picture = await makePicture(report, store.state.theme);
        this.view = picture.view;
        this.say(picture.note || damage);
        this.mount(picture.view);
        store.on((state, changed) => this.changed(state, changed));
        this.changed(store.state, new Set(Object.keys(store.state) as (keyof State)[]));
        await this.plots.set(store.state.plots, store.state.units, palettes[store.state.theme]);
        this.plots.settle();
        this.playFirst();
        addEventListener("hashchange", () => void this.followAddress());
        addEventListener("beforeprint", () => this.print("light"));
        addEventListener("afterprint", () => this.print(store.state.theme));
    }

    /** A page that is opened moves at once, but not where a link leads to a time, and not where the user prefers reduced motion. */
    private playFirst(): void {
        const { state } = this.store, still = matchMedia("(prefers-reduced-motion: reduce)").matches;
        const moves = this.view && this.report.runs[0].info.study !== "equilibrium" && state.tab === "motion";
        if (moves && !still && !state.film && !/[#&](t|film)\b/.test(location.hash))
            this.player.toggle();
    }

    goTo(t: number): void {
        const [first, last] = this.scale.span;
        this.store.set({ playing: false, time: Math.min(last, Math.max(first, t)) });
    }

    private mount(view: View | null): void {
        const { layout, store, report } = this;
        if (view)
            layout.sceneTools.append(makeChips(report, store), sceneButtons(report, store, () => this.view));
        layout.scaleBar.hidden = true;
        layout.list.append(this.chooser.element);
        fillRuns(layout.runs, report, store);
        if (this.study.modes)
            this.listModes(this.study.modes);
        layout.exportButton.addEventListener("click", () => openMenu(layout.exportButton, text.head.export, this.exports.menu()));
        const card = new Card(report, this.all, store, { plot: (names) => this.plot(names) });
        layout.sceneBox.parentElement?.append(card.element);
        new ResizeObserver(() => this.resizeScene()).observe(layout.sceneBox);
        new ResizeObserver(() => this.resizeScene()).observe(layout.mini);
        if (view)
            this.mountView(view);
        const help = helpDialog(report.def.version);
        document.body.append(help);
        layout.helpButton.addEventListener("click", () => help.showModal());
        listenToKeys({
            store, bar: this.bar, player: this.player, view: () => this.view, span: this.scale.span,
            bodies: () => wholeBodies(report.runs[store.state.run].scene),
            release: () => closeMenu() || store.set({ picked: null, follow: -1 }),
            help: () => (help.open ? help.close() : help.showModal()),
        });
        this.makeInsideTabs();
    }

    private mountView(view: View): void {
        const { layout, store } = this;
        view.canvas.setAttribute("role", "img");
        layout.sceneBox.append(view.canvas);
        view.onMove = () => {
            store.state.camera = view.camera();
            this.sceneTexts();
            this.writeAddress();
        };
        this.pointer(view);
        if (store.state.camera)
            view.setCamera(store.state.camera);
    }

    private pointer(view: View): void {
        let down = { x: 0, y: 0 };
        const position = (event: MouseEvent): [number, number] => {
            const box = view.canvas.getBoundingClientRect();
            return [event.clientX - box.left, event.clientY - box.top];
        };
        view.canvas.addEventListener("pointerdown", (event) => { down = { x: event.clientX, y: event.clientY }; });
        view.canvas.addEventListener("click", (event) => {
            if (Math.hypot(event.clientX - down.x, event.clientY - down.y) < 5)
                this.pick(view.pick(...position(event)));
        });
        view.canvas.addEventListener("dblclick", (event) => {
            const part = view.pick(...position(event));
            this.store.set({ follow: part?.what === "body" && part.index !== this.store.state.follow ? part.index : -1 });
        });
    }

    private pick(part: State["picked"]): void {
        this.store.set({ picked: part, ...(part ? { run: part.run } : {}) });
    }

    private makeInsideTabs(): void {
        const { store, report } = this;
        const calls = { theme: [] as (() => void)[], time: [] as ((t: number) => void)[], pick: [] as ((p: State["picked"]) => void)[],
            run: [] as ((r: number) => void)[] };
        const hooks: Hooks = {
            goTo: (t, run) => {
                store.set({ run, tab: this.home });
                this.goTo(t);
            },
            pick: (part) => this.pick(part),
            palette: () => palettes[store.state.theme],
            onTheme: (call) => calls.theme.push(call),
            choose: (run) => store.set({ run }),
            // tabs are made when they are opened: they get the current state at once
            onTime: (call) => {
                calls.time.push(call);
                call(store.state.time);
            },
            onPick: (call) => {
                calls.pick.push(call);
                call(store.state.picked);
            },
            onRun: (call) => {
                calls.run.push(call);
                call(store.state.run);
            },
        };
        const makers: [Tab, () => HTMLElement | null][] = [
            ["inside", () => makeInside(report, hooks)], ["model", () => makeModel(report, hooks)],
                ["comparison", () => makeComparison(report, hooks)],
        ];
        for (const [tab, maker] of makers)
            this.inside.set(tab, maker);
        store.on((state, changed) => {
            if (changed.has("theme"))
                calls.theme.forEach((call) => call());
            if (changed.has("time"))
                calls.time.forEach((call) => call(state.time));
            if (changed.has("picked"))
                calls.pick.forEach((call) => call(state.picked));
            if (changed.has("run"))
                calls.run.forEach((call) => call(state.run));
        });
    }

    /** Tabs are made when they are first opened. */
    private openTab(tab: Tab): void {
        const { layout } = this;
        for (const [name, element] of layout.tabs) {
            element.setAttribute("aria-selected", String(name === tab));
            element.tabIndex = name === tab ? 0 : -1;
            layout.panels[name].hidden = name !== tab;
        }
        const maker = this.inside.get(tab);
        if (maker) {
            this.inside.delete(tab);
            const element = maker();
            if (element)
                layout.panels[tab].prepend(element);
        }
        const inCurves = tab === "curves";
        if (this.view)
            (inCurves ? layout.mini : layout.sceneBox).append(this.view.canvas);
        (inCurves ? layout.wide : layout.side).append(this.plots.element);
        this.plots.layout(inCurves);
        this.resizeScene();
    }

    private changed(state: State, changed: ReadonlySet<keyof State>): void {
        const { view, layout } = this, has = (...keys: (keyof State)[]): boolean => keys.some((key) => changed.has(key));
        const first = changed.size === Object.keys(state).length; // the page starts: plots are still being read
        if (has("theme"))
            this.theme(state);
        if (has("split")) {
            layout.panels.motion.style.setProperty("--split", String(state.split));
            layout.panels.motion.classList.toggle("no-side", state.split === 0);
        }
        if (has("tab"))
            this.openTab(state.tab);
        if (view) {
            if (has("show"))
                view.show(state.show);
            if (has("colorBy"))
                view.colorBy(state.colorBy);
            if (has("units")) {
                useUnits(state.units);
                view.units?.(state.units);
            }
            if (has("arrows"))
                view.arrowScale(state.arrows);
            if (has("mesh") && this.report.runs.some((run) => run.meshes.length))
                view.meshLook(state.mesh);
            if (this.study.modes && has("mesh", "time") && !state.playing)
                this.swing(1);
            if (has("deflection"))
                view.deflection?.(state.deflection);
            if (has("hidden"))
                view.hide(state.hidden);
            if (has("run"))
                view.showRuns?.(this.report.seen(state.run));
            if (has("follow"))
                view.follow(state.follow);
            if (has("picked"))
                view.select(state.picked);
            this.draw();
        }
        if (has("time"))
            this.plots.time(state.time);
        if (has("plots"))
            this.chooser.update();
        this.all.chosen = state.run;
        if ((has("plots", "units", "theme") || (has("run") && this.report.runs.length > 1)) && !first)
            void this.plots.set(state.plots, state.units, palettes[state.theme]).then(() => this.plots.settle());
        if (!state.playing)
            this.settle();
        if (has("theme", "split", "loop", "units"))
            storeSettings(state, this.unitsChosen ||= changed.has("units") && !first);
    }

    /** A mode swings: its shape times this. */
    private swing(share: number): void {
        swing(this.report, share);
        const { mesh, time } = this.store.state, enlarged = this.study.enlarged[Math.round(time - this.scale.span[0])] ?? 1;
        if (this.report.runs.some((run) => run.meshes.length))
            this.view?.meshLook({ ...mesh, factor: mesh.factor * enlarged * share });
        this.draw();
        this.exports?.frame();
    }

    /** The list of modes replaces the plots. */
    private listModes(words: readonly string[]): void {
        const { modes } = this.layout, [first] = this.scale.span;
        const rows = words.map((frequency, k) => {
            const row = make("button", { class: "mode", type: "button" }, make("span", { text: text.modes.mode(k + 1) }),
                make("span", { text: frequency }));
            row.addEventListener("click", () => this.store.set({ time: first + k }));
            return row;
        });
        modes.hidden = false;
        modes.append(make("h2", { text: text.modes.list }), ...rows);
        const update = (): void => rows.forEach((row, k) => row.setAttribute("aria-pressed",
            String(Math.round(this.store.state.time - first) === k)));
        this.store.on((_, changed) => {
            if (changed.has("time"))
                update();
        });
        update();
    }

    private say(words: string): void {
        this.layout.note.textContent = words;
        this.layout.note.hidden = !words;
        this.layout.live.textContent = words;
    }

    private draw(): void {
        const { tab, time } = this.store.state;
        if (this.view && (tab === "motion" || tab === "curves" || this.store.state.film)) {
            this.view.draw(time);
            if (this.store.state.film)
                this.layout.clock.textContent = clockWords(this.scale, time);
            this.sceneTexts();
        }
    }

    /** Paper is light. */
    private print(theme: State["theme"]): void {
        setVariables(document.documentElement, theme);
        this.view?.theme(theme);
        this.layout.clock.textContent = clockWords(this.scale, this.store.state.time);
        void this.plots.set(this.store.state.plots, this.store.state.units, palettes[theme]);
        this.draw();
    }

    private theme(state: State): void {
        setVariables(document.documentElement, state.theme);
        this.view?.theme(state.theme);
        const dark = state.theme === "dark";
        this.layout.themeButton.replaceChildren(dark ? icons.sun() : icons.moon());
        label(this.layout.themeButton, dark ? text.head.light : text.head.dark, "D");
    }

    private resizeScene(): void {
        const { layout, store } = this, box = store.state.tab === "curves" ? layout.mini : layout.sceneBox;
        const { clientWidth: width, clientHeight: height } = box;
        if (this.view && width > 0 && height > 0 && this.view.canvas.parentElement === box) {
            this.view.resize(width, height);
            this.draw();
        }
    }

    /** Legend and scale bar; they rarely change, so elements are rebuilt only then. */
    private sceneTexts(): void {
        const { view, layout, store } = this;
        if (!view)
            return;
        // runs have their own row of buttons, which films do not show
        const items = view.legend().filter((one) => one.kind !== "run" || store.state.film), key = JSON.stringify(items);
        if (layout.legend.dataset.key !== key) {
            layout.legend.dataset.key = key;
            layout.legend.replaceChildren(...items.map((one) => {
                const sample = make("span", { class: `sample ${one.kind}` });
                sample.style.color = one.color;
                if (one.pixels)
                    sample.style.width = `${one.pixels}px`;
                if (one.colors)
                    sample.style.background = `linear-gradient(to right, ${one.colors.join(", ")})`;
                return make("li", { class: one.kind }, one.low ? make("span", { class: "end", text: one.low }) : null, sample,
                    one.high ? make("span", { class: "end", text: one.high }) : null, make("span", { text: one.text }));
            }));
        }
        const bar = view.scaleBar();
        layout.scaleBar.hidden = !bar;
        if (bar) {
            const as = shown("m", store.state.units);
            layout.scaleBar.textContent = withUnit(short(bar.length * as.factor), as.unit);
            layout.scaleBar.style.width = `${bar.pixels}px`;
        }
    }

    /** Updates that are not needed in every frame. */
    private settle(): void {
        const { state } = this.store;
        this.plots.settle();
        const t = this.bar.spoken(state.time), parts = this.layout.subtitle.textContent ?? "";
        this.view?.canvas.setAttribute("aria-label", text.scene.canvas(this.layout.title.textContent ?? "", t, parts));
        this.announce(state.time);
        this.writeAddress();
    }

    /** Says events at this time, each once until another one came. */
    private announce(t: number): void {
        const close = 1e-6 * (this.scale.span[1] - this.scale.span[0]);
        const here = this.report.runs.flatMap((run) => run.events.filter((event) => event.t !== null && Math.abs(event.t - t) <= close));
        const words = here.map((event) => event.text || event.kind).join(". ");
        if (!this.spoken.has(words)) {
            this.spoken = new Set([words]);
            this.layout.live.textContent = words;
        }
    }

    private writeAddress(): void {
        clearTimeout(this.addressTimer);
        this.addressTimer = window.setTimeout(() => {
            try {
                history.replaceState(null, "", `#${toHash(this.store.state, this.first)}`);
            } catch {
                // pages inside other pages have no address of their own
            }
        }, 400);
    }

    private async followAddress(): Promise<void> {
        const next = fitting(fromHash(location.hash), this.report, this.scale.span, this.tabs);
        const plots = (next.plots && await knownPlots(next.plots, this.all).catch(() => null)) ?? this.first.plots;
        this.store.set({ ...this.first, ...next, plots, playing: false });
        if (next.camera)
            this.view?.setCamera(next.camera);
        this.draw();
    }

    private removeCurve(plot: number, line: number): void {
        const data = this.plots.data(plot), { plots } = this.store.state;
        if (!data)
            return;
        const gone = data.lines[line].item, items = plots[plot].items.filter((one) => one !== gone);
        this.store.set({ plots: items.length ? plots.map((one, index) =>
            (index === plot ? { ...one, items } : one)) : plots.filter((_, i) => i !== plot) });
    }

    /** Adds curves below the plots that are there: one plot per unit. */
    plot(names: string[]): void {
        const plots = [...this.store.state.plots], unit = (name: string): string => this.all.find(name)?.unit ?? "";
        const kinds = [...new Set(names.map((name) => `${unit(name)} ${this.all.find(name)?.quantity}`))];
        for (const kind of kinds) {
            const items = names.filter((name) => `${unit(name)} ${this.all.find(name)?.quantity}` === kind).map((name) => item(name));
            plots.unshift({ items, x: "", log: false, fromStart: false });
        }
        this.store.set({ plots });
    }
}
