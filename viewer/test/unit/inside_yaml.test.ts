import assert from "node:assert/strict";
import { test } from "node:test";
import { commentAt, lineOfPart, nameFits, overridesOf, parametersOf, sectionsOf, tokens } from "../../src/inside/yaml.ts";

const model = `# a comment
model: Bricard's mechanism # its apostrophe opens no string
parameters: {section: 0, axial: =max(1, section)/6,
  "odd name": "=a > 0 ? 1 : 2"}
points:
  P1: [0, 0, 0]
bodies:
  - {name: rod1, mass: 1}
  - repeat: {count: =N, index: i, do: [{name: crank$i, mass: 1}]}
joints:
  - {name: rod1, type: revolute, bodies: [ground, rod1], at: P1}
  - {name: "C 2", type: revolute} # name: j9
  - repeat: {count: =N, index: i, do: [{name: B$i}, {name: C$(i+1), at: P1}]}
probes: {P1: {body: rod1, at: P1}, Q: {body: rod1}}`.split("\n");

test("pieces of a line are the line", () => {
    const odd = ["", "   ", "- - a", "a: 'it''s # no comment' # one", "x: \"q\\\"#\"", "http://x:1", "k:",
        "- {a: -1.5e-3, b: [1,2]}", "\tt: 1"];
    for (const line of [...model, ...odd])
        assert.equal(tokens(line).map((token) => token.text).join(""), line);
});

test("keys, numbers, strings and comments are told apart", () => {
    const sorts = (line: string) => tokens(line).filter((t) => t.sort !== "plain").map((t) => `${t.sort} ${t.text.trim()}`);
    assert.deepEqual(sorts("- {name: rod1, mass: -1.5e-3, note: 'a: b'} # c: 1"),
        ["key name", "key mass", "number -1.5e-3", "key note", "string 'a: b'", "comment # c: 1"]);
    assert.deepEqual(sorts("model: Bricard's mechanism # its"), ["key model", "comment # its"]);
    assert.deepEqual(sorts("law: =2*pi*t"), ["key law"]);
    assert.deepEqual(sorts("points: [1, 2]"), ["key points", "number 1", "number 2"]);
});

test("a hash inside quotes or a word begins no comment", () => {
    assert.equal(commentAt("a: 'x # y'"), -1);
    assert.equal(commentAt("color: \"#ff0000\""), -1);
    assert.equal(commentAt("a: b#c"), -1);
    assert.equal(commentAt("# all"), 0);
    assert.equal(commentAt("a: 1 # b"), 5);
});

test("names with indices fit what they make", () => {
    assert.ok(nameFits("crank$i", "crank12"));
    assert.ok(nameFits("C$(i+1)", "C3"));
    assert.ok(!nameFits("crank$i", "cranky"));
    assert.ok(!nameFits("a.b", "axb"));
});

test("the line of a part is that of its section", () => {
    assert.equal(lineOfPart(model, "body", "rod1"), 7);
    assert.equal(lineOfPart(model, "joint", "rod1"), 10);
    assert.equal(lineOfPart(model, "body", "crank7"), 8);
    assert.equal(lineOfPart(model, "joint", "C4"), 12);
    assert.equal(lineOfPart(model, "joint", "C 2"), 11);
    assert.equal(lineOfPart(model, "probe", "Q"), 13);
    assert.equal(lineOfPart(model, "probe", "P1"), 13); // not the point of that name
    assert.equal(lineOfPart(model, "joint", "j9"), -1); // only in a comment
    assert.equal(lineOfPart(model, "joint", "nobody"), -1);
    assert.equal(sectionsOf(model)[8], "bodies");
});

test("parameters of both forms are read, expressions as they stand", () => {
    assert.deepEqual(parametersOf(model).map(({ name, value }) => [name, value]),
        [["section", "0"], ["axial", "=max(1, section)/6"], ["odd name", "=a > 0 ? 1 : 2"]]);
    const block = "parameters:\n  a: 1 # first\n  b: =a*2\nbodies:\n  - {name: x}".split("\n");
    assert.deepEqual(parametersOf(block).map(({ name, value, line }) => [name, value, line]), [["a", "1", 1], ["b", "=a*2", 2]]);
    assert.deepEqual(parametersOf(["bodies: []"]), []);
});

test("overrides are pairs however they are separated", () => {
    assert.deepEqual([...overridesOf("N=160, section = 0.1\n--set L=2e-3")], [["N", "160"], ["section", "0.1"], ["L", "2e-3"]]);
});

test("ten thousand lines take no time", () => {
    const lines = Array.from({ length: 10000 }, (_, i) => `  - {name: rod${i}, mass: 1, center: [0.5, 0, 0], inertia: [=axial]} # ${i}`);
    const start = performance.now();
    assert.equal(lineOfPart(["bodies:", ...lines], "body", "rod9999"), 10000);
    assert.ok(performance.now() - start < 500);
});
