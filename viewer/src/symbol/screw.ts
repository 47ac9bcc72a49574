import type { Pen } from "../pen/pen.ts";
import { prismatic } from "./prismatic.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    prismatic.plane(pen, s, layer);
}


// ---- in space

function space(_kit: Kit, _s: SpaceJoint): void {
}


export const screw: JointSymbol = { kind: "screw", plane, space };
