// Forces of contacts as two arrows: the normal one and friction.
import assert from "node:assert/strict";
import { test } from "node:test";
import { dot, scale, sub, unit, type Vec } from "../../src/base/vec.ts";
import type { ContactDef } from "../../src/data/header.ts";
import { normalPart } from "../../src/scene/vectors.ts";

const near = (a: Vec, b: Vec): void => a.forEach((x, k) => assert.ok(Math.abs(x - b[k]) < 1e-12, `${a} and ${b}`));
const run = (dimension: 2 | 3): Parameters<typeof normalPart>[0] =>
    ({ scene: { dimension } as never, pointAt: (_body: number, p: Vec) => p });

test("in the plane the normal follows from the components: friction is along the normal turned clockwise", () => {
    for (let angle = 0; angle < 6.3; angle += 0.37) {
        const n: Vec = [Math.cos(angle), Math.sin(angle), 0], t: Vec = [n[1], -n[0], 0], fn = 3, ft = -1.2;
        const total: Vec = [fn * n[0] + ft * t[0], fn * n[1] + ft * t[1], 0];
        near(normalPart(run(2), { name: "c", kind: "face_ball" }, total, fn, ft, 0), scale(n, fn));
    }
    near(normalPart(run(2), { name: "c", kind: "face_ball" }, [0, 0, 0], 0, 0, 0), [0, 0, 0]);
});

test("in space the normal is that of the plane, or along the line of the centers", () => {
    const n = unit([1, 2, -2]), side = unit([2, -1, 0]), total: Vec = [0, 1, 2].map((k) => 4 * n[k] + 0.7 * side[k]) as Vec;
    const plane: ContactDef = { name: "c", kind: "plane_ball", a: -1, b: 0, at: [1, 1, 1], to: [0, 0, 3], axes: [n, n] };
    near(normalPart(run(3), plane, total, 4, 0.7, 0), scale(n, 4));
    const balls: ContactDef = { name: "c", kind: "ball_ball", a: 0, b: 1, at: [1, 1, 1], to: [2, 3, -1] };
    near(normalPart(run(3), balls, total, 4, 0.7, 0), scale(n, 4));
    assert.ok(Math.abs(dot(sub(total, normalPart(run(3), balls, total, 4, 0.7, 0)), n)) < 1e-12);
});

test("where the normal is not known the force stays one arrow", () => {
    const total: Vec = [1, 2, 3], x: Vec = [1, 0, 0];
    const rim: ContactDef = { name: "c", kind: "plane_disc", a: -1, b: 0, at: [0, 0, 0], to: [0, 0, 1], axes: [x, x] };
    near(normalPart(run(3), rim, total, 3, 0, 0), total); // the normal force is not that along the axis
    near(normalPart(run(3), { ...rim, kind: "edge_edge" }, total, 3, 0, 0), total);
});
