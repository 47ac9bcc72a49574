import type { Pen } from "../pen/pen.ts";
import { size } from "../look/sizes.ts";
import { pin } from "./ink.ts";
import { point_on_line } from "./point_on_line.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import { mounts, type Kit, type SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    if (s.axis[0] !== 0 || s.axis[1] !== 0) // the plane's line in the picture
        point_on_line.plane(pen, s, layer);
    else if (layer === "pin" && s.first && !s.thin)
        pin(pen, s.at_b, s.k, s.look, size.rod.radius);
}


// ---- in space

/** A ball on a square of the plane as large as the motion. */
function space(kit: Kit, s: SpaceJoint): void {
    const { r, def } = s, { base, rider } = mounts(def);
    kit.square(base.end, base.at, def.normal ?? base.axis, Math.max(8 * r, 2 * s.reach + 5 * r));
    kit.sphere(`dark-${rider.end}`, rider.at, 1.4 * r);
}


export const point_on_plane: JointSymbol = { kind: "point_on_plane", plane, space };
