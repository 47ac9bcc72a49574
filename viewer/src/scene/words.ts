// Numbers beside the picture: round values with their unit.
import { short, withUnit } from "../base/format.ts";
import { text } from "../base/text.ts";
import { type Units, UNITS, shown } from "../base/units.ts";
import type { LegendItem } from "./view.ts";

let units: Units = UNITS; // a page has one choice of units; plots and cards follow the same

export function useUnits(chosen: Units): void {
    units = chosen;
}

/** With its unit. */
export function quantityText(x: number, siUnit: string): string {
    const as = shown(siUnit, units);
    return withUnit(short(x * as.factor), as.unit);
}

/** What the legend says where deflections of beams are enlarged. */
export const deflectionLegend = (elastic: unknown[] | undefined, factor: number): LegendItem[] =>
    elastic?.length && factor !== 1 ? [{ kind: "remark", color: "", text: text.scene.enlarged(short(factor, 3)) }] : [];

/** The ends of a range in one unit, which the second one carries. */
export function rangeText(low: number, high: number, siUnit: string): [string, string] {
    const as = shown(siUnit, units);
    const least = 5e-4 * Math.max(Math.abs(low), Math.abs(high)); // negligible beside three digits of the other end
    return [short(Math.abs(low) < least ? 0 : low * as.factor, 3), withUnit(short(high * as.factor, 3), as.unit)];
}
