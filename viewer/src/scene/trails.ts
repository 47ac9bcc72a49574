// Traces in space: the complete path thin and mixed with the color of the scene, the last fifth of the run up to now strong.
import * as three from "three";
import type { Run } from "../data/model.ts";
import type { Palette } from "../look/colors.ts";
import { mixed } from "../look/map.ts";
import { chosenTraces, pathWindow, spread, tracePath, traceTimes } from "./facts.ts";
import { Stroke } from "./strokes.ts";
import { traceColor } from "./traces.ts";

const MOST = 4000; // points of a path

interface Trail { probe: number; path: Float64Array; complete: Stroke; recent: Stroke }

export class Trails {
    readonly group = new three.Group();
    readonly list: Trail[];
    private time: Float64Array;

    constructor(readonly run: Run) {
        const all = traceTimes(run.motion), kept = all.length > MOST ? Float64Array.from(spread(all.length, MOST), (k) => all[k]) : all;
        const count = kept.length;
        this.time = kept;
        this.list = chosenTraces(run).map((probe) => {
            const { body, at } = run.scene.probes[probe], path = tracePath(run, body, at, kept);
            const complete = new Stroke(count, 2), recent = new Stroke(count + 1, 3.6);
            complete.set(path, 0, count);
            complete.line.renderOrder = 2;
            complete.material.depthWrite = false; // the strong part lies on it
            recent.line.renderOrder = 3;
            this.group.add(complete.line, recent.line);
            return { probe, path, complete, recent };
        });
    }

    theme(look: Palette): void {
        this.list.forEach(({ complete, recent }, i) => {
            recent.color(traceColor(look, i));
            complete.color(mixed(traceColor(look, i), look.scene, 0.58));
        });
    }

    place(t: number): void {
        const [first, end] = pathWindow(this.time, t);
        for (const { probe, path, recent } of this.list) {
            const { body, at } = this.run.scene.probes[probe];
            recent.set(path, first, end, this.run.pointAt(body, at, t));
        }
    }

    /** What fitting has to see: x y z of some points of each path. */
    reach(): number[] {
        return this.list.flatMap(({ path }) => spread(path.length / 3, 200).flatMap((k) => [...path.subarray(3 * k, 3 * k + 3)]));
    }

    destroy(): void {
        for (const { complete, recent } of this.list) {
            complete.destroy();
            recent.destroy();
        }
    }
}
