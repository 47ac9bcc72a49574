// Every kind that has a picture. A new one: its file and one line here.
import { belt } from "./belt.ts";
import { blade } from "./blade.ts";
import { bushing } from "./bushing.ts";
import { cam } from "./cam.ts";
import { constant_velocity } from "./constant_velocity.ts";
import { cylindrical } from "./cylindrical.ts";
import { fixed } from "./fixed.ts";
import { gear } from "./gear.ts";
import { planar } from "./planar.ts";
import { planetary_gear } from "./planetary_gear.ts";
import { point_on_curve } from "./point_on_curve.ts";
import { point_on_line } from "./point_on_line.ts";
import { point_on_plane } from "./point_on_plane.ts";
import { prismatic } from "./prismatic.ts";
import { rack_and_pinion } from "./rack_and_pinion.ts";
import { relation } from "./relation.ts";
import { revolute } from "./revolute.ts";
import { rod } from "./rod.ts";
import { rolling } from "./rolling.ts";
import { rotational_spring } from "./rotational_spring.ts";
import { screw } from "./screw.ts";
import { spherical } from "./spherical.ts";
import { spherical_spring } from "./spherical_spring.ts";
import { spring } from "./spring.ts";
import { torsion_bar } from "./torsion_bar.ts";
import { universal } from "./universal.ts";
import type { JointSymbol, SpringSymbol } from "./symbol.ts";

export const joints: JointSymbol[] = [
    revolute,
    prismatic,
    cylindrical,
    screw,
    spherical,
    universal,
    constant_velocity,
    planar,
    point_on_plane,
    point_on_line,
    rod,
    fixed,
    gear,
    belt,
    rack_and_pinion,
    planetary_gear,
    relation,
    cam,
    point_on_curve,
    rolling,
    blade,
];

export const springs: SpringSymbol[] = [
    spring,
    rotational_spring,
    spherical_spring,
    torsion_bar,
    bushing,
];

/** Kinds that this page does not know are drawn as revolutes: a circle shows that there is a joint. */
export const jointSymbol = (kind: string): JointSymbol => joints.find((symbol) => symbol.kind === kind) ?? revolute;
export const springSymbol = (kind: string): SpringSymbol => springs.find((symbol) => symbol.kind === kind) ?? spring;
