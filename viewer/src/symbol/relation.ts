import type { Pen } from "../pen/pen.ts";
import { tie } from "./gear.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

/** A function has no ratio and no wheels: a dashed line shows which two joints go together. */
function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    if (s.gear && layer === "under")
        tie(pen, s);
}


// ---- in space

function space(kit: Kit, s: SpaceJoint): void {
    if (s.gear)
        kit.dashed(...s.gear.centers, s.gear.text);
}


export const relation: JointSymbol = { kind: "relation", plane, space };
