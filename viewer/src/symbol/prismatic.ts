import type { Pen } from "../pen/pen.ts";
import { block, driverDouble, guides, onGround, rail } from "./ink.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
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

function space(_kit: Kit, _s: SpaceJoint): void {
}


export const prismatic: JointSymbol = { kind: "prismatic", plane, space };
