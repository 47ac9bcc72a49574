import type { Pen } from "../pen/pen.ts";
import { size } from "../look/sizes.ts";
import { along, line, normal, pin, wall } from "./ink.ts";
import type { Layer, PlaneJoint, Point } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

/** The line below the wheel as far as it rolls, and its center. */
function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    const { k, look, at, at_b, axis } = s;
    if (layer === "pin" && s.first && !s.thin)
        pin(pen, at_b, k, look, size.rod.radius);
    if (layer !== "ground" || axis[0] === 0 && axis[1] === 0)
        return;
    const u = s.def.normal ? normal(axis) : axis, n = normal(u), above = (at_b[0] - at[0]) * n[0] + (at_b[1] - at[1]) * n[1] > 0;
    const out: Point = above ? [-n[0], -n[1]] : n, [from, to] = s.def.normal ? [0, 0] : s.travel;
    const c = along(at, u, (from + to) / 2), length = Math.max(to - from, 0) + 2 * size.slot.width * k;
    if (!s.a && !s.thin)
        wall(pen, c, out, length, k, look);
    else
        line(pen, along(c, u, -length / 2), along(c, u, length / 2))
            .stroke({ color: s.a?.stroke ?? look.ink, width: s.thin ? 1 : size.slot.stroke * k });
}


// ---- in space

/** A square of the plane as large as the motion. */
function space(kit: Kit, s: SpaceJoint): void {
    const { r, def } = s, at = def.at ?? [0, 0, 0];
    kit.square("a", at, def.normal ?? def.axis ?? [0, 0, 1], Math.max(8 * r, 2 * s.reach + 5 * r));
    if (def.a < 0)
        return;
    kit.sphere("dark-a", at, 0.5 * r);
}


export const rolling: JointSymbol = { kind: "rolling", plane, space };
