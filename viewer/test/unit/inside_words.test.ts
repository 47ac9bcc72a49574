import assert from "node:assert/strict";
import { test } from "node:test";
import type { HeaderDef, InfoDef, RunDef, SceneDef } from "../../src/data/header.ts";
import { runsOfRows } from "../../src/inside/comparison.ts";
import { inOrder, kindCounts } from "../../src/inside/events.ts";
import {
    bestRows, counterRows, cutAtParts, duration, findPart, methodRows, numberIn, sortedRows, statusSentence, thinning, integerText,
} from "../../src/inside/words.ts";

const body = (name: string) => ({ name, mass: 1, center: [0, 0, 0] as [number, number, number], points: [], shapes: [] });
const scene: SceneDef = {
    dimension: 2, gravity: [0, 0, 0], size: 1, bodies: ["crank", "rod1", "A"].map(body),
    springs: [{ name: "S1", kind: "spring", a: -1, b: 0 }],
    joints: [{ name: "j1", kind: "revolute", a: -1, b: 0 }, { name: "A", kind: "revolute", a: 0, b: 1 }],
    forces: [{ name: "push", kind: "force", body: 1 }], probes: [{ name: "P3", body: 1, at: [0, 0, 0] }],
    drivers: [{ name: "motor", joint: 0, variable: "j1.angle" }],
};
const info = (changes: Partial<InfoDef>): InfoDef => ({
    model: "m", file: "m.yaml", text: "", study: "motion", status: "done", biela_version: "0.1.0", coordinates: "natural",
    formulation: "partition", integrator: "series", linsol: "klu", ordering: "p5", tolerance: 1e-8, step: 0, until: 10, reached: 10,
    degrees_of_freedom: 1, statistics: {}, ...changes,
});
const ascii = (shown: string): string => shown.replace(/[\u202f\u2009]/g, "_").replace(/\u2212/g, "-");

test("whole numbers are shown in full, digits in threes, with a true minus", () => {
    assert.deepEqual([7, 1234, 12345, 2000000, -98765].map((v) => ascii(integerText(v))), ["7", "1234", "12_345", "2_000_000", "-98_765"]);
});

test("durations are in the unit a person would say", () => {
    assert.deepEqual([4.2e-5, 0.0127, 3.14159, 200, 7300].map((v) => ascii(duration(v))),
        ["42_µs", "12.7_ms", "3.14_s", "3_min 20_s", "2_h 1_min"]);
});

test("the end of a run is a sentence", () => {
    assert.match(statusSentence(info({})), /^Complete: reached 10.s\.$/);
    assert.match(statusSentence(info({ status: "stopped", reached: 3.2 })), /^Stopped on request at 3\.2.s\.$/);
    const statistics = { stopped_by: "x > 1" } as unknown as Record<string, number>;
    assert.match(statusSentence(info({ status: "event", reached: 1, statistics })), /stop condition at 1.s: x > 1\.$/);
    assert.equal(statusSentence(info({ study: "equilibrium", reached: 0 })), "Equilibrium found.");
    assert.equal(statusSentence(info({ study: "equilibrium", status: "stopped", reached: 0.5 })), "Stopped on request at 0.5.");
    assert.match(statusSentence(info({ status: "numerical failure", reached: 2 })), /^Failed at 2.s: numerical failure\.$/);
});

test("a step of zero is chosen by the method, missing rows are left out", () => {
    const rows = new Map(methodRows(info({ ordering: "" })).map(([name, value]) => [name, value]));
    assert.equal(rows.get("step"), "chosen by the method");
    assert.equal(rows.has("ordering"), false);
    assert.equal(rows.get("tolerance"), "10⁻⁸");
});

test("counters stand side by side, zeros of all runs are left out, the least is marked where they differ", () => {
    const rows = counterRows([{ steps: 10, evaluations: 25, rejections: 0 }, { steps: 20, evaluations: 25 }]);
    assert.deepEqual(rows.map((row) => row.name), ["steps", "evaluations"]);
    assert.deepEqual(rows[0].least, [0]);
    assert.deepEqual(rows[1].least, []);
    assert.equal(rows[1].perStep, "2.5");
    assert.deepEqual(counterRows([{}]), []);
});

test("thinning is said where something was left out", () => {
    const run = (from: number, frames: number) => ({ thinned: { from, frames, buckets: 1 } }) as unknown as RunDef;
    assert.equal(thinning(run(2000000, 10000))?.short, "thinned 200 : 1, peaks kept");
    assert.equal(thinning(run(500, 500)), null);
});

test("parts are found by the names that texts give them", () => {
    assert.deepEqual(findPart(scene, "revolute 'j1'", 2), { what: "joint", index: 0, run: 2 });
    assert.deepEqual(findPart(scene, "body 'A'", 0), { what: "body", index: 2, run: 0 });
    assert.deepEqual(findPart(scene, "A", 0), { what: "joint", index: 1, run: 0 });
    assert.deepEqual(findPart(scene, "j1.angle", 0), { what: "joint", index: 0, run: 0 });
    assert.deepEqual(findPart(scene, "motor", 0), { what: "joint", index: 0, run: 0 });
    assert.deepEqual(findPart(scene, "push", 0), { what: "body", index: 1, run: 0 });
    assert.equal(findPart(scene, "mobility", 0), null);
    assert.equal(findPart(scene, "", 0), null);
});

test("a sentence is cut at names of parts and comes back whole", () => {
    const sentence = "1 of its 5 constraints is redundant with j1 and rod1: A crank is prevented twice";
    const pieces = cutAtParts(scene, sentence, 0);
    assert.equal(pieces.map((piece) => (typeof piece === "string" ? piece : piece.name)).join(""), sentence);
    // words like "A" stay words
    assert.deepEqual(pieces.flatMap((piece) => (typeof piece === "string" ? [] : [piece.name])), ["j1", "rod1"]);
    const quoted = cutAtParts(scene, "link 'crank' turns", 0);
    assert.equal(quoted.map((piece) => (typeof piece === "string" ? piece : piece.name)).join(""), "link crank turns");
    assert.equal(quoted.length, 3);
    assert.equal(cutAtParts(scene, "links crank, rod1 and nobody: 1 freedom", 0).filter((piece) => typeof piece !== "string").length, 2);
    assert.deepEqual(cutAtParts(scene, "the crank's 'pin' turns", 0), ["the crank's 'pin' turns"]);
});

test("cells with units are numbers, words are not", () => {
    assert.deepEqual([3, "1.2e-8", "0.013 s", "tol 1e-08", "agreed", null, "-", "12 %"].map(numberIn),
        [3, 1.2e-8, 0.013, null, null, null, null, 12]);
});

const columns = ["integrator", "status", "motion", "by", "steps", "real-time factor"];
const rows = [
    ["a", "agreed", "4e-8", "tol 1", "20", "3"], ["b", "agreed", "2e-8", "tol 1", "20", "9"], ["c", "failed", "1e-9", "tol 1", "1", null],
];

test("the best of a column is the least, or the largest factor; rows that failed do not count", () => {
    assert.deepEqual(bestRows(columns, rows), [[], [], [1], [], [], [1]]);
});

test("rows sort as numbers, what is missing stays last", () => {
    assert.deepEqual(sortedRows(rows, 2, false), [2, 1, 0]);
    assert.deepEqual(sortedRows(rows, 5, false), [0, 1, 2]);
    assert.deepEqual(sortedRows(rows, 5, true), [1, 0, 2]);
    assert.deepEqual(sortedRows(rows, 0, true), [2, 1, 0]);
});

test("events of the whole run come first, then by time", () => {
    const event = (t: number | null, kind: string) => ({ t, kind, text: "", part: "" });
    const list = [event(2, "restart"), event(null, "warning"), event(1, "restart"), event(2, "event")];
    assert.deepEqual(inOrder(list).map(({ t, kind }) => `${t} ${kind}`), ["null warning", "1 restart", "2 restart", "2 event"]);
    assert.deepEqual(kindCounts(list), [["restart", 2], ["event", 1], ["warning", 1]]);
});

test("rows of a comparison find their run by its label, else by their number", () => {
    const def = (labels: string[], cells: (string | null)[][]) =>
        ({ runs: labels.map((label) => ({ label })), comparison: { columns: [], rows: cells } }) as unknown as HeaderDef;
    const rows = [
        ["natural", "partition", "abm", "agreed"], ["relative", "plain", "abm", "refused"], ["natural", "ggl", "radau", "agreed"],
    ];
    assert.deepEqual(runsOfRows(def(["natural, ggl, radau", "natural, partition, abm"], rows)), [1, -1, 0]);
    assert.deepEqual(runsOfRows(def(["a", "b", "c"], rows)), [0, 1, 2]);
    assert.deepEqual(runsOfRows(def(["a", "b"], rows)), [-1, -1, -1]);
});
