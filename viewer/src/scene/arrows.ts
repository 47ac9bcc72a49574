// Arrows of a planar model: reactions, forces, velocities; moments as arcs. Linear: the 95th percentile over the run is 110 k pixels.
import { text } from "../base/text.ts";
import type { Vec } from "../base/vec.ts";
import type { Run } from "../data/model.ts";
import type { Palette } from "../look/colors.ts";
import { size } from "../look/sizes.ts";
import type { Pen } from "../pen/pen.ts";
import { along, circle, head, line, turning } from "../symbol/ink.ts";
import type { Point } from "../symbol/plane.ts";
import { roundDown } from "./facts.ts";
import type { Layout, Poses } from "./layout.ts";
import { forces, reactions, velocities, type Vectors } from "./vectors.ts";
import type { LegendItem, Show } from "./view.ts";
import { quantityText } from "./words.ts";

type Kind = "reactions" | "forces" | "velocities";
interface Loaded { arrows: Vectors; moments: Vectors }
const empty: Vectors = { list: [], typical: 0 };

export class Arrows {
    scale = 1; // of the user
    private loaded = new Map<Kind, Loaded>();
    private requested = new Set<Kind>();
    private value: Vec = [0, 0, 0];
    private at: Point = [0, 0];
    private start: Vec = [0, 0, 0];
    private drawn: number[] = []; // ends of the arrows of this picture

    /** `ready` is called when curves have come in and there is more to draw. */
    constructor(readonly run: Run, private ready: () => void) {}

    private get(kind: Kind): Loaded | undefined {
        if (!this.requested.has(kind)) {
            this.requested.add(kind);
            void this.load(kind);
        }
        return this.loaded.get(kind);
    }

    private async load(kind: Kind): Promise<void> {
        if (kind === "velocities") {
            this.loaded.set(kind, { arrows: velocities(this.run), moments: empty });
            return;
        }
        const read = kind === "reactions" ? reactions : forces;
        const [arrows, moments] = await Promise.all([read(this.run, "force"), read(this.run, "moment")]);
        this.loaded.set(kind, { arrows, moments });
        this.ready();
    }

    private kinds(show: Show): Kind[] {
        return (["forces", "reactions", "velocities"] as const).filter((kind) => show[kind]);
    }

    /** Reactions and forces share one scale: both are N. */
    private typical(kind: Kind, show: Show, which: keyof Loaded): number {
        const same = kind === "velocities" ? [kind] : this.kinds(show).filter((other) => other !== "velocities");
        return Math.max(0, ...same.map((other) => this.loaded.get(other)?.[which].typical ?? 0));
    }

    draw(pen: Pen, layout: Layout, poses: Poses, t: number, show: Show, look: Palette, hidden: ReadonlySet<number>): void {
        this.drawn.length = 0;
        if (layout.thin && this.run.scene.bodies.length > 60) // too many to read: they reappear when zoomed in
            return;
        for (const kind of this.kinds(show)) {
            const loaded = this.get(kind);
            if (!loaded)
                continue;
            const force = this.typical(kind, show, "arrows"), moment = this.typical(kind, show, "moments");
            const color = kind === "velocities" ? look.speed : look.force, style = kind === "velocities" ? size.speed : size.arrow;
            for (const vector of loaded.arrows.list)
                if (!hidden.has(vector.body) && force > 0 && (show.both || !vector.opposite)) {
                    vector.value(t, this.value);
                    const at = vector.place ? layout.put(poses, -1, vector.place(t, this.start), this.at)
                        : layout.put(poses, vector.body, vector.at, this.at);
                    if (vector.part === "normal" && !vector.opposite && Math.hypot(...this.value) > 0)
                        circle(pen, at, size.arrow.place * layout.k).fill({ color });
                    this.arrow(pen, at, layout.k, force, vector.part === "friction" ? size.speed : style, color);
                }
            for (const vector of loaded.moments.list)
                if (!hidden.has(vector.body) && moment > 0 && (show.both || !vector.opposite)) {
                    vector.value(t, this.value);
                    layout.put(poses, vector.body, vector.at, this.at);
                    this.moment(pen, this.at, layout.k, moment, color, this.driven(vector.joint));
                }
        }
    }

    private arrow(pen: Pen, at: Point, k: number, typical: number, style: typeof size.speed, color: string): void {
        const factor = this.scale * size.arrow.standard * k / typical, dx = this.value[0] * factor, dy = -this.value[1] * factor;
        const long = Math.hypot(dx, dy);
        if (!(long >= size.arrow.least * k)) // also not a number
            return;
        this.drawn.push(at[0], at[1], at[0] + dx, at[1] + dy);
        const u: Point = [dx / long, dy / long], tip: Point = [at[0] + dx, at[1] + dy], headLength = Math.min(style.head * k, 0.75 * long);
        line(pen, at, along(tip, u, -0.8 * headLength)).stroke({ color, width: style.shaft * k });
        head(pen, tip, u, headLength, style.wide * k * Math.max(0.5, headLength / (style.head * k)), color);
    }

    private driven(joint: number): boolean {
        return joint >= 0 && (this.run.scene.joints[joint].driven || this.run.scene.drivers.some((driver) => driver.joint === joint));
    }

    /** 270 degrees for the typical moment, at least enough to see the head. */
    private moment(pen: Pen, at: Point, k: number, typical: number, color: string, driven: boolean): void {
        const share = this.scale * this.value[2] / typical;
        if (!(Math.abs(share) >= 0.02))
            return;
        const sweep = -Math.sign(share) * Math.min(1.1, Math.max(0.18, Math.abs(share))) * size.moment.sweep;
        const width = 0.85 * size.arrow.shaft * k, long = 0.9 * size.arrow.head * k;
        // about a driver's arc, not on it
        turning(pen, at, (driven ? size.driver.radius + 10 : size.moment.radius) * k, -Math.PI / 2 - sweep / 2, sweep, width, long, color);
    }

    /** Adds points along the arrows, every `step` pixels. */
    edgePlaces(step: number, list: number[]): void {
        const { drawn } = this;
        for (let i = 0; i < drawn.length; i += 4) {
            const dx = drawn[i + 2] - drawn[i], dy = drawn[i + 3] - drawn[i + 1], pieces = Math.ceil(Math.hypot(dx, dy) / step) || 1;
            for (let n = 0; n <= pieces; n++)
                list.push(drawn[i] + dx * n / pieces, drawn[i + 1] + dy * n / pieces);
        }
    }

    legend(layout: Layout, show: Show, look: Palette): LegendItem[] {
        const items: LegendItem[] = [], words = { reactions: text.arrowReaction, forces: text.arrowForce, velocities: text.arrowVelocity };
        for (const kind of this.kinds(show).reverse()) {
            const typical = this.typical(kind, show, "arrows");
            if (!this.loaded.get(kind)?.arrows.list.length || !(typical > 0))
                continue;
            // a round number whose arrow is about half the standard length
            const value = roundDown(0.6 * typical / this.scale), unit = kind === "velocities" ? "m/s" : "N";
            items.push({
                kind: "arrow", color: kind === "velocities" ? look.speed : look.force, text: words[kind](quantityText(value, unit)),
                pixels: this.scale * size.arrow.standard * layout.k * value / typical,
            });
        }
        return items;
    }
}
