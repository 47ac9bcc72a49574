// A run as parts of space: bodies, the symbols of its joints and springs, ground. Made once; poses move it.
import { cross, distance, dot, length, scale, sub, unit, type Vec } from "../base/vec.ts";
import type { JointDef } from "../data/header.ts";
import { newPose, type Run } from "../data/model.ts";
import { jointSymbol, springSymbol } from "../symbol/list.ts";
import type { SpaceJoint } from "../symbol/space.ts";
import { contactPoints, faceSpan } from "./contact.ts";
import { extent, groundSide, groundSides, jointAt, jointAtB, pointAtFrame, ratioText, relationRadii, spread, travel } from "./facts.ts";
import { JointKit, Parts } from "./parts.ts";
import { corners, flats, widePlanes } from "./surfaces.ts";
import { addBody, addGround, reachOf, rodRadius, type Measures } from "./solids.ts";

export interface Mechanism { parts: Parts; measures: Measures }

const blocks = new Set(["prismatic", "cylindrical", "screw", "point_on_line", "planar"]);

export function makeMechanism(run: Run, names: boolean): Mechanism {
    const { scene } = run, size = extent(run), measures = { r: rodRadius(run, size), size };
    const parts = new Parts(scene.bodies.map((body) => body.center), 3.2 * measures.r);
    const sides = groundSides(scene);
    addGround(parts, run, measures);
    const drawn = pictured(run);
    for (let body = 0; body < scene.bodies.length; body++)
        addBody(parts, run, body, measures, drawn.has(body));
    scene.joints.forEach((joint, index) => {
        parts.owner = { what: "joint", index };
        const gear = joint.gear ? gearOf(run, joint) : null;
        const ends = gear?.bodies ?? joint;
        const kit = new JointKit(parts, ends, measures.r, () => groundSide(run, joint, sides));
        jointSymbol(joint.kind).space(kit, given(run, joint, measures.r, names, gear?.given ?? null));
    });
    scene.springs.forEach((spring, index) => {
        parts.owner = { what: "spring", index };
        // a wall across its line
        const away = (at: Vec): Vec => unit(sub(at, at === spring.at ? spring.to ?? at : spring.at ?? at));
        const kit = new JointKit(parts, spring, measures.r, away);
        springSymbol(spring.kind).space(kit, { def: spring, r: measures.r, joints: scene.joints });
    });
    for (const { body, at, normal, high } of scene.contacts ? flats(run) : []) {
        parts.owner = { what: "ground", index: 0 };
        new JointKit(parts, { a: body, b: body }, measures.r, () => scale(normal, -1)).square("a", at, normal, 2 * high);
    }
    for (const { body, points, normal } of scene.contacts ? widePlanes(run) : []) {
        parts.owner = body < 0 ? { what: "ground", index: 0 } : { what: "body", index: body };
        new JointKit(parts, { a: body, b: body }, measures.r, () => scale(normal, -1)).patch("a", points, normal);
    }
    for (const { body, points, radius } of corners(run))
        if (body >= 0 && !scene.bodies[body].shapes.length)
            addCorners(new JointKit(parts, { a: body, b: body }, measures.r, () => [0, 0, -1]), points, radius || 0.3 * measures.r);
    return { parts, measures };
}

/** Balls, and the edges of what has eight corners: in the order of their bits, as boxes are stored. */
function addCorners(kit: JointKit, points: Vec[], radius: number): void {
    for (const p of points)
        kit.sphere("a", p, radius);
    for (let i = 0; i < points.length && (points.length === 2 || points.length === 8); i++)
        for (let bit = 1; bit < points.length; bit *= 2)
            if (!(i & bit))
                kit.capsule("a", points[i], points[i + bit], radius);
}

/** Bodies whose picture may be that of a joint alone: blocks on rails, wheels of gears, cams, beads. */
function pictured(run: Run): Set<number> {
    const out = new Set<number>(), { joints } = run.scene;
    for (const joint of joints) {
        const gear = joint.gear ? gearOf(run, joint) : null;
        if (gear?.given?.radii[0])
            out.add(gear.bodies.a).add(gear.given.radii[1] ? gear.bodies.b : gear.bodies.a);
        if (blocks.has(joint.kind))
            out.add(joint.a).add(joint.b);
        if (joint.curve)
            out.add(joint.kind === "cam" ? joint.a : joint.b);
    }
    return out;
}

function given(run: Run, def: JointDef, r: number, names: boolean, gear: SpaceJoint["gear"]): SpaceJoint {
    const middle = (body: number): Vec | null => run.scene.bodies[body]?.center ?? null; // gears have no bodies of their own
    return {
        def, r, names, gear, travel: travel(run, def), reach: reach(run, def), face: faceSpan(run, def), joints: run.scene.joints,
        middle: { a: middle(def.a), b: middle(def.b) },
    };
}

/** How far the two points of a joint get from each other. */
function reach(run: Run, joint: JointDef): number {
    const pose = newPose();
    let most = 0;
    for (const frame of spread(run.motion.count, 100)) {
        const on = pointAtFrame(run, joint.a, jointAt(joint), frame, pose);
        most = Math.max(most, distance(on, pointAtFrame(run, joint.b, jointAtB(joint), frame, pose)));
    }
    return most;
}

/** Wheels of a gear: the moving bodies of its two joints, radii if both rotate about parallel axes. */
function gearOf(run: Run, def: JointDef): { bodies: { a: number; b: number }; given: SpaceJoint["gear"] } | null {
    const [first, second] = def.gear!.joints.map((i) => run.scene.joints[i]);
    if (!first || !second)
        return null;
    const wheel = (joint: JointDef): number => joint.b < 0 ? joint.a : joint.b;
    const center = (joint: JointDef): Vec => joint.b < 0 ? jointAt(joint) : jointAtB(joint);
    const centers: [Vec, Vec] = [center(first), center(second)];
    const axis = unit(first.axis ?? [0, 0, 1]), other = unit(second.axis ?? [0, 0, 1]);
    const rack = def.kind === "rack_and_pinion", parallel = rack || length(cross(axis, other)) < 1e-3;
    const turning = first.kind === "revolute" && (rack || second.kind === "revolute");
    // opposite axes change the sign of the ratio
    const ratio = (def.gear!.ratio ?? 0) * (dot(axis, other) < 0 ? -1 : 1), offset = cross(axis, sub(centers[1], centers[0]));
    const radii = turning && parallel ? relationRadii(def.kind, length(offset), ratio, extent(run)) : null;
    const given = {
        centers, axis, radii: [radii?.r1 ?? 0, radii?.r2 ?? 0] as [number, number], internal: radii?.internal ?? false,
        text: ratioText(def),
    };
    return { bodies: { a: wheel(first), b: wheel(second) }, given };
}

/** All that must be seen over the run: x y z of the reach of all bodies in 60 poses, and of parts on ground. */
export function reachPoints(run: Run): Float64Array {
    const out: number[] = [], pose = newPose(), local = run.scene.bodies.map(reachOf);
    for (const joint of run.scene.joints)
        contactPoints(joint, (body, p) => body < 0 ? out.push(...p) : local[body].push(p));
    const frames = spread(run.motion.count, local.length > 200 ? 20 : 60);
    for (const frame of frames)
        local.forEach((points, body) => {
            for (const p of points)
                out.push(...pointAtFrame(run, body, p, frame, pose));
        });
    for (const joint of run.scene.joints)
        if (joint.a < 0 && !joint.curve || joint.b < 0)
            out.push(...(joint.a < 0 ? jointAt(joint) : jointAtB(joint)));
    for (const spring of run.scene.springs) {
        if (spring.a < 0 && spring.at)
            out.push(...spring.at);
        if (spring.b < 0 && spring.to)
            out.push(...spring.to);
    }
    return Float64Array.from(out.length ? out : [0, 0, 0]);
}
