// Numbers as text for people: four digits, a true minus, powers of ten where zeros would be counted.

export const MINUS = "\u2212", THIN = "\u2009", NONE = "\u2013";

const RAISED: Record<string, string> = {
    "-": "\u207b", "0": "\u2070", "1": "\u00b9", "2": "\u00b2", "3": "\u00b3", "4": "\u2074",
    "5": "\u2075", "6": "\u2076", "7": "\u2077", "8": "\u2078", "9": "\u2079",
};

/** 10 to an integer power, as `10⁻⁹`. */
export const power = (exponent: number): string => "10" + [...String(exponent)].map((sign) => RAISED[sign]).join("");

const signed = (text: string): string => text.replace("-", MINUS);

function withPower(value: number, digits: number, trim: boolean): string {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    const front = trim && mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    if (trim && Math.abs(Number(front)) === 1)
        return (value < 0 ? MINUS : "") + power(Number(exponent));
    return `${signed(front)}\u00d7${power(Number(exponent))}`;
}

/** Readouts: `84.06`, `−119.9`, `1.200×10⁻⁹`. */
export function number(value: number, digits = 4): string {
    if (Number.isNaN(value))
        return NONE;
    if (!Number.isFinite(value))
        return value > 0 ? "\u221e" : MINUS + "\u221e";
    if (value === 0)
        return "0";
    const size = Math.abs(value), rounded = size < 10 ** digits ? Number(size.toPrecision(digits)) : Math.round(size);
    if (rounded < 1e-3 || rounded >= 1e5)
        return withPower(value, digits, false);
    const places = Math.max(0, digits - 1 - Math.floor(Math.log10(rounded)));
    const text = value.toFixed(places);
    return signed(text);
}

/** The same without zeros at the end: for tables, cards and legends. */
export function short(value: number, digits = 4): string {
    const text = number(value, digits);
    if (text.includes("\u00d7"))
        return withPower(value, digits, true);
    return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** A number is always shown with its unit. Degrees follow their number without a space. */
export const withUnit = (text: string, unit: string): string => (unit === "" ? text : unit === "\u00b0" ? text + unit : text + THIN + unit);

/** Decimal places that multiples of an increment need: 2.5 needs one. */
function placesOf(increment: number): number {
    for (let places = 0; places < 9; places++)
        if (Math.abs(increment * 10 ** places - Math.round(increment * 10 ** places)) < 1e-6 * increment * 10 ** places)
            return places;
    return 9;
}

/** Numbers at an axis: as many places as its increment needs, one form for all of them. */
export function axisNumbers(values: readonly number[], increment: number): string[] {
    const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    if (largest > 0 && (largest < 1e-3 || largest >= 1e5))
        return values.map((value) => (Math.abs(value) < 1e-6 * largest ? "0" : withPower(value, 3, true)));
    const places = placesOf(increment);
    return values.map((value) => signed((Math.abs(value) < 1e-9 * increment ? 0 : value).toFixed(places).replace(/(\.\d*?)0+$/,
        "$1").replace(/\.$/, "")));
}

/** Numbers at an axis without their common power of ten, and that power: "" where there is none. */
export function scaledNumbers(values: readonly number[], increment: number): { words: string[]; power: string } {
    const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    if (!(largest > 0) || (largest >= 1e-3 && largest < 1e5))
        return { words: axisNumbers(values, increment), power: "" };
    const exponent = Math.floor(Math.log10(largest) + 1e-9), unit = 10 ** exponent;
    return { words: axisNumbers(values.map((value) => value / unit), increment / unit), power: `\u00d7${power(exponent)}` };
}

/** Decimal places that a clock needs, so that one part in some thousand of the span can be seen. */
export const clockPlaces = (span: number): number =>
    (!(span > 0) ? 3 : span >= 1e4 ? 1 : span >= 1 ? 3 : Math.min(12, 3 + Math.ceil(-Math.log10(span))));

export const clock = (t: number, span: number): string => signed(t.toFixed(clockPlaces(span)));

/** A length of the kind 1, 2, 5 times a power of ten that is not larger than most. */
export function roundBelow(most: number): number {
    const base = 10 ** Math.floor(Math.log10(most)), lead = most / base;
    return base * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}
