import type { Pen } from "../pen/pen.ts";
import { rotational_spring } from "./rotational_spring.ts";
import type { Layer, PlaneSpring } from "./plane.ts";
import type { Kit, SpaceSpring } from "./space.ts";
import type { SpringSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneSpring, layer: Layer): void {
    rotational_spring.plane(pen, s, layer);
}


// ---- in space

function space(_kit: Kit, _s: SpaceSpring): void {
}


export const spherical_spring: SpringSymbol = { kind: "spherical_spring", plane, space };
