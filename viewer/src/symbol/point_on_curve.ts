import type { Pen } from "../pen/pen.ts";
import { size } from "../look/sizes.ts";
import { hatchAlong, outside, pin, polyline, sideOf } from "./ink.ts";
import type { Layer, PlaneJoint, Point } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

/** A slot along the curve, and the point in it. */
function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    const { curve, k, look } = s;
    if (!curve)
        return;
    if (layer === (s.a ? "under" : "back")) // a body in front of the slot in ground is seen
        slot(pen, s, curve.points);
    if (layer === "pin" && s.first && !s.thin)
        pin(pen, s.at_b, k, look, 0.8 * size.pin.radius);
}

function slot(pen: Pen, s: PlaneJoint, points: Point[]): void {
    const { k, look } = s, closed = s.def.closed ?? false, color = s.a?.stroke ?? look.ink, { width, stroke } = size.slot;
    if (s.thin) {
        polyline(pen, points, closed).stroke({ color, width: 1 });
        return;
    }
    if (!s.a)
        hatchAlong(pen, points, closed, closed ? outside(points) : sideOf(points, s.side), width / 2 * k, k, look);
    // its two edges are the rest of a wider line
    polyline(pen, points, closed).stroke({ color, width: (width + stroke) * k, cap: "round", join: "round" })
        .stroke({ color: s.a ? s.a.pale : look.groundFill, width: (width - stroke) * k, cap: "round", join: "round" });
}


// ---- in space

/** A ball on a wire along the curve. */
function space(kit: Kit, s: SpaceJoint): void {
    const { r, def } = s, { curve, at_b: bead } = def;
    if (!curve || curve.length < 2 || !bead)
        return;
    const wire = def.a < 0 ? "steel-a" : "a", n = curve.length;
    for (let i = 0; i < (def.closed ? n : n - 1); i++)
        kit.capsule(wire, curve[i], curve[(i + 1) % n], 0.6 * r);
    kit.sphere("dark-b", bead, 1.5 * r);
    if (def.a < 0)
        for (const end of [0, def.closed ? n >> 1 : n - 1])
            kit.bracket(curve[end], null);
    else if (def.b < 0)
        kit.bracket(bead, null);
}


export const point_on_curve: JointSymbol = { kind: "point_on_curve", plane, space };
