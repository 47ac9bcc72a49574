// One run on the stage: its instances, the table of its poses, its ghosts.
import * as three from "three";
import { bracket, newPose, type Pose, type Run } from "../data/model.ts";
import type { Palette } from "../look/colors.ts";
import { enlarge, posed, type Frames } from "./beams.ts";
import { Beams } from "./beams3.ts";
import { ghostTimes } from "./facts.ts";
import type { Ray } from "./hits.ts";
import { makeBatches, makeGhost, makeSolid, mark, release, Table, type Batch, type Shared } from "./kit.ts";
import type { Mechanism } from "./mechanism.ts";
import { Parts, type Owner } from "./parts.ts";

export class Actor {
    readonly group = new three.Group();
    private table: Table;
    private batches: Batch[];
    private body: three.Group;
    private centers: { batches: Batch[]; group: three.Group } | null = null;
    private ghosts: { table: Table; group: three.Group; beams: Beams; t: number }[] = [];
    private beams: Beams;
    private poses: Pose[];
    private frames: Frames;
    private r: number;
    /** By which deflections of beams are enlarged. */
    deflection = 1;
    private hidden: ReadonlySet<number> = new Set();

    /** index 0 is drawn in full, the others translucent in one color each. */
    constructor(readonly run: Run, mechanism: Mechanism, private shared: Shared, readonly index: number) {
        this.table = new Table(run.scene.bodies.length);
        this.batches = makeBatches(mechanism.parts, this.table);
        this.body = index ? makeGhost(this.batches, this.table, shared, 0.45, 20 + 2 * index) : makeSolid(this.batches, this.table, shared);
        this.r = mechanism.measures.r;
        this.beams = index ? new Beams(run, this.r, this.table, shared, 0.45, 20 + 2 * index) : new Beams(run, this.r, this.table, shared);
        this.poses = run.scene.bodies.map(() => newPose());
        this.frames = posed((body) => this.poses[body]);
        this.group.add(this.body, this.beams.group);
    }

    private get tables(): Table[] {
        return [this.table, ...this.ghosts.map((ghost) => ghost.table)];
    }

    place(t: number): void {
        this.placeIn(this.table, this.beams, t);
    }

    private placeIn(table: Table, beams: Beams, t: number): void {
        const { motion, scene } = this.run, { k, share } = bracket(motion.time, t), { poses } = this;
        if (motion.count)
            poses.forEach((pose, body) => motion.between(k, share, body, pose));
        for (const beam of this.deflection !== 1 ? scene.elastic ?? [] : [])
            enlarge(scene, beam, this.frames, this.deflection, (body, pose) => poses[body].set(pose));
        poses.forEach((pose, body) => table.place(body + 1, pose));
        beams.place(this.frames);
        table.changed();
    }

    /** Ghosts too. */
    setDeflection(factor: number): void {
        this.deflection = factor;
        for (const { table, beams, t } of this.ghosts)
            this.placeIn(table, beams, t);
    }

    /** The frame of a beam under a ray. */
    hitBeam(ray: Ray, more: number): { distance: number; body: number } | null {
        return this.beams.hit(ray, more, this.hidden);
    }

    /** Colors of bodies and of the rest, or a single one for all. */
    paint(look: Palette, bodies: string[], single: string | null): void {
        const { steel, darkSteel: dark, spring, accent } = look, ground = look.groundSpace, rest = look.tints[5].solid;
        for (const table of this.tables) {
            bodies.forEach((color, body) => table.paint(body + 1, single ?? color));
            table.paintNamed(single ? { steel: single, dark: single, spring: single, accent: single, ground: single, rest: single }
                : { steel, dark, spring, accent, ground, rest });
            table.changed();
        }
    }

    hide(bodies: ReadonlySet<number>): void {
        this.hidden = bodies;
        this.tables.forEach((table) => this.hideIn(table));
        for (const beams of [this.beams, ...this.ghosts.map((ghost) => ghost.beams)])
            beams.hide(bodies);
    }

    private hideIn(table: Table): void {
        this.run.scene.bodies.forEach((_, body) => table.show(body + 1, !this.hidden.has(body)));
        table.changed();
    }

    select(owner: Owner | null): void {
        mark(this.batches, owner);
        this.beams.select(owner);
    }

    /** Four positions of the run, made when they are first shown. Colors come with the next paint(). */
    showGhosts(shown: boolean): void {
        if (shown && !this.ghosts.length)
            for (const t of ghostTimes(this.run)) {
                const table = new Table(this.run.scene.bodies.length);
                table.follow(this.table);
                const group = makeGhost(this.batches, table, this.shared, 0.2, 40);
                const beams = new Beams(this.run, this.r, table, this.shared, 0.2, 40);
                this.hideIn(table);
                beams.hide(this.hidden);
                this.placeIn(table, beams, t);
                this.ghosts.push({ table, group, beams, t });
                group.add(beams.group);
                this.group.add(group);
            }
        for (const { group } of this.ghosts)
            group.visible = shown;
    }

    /** Mass centers: balls in black and white quarters, the usual sign in drawings. */
    showCenters(shown: boolean, r: number): void {
        const { scene } = this.run;
        if (shown && !this.centers) {
            const parts = new Parts(scene.bodies.map((body) => body.center), Infinity);
            scene.bodies.forEach((def, body) => {
                if (def.mass > 0)
                    parts.solid("center", body, def.center, [0, 0, 0, 1], [1.5 * r, 1.5 * r, 1.5 * r], [0, 0, 0], "steel");
            });
            const batches = makeBatches(parts, this.table);
            this.centers = { batches, group: makeSolid(batches, this.table, this.shared) };
            this.group.add(this.centers.group);
        }
        if (this.centers)
            this.centers.group.visible = shown;
    }

    destroy(): void {
        this.beams.destroy();
        for (const { group, table, beams } of this.ghosts) {
            beams.destroy();
            release(group);
            table.texture.dispose();
        }
        if (this.centers)
            release(this.centers.group);
        release(this.body);
        this.table.texture.dispose();
        for (const { geometry, edges } of [...this.batches, ...this.centers?.batches ?? []]) {
            geometry.dispose();
            edges?.dispose();
        }
        this.group.removeFromParent();
    }
}
