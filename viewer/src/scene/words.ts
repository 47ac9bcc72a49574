// Numbers beside the picture: round values with their unit.
import { short, withUnit } from "../base/format.ts";
import { pressureUnit } from "../base/units.ts";

const larger: Record<string, [string, number]> = { N: ["kN", 1e3], "N m": ["kN m", 1e3], m: ["km", 1e3], J: ["kJ", 1e3] };
const smaller: Record<string, [string, number]> = { m: ["mm", 1e-3], "m/s": ["mm/s", 1e-3], J: ["mJ", 1e-3] };

/** The unit in which x is shortest, and what it is worth. */
function unitFor(x: number, siUnit: string): [string, number] {
    if (siUnit === "N/m^2" || siUnit === "Pa") {
        const as = pressureUnit(x);
        return [as.unit, 1 / as.factor];
    }
    const unit = siUnit.replace("^2", "\u00b2").replace("^3", "\u00b3");
    const up = larger[unit], down = smaller[unit], size = Math.abs(x);
    if (up && size >= up[1] * (unit === "m" ? 10 : 1))
        return up;
    return down && size > 0 && size < 0.5 ? down : [unit, 1];
}

/** With its unit, in thousands or thousandths where that is shorter. */
export function quantityText(x: number, siUnit: string): string {
    const [unit, worth] = unitFor(x, siUnit);
    return withUnit(short(x / worth), unit);
}

/** The ends of a range in one unit, which the second one carries. */
export function rangeText(low: number, high: number, siUnit: string): [string, string] {
    const [unit, worth] = unitFor(Math.max(Math.abs(low), Math.abs(high)), siUnit);
    return [short(low / worth, 3), withUnit(short(high / worth, 3), unit)];
}
