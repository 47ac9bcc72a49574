import { add, scale, type Vec } from "../base/vec.ts";
import type { Pen } from "../pen/pen.ts";
import { prismatic } from "./prismatic.ts";
import { revolute } from "./revolute.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import { mounts, type Kit, type SpaceJoint } from "./space.ts";
import { railEnds, standRail } from "./prismatic.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    // seen along its axis it rotates and slides out of the plane: a pin in a block
    if (s.axis[0] !== 0 || s.axis[1] !== 0)
        prismatic.plane(pen, s, layer);
    else
        revolute.plane(pen, s, layer);
}


// ---- in space

/** A sleeve around a round bar over the travel. */
function space(kit: Kit, s: SpaceJoint): void {
    const { r } = s, { base, rider } = mounts(s.def), [from, to] = railEnds(s, base);
    const on = (distance: number): Vec => add(rider.at, scale(rider.axis, distance * r));
    kit.cylinder(base.ground ? `steel-${base.end}` : base.end, from, to, 0.8 * r);
    kit.cylinder(rider.end, on(-3.5), on(3.5), 2.25 * r);
    for (const side of [-1, 1])
        kit.cylinder(`dark-${rider.end}`, on(3.5 * side), on(3.9 * side), 1.5 * r);
    standRail(kit, base, from, to);
}


export const cylindrical: JointSymbol = { kind: "cylindrical", plane, space };
