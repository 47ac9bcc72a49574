import type { Pen } from "../pen/pen.ts";
import { size, THIN_LINE } from "../look/sizes.ts";
import { foot, line, onGround, pin } from "./ink.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import { mounts, type Kit, type SpaceJoint } from "./space.ts";
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

/** A thin bar between two balls; one that only measures is not drawn. */
function space(kit: Kit, s: SpaceJoint): void {
    const { r, def } = s;
    if (def.free || !def.at || !def.to)
        return;
    kit.strut("steel-a", def.at, def.to, 0.6 * r, 0, 1);
    kit.sphere("dark-a", def.at, 1.2 * r);
    kit.sphere("dark-b", def.to, 1.2 * r);
    const { base } = mounts(def);
    if (base.ground)
        kit.bracket(base.at, null);
}


export const rod: JointSymbol = { kind: "rod", plane, space };
