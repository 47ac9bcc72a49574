// One run on the stage: its instances, the table of its poses, its ghosts.
import * as three from "three";
import { bracket, newPose, type Run } from "../data/model.ts";
import type { Palette } from "../look/colours.ts";
import { ghostTimes, tintOf } from "./facts.ts";
import { makeBatches, makeGhost, makeSolid, mark, release, Table, type Batch, type Shared } from "./kit.ts";
import type { Mechanism } from "./mechanism.ts";
import type { Owner } from "./parts.ts";
import type { ColorBy } from "./view.ts";

const pose = newPose();

export class Actor {
    readonly group = new three.Group();
    private table: Table;
    private batches: Batch[];
    private body: three.Group;
    private ghosts: { table: Table; group: three.Group }[] = [];
    private hidden: ReadonlySet<number> = new Set();

    /** index 0 is drawn in full, the others translucent in one tint each. */
    constructor(readonly run: Run, mechanism: Mechanism, private shared: Shared, readonly index: number) {
        this.table = new Table(run.scene.bodies.length);
        this.batches = makeBatches(mechanism.parts, this.table);
        this.body = index ? makeGhost(this.batches, this.table, shared, 0.5, 20 + 2 * index) : makeSolid(this.batches, this.table, shared);
        this.group.add(this.body);
    }

    place(t: number): void {
        this.placeIn(this.table, t);
    }

    private placeIn(table: Table, t: number): void {
        const { motion } = this.run, { k, share } = bracket(motion.time, t);
        if (motion.count)
            for (let body = 0; body < motion.bodies; body++)
                table.place(body + 1, motion.between(k, share, body, pose));
        table.changed();
    }

    /** Colors of bodies and of the rest; speeds: color of each body at this time, where wanted. */
    paint(look: Palette, by: ColorBy, speeds: string[] | null): void {
        for (const table of [this.table, ...this.ghosts.map((ghost) => ghost.table)])
            this.paintIn(table, look, by, speeds);
    }

    private paintIn(table: Table, look: Palette, by: ColorBy, speeds: string[] | null): void {
        const { scene } = this.run, single = this.index ? look.tints[this.index % 6].solid : null;
        scene.bodies.forEach((_, body) =>
            table.paint(body + 1, single ?? speeds?.[body] ?? look.tints[tintOf(scene, body, by)].solid));
        const { steel, darkSteel: dark, spring, groundFill: ground } = look;
        table.paintNamed(single ? { steel: single, dark: single, spring: single, ground } : { steel, dark, spring, ground });
        table.changed();
    }

    hide(bodies: ReadonlySet<number>): void {
        this.hidden = bodies;
        for (const table of [this.table, ...this.ghosts.map((ghost) => ghost.table)])
            this.hideIn(table);
    }

    private hideIn(table: Table): void {
        this.run.scene.bodies.forEach((_, body) => table.show(body + 1, !this.hidden.has(body)));
        table.changed();
    }

    select(owner: Owner | null): void {
        mark(this.batches, owner);
    }

    /** Four positions of the run, made when they are first wanted. */
    showGhosts(shown: boolean, look: Palette, by: ColorBy): void {
        if (shown && !this.ghosts.length)
            ghostTimes(this.run).forEach((t) => {
                const table = new Table(this.run.scene.bodies.length);
                table.follow(this.table);
                const group = makeGhost(this.batches, table, this.shared, 0.2, 40);
                this.paintIn(table, look, by, null);
                this.hideIn(table);
                this.placeIn(table, t);
                this.ghosts.push({ table, group });
                this.group.add(group);
            });
        for (const { group } of this.ghosts)
            group.visible = shown;
    }

    destroy(): void {
        for (const { group, table } of this.ghosts) {
            release(group);
            table.texture.dispose();
        }
        release(this.body);
        this.table.texture.dispose();
        for (const { geometry, edges } of this.batches) {
            geometry.dispose();
            edges?.dispose();
        }
        this.group.removeFromParent();
    }
}
