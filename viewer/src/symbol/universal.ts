import { add, scale, sub, type Vec } from "../base/vec.ts";
import type { Pen } from "../pen/pen.ts";
import { revolute } from "./revolute.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import { acrossBoth, mounts, type Mount, type Kit, type SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    revolute.plane(pen, s, layer); // all that is left of it in the plane
}


// ---- in space

/** A cross of two pins, each held by a fork. The cross moves with the base, where its second pin rotates little. */
function space(kit: Kit, s: SpaceJoint): void {
    const { r } = s, { base, rider } = mounts(s.def);
    fork(kit, base, rider.axis, s.middle[base.end], r);
    fork(kit, rider, base.axis, s.middle[rider.end], r);
    kit.sphere(`dark-${base.end}`, base.at, 0.95 * r);
    if (base.ground)
        kit.bracket(base.at, acrossBoth(base.axis, rider.axis, null));
}

function fork(kit: Kit, { end, at, axis, ground }: Mount, other: Vec, middle: Vec | null, r: number): void {
    const on = (distance: number): Vec => add(at, scale(axis, distance * r));
    const out = acrossBoth(axis, other, middle ? sub(middle, at) : null);
    kit.cylinder(`steel-${end}`, on(-2.5), on(2.5), 0.7 * r);
    if (ground)
        return;
    for (const side of [-1, 1])
        kit.box(end, add(on(2.2 * side), scale(out, 1.1 * r)), axis, out, [0.8 * r, 3.8 * r, 1.8 * r]);
    kit.box(end, add(at, scale(out, 3 * r)), axis, out, [5.2 * r, 1 * r, 1.8 * r]);
}


export const universal: JointSymbol = { kind: "universal", plane, space };
