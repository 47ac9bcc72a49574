import { unit, type Vec } from "../base/vec.ts";
import type { Pen } from "../pen/pen.ts";
import { size } from "../look/sizes.ts";
import { FULL } from "./ink.ts";
import type { Layer, PlaneSpring } from "./plane.ts";
import type { Kit, SpaceSpring } from "./space.ts";
import type { SpringSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneSpring, layer: Layer): void {
    if (layer !== "under" || s.thin)
        return;
    // the inner end moves with body a, the outer one with body b: the number of coils shows the winding
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

/** A spiral about the axis beside the joint, wound by the angle. */
function space(kit: Kit, s: SpaceSpring): void {
    const { r, def } = s, joint = def.joint === undefined ? undefined : s.joints[def.joint], at = def.at ?? joint?.at ?? joint?.at_b;
    const axis = def.axis ?? joint?.axis;
    if (!at || !axis)
        return;
    const e = unit(axis), beside: Vec = [at[0] + 3.4 * r * e[0], at[1] + 3.4 * r * e[1], at[2] + 3.4 * r * e[2]];
    kit.spiral(beside, e, 1.2 * r, 4.2 * r, 1.75, 0.4 * r);
}


export const rotational_spring: SpringSymbol = { kind: "rotational_spring", plane, space };
