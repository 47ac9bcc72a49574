import { add, scale, type Vec } from "../base/vec.ts";
import type { Pen } from "../pen/pen.ts";
import { prismatic } from "./prismatic.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import { mounts, type Kit, type SpaceJoint } from "./space.ts";
import { railEnds, standRail } from "./prismatic.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    prismatic.plane(pen, s, layer);
}


// ---- in space

/** A nut on a bar with a thread line of the pitch; finer than half a rod it would be a dark bar. */
function space(kit: Kit, s: SpaceJoint): void {
    const { r } = s, { base, rider } = mounts(s.def), [from, to] = railEnds(s, base), pitch = s.def.pitch ?? r;
    const on = (distance: number): Vec => add(rider.at, scale(rider.axis, distance * r));
    kit.cylinder(base.ground ? `steel-${base.end}` : base.end, from, to, 0.95 * r);
    kit.thread(base.end, from, to, r, Math.sign(pitch || 1) * Math.max(Math.abs(pitch), 0.8 * r));
    kit.cylinder(rider.end, on(-2.5), on(2.5), 2.25 * r);
    for (const side of [-1, 1]) // flats make its rotation visible
        kit.box(rider.end, add(rider.at, scale(rider.across, 1.7 * side * r)), rider.axis, rider.across, [4 * r, 1.6 * r, 2.6 * r]);
    standRail(kit, base, from, to);
}


export const screw: JointSymbol = { kind: "screw", plane, space };
