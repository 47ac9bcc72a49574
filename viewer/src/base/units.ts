// Units for the screen by choice; data and CSV are always SI.

export const pressures = ["Pa", "kPa", "MPa", "GPa"] as const;
export interface Units { angle: "deg" | "rad"; length: "mm" | "m"; force: "N" | "kN"; stress: (typeof pressures)[number] }

export const UNITS: Units = { angle: "deg", length: "m", force: "N", stress: "Pa" };

/** Shown value = SI value times factor. */
export interface Shown { unit: string; factor: number }

const DEGREES = 180 / Math.PI;

/** The unit in which a pressure or stress of this size has one to three digits before the point. */
export function stressUnit(size: number): Units["stress"] {
    const step = Math.min(3, Math.max(0, Math.floor(Math.log10(Math.abs(size) * (1 + 1e-12)) / 3))) || 0;
    return pressures[step];
}

/** How a value of this SI unit is shown. */
export function shown(si: string, units: Units): Shown {
    const deg = units.angle === "deg", mm = units.length === "mm", kN = units.force === "kN";
    switch (si) {
    case "rad":
        return deg ? { unit: "\u00b0", factor: DEGREES } : { unit: "rad", factor: 1 };
    case "rad/s":
        return deg ? { unit: "\u00b0/s", factor: DEGREES } : { unit: "rad/s", factor: 1 };
    case "rad/s^2":
        return deg ? { unit: "\u00b0/s\u00b2", factor: DEGREES } : { unit: "rad/s\u00b2", factor: 1 };
    case "m":
        return mm ? { unit: "mm", factor: 1000 } : { unit: "m", factor: 1 };
    case "m/s":
        return mm ? { unit: "mm/s", factor: 1000 } : { unit: "m/s", factor: 1 };
    case "m/s^2":
        return { unit: "m/s\u00b2", factor: 1 };
    case "N":
        return kN ? { unit: "kN", factor: 1e-3 } : { unit: "N", factor: 1 };
    case "N m":
        return kN ? { unit: "kN m", factor: 1e-3 } : { unit: "N m", factor: 1 };
    case "N/m^2":
    case "Pa":
        return { unit: units.stress, factor: 10 ** (-3 * pressures.indexOf(units.stress)) };
    case "J/m^3":
        return { unit: "J/m\u00b3", factor: 1 };
    case "1":
    case "":
        return { unit: "", factor: 1 };
    default:
        return { unit: si.replace(/\^2/g, "\u00b2").replace(/\^3/g, "\u00b3"), factor: 1 };
    }
}

/** Lengths in mm for mechanisms under half a meter. */
export const lengthUnit = (size: number): Units["length"] => (size < 0.5 ? "mm" : "m");
/** Forces in kN where the largest has five digits in N. */
export const forceUnit = (largest: number): Units["force"] => (largest >= 1e4 ? "kN" : "N");
