// Elastic bodies: their frames are bodies of the scene, but for the reader they are one body. A meshed one is also a body itself, which
// follows the mean motion of its nodes.
import { across, length, sub, unit, type Vec } from "../base/vec.ts";
import type { ElasticDef, SceneDef } from "./header.ts";

interface Known { owner: (ElasticDef | undefined)[]; shown: number[]; order: number[] }
const scenes = new WeakMap<SceneDef, Known>();

/** The body that stands for it: of a mesh the body itself, else its first frame. */
export function leadOf(scene: SceneDef, elastic: ElasticDef): number {
    const own = elastic.kind === "mesh" ? scene.bodies.findIndex(({ name }) => name === elastic.name) : -1;
    return own >= 0 ? own : elastic.first;
}

function known(scene: SceneDef): Known {
    let found = scenes.get(scene);
    if (!found) {
        const owner: Known["owner"] = scene.bodies.map(() => undefined), leads = new Set<number>();
        for (const elastic of scene.elastic ?? []) {
            const lead = leadOf(scene, elastic);
            leads.add(lead);
            owner.fill(elastic, elastic.first, elastic.first + elastic.count);
            owner.fill(elastic, lead, lead + 1);
        }
        const shown = owner.flatMap((elastic, body) => !elastic || leads.has(body) ? [body] : []);
        let count = -1;
        const order = owner.map((elastic, body) => !elastic || leads.has(body) ? ++count : count);
        scenes.set(scene, found = { owner, shown, order });
    }
    return found;
}

/** The elastic body that a frame belongs to, or that a body is; rigid bodies belong to none. */
export const elasticOf = (scene: SceneDef, body: number): ElasticDef | undefined => known(scene).owner[body];

export const elasticNamed = (scene: SceneDef, name: string): ElasticDef | undefined =>
    scene.elastic?.find((elastic) => elastic.name === name);

/** The body of the scene that stands for a mesh; -1: none. */
export function bodyOfMesh(scene: SceneDef, { name, body }: { name: string; body: number }): number {
    const elastic = elasticNamed(scene, name);
    return elastic ? leadOf(scene, elastic) : body;
}

/** A reduced body without a mesh is shown as a rod that bends between its first frames. */
export function bridge(scene: SceneDef, meshes: readonly { name: string }[]): void {
    for (const elastic of scene.elastic ?? []) {
        const { first, count } = elastic;
        if (elastic.kind !== "floating" || elastic.pieces || count < 2 || meshes.some(({ name }) => name === elastic.name))
            continue;
        const line = sub(scene.bodies[first + 1].center, scene.bodies[first].center);
        if (length(line) > 1e-6 * (scene.size || 1)) {
            const d1 = unit(line), d2 = scene.dimension === 2 ? [-d1[1], d1[0], 0] as Vec : across(d1);
            elastic.pieces = [{ first, count: 2, axes: [[d1, d2]] }];
        }
    }
}

/** Is it only a frame of an elastic body? */
export function isFrame(scene: SceneDef, body: number): boolean {
    const elastic = elasticOf(scene, body);
    return elastic !== undefined && body >= elastic.first && body < elastic.first + elastic.count;
}

/** Rigid bodies, and of each elastic body the one that stands for it. */
export const wholeBodies = (scene: SceneDef): readonly number[] => known(scene).shown;

/** The number of a body where elastic bodies count once. */
export const bodyOrder = (scene: SceneDef, body: number): number => known(scene).order[body] ?? 0;

/** The name of a body; of frames that of their elastic body. */
export const bodyName = (scene: SceneDef, body: number): string | undefined => elasticOf(scene, body)?.name ?? scene.bodies[body]?.name;

/** The frames that move with a body as one part: itself, or all of the elastic body. */
export function wholeOf(scene: SceneDef, body: number): number[] {
    const elastic = elasticOf(scene, body);
    if (!elastic)
        return [body];
    const lead = leadOf(scene, elastic), frames = Array.from({ length: elastic.count }, (_, i) => elastic.first + i);
    return frames.includes(lead) ? frames : [lead, ...frames];
}
