// What symbols in space are made of: the kit takes simple bodies by role and instances them; only scene/kit.ts knows how.
import { across, cross, dot, length, scale, sub, unit, type Vec } from "../base/vec.ts";
import type { JointDef, SpringDef } from "../data/header.ts";

/** Whose color a part has and with what it moves. */
export type Role = "a" | "b" | "steel-a" | "steel-b" | "dark-a" | "dark-b" | "ground" | "spring-a" | "spring-b" | "accent-a" | "accent-b";

/** All positions in the model configuration of the body given by the role. Axes need not be unit. */
export interface Kit {
    cylinder(role: Role, from: Vec, to: Vec, radius: number): void;
    capsule(role: Role, from: Vec, to: Vec, radius: number): void;
    cone(role: Role, from: Vec, to: Vec, radius: number, top: number): void;
    sphere(role: Role, center: Vec, radius: number): void;
    halfSphere(role: Role, center: Vec, open: Vec, radius: number): void;
    /** Edges along x and y (made perpendicular to x) and x cross y. */
    box(role: Role, center: Vec, x: Vec, y: Vec, size: Vec): void;
    ring(role: Role, center: Vec, axis: Vec, radius: number, wire: number): void;
    /** A translucent square. */
    square(role: Role, center: Vec, normal: Vec, edge: number): void;
    /** Between two copies of a closed outline, which is counterclockwise about the axis. */
    plate(role: Role, outline: Vec[], axis: Vec, thickness: number): void;
    /** A wheel of this pitch radius; one of its teeth points to `tooth`. */
    gear(role: Role, center: Vec, axis: Vec, tooth: Vec, radius: number, width: number, teeth: number): void;
    /** The ring around it, for internal gears: teeth point inward. */
    ringGear(role: Role, center: Vec, axis: Vec, tooth: Vec, radius: number, width: number, teeth: number): void;
    thread(role: Role, from: Vec, to: Vec, radius: number, pitch: number): void;
    /** A spiral about an axis: starts inside in the direction `start` of body a, ends outside on body b, wound by their angle. */
    spiral(center: Vec, axis: Vec, inner: number, outer: number, turns: number, wire: number): void;
    /** Between a point of body a and a point of body b: a bar from the fraction low to high of the line, its color that of the role. */
    strut(role: Role, from: Vec, to: Vec, radius: number, low: number, high: number): void;
    /** Between the same: a coil that stretches with them. */
    coil(from: Vec, to: Vec, radius: number, wire: number, turns: number): void;
    /** A hatched plate on the side where the body never is, with cheeks about the axis (or a cone if the axis is normal to the plate). */
    bracket(at: Vec, axis: Vec | null): void;
    dashed(from: Vec, to: Vec, text: string): void;
}

export interface SpaceJoint {
    def: JointDef;
    r: number; // radius of rods: all sizes are multiples of it
    travel: [number, number]; // of b along the axis over the run
    reach: number; // largest distance of b's point from a's over the run
    middle: { a: Vec | null; b: Vec | null }; // mass centers of the bodies, null of ground
    names: boolean;
    /** Of gears: bodies a and b are the wheels. Radii 0: none follow from ratio and distance. */
    gear: { centers: [Vec, Vec]; axis: Vec; radii: [number, number]; internal: boolean; text: string } | null;
    face: [number, number]; // of a flat follower: where the cam touches it over the run, from b's point along away x axis
    joints: JointDef[]; // all of the scene, for relations between joints
}

export interface SpaceSpring {
    def: SpringDef;
    r: number;
    joints: JointDef[];
}

type End = "a" | "b";
/** One end of a joint: its position and directions on that body. */
export interface Mount { end: End; at: Vec; axis: Vec; across: Vec; ground: boolean }

/** The end that carries and the one that moves on it: ground carries, else the first body. */
export function mounts(def: JointDef): { base: Mount; rider: Mount } {
    const mount = (end: End): Mount => {
        const first = end === "a", at = (first ? def.at ?? def.at_b : def.to ?? def.at_b ?? def.at) ?? [0, 0, 0];
        const axis = unit((first ? def.axis ?? def.axis_b ?? def.normal : def.axis_b ?? def.axis ?? def.normal) ?? [0, 0, 1]);
        const hint = (first ? def.reference ?? def.reference_b : def.reference_b ?? def.reference) ?? across(axis);
        const flat = sub(hint, scale(axis, dot(hint, axis)));
        const side = length(flat) > 1e-6 * length(hint) ? unit(flat) : across(axis);
        return { end, at, axis, across: side, ground: (first ? def.a : def.b) < 0 };
    };
    const [a, b] = [mount("a"), mount("b")];
    return b.ground && !a.ground ? { base: b, rider: a } : { base: a, rider: b };
}

/** Where the rider goes along the axis of the base, over the run. */
export const ride = (s: SpaceJoint, base: Mount): [number, number] => base.end === "a" ? s.travel : [-s.travel[1], -s.travel[0]];

/** The direction across both vectors that points more to `toward`. */
export function acrossBoth(x: Vec, y: Vec, toward: Vec | null): Vec {
    const n = cross(x, y), e = length(n) > 1e-6 ? unit(n) : across(x);
    return toward && dot(toward, e) < 0 ? scale(e, -1) : e;
}
