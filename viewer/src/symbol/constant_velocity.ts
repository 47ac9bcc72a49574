import { add, scale, sub, dot, type Vec } from "../base/vec.ts";
import type { Pen } from "../pen/pen.ts";
import { revolute } from "./revolute.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import { mounts, type Mount, type Kit, type SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    revolute.plane(pen, s, layer); // all that is left of it in the plane
}


// ---- in space

/** A bell on the shaft of one body and a ball with a ring of balls on that of the other. */
function space(kit: Kit, s: SpaceJoint): void {
    const { r } = s, { base, rider } = mounts(s.def), out = outward(base, s.middle[base.end]), back = outward(rider, s.middle[rider.end]);
    kit.halfSphere(base.end, base.at, scale(out, -1), 2.6 * r);
    kit.cylinder(`steel-${base.end}`, add(base.at, scale(out, 2.2 * r)), add(base.at, scale(out, 4.5 * r)), 0.9 * r);
    kit.sphere(`dark-${rider.end}`, rider.at, 1.5 * r);
    kit.ring(`steel-${rider.end}`, rider.at, rider.axis, 1.9 * r, 0.45 * r);
    kit.cylinder(`steel-${rider.end}`, rider.at, add(rider.at, scale(back, 4.5 * r)), 0.9 * r);
    if (base.ground)
        kit.bracket(base.at, base.axis);
}

/** Along the shaft, to the side where the body is. */
const outward = ({ at, axis }: Mount, middle: Vec | null): Vec => middle && dot(sub(middle, at), axis) < 0 ? scale(axis, -1) : axis;


export const constant_velocity: JointSymbol = { kind: "constant_velocity", plane, space };
