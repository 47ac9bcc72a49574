import type { Pen } from "../pen/pen.ts";
import { size } from "../look/sizes.ts";
import { pin } from "./ink.ts";
import { point_on_line } from "./point_on_line.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    if (s.axis[0] !== 0 || s.axis[1] !== 0) // the plane's line in the picture
        point_on_line.plane(pen, s, layer);
    else if (layer === "pin" && s.first && !s.thin)
        pin(pen, s.at_b, s.k, s.look, size.rod.radius);
}


// ---- in space

function space(_kit: Kit, _s: SpaceJoint): void {
}


export const point_on_plane: JointSymbol = { kind: "point_on_plane", plane, space };
