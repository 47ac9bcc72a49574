import type { Pen } from "../pen/pen.ts";
import { prismatic } from "./prismatic.ts";
import { revolute } from "./revolute.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    // seen along its axis it turns and slides out of the plane: a pin in a block
    if (s.axis[0] !== 0 || s.axis[1] !== 0)
        prismatic.plane(pen, s, layer);
    else
        revolute.plane(pen, s, layer);
}


// ---- in space

function space(_kit: Kit, _s: SpaceJoint): void {
}


export const cylindrical: JointSymbol = { kind: "cylindrical", plane, space };
