// The color of each body: in turn, by group, one for all, or by its speed or energy.
import { text } from "../base/text.ts";
import type { Vec } from "../base/vec.ts";
import type { Run } from "../data/model.ts";
import { colorMap, mixed } from "../look/map.ts";
import type { Palette, Tint } from "../look/colors.ts";
import { percentile, spread, tintOf } from "./facts.ts";
import { kineticEnergy, velocityAt } from "./vectors.ts";
import type { ColorBy, LegendItem } from "./view.ts";
import { quantityText } from "./words.ts";

const LEVELS = 64;
const v: Vec = [0, 0, 0];

export class Tints {
    by: ColorBy = "body";
    private tops = new Map<ColorBy, number>();
    private list: Tint[] = [];
    private key = "";
    private levels: Tint[] = [];
    private levelsOf: Palette | null = null;

    constructor(readonly run: Run) {}

    /** Of all bodies at t; the same list while nothing changes. */
    at(t: number, look: Palette): Tint[] {
        const { scene } = this.run, key = `${this.by} ${look.scene}`;
        if (this.changing)
            return this.byQuantity(t, look);
        if (key !== this.key)
            this.list = scene.bodies.map((_, body) => look.tints[tintOf(scene, body, this.by)]);
        this.key = key;
        return this.list;
    }

    /** Do the colors change with time? */
    get changing(): boolean {
        return this.by === "speed" || this.by === "energy";
    }

    private value(body: number, t: number): number {
        const { run } = this, { center } = run.scene.bodies[body];
        return this.by === "energy" ? kineticEnergy(run, body, t) : Math.hypot(...velocityAt(run, body, center, t, v));
    }

    /** The value that has the end of the color map: the 98th percentile, so that a single peak does not make all else dark. */
    private top(): number {
        let top = this.tops.get(this.by);
        if (top === undefined) {
            const { motion } = this.run, frames = spread(motion.count, 100), all = new Float64Array(frames.length * motion.bodies);
            let n = 0;
            for (let body = 0; body < motion.bodies; body++)
                for (const frame of frames)
                    all[n++] = this.value(body, motion.time[frame]);
            top = percentile(all, 0.98);
            this.tops.set(this.by, top);
        }
        return top;
    }

    private byQuantity(t: number, look: Palette): Tint[] {
        if (this.levelsOf !== look) {
            this.levelsOf = look;
            this.levels = Array.from({ length: LEVELS }, (_, i) => {
                const solid = colorMap(i / (LEVELS - 1));
                return { solid, stroke: mixed(solid, look.ink, 0.25), pale: mixed(solid, look.scene, 0.35) };
            });
        }
        const top = this.top() || 1;
        this.key = "";
        this.list = this.run.scene.bodies.map((_, body) =>
            this.levels[Math.min(LEVELS - 1, Math.max(0, Math.floor(this.value(body, t) / top * LEVELS) || 0))]);
        return this.list;
    }

    legend(): LegendItem[] {
        if (!this.changing)
            return [];
        const colors = Array.from({ length: 16 }, (_, i) => colorMap(i / 15)), energy = this.by === "energy";
        const high = quantityText(this.top(), energy ? "J" : "m/s");
        return [{ kind: "colors", color: "", text: energy ? text.energyOfBodies : text.speedOfBodies, colors, low: "0", high }];
    }
}
