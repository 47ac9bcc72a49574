// Joints and springs of a planar model: input of their symbols. Prepared once; positions are updated for each picture.
import { length, type Vec } from "../base/vec.ts";
import { elasticOf } from "../data/elastic.ts";
import type { JointDef, SpringDef } from "../data/header.ts";
import { newPose, type Run } from "../data/model.ts";
import type { Palette, Tint } from "../look/colors.ts";
import { size } from "../look/sizes.ts";
import type { Pen } from "../pen/pen.ts";
import { along, feet, FULL, gap, hatched, middle, normal, onGround, toward } from "../symbol/ink.ts";
import { away } from "../symbol/cam.ts";
import { jointSymbol, springSymbol } from "../symbol/list.ts";
import type { Layer, PlaneCurve, PlaneJoint, PlaneSpring, Point } from "../symbol/plane.ts";
import type { JointSymbol, SpringSymbol } from "../symbol/symbol.ts";
import { faceSpan } from "./contact.ts";
import {
    coincidentJoints, extent, grounded, groundSide, groundSides, jointAt, jointAtB, pointAtFrame, ratioText, relationRadii, spread,
    travel,
} from "./facts.ts";
import type { Layout, Poses } from "./layout.ts";
import { outlinePoints, toSegment } from "./outline.ts";

interface JointMark {
    symbol: JointSymbol;
    s: PlaneJoint;
    axis: Vec | null; // on body a, in the plane; null across it
    travel: [number, number]; // m
    wheels: Wheel[]; // of a gear
    radii: Point; // m
    away: Vec; // of a cam, on body b
    face: [number, number] | null; // m
}
interface Wheel { body: number; at: Vec }
interface SpringMark { symbol: SpringSymbol; s: PlaneSpring; def: SpringDef; shortest: number; joint: JointDef | null }
/** Ground supports with the same side in one line, for pictures of many small links. */
interface GroundLine { from: Point; to: Point; side: Point }

/** From this many joints on pins and feet are drawn together. */
const MANY = 60;

const joined = (joint: JointDef): boolean => !joint.gear && (joint.at ?? joint.at_b) !== undefined;

export class Marks {
    readonly joints: JointMark[];
    readonly springs: SpringMark[];
    readonly curved: boolean; // there are cams or tracks
    private order: JointMark[]; // discs of gears and cams behind the feet of their wheels
    private lines: GroundLine[];

    constructor(readonly run: Run, look: Palette) {
        const lists = coincidentJoints(run), first = new Set(lists.map((list) => firstPin(run, list)));
        this.joints = run.scene.joints.map((joint, i) => jointMark(run, joint, first.has(i), look));
        const flat = ({ s }: JointMark): number => Number(s.gear !== null || s.curve !== null);
        this.order = [...this.joints].sort((p, q) => flat(q) - flat(p));
        this.curved = this.joints.some(({ s }) => s.curve !== null);
        for (const list of lists)
            shareGround(run, list.map((i) => this.joints[i]));
        this.springs = run.scene.springs.map((spring) => springMark(run, spring, look));
        this.lines = groundLines(run, this.joints);
    }

    /** Colors of bodies (by number) and of the rest. */
    color(tints: Tint[], look: Palette): void {
        for (const { s, wheels } of this.joints) {
            const a = wheels[0]?.body ?? s.def.a, b = wheels[1]?.body ?? s.def.b;
            s.look = look;
            s.a = a < 0 ? null : tints[a];
            s.b = b < 0 ? null : tints[b];
        }
        for (const { s } of this.springs)
            s.look = look;
    }

    place(layout: Layout, poses: Poses): void {
        const { k, thin, camera: { scale } } = layout;
        for (const mark of this.joints) {
            const { s } = mark, { def } = s;
            s.k = k;
            s.thin = thin;
            if (def.gear) {
                this.placeGear(mark, layout, poses);
                continue;
            }
            layout.put(poses, def.a, jointAt(def), s.at);
            layout.put(poses, def.b, jointAtB(def), s.at_b);
            s.turned = -poses.angle(def.b);
            s.travel[0] = mark.travel[0] * scale;
            s.travel[1] = mark.travel[1] * scale;
            if (mark.axis)
                direct(poses, def.a, mark.axis, s.axis);
            if (s.curve)
                placeCurve(mark, s.curve, layout, poses);
            middleOf(layout, poses, def.a, s.at, s.bodies.a);
            middleOf(layout, poses, def.b, s.at_b, s.bodies.b);
        }
        for (const { s, def, shortest, joint } of this.springs) {
            s.k = k;
            s.thin = thin;
            s.shortest = shortest * scale;
            if (joint) {
                layout.put(poses, joint.b, jointAtB(joint), s.from);
                s.angle = wrap(poses.angle(joint.b) - poses.angle(joint.a));
            } else {
                layout.put(poses, def.a, def.at ?? [0, 0, 0], s.from);
                layout.put(poses, def.b, def.to ?? def.at ?? [0, 0, 0], s.to);
            }
        }
    }

    private placeGear(mark: JointMark, layout: Layout, poses: Poses): void {
        const { s, wheels, radii } = mark, { scale } = layout.camera;
        if (wheels.length < 2 || !s.gear)
            return;
        layout.put(poses, wheels[0].body, wheels[0].at, s.at);
        layout.put(poses, wheels[1].body, wheels[1].at, s.at_b);
        for (const i of [0, 1]) {
            s.gear.radii[i] = radii[i] * scale;
            s.gear.turned[i] = -poses.angle(wheels[i].body);
        }
        if (wheels[2])
            s.gear.carrier = -poses.angle(wheels[2].body);
    }

    draw(pen: Pen, layer: Layer, hidden: ReadonlySet<number>): void {
        const together = (layer === "pin" || layer === "ground") && this.joints.length > MANY;
        for (const { symbol, s } of this.order)
            if (!hidden.has(s.def.a) && !hidden.has(s.def.b) && !(together && s.def.kind === "revolute"))
                symbol.plane(pen, s, layer);
        if (together)
            layer === "pin" ? this.drawPins(pen, hidden) : this.drawFeet(pen, hidden);
        for (const { symbol, s } of this.springs)
            if (!hidden.has(s.def.a) && !hidden.has(s.def.b))
                symbol.plane(pen, s, layer);
    }

    /** Hundreds of pins as one path: fill and stroke are expensive, circles are not. */
    private drawPins(pen: Pen, hidden: ReadonlySet<number>): void {
        const { k, look, thin } = this.joints[0].s, radius = size.pin.radius * k;
        if (thin)
            return;
        pen.path();
        for (const { s } of this.joints)
            if (s.def.kind === "revolute" && s.first && !hidden.has(s.def.a) && !hidden.has(s.def.b))
                pen.moveTo(s.at_b[0] + radius, s.at_b[1]).arc(s.at_b[0], s.at_b[1], radius, 0, FULL);
        pen.fill({ color: look.paper }).stroke({ color: look.ink, width: size.pin.stroke * k });
    }

    private drawFeet(pen: Pen, hidden: ReadonlySet<number>): void {
        const { k, look, thin } = this.joints[0].s, list: { at: Point; out: Point }[] = [];
        for (const { s } of this.joints)
            if (!thin && s.def.kind === "revolute" && s.stands && onGround(s) && !hidden.has(s.def.a) && !hidden.has(s.def.b))
                list.push({ at: s.a ? s.at : s.at_b, out: s.side });
        feet(pen, list, k, look);
    }

    /** Adds points on feet, blocks, rails and springs, every `step` pixels. */
    edgePlaces(step: number, list: number[]): void {
        const box = (c: Point, u: Point, long: number, wide: number): void => {
            for (let a = -long / 2; a <= long / 2; a += step)
                for (let b = -wide / 2; b <= wide / 2; b += step)
                    list.push(c[0] + a * u[0] - b * u[1], c[1] + a * u[1] + b * u[0]);
        };
        for (const { s, axis } of this.joints) {
            const { k } = s, { foot, hatch, block } = size;
            const slides = axis !== null && s.def.kind === "prismatic", stands = grounded(s.def) >= 0;
            if (s.def.kind === "point_on_line")
                box(along(s.at, s.axis, (s.travel[0] + s.travel[1]) / 2), s.axis, s.travel[1] - s.travel[0] + 24 * k, 24 * k);
            if (slides)
                box(s.b ? s.at_b : s.at, s.axis, block.length * k, block.width * k);
            if (slides && stands) {
                const long = s.travel[1] - s.travel[0] + 2 * block.beyond * k, mid = (s.travel[0] + s.travel[1]) / 2;
                const at = along(s.b ? s.at : s.at_b, s.axis, s.b ? mid : -mid);
                box(along(at, s.side, (block.width + hatch.depth) / 2 * k), s.axis, long, hatch.depth * k);
            }
            if (s.curve)
                curvePlaces(s, s.curve, step, list);
            if (s.curve && s.curve.roller > 0)
                box(s.at_b, [1, 0], 1.4 * s.curve.roller, 1.4 * s.curve.roller);
            if (stands && s.stands && !s.def.gear && !s.curve && !axis)
                box(along(s.at_b, s.side, (foot.height + hatch.depth) / 2 * k), s.side, (foot.height + hatch.depth) * k, foot.base * k);
            if (s.drive && !axis)
                box(along(s.at_b, s.side, -size.driver.radius * k), s.side, 0.4 * size.driver.radius * k, 1.6 * size.driver.radius * k);
        }
        for (const { s, joint } of this.springs) {
            const long = Math.hypot(s.to[0] - s.from[0], s.to[1] - s.from[1]);
            if (!joint && long > 0)
                box(middle(s.from, s.to), toward(s.from, s.to), long, size.spring.width * s.k);
        }
    }

    /** Many small links: ground as one hatched line. */
    drawGroundLines(pen: Pen, layout: Layout, look: Palette): void {
        for (const { from, to, side } of this.lines) {
            const u: Point = [layout.sx(from[0]), layout.sy(from[1])], v: Point = [layout.sx(to[0]), layout.sy(to[1])];
            // base lines have the direction that gives hatch the same slope as under single pins
            const flip = (v[0] - u[0]) * side[1] + (v[1] - u[1]) * side[0] < 0;
            const e: Point = [-side[1], -side[0]], sense = (v[0] - u[0]) * e[0] + (v[1] - u[1]) * e[1] < 0 ? -1 : 1;
            const p = along(u, e, -6 * sense * layout.k), q = along(v, e, 6 * sense * layout.k);
            // pale: the links matter more
            hatched(pen, flip ? q : p, flip ? p : q, [side[0], -side[1]], layout.k, { ...look, ink: look.faint });
        }
    }
}

/** Of coinciding joints the one that draws the pin: one that has a pin at all. */
function firstPin(run: Run, list: number[]): number {
    const { joints } = run.scene;
    return list.find((i) => joints[i].kind === "revolute") ?? list.find((i) => joints[i].kind !== "prismatic") ?? list[0];
}

/** Several joints with ground at one point share one foot, on the side where none of the bodies is. */
function shareGround(run: Run, marks: JointMark[]): void {
    const standing = marks.filter(({ s, axis }) => grounded(s.def) >= 0 && !s.curve && !axis);
    if (standing.length < 2)
        return;
    const side = groundSide(run, standing.map(({ s }) => s.def), groundSides(run.scene));
    standing.forEach(({ s }, i) => {
        s.side = [side[0], -side[1]];
        s.stands = i === 0;
    });
}

const wrap = (angle: number): number => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

/** A direction of a body on the screen, of length 1. */
function direct(poses: Poses, body: number, d: Vec, out: Point): void {
    const c = body < 0 ? 1 : poses.data[4 * body + 2], s = body < 0 ? 0 : poses.data[4 * body + 3];
    out[0] = c * d[0] - s * d[1];
    out[1] = -(s * d[0] + c * d[1]);
}

function placeCurve({ s: { def }, away: out, face }: JointMark, curve: PlaneCurve, layout: Layout, poses: Poses): void {
    const { scale } = layout.camera;
    def.curve?.forEach((p, i) => layout.put(poses, def.a, p, curve.points[i]));
    curve.roller = (def.roller ?? 0) * scale;
    direct(poses, def.b, out, curve.away);
    if (curve.face && face)
        curve.face = [face[0] * scale, face[1] * scale];
}

/** Points along a cam, and on both sides of a track. */
function curvePlaces({ def, k }: PlaneJoint, { points }: PlaneCurve, step: number, list: number[]): void {
    const off = def.kind === "cam" ? 0 : size.slot.width * k;
    let far = step;
    points.forEach((p, i) => {
        const before = points[Math.max(0, i - 1)], n = normal(toward(before, p));
        far += gap(before, p);
        if (far < step)
            return;
        far = 0;
        for (const side of off > 0 ? [-off, -off / 2, 0, off / 2, off] : [0])
            list.push(p[0] + side * n[0], p[1] + side * n[1]);
    });
}

/** Where a body mostly is, seen from its joint: away from the joint even when the mass center is in it. */
function middleOf(layout: Layout, poses: Poses, body: number, at: Point, out: Point): void {
    if (body < 0) {
        out[0] = at[0];
        out[1] = at[1];
        return;
    }
    out[0] = layout.sx(poses.data[4 * body]);
    out[1] = layout.sy(poses.data[4 * body + 1]);
}

/** The direction in which something goes or lies, in the plane and of length 1; null where the kind has none. */
function planeAxis(joint: JointDef): Vec | null {
    const flat = (d: Vec | undefined): Vec | null => {
        const l = d ? Math.hypot(d[0], d[1]) : 0;
        return d && l > 1e-6 * length(d) ? [d[0] / l, d[1] / l, 0] : null;
    };
    if (joint.kind === "point_on_plane") {
        const n = flat(joint.normal ?? joint.axis);
        return n && [-n[1], n[0], 0];
    }
    return flat(joint.axis);
}

function jointMark(run: Run, joint: JointDef, first: boolean, look: Palette): JointMark {
    const axis = planeAxis(joint), gear = joint.gear ? gearOf(run, joint) : null;
    const s: PlaneJoint = {
        def: joint, k: 1, look, at: [0, 0], at_b: [0, 0], axis: [0, 0], a: null, b: null,
        side: joined(joint) ? screenSide(run, joint, axis) : [0, 1], travel: [0, 0],
        onBar: axis !== null && liesOnBar(run, joint, axis),
        bare: joint.b >= 0 && run.scene.bodies[joint.b].points.length < 2 && !elasticOf(run.scene, joint.b),
        turned: 0, bodies: { a: [0, 0], b: [0, 0] }, thin: false, first, stands: true, drive: driveSense(run, joint),
        gear: gear ? { radii: [0, 0], turned: [0, 0], text: gear.text } : null,
        curve: joint.curve ? { points: joint.curve.map(() => [0, 0]), roller: 0, away: [0, -1], face: joint.face ? [0, 0] : null } : null,
    };
    return {
        symbol: jointSymbol(joint.kind), s, axis, wheels: gear?.wheels ?? [], radii: gear?.radii ?? [0, 0], away: away(joint),
        face: joint.face ? faceSpan(run, joint) : null,
        travel: axis && joined(joint) ? travel(run, { ...joint, axis, axis_b: undefined }) : [0, 0],
    };
}

function screenSide(run: Run, joint: JointDef, axis: Vec | null): Point {
    let sides = groundSides(run.scene);
    if (axis) { // beside the axis alone; the lower one first
        const n: Vec = [-axis[1], axis[0], 0], down = sides[0], lower = n[0] * down[0] + n[1] * down[1] >= 0;
        sides = lower ? [n, [-n[0], -n[1], 0]] : [[-n[0], -n[1], 0], n];
    }
    const side = groundSide(run, joint, sides);
    return [side[0], -side[1]];
}

/** Does a bar of body a lie along the axis through the joint? Then the block goes around it. */
function liesOnBar(run: Run, joint: JointDef, axis: Vec): boolean {
    if (joint.a < 0)
        return false;
    const corners = outlinePoints(run.scene, joint.a);
    if (corners.length !== 2)
        return false;
    const [p, q] = corners, l = Math.hypot(q[0] - p[0], q[1] - p[1]), at = jointAt(joint);
    const across = Math.abs((q[0] - p[0]) * axis[1] - (q[1] - p[1]) * axis[0]) / l;
    return across < 0.02 && toSegment([at[0], at[1]], [p[0], p[1]], [q[0], q[1]]) < 0.02 * (run.scene.size || l);
}

/** In which direction a driven joint mostly rotates: 1 clockwise on the screen. */
function driveSense(run: Run, joint: JointDef): number {
    if (!joint.driven && !run.scene.drivers.some((driver) => run.scene.joints[driver.joint] === joint))
        return 0;
    const moving = joint.b >= 0 ? joint.b : joint.a, other = joint.b >= 0 ? joint.a : -1, pose = newPose();
    const angle = (body: number, frame: number): number => {
        if (body < 0)
            return 0;
        run.motion.frame(frame, body, pose);
        return 2 * Math.atan2(pose[6], pose[3]);
    };
    let sum = 0, before = 0;
    spread(run.motion.count, 2000).forEach((frame, i) => {
        const now = angle(moving, frame) - angle(other, frame);
        sum += i ? wrap(now - before) : 0;
        before = now;
    });
    return sum < -1e-9 ? 1 : -1;
}

function gearOf(run: Run, joint: JointDef): { wheels: Wheel[]; radii: Point; text: string } | null {
    if (!joint.gear)
        return null;
    const [i, j] = joint.gear.joints, one = run.scene.joints[i], two = run.scene.joints[j];
    if (!one || !two)
        return null;
    // the wheel is the body that only one of the two joints holds; the other one carries them
    const bodyOf = (own: JointDef, other: JointDef): number =>
        own.b >= 0 && own.b !== other.a && own.b !== other.b || own.a < 0 ? own.b : own.a;
    const wheels = [one, two].map((own, n): Wheel => {
        const body = bodyOf(own, n ? one : two);
        return { body, at: body === own.b ? jointAtB(own) : jointAt(own) };
    });
    const third = run.scene.joints[joint.gear.joints[2]];
    if (third)
        wheels.push({ body: third.b, at: jointAtB(third) });
    const p = wheels[0].at, q = wheels[1].at, rack = joint.kind === "rack_and_pinion";
    const turning = one.kind === "revolute" && (two.kind === "revolute" || rack);
    const found = turning ? relationRadii(joint.kind, Math.hypot(p[0] - q[0], p[1] - q[1]), joint.gear.ratio ?? 0, extent(run)) : null;
    return { wheels, radii: found ? [found.r1, found.r2] : [0, 0], text: ratioText(joint, " : 1") };
}

function springMark(run: Run, def: SpringDef, look: Palette): SpringMark {
    const joint = def.joint !== undefined && def.joint >= 0 && !def.to ? run.scene.joints[def.joint] ?? null : null;
    const pose = newPose(), near = 1e-3 * extent(run);
    let shortest = Infinity;
    if (!joint && def.at && def.to)
        for (const frame of spread(run.motion.count, 400)) {
            const p = pointAtFrame(run, def.a, def.at, frame, pose), q = pointAtFrame(run, def.b, def.to, frame, pose);
            shortest = Math.min(shortest, Math.hypot(p[0] - q[0], p[1] - q[1]));
        }
    // no wall where there is already a joint with ground
    const free = (body: number, p: Vec | undefined): boolean => body < 0 && p !== undefined && !run.scene.joints.some((other) =>
        grounded(other) >= 0 && joined(other) && Math.hypot(jointAt(other)[0] - p[0], jointAt(other)[1] - p[1]) < near);
    const s: PlaneSpring = {
        def, k: 1, look, from: [0, 0], to: [0, 0], shortest: 0, angle: 0,
        groundEnds: [free(def.a, def.at), free(def.b, def.to)], thin: false,
    };
    return { symbol: springSymbol(def.kind), s, def, joint, shortest: Number.isFinite(shortest) ? shortest : 0 };
}

function groundLines(run: Run, marks: JointMark[]): GroundLine[] {
    const near = 1e-3 * extent(run), rows: { side: Point; level: number; low: number; high: number }[] = [];
    for (const { s } of marks) {
        const { def } = s;
        if (def.kind !== "revolute" && def.kind !== "fixed" || grounded(def) < 0)
            continue;
        const side: Point = [s.side[0], -s.side[1]], p = def.a < 0 ? jointAt(def) : jointAtB(def);
        const level = p[0] * side[0] + p[1] * side[1], place = -p[0] * side[1] + p[1] * side[0];
        const row = rows.find((r) => Math.abs(r.level - level) < near && r.side[0] * side[0] + r.side[1] * side[1] > 0.999);
        if (row) {
            row.low = Math.min(row.low, place);
            row.high = Math.max(row.high, place);
        } else
            rows.push({ side, level, low: place, high: place });
    }
    return rows.map(({ side, level, low, high }) => {
        const at = (place: number): Point => [level * side[0] - place * side[1], level * side[1] + place * side[0]];
        return { side, from: at(low), to: at(high) };
    });
}
