// Files for papers and talks: curves as CSV, plots and the scene as PNG and SVG, a film.
import { download } from "../base/dom.ts";
import { text } from "../base/text.ts";
import { type Column, csv } from "../curves/csv.ts";
import { figureSvg } from "../curves/figure.ts";
import type { PlotData, PlotDef } from "../curves/lines.ts";
import type { Plots } from "../curves/plots.ts";
import { type AllQuantities, resampled } from "../curves/quantities.ts";
import type { Report } from "../data/model.ts";
import { palettes } from "../look/colors.ts";
import type { View } from "../scene/view.ts";
import { type Scale, clockWords } from "./bar.ts";
import type { MenuItem } from "./menu.ts";
import { paintScene } from "./paint.ts";
import { type Recording, filmKind, record } from "./record.ts";
import type { Store } from "./state.ts";

/** A name that every file system takes. */
export const fileName = (title: string): string => title.trim().replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+|-+$/g, "").slice(0,
    60) || "biela";

const SWINGING = 5; // seconds that a film of a mode takes

export class Exports {
    private recording: Recording | null = null;
    private loop = true; // before a film, which plays once
    private picture = document.createElement("canvas");

    constructor(
        private report: Report, private all: AllQuantities, private store: Store, private plots: Plots, private scale: Scale,
        private view: () => View | null, private say: (words: string) => void, private swings = false,
    ) {
        store.on((state, changed) => {
            if (!this.recording || !(changed.has("time") || changed.has("playing")))
                return;
            this.recording.frame();
            if (!state.playing)
                void this.endFilm();
        });
    }

    private get name(): string {
        return fileName(this.report.def.title || this.report.runs[0].info.model);
    }

    menu(): MenuItem[] {
        const { exports } = text.menus, view = this.view(), canSvg = !!view?.svg(this.store.state.time);
        return [
            { label: exports.csvPlots, choose: () => void this.csvOf(this.store.state.plots, this.name) },
            { label: exports.csvAll, choose: () => void this.csvAll() },
            { label: exports.scenePng, choose: () => this.scenePng(), disabled: !view },
            ...(canSvg ? [{ label: exports.sceneSvg, choose: (): void => this.sceneSvg() }] : []),
            this.recording ? { label: exports.stopFilm, choose: (): void => void this.endFilm() } :
                { label: exports.film, choose: (): void => this.startFilm(), disabled: !view || !filmKind() },
            { label: exports.print, choose: () => window.print() },
        ];
    }

    plotMenu(index: number): MenuItem[] {
        const { exports } = text.menus, def = this.store.state.plots[index], data = this.plots.data(index);
        if (!data || !def)
            return [];
        const name = `${this.name}-${fileName(data.title.toLowerCase())}`;
        return [
            { label: exports.plotPng, choose: () => void this.plotPng(data, name) },
            { label: exports.plotSvg, choose: () => download(`${name}.svg`, this.figure(data), "image/svg+xml") },
            { label: exports.plotCsv, choose: () => void this.csvOf([def], name) },
        ];
    }

    /** Figures are for paper: always in light colors. */
    private figure(data: PlotData): string {
        const lines = data.lines.map((line) => {
            const dark = palettes.dark.curves.indexOf(line.color);
            return dark < 0 ? line : { ...line, color: palettes.light.curves[dark] };
        });
        const portrait = data.equal;
        return figureSvg({ ...data, lines }, palettes.light, { width: portrait ? 560 : 720, height: portrait ? 560 : 400 },
            this.plots.part);
    }

    private async plotPng(data: PlotData, name: string): Promise<void> {
        const address = URL.createObjectURL(new Blob([this.figure(data)], { type: "image/svg+xml" })), image = new Image();
        image.src = address;
        await image.decode();
        const canvas = document.createElement("canvas"), context = canvas.getContext("2d") as CanvasRenderingContext2D;
        canvas.width = 2 * image.naturalWidth;
        canvas.height = 2 * image.naturalHeight;
        context.drawImage(image, 0, 0, canvas.width, canvas.height);
        URL.revokeObjectURL(address);
        canvas.toBlob((blob) => blob && download(`${name}.png`, blob));
    }

    private async csvOf(defs: readonly PlotDef[], name: string): Promise<void> {
        const seen = new Set<string>(), columns: Column[] = [], several = this.report.runs.length > 1;
        const shown = this.report.seen(this.all.chosen);
        for (const { items, x } of defs)
            for (const one of [...items, ...(x ? [{ name: x, run: -1, minus: -1 }] : [])])
                for (const [run, known] of this.all.runs.entries()) {
                    if (!(one.run >= 0 ? one.run === run : shown.includes(run)) || !known.find(one.name))
                        continue;
                    const minus = one.minus >= 0 ? ` - ${this.report.runs[one.minus].label}` : "";
                    const title = several ? `${one.name} [${this.report.runs[run].label}${minus}]` : one.name;
                    if (seen.has(title))
                        continue;
                    seen.add(title);
                    columns.push(await this.column(title, one.name, run, one.minus));
                }
        download(`${name}.csv`, csv(columns, this.first), "text/csv");
    }

    private get first(): string {
        return this.scale.unit === "s" ? "time" : this.scale.name.toLowerCase();
    }

    private async column(title: string, name: string, run: number, minus: number): Promise<Column> {
        const curve = await this.all.runs[run].curve(name);
        if (minus < 0)
            return { name: title, times: curve.times, values: curve.values };
        const other = resampled(await this.all.runs[minus].curve(name), curve.times);
        return { name: title, times: curve.times, values: Float64Array.from(curve.values, (value, i) => value - other[i]) };
    }

    /** Every curve of the run shown; those of its steps have their own times and their own file. */
    private async csvAll(): Promise<void> {
        const { run } = this.store.state, known = this.all.runs[run], groups = new Map<string, Column[]>();
        for (const one of known.list.filter((quantity) => !quantity.magnitude)) {
            const column = await this.column(one.name, one.name, run, -1), key = one.name.startsWith("step.") ? "steps" : "";
            groups.set(key, [...(groups.get(key) ?? []), column]);
        }
        for (const [key, columns] of groups)
            download(`${this.name}${key ? `-${key}` : ""}.csv`, csv(columns, this.first), "text/csv");
    }

    private paint(): void {
        const view = this.view(), { state } = this.store;
        if (!view)
            return;
        view.draw(state.time);
        paintScene(view, this.picture, {
            palette: palettes[state.theme], units: state.units, clock: clockWords(this.scale, state.time),
        });
    }

    private scenePng(): void {
        this.paint();
        this.picture.toBlob((blob) => blob && download(`${this.name}.png`, blob));
    }

    private sceneSvg(): void {
        const svg = this.view()?.svg(this.store.state.time);
        if (svg)
            download(`${this.name}.svg`, svg, "image/svg+xml");
    }

    /** A picture of a mode was drawn: its time stays the same. */
    frame(): void {
        this.recording?.frame();
    }

    /** Plays the run once from its start, or lets a mode swing some times, and records it. */
    private startFilm(): void {
        const { store, scale } = this;
        this.loop = store.state.loop;
        store.set({ playing: false, tab: "motion", ...(this.swings ? {} : { loop: false, time: scale.span[0] }) });
        if (this.swings)
            setTimeout(() => void this.endFilm(), 1000 * SWINGING);
        this.recording = record(this.picture, () => this.paint());
        this.say(this.recording ? text.menus.recording : text.menus.noRecorder);
        if (this.recording)
            store.set({ playing: true });
    }

    private async endFilm(): Promise<void> {
        const { recording } = this;
        this.recording = null;
        if (!recording)
            return;
        this.store.set({ playing: false, loop: this.loop });
        this.say("");
        download(`${this.name}.${recording.ending}`, await recording.stop());
    }
}
