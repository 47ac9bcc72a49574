import assert from "node:assert/strict";
import { test } from "node:test";
import {
    chosenTraces, commonName, gearRadii, ghostTimes, groundSide, groundSides, pathWindow, percentile, period, coincidentJoints,
    relationRadii, roundDown,
    roundNear, tracePath, traceTimes, travel,
} from "../../src/scene/facts.ts";
import { Motion, Run } from "../../src/data/model.ts";
import { kineticEnergy, reactions, spinAt, velocityAt } from "../../src/scene/vectors.ts";
import { corners, flats, Surfaces, widePlanes } from "../../src/scene/surfaces.ts";
import { body, joint, pendulum, runOf, times, type PlanePose } from "../support/planar.ts";

const near = (a: number, b: number, within: number): void => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b} within ${within}`);

test("round numbers are 1, 2, 5 times a power of ten", () => {
    for (const [x, below] of [[1, 1], [1.99, 1], [2, 2], [4.9, 2], [5, 5], [99, 50], [0.03, 0.02], [1e-9, 1e-9], [0.5, 0.5], [1000, 1000]])
        near(roundDown(x), below, 1e-12 * below);
    for (const [x, nearest] of [[1.3, 1], [1.5, 2], [3, 2], [3.3, 5], [8, 10], [0.07, 0.05]])
        near(roundNear(x), nearest, 1e-12 * nearest);
    assert.equal(roundDown(NaN), 1);
});

test("a percentile is a value that is there", () => {
    const values = Float64Array.from({ length: 100 }, (_, i) => 100 - i);
    assert.equal(percentile(values, 0.95), 95);
    assert.equal(percentile(values, 1), 100);
    assert.equal(percentile(new Float64Array(0), 0.5), 0);
});

test("gears: radii add up to the distance outside and differ by it inside, and roll on each other", () => {
    const outer = gearRadii(0.9, -0.5)!, inner = gearRadii(0.3, 0.25)!;
    near(outer.r1 + outer.r2, 0.9, 1e-15);
    near(outer.r1 / outer.r2, 0.5, 1e-15);
    near(Math.abs(inner.r1 - inner.r2), 0.3, 1e-15);
    near(inner.r1 / inner.r2, 0.25, 1e-15);
    assert.equal(gearRadii(0.3, 1), null); // equal turning inside: no radii
    assert.equal(gearRadii(0, -1), null);
});

test("belts, racks and planetary gears: radii in the ratio, pulleys apart, the sun inside the ring", () => {
    const belt = relationRadii("belt", 2, -0.4, 5)!, rack = relationRadii("rack_and_pinion", 2, -0.03, 5)!;
    near(belt.r1 / belt.r2, 0.4, 1e-12);
    assert.ok(belt.r1 + belt.r2 < 2);
    near(rack.r1, 0.03, 1e-12);
    assert.equal(rack.r2, 0);
    for (const ratio of [-0.3, -1, -2]) {
        const { r1, r2 } = relationRadii("planetary_gear", 0, ratio, 5)!;
        assert.ok(r1 > 0 && r1 < r2);
    }
    assert.equal(relationRadii("belt", 0, 1, 5), null);
    assert.deepEqual(relationRadii("gear", 0.9, -0.5, 5), gearRadii(0.9, -0.5));
});

test("ground stands where the body never is", () => {
    const below = pendulum((t) => 0.5 * Math.sin(3 * t)), above = pendulum((t) => Math.PI + 0.5 * Math.sin(3 * t));
    const side = (run: Run): number => groundSide(run, run.scene.joints[0], groundSides(run.scene))[1];
    assert.equal(side(below), 1); // hangs: ground above it
    assert.equal(side(above), -1);
    assert.equal(side(pendulum((t) => Math.PI * t)), -1); // everywhere: down by its bonus
    const hung = runOf({ bodies: [body("ball", [0, -1, 0], [[0, -1, 0]])],
        joints: [joint("r", "rod", -1, 0, [0, 0, 0], { at_b: undefined, to: [0, -1, 0] })] }, times(11, 1), [() => [0, -1, 0]]);
    assert.equal(side(hung), 1); // on a rod: it hangs from above though its center is the rod's end
});

test("traces: far enough and no straight line", () => {
    assert.deepEqual(chosenTraces(pendulum((t) => Math.sin(3 * t))), [0]);
    assert.deepEqual(chosenTraces(pendulum((t) => 0.01 * Math.sin(3 * t))), []); // 2 % of L
    const slide = runOf({ bodies: [body("b", [0, 0, 0], [[0, 0, 0]])], probes: [{ name: "p", body: 0, at: [0, 0, 0] }] }, times(101, 2),
        [(t): PlanePose => [Math.sin(3 * t), 0.5 * Math.sin(3 * t), 0]]);
    assert.deepEqual(chosenTraces(slide), []);
});

test("the path of few frames is no polygon", () => {
    const turns = 0.3, n = 40, run = pendulum((t) => turns * t, 1, n + 1, n, true), times = traceTimes(run.motion);
    const path = tracePath(run, 0, [0, -1, 0], times), parts = (times.length - 1) / n;
    assert.equal(parts, 32);
    let polygon = 0, curve = 0;
    for (let i = parts; i < times.length - 1 - parts; i++) { // slopes at the ends are wrong by twice as much
        const [x, y] = [0, 1].map((c) => (path[3 * i + c] + path[3 * i + 3 + c]) / 2);
        curve = Math.max(curve, Math.abs(Math.hypot(x, y) - 1));
        const k = Math.floor(i / parts) * parts;
        polygon = Math.max(polygon, 1 - Math.hypot(...[0, 1].map((c) => (path[3 * k + c] + path[3 * (k + parts) + c]) / 2)));
    }
    // slopes by parabolas are wrong by w^3 h^2/6, cubics thereby by up to (w h)^3/24 of half the length and of its turn; fine chords
    assert.ok(curve < turns ** 3 / 24 + (turns / parts) ** 2 / 8 + 8e-6, `${curve}`);
    near(polygon, turns ** 2 / 8, 0.05 * turns ** 2 / 8);
    assert.equal(traceTimes(pendulum((t) => t).motion).length, 201); // straight between frames: nothing to refine
    const whole = pathWindow(times, n);
    assert.ok(times[whole[1] - 1] < n && times[whole[1]] === n); // the probe itself is the last point
});

test("the period of a turning crank is one turn", () => {
    const run = pendulum((t) => 2 * Math.PI * t / 0.8, 1, 401, 2);
    near(period(run), 0.8, 2 / 400);
    assert.deepEqual(ghostTimes(run).length, 4);
    near(ghostTimes(run)[1], 0.2, 2 / 400);
    near(period(pendulum((t) => t, 1, 101, 2)), 2, 0); // never back: the full run
    assert.deepEqual(ghostTimes(run, [1, 2]), [1, 1.25, 1.5, 1.75]);
});

test("joints in one place at all times share it; those that only meet do not", () => {
    const half = (t: number): PlanePose => [0.5 * Math.cos(t), 0.5 * Math.sin(t), t];
    const run = runOf({
        bodies: [body("a", [0.5, 0, 0], [[0, 0, 0], [1, 0, 0]]), body("b", [0.5, 0, 0], [[0, 0, 0], [1, 0, 0]])],
        joints: [joint("A1", "revolute", -1, 0, [0, 0, 0]), joint("A2", "revolute", -1, 1, [0, 0, 0]),
            joint("B", "revolute", -1, 0, [1, 0, 0]), joint("C", "revolute", -1, 1, [1, 0, 0])],
    }, times(50, 2), [half, () => [0.5, 0, 0]]);
    assert.deepEqual(coincidentJoints(run), [[0, 1], [2], [3]]);
    assert.equal(commonName(["A1", "A2"]), "A");
    assert.equal(commonName(["pin", "slot"]), "pin");
    assert.equal(commonName(["left_1", "left_2"]), "left");
});

test("travel of a slider in the frame of its rail", () => {
    // the rail turns with body a, the block goes 0.3 sin(3 t) along it
    const along = (t: number): number => 0.3 * Math.sin(3 * t);
    const run = runOf({
        bodies: [body("rail", [0, 0, 0], [[0, 0, 0], [1, 0, 0]]), body("block", [0, 0, 0], [[0, 0, 0]])],
        joints: [joint("s", "prismatic", 0, 1, [0, 0, 0], { axis: [1, 0, 0] })],
    }, times(401, 4), [(t) => [0, 0, t], (t) => [along(t) * Math.cos(t), along(t) * Math.sin(t), t]]);
    const [low, high] = travel(run, run.scene.joints[0]);
    near(low, -0.3, 1e-4); // samples miss the peak by 0.3 (3 dt/2)^2/2 = 3.4e-5; coding 4e-6
    near(high, 0.3, 1e-4);
});

test("velocities by central differences", () => {
    const run = pendulum((t) => 2 * t, 1, 401, 2), dt = 2 / 400;
    const [vx, vy] = velocityAt(run, 0, [0, -1, 0], 1.0025, [0, 0, 0]), angle = 2 * 1.0025;
    // error of differences w^3 dt^2/6 and of straight lines w^3 dt^2/8 of a unit circle; coding 4e-6/dt
    const within = 8 * dt * dt * (1 / 6 + 1 / 8) + 8e-6 / dt;
    near(vx, 2 * Math.cos(angle), within);
    near(vy, 2 * Math.sin(angle), within);
});

test("kinetic energy of a turning rod: its mass center goes, and it spins", () => {
    const run = pendulum((t) => 2 * t, 1, 401, 2), dt = 2 / 400;
    run.scene.bodies[0].inertia = [1 / 12, 0, 1 / 12, 0, 0, 0];
    // m l^2/3 w^2/2; differences leave (w dt)^2/6 of the speed, coding 4e-6/dt of it
    near(kineticEnergy(run, 0, 1), 4 / 6, 4 / 6 * 2 * ((2 * dt) ** 2 / 6 + 4e-6 / dt));
});

test("the angular velocity is that in the axes of the body", () => {
    const n = 101, axis = [2 / 3, -1 / 3, 2 / 3], rate = 3, time = times(n, 1), values = new Int32Array(7 * n);
    time.forEach((t, k) => [Math.cos(rate * t / 2), ...axis.map((e) => e * Math.sin(rate * t / 2))].forEach((x, c) => {
        values[(3 + c) * n + k] = Math.round(x * 2 ** 19);
    }));
    const made = runOf({ bodies: [body("b", [0, 0, 0], [])] }, time, [() => [0, 0, 0]]);
    const run = new Run(made.def, new Motion(time, 1, values, [0, 0, 0], 1), made.curves, [], made.blocks);
    // about a fixed axis it is the same in all axes; coding: 2^-19 in each quaternion over two frames
    spinAt(run, 0, 0.4, [0, 0, 0]).forEach((x, c) => near(x, rate * axis[c], 4 * 2 ** -19 * 50));
});

test("reactions on both bodies are opposite and in one place, of a rod at its two ends", async () => {
    const run = pendulum((t) => t);
    run.scene.joints.push(joint("r", "rod", -1, 0, [0, 2, 0], { to: [0, -1, 0] }));
    for (const name of ["pivot.fx", "r.fx"])
        run.curves.add({ name, times: times(2, 2), values: Float64Array.of(3, 5) } as unknown as Parameters<typeof run.curves.add>[0]);
    const { list, typical } = await reactions(run, "force");
    assert.deepEqual(list.map(({ body: on, at, opposite, value }) => [on, ...at, opposite ?? false, value(1, [0, 0, 0])[0]]),
        [[0, 0, 0, 0, false, 4], [0, 0, 0, 0, true, -4], [0, 0, -1, 0, false, 4], [-1, 0, 2, 0, true, -4]]);
    near(typical, 5, 0.1); // the 95th percentile of what goes from 3 to 5
});

/** A box of 0.4 x 0.2 that slides from x = 0 to 2 on a floor, its corners as contacts. */
function slidingBox(): Run {
    const corner = (i: number): [number, number, number] => [i & 1 ? 0.2 : -0.2, i & 2 ? 0.2 : 0, 0];
    return runOf({
        bodies: [body("box", [0, 0.1, 0], [])],
        contacts: [0, 1, 2, 3].map((i) => ({
            name: `floor.${i + 1}`, kind: "plane_ball", a: -1, b: 0, at: [0, 0, 0], to: corner(i), axes: [[0, 1, 0], [1, 0, 0]],
            radii: [0, 0, 0],
        })),
    }, times(41, 2), [(t) => [t, 0.1, 0]]);
}

test("contacts: one line of ground as far as the body comes, and the outline of its corners", () => {
    const run = slidingBox(), [floor, ...more] = flats(run), found = corners(run);
    assert.equal(more.length, 0);
    assert.equal(floor.body, -1);
    near(floor.low, -0.2 - 0.08, 1e-5); // with a margin of 0.08 L, L = 1
    near(floor.high, 2.2 + 0.08, 1e-5);
    assert.equal(found.length, 1);
    assert.deepEqual([found[0].body, found[0].points.length, found[0].radius], [0, 4, 0]);
    const box = { x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity };
    new Surfaces(run).reach((x, y) => {
        box.x0 = Math.min(box.x0, x);
        box.x1 = Math.max(box.x1, x);
        box.y0 = Math.min(box.y0, y);
        box.y1 = Math.max(box.y1, y);
    });
    near(box.y1, 0.2, 1e-5);
    near(box.y0, 0, 1e-5);
    near(box.x1 - box.x0, 2.56, 1e-5);
});

const wall = (at: [number, number, number], normal: [number, number, number]) => ({ body: -1, at, normal });

test("contacts of many bodies: lines as far as bodies come, up to the other lines of the contact", () => {
    const planes = [wall([0, 0, 0], [0, 1, 0]), wall([0, 0, 0], [1, 0, 0])];
    const run = runOf({
        bodies: [body("a", [0.05, 0.05, 0], []), body("b", [5, 2, 0], []), body("far", [9, 9, 0], [])],
        contacts: [{ name: "corner", kind: "surfaces", a: -1, planes, except: [2] }],
    }, times(3, 2), [() => [0.05, 0.05, 0], (t) => [5 + t, 2, 0], () => [9, 9, 0]]);
    const [floor, side] = flats(run);
    near(floor.low, 0, 1e-9);
    near(floor.high, 7 + 0.08, 1e-3);
    near(side.low, -2 - 0.08, 1e-3); // its direction is the normal turned clockwise: down
    near(side.high, 0, 1e-9);
});

test("contacts of many bodies in space: planes end at each other", () => {
    const planes = [wall([0, 0, 0], [0, 0, 1]), wall([0, 0, 0], [1, 0, 0]), wall([3, 0, 0], [-1, 0, 0])];
    const run = runOf({
        dimension: 3,
        bodies: [body("a", [1, 1, 1], []), body("b", [2, -1, 2], [])],
        contacts: [{ name: "box", kind: "surfaces", a: -1, planes }],
    }, times(3, 2), [() => [1, 1, 0], () => [2, -1, 0]]);
    const list = widePlanes(run);
    assert.equal(list.length, 3);
    for (const { points, normal } of list)
        for (const p of points)
            for (const { at, normal: n } of planes)
                assert.ok(n[0] * (p[0] - at[0]) + n[2] * (p[2] - at[2]) >= -1e-9, `${normal}`);
    near(Math.max(...list[0].points.map((p) => p[0])), 2 + 0.08, 1e-3);
});

test("contacts: arrows start where the bodies touch, on demand also on the first body; stops have none", async () => {
    const run = slidingBox(), put = (name: string, ...values: number[]): void =>
        run.curves.add({ name, times: times(2, 2), values: Float64Array.from(values) } as unknown as Parameters<typeof run.curves.add>[0]);
    put("floor.2.fy", 10, 10);
    put("floor.2.x", 0.2, 2.2);
    run.scene.contacts!.push({ name: "h.lower", kind: "stop", variable: "h.angle", lower: 0 });
    put("h.lower.fn", 3, 3);
    const { list, typical } = await reactions(run, "force");
    near(typical, 10, 0);
    assert.deepEqual(list.map(({ name, opposite, value, place }) => [name, opposite ?? false, ...value(1, [0, 0, 0]),
        ...place!(1, [0, 0, 0]).map((x) => Number(x.toFixed(9)))]),
    [["floor.2", false, 0, 10, 0, 1.2, 0, 0], ["floor.2", true, -0, -10, -0, 1.2, 0, 0]]);
    assert.equal((await reactions(run, "moment")).list.length, 0);
});

test("contacts: faces that end, and the ball on them", () => {
    const run = runOf({
        bodies: [body("cross", [0, 0, 0], []), body("pin", [1, 1, 0], [])],
        contacts: [{ name: "slot.1", kind: "face_ball", a: 0, b: 1, at: [2, 1, 0], to: [1, 1, 0], axes: [[0, 1, 0], [1, 0, 0]],
            radii: [0.1, 0.5, 0] }],
    }, times(3, 1), [() => [0, 0, 0], () => [1, 1, 0]]), seen: string[] = [];
    new Surfaces(run).reach((x, y) => seen.push(`${x.toFixed(3)} ${y.toFixed(3)}`));
    for (const place of ["1.500 1.000", "2.500 1.000", "1.100 1.000", "0.900 1.000"])
        assert.ok(seen.includes(place), place);
});
