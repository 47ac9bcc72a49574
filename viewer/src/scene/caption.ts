// Legend and scale bar by the pen: a figure in a paper has no page around it that shows them.
import type { Palette } from "../look/colors.ts";
import { FONT } from "../look/sizes.ts";
import type { Pen } from "../pen/pen.ts";
import { head, line } from "../symbol/ink.ts";
import type { LegendItem } from "./view.ts";
import { quantityText } from "./words.ts";

const SIZE = 13, RIM = 14, BAND = 120;

let ruler: CanvasRenderingContext2D | null = null;
/** Width of a text; without a page by the mean width of letters. */
function widthOf(text: string): number {
    ruler ??= typeof document === "undefined" ? null : document.createElement("canvas").getContext("2d");
    if (!ruler)
        return 0.58 * SIZE * text.length;
    ruler.font = `400 ${SIZE}px ${FONT}`;
    return ruler.measureText(text).width;
}

function drawItem(pen: Pen, item: LegendItem, x: number, y: number, look: Palette): number {
    const style = { color: look.soft, size: SIZE };
    let at = x;
    if (item.kind === "colors" && item.colors?.length) {
        pen.text(at, y, item.low ?? "", style);
        at += widthOf(item.low ?? "") + 6;
        const step = BAND / item.colors.length;
        item.colors.forEach((color, i) => {
            const from = at + i * step, to = from + step + (i + 1 < item.colors!.length ? 0.5 : 0); // a little over: no seams
            pen.path().moveTo(from, y - 6).lineTo(to, y - 6).lineTo(to, y + 6).lineTo(from, y + 6).close().fill({ color });
        });
        at += BAND + 6;
        pen.text(at, y, item.high ?? "", style);
        at += widthOf(item.high ?? "") + 8;
    } else if (item.kind === "arrow") {
        const long = item.pixels ?? 40;
        line(pen, [at, y], [at + long - 8, y]).stroke({ color: item.color, width: 2.6 });
        head(pen, [at + long, y], [1, 0], 11, 10, item.color);
        at += long + 8;
    } else if (item.kind !== "remark") {
        line(pen, [at, y], [at + 14, y]).stroke({ color: item.color, width: 3 });
        at += 22;
    }
    pen.text(at, y, item.text, style);
    return at + widthOf(item.text) + 16;
}

/** At the lower left the legend, at the lower right the bar with its length. */
export function drawCaption(
    pen: Pen, width: number, height: number, items: LegendItem[], bar: { pixels: number; length: number } | null, look: Palette,
): void {
    const room = width - 2 * RIM - (bar ? bar.pixels + 30 : 0);
    // from the last line upward, as many in a line as fit
    let x = RIM, y = height - RIM - 6;
    const lines: LegendItem[][] = [[]];
    for (const item of items) {
        const words = item.text + (item.low ?? "") + (item.high ?? ""), sign = item.kind === "colors" ? BAND + 30 : item.pixels ?? 14;
        const wide = widthOf(words) + sign + 24;
        if (x + wide > room && lines[lines.length - 1].length) {
            lines.push([]);
            x = RIM;
        }
        lines[lines.length - 1].push(item);
        x += wide;
    }
    pen.enter("legend");
    for (const row of lines.reverse()) {
        row.reduce((at, item) => drawItem(pen, item, at, y, look), RIM);
        y -= 22;
    }
    if (bar) {
        const right = width - RIM, left = right - bar.pixels, base = height - RIM;
        pen.path().moveTo(left, base - 6).lineTo(left, base).lineTo(right, base).lineTo(right, base - 6)
            .stroke({ color: look.soft, width: 1.25, join: "miter" });
        const text = quantityText(bar.length, "m");
        pen.text((left + right) / 2, base - 9, text, { color: look.soft, size: SIZE, align: "center", base: "bottom" });
    }
    pen.leave();
}
