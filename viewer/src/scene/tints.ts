// The colour of each body: in turn, by group, one for all, or by how fast it goes.
import { text } from "../base/text.ts";
import type { Vec } from "../base/vec.ts";
import type { Run } from "../data/model.ts";
import { colourMap, mixed } from "../look/map.ts";
import type { Palette, Tint } from "../look/colours.ts";
import { percentile, spread, tintOf } from "./facts.ts";
import { velocityAt } from "./vectors.ts";
import type { ColorBy, LegendItem } from "./view.ts";
import { quantityText } from "./words.ts";

const LEVELS = 64;

export class Tints {
    by: ColorBy = "body";
    private fastest = -1;
    private list: Tint[] = [];
    private key = "";
    private levels: Tint[] = [];
    private levelsOf: Palette | null = null;

    constructor(readonly run: Run) {}

    /** Of all bodies at t; the same list while nothing changes. */
    at(t: number, look: Palette): Tint[] {
        const { scene } = this.run, key = `${this.by} ${look.scene}`;
        if (this.by === "speed")
            return this.bySpeed(t, look);
        if (key !== this.key)
            this.list = scene.bodies.map((_, body) => look.tints[tintOf(scene, body, this.by)]);
        this.key = key;
        return this.list;
    }

    /** The speed that has the end of the colour map: the 98th percentile, so that a single peak does not make all else dark. */
    private top(): number {
        if (this.fastest < 0) {
            const { motion } = this.run, frames = spread(motion.count, 100), v: Vec = [0, 0, 0];
            const all = new Float64Array(frames.length * motion.bodies);
            let n = 0;
            for (let body = 0; body < motion.bodies; body++)
                for (const frame of frames)
                    all[n++] = Math.hypot(...velocityAt(this.run, body, this.run.scene.bodies[body].center, motion.time[frame], v));
            this.fastest = percentile(all, 0.98);
        }
        return this.fastest;
    }

    private bySpeed(t: number, look: Palette): Tint[] {
        if (this.levelsOf !== look) {
            this.levelsOf = look;
            this.levels = Array.from({ length: LEVELS }, (_, i) => {
                const solid = colourMap(i / (LEVELS - 1));
                return { solid, stroke: mixed(solid, look.ink, 0.25), pale: mixed(solid, look.scene, 0.35) };
            });
        }
        const top = this.top() || 1, v: Vec = [0, 0, 0];
        this.key = "";
        this.list = this.run.scene.bodies.map((def, body) => {
            const speed = Math.hypot(...velocityAt(this.run, body, def.center, t, v));
            return this.levels[Math.min(LEVELS - 1, Math.max(0, Math.floor(speed / top * LEVELS) || 0))];
        });
        return this.list;
    }

    legend(): LegendItem[] {
        if (this.by !== "speed")
            return [];
        const colours = Array.from({ length: 16 }, (_, i) => colourMap(i / 15));
        return [{ kind: "colours", color: "", text: text.speedOfBodies, colours, low: "0", high: quantityText(this.top(), "m/s") }];
    }
}
