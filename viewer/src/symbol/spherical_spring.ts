import type { Vec } from "../base/vec.ts";
import type { Pen } from "../pen/pen.ts";
import { rotational_spring } from "./rotational_spring.ts";
import type { Layer, PlaneSpring } from "./plane.ts";
import type { Kit, SpaceSpring } from "./space.ts";
import type { SpringSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneSpring, layer: Layer): void {
    rotational_spring.plane(pen, s, layer);
}


// ---- in space

/** Three rings about the joint: it resists rotation about every axis. */
function space(kit: Kit, s: SpaceSpring): void {
    const { r, def } = s, joint = def.joint === undefined ? undefined : s.joints[def.joint], at = def.at ?? joint?.at ?? joint?.at_b;
    const axes: Vec[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    if (at)
        for (const axis of axes)
            kit.ring("spring-b", at, axis, 2.6 * r, 0.32 * r);
}


export const spherical_spring: SpringSymbol = { kind: "spherical_spring", plane, space };
