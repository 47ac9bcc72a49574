// The pen on a canvas. Styles are set only where they differ from the last ones: setting them costs more than short strokes.
import { FONT } from "../look/sizes.ts";
import type { Fill, Pen, Stroke, TextStyle } from "./pen.ts";

export type Context = Pick<CanvasRenderingContext2D,
    "beginPath" | "moveTo" | "lineTo" | "arc" | "bezierCurveTo" | "closePath" | "fill" | "stroke" | "fillText" | "strokeText" |
    "setLineDash" | "fillStyle" | "strokeStyle" | "lineWidth" | "lineCap" | "lineJoin" |
    "globalAlpha" | "font" | "textAlign" | "textBaseline">;

const solid: number[] = [];

export class CanvasPen implements Pen {
    private fillColor = "";
    private strokeColor = "";
    private width = -1;
    private alpha = -1;
    private cap = "";
    private join = "";
    private dash: number[] | null = null;
    private font = "";

    constructor(private to: Context) {}

    /** After the context was reset (its size was set), its styles are unknown. */
    resetStyles(): void {
        this.fillColor = this.strokeColor = this.cap = this.join = this.font = "";
        this.width = this.alpha = -1;
        this.dash = null;
    }

    path(): Pen {
        this.to.beginPath();
        return this;
    }

    moveTo(x: number, y: number): Pen {
        this.to.moveTo(x, y);
        return this;
    }

    lineTo(x: number, y: number): Pen {
        this.to.lineTo(x, y);
        return this;
    }

    arc(x: number, y: number, radius: number, from: number, to: number, counter = false): Pen {
        this.to.arc(x, y, radius, from, to, counter);
        return this;
    }

    curveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): Pen {
        this.to.bezierCurveTo(x1, y1, x2, y2, x, y);
        return this;
    }

    close(): Pen {
        this.to.closePath();
        return this;
    }

    private setAlpha(alpha: number): void {
        if (alpha !== this.alpha)
            this.to.globalAlpha = this.alpha = alpha;
    }

    private setFill(color: string): void {
        if (color !== this.fillColor)
            this.to.fillStyle = this.fillColor = color;
    }

    private setStroke(color: string, width: number, cap: "round" | "butt", join: "round" | "miter", dash: number[]): void {
        if (color !== this.strokeColor)
            this.to.strokeStyle = this.strokeColor = color;
        if (width !== this.width)
            this.to.lineWidth = this.width = width;
        if (cap !== this.cap)
            this.to.lineCap = this.cap = cap;
        if (join !== this.join)
            this.to.lineJoin = this.join = join;
        if (dash !== this.dash)
            this.to.setLineDash(this.dash = dash);
    }

    fill(style: Fill): Pen {
        this.setAlpha(style.alpha ?? 1);
        this.setFill(style.color);
        this.to.fill();
        return this;
    }

    stroke(style: Stroke): Pen {
        this.setAlpha(style.alpha ?? 1);
        this.setStroke(style.color, style.width, style.cap ?? "butt", style.join ?? "round", style.dash ?? solid);
        this.to.stroke();
        return this;
    }

    text(x: number, y: number, text: string, style: TextStyle): Pen {
        const font = `${style.weight ?? 400} ${style.size}px ${FONT}`;
        if (font !== this.font)
            this.to.font = this.font = font;
        this.to.textAlign = style.align ?? "left";
        this.to.textBaseline = style.base === "top" ? "top" : style.base === "bottom" ? "bottom" : "middle";
        this.setAlpha(1);
        if (style.halo) {
            this.setStroke(style.halo.color, style.halo.width, "round", "round", solid);
            this.to.strokeText(text, x, y);
        }
        this.setFill(style.color);
        this.to.fillText(text, x, y);
        return this;
    }

    enter(_name: string): Pen {
        return this;
    }

    leave(): Pen {
        return this;
    }
}
