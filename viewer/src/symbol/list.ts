// Every kind that has a picture. A new one: its file and one line here.
import { cylindrical } from "./cylindrical.ts";
import { fixed } from "./fixed.ts";
import { gear } from "./gear.ts";
import { planar } from "./planar.ts";
import { point_on_line } from "./point_on_line.ts";
import { point_on_plane } from "./point_on_plane.ts";
import { prismatic } from "./prismatic.ts";
import { revolute } from "./revolute.ts";
import { rod } from "./rod.ts";
import { rotational_spring } from "./rotational_spring.ts";
import { screw } from "./screw.ts";
import { spherical } from "./spherical.ts";
import { spherical_spring } from "./spherical_spring.ts";
import { spring } from "./spring.ts";
import { universal } from "./universal.ts";
import type { JointSymbol, SpringSymbol } from "./symbol.ts";

export const joints: JointSymbol[] = [
    revolute,
    prismatic,
    cylindrical,
    screw,
    spherical,
    universal,
    planar,
    point_on_plane,
    point_on_line,
    rod,
    fixed,
    gear,
];

export const springs: SpringSymbol[] = [
    spring,
    rotational_spring,
    spherical_spring,
];

/** Kinds that this page does not know are drawn as revolutes: a circle says that something is joined here. */
export const jointSymbol = (kind: string): JointSymbol => joints.find((symbol) => symbol.kind === kind) ?? revolute;
export const springSymbol = (kind: string): SpringSymbol => springs.find((symbol) => symbol.kind === kind) ?? spring;
