import assert from "node:assert/strict";
import { test } from "node:test";
import type { GroupDef, SceneDef } from "../../src/data/header.ts";
import { boxTitle, dependencies, groupBoxes, kindOf, nameLines, repeats } from "../../src/inside/group_boxes.ts";
import { crossings, layersOf, layOut, settle, type Size } from "../../src/inside/layers.ts";

const body = (name: string) => ({ name, mass: 1, center: [0, 0, 0] as [number, number, number], points: [], shapes: [] });
function makeScene(bodies: string[], joints: [number, number][]): SceneDef {
    return {
        dimension: 2, gravity: [0, 0, 0], size: 1, bodies: bodies.map(body), springs: [], forces: [], probes: [], drivers: [],
        joints: joints.map(([a, b], i) => ({ name: `j${i}`, kind: "revolute", a, b })),
    };
}

// Jansen's leg: crank; upper and hip, lower and knee on crank and ground; shin and foot on both
const leg = makeScene(["crank", "upper", "hip", "lower", "knee", "shin", "foot"],
    [[-1, 0], [0, 1], [0, 3], [-1, 2], [-1, 4], [1, 2], [3, 4], [4, 6], [2, 5], [5, 6]]);
const order: GroupDef[] = [
    { name: "driven link", bodies: [0], joints: [0] }, { name: "RRR", bodies: [1, 2], joints: [1, 3, 5] },
    { name: "RRR", bodies: [3, 4], joints: [2, 4, 6] }, { name: "RRR", bodies: [5, 6], joints: [7, 8, 9] },
];
// n loops side by side: each dyad stands on the one before and on ground
function chain(n: number): { scene: SceneDef; order: GroupDef[] } {
    const joints: [number, number][] = [[-1, 0]], names = ["crank0"];
    const groups: GroupDef[] = [{ name: "driven link", bodies: [0], joints: [0] }];
    for (let k = 1; k <= n; k++) {
        names.push(`coupler${k}`, `crank${k}`);
        joints.push([k === 1 ? 0 : 2 * k - 2, 2 * k - 1], [2 * k - 1, 2 * k], [-1, 2 * k]);
        groups.push({ name: "RRR", bodies: [2 * k - 1, 2 * k], joints: [3 * k - 2, 3 * k - 1, 3 * k] });
    }
    return { scene: makeScene(names, joints), order: groups };
}

test("groups depend on those whose bodies their joints touch", () => {
    assert.deepEqual(dependencies(order, leg).map((set) => [...set].sort()), [[-1], [-1, 0], [-1, 0], [1, 2]]);
});

test("kinds follow from names and sizes", () => {
    assert.deepEqual(order.map(kindOf), ["driven", "dyad", "dyad", "dyad"]);
    assert.equal(kindOf({ name: "group of 5 links", bodies: [1, 2, 3, 4, 5], joints: [] }), "larger");
    assert.equal(kindOf({ name: "follower", bodies: [1], joints: [] }), "follower");
    assert.equal(kindOf({ name: "triad", bodies: [1, 2, 3], joints: [] }), "triad");
});

test("a repeated word is one interval; all intervals cover the list once", () => {
    assert.deepEqual(repeats(["a", "b", "b", "b", "c"]), [[0, 1, 1], [1, 1, 3], [4, 1, 1]]);
    assert.deepEqual(repeats(["x", "a", "b", "a", "b", "a", "b", "y"]), [[0, 1, 1], [1, 2, 3], [7, 1, 1]]);
    assert.deepEqual(repeats([]), []);
});

test("hundreds of equal groups become one box, in the order of solution", () => {
    const { scene, order: groups } = chain(300), boxes = groupBoxes(groups, scene, true);
    assert.deepEqual(boxes.map(boxTitle), ["1: driven link", "2–301: 300 × RRR"]);
    assert.deepEqual([boxes[1].chained, boxes[1].onGround, boxes[1].from], [true, true, [0]]);
    assert.equal(boxes[1].bodies.length, 600);
    assert.equal(groupBoxes(groups, scene, false).length, 301);
});

test("bodies of no group are one box behind the others", () => {
    const boxes = groupBoxes(order.slice(0, 2), leg, false), last = boxes[boxes.length - 1];
    assert.equal(last.kind, "left");
    assert.deepEqual(last.bodies, [3, 4, 5, 6]);
    assert.deepEqual(last.from, [0, 1]);
    assert.equal(groupBoxes(order, leg, false).length, 4);
});

test("names that do not fit are counted", () => {
    const lines = nameLines(["aa", "bb", "cc", "dd", "ee"], 2, 22, (words) => words.length);
    assert.deepEqual(lines, ["aa, bb, cc, dd, ee"]);
    const narrow = nameLines(["aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh", "ii"], 2, 14, (words) => words.length);
    assert.equal(narrow.length, 2);
    assert.ok(narrow.every((line) => line.length <= 14 + 1)); // the comma at the end of a line may hang over
    assert.match(narrow[1], /and \d more$/);
    assert.deepEqual(nameLines([], 2, 10, (words) => words.length), []);
});

test("layers stand behind what they depend on", () => {
    assert.deepEqual(layersOf(groupBoxes(order, leg, false).map((box) => ({ width: 1, height: 1, from: box.from }))), [0, 1, 1, 2]);
});

test("a settled layer keeps its order and gaps, and moves least", () => {
    const half = [1, 1, 1], at = settle([5, 5, 5], half, () => 1);
    assert.deepEqual(at, [2, 5, 8]);
    assert.deepEqual(settle([0, 10, 20], half, () => 1), [0, 10, 20]);
});

test("crossings are counted", () => {
    assert.equal(crossings([{ after: [3] }, { after: [2] }, { after: [] }, { after: [] }], [[0, 1], [2, 3]], [0, 1, 0, 1]), 1);
});

for (const direction of ["right", "down"] as const)
    test(`boxes laid out to the ${direction} overlap neither each other nor an arrow that passes`, () => {
        // 0 -> 1 -> 2 -> 3, and arrows that pass layers
        const sizes: Size[] = [[], [0], [0, 1], [0, 1, 2], [0, 3]].map((from, i) => ({ width: 80 + 10 * i, height: 40, from }));
        const { boxes, arrows, width, height } = layOut(sizes, direction);
        const inside = (x: number, y: number, b: number) => x > boxes[b].x + 0.1 && x < boxes[b].x + sizes[b].width - 0.1 &&
            y > boxes[b].y + 0.1 && y < boxes[b].y + sizes[b].height - 0.1;
        sizes.forEach((size, b) => {
            assert.ok(boxes[b].x >= -1e-6 && boxes[b].x + size.width <= width + 1e-6);
            assert.ok(boxes[b].y >= -1e-6 && boxes[b].y + size.height <= height + 1e-6);
            for (let other = 0; other < b; other++)
                assert.ok(boxes[b].x >= boxes[other].x + sizes[other].width || boxes[other].x >= boxes[b].x + size.width ||
                    boxes[b].y >= boxes[other].y + sizes[other].height || boxes[other].y >= boxes[b].y + size.height);
        });
        assert.equal(arrows.length, 8);
        for (const { path } of arrows) {
            const numbers = (path.match(/-?\d+\.\d/g) ?? []).map(Number), points: [number, number][] = [];
            for (let i = 0; i < numbers.length; i += 2)
                points.push([numbers[i], numbers[i + 1]]);
            for (let i = 0; i + 1 < points.length; i++)
                for (let s = 0; s <= 1; s += 0.1)
                    sizes.forEach((_, b) => assert.ok(!inside(points[i][0] + s * (points[i + 1][0] - points[i][0]),
                        points[i][1] + s * (points[i + 1][1] - points[i][1]), b), `${path} runs through box ${b}`));
        }
    });
