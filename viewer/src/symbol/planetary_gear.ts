import { across, add, scale, unit } from "../base/vec.ts";
import type { Pen } from "../pen/pen.ts";
import { size } from "../look/sizes.ts";
import { disc, teeth, tie, wheel } from "./gear.ts";
import { circle, FULL } from "./ink.ts";
import type { Layer, PlaneJoint, Point } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

const PLANETS = 3;

/** Sun and ring as pitch circles, and planets that move with the carrier. */
function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    if (!s.gear)
        return;
    const { radii: [sun, ring], turned, carrier = 0 } = s.gear;
    if (!(sun > 0) || !(ring > sun)) {
        if (layer === "under")
            tie(pen, s);
        return;
    }
    if (layer === "ground") {
        disc(pen, s.at_b, ring, s.b);
        disc(pen, s.at, sun, s.a);
    }
    if (layer !== "under")
        return;
    wheel(pen, s.at_b, ring, turned[1], s, s.b);
    wheel(pen, s.at, sun, turned[0], s, s.a);
    for (let i = 0; i < PLANETS; i++) {
        const angle = carrier + i * FULL / PLANETS, middle = (sun + ring) / 2;
        const c: Point = [s.at[0] + middle * Math.cos(angle), s.at[1] + middle * Math.sin(angle)];
        circle(pen, c, (ring - sun) / 2).stroke({ color: s.look.soft, width: size.gear.stroke * s.k });
    }
}


// ---- in space

function space(kit: Kit, s: SpaceJoint): void {
    if (!s.gear)
        return;
    const { centers: [c1, c2], axis, radii: [sun, ring], text } = s.gear, e = unit(axis), width = 2.4 * s.r;
    if (!(sun > 0) || !(ring > sun)) {
        kit.dashed(c1, c2, text);
        return;
    }
    const [z1, z2] = teeth(sun, ring), beside = scale(e, 3.6 * s.r + width / 2);
    kit.gear("a", add(c1, beside), e, across(e), sun, width, z1);
    kit.ringGear("b", add(c2, beside), e, across(e), ring, width, z2);
    kit.cylinder("steel-a", c1, add(c1, scale(e, 3.6 * s.r + 1.2 * width)), 0.85 * s.r);
}


export const planetary_gear: JointSymbol = { kind: "planetary_gear", plane, space };
