import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyName, bodyOrder, wholeBodies, wholeOf } from "../../src/data/elastic.ts";
import type { ElasticDef, SceneDef, Vec3 } from "../../src/data/header.ts";
import { newPose, type Pose } from "../../src/data/model.ts";
import { enlarge, newLine, posed, trace } from "../../src/scene/beams.ts";
import { body } from "../support/planar.ts";

const near = (a: number, b: number, within: number): void => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b} within ${within}`);

const axes: [Vec3, Vec3] = [[1, 0, 0], [0, 1, 0]], count = 5;
const beam: ElasticDef = { name: "rod", kind: "beam", first: 1, count, pieces: [{ first: 1, count, axes: [axes] }] };
const scene: SceneDef = {
    dimension: 3, gravity: [0, 0, 0], size: 1, joints: [], springs: [], forces: [], probes: [], drivers: [], elastic: [beam],
    bodies: [body("crank", [-1, 0, 0], []), ...Array.from({ length: count }, (_, i) => body(`rod.${i}`, [i / 4, 0, 0], [])),
        body("slider", [2, 0, 0], [])],
};

/** The frames on an arc of this angle, its chord turned by `tilt` and 1 long. */
function bent(angle: number, tilt: number): Pose[] {
    const poses = scene.bodies.map(() => newPose()), radius = 1 / (2 * Math.sin(angle / 2));
    for (let i = 0; i < count; i++) {
        const turn = tilt + angle * (0.5 - i / 4), s = angle * (i / 4 - 0.5), c = Math.cos(tilt), z = Math.sin(tilt);
        const x = radius * Math.sin(s) + 0.5, y = radius * (Math.cos(s) - Math.cos(angle / 2));
        poses[1 + i].set([c * x - z * y, z * x + c * y, 0, Math.cos(turn / 2), 0, 0, Math.sin(turn / 2)]);
    }
    return poses;
}

test("the curve of a beam is that of an arc", () => {
    const piece = beam.pieces![0], poses = bent(1, 0), radius = 1 / (2 * Math.sin(0.5));
    const line = trace(piece, 8, posed((i) => poses[i]), newLine(piece, 8));
    assert.equal(line.count, 33);
    for (let i = 0; i < line.count; i++) {
        const [x, y] = [line.at[3 * i] - 0.5, line.at[3 * i + 1] + radius * Math.cos(0.5)];
        near(Math.hypot(x, y), radius, 1e-4); // cubics of the fourth order
        near(line.along[3 * i] * x + line.along[3 * i + 1] * y, 0, 2e-3);
        near(line.along[3 * i] * line.up[3 * i] + line.along[3 * i + 1] * line.up[3 * i + 1], 0, 1e-12);
    }
    assert.deepEqual([line.frame[0], line.frame[8], line.frame[32]], [1, 2, 5]);
});

test("enlarged deflections leave the ends where they are", () => {
    const small = bent(0.01, 0.7), poses = small.map((pose) => Float64Array.from(pose));
    enlarge(scene, beam, posed((i) => poses[i]), 20, (i, pose) => poses[i].set(pose));
    for (const end of [1, count])
        for (let c = 0; c < 3; c++)
            near(poses[end][c], small[end][c], 1e-12);
    const sag = (list: Pose[]): number => -Math.sin(0.7) * list[3][0] + Math.cos(0.7) * list[3][1];
    near(sag(poses), 20 * sag(small), 1e-9);
    near(2 * Math.atan2(poses[1][6], poses[1][3]), 0.7 + Math.atan(20 * Math.tan(0.005)), 2e-3);
    assert.deepEqual(Array.from(poses[0]), Array.from(newPose()));
});

test("an elastic body counts once", () => {
    assert.deepEqual([...wholeBodies(scene)], [0, 1, 6]);
    assert.deepEqual([0, 1, 5, 6].map((i) => bodyOrder(scene, i)), [0, 1, 1, 2]);
    assert.deepEqual([0, 3, 6].map((i) => bodyName(scene, i)), ["crank", "rod", "slider"]);
    assert.deepEqual([wholeOf(scene, 0), wholeOf(scene, 4)], [[0], [1, 2, 3, 4, 5]]);
});
