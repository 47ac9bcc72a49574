// A field over one coordinate as a curve that moves in time: x to the right, the value upward; axes are constant during the run.
import { axisNumbers, scaledNumbers } from "../base/format.ts";
import { bracket } from "../data/model.ts";
import type { Palette } from "../look/colors.ts";
import type { Pen } from "../pen/pen.ts";
import { ticks } from "./figure.ts";
import { type Range, comfortable } from "./ranges.ts";

/** Values of one run: [frame][point], points by ascending x. */
export interface Row { label: string; x: Float64Array; times: Float64Array; values: Float32Array; vertices: Uint32Array }
export interface Profile { title: string; unit: string; xTitle: string; rows: Row[] }
export interface Mark { name: string; x: number }

export interface ProfileLook {
    grid: boolean;
    ghosts: boolean;
    names: boolean;
    factor: number;
    colors: string[]; // of the rows
    marks: Mark[];
    picked: number; // vertex; -1: none
}

interface Box { left: number; right: number; top: number; bottom: number; x: Range; y: Range; small: boolean }

const GHOSTS = 4;

/** Values of a row at time t, on straight lines between frames. */
export function rowAt(row: Row, t: number, out: Float64Array): Float64Array {
    const n = row.x.length, { k, share } = bracket(row.times, t), a = k * n, b = (share > 0 ? k + 1 : k) * n;
    for (let i = 0; i < n; i++)
        out[i] = row.values[a + i] + share * (row.values[b + i] - row.values[a + i]);
    return out;
}

export function extent(profile: Profile, swings: boolean): { x: Range; y: Range } {
    let low = Infinity, high = -Infinity, from = Infinity, to = -Infinity;
    for (const { x, values } of profile.rows) {
        from = Math.min(from, x[0]);
        to = Math.max(to, x[x.length - 1]);
        for (const value of values) {
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
    }
    const most = Math.max(Math.abs(low), Math.abs(high));
    return { x: from < to ? [from, to] : [from - 0.5, from + 0.5], y: swings ? comfortable(-most, most) : comfortable(low, high) };
}

const boxOf = (width: number, height: number, { x, y }: { x: Range; y: Range }): Box => {
    const small = width < 330 || height < 220;
    return small ? { left: 10, right: width - 10, top: 10, bottom: height - 10, x, y, small }
        : { left: 76, right: width - 36, top: 88, bottom: height - (height < 420 ? 62 : 92), x, y, small };
};

const toX = (box: Box, x: number): number => box.left + ((x - box.x[0]) / (box.x[1] - box.x[0])) * (box.right - box.left);
const toY = (box: Box, y: number): number => box.bottom - ((y - box.y[0]) / (box.y[1] - box.y[0])) * (box.bottom - box.top);

function axes(pen: Pen, box: Box, profile: Profile, look: ProfileLook, palette: Palette): void {
    const { left, right, top, bottom } = box, grid = { color: palette.line, width: 1 }, small = { color: palette.soft, size: 12 };
    const x = ticks(box.x, (right - left) / 100), y = ticks(box.y, (bottom - top) / 60);
    const xWords = axisNumbers(x.values, x.increment), { words: yWords, power } = scaledNumbers(y.values, y.increment);
    x.values.forEach((value, i) => {
        const at = toX(box, value);
        if (look.grid)
            pen.path().moveTo(at, top).lineTo(at, bottom).stroke(grid);
        if (!box.small)
            pen.text(at, bottom + 8, xWords[i], { ...small, align: "center", base: "top" });
    });
    y.values.forEach((value, i) => {
        const at = toY(box, value);
        if (look.grid || value === 0)
            pen.path().moveTo(left, at).lineTo(right, at).stroke(value === 0 ? { color: palette.faint, width: 1 } : grid);
        if (!box.small)
            pen.text(left - 8, at, yWords[i], { ...small, align: "right", base: "middle" });
    });
    if (box.small)
        return;
    pen.text((left + right) / 2, bottom + 28, profile.xTitle, { ...small, align: "center", base: "top" });
    pen.text(left, top - 16, profile.title, { color: palette.ink, size: 14, weight: 600, base: "middle" });
    if (power)
        pen.text(left - 8, top - 14, power, { ...small, align: "right", base: "middle" });
    if (profile.unit)
        pen.text(left + 9 * profile.title.length + 6, top - 16, `/ ${profile.unit}`, { ...small, size: 13, base: "middle" });
}

function curve(pen: Pen, box: Box, x: Float64Array, values: Float64Array, factor: number): Pen {
    pen.path();
    for (let i = 0, open = false; i < x.length; i++) {
        const at = toX(box, x[i]), up = toY(box, factor * values[i]);
        if (open && Number.isFinite(up))
            pen.lineTo(at, up);
        else if (Number.isFinite(up))
            pen.moveTo(at, up);
        open = Number.isFinite(up);
    }
    return pen;
}

const valueAtX = (x: Float64Array, values: Float64Array, at: number): number => {
    const { k, share } = bracket(x, at);
    return values[k] + share * ((values[k + 1] ?? values[k]) - values[k]);
};

export class ProfileDrawing {
    private room: Float64Array;
    private ranges: { x: Range; y: Range };

    constructor(readonly profile: Profile, swings: boolean) {
        this.room = new Float64Array(Math.max(...profile.rows.map((row) => row.x.length)));
        this.ranges = extent(profile, swings);
    }

    draw(pen: Pen, width: number, height: number, t: number, look: ProfileLook, palette: Palette): void {
        const box = boxOf(width, height, this.ranges), { rows } = this.profile;
        pen.enter("axes");
        axes(pen, box, this.profile, look, palette);
        pen.leave().enter("curves");
        rows.forEach((row, index) => {
            const color = look.colors[index], { x } = row, last = row.times[row.times.length - 1], span = last - row.times[0];
            for (let k = 0; look.ghosts && k < GHOSTS; k++)
                curve(pen, box, x, rowAt(row, row.times[0] + (k / (GHOSTS - 1)) * span, this.room), look.factor)
                    .stroke({ color, width: 1.5, alpha: 0.3 });
            curve(pen, box, x, rowAt(row, t, this.room), look.factor).stroke({ color, width: box.small ? 2 : 2.5 });
        });
        pen.leave().enter("probes");
        this.marks(pen, box, t, look, palette);
        pen.leave();
    }

    private marks(pen: Pen, box: Box, t: number, look: ProfileLook, palette: Palette): void {
        const row = this.profile.rows[0], values = rowAt(row, t, this.room);
        const dot = (x: number, radius: number, fill: string, ring: string, width: number): [number, number] => {
            const at = toX(box, x), up = toY(box, look.factor * valueAtX(row.x, values, x));
            pen.path().arc(at, up, radius, 0, 2 * Math.PI).fill({ color: fill }).stroke({ color: ring, width });
            return [at, up];
        };
        for (const mark of look.marks) {
            const [at, up] = dot(mark.x, 4.5, palette.accent, palette.paper, 1.5);
            if (look.names && !box.small)
                pen.text(at + 10, up - 12, mark.name, { color: palette.ink, size: 13, weight: 500, base: "middle",
                    halo: { color: palette.scene, width: 3.5 } });
        }
        const picked = row.vertices.indexOf(look.picked);
        if (look.picked >= 0 && picked >= 0)
            dot(row.x[picked], 5, palette.paper, palette.accent, 2.5);
    }

    /** The vertex of the first row that is nearest to a point on the screen, within some pixels; -1: none. */
    nearest(px: number, py: number, width: number, height: number, t: number, factor: number): number {
        const box = boxOf(width, height, this.ranges), row = this.profile.rows[0], values = rowAt(row, t, this.room);
        let best = 14, found = -1;
        row.x.forEach((x, i) => {
            const d = Math.hypot(toX(box, x) - px, toY(box, factor * values[i]) - py);
            if (d < best) {
                best = d;
                found = row.vertices[i] ?? -1;
            }
        });
        return found;
    }
}
