// What symbols in space are made of: the kit takes simple bodies by role and instances them; only scene/kit.ts knows how.
import type { Vec } from "../base/vec.ts";
import type { JointDef, SpringDef } from "../data/header.ts";

/** Whose colour a part has and what it rides on. */
export type Role = "a" | "b" | "steel-a" | "steel-b" | "dark-a" | "dark-b" | "ground";

/** All places in the model configuration of the body that the role names. Axes need not be unit. */
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
    /** A pitch disc with ticks that show how it turns. */
    gear(role: Role, center: Vec, axis: Vec, radius: number, width: number, teeth: number): void;
    thread(role: Role, from: Vec, to: Vec, radius: number, pitch: number): void;
    /** A hatched plate on the side where the body never is, with cheeks about the axis (or a cone where the axis stands on the plate). */
    bracket(at: Vec, axis: Vec | null): void;
    dashed(from: Vec, to: Vec, text: string): void;
}

export interface SpaceJoint {
    def: JointDef;
    r: number; // radius of rods: all sizes are multiples of it
    travel: [number, number]; // of b along the axis over the run
    names: boolean;
    joints: JointDef[]; // all of the scene, for relations between joints
}

export interface SpaceSpring {
    def: SpringDef;
    r: number;
    joints: JointDef[];
}
