import { add, scale, unit } from "../base/vec.ts";
import type { Pen } from "../pen/pen.ts";
import { size } from "../look/sizes.ts";
import { circle, wall } from "./ink.ts";
import type { Layer, PlaneSpring } from "./plane.ts";
import type { Kit, SpaceSpring } from "./space.ts";
import type { SpringSymbol } from "./symbol.ts";

/** A ring on one body about a pin of the other, and the elastic layer between them. */
function plane(pen: Pen, s: PlaneSpring, layer: Layer): void {
    const { k, look } = s, outer = size.spiral.inner * k, color = look.spring;
    if (s.thin)
        return;
    if (layer === "ground" && (s.groundEnds[0] || s.groundEnds[1]))
        wall(pen, [s.from[0], s.from[1] + outer], [0, 1], size.spring.wall * k, k, look);
    if (layer === "under")
        circle(pen, s.from, outer).fill({ color: look.scene }).stroke({ color, width: size.spring.stroke * k });
    if (layer === "pin")
        circle(pen, s.to, 0.45 * outer).fill({ color }).stroke({ color: look.scene, width: 1.2 * k });
}


// ---- in space

/** A sleeve about its first axis with a ring around it. */
function space(kit: Kit, s: SpaceSpring): void {
    const { r, def } = s, at = def.at;
    if (!at)
        return;
    const e = unit(def.axis ?? [1, 0, 0]), to = def.to ?? at;
    kit.ring("spring-a", at, e, 2.4 * r, 0.7 * r);
    kit.cylinder("dark-b", add(to, scale(e, -1.6 * r)), add(to, scale(e, 1.6 * r)), 1.2 * r);
    if (def.a < 0 || def.b < 0)
        kit.bracket(def.a < 0 ? at : to, null);
}


export const bushing: SpringSymbol = { kind: "bushing", plane, space };
