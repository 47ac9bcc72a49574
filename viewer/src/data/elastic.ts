// Elastic bodies: their frames are bodies of the scene, but for the reader they are one body.
import type { ElasticDef, SceneDef } from "./header.ts";

interface Known { owner: (ElasticDef | undefined)[]; shown: number[]; order: number[] }
const scenes = new WeakMap<SceneDef, Known>();

function known(scene: SceneDef): Known {
    let found = scenes.get(scene);
    if (!found) {
        const owner: Known["owner"] = scene.bodies.map(() => undefined);
        for (const elastic of scene.elastic ?? [])
            owner.fill(elastic, elastic.first, elastic.first + elastic.count);
        const shown = owner.flatMap((elastic, body) => !elastic || elastic.first === body ? [body] : []);
        let count = -1;
        const order = owner.map((elastic, body) => !elastic || elastic.first === body ? ++count : count);
        scenes.set(scene, found = { owner, shown, order });
    }
    return found;
}

/** The elastic body that a frame belongs to; rigid bodies belong to none. */
export const elasticOf = (scene: SceneDef, body: number): ElasticDef | undefined => known(scene).owner[body];

/** Rigid bodies, and of each elastic body its first frame. */
export const wholeBodies = (scene: SceneDef): readonly number[] => known(scene).shown;

/** The number of a body where elastic bodies count once. */
export const bodyOrder = (scene: SceneDef, body: number): number => known(scene).order[body] ?? 0;

/** The name of a body; of frames that of their elastic body. */
export const bodyName = (scene: SceneDef, body: number): string | undefined => elasticOf(scene, body)?.name ?? scene.bodies[body]?.name;

/** The frames that move with a body as one part: itself, or all of the elastic body. */
export function wholeOf(scene: SceneDef, body: number): number[] {
    const elastic = elasticOf(scene, body);
    return elastic ? Array.from({ length: elastic.count }, (_, i) => elastic.first + i) : [body];
}
