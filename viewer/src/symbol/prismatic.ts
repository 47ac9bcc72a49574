import { add, scale, type Vec } from "../base/vec.ts";
import type { Pen } from "../pen/pen.ts";
import { block, driverDouble, guides, onGround, rail } from "./ink.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import { mounts, ride, type Mount, type Kit, type Role, type SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    if (layer === "ground" && onGround(s))
        rail(pen, s);
    if (s.thin)
        return;
    if (layer === "under" && !onGround(s) && !s.onBar)
        guides(pen, s);
    if (layer === "block")
        block(pen, s);
    if (layer === "over" && s.drive)
        driverDouble(pen, s, s.b ? s.at_b : s.at);
}


// ---- in space

/** A block around a square bar over the travel. */
function space(kit: Kit, s: SpaceJoint): void {
    const { r } = s, { base, rider } = mounts(s.def), [from, to] = railEnds(s, base), band: Role = `accent-${rider.end}`;
    const length = Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
    const middle: Vec = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2, (from[2] + to[2]) / 2];
    kit.box(base.ground ? `steel-${base.end}` : base.end, middle, base.axis, base.across, [length, 1.4 * r, 1.4 * r]);
    kit.box(rider.end, rider.at, rider.axis, rider.across, [7 * r, 4.5 * r, 4.5 * r]);
    if (s.def.driven)
        for (const side of [-2.6, 2.6])
            kit.box(band, add(rider.at, scale(rider.axis, side * r)), rider.axis, rider.across, [0.8 * r, 4.8 * r, 4.8 * r]);
    standRail(kit, base, from, to);
}

/** Both ends of a rail: the travel and as much beyond as the block is long. */
export function railEnds(s: SpaceJoint, base: Mount): [Vec, Vec] {
    const [low, high] = ride(s, base), on = (distance: number): Vec => add(base.at, scale(base.axis, distance));
    return [on(low - 6 * s.r), on(high + 6 * s.r)];
}

/** A rail on ground has supports at both ends. */
export function standRail(kit: Kit, base: Mount, from: Vec, to: Vec): void {
    if (!base.ground)
        return;
    kit.bracket(from, null);
    kit.bracket(to, null);
}


export const prismatic: JointSymbol = { kind: "prismatic", plane, space };
