import { scale, unit, add, type Vec } from "../base/vec.ts";
import type { Pen } from "../pen/pen.ts";
import { size } from "../look/sizes.ts";
import { disc, tie, wheel } from "./gear.ts";
import { along, gap, normal, toward } from "./ink.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    if (!s.gear)
        return;
    const { radii: [r1, r2], turned } = s.gear, d = gap(s.at, s.at_b);
    if (!(r1 > 0) || !(r2 > 0) || !(d > r1 + r2)) {
        if (layer === "under")
            tie(pen, s);
        return;
    }
    if (layer === "ground") {
        disc(pen, s.at, r1, s.a);
        disc(pen, s.at_b, r2, s.b);
    }
    if (layer !== "under")
        return;
    wheel(pen, s.at, r1, turned[0], s, s.a);
    wheel(pen, s.at_b, r2, turned[1], s, s.b);
    // both strands touch the pulleys where the radii are across them; a crossed belt changes sides
    const crossed = (s.def.gear?.ratio ?? 1) < 0, other = crossed ? -r2 : r2, u = toward(s.at, s.at_b), v = normal(u);
    const cosine = (r1 - other) / d, sine = Math.sqrt(1 - cosine * cosine);
    pen.path();
    for (const side of [-1, 1]) {
        const p = along(s.at, u, r1 * cosine, v, side * r1 * sine), q = along(s.at_b, u, other * cosine, v, side * other * sine);
        pen.moveTo(p[0], p[1]).lineTo(q[0], q[1]);
    }
    pen.stroke({ color: s.look.ink, width: 1.6 * size.gear.stroke * s.k, cap: "round" });
}


// ---- in space

/** Two pulleys and a dashed line with the ratio. */
function space(kit: Kit, s: SpaceJoint): void {
    if (!s.gear)
        return;
    const { centers, axis, radii, text } = s.gear, e = unit(axis);
    kit.dashed(centers[0], centers[1], text);
    centers.forEach((center: Vec, i) => {
        const role = i ? "b" : "a", from = add(center, scale(e, 3.6 * s.r)), to = add(from, scale(e, 1.6 * s.r));
        if (!(radii[i] > 0))
            return;
        kit.cylinder(role, from, to, radii[i]);
        kit.cylinder(`steel-${role}`, center, to, 0.85 * s.r);
    });
}


export const belt: JointSymbol = { kind: "belt", plane, space };
