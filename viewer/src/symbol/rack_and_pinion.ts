import { across, add, scale, unit } from "../base/vec.ts";
import type { Pen } from "../pen/pen.ts";
import { disc, tie, wheel } from "./gear.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

/** The pinion, and a dashed line to the slide of the rack. */
function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    if (!s.gear)
        return;
    const [r] = s.gear.radii;
    if (layer === "ground" && r > 0)
        disc(pen, s.at, r, s.a);
    if (layer !== "under")
        return;
    if (r > 0)
        wheel(pen, s.at, r, s.gear.turned[0], s, s.a);
    tie(pen, s);
}


// ---- in space

function space(kit: Kit, s: SpaceJoint): void {
    if (!s.gear)
        return;
    const { centers: [c1, c2], axis, radii: [r], text } = s.gear, e = unit(axis), width = Math.max(2.4 * s.r, 0.1 * r);
    kit.dashed(c1, c2, text);
    if (!(r > 0))
        return;
    const center = add(c1, scale(e, 3.6 * s.r + width / 2));
    kit.gear("a", center, e, across(e), r, width, 18);
    kit.cylinder("steel-a", c1, add(center, scale(e, 0.7 * width)), 0.85 * s.r);
}


export const rack_and_pinion: JointSymbol = { kind: "rack_and_pinion", plane, space };
