import { sub } from "../base/vec.ts";
import type { Pen } from "../pen/pen.ts";
import { revolute } from "./revolute.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import { mounts, type Kit, type SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    revolute.plane(pen, s, layer); // all that is left of it in the plane
}


// ---- in space

/** A ball; with names on also the socket that holds it. */
function space(kit: Kit, s: SpaceJoint): void {
    const { r } = s, { base, rider } = mounts(s.def), toward = s.middle[rider.end];
    kit.sphere(`dark-${base.end}`, base.at, 1.55 * r);
    if (s.names && toward)
        kit.halfSphere(rider.end, rider.at, sub(rider.at, toward), 2 * r);
    if (base.ground)
        kit.bracket(base.at, null);
}


export const spherical: JointSymbol = { kind: "spherical", plane, space };
