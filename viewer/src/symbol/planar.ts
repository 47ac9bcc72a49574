import { add, scale, type Vec } from "../base/vec.ts";
import type { Pen } from "../pen/pen.ts";
import { size } from "../look/sizes.ts";
import { pin } from "./ink.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import { mounts, type Kit, type SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    if (layer === "pin" && s.first && !s.thin) // free in the plane: only a mark
        pin(pen, s.at_b, s.k, s.look, size.rod.radius);
}


// ---- in space

/** A square of the plane as large as the motion, a pin through it. */
function space(kit: Kit, s: SpaceJoint): void {
    const { r } = s, { base, rider } = mounts(s.def), normal = s.def.normal ?? base.axis;
    const on = (distance: number): Vec => add(rider.at, scale(rider.axis, distance * r));
    kit.square(base.end, base.at, normal, Math.max(8 * r, 2 * s.reach + 5 * r));
    kit.cylinder(`steel-${rider.end}`, on(-2.2), on(2.2), 0.85 * r);
    for (const side of [-1, 1])
        kit.cylinder(rider.end, on(0.15 * side), on(0.9 * side), 1.9 * r);
}


export const planar: JointSymbol = { kind: "planar", plane, space };
