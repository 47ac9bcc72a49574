import type { Pen } from "../pen/pen.ts";
import { revolute } from "./revolute.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    revolute.plane(pen, s, layer); // all that is left of it in the plane
}


// ---- in space

function space(_kit: Kit, _s: SpaceJoint): void {
}


export const spherical: JointSymbol = { kind: "spherical", plane, space };
