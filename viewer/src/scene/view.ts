// What the page needs from a picture, whether it is drawn by the pen (plane.ts) or by three (space.ts).
import type { Units } from "../base/units.ts";
import type { Report } from "../data/model.ts";
import type { Theme } from "../look/colors.ts";

export interface Show {
    traces: boolean;
    reactions: boolean;
    forces: boolean;
    velocities: boolean;
    ghosts: boolean;
    names: boolean;
    grid: boolean;
    centers: boolean;
    both: boolean; // reactions on both bodies of a joint
}

export type ColorBy = "body" | "group" | "one" | "speed" | "energy";

export interface Part { what: "body" | "joint" | "spring" | "probe" | "node"; index: number; run: number; mesh?: number }

export interface LegendItem {
    kind: "trace" | "arrow" | "run" | "colors" | "remark";
    color: string;
    text: string;
    pixels?: number; // of an arrow
    colors?: string[]; // of a color map, from low to high
    low?: string;
    high?: string;
}

export interface MeshLook { factor: number; field: string; component: number; edges: boolean }

export interface View {
    readonly canvas: HTMLCanvasElement;
    /** It cannot be turned, moved or zoomed. */
    readonly fixed?: boolean;
    /** In CSS pixels; draws. */
    resize(width: number, height: number): void;
    /** Paints the mechanism at t now. */
    draw(t: number): void;
    theme(theme: Theme): void;
    show(show: Show): void;
    colorBy(what: ColorBy): void;
    arrowScale(factor: number): void;
    meshLook(look: MeshLook): void;
    /** Deflections of beams are drawn this many times as large. */
    deflection?(factor: number): void;
    /** Units of what it writes. */
    units?(units: Units): void;
    hide(bodies: ReadonlySet<number>): void;
    /** The runs that are drawn, by number; views of one run have none to leave out. */
    showRuns?(seen: readonly number[]): void;
    fit(): void;
    /** 1 to 6 along axes, 7 slanted, 0 as at first. The plane has 0 only. */
    look(which: number): void;
    follow(body: number): void; // -1: none
    select(part: Part | null): void;
    pick(x: number, y: number): Part | null;
    /** The caption at the lower left of the picture. */
    legend(): LegendItem[];
    /** Length of the bar at the lower right in pixels and in m; null in space. */
    scaleBar(): { pixels: number; length: number } | null;
    /** The picture as SVG, where a pen can draw it. */
    svg(t: number): string | null;
    /** View as text for the address, and back. */
    camera(): string;
    setCamera(text: string): void;
    /** Called when the user turned, moved or zoomed, after the picture was drawn. */
    onMove: (() => void) | null;
    destroy(): void;
}

export type MakeView = (report: Report, theme: Theme) => Promise<View>;
