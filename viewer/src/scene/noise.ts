// When a field of a mesh is nothing but rounding: then its colors would show a pattern that is not there.
import { valueAt, type Run } from "../data/model.ts";
import type { Field } from "../data/mesh.ts";
import { spread } from "./facts.ts";

/** What rounding and the tolerances of solvers leave of zero, relative to what the run has of that kind. */
const ROUNDING = 1e-9;

export interface Range { low: number; high: number; rounding: boolean }

/** A component, or the length of all of them (-1). */
export function valueOf(values: Float32Array, at: number, count: number, component: number): number {
    if (component >= 0 || count === 1)
        return values[at + Math.max(0, component)];
    let square = 0;
    for (let c = 0; c < count; c++)
        square += values[at + c] * values[at + c];
    return Math.sqrt(square);
}

/** Least and largest value over the run. */
export function range(field: Field, component: number): [number, number] {
    const n = field.def.components, all = new Float32Array(field.vertices * n);
    let low = Infinity, high = -Infinity;
    for (const frame of spread(field.frames, 60)) {
        field.between(frame, 0, all);
        for (let v = 0; v < field.vertices; v++) {
            const value = valueOf(all, v * n, n, component);
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
    }
    return low <= high ? [low, high] : [0, 0];
}

/**
 * Energy per volume has the unit of a stress, and no stress that belongs to the run is far below it: of a motion at speed v below that of
 * sound c it is rho c v against rho v^2/2, of a strain e it is E e against E e^2/2. The box about the mesh is larger than the mesh, which
 * keeps the bound low.
 */
async function energyDensity(run: Run, vertices: Float32Array): Promise<number> {
    const names = ["kinetic", "potential", "work"].filter((name) => run.curves.names.has(name)), { time } = run.motion;
    let energy = 0, volume = 1;
    for (const name of names) {
        const curve = await run.curves.get(name).catch(() => null), first = curve ? valueAt(curve, time[0] ?? 0) : 0;
        for (const value of curve?.values ?? []) // a potential has no zero of its own; motion has
            energy = Math.max(energy, Math.abs(name === "kinetic" ? value : value - first) || 0);
    }
    for (let c = 0; c < 3; c++) {
        let low = Infinity, high = -Infinity;
        for (let at = c; at < vertices.length; at += 3) {
            low = Math.min(low, vertices[at]);
            high = Math.max(high, vertices[at]);
        }
        volume *= high > low ? high - low : 1; // in the plane and on a line energies are those of a unit of the rest
    }
    return energy / volume;
}

/** The range of a component's values; [0, 0] and `rounding` if all of them are within the rounding errors of the run. */
export async function shownRange(run: Run, field: Field, vertices: Float32Array, component: number): Promise<Range> {
    const [low, high] = range(field, component), most = Math.max(Math.abs(low), Math.abs(high)), { components, unit } = field.def;
    let floor = 0;
    if (component >= 0 && components > 1) { // beside the other components
        const [, largest] = range(field, -1);
        floor = ROUNDING * largest;
    }
    if (unit === "N/m^2" || unit === "Pa")
        floor = Math.max(floor, ROUNDING * await energyDensity(run, vertices));
    if (most < floor)
        return { low: 0, high: 0, rounding: true };
    return { low, high: high - low < ROUNDING * most ? low : high, rounding: false }; // an even field is one color
}
