import type { Pen } from "../pen/pen.ts";
import { size } from "../look/sizes.ts";
import { along, line, normal, onGround, pin, roundBox, wall } from "./ink.ts";
import type { Point } from "./plane.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import { mounts, type Kit, type SpaceJoint } from "./space.ts";
import { railEnds, standRail } from "./prismatic.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    const { k, look, axis } = s;
    if (layer === "under") {
        const half = Math.max(s.travel[1] - s.travel[0], 0) / 2 + size.slot.width * k;
        const c = along(s.at, axis, (s.travel[0] + s.travel[1]) / 2);
        if (s.thin)
            line(pen, along(c, axis, -half), along(c, axis, half)).stroke({ color: s.a?.stroke ?? look.ink, width: 1 });
        else
            roundBox(pen, c, axis, half, size.slot.width / 2 * k, size.slot.width / 2 * k)
                .fill({ color: s.a ? s.a.pale : look.groundFill }).stroke({ color: s.a?.stroke ?? look.ink, width: size.slot.stroke * k });
    }
    if (layer === "ground" && onGround(s) && !s.thin) { // the slot is cut into ground
        const n = normal(axis), out: Point = n[0] * s.side[0] + n[1] * s.side[1] < 0 ? [-n[0], -n[1]] : n;
        const c = along(s.at, axis, (s.travel[0] + s.travel[1]) / 2, out, size.slot.width / 2 * k);
        wall(pen, c, out, s.travel[1] - s.travel[0] + 2 * size.slot.width * k, k, look);
    }
    if (layer === "pin" && s.first && !s.thin)
        pin(pen, s.at_b, k, look, 0.8 * size.pin.radius);
}


// ---- in space

/** A ring on a rod over the travel. */
function space(kit: Kit, s: SpaceJoint): void {
    const { r } = s, { base, rider } = mounts(s.def), [from, to] = railEnds(s, base);
    kit.cylinder(base.ground ? `steel-${base.end}` : base.end, from, to, 0.7 * r);
    kit.ring(`dark-${rider.end}`, rider.at, base.axis, 1.6 * r, 0.6 * r);
    standRail(kit, base, from, to);
}


export const point_on_line: JointSymbol = { kind: "point_on_line", plane, space };
