// Beams in the plane: bands along their curves, as wide as the section is high, but not narrower than can be seen.
import { elasticOf } from "../data/elastic.ts";
import type { ElasticDef } from "../data/header.ts";
import type { Run } from "../data/model.ts";
import { size, THIN_LINE } from "../look/sizes.ts";
import type { Pen, Stroke } from "../pen/pen.ts";
import { circle } from "../symbol/ink.ts";
import type { Point } from "../symbol/plane.ts";
import { newLine, partsOf, trace, type Line } from "./beams.ts";
import type { Paint } from "./bodies.ts";
import type { Layout, Poses } from "./layout.ts";
import { toSegment } from "./outline.ts";

interface Band { beam: ElasticDef; lines: Line[]; parts: number }

export class Bands {
    private list: Band[];

    constructor(readonly run: Run) {
        this.list = (run.scene.elastic ?? []).filter((beam) => beam.pieces?.length).map((beam) => {
            const parts = partsOf(beam);
            return { beam, parts, lines: beam.pieces!.map((piece) => newLine(piece, parts)) };
        });
    }

    private place(band: Band, poses: Poses): void {
        band.beam.pieces!.forEach((piece, i) => trace(piece, band.parts, poses.frames, band.lines[i]));
    }

    /** Pixels, and whether they are those of the section. */
    private width({ beam }: Band, layout: Layout): { width: number; real: boolean } {
        const real = (beam.height ?? beam.diameter ?? 0) * layout.camera.scale, least = 2 * size.beam.radius * layout.k;
        return layout.thin ? { width: THIN_LINE, real: false } : { width: Math.max(real, least), real: real > least };
    }

    /** The curves one after the other, lengthened at both ends by some pixels. */
    private path(pen: Pen, { lines }: Band, layout: Layout, more: number): Pen {
        pen.path();
        lines.forEach(({ count, at, along }, l) => {
            for (let i = l ? 1 : 0; i < count; i++) { // pieces share their corners
                const end = l === 0 && i === 0 ? -more : l === lines.length - 1 && i === count - 1 ? more : 0;
                const x = layout.sx(at[3 * i]) + end * along[3 * i], y = layout.sy(at[3 * i + 1]) - end * along[3 * i + 1];
                l + i ? pen.lineTo(x, y) : pen.moveTo(x, y);
            }
        });
        return pen;
    }

    draw(pen: Pen, layout: Layout, poses: Poses, hidden: ReadonlySet<number>, paint: (body: number) => Paint): void {
        for (const band of this.list) {
            const { beam } = band, look = paint(beam.first + (beam.count >> 1)), { width, real } = this.width(band, layout);
            if (hidden.has(beam.first))
                continue;
            this.place(band, poses);
            const style = { cap: real ? "butt" : "round", join: real ? "miter" : "round" } as const;
            if (layout.thin || look.strokeAlpha !== undefined) { // ghosts and other runs: what lies under them stays visible
                if (!layout.thin)
                    this.path(pen, band, layout, 0).stroke({ ...style, color: look.fill, width, alpha: look.fillAlpha });
                this.path(pen, band, layout, 0).stroke({
                    color: look.stroke, width: layout.thin ? width : look.width, alpha: look.strokeAlpha });
                continue;
            }
            this.path(pen, band, layout, real ? look.width / 2 : 0).stroke({ ...style, color: look.stroke, width: width + look.width });
            this.path(pen, band, layout, real ? -look.width / 2 : 0).stroke({ ...style, color: look.fill, width: width - look.width });
        }
    }

    /** Both edges of the beam of a frame, over what is there. */
    outline(pen: Pen, layout: Layout, poses: Poses, body: number, style: Stroke): void {
        const beam = elasticOf(this.run.scene, body), band = this.list.find((one) => one.beam === beam);
        if (!band)
            return;
        this.place(band, poses);
        circle(pen, [layout.sx(poses.data[4 * body]), layout.sy(poses.data[4 * body + 1])], 0.7 * style.width)
            .fill({ color: style.color }); // the frame
        const { width } = this.width(band, layout), off = layout.thin ? 0 : width / 2;
        for (const side of off ? [-1, 1] : [0]) {
            for (const { count, at, along } of band.lines) {
                pen.path();
                for (let i = 0; i < count; i++) {
                    const x = layout.sx(at[3 * i]) + side * off * along[3 * i + 1];
                    const y = layout.sy(at[3 * i + 1]) + side * off * along[3 * i];
                    i ? pen.lineTo(x, y) : pen.moveTo(x, y);
                }
                pen.stroke({ ...style, cap: "round", join: "round" });
            }
        }
    }

    /** Calls with each short piece of all beams, on the screen. */
    private eachPiece(layout: Layout, poses: Poses, use: (p: Point, q: Point, frame: number, band: Band) => void): void {
        for (const band of this.list) {
            this.place(band, poses);
            for (const { count, at, frame } of band.lines)
                for (let i = 1; i < count; i++)
                    use([layout.sx(at[3 * i - 3]), layout.sy(at[3 * i - 2])], [layout.sx(at[3 * i]), layout.sy(at[3 * i + 1])],
                        frame[i], band);
        }
    }

    /** The frame nearest to (x, y) and pixels to its beam; within the band 0. */
    nearest(layout: Layout, poses: Poses, x: number, y: number, hidden: ReadonlySet<number>): { body: number; distance: number } {
        const best = { body: -1, distance: Infinity };
        let least = Infinity;
        this.eachPiece(layout, poses, (p, q, frame, band) => {
            const away = toSegment([x, y], p, q), distance = Math.max(0, away - this.width(band, layout).width / 2);
            if (hidden.has(band.beam.first) || !(distance < best.distance || distance === best.distance && away < least))
                return;
            least = away;
            Object.assign(best, { body: frame, distance });
        });
        return best;
    }

    /** Adds points along the curves, about every `step` pixels. */
    edgePlaces(layout: Layout, poses: Poses, step: number, hidden: ReadonlySet<number>, list: number[]): void {
        this.eachPiece(layout, poses, (p, q, _frame, { beam }) => {
            const n = hidden.has(beam.first) ? 0 : Math.min(50, Math.ceil(Math.hypot(q[0] - p[0], q[1] - p[1]) / step));
            for (let i = 0; i < n; i++)
                list.push(p[0] + (q[0] - p[0]) * i / n, p[1] + (q[1] - p[1]) * i / n);
        });
    }
}
