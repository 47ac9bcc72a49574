// Curves as CSV: SI, nine digits, names as in result files; times of all curves in one column, empty cells where a curve has no sample.

export interface Column { name: string; times: ArrayLike<number>; values: ArrayLike<number> }

const digits = (value: number): string => (Number.isFinite(value) ? String(Number(value.toPrecision(9))) : "");

/** Names with commas or quotes are quoted; a leading sign that a spreadsheet takes for a formula stays text. */
const cell = (name: string): string => (/[",\n\r]/.test(name) || /^[=+@-]/.test(name) ? `"${name.replace(/"/g, '""')}"` : name);

function allTimes(columns: readonly Column[]): number[] {
    const same = columns.every((column) => column.times === columns[0].times);
    if (same)
        return Array.from(columns[0].times);
    return [...new Set(columns.flatMap((column) => Array.from(column.times)))].sort((a, b) => a - b);
}

export function csv(columns: readonly Column[], first = "time"): string {
    if (!columns.length)
        return "";
    const same = columns.every((column) => column.times === columns[0].times), times = allTimes(columns);
    const rows = [[first, ...columns.map((column) => column.name)].map(cell).join(",")];
    const next = columns.map(() => 0);
    times.forEach((t, i) => {
        const cells = columns.map((column, c) => {
            if (same)
                return digits(column.values[i]);
            if (column.times[next[c]] !== t)
                return "";
            // times of events occur twice, before and after: the row shows the later one
            do
                next[c]++;
            while (column.times[next[c]] === t);
            return digits(column.values[next[c] - 1]);
        });
        rows.push([digits(t), ...cells].join(","));
    });
    return rows.join("\n") + "\n";
}
