import type { Pen } from "../pen/pen.ts";
import { size } from "../look/sizes.ts";
import { FULL } from "./ink.ts";
import type { Layer, PlaneSpring } from "./plane.ts";
import type { Kit, SpaceSpring } from "./space.ts";
import type { SpringSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneSpring, layer: Layer): void {
    if (layer !== "under" || s.thin)
        return;
    // the inner end rides on body a, the outer one on body b: winding is seen as more or less turns
    const { turns, inner, outer } = size.spiral, sweep = Math.max(0.5 * FULL, Math.min(4 * FULL, turns * FULL + s.angle)), pieces = 48;
    pen.path();
    for (let i = 0; i <= pieces; i++) {
        const share = i / pieces, r = (inner + (outer - inner) * share) * s.k, angle = -share * sweep;
        const x = s.from[0] + r * Math.cos(angle), y = s.from[1] + r * Math.sin(angle);
        i ? pen.lineTo(x, y) : pen.moveTo(x, y);
    }
    pen.stroke({ color: s.look.spring, width: size.spring.stroke * s.k, cap: "round" });
}


// ---- in space

function space(_kit: Kit, _s: SpaceSpring): void {
}


export const rotational_spring: SpringSymbol = { kind: "rotational_spring", plane, space };
