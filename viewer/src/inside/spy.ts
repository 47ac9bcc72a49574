// A picture of a pattern on a canvas: areas, blocks, entries at least a pixel wide; zoomed and moved by pointer and keys.
import { insideText as text } from "../base/text_inside.ts";
import type { Palette } from "../look/colors.ts";
import { button, el, sizeCanvas } from "./dom.ts";
import { BAND, BORDER, CORNER, INSIDE, type Ordering } from "./ordering.ts";

// blue, gray, orange, green, rose of the tints: the colors of the figures of `biela order`
const TINT = [0, 5, 1, 2, 3];
export const entryColor = (palette: Palette, sort: number): string => palette.tints[TINT[sort]].stroke;

const MOST_SCALE = 40, LARGEST_CELL = 26, SMALLEST_DOT = 1.5;

export interface Cell { row: number; column: number } // positions

const rgba = (color: string): number => { // as the bytes of ImageData in memory, little-endian
    const n = parseInt(color.slice(1), 16);
    return ((255 << 24) | ((n & 255) << 16) | (n & 0xff00) | (n >> 16)) >>> 0;
};

export class Spy {
    readonly element: HTMLElement;
    readonly canvas = el("canvas", "inside-spy");
    /** Called with the cell under the pointer or the keys, with click once it is chosen. */
    onCell: ((cell: Cell | null, click: boolean) => void) | null = null;
    private ordering: Ordering | null = null;
    private palette: Palette | null = null;
    private layer = el("canvas"); // all but the cross
    private width = 0;
    private height = 0;
    private scale = 1; // CSS pixels per cell
    private left = 0; // cells left of and above the picture
    private top = 0;
    private cross: Cell | null = null; // to show
    private at: Cell | null = null; // of the keys
    private drag: { x: number; y: number; left: number; top: number; moved: boolean } | null = null;

    constructor(title: HTMLElement) {
        const tools = el("div", "inside-tools",
            this.tool("−", text.zoomOut, () => this.zoom(1 / 1.6)), this.tool("+", text.zoomIn, () => this.zoom(1.6)),
            this.tool("⤢", text.zoomAll, () => this.all()));
        this.element = el("figure", "inside-spy-figure", el("figcaption", "", title, tools), this.canvas);
        this.canvas.tabIndex = 0;
        this.canvas.setAttribute("role", "application");
        this.listen();
    }

    private tool(label: string, name: string, act: () => void): HTMLButtonElement {
        const element = button(label, "inside-tool", act);
        element.setAttribute("aria-label", name);
        element.title = name;
        return element;
    }

    set(ordering: Ordering, palette: Palette, name: string): void {
        this.ordering = ordering;
        this.palette = palette;
        this.canvas.setAttribute("aria-label", name);
        this.cross = null;
        this.all();
    }

    theme(palette: Palette): void {
        this.palette = palette;
        this.paint();
    }

    /** Room for the picture in CSS pixels. */
    resize(width: number): void {
        if (Math.abs(width - this.width) < 1)
            return;
        this.width = width;
        this.all();
    }

    private get least(): number {
        const p = this.ordering as Ordering;
        return Math.min(LARGEST_CELL, this.width / Math.max(1, p.columns), this.width / Math.max(1, p.rows));
    }

    all(): void {
        if (!this.ordering || !this.width)
            return;
        this.scale = this.least;
        this.left = this.top = 0;
        this.height = Math.max(24, Math.round(this.scale * this.ordering.rows));
        this.paint();
    }

    /** Zooms about the middle, or about a point. */
    private zoom(factor: number, x = this.span.width / 2, y = this.span.height / 2): void {
        if (!this.ordering)
            return;
        const scale = Math.min(Math.max(this.scale * factor, this.least), Math.max(MOST_SCALE, this.least));
        this.left += x / this.scale - x / scale;
        this.top += y / this.scale - y / scale;
        this.scale = scale;
        this.keepInside();
        this.paint();
    }

    private get zoomed(): boolean {
        return this.ordering !== null && this.scale > this.least * 1.001;
    }

    /** Size of the picture. */
    private get span(): { width: number; height: number } {
        return { width: Math.max(24, Math.min(this.width, Math.round(this.least * (this.ordering?.columns ?? 0)))), height: this.height };
    }

    private keepInside(): void {
        const p = this.ordering as Ordering, { width, height } = this.span;
        this.left = Math.max(0, Math.min(this.left, p.columns - width / this.scale));
        this.top = Math.max(0, Math.min(this.top, p.rows - height / this.scale));
    }

    /** Shows a cross at a position; null removes it. */
    show(cell: Cell | null): void {
        this.cross = cell;
        this.compose();
    }

    private listen(): void {
        const c = this.canvas;
        c.addEventListener("pointerdown", (event) => {
            this.drag = { x: event.clientX, y: event.clientY, left: this.left, top: this.top, moved: false };
            if (this.zoomed)
                c.setPointerCapture(event.pointerId);
        });
        c.addEventListener("pointermove", (event) => {
            const drag = this.drag;
            if (drag && this.zoomed && (event.buttons & 1)) {
                drag.moved ||= Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 4;
                if (drag.moved) {
                    this.left = drag.left - (event.clientX - drag.x) / this.scale;
                    this.top = drag.top - (event.clientY - drag.y) / this.scale;
                    this.keepInside();
                    this.paint();
                    return;
                }
            }
            this.onCell?.(this.cellAt(event), false);
        });
        c.addEventListener("pointerup", (event) => {
            const moved = this.drag?.moved;
            this.drag = null;
            if (!moved) {
                this.at = this.cellAt(event);
                this.onCell?.(this.at, true);
            }
        });
        c.addEventListener("pointerleave", () => {
            if (!this.drag?.moved)
                this.onCell?.(null, false);
        });
        c.addEventListener("dblclick", (event) => this.zoom(2, event.offsetX, event.offsetY));
        c.addEventListener("wheel", (event) => {
            // the page scrolls by the wheel unless the picture was chosen
            if (!event.ctrlKey && document.activeElement !== c)
                return;
            event.preventDefault();
            this.zoom(Math.exp(-event.deltaY * 0.002), event.offsetX, event.offsetY);
        }, { passive: false });
        c.addEventListener("keydown", (event) => this.key(event));
        c.addEventListener("blur", () => this.onCell?.(null, false));
    }

    private key(event: KeyboardEvent): void {
        const p = this.ordering, step = event.shiftKey ? 10 : 1;
        const moves: Record<string, [number, number]> = {
            ArrowUp: [-step, 0], ArrowDown: [step, 0], ArrowLeft: [0, -step], ArrowRight: [0, step],
        };
        if (!p || event.altKey || event.metaKey || event.ctrlKey)
            return;
        if (moves[event.key]) {
            const [dr, dc] = moves[event.key], at = this.at ?? { row: -dr, column: -dc };
            this.at = { row: Math.max(0, Math.min(p.rows - 1, at.row + dr)), column: Math.max(0, Math.min(p.columns - 1, at.column + dc)) };
            this.reveal(this.at);
            this.onCell?.(this.at, false);
        } else if (event.key === "Enter" && this.at)
            this.onCell?.(this.at, true);
        else if (event.key === "+" || event.key === "=" || event.key === "-") {
            const cell = this.at; // stays where it is
            const [x, y] = cell ? [(cell.column + 0.5 - this.left) * this.scale, (cell.row + 0.5 - this.top) * this.scale] : [];
            this.zoom(event.key === "-" ? 1 / 1.6 : 1.6, x, y);
        }
        else if (event.key === "0")
            this.all();
        else
            return;
        event.preventDefault();
        event.stopPropagation(); // these are keys of the page too
    }

    private reveal(cell: Cell): void {
        const { width, height } = this.span, before = [this.left, this.top];
        this.left = Math.min(Math.max(this.left, cell.column + 1 - width / this.scale), cell.column);
        this.top = Math.min(Math.max(this.top, cell.row + 1 - height / this.scale), cell.row);
        if (before[0] !== this.left || before[1] !== this.top)
            this.paint();
    }

    /** The nearest entry within a few pixels, else the cell itself. */
    private cellAt(event: PointerEvent): Cell | null {
        const p = this.ordering;
        if (!p)
            return null;
        const column = event.offsetX / this.scale + this.left, row = event.offsetY / this.scale + this.top;
        if (row < 0 || column < 0 || row >= p.rows || column >= p.columns)
            return null;
        const reach = this.scale >= 8 ? 0 : 3 / this.scale;
        const near = reach ? p.nearest(row, column, reach) : null;
        return near ?? { row: Math.floor(row), column: Math.floor(column) };
    }

    /** Redraws areas, blocks and entries. */
    private paint(): void {
        const p = this.ordering, palette = this.palette;
        if (!p || !palette || !this.width)
            return;
        const { width, height } = this.span, c = sizeCanvas(this.layer, width, height);
        if (!c)
            return;
        sizeCanvas(this.canvas, width, height);
        this.canvas.classList.toggle("inside-zoomed", this.zoomed);
        c.fillStyle = palette.paper;
        c.fillRect(0, 0, width, height);
        this.paintAreas(c, p, palette);
        if (this.scale < 3)
            this.paintDots(c, p, palette, width, height);
        else
            this.paintCells(c, p, palette);
        this.compose();
    }

    private paintAreas(c: CanvasRenderingContext2D, p: Ordering, palette: Palette): void {
        if (p.inner < 0)
            return;
        const x = (cell: number): number => (cell - this.left) * this.scale, y = (cell: number): number => (cell - this.top) * this.scale;
        const area = (sort: number, column: number, row: number, columns: number, rows: number): void => {
            c.fillStyle = palette.tints[TINT[sort]].pale;
            c.fillRect(x(column), y(row), columns * this.scale, rows * this.scale);
        };
        area(BORDER, p.inner, 0, p.columns - p.inner, p.inner);
        area(BAND, 0, p.inner, p.inner, p.rows - p.inner);
        area(CORNER, p.inner, p.inner, p.columns - p.inner, p.rows - p.inner);
        c.strokeStyle = palette.tints[TINT[INSIDE]].solid;
        c.lineWidth = 1;
        for (let k = 0; p.blockStart && k + 1 < p.blockStart.length; k++) {
            const from = p.blockStart[k], size = p.blockStart[k + 1] - from, side = size * this.scale;
            if (side < 2)
                continue;
            c.fillStyle = palette.tints[TINT[INSIDE]].pale;
            c.fillRect(x(from), y(from), side, side);
            if (side >= 6 && size > 1)
                c.strokeRect(x(from) + 0.25, y(from) + 0.25, side - 0.5, side - 0.5);
        }
    }

    /** Squares with a little paper between them. */
    private paintCells(c: CanvasRenderingContext2D, p: Ordering, palette: Palette): void {
        const { pattern } = p, s = this.scale, inset = s >= 5 ? Math.min(1.5, 0.08 * s) : 0.25, side = s - 2 * inset;
        const { width, height } = this.span;
        for (let sort = 0; sort < TINT.length; sort++) {
            c.fillStyle = entryColor(palette, p.inner < 0 ? INSIDE : sort);
            for (let e = 0; e < pattern.entries; e++) {
                const row = p.positionOfRow[pattern.row[e]], column = p.positionOfColumn[pattern.column[e]];
                if (row < 0 || column < 0 || p.sortOf(row, column) !== sort)
                    continue;
                const x = (column - this.left) * s, y = (row - this.top) * s;
                if (x > -s && y > -s && x < width && y < height)
                    c.fillRect(x + inset, y + inset, side, side);
            }
        }
    }

    /** Many entries: their pixels are set one by one, which is a hundred times faster than rectangles. */
    private paintDots(c: CanvasRenderingContext2D, p: Ordering, palette: Palette, width: number, height: number): void {
        const { pattern } = p, ratio = this.layer.width / width, w = this.layer.width, h = this.layer.height;
        const image = new ImageData(w, h), pixels = new Uint32Array(image.data.buffer);
        const colors = TINT.map((_, sort) => rgba(entryColor(palette, p.inner < 0 ? INSIDE : sort)));
        const s = this.scale * ratio, dot = Math.max(Math.round(SMALLEST_DOT * ratio), Math.floor(s));
        for (let e = 0; e < pattern.entries; e++) {
            const row = p.positionOfRow[pattern.row[e]], column = p.positionOfColumn[pattern.column[e]];
            if (row < 0 || column < 0)
                continue;
            const x = Math.min(Math.floor((column - this.left) * s), w - dot), y = Math.min(Math.floor((row - this.top) * s), h - dot);
            if (x < 0 || y < 0 || column - this.left > width / this.scale || row - this.top > height / this.scale)
                continue;
            const color = colors[p.sortOf(row, column)];
            for (let j = 0, at = y * w + x; j < dot; j++, at += w - dot)
                for (const end = at + dot; at < end; at++)
                    pixels[at] = color;
        }
        // put over the areas: setting the pixels of the canvas itself would wipe them out
        const over = el("canvas");
        over.width = w;
        over.height = h;
        over.getContext("2d")?.putImageData(image, 0, 0);
        c.drawImage(over, 0, 0, width, height);
    }

    private compose(): void {
        const p = this.ordering, palette = this.palette, { width, height } = this.span;
        const c = p && palette && this.width ? sizeCanvas(this.canvas, width, height) : null;
        if (!c || !p || !palette)
            return;
        c.drawImage(this.layer, 0, 0, width, height);
        if (!this.cross)
            return;
        const { row, column } = this.cross, s = this.scale;
        const x = (column - this.left) * s, y = (row - this.top) * s, thick = Math.max(s, 1);
        c.fillStyle = palette.accent;
        c.globalAlpha = 0.22;
        c.fillRect(x, 0, thick, height);
        c.fillRect(0, y, width, thick);
        c.globalAlpha = 1;
        c.strokeStyle = palette.accent;
        c.lineWidth = 1.5;
        const side = Math.max(s, 7);
        c.strokeRect(x + s / 2 - side / 2, y + s / 2 - side / 2, side, side);
    }
}

