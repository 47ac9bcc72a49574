// Structural groups as boxes: contents, dependencies, equal ones combined. No DOM.
import { insideText as text } from "../base/text_inside.ts";
import type { GroupDef, SceneDef } from "../data/header.ts";

export type Kind = "driven" | "follower" | "dyad" | "triad" | "larger" | "left";

export interface GroupBox {
    first: number; // number of its first group, from 0; -1: bodies that are in no group
    groups: number[];
    repeats: number; // how often `names` follow each other
    names: string[];
    kind: Kind;
    bodies: number[];
    joints: number[];
    inputs: string[];
    onGround: boolean;
    chained: boolean; // groups of this box depend on others of it
    from: number[]; // boxes it depends on
}

/** Above this many groups equal ones are joined at first. */
export const MANY_GROUPS = 14;

export function kindOf(group: GroupDef): Kind {
    const name = group.name.toLowerCase();
    if (/dyad/.test(name) || /^[rpcsuehfgdnlx]{3}$/.test(name))
        return "dyad";
    if (/triad|tetrad/.test(name))
        return "triad";
    if (group.bodies.length > 1)
        return "larger";
    return /driv|input|crank/.test(name) || group.inputs?.length ? "driven" : "follower";
}

/** Groups each group depends on; -1 is ground. Relations (gears) tie the bodies of both their joints. */
export function dependencies(order: GroupDef[], scene: SceneDef): Set<number>[] {
    const groupOf = new Map<number, number>();
    order.forEach((group, g) => group.bodies.forEach((body) => groupOf.set(body, g)));
    const from = order.map(() => new Set<number>());
    for (const joint of scene.joints) {
        if (joint.free && !joint.driven)
            continue;
        const bodies = new Set([joint.a, joint.b]);
        for (const other of joint.gear?.joints ?? []) {
            bodies.add(scene.joints[other]?.a ?? -1);
            bodies.add(scene.joints[other]?.b ?? -1);
        }
        const groups = [...bodies].map((body) => (body < 0 ? -1 : groupOf.get(body)));
        const last = Math.max(...groups.map((g) => g ?? -1));
        if (last >= 0 && !groups.includes(undefined))
            groups.forEach((g) => g !== last && from[last].add(g as number));
    }
    return from;
}

/** Intervals of a list of texts that repeat a short word: [start, length of the word, how often]. Every position is in one. */
export function repeats(list: string[], longest = 6): [start: number, period: number, count: number][] {
    const out: [number, number, number][] = [];
    for (let i = 0; i < list.length;) {
        let best: [number, number] = [1, 1];
        for (let period = 1; period <= longest && i + 2 * period <= list.length; period++) {
            let end = i + period;
            while (end < list.length && list[end] === list[end - period])
                end++;
            const count = Math.floor((end - i) / period);
            if (count > 1 && period * count > best[0] * best[1])
                best = [period, count];
        }
        out.push([i, best[0], best[1]]);
        i += best[0] * best[1];
    }
    return out;
}

/** Boxes in the order of solution. Joined boxes are intervals of that order, so that no arrow points back. */
export function groupBoxes(order: GroupDef[], scene: SceneDef, join: boolean): GroupBox[] {
    const from = dependencies(order, scene);
    const signs = order.map((group, g) => `${group.name}|${group.bodies.length}|${group.joints.length}|${from[g].has(-1)}`);
    const runs: [number, number, number][] = join ? repeats(signs) : order.map((_, g) => [g, 1, 1]);
    const boxOf: number[] = [];
    runs.forEach(([start, period, count], b) => {
        for (let g = start; g < start + period * count; g++)
            boxOf[g] = b;
    });
    const boxes = runs.map(([start, period, count], b): GroupBox => {
        const groups = Array.from({ length: period * count }, (_, k) => start + k);
        const needs = groups.flatMap((g) => [...from[g]]);
        return {
            first: start, groups, repeats: count,
            names: order.slice(start, start + period).map((group) => group.name),
            kind: kindOf(order[start]),
            bodies: groups.flatMap((g) => order[g].bodies),
            joints: groups.flatMap((g) => order[g].joints),
            inputs: groups.flatMap((g) => order[g].inputs ?? []),
            onGround: needs.includes(-1),
            chained: needs.some((g) => g >= 0 && boxOf[g] === b),
            from: [...new Set(needs.filter((g) => g >= 0 && boxOf[g] !== b).map((g) => boxOf[g]))].sort((p, q) => p - q),
        };
    });
    return addLeftOver(boxes, scene);
}

/** Bodies of no group are in one box after all others. */
function addLeftOver(boxes: GroupBox[], scene: SceneDef): GroupBox[] {
    const boxOfBody = new Map<number, number>();
    boxes.forEach((box, b) => box.bodies.forEach((body) => boxOfBody.set(body, b)));
    const bodies = scene.bodies.map((_, i) => i).filter((i) => !boxOfBody.has(i));
    if (!bodies.length)
        return boxes;
    const inside = new Set(bodies);
    const joints = scene.joints.flatMap((joint, j) => (inside.has(joint.a) || inside.has(joint.b) ? [j] : []));
    const ends = joints.flatMap((j) => [scene.joints[j].a, scene.joints[j].b]);
    const from = new Set(ends.flatMap((body) => (body >= 0 && boxOfBody.has(body) ? [boxOfBody.get(body) as number] : [])));
    return [...boxes, {
        first: -1, groups: [], repeats: 1, names: [text.leftOver], kind: "left", bodies, joints, inputs: [],
        onGround: ends.includes(-1), chained: false, from: [...from].sort((p, q) => p - q),
    }];
}

/** "2: RRR", "3 to 42: 40 × RRR", "5 to 10: 3 × (RRR, RRP)". */
export function boxTitle(box: GroupBox): string {
    if (box.first < 0)
        return box.names[0];
    const last = box.first + box.groups.length, names = box.names.join(", ");
    const name = box.repeats > 1 ? text.times(box.repeats, box.names.length > 1 ? `(${names})` : names) : names;
    return last > box.first + 1 ? `${box.first + 1}–${last}: ${name}` : `${last}: ${name}`;
}

/** As many names as fit into the width, in at most so many lines; what is left is counted in the last one. */
export function nameLines(names: string[], lines: number, width: number, measure: (text: string) => number): string[] {
    const out: string[] = [""];
    for (let i = 0; i < names.length; i++) {
        const last = out.length - 1, rest = names.length - i;
        const joined = out[last] ? `${out[last]}, ${names[i]}` : names[i];
        const tail = out.length === lines && rest > 1 ? ` ${text.more(rest - 1)}` : "";
        if (!out[last] || measure(joined + tail) <= width)
            out[last] = joined;
        else if (out.length < lines) {
            out[last] += ",";
            out.push(names[i]);
        } else {
            out[last] += ` ${text.more(rest)}`;
            break;
        }
    }
    return out[0] ? out : [];
}
