// Paths of probe points: the complete path pale, the last fifth of the run up to now strong. Points closer than a pixel are skipped.
import type { Run } from "../data/model.ts";
import type { Palette } from "../look/colors.ts";
import { size } from "../look/sizes.ts";
import type { Pen } from "../pen/pen.ts";
import { circle } from "../symbol/ink.ts";
import type { Point } from "../symbol/plane.ts";
import { chosenTraces, pathWindow, tracePath, traceTimes } from "./facts.ts";
import type { Layout, Poses } from "./layout.ts";

/** The first trace has the accent, the others colors of curves that differ from it. */
export const traceColor = (look: Palette, index: number): string => index ? look.curves[[2, 3, 4, 5, 0][(index - 1) % 5]] : look.accent;

interface Trace { probe: number; path: Float64Array; kept: Uint32Array; scale: number }

export class Traces {
    readonly list: Trace[];
    private time: Float64Array;
    private spot: Point = [0, 0];

    constructor(readonly run: Run) {
        const time = this.time = traceTimes(run.motion);
        this.list = chosenTraces(run).map((probe) => {
            const { body, at } = run.scene.probes[probe];
            return { probe, path: tracePath(run, body, at, time), kept: new Uint32Array(0), scale: 0 };
        });
    }

    draw(pen: Pen, layout: Layout, poses: Poses, t: number, look: Palette): void {
        const { k } = layout;
        this.list.forEach((trace, i) => {
            const color = traceColor(look, i), { kept, path } = this.thinned(trace, layout.camera.scale);
            const [first, end] = pathWindow(this.time, t);
            pen.path();
            for (let j = 0; j < kept.length; j++)
                this.step(pen, layout, path, kept[j], j === 0);
            pen.stroke({ color, width: size.trace.complete * k, alpha: size.trace.alpha });
            pen.path();
            let open = false;
            for (let j = 0; j < kept.length && kept[j] < end; j++)
                if (kept[j] >= first) {
                    this.step(pen, layout, path, kept[j], !open);
                    open = true;
                }
            const { body, at } = this.run.scene.probes[trace.probe], [x, y] = layout.put(poses, body, at, this.spot);
            if (open && poses.deflection === 1) // enlarged beams are away from the paths of their points
                pen.lineTo(x, y);
            if (open)
                pen.stroke({ color, width: size.trace.recent * k, cap: "round" });
        });
    }

    private step(pen: Pen, layout: Layout, path: Float64Array, frame: number, start: boolean): void {
        const x = layout.sx(path[3 * frame]), y = layout.sy(path[3 * frame + 1]);
        start ? pen.moveTo(x, y) : pen.lineTo(x, y);
    }

    /** Points that are half a pixel or more from the one before, at about this scale. */
    private thinned(trace: Trace, scale: number): Trace {
        if (trace.scale > scale / 1.5 && trace.scale < scale * 1.5)
            return trace;
        const { path } = trace, n = path.length / 3, kept: number[] = [], least = 0.5 / scale;
        let x = Infinity, y = Infinity;
        for (let k = 0; k < n; k++) {
            if (k < n - 1 && Math.hypot(path[3 * k] - x, path[3 * k + 1] - y) < least)
                continue;
            x = path[3 * k];
            y = path[3 * k + 1];
            kept.push(k);
        }
        trace.kept = Uint32Array.from(kept);
        trace.scale = scale;
        return trace;
    }

    /** Calls back with x and y of all points: what fitting has to see. */
    reach(add: (x: number, y: number) => void): void {
        for (const { path } of this.list)
            for (let i = 0; i < path.length; i += 3)
                add(path[i], path[i + 1]);
    }

    /** Adds points along the paths, every `step` pixels. */
    edgePlaces(layout: Layout, step: number, list: number[]): void {
        for (const { path, kept } of this.list) {
            let x = Infinity, y = Infinity;
            for (const frame of kept) {
                const u = layout.sx(path[3 * frame]), v = layout.sy(path[3 * frame + 1]);
                if (Math.hypot(u - x, v - y) < step)
                    continue;
                x = u;
                y = v;
                list.push(u, v);
            }
        }
    }

    /** Dots at all probes, those with a trace in its color. */
    drawProbes(pen: Pen, layout: Layout, poses: Poses, look: Palette, hidden: ReadonlySet<number>): void {
        const { k } = layout;
        this.run.scene.probes.forEach((probe, i) => {
            if (hidden.has(probe.body))
                return;
            const index = this.list.findIndex((trace) => trace.probe === i);
            circle(pen, layout.put(poses, probe.body, probe.at, this.spot), size.probe.radius * k)
                .fill({ color: index < 0 ? look.accent : traceColor(look, index) })
                .stroke({ color: look.paper, width: size.probe.ring * k });
        });
    }
}
