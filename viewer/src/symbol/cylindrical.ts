import type { Pen } from "../pen/pen.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(_pen: Pen, _s: PlaneJoint, _layer: Layer): void {
}


// ---- in space

function space(_kit: Kit, _s: SpaceJoint): void {
}


export const cylindrical: JointSymbol = { kind: "cylindrical", plane, space };
