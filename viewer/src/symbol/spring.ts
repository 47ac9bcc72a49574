import { distance } from "../base/vec.ts";
import type { Pen } from "../pen/pen.ts";
import { size } from "../look/sizes.ts";
import { along, circle, gap, normal, toward, wall } from "./ink.ts";
import type { Point } from "./plane.ts";
import type { Layer, PlaneSpring } from "./plane.ts";
import type { Kit, SpaceSpring } from "./space.ts";
import type { SpringSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneSpring, layer: Layer): void {
    const { k, look, from, to } = s, length = gap(from, to);
    if (length < 1e-6)
        return;
    const u = toward(from, to), color = look.spring, width = s.thin ? 1 : size.spring.stroke * k;
    if (layer === "ground" && !s.thin) {
        if (s.groundEnds[0])
            wall(pen, from, [-u[0], -u[1]], size.spring.wall * k, k, look);
        if (s.groundEnds[1])
            wall(pen, to, u, size.spring.wall * k, k, look);
    }
    if (layer === "under") {
        if (s.def.damped && !s.thin)
            damper(pen, s, u, length);
        if (s.def.free !== null || !s.def.damped || s.thin) // a damper alone has no free length
            zigzag(pen, s, u, length).stroke({ color, width, join: "round", cap: "round" });
    }
    if (layer === "pin" && !s.thin)
        for (const [p, ground] of [[from, s.groundEnds[0]], [to, s.groundEnds[1]]] as const)
            if (!ground)
                circle(pen, p, 2.8 * k).fill({ color }).stroke({ color: look.scene, width: 1.2 * k });
}

/** The zigzag on the line itself; the number of flanks follows the shortest length, so that it never changes while it moves. */
function zigzag(pen: Pen, s: PlaneSpring, u: Point, length: number): Pen {
    const { width, flank, least, most, end, endShare } = size.spring, n = normal(u), k = s.k;
    const flanks = Math.min(most, Math.max(least, 2 * Math.round(s.shortest / (flank * k) / 2)));
    const straight = Math.min(end * k, endShare * length), step = (length - 2 * straight) / flanks, half = width / 2 * k;
    pen.path().moveTo(s.from[0], s.from[1]);
    const start = along(s.from, u, straight);
    pen.lineTo(start[0], start[1]);
    for (let i = 0; i < flanks; i++) {
        const p = along(s.from, u, straight + (i + 0.5) * step, n, i % 2 ? -half : half);
        pen.lineTo(p[0], p[1]);
    }
    const stop = along(s.to, u, -straight);
    return pen.lineTo(stop[0], stop[1]).lineTo(s.to[0], s.to[1]);
}

/** Cup and piston beside the spring, held by two short bars at its ends. */
function damper(pen: Pen, s: PlaneSpring, u: Point, length: number): void {
    const { damper: wide, beside, stroke, end, endShare } = size.spring, { k } = s, n = normal(u), half = wide / 2 * k;
    const straight = Math.min(end * k, endShare * length) * 0.6, alone = s.def.free === null;
    const off = alone ? 0 : beside * k, style = { color: s.look.spring, width: stroke * k, cap: "round", join: "round" } as const;
    const at = (x: number, y: number): Point => along(s.from, u, x, n, off + y);
    // the cup moves with one end, the piston with the other; sizes from the shortest length, so that it always fits
    const shortest = Math.min(s.shortest, length), bottom = 0.15 * shortest, open = bottom + Math.max(0.7 * shortest, 0.3 * length);
    const piston = Math.min(open - 4 * k, bottom + 4 * k + length - shortest);
    pen.path();
    const path = (...points: Point[]): void => points.forEach((p, i) => { i ? pen.lineTo(p[0], p[1]) : pen.moveTo(p[0], p[1]); });
    path(along(s.from, u, straight), at(straight, 0), at(bottom, 0));
    path(at(open, -half), at(bottom, -half), at(bottom, half), at(open, half));
    path(at(piston, -half + 2 * k), at(piston, half - 2 * k));
    path(at(piston, 0), at(length - straight, 0), along(s.to, u, -straight));
    pen.stroke(style);
}


// ---- in space

/** A coil; with damping a cylinder and its rod inside. */
function space(kit: Kit, s: SpaceSpring): void {
    const { r, def } = s;
    if (!def.at || !def.to)
        return;
    const wide = Math.min(3.6 * r, 0.16 * distance(def.at, def.to)); // short ones stay springs
    kit.coil(def.at, def.to, wide, 0.62 / 3.6 * wide, 7);
    if (def.damped) {
        kit.strut("steel-a", def.at, def.to, 0.42 * wide, 0.06, 0.51);
        kit.strut("dark-a", def.at, def.to, 0.17 * wide, 0, 1);
    }
    for (const [body, end, at] of [[def.a, "dark-a", def.at], [def.b, "dark-b", def.to]] as const) {
        kit.sphere(end, at, 1.2 * r);
        if (body < 0)
            kit.bracket(at, null);
    }
}


export const spring: SpringSymbol = { kind: "spring", plane, space };
