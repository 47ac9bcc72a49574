import type { Pen } from "../pen/pen.ts";
import { size } from "../look/sizes.ts";
import { along, onGround, roundBox, toward, wall } from "./ink.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import { mounts, type Kit, type SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    const { k, look } = s;
    if (s.thin)
        return;
    if (layer === "ground" && onGround(s) && s.stands)
        wall(pen, along(s.a ? s.at : s.at_b, s.side, size.bar.radius * k), s.side, size.foot.base * k, k, look); // the bar ends on the line
    if (layer !== "block" || !s.a || !s.b)
        return;
    const u = toward(s.at_b, s.bodies.a), v = toward(s.at_b, s.bodies.b), corner = Math.abs(u[0] * v[1] - u[1] * v[0]);
    if (corner < 0.2) { // in one line there is no corner to fill
        roundBox(pen, s.at_b, u, 6 * k, 6 * k, 1.5 * k).fill({ color: look.ink });
        return;
    }
    const p = along(s.at_b, u, size.wedge * k), q = along(s.at_b, v, size.wedge * k);
    pen.path().moveTo(s.at_b[0], s.at_b[1]).lineTo(p[0], p[1]).lineTo(q[0], q[1]).close()
        .fill({ color: look.ink }).stroke({ color: look.ink, width: size.bar.stroke * k });
}


// ---- in space

function space(kit: Kit, s: SpaceJoint): void {
    const { r } = s, { base, rider } = mounts(s.def), size = 2.4 * r;
    kit.box(`dark-${base.end}`, base.at, base.axis, base.across, [size, size, size]);
    if (base.ground)
        kit.bracket(rider.at, null);
}


export const fixed: JointSymbol = { kind: "fixed", plane, space };
