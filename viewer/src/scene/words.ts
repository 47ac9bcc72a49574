// Numbers beside the picture: round values with their unit.

const digits = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";

/** At most four significant digits; powers of ten outside 1e-3 to 1e5; a real minus. */
export function numberText(x: number, significant = 4): string {
    if (!Number.isFinite(x))
        return "\u2013";
    const size = Math.abs(x), sign = x < 0 ? "\u2212" : "";
    if (size === 0)
        return "0";
    if (size >= 1e-3 && size < 1e5)
        return sign + String(Number(size.toPrecision(significant)));
    const [mantissa, power] = size.toExponential(significant - 1).split("e"), n = Number(power);
    const raised = (n < 0 ? "\u207b" : "") + String(Math.abs(n)).split("").map((d) => digits[Number(d)]).join("");
    return `${sign}${Number(mantissa)}\u00d710${raised}`;
}

const larger: Record<string, [string, number]> = { N: ["kN", 1e3], "N m": ["kN m", 1e3], m: ["km", 1e3], Pa: ["MPa", 1e6] };
const smaller: Record<string, [string, number]> = { m: ["mm", 1e-3], "m/s": ["mm/s", 1e-3] };

/** With its unit, in thousands or thousandths where that is shorter. */
export function quantityText(x: number, siUnit: string): string {
    const unit = siUnit === "N/m^2" ? "Pa" : siUnit.replace("^2", "\u00b2").replace("^3", "\u00b3");
    const up = larger[unit], down = smaller[unit], size = Math.abs(x);
    if (up && size >= up[1] * (unit === "m" ? 10 : unit === "Pa" ? 0.01 : 1))
        return `${numberText(x / up[1])}\u2009${up[0]}`;
    if (down && size > 0 && size < 0.5)
        return `${numberText(x / down[1])}\u2009${down[0]}`;
    return unit ? `${numberText(x)}\u2009${unit}` : numberText(x);
}
