import { add, scale, unit, type Vec } from "../base/vec.ts";
import type { Pen } from "../pen/pen.ts";
import { size } from "../look/sizes.ts";
import { along, line, pin } from "./ink.ts";
import type { Layer, PlaneJoint, Point } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

/** A bar along the blade, its point on it. */
function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    const { k, look, at_b } = s, u = s.def.reference_b ?? [1, 0, 0], angle = Math.atan2(u[1], u[0]) + s.turned;
    const e: Point = [Math.cos(angle), -Math.sin(angle)], half = 1.5 * size.slot.width * k;
    if (layer === "block")
        line(pen, along(at_b, e, -half), along(at_b, e, half))
            .stroke({ color: s.b?.stroke ?? look.ink, width: s.thin ? 1 : 2 * size.slot.stroke * k, cap: "round" });
    if (layer === "pin" && s.first && !s.thin)
        pin(pen, at_b, k, look, size.rod.radius);
}


// ---- in space

/** A bar along the blade. */
function space(kit: Kit, s: SpaceJoint): void {
    const { r, def } = s, at = def.at_b ?? def.at ?? [0, 0, 0], u = unit(def.reference_b ?? [1, 0, 0]);
    const on = (distance: number): Vec => add(at, scale(u, distance * r));
    kit.capsule("dark-b", on(-4), on(4), 0.6 * r);
}


export const blade: JointSymbol = { kind: "blade", plane, space };
