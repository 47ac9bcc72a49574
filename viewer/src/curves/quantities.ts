// Everything that can be plotted: the curves of the data and those computed in the page (positions of bodies, magnitudes, differences of
// runs).
import { planeAngle } from "../base/quat.ts";
import { isFrame } from "../data/elastic.ts";
import { type Curve, type Report, type Run, bodyLabel, newPose, valueAt } from "../data/model.ts";
import type { CurveDef } from "../data/header.ts";

export interface Quantity {
    name: string;
    quantity: string;
    unit: string;
    part: string;
    of: string; // joint, reaction, probe, body, ...: its section of the list
    magnitude?: string[]; // names of the components
    pose?: { body: number; component: number };
}

const COMPONENTS = /^(.*)\.(fx|fy|fz|mx|my|mz|vx|vy|vz|wx|wy|wz)$/;

/** Reactions are named like variables of their joint; they have a separate section of the list. */
const listed = (def: CurveDef): Quantity => {
    const { name, quantity, unit, part } = def;
    const of = def.of === "joint" && (quantity === "force" || quantity === "moment") && COMPONENTS.test(name) ? "reaction" :
        def.of === "run" && quantity === "value" ? "unknown" : def.of;
    return { name, quantity, unit, part, of };
};

const magnitudeName: Record<string, (part: string) => string> = {
    f: (part) => `|${part}|`,
    m: (part) => `|${part}.moment|`,
    v: (part) => `|${part}.v|`,
    w: (part) => `|${part}.w|`,
};

function magnitudes(list: readonly Quantity[]): Quantity[] {
    const groups = new Map<string, Quantity[]>();
    for (const one of list) {
        const found = one.name.match(COMPONENTS);
        if (found)
            groups.set(`${found[1]} ${found[2][0]}`, [...(groups.get(`${found[1]} ${found[2][0]}`) ?? []), one]);
    }
    return [...groups].map(([key, parts]) => {
        const name = key.slice(0, -2), kind = key.slice(-1), first = parts[0];
        return { ...first, name: magnitudeName[kind](name), magnitude: parts.map((part) => part.name) };
    });
}

function positions(run: Run, taken: ReadonlySet<string>): Quantity[] {
    const plane = run.scene.dimension === 2;
    return run.scene.bodies.flatMap((body, index) => {
        const of = isFrame(run.scene, index) ? "frame" : "body";
        const rows: Quantity[] = ["x", "y", "z"].slice(0, plane ? 2 : 3).map((axis, component) =>
            ({ name: `${bodyLabel(run.scene, body.name)}.${axis}`, quantity: "position", unit: "m", part: body.name, of,
                pose: { body: index, component } }));
        if (plane)
            rows.push({ name: `${bodyLabel(run.scene, body.name)}.angle`, quantity: "angle", unit: "rad", part: body.name, of,
                pose: { body: index, component: 3 } });
        return rows.filter((row) => !taken.has(row.name));
    });
}

export class Quantities {
    readonly list: Quantity[];
    private byName: Map<string, Quantity>;

    constructor(readonly run: Run) {
        const frames = new Set(run.scene.bodies.filter((_, i) => isFrame(run.scene, i)).map((body) => body.name));
        const stored = run.def.curves.map(listed).map((one) => one.of === "body" && frames.has(one.part) ? { ...one, of: "frame" } : one);
        const taken = new Set(stored.map((one) => one.name));
        const moving = run.motion.count > 0 ? positions(run, taken) : [];
        this.list = [...stored, ...magnitudes(stored).filter((one) => !taken.has(one.name)), ...moving];
        this.byName = new Map(this.list.map((one) => [one.name, one]));
    }

    find(name: string): Quantity | undefined {
        return this.byName.get(name);
    }

    /** The curve in SI; computed ones are made when they are first requested. */
    async curve(name: string): Promise<Curve> {
        const { curves } = this.run, known = this.byName.get(name);
        if (!curves.names.has(name) && known) {
            if (known.magnitude)
                await this.addMagnitude(known, known.magnitude);
            else if (known.pose)
                this.addPlace(known, known.pose.body, known.pose.component);
        }
        return curves.get(name);
    }

    /** One that was computed elsewhere. */
    include(known: Quantity, times: Float64Array, values: Float64Array): void {
        this.list.push(known);
        this.byName.set(known.name, known);
        this.add(known, times, values);
    }

    private async addMagnitude(known: Quantity, parts: string[]): Promise<void> {
        const all = await Promise.all(parts.map((part) => this.run.curves.get(part)));
        const values = new Float64Array(all[0].count);
        for (let i = 0; i < values.length; i++)
            values[i] = Math.sqrt(all.reduce((sum, curve) => sum + curve.values[i] * curve.values[i], 0));
        this.add(known, all[0].times, values);
    }

    private addPlace(known: Quantity, body: number, component: number): void {
        const { motion } = this.run, values = new Float64Array(motion.count), pose = newPose();
        let turns = 0, before = 0;
        for (let k = 0; k < motion.count; k++) {
            motion.frame(k, body, pose);
            if (component < 3) {
                values[k] = pose[component];
                continue;
            }
            const angle = planeAngle(pose.subarray(3));
            // an angle beyond 180 degrees continues instead of jumping back
            if (k > 0)
                turns -= Math.round((angle - before) / (2 * Math.PI));
            before = angle;
            values[k] = angle + 2 * Math.PI * turns;
        }
        this.add(known, motion.time, values);
    }

    private add(known: Quantity, times: Float64Array, values: Float64Array): void {
        if (!this.run.curves.names.has(known.name))
            this.run.curves.add({ ...known, block: "", at: 0, count: values.length, time: "", times, values });
    }
}

export class AllQuantities {
    readonly runs: Quantities[];
    /** Of all runs, each name once. */
    readonly list: Quantity[];
    /** The run that plots show beside the first one, where there are too many for all. */
    chosen = 0;

    constructor(readonly report: Report) {
        this.runs = report.runs.map((run) => new Quantities(run));
        const seen = new Map<string, Quantity>();
        for (const run of this.runs)
            for (const one of run.list)
                if (!seen.has(one.name))
                    seen.set(one.name, one);
        this.list = [...seen.values()];
    }

    find(name: string): Quantity | undefined {
        return this.runs.map((run) => run.find(name)).find((one) => one);
    }
}

/** Values of `of` at the times of another curve; NaN outside its own times. */
export function resampled(of: Curve, times: Float64Array): Float64Array {
    if (of.times === times)
        return Float64Array.from(of.values);
    const first = of.times[0], last = of.times[of.times.length - 1], out = new Float64Array(times.length);
    for (let i = 0; i < times.length; i++)
        out[i] = times[i] < first || times[i] > last ? NaN : valueAt(of, times[i]);
    return out;
}
