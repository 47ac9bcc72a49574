import type { Pen } from "../pen/pen.ts";
import { size, THIN_LINE } from "../look/sizes.ts";
import { foot, line, onGround, pin } from "./ink.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    const { k, look } = s;
    if (s.def.free) // only measures
        return;
    if (layer === "under")
        line(pen, s.at, s.at_b).stroke({ color: look.ink, width: s.thin ? THIN_LINE : size.rod.stroke * k, cap: "round" });
    if (s.thin)
        return;
    if (layer === "ground" && onGround(s))
        foot(pen, s.a ? s.at_b : s.at, s.side, k, look);
    if (layer === "pin") {
        pin(pen, s.at, k, look, size.rod.radius);
        pin(pen, s.at_b, k, look, size.rod.radius);
    }
}


// ---- in space

function space(_kit: Kit, _s: SpaceJoint): void {
}


export const rod: JointSymbol = { kind: "rod", plane, space };
