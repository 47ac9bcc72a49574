// What a pen draws on: a canvas at twice the pixels of the page at least (thin slanted lines look dotted otherwise), or a figure as SVG.
import { text } from "../base/text.ts";
import { CanvasPen } from "./canvas.ts";
import { SvgPen } from "./svg.ts";

export class Sheet {
    readonly canvas = document.createElement("canvas");
    readonly context: CanvasRenderingContext2D;
    readonly pen: CanvasPen;
    width = 1; // of the page
    height = 1;
    ratio = 2; // pixels of the canvas to one of the page

    constructor() {
        const context = this.canvas.getContext("2d");
        if (!context)
            throw new Error(text.noCanvas);
        this.context = context;
        this.pen = new CanvasPen(context);
    }

    resize(width: number, height: number): void {
        this.width = Math.max(1, width);
        this.height = Math.max(1, height);
        this.ratio = Math.max(2, devicePixelRatio || 1);
        this.canvas.width = Math.max(1, Math.round(width * this.ratio));
        this.canvas.height = Math.max(1, Math.round(height * this.ratio));
        this.canvas.style.width = `${width}px`;
        this.canvas.style.height = `${height}px`;
    }

    /** Nothing but the ground. */
    clear(color: string): CanvasPen {
        const { context, ratio } = this;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        this.pen.resetStyles();
        context.globalAlpha = 1;
        context.fillStyle = color;
        context.fillRect(0, 0, this.width, this.height);
        return this.pen;
    }

    /** A figure of the same size: ground, what `paint` draws, a title that names model and time. */
    figure(color: string, model: string, t: number, paint: (pen: SvgPen) => void): string {
        const pen = new SvgPen(), { width, height } = this;
        pen.path().moveTo(0, 0).lineTo(width, 0).lineTo(width, height).lineTo(0, height).close().fill({ color });
        paint(pen);
        return pen.finish(width, height, text.pictureAt(model, String(Number(t.toPrecision(6)))));
    }
}
