// Grid and scale bar of the plane: steps of 1, 2, 5 that stay readable at every zoom.
import type { Palette } from "../look/colors.ts";
import { size } from "../look/sizes.ts";
import type { Pen } from "../pen/pen.ts";
import { roundDown } from "./facts.ts";
import type { Layout } from "./layout.ts";

/** The smallest step of 1, 2, 5 whose lines are far enough apart, in m. */
export function gridStep(scale: number): number {
    const least = size.grid.least / scale, below = roundDown(least);
    if (below >= least * (1 - 1e-9))
        return below;
    const m = below / 10 ** Math.floor(Math.log10(below) + 1e-9);
    return below * (m > 1.5 && m < 3 ? 2.5 : 2); // 1 2 5 10
}

export function drawGrid(pen: Pen, layout: Layout, look: Palette): void {
    const step = gridStep(layout.camera.scale), { width, height } = layout, dx = step * layout.camera.scale;
    pen.path();
    for (let i = Math.ceil(-layout.ox / dx); i * dx + layout.ox <= width; i++)
        pen.moveTo(layout.ox + i * dx, 0).lineTo(layout.ox + i * dx, height);
    for (let i = Math.ceil(-layout.oy / dx); i * dx + layout.oy <= height; i++)
        pen.moveTo(0, layout.oy + i * dx).lineTo(width, layout.oy + i * dx);
    pen.stroke({ color: look.gridPlane, width: 1 });
}

export function scaleBarOf(layout: Layout): { pixels: number; length: number } {
    const length = gridStep(layout.camera.scale);
    return { pixels: length * layout.camera.scale, length };
}
