// Bodies of a planar model: bars, plates, given shapes, mass centers. Everything that does not change with time is worked out once.
import type { Tint, Palette } from "../look/colors.ts";
import { size, THIN_LINE } from "../look/sizes.ts";
import type { Pen, Stroke } from "../pen/pen.ts";
import { FULL, roundBox } from "../symbol/ink.ts";
import type { Point } from "../symbol/plane.ts";
import { Bands } from "./bands.ts";
import { contours, inside, outlinePoints, shown, toSegment, type Contour } from "./outline.ts";
import type { Layout, Poses } from "./layout.ts";
import type { JointDef } from "../data/header.ts";
import type { Run } from "../data/model.ts";

/** How a body is painted: ghosts and other runs are pale. */
export interface Paint { stroke: string; fill: string; strokeAlpha?: number; fillAlpha?: number; width: number; block?: boolean }

interface Picture {
    corners: Float64Array; // x y relative to the mass center
    normals: Float64Array; // direction of the outward normal of the edge that leaves each corner
    count: number;
    contours: { contour: Contour; local: Float64Array }[];
    block: boolean; // the block of a slider is all there is of it
    axis: Point; // of that block, in the model configuration
}

export class Bodies {
    readonly pictures: Picture[];
    readonly bands: Bands; // elastic bodies
    private corner = new Float64Array(2);

    constructor(readonly run: Run) {
        this.pictures = run.scene.bodies.map((_, i) => picture(run, i));
        this.bands = new Bands(run);
    }

    isPlate(body: number): boolean {
        const p = this.pictures[body];
        return p.count > 2 || p.contours.length > 0;
    }

    /** Points where a body's bar or plate has corners, on the screen. */
    private place(layout: Layout, poses: Poses, body: number, x: number, y: number): void {
        const d = poses.data, at = 4 * body;
        this.corner[0] = layout.sx(d[at] + d[at + 2] * x - d[at + 3] * y);
        this.corner[1] = layout.sy(d[at + 1] + d[at + 3] * x + d[at + 2] * y);
    }

    /** Adds the bar or plate to the path: the hull of its points offset by the radius, round at the corners. */
    hullPath(pen: Pen, layout: Layout, poses: Poses, body: number, radius: number): boolean {
        const { corners, normals, count } = this.pictures[body], { corner } = this;
        if (!count)
            return false;
        const turned = poses.angle(body);
        for (let i = 0; i < count; i++) {
            this.place(layout, poses, body, corners[2 * i], corners[2 * i + 1]);
            const from = count > 1 ? normals[(i + count - 1) % count] : 0, to = count > 1 ? normals[i] : FULL;
            if (i === 0) // others may be in the same path
                pen.moveTo(corner[0] + radius * Math.cos(from + turned), corner[1] - radius * Math.sin(from + turned));
            pen.arc(corner[0], corner[1], radius, -from - turned, -to - turned, true);
        }
        pen.close();
        return true;
    }

    /** Bar, plate and shapes of one body. */
    draw(pen: Pen, layout: Layout, poses: Poses, body: number, paint: Paint): void {
        const picture = this.pictures[body];
        for (const part of picture.contours)
            this.drawContour(pen, layout, poses, body, part, paint);
        if (picture.block || !picture.count) {
            if (picture.block && paint.block)
                this.drawBlock(pen, layout, poses, body, paint);
            return;
        }
        if (layout.thin) {
            this.drawLine(pen, layout, poses, body, paint);
            return;
        }
        if (this.hullPath(pen.path(), layout, poses, body, size.bar.radius * layout.k)) {
            pen.fill({ color: paint.fill, alpha: picture.count > 2 ? size.bar.plate * (paint.fillAlpha ?? 1) : paint.fillAlpha });
            pen.stroke({ color: paint.stroke, width: paint.width, alpha: paint.strokeAlpha });
        }
    }

    /** Hundreds of bars by color: fill and stroke are expensive, corners are not. */
    drawBars(pen: Pen, layout: Layout, poses: Poses, hidden: ReadonlySet<number>, tints: Tint[]): void {
        const radius = size.bar.radius * layout.k;
        for (const tint of new Set(tints)) {
            pen.path();
            for (let body = 0; body < this.pictures.length; body++)
                if (tints[body] === tint && !hidden.has(body) && !this.isPlate(body) && !this.pictures[body].block)
                    this.hullPath(pen, layout, poses, body, radius);
            pen.fill({ color: tint.pale }).stroke({ color: tint.stroke, width: size.bar.stroke * layout.k });
        }
    }

    /** The same curves without fill, over what is there: a body that was picked. */
    outline(pen: Pen, layout: Layout, poses: Poses, body: number, style: Stroke): void {
        this.bands.outline(pen, layout, poses, body, style);
        const picture = this.pictures[body];
        for (const part of picture.contours)
            this.contourPath(pen, layout, poses, body, part).stroke(style);
        if (!picture.block && this.hullPath(pen.path(), layout, poses, body, size.bar.radius * layout.k))
            pen.stroke(style);
    }

    /** Where no joint draws it (ghosts, other runs): the block of a slider, along the axis it had in the model. */
    private drawBlock(pen: Pen, layout: Layout, poses: Poses, body: number, paint: Paint): void {
        const { length, width, corner } = size.block, { k } = layout, d = poses.data, [ux, uy] = this.pictures[body].axis;
        const u: Point = [d[4 * body + 2] * ux - d[4 * body + 3] * uy, -(d[4 * body + 3] * ux + d[4 * body + 2] * uy)];
        roundBox(pen, [layout.sx(d[4 * body]), layout.sy(d[4 * body + 1])], u, length / 2 * k, width / 2 * k, corner * k)
            .fill({ color: paint.fill, alpha: paint.fillAlpha })
            .stroke({ color: paint.stroke, width: paint.width, alpha: paint.strokeAlpha });
    }

    private drawLine(pen: Pen, layout: Layout, poses: Poses, body: number, paint: Paint): void {
        const { corners, count } = this.pictures[body], { corner } = this;
        pen.path();
        for (let i = 0; i < count; i++) {
            this.place(layout, poses, body, corners[2 * i], corners[2 * i + 1]);
            i ? pen.lineTo(corner[0], corner[1]) : pen.moveTo(corner[0], corner[1]);
        }
        if (count > 2)
            pen.close();
        pen.stroke({ color: paint.stroke, width: THIN_LINE, alpha: paint.strokeAlpha });
    }

    private drawContour(pen: Pen, layout: Layout, poses: Poses, body: number, part: Picture["contours"][0], paint: Paint): void {
        const { contour } = part;
        this.contourPath(pen, layout, poses, body, part);
        pen.fill({ color: contour.color ?? paint.fill, alpha: size.bar.plate * (paint.fillAlpha ?? 1) });
        pen.stroke({ color: paint.stroke, width: paint.width, alpha: paint.strokeAlpha });
        if (contour.spokes && contour.circle && !layout.thin)
            this.spoke(pen, layout, poses, body, part, paint);
    }

    private contourPath(pen: Pen, layout: Layout, poses: Poses, body: number, part: Picture["contours"][0]): Pen {
        const { contour, local } = part, { corner } = this, scale = layout.camera.scale;
        pen.path();
        if (contour.circle) {
            const radius = contour.circle.radius * scale;
            this.place(layout, poses, body, local[0], local[1]);
            pen.moveTo(corner[0] + radius, corner[1]).arc(corner[0], corner[1], radius, 0, FULL).close();
        } else {
            for (let i = 0; i < local.length; i += 2) {
                this.place(layout, poses, body, local[i], local[i + 1]);
                i ? pen.lineTo(corner[0], corner[1]) : pen.moveTo(corner[0], corner[1]);
            }
            pen.close();
        }
        return pen;
    }

    /** The rotation of a round body is invisible without a radius. */
    private spoke(pen: Pen, layout: Layout, poses: Poses, body: number, part: Picture["contours"][0], paint: Paint): void {
        const radius = part.contour.circle!.radius, { corner } = this;
        pen.path();
        for (const share of [0.72, 1]) {
            this.place(layout, poses, body, part.local[0] + share * radius, part.local[1]);
            share < 1 ? pen.moveTo(corner[0], corner[1]) : pen.lineTo(corner[0], corner[1]);
        }
        pen.stroke({ color: paint.stroke, width: paint.width, alpha: paint.strokeAlpha });
    }

    /** The sign of the mass center: a circle in quarters, black and white. */
    drawCenter(pen: Pen, layout: Layout, poses: Poses, body: number, look: Palette): void {
        const x = layout.sx(poses.data[4 * body]), y = layout.sy(poses.data[4 * body + 1]), r = size.center * layout.k;
        pen.path().moveTo(x + r, y).arc(x, y, r, 0, FULL).close().fill({ color: look.paper });
        pen.path().moveTo(x, y).arc(x, y, r, 0, FULL / 4).close().moveTo(x, y).arc(x, y, r, FULL / 2, 0.75 * FULL).close()
            .fill({ color: look.ink });
        pen.path().moveTo(x + r, y).arc(x, y, r, 0, FULL).close().stroke({ color: look.ink, width: 1.2 * layout.k });
    }

    /** Adds points along the sides of bars and plates, every `step` pixels. */
    edgePlaces(layout: Layout, poses: Poses, body: number, step: number, list: number[]): void {
        const { corners, count, block } = this.pictures[body], { corner } = this, off = 0.8 * size.bar.radius * layout.k;
        for (let i = 0; i < count && count > 1 && !block; i++) {
            const j = (i + 1) % count;
            this.place(layout, poses, body, corners[2 * i], corners[2 * i + 1]);
            const [x, y] = corner;
            this.place(layout, poses, body, corners[2 * j], corners[2 * j + 1]);
            const dx = corner[0] - x, dy = corner[1] - y, long = Math.hypot(dx, dy), pieces = Math.min(200, Math.ceil(long / step));
            // the hull goes around counterclockwise: its outside is on the right
            for (let n = 0; n <= pieces && long > 0; n++)
                list.push(x + dx * n / pieces - off * dy / long, y + dy * n / pieces + off * dx / long);
        }
    }

    /** Pixels from (x, y) to the body: 0 inside; Infinity where there is nothing. */
    distance(layout: Layout, poses: Poses, body: number, x: number, y: number): number {
        const picture = this.pictures[body], d = poses.data, at = 4 * body, scale = layout.camera.scale;
        const wx = (x - layout.ox) / scale - d[at], wy = (layout.oy - y) / scale - d[at + 1];
        const p: Point = [d[at + 2] * wx + d[at + 3] * wy, -d[at + 3] * wx + d[at + 2] * wy];
        let best = Infinity;
        const corners: Point[] = [];
        for (let i = 0; i < picture.count; i++)
            corners.push([picture.corners[2 * i], picture.corners[2 * i + 1]]);
        corners.forEach((c, i) => { best = Math.min(best, toSegment(p, c, corners[(i + 1) % corners.length])); });
        if (corners.length > 2 && inside({ points: corners, circle: null, spokes: false }, p, 0))
            best = 0;
        for (const { contour, local } of picture.contours) {
            const points: Point[] = [];
            for (let i = 0; i < local.length; i += 2)
                points.push([local[i], local[i + 1]]);
            const moved: Contour = contour.circle ? { ...contour, circle: { center: points[0], radius: contour.circle.radius } }
                : { ...contour, points };
            if (inside(moved, p, 0))
                best = 0;
        }
        return best * scale;
    }
}

function picture(run: Run, body: number): Picture {
    const def = run.scene.bodies[body], [cx, cy] = def.center, near = 1e-3 * (run.scene.size || 1);
    const parts = shown(def).flatMap(contours).map((contour) => ({
        contour,
        local: Float64Array.from((contour.circle ? [contour.circle.center] : contour.points).flatMap(([x, y]) => [x - cx, y - cy])),
    }));
    let corners = outlinePoints(run.scene, body);
    // a given outline that holds all points needs no plate of its own
    if (parts.length && corners.every(([x, y]) => parts.some(({ contour }) => inside(contour, [x, y], near))))
        corners = [];
    const count = corners.length, normals = new Float64Array(count);
    for (let i = 0; i < count; i++) {
        const p = corners[i], q = corners[(i + 1) % count];
        normals[i] = Math.atan2(-(q[0] - p[0]), q[1] - p[1]);
    }
    const slider = sliderOf(run, body), local = Float64Array.from(corners.flatMap(([x, y]) => [x - cx, y - cy]));
    const block = slider !== undefined;
    return { corners: local, normals, count, contours: parts, block, axis: [slider?.axis?.[0] ?? 1, slider?.axis?.[1] ?? 0] };
}

/** A body with no more than the point of a sliding joint is drawn as its block: the joint, or undefined. */
function sliderOf(run: Run, body: number): JointDef | undefined {
    const def = run.scene.bodies[body];
    if (def.shapes.length || outlinePoints(run.scene, body).length > 1)
        return undefined;
    return run.scene.joints.find((joint) => joint.kind === "prismatic" && (joint.b === body || joint.b < 0 && joint.a === body));
}

/** Colors of a body that is drawn as usual. */
export const paintOf = (tint: Tint, k: number): Paint => ({ stroke: tint.stroke, fill: tint.pale, width: size.bar.stroke * k });
