import type { Pen } from "../pen/pen.ts";
import type { Layer, PlaneSpring } from "./plane.ts";
import type { Kit, SpaceSpring } from "./space.ts";
import type { SpringSymbol } from "./symbol.ts";

function plane(_pen: Pen, _s: PlaneSpring, _layer: Layer): void {
}


// ---- in space

function space(_kit: Kit, _s: SpaceSpring): void {
}


export const spring: SpringSymbol = { kind: "spring", plane, space };
