// The picture of a field over one coordinate, and of a long row of unknowns (a field that was divided by hand): a moving curve.
import { fieldName, text } from "../base/text.ts";
import { type Units, UNITS, shown } from "../base/units.ts";
import { unknownNames } from "../curves/choose.ts";
import { type Mark, type Profile, ProfileDrawing, type Row } from "../curves/profile.ts";
import type { Report, Run } from "../data/model.ts";
import { type Palette, type Theme, palettes } from "../look/colors.ts";
import type { Pen } from "../pen/pen.ts";
import { Sheet } from "../pen/sheet.ts";
import type { ColorBy, LegendItem, MeshLook, Part, Show, View } from "../scene/view.ts";

const LEAST = 12; // unknowns that are a field rather than a few numbers

const isField = (run: Run): boolean => run.meshes.length === 1 && run.meshes[0].def.dimension === 1 &&
    !run.meshes[0].def.fields.some((field) => field.name === "displacement") && !run.scene.bodies.length;

/** u1 .. u99 or th[1] .. th[40]: the longest row of unknowns with one name and successive numbers. */
export function unknownRow(run: Run): string[] {
    const rows = new Map<string, string[]>();
    for (const name of unknownNames(run)) {
        const found = name.match(/^(.*?)\[?(\d+)\]?$/);
        if (found)
            rows.set(found[1], [...(rows.get(found[1]) ?? []), name]);
    }
    const longest = [...rows.values()].reduce((most, row) => (row.length > most.length ? row : most), [] as string[]);
    return longest.length >= LEAST && !run.scene.bodies.length && !run.meshes.length ? longest : [];
}

export const hasProfile = (report: Report): boolean =>
    report.runs.every(isField) || report.runs.every((run) => unknownRow(run).length > 0);

async function fieldRow(run: Run, look: MeshLook): Promise<Row> {
    const [mesh] = run.meshes, surface = await mesh.read(), count = mesh.def.vertices.count;
    const def = mesh.def.fields.find((field) => field.name === look.field) ?? mesh.def.fields[0], field = await mesh.field(def.name);
    const order = Array.from({ length: count }, (_, i) => i).sort((a, b) => surface.vertices[3 * a] - surface.vertices[3 * b]);
    const values = new Float32Array(count * field.frames);
    for (let k = 0; k < field.frames; k++)
        order.forEach((vertex, i) => {
            const parts = Array.from({ length: def.components }, (_, c) => field.value(vertex, c, k));
            values[k * count + i] = def.components === 1 ? parts[0] : look.component >= 0 ? parts[look.component] : Math.hypot(...parts);
        });
    const times = run.motion.count === field.frames ? run.motion.time : surface.time;
    const x = Float64Array.from(order, (vertex) => surface.vertices[3 * vertex]);
    return { label: run.label, times, values, x, vertices: Uint32Array.from(order) };
}

async function unknownsRow(run: Run): Promise<Row> {
    const names = unknownRow(run), curves = await Promise.all(names.map((name) => run.curves.get(name))), { times } = curves[0];
    const values = new Float32Array(names.length * times.length);
    curves.forEach((curve, i) => curve.values.forEach((value, k) => { values[k * names.length + i] = value; }));
    const number = (name: string): number => Number(name.match(/(\d+)\]?$/)?.[1] ?? 0);
    return { label: run.label, times, values, x: Float64Array.from(names, number), vertices: new Uint32Array(0) };
}

async function profileOf(report: Report, look: MeshLook, units: Units): Promise<Profile> {
    const [first] = report.runs;
    if (!isField(first)) {
        const rows = await Promise.all(report.runs.map(unknownsRow)), name = unknownRow(first)[0].replace(/\[?\d+\]?$/, "");
        return { title: name, unit: "", xTitle: text.plots.number, rows };
    }
    const rows = await Promise.all(report.runs.map((run) => fieldRow(run, look))), [mesh] = first.meshes;
    const def = mesh.def.fields.find((field) => field.name === look.field) ?? mesh.def.fields[0], y = shown(def.unit, units);
    const x = shown("m", units), title = fieldName(def.name);
    for (const row of rows) {
        row.values.forEach((value, i) => { row.values[i] = value * y.factor; });
        row.x.forEach((value, i) => { row.x[i] = value * x.factor; });
    }
    return { title: def.name === "value" ? `${mesh.def.name}` : `${title} ${text.of} ${mesh.def.name}`, unit: y.unit,
        xTitle: `x / ${x.unit}`, rows };
}

class ProfileView implements View {
    readonly fixed = true;
    private sheet = new Sheet();
    readonly canvas = this.sheet.canvas;
    onMove: (() => void) | null = null;
    private palette: Palette;
    private shown: Show | null = null;
    private drawing: ProfileDrawing | null = null;
    private field: MeshLook = { factor: 1, field: "", component: -1, edges: true };
    private made = "";
    private unitsNow = UNITS;
    private picked = -1;
    private t = 0;

    constructor(private report: Report, theme: Theme) {
        this.palette = palettes[theme];
    }

    private get swings(): boolean {
        return this.report.runs[0].info.study === "modes";
    }

    /** Reads the requested field; the picture follows. */
    async read(): Promise<void> {
        const key = `${this.field.field} ${this.field.component} ${JSON.stringify(this.unitsNow)}`;
        if (this.made === key)
            return;
        this.made = key;
        const profile = await profileOf(this.report, this.field, this.unitsNow);
        if (this.made !== key) // another one was requested meanwhile
            return;
        this.drawing = new ProfileDrawing(profile, this.swings);
        this.draw(this.t);
        this.onMove?.();
    }

    resize(width: number, height: number): void {
        this.sheet.resize(width, height);
        this.draw(this.t);
    }

    draw(t: number): void {
        this.t = t;
        this.paint(this.sheet.clear(this.palette.scene), t);
    }

    private paint(pen: Pen, t: number): void {
        const { width, height } = this.sheet, scale = shown("m", this.unitsNow).factor, { scene } = this.report.runs[0];
        const marks = scene.probes.map((probe): Mark => ({ name: probe.name, x: probe.at[0] * scale }));
        this.drawing?.draw(pen, width, height, t, {
            grid: this.shown?.grid ?? true, ghosts: this.shown?.ghosts ?? false, names: this.shown?.names ?? false, picked: this.picked,
            factor: this.factor, colors: this.report.runs.map((_, index) => this.color(index)), marks,
        }, this.palette);
    }

    /** Modes swing by it; a motion is shown as it is. */
    private get factor(): number {
        return this.swings ? this.field.factor : 1;
    }

    private color(run: number): string {
        return this.palette.curves[run % this.palette.curves.length];
    }

    theme(theme: Theme): void {
        this.palette = palettes[theme];
        this.draw(this.t);
    }

    show(show: Show): void {
        this.shown = { ...show };
        this.draw(this.t);
    }

    meshLook(look: MeshLook): void {
        this.field = look;
        void this.read();
        this.draw(this.t);
    }

    units(units: Units): void {
        this.unitsNow = units;
        void this.read();
    }

    select(part: Part | null): void {
        this.picked = part?.what === "node" ? part.index : -1;
        this.draw(this.t);
    }

    pick(x: number, y: number): Part | null {
        const { width, height } = this.sheet, vertex = this.drawing?.nearest(x, y, width, height, this.t, this.factor) ?? -1;
        return vertex < 0 ? null : { what: "node", index: vertex, run: 0, mesh: 0 };
    }

    legend(): LegendItem[] {
        const { runs } = this.report;
        return runs.length < 2 ? [] : runs.map((run, index) => ({ kind: "run", color: this.color(index), text: run.label }));
    }

    svg(t: number): string {
        return this.sheet.figure(this.palette.scene, this.report.runs[0].info.model, t, (pen) => this.paint(pen, t));
    }

    // a curve has no bodies, no arrows and one view
    colorBy(_what: ColorBy): void {}
    arrowScale(_factor: number): void {}
    hide(_bodies: ReadonlySet<number>): void {}
    fit(): void {}
    look(_which: number): void {}
    follow(_body: number): void {}
    scaleBar(): null {
        return null;
    }
    camera(): string {
        return "";
    }
    setCamera(_text: string): void {}
    destroy(): void {
        this.canvas.remove();
    }
}

export async function profileView(report: Report, theme: Theme): Promise<View> {
    return new ProfileView(report, theme);
}
