import { add, cross, dot, length, scale, sub, unit, type Vec } from "../base/vec.ts";
import type { JointDef } from "../data/header.ts";
import type { Pen } from "../pen/pen.ts";
import { size } from "../look/sizes.ts";
import { along, circle, cut, hatchAlong, normal, outside, pin, polyline, roundBox } from "./ink.ts";
import type { Layer, PlaneCurve, PlaneJoint, Point } from "./plane.ts";
import type { Kit, SpaceJoint } from "./space.ts";
import type { JointSymbol } from "./symbol.ts";

function plane(pen: Pen, s: PlaneJoint, layer: Layer): void {
    const { curve, k, look } = s;
    if (!curve)
        return;
    if (layer === (s.a ? "ground" : "back")) // behind the feet of its bearing
        polyline(pen, curve.points, true).fill(s.a ? { color: s.a.pale, alpha: 0.6 } : { color: look.groundFill });
    if (layer === "back" && !s.a && !s.thin)
        hatchAlong(pen, curve.points, true, -outside(curve.points), 0, k, look);
    if (layer === "under" && !s.thin && !(curve.roller > size.bar.radius * k))
        clear(pen, s, curve);
    if (layer === "under")
        polyline(pen, curve.points, true)
            .stroke({ color: s.a?.stroke ?? look.ink, width: s.thin ? 1 : size.bar.stroke * k, join: "round" });
    if (layer === "pin")
        follower(pen, s, curve);
}

/** The end of a bar is round about the edge or the point of a face: what of it is inside the cam, or behind the face, is not seen. */
function clear(pen: Pen, s: PlaneJoint, { points, face, away: out }: PlaneCurve): void {
    const { k, look } = s, t = normal(out), deep = 1.6 * size.bar.radius * k, wide = 3 * deep; // a lever lies across
    const back: Point = [-out[0], -out[1]], left: Point = [-t[0], -t[1]], p = along(s.at_b, t, deep), q = along(s.at_b, left, deep);
    if (face)
        polyline(pen, [p, q, along(q, back, deep), along(p, back, deep)], true).fill({ color: look.scene });
    const sides: [Point, number][] = [[t, wide], [left, wide], [back, deep]];
    const inside = sides.reduce((rest, [u, far]) => cut(rest, along(s.at_b, u, far), u), points);
    polyline(pen, inside, true).fill({ color: look.scene }).fill(s.a ? { color: s.a.pale, alpha: 0.6 } : { color: look.groundFill });
}

/** A roller, a flat face or a knife edge, in front of the block of its slider. */
function follower(pen: Pen, s: PlaneJoint, { roller, face, away }: PlaneCurve): void {
    const { k, look } = s, fill = { color: s.b?.pale ?? look.groundFill };
    const stroke = { color: s.b?.stroke ?? look.ink, width: s.thin ? 1 : size.bar.stroke * k };
    if (roller > 0) {
        circle(pen, s.at_b, roller).fill(fill).stroke(stroke);
        if (s.first && !s.thin)
            pin(pen, s.at_b, k, look, Math.min(size.pin.radius, 0.5 * roller / k));
        return;
    }
    if (s.thin)
        return;
    if (face) {
        const t = normal(away), half = (face[1] - face[0]) / 2 + size.follower.beyond * k, thick = size.follower.face / 2 * k;
        roundBox(pen, along(s.at_b, away, thick, t, (face[0] + face[1]) / 2), t, half, thick, 1).fill(fill).stroke(stroke);
        return;
    }
    const t = normal(away), { edge } = size.follower;
    polyline(pen, [s.at_b, along(s.at_b, away, edge * k, t, 0.45 * edge * k), along(s.at_b, away, edge * k, t, -0.45 * edge * k)], true)
        .fill(fill).stroke({ ...stroke, join: "round" });
}

/** The direction of body b away from the cam, in the model configuration: the normal of its face, else from the middle of the cam. */
export function away(def: JointDef): Vec {
    const axis = unit(def.axis ?? [0, 0, 1]), from = def.at ?? [0, 0, 0], to = def.at_b ?? from;
    const d = def.face ?? sub(to, from), flat = sub(d, scale(axis, dot(d, axis))), reference = def.reference ?? [1, 0, 0];
    return length(flat) > 1e-9 * (length(d) || 1) ? unit(flat) : unit(reference);
}

/** The outline of a cam where its follower is along the axis; other curves are where they are. */
export function outline(def: JointDef): Vec[] {
    const { curve = [], at, at_b: touch } = def, axis = unit(def.axis ?? [0, 0, 1]);
    const shift = def.kind === "cam" && at && touch ? scale(axis, dot(sub(touch, at), axis)) : null;
    return shift ? curve.map((p) => add(p, shift)) : curve;
}


// ---- in space

/** A disc between its outlines, where the follower is along its axis, and a shaft to it. */
function space(kit: Kit, s: SpaceJoint): void {
    const { r, def } = s, { curve, at, at_b: touch } = def;
    if (!curve || curve.length < 3 || !at || !touch)
        return;
    const axis = unit(def.axis ?? [0, 0, 1]), out = away(def), width = 2.4 * r, shift = scale(axis, dot(sub(touch, at), axis));
    const on = (p: Vec, d: number): Vec => add(p, scale(axis, d * r)), center = add(at, shift);
    kit.plate("a", outline(def), axis, width);
    kit.cylinder("dark-a", on(center, -1.7), on(center, 1.7), 1.9 * r);
    if (length(shift) > width)
        kit.cylinder("steel-a", at, center, 0.85 * r);
    if (def.roller) {
        kit.cylinder("steel-b", on(touch, -1), on(touch, 1), def.roller);
        kit.cylinder("dark-b", on(touch, -1.8), on(touch, 1.8), Math.min(0.85 * r, 0.5 * def.roller));
    } else if (def.face) {
        const t = cross(out, axis), [low, high] = s.face, face = add(touch, add(scale(t, (low + high) / 2), scale(out, 0.6 * r)));
        kit.box("steel-b", face, t, axis, [high - low + 4 * r, 1.2 * width, 1.2 * r]);
    } else
        kit.cone("steel-b", add(touch, scale(out, 4.5 * r)), touch, 1.5 * r, 0.05 * r);
}


export const cam: JointSymbol = { kind: "cam", plane, space };
