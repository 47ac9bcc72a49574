// The scene with legend, clock and scale bar painted into one picture: for PNG files and films.
import { short, withUnit } from "../base/format.ts";
import { type Units, shown } from "../base/units.ts";
import type { Palette } from "../look/colors.ts";
import type { LegendItem, View } from "../scene/view.ts";

const FONT = 'system-ui, "Segoe UI", Helvetica, Arial, sans-serif';

export interface Around { palette: Palette; units: Units; clock: string; title?: string }

function paintItem(context: CanvasRenderingContext2D, item: LegendItem, x: number, y: number, palette: Palette): number {
    context.strokeStyle = context.fillStyle = item.color;
    let at = x;
    if (item.kind === "colors" && item.colors) {
        context.fillStyle = palette.soft;
        context.fillText(item.low ?? "", at, y);
        at += context.measureText(item.low ?? "").width + 6;
        const band = context.createLinearGradient(at, 0, at + 120, 0);
        item.colors.forEach((color, i, all) => band.addColorStop(i / Math.max(1, all.length - 1), color));
        context.fillStyle = band;
        context.fillRect(at, y - 6, 120, 12);
        context.fillStyle = palette.soft;
        context.fillText(item.high ?? "", at + 126, y);
        at += 132 + context.measureText(item.high ?? "").width;
    } else {
        const width = item.kind === "arrow" ? item.pixels ?? 40 : 14;
        context.lineWidth = item.kind === "arrow" ? 2.5 : 3;
        context.beginPath();
        context.moveTo(at, y);
        context.lineTo(at + width - (item.kind === "arrow" ? 8 : 0), y);
        context.stroke();
        if (item.kind === "arrow") {
            context.beginPath();
            context.moveTo(at + width, y);
            context.lineTo(at + width - 11, y - 5.5);
            context.lineTo(at + width - 11, y + 5.5);
            context.fill();
        }
        at += width + 8;
    }
    context.fillStyle = palette.soft;
    context.fillText(item.text, at, y);
    return at + context.measureText(item.text).width + 16;
}

/** Paints the present view and its surroundings. Call it in the same task as view.draw: WebGL discards its picture. */
export function paintScene(view: View, canvas: HTMLCanvasElement, around: Around): void {
    const { canvas: source } = view, { palette } = around;
    const width = source.clientWidth || source.width / 2, height = source.clientHeight || source.height / 2, ratio = source.width / width;
    if (canvas.width !== source.width || canvas.height !== source.height) {
        canvas.width = source.width;
        canvas.height = source.height;
    }
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = palette.scene;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(source, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = `13px ${FONT}`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    const bar = view.scaleBar(), room = width - 28 - (bar ? bar.pixels + 40 : 0);
    let x = 14, y = height - 22;
    for (const item of view.legend()) {
        const wide = context.measureText(item.text + (item.low ?? "") + (item.high ?? "")).width + (item.kind === "colors" ? 150 : 40);
        if (x > 14 && x + wide > room) { // rows grow upward
            x = 14;
            y -= 22;
        }
        x = paintItem(context, item, x, y, palette);
    }
    if (bar)
        paintBar(context, bar, width, height, around);
    context.font = `15px ${FONT}`;
    context.textAlign = "right";
    context.fillStyle = palette.ink;
    context.fillText(around.clock, width - 24, 24);
    context.textAlign = "left";
    if (around.title)
        context.fillText(around.title, 16, 24);
}

function paintBar(context: CanvasRenderingContext2D, bar: { pixels: number; length: number }, width: number, height: number,
    around: Around): void {
    const as = shown("m", around.units), right = width - 28, left = right - bar.pixels, y = height - 14;
    context.strokeStyle = context.fillStyle = around.palette.soft;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(left, y - 5);
    context.lineTo(left, y);
    context.lineTo(right, y);
    context.lineTo(right, y - 5);
    context.stroke();
    context.textAlign = "center";
    context.fillText(withUnit(short(bar.length * as.factor), as.unit), (left + right) / 2, y - 14);
    context.textAlign = "left";
}
