// Arrows in space: reactions, forces, moments (two heads), velocities. Linear: the 95th percentile over the run is 0.26 L long.
import * as three from "three";
import { add, length, scale, type Vec } from "../base/vec.ts";
import type { Run } from "../data/model.ts";
import type { Palette } from "../look/colors.ts";
import { LooseLinks, makeSolid, makeThrough, release, Table, type Shared } from "./kit.ts";
import type { Measures } from "./solids.ts";
import { forces, reactions, startOf, velocities, type Vector, type Vectors } from "./vectors.ts";
import type { Show } from "./view.ts";

export type ArrowKind = "reactions" | "forces" | "velocities";
interface Loaded { arrows: Vectors; moments: Vectors }
const kinds: ArrowKind[] = ["reactions", "forces", "velocities"], none: Vectors = { list: [], typical: 0 };

const STANDARD = 0.26; // of L
const ROOM = 2000, INNER = 1000;
const THROUGH = 0.55; // opacity of what is seen through a body

export class SpaceArrows {
    readonly group = new three.Group();
    scale = 1; // of the user
    private loaded = new Map<ArrowKind, Loaded>();
    private requested = new Set<ArrowKind>();
    private table = new Table(0);
    private shafts = new LooseLinks("strut", ROOM);
    private heads = new LooseLinks("head", 2 * ROOM);
    private solid: three.Group;
    private inner = [new LooseLinks("strut", INNER), new LooseLinks("head", INNER)]; // of contacts: also seen through the bodies they press
    private through: three.Group;
    private value: Vec = [0, 0, 0];

    /** ready: curves have come in and there is more to draw. */
    constructor(readonly run: Run, private measures: Measures, shared: Shared, private ready: () => void) {
        this.solid = makeSolid([this.shafts.batch, this.heads.batch], this.table, shared);
        this.through = makeThrough(this.inner.map(({ batch }) => batch), this.table, shared, THROUGH, 20);
        this.group.add(this.solid, this.through);
    }

    theme(look: Palette): void {
        this.table.paintNamed({ force: look.force, speed: look.speed });
        this.table.changed();
    }

    private async load(kind: ArrowKind): Promise<void> {
        if (kind === "velocities") {
            this.loaded.set(kind, { arrows: velocities(this.run), moments: none });
            return;
        }
        const read = kind === "reactions" ? reactions : forces;
        const [arrows, moments] = await Promise.all([read(this.run, "force"), read(this.run, "moment")]);
        this.loaded.set(kind, { arrows, moments });
        this.ready();
    }

    private shownKinds(show: Show | null): ArrowKind[] {
        return show ? kinds.filter((kind) => show[kind]) : [];
    }

    /** Reactions and forces share one scale: both are N. */
    typical(kind: ArrowKind, show: Show | null, which: keyof Loaded): number {
        const same = this.shownKinds(show).filter((other) => (other === "velocities") === (kind === "velocities"));
        return Math.max(0, ...same.map((other) => this.loaded.get(other)?.[which].typical ?? 0));
    }

    /** Kinds that are shown and have something to show, with the length in m of one unit. */
    lengths(show: Show | null): { kind: ArrowKind; typical: number; perUnit: number }[] {
        return this.shownKinds(show).filter((kind) => this.loaded.get(kind)?.arrows.list.length).map((kind) => {
            const typical = this.typical(kind, show, "arrows");
            return { kind, typical, perUnit: this.scale * STANDARD * this.measures.size / typical };
        }).filter(({ typical }) => typical > 0);
    }

    place(t: number, show: Show | null, hidden: ReadonlySet<number>): void {
        const shown = this.shownKinds(show);
        this.group.visible = shown.length > 0;
        this.shafts.clear();
        this.heads.clear();
        this.inner.forEach((links) => links.clear());
        for (const kind of shown) {
            if (!this.requested.has(kind)) {
                this.requested.add(kind);
                void this.load(kind);
            }
            const loaded = this.loaded.get(kind);
            for (const which of ["arrows", "moments"] as const) {
                const typical = this.typical(kind, show, which);
                for (const vector of loaded && typical > 0 ? loaded[which].list : [])
                    if (!hidden.has(vector.body) && (show?.both || !vector.opposite)) {
                        const factor = this.scale * STANDARD * this.measures.size / typical;
                        const arrow = scale(vector.value(t, this.value), factor);
                        this.put(startOf(this.run, vector, t), arrow, kind, which === "moments", vector.part);
                    }
            }
        }
        this.shafts.finish();
        this.heads.finish();
        this.inner.forEach((links) => links.finish());
    }

    /** From the point outward; short ones are drawn thinner, so that the head stays a head. */
    private put(at: Vec, arrow: Vec, kind: ArrowKind, double: boolean, part?: Vector["part"]): void {
        const { r } = this.measures, l = length(arrow);
        if (part === "normal" && l > 0) { // where it touches: a disc on the surface
            const half = scale(arrow, 0.15 * r / l), row = this.table.row("force");
            for (const shafts of [this.shafts, this.inner[0]])
                shafts.add(add(at, scale(half, -1)), add(at, half), 1.3 * r, row);
        }
        if (!(l > 1.2 * r)) // also not a number
            return;
        const heads = double ? 1.75 : 1, share = Math.min(1, l / (7 * heads * r)), headLength = 4.6 * r * share, e = scale(arrow, 1 / l);
        const color = this.table.row(kind === "velocities" ? "speed" : "force");
        const thick = (kind === "velocities" || part === "friction" ? 0.3 : 0.55) * r;
        const tip = add(at, arrow), wide = (kind === "velocities" ? 1.3 : 1.7) * r * share;
        const pens = part ? [[this.shafts, this.heads], this.inner] : [[this.shafts, this.heads]];
        for (const [shafts, heads] of pens) {
            shafts.add(at, add(tip, scale(e, -0.9 * headLength)), thick * Math.max(share, 0.5), color);
            heads.add(add(tip, scale(e, -headLength)), tip, wide, color);
        }
        if (double)
            this.heads.add(add(tip, scale(e, -1.75 * headLength)), add(tip, scale(e, -0.75 * headLength)), wide, color);
    }

    destroy(): void {
        release(this.solid);
        release(this.through);
        this.table.texture.dispose();
        for (const { batch } of [this.shafts, this.heads, ...this.inner]) {
            batch.geometry.dispose();
            batch.edges?.dispose();
        }
    }
}
