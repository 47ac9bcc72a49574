// Input of a planar symbol: positions on the screen in pixels (y down), directions, colors, sizes.
import type { JointDef, SpringDef } from "../data/header.ts";
import type { Palette, Tint } from "../look/colors.ts";

export type Point = [number, number];
/** From back to front (report: grid, traces, ghosts, plates come from the scene itself). `back`: behind plates, for curves alone. */
export type Layer = "back" | "ground" | "under" | "block" | "pin" | "over";

export interface PlaneJoint {
    def: JointDef;
    k: number; // sizes are pixels times k
    look: Palette;
    at: Point; // the joint on body a
    at_b: Point; // on body b
    axis: Point; // direction of the axis or line on the screen, unit; [0, 0] if it is perpendicular to the plane
    a: Tint | null; // null: ground
    b: Tint | null;
    side: Point; // direction of ground, unit
    travel: [number, number]; // least and largest position of b along the axis over the run, pixels from `at`
    onBar: boolean; // a bar of body a lies along the axis: a sleeve will do
    bare: boolean; // body b has no more than this joint's point
    turned: number; // rotation of b since the model configuration, rad
    bodies: { a: Point; b: Point }; // the middle of each body on the screen
    thin: boolean; // many small links: lines alone
    first: boolean; // of several joints at one point the one that draws the pin
    stands: boolean; // of several joints with ground at one point the one that draws ground
    drive: number; // driven: 1 turns clockwise on the screen, -1 counter; 0 not driven
    /** Of relations, whose at and at_b are the middles of the wheels: pitch radii in pixels ([0, 0]: none), rotations clockwise, ratio. */
    gear: { radii: Point; turned: Point; carrier?: number; text: string } | null;
    curve: PlaneCurve | null;
}

/** Of a cam or a track. */
export interface PlaneCurve {
    points: Point[]; // of body a
    roller: number; // radius in pixels, 0: none
    away: Point; // direction of body b away from the cam, unit
    face: [number, number] | null; // of a flat face: where the cam touches it over the run, pixels from at_b along normal(away)
}

export interface PlaneSpring {
    def: SpringDef;
    k: number;
    look: Palette;
    from: Point;
    to: Point;
    shortest: number; // length over the run, pixels
    angle: number; // rotational: how far it is wound, rad
    groundEnds: [boolean, boolean];
    thin: boolean;
}
