import { add, cross, scale, sub, unit, type Vec } from "../base/vec.ts";
import type { Pen } from "../pen/pen.ts";
import type { Tint } from "../look/colors.ts";
import { size, textSize } from "../look/sizes.ts";
import { along, circle, FULL, line, middle } from "./ink.ts";
import type { Point } from "./plane.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    if (!s.gear)
        return;
    if (layer === "ground" && s.gear.radii[0] > 0) { // larger wheels first: of an inner gear both are seen
        const [r1, r2] = s.gear.radii;
        disc(pen, r1 > r2 ? s.at : s.at_b, Math.max(r1, r2), r1 > r2 ? s.a : s.b);
        disc(pen, r1 > r2 ? s.at_b : s.at, Math.min(r1, r2), r1 > r2 ? s.b : s.a);
    }
    if (layer !== "under")
        return;
    const { radii, turned } = s.gear;
    if (radii[0] > 0) {
        wheel(pen, s.at, radii[0], turned[0], s, s.a);
        wheel(pen, s.at_b, radii[1], turned[1], s, s.b);
        return;
    }
    tie(pen, s);
}

/** Other axes or sliders: a dashed line with the ratio shows which two go together, and how. */
export function tie(pen: Pen, s: PlaneJoint): void {
    const { k, look } = s;
    line(pen, s.at, s.at_b).stroke({ color: look.soft, width: size.gear.stroke * k, dash: dashes });
    const m = middle(s.at, s.at_b), halo = { color: look.scene, width: size.name.halo };
    pen.text(m[0], m[1], s.gear?.text ?? "", { color: look.soft, size: textSize(12, k), align: "center", halo });
}

const dashes = [6, 4], dashDot = [9, 3, 2, 3];

export function disc(pen: Pen, c: Point, radius: number, tint: Tint | null): void {
    if (tint)
        circle(pen, c, radius).fill({ color: tint.pale, alpha: 0.6 });
}

/** A pitch circle with rotating ticks, the one at the mark longer. */
export function wheel(pen: Pen, c: Point, radius: number, turned: number, s: PlaneJoint, tint: Tint | null): void {
    const color = tint?.stroke ?? s.look.soft, width = size.gear.stroke * s.k;
    circle(pen, c, radius).stroke({ color, width, dash: s.thin ? undefined : dashDot });
    if (s.thin)
        return;
    pen.path();
    for (let i = 0; i < size.gear.ticks; i++) {
        const angle = turned + i * FULL / size.gear.ticks, half = Math.min((i ? 0.5 : 1.2) * size.gear.tick * s.k, 0.3 * radius);
        const u: Point = [Math.cos(angle), Math.sin(angle)], p = along(c, u, radius - half), q = along(c, u, radius + half);
        pen.moveTo(p[0], p[1]).lineTo(q[0], q[1]);
    }
    pen.stroke({ color, width });
}


// ---- in space

/** Two wheels that mesh on the line of centers; otherwise a dashed line with the ratio. */
function space(kit: Kit, s: SpaceJoint): void {
    if (!s.gear)
        return;
    const { centers: [c1, c2], axis, radii: [r1, r2], internal, text } = s.gear;
    if (!(r1 > 0) || !(r2 > 0)) {
        kit.dashed(c1, c2, text);
        return;
    }
    const [z1, z2] = teeth(r1, r2), width = Math.max(2.4 * s.r, 0.1 * Math.min(r1, r2)), e = unit(axis), centerLine = unit(sub(c2, c1));
    const flat = unit(sub(centerLine, scale(e, centerLine[0] * e[0] + centerLine[1] * e[1] + centerLine[2] * e[2])));
    const beside = scale(e, 3.6 * s.r + width / 2); // of the joints, whose brackets it would run into
    const put = (role: "a" | "b", joint: Vec, tooth: Vec, radius: number, z: number, ring: boolean): void => {
        const center = add(joint, beside);
        ring ? kit.ringGear(role, center, e, tooth, radius, width, z) : kit.gear(role, center, e, tooth, radius, width, z);
        kit.cylinder(`steel-${role}`, joint, add(center, scale(e, 0.7 * width)), 0.85 * s.r);
    };
    if (!internal) {
        put("a", c1, flat, r1, z1, false);
        put("b", c2, turned(scale(flat, -1), e, Math.PI / z2), r2, z2, false);
        return;
    }
    // both contact directions point from the middle of the ring over that of the pinion
    const out = r1 > r2 ? flat : scale(flat, -1);
    put("a", c1, out, r1, z1, r1 > r2);
    put("b", c2, turned(out, e, Math.PI / z2), r2, z2, r2 > r1);
}

/** Numbers of teeth in the ratio of the radii as nearly as wheels of 14 to 32 teeth (the smaller one) allow. */
export function teeth(r1: number, r2: number): [number, number] {
    const ratio = Math.max(r1, r2) / Math.min(r1, r2);
    let best = 16, error = Infinity;
    for (let z = 14; z <= 32; z++) {
        const off = Math.abs(z * ratio - Math.round(z * ratio)) / (z * ratio);
        if (off < error - 1e-9) {
            error = off;
            best = z;
        }
    }
    const large = Math.round(best * ratio);
    return r1 < r2 ? [best, large] : [large, best];
}

const turned = (v: Vec, axis: Vec, angle: number): Vec => add(scale(v, Math.cos(angle)), scale(cross(axis, v), Math.sin(angle)));


export const gear: JointSymbol = { kind: "gear", plane, space };
