import type { Pen } from "../pen/pen.ts";
import { rotational_spring } from "./rotational_spring.ts";
import type { Layer, PlaneSpring } from "./plane.ts";
import type { Kit, SpaceSpring } from "./space.ts";
import type { SpringSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneSpring, layer: Layer): void {
    rotational_spring.plane(pen, s, layer);
}


// ---- in space

/** A spiral about the axis of its first joint. */
function space(kit: Kit, s: SpaceSpring): void {
    rotational_spring.space(kit, s);
}


export const torsion_bar: SpringSymbol = { kind: "torsion_bar", plane, space };
