import type { Pen } from "../pen/pen.ts";
import { driverArc, foot, onGround, pin } from "./ink.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
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

function space(_kit: Kit, _s: SpaceJoint): void {
}


export const revolute: JointSymbol = { kind: "revolute", plane, space };
