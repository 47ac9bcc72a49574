// The pen that writes SVG text, for papers. The same calls as on a canvas give the same paths.
import { FONT } from "../look/sizes.ts";
import type { Fill, Pen, Stroke, TextStyle } from "./pen.ts";

const marks: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
/** Text and attribute values: markup becomes characters; control characters are no XML and are left out. */
export const escaped = (text: string): string =>
    text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "").replace(/[&<>"']/g, (mark) => marks[mark]);

/** Hundredths of a pixel are enough. */
export const few = (x: number): string => {
    const rounded = Math.round(x * 100) / 100;
    return Number.isFinite(rounded) ? String(rounded === 0 ? 0 : rounded) : "0";
};

export class SvgPen implements Pen {
    private parts: string[] = [];
    private d = "";
    private styles = ""; // of the path that is not written yet: fill and stroke become one element
    private filled = false;
    private started = false; // the path has a current point
    private depth = 0;

    private flush(): void {
        if (this.styles)
            this.parts.push(`<path d="${this.d.trim()}"${this.filled ? "" : ' fill="none"'}${this.styles}/>`);
        this.styles = "";
        this.filled = false;
    }

    path(): Pen {
        this.flush();
        this.d = "";
        this.started = false;
        return this;
    }

    moveTo(x: number, y: number): Pen {
        this.d += `M${few(x)} ${few(y)}`;
        this.started = true;
        return this;
    }

    lineTo(x: number, y: number): Pen {
        this.d += `${this.started ? "L" : "M"}${few(x)} ${few(y)}`;
        this.started = true;
        return this;
    }

    arc(x: number, y: number, radius: number, from: number, to: number, counter = false): Pen {
        const round = 2 * Math.PI;
        let sweep = counter ? from - to : to - from;
        // as canvas does: a full circle if the sweep is 360 degrees or more, else within [0, 2 pi)
        sweep = sweep >= round ? round : ((sweep % round) + round) % round;
        this.lineTo(x + radius * Math.cos(from), y + radius * Math.sin(from));
        // an arc of a full circle has equal ends and would be empty
        const pieces = sweep > Math.PI * 1.999 ? 2 : 1, r = few(radius), flag = counter ? 0 : 1;
        for (let i = 1; i <= pieces && sweep > 0; i++) {
            const angle = from + (counter ? -1 : 1) * sweep * i / pieces, large = sweep / pieces > Math.PI ? 1 : 0;
            this.d += `A${r} ${r} 0 ${large} ${flag} ${few(x + radius * Math.cos(angle))} ${few(y + radius * Math.sin(angle))}`;
        }
        return this;
    }

    curveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): Pen {
        if (!this.started)
            this.moveTo(x1, y1);
        this.d += `C${[x1, y1, x2, y2, x, y].map(few).join(" ")}`;
        return this;
    }

    close(): Pen {
        if (this.started)
            this.d += "Z";
        return this;
    }

    fill(style: Fill): Pen {
        if (this.styles) // a second fill, or one over a stroke: order matters
            this.flush();
        this.styles = ` fill="${escaped(style.color)}"${style.alpha === undefined ? "" : ` fill-opacity="${few(style.alpha)}"`}`;
        this.filled = true;
        return this;
    }

    stroke(style: Stroke): Pen {
        if (this.styles.includes(" stroke="))
            this.flush();
        this.styles += ` stroke="${escaped(style.color)}" stroke-width="${few(style.width)}"` +
            (style.cap === "round" ? ' stroke-linecap="round"' : "") + (style.join === "miter" ? "" : ' stroke-linejoin="round"') +
            (style.dash?.length ? ` stroke-dasharray="${style.dash.map(few).join(" ")}"` : "") +
            (style.alpha === undefined ? "" : ` stroke-opacity="${few(style.alpha)}"`);
        return this;
    }

    text(x: number, y: number, text: string, style: TextStyle): Pen {
        this.flush();
        const anchor = style.align === "center" ? "middle" : style.align === "right" ? "end" : "start";
        // baselines by numbers: many programs that read SVG pass over dominant-baseline
        const down = style.size * (style.base === "top" ? 0.8 : style.base === "bottom" ? -0.2 : 0.35);
        const halo = style.halo ? ` stroke="${escaped(style.halo.color)}" stroke-width="${few(style.halo.width)}" ` +
            'stroke-linejoin="round" paint-order="stroke"' : "";
        this.parts.push(`<text x="${few(x)}" y="${few(y + down)}" font-size="${few(style.size)}" font-weight="${style.weight ?? 400}" ` +
            `text-anchor="${anchor}" fill="${escaped(style.color)}"${halo}>${escaped(text)}</text>`);
        return this;
    }

    enter(name: string): Pen {
        this.flush();
        this.parts.push(`<g class="${escaped(name)}">`);
        this.depth++;
        return this;
    }

    leave(): Pen {
        this.flush();
        if (this.depth > 0) {
            this.parts.push("</g>");
            this.depth--;
        }
        return this;
    }

    /** The complete picture of this size in pixels. */
    finish(width: number, height: number, title: string): string {
        this.flush();
        while (this.depth > 0)
            this.leave();
        const w = few(width), h = few(height);
        return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" ` +
            `font-family="${escaped(FONT)}"><title>${escaped(title)}</title>\n${this.parts.join("\n")}\n</svg>\n`;
    }
}
