import type { Pen } from "../pen/pen.ts";
import { size } from "../look/sizes.ts";
import { pin } from "./ink.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    if (layer === "pin" && s.first && !s.thin) // free in the whole plane: a mark, no more
        pin(pen, s.at_b, s.k, s.look, size.rod.radius);
}


// ---- in space

function space(_kit: Kit, _s: SpaceJoint): void {
}


export const planar: JointSymbol = { kind: "planar", plane, space };
