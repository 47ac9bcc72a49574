// Positions of the entries of a pattern in an ordering, and their sort. No DOM.
import type { Blocks } from "../data/decode.ts";
import { Damaged } from "../data/decode.ts";
import type { OrderingDef, PatternDef } from "../data/header.ts";

/** Sorts of entries, as in the figures of `biela order`. */
export const INSIDE = 0, BESIDE = 1, BORDER = 2, BAND = 3, CORNER = 4;

export class Pattern {
    /** Row of each entry; `column` has its column. */
    readonly row: Uint32Array;

    constructor(readonly rows: number, readonly columns: number, readonly start: Uint32Array, readonly column: Uint32Array) {
        const bad = start.length !== rows + 1 || start[0] !== 0 || start[rows] !== column.length ||
            start.some((s, i) => i > 0 && s < start[i - 1]) || column.some((c) => c >= columns);
        if (bad)
            throw new Damaged("the pattern of the Jacobian does not fit its blocks");
        this.row = new Uint32Array(column.length);
        for (let r = 0; r < rows; r++)
            this.row.fill(r, start[r], start[r + 1]);
    }

    get entries(): number {
        return this.column.length;
    }

    /** Number of the entry; -1: there is none. Rows are short: no search tree. */
    find(row: number, column: number): number {
        for (let e = this.start[row]; e < this.start[row + 1]; e++)
            if (this.column[e] === column)
                return e;
        return -1;
    }
}

/** An ordering: the row and column at each position, and the inverse. */
export class Ordering {
    readonly positionOfRow: Int32Array; // -1: left out
    readonly positionOfColumn: Int32Array;
    readonly blockOf: Int32Array; // of each position; -1: after the blocks
    readonly inner: number; // positions of blocks; -1: there are none

    constructor(
        readonly pattern: Pattern,
        readonly rowAt: Uint32Array,
        readonly columnAt: Uint32Array,
        readonly blockStart: Uint32Array | null,
        readonly border: number,
        readonly band: number,
    ) {
        this.positionOfRow = inverse(rowAt, pattern.rows);
        this.positionOfColumn = inverse(columnAt, pattern.columns);
        const ends = blockStart && blockStart.length > 1 ? blockStart[blockStart.length - 1] : 0;
        this.inner = blockStart && blockStart.length > 1 ? ends : border || band ? Math.max(0, columnAt.length - border) : -1;
        if (ends > rowAt.length || ends > columnAt.length)
            throw new Damaged("the blocks of an ordering are larger than the Jacobian");
        this.blockOf = new Int32Array(Math.max(rowAt.length, columnAt.length)).fill(-1);
        for (let k = 0; blockStart && k + 1 < blockStart.length; k++)
            this.blockOf.fill(k, blockStart[k], blockStart[k + 1]);
    }

    get rows(): number {
        return this.rowAt.length;
    }
    get columns(): number {
        return this.columnAt.length;
    }

    sortOf(rowPosition: number, columnPosition: number): number {
        if (this.inner < 0)
            return BESIDE;
        if (rowPosition >= this.inner)
            return columnPosition >= this.inner ? CORNER : BAND;
        if (columnPosition >= this.inner)
            return BORDER;
        return this.blockOf[rowPosition] >= 0 && this.blockOf[rowPosition] === this.blockOf[columnPosition] ? INSIDE : BESIDE;
    }

    /** Position of the entry nearest to a point in cells, within a distance in cells; null: none. */
    nearest(rowPosition: number, columnPosition: number, distance: number): { row: number; column: number } | null {
        const from = Math.max(0, Math.floor(rowPosition - distance)), to = Math.min(this.rows - 1, Math.floor(rowPosition + distance));
        let best: { row: number; column: number } | null = null, least = Infinity;
        for (let r = from; r <= to; r++) {
            const row = this.rowAt[r], dr = r + 0.5 - rowPosition;
            for (let e = this.pattern.start[row]; e < this.pattern.start[row + 1]; e++) {
                const c = this.positionOfColumn[this.pattern.column[e]], dc = c + 0.5 - columnPosition, d = dr * dr + dc * dc;
                if (c >= 0 && Math.abs(dc) <= distance + 0.5 && d < least) {
                    least = d;
                    best = { row: r, column: c };
                }
            }
        }
        return best;
    }

    /** Sizes of blocks and how often each occurs, ascending. */
    sizes(): [size: number, count: number][] {
        const counts = new Map<number, number>();
        for (let k = 0; this.blockStart && k + 1 < this.blockStart.length; k++) {
            const size = this.blockStart[k + 1] - this.blockStart[k];
            counts.set(size, (counts.get(size) ?? 0) + 1);
        }
        return [...counts].sort((a, b) => a[0] - b[0]);
    }
}

function inverse(at: Uint32Array, count: number): Int32Array {
    const position = new Int32Array(count).fill(-1);
    for (let k = 0; k < at.length; k++) {
        if (at[k] >= count || position[at[k]] >= 0)
            throw new Damaged("an ordering of the Jacobian does not fit its blocks");
        position[at[k]] = k;
    }
    return position;
}

const counting = (n: number): Uint32Array => Uint32Array.from({ length: n }, (_, i) => i);

/** The pattern as it was assembled. */
export const asAssembled = (pattern: Pattern): Ordering =>
    new Ordering(pattern, counting(pattern.rows), counting(pattern.columns), null, 0, 0);

export async function readPattern(def: PatternDef, blocks: Blocks): Promise<Pattern> {
    const [start, column] = await Promise.all([blocks.integers(def.row_start), blocks.integers(def.column)]);
    return new Pattern(def.rows, def.columns, start, column);
}

export async function readOrdering(pattern: Pattern, def: OrderingDef, blocks: Blocks): Promise<Ordering> {
    const [rows, columns, starts] = await Promise.all([
        blocks.integers(def.rows), blocks.integers(def.columns), def.blocks ? blocks.integers(def.blocks) : null,
    ]);
    return new Ordering(pattern, rows, columns, starts && starts.length > 1 ? starts : null, def.border ?? 0, def.band ?? 0);
}
