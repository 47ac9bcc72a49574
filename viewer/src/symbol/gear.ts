import type { Pen } from "../pen/pen.ts";
import { size, textSize } from "../look/sizes.ts";
import { along, circle, FULL, line, middle } from "./ink.ts";
import type { Point } from "./plane.ts";
import type { Layer, PlaneJoint } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    if (layer !== "under" || !s.gear)
        return;
    const { k, look } = s, { radii, turned, text } = s.gear;
    if (radii[0] > 0) {
        wheel(pen, s.at, radii[0], turned[0], s);
        wheel(pen, s.at_b, radii[1], turned[1], s);
        return;
    }
    // other axes or sliders: which two go together, and how
    line(pen, s.at, s.at_b).stroke({ color: look.soft, width: size.gear.stroke * k, dash: dashes });
    const m = middle(s.at, s.at_b), halo = { color: look.scene, width: size.name.halo };
    pen.text(m[0], m[1], text, { color: look.soft, size: textSize(12, k), align: "center", halo });
}

const dashes = [6, 4], dashDot = [9, 3, 2, 3];

/** A pitch circle with ticks that turn, the one at the mark longer. */
function wheel(pen: Pen, c: Point, radius: number, turned: number, s: PlaneJoint): void {
    const color = s.look.soft, width = size.gear.stroke * s.k;
    circle(pen, c, radius).stroke({ color, width, dash: s.thin ? undefined : dashDot });
    if (s.thin)
        return;
    pen.path();
    for (let i = 0; i < size.gear.ticks; i++) {
        const angle = turned + i * FULL / size.gear.ticks, half = Math.min((i ? 0.5 : 1.2) * size.gear.tick * s.k, 0.3 * radius);
        const u: Point = [Math.cos(angle), Math.sin(angle)], p = along(c, u, radius - half), q = along(c, u, radius + half);
        pen.moveTo(p[0], p[1]).lineTo(q[0], q[1]);
    }
    pen.stroke({ color, width });
}


// ---- in space

function space(_kit: Kit, _s: SpaceJoint): void {
}


export const gear: JointSymbol = { kind: "gear", plane, space };
