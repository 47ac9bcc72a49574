import { add, scale, type Vec } from "../base/vec.ts";
import type { Pen } from "../pen/pen.ts";
import { driverArc, foot, onGround, pin } from "./ink.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import { mounts, type Kit, type SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    if (s.thin)
        return;
    if (layer === "ground" && onGround(s) && s.stands)
        foot(pen, s.a ? s.at : s.at_b, s.side, s.k, s.look);
    if (layer === "pin" && s.first)
        pin(pen, s.at_b, s.k, s.look);
    if (layer === "over" && s.drive)
        driverArc(pen, s);
}


// ---- in space

/** A sleeve of the moving body on a pin, held by two washers. */
function space(kit: Kit, s: SpaceJoint): void {
    const { r } = s, { base, rider } = mounts(s.def);
    const on = (distance: number): Vec => add(rider.at, scale(rider.axis, distance * r));
    const held = (distance: number): Vec => add(base.at, scale(base.axis, distance * r));
    kit.cylinder(rider.end, on(-2), on(2), 1.75 * r);
    kit.cylinder(`steel-${base.end}`, held(-3.3), held(3.3), 0.85 * r);
    for (const side of [-1, 1])
        kit.cylinder(`dark-${base.end}`, held(2.05 * side), held(2.75 * side), 1.45 * r);
    if (s.def.driven)
        kit.ring(`accent-${base.end}`, base.at, base.axis, 2.15 * r, 0.4 * r);
    if (base.ground)
        kit.bracket(base.at, base.axis);
}


export const revolute: JointSymbol = { kind: "revolute", plane, space };
