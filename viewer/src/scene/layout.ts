// What is where on the screen: poses of all bodies at one time, the camera of the plane, and the factor k of all sizes.
import type { Vec } from "../base/vec.ts";
import { bracket, newPose, type Pose, type Run } from "../data/model.ts";
import { margin, sizeFactor, THIN } from "../look/sizes.ts";
import type { Point } from "../symbol/plane.ts";
import { enlarge, type Frames } from "./beams.ts";
import { contactPoints } from "./contact.ts";
import { jointAt, jointAtB, median, shapePoints, spread } from "./facts.ts";
import { outlinePoints } from "./outline.ts";

export interface Box { x0: number; y0: number; x1: number; y1: number }

/** Middle of the picture in m (of the followed body where there is one) and pixels per m. */
export interface Camera { x: number; y: number; scale: number }

/** Poses in the plane at one time: x, y, cosine and sine of the rotation of each body. */
export class Poses {
    readonly data: Float64Array;
    /** How far points of meshes are from where their body would have them, by the point itself. */
    private shift = new Map<Vec, { body: number; by: Point }[]>();
    /** By which deflections of elastic bodies are enlarged. */
    deflection = 1;
    readonly frames: Frames = {
        place: (body) => [this.data[4 * body], this.data[4 * body + 1], 0],
        turn: (body, [x, y]) => {
            const c = this.data[4 * body + 2], s = this.data[4 * body + 3];
            return [c * x - s * y, s * x + c * y, 0];
        },
    };
    private pose = newPose();

    constructor(readonly run: Run) {
        this.data = new Float64Array(4 * run.scene.bodies.length);
    }

    private put(body: number, pose: Pose): void {
        const { data } = this, at = 4 * body;
        data[at] = pose[0];
        data[at + 1] = pose[1];
        data[at + 2] = pose[3] * pose[3] - pose[6] * pose[6];
        data[at + 3] = 2 * pose[3] * pose[6];
    }

    set(t: number): void {
        const { motion, scene } = this.run, { k, share } = bracket(motion.time, t);
        if (!motion.count)
            return;
        for (let body = 0; body < motion.bodies; body++)
            this.put(body, motion.between(k, share, body, this.pose));
        for (const beam of this.deflection !== 1 ? scene.elastic ?? [] : [])
            enlarge(scene, beam, this.frames, this.deflection, (body, pose) => this.put(body, pose));
    }

    /** From now on a point of a body, which others may share, is so far from there. */
    attach(body: number, p: Vec, by: Point): void {
        const list = this.shift.get(p), known = list?.find((one) => one.body === body);
        if (known)
            known.by = by;
        else
            this.shift.set(p, [...list ?? [], { body, by }]);
    }

    private shifted(body: number, p: Vec, c: 0 | 1): number {
        return this.shift.size ? this.shift.get(p)?.find((one) => one.body === body)?.by[c] ?? 0 : 0;
    }

    /** World position of a point of a body. */
    x(body: number, p: Vec): number {
        const moved = this.shifted(body, p, 0);
        if (body < 0)
            return p[0] + moved;
        const c = this.run.scene.bodies[body].center, d = this.data, at = 4 * body;
        return d[at] + d[at + 2] * (p[0] - c[0]) - d[at + 3] * (p[1] - c[1]) + moved;
    }

    y(body: number, p: Vec): number {
        const moved = this.shifted(body, p, 1);
        if (body < 0)
            return p[1] + moved;
        const c = this.run.scene.bodies[body].center, d = this.data, at = 4 * body;
        return d[at + 1] + d[at + 3] * (p[0] - c[0]) + d[at + 2] * (p[1] - c[1]) + moved;
    }

    /** Rotation of a body, counterclockwise in the world, within (-pi, pi]. */
    angle(body: number): number {
        return body < 0 ? 0 : Math.atan2(this.data[4 * body + 3], this.data[4 * body + 2]);
    }
}

/** The camera with its window: world to screen and back. */
export class Layout {
    width = 0;
    height = 0;
    k = 1;
    thin = false;
    camera: Camera = { x: 0, y: 0, scale: 1 };
    fitted = true; // the user has not moved the camera: it is fitted again when the window changes
    follow = -1;
    readonly link: number; // median distance of neighbors of one body, m
    empty: boolean; // there are neither bodies nor joints: a mesh defines the box
    private joints: boolean;
    box: Box; // of the complete motion
    // screen = o + s * world, y turned
    ox = 0;
    oy = 0;

    constructor(readonly runs: Run[]) {
        this.link = medianLink(runs[0]);
        this.box = motionBox(runs);
        this.joints = runs.some(({ scene }) => scene.joints.length > 0);
        this.empty = runs.every(({ scene }) => !scene.joints.length && scene.bodies.every((body) => body.mesh !== undefined));
    }

    /** A point that fitting has to see. */
    include(x: number, y: number): void {
        const { box } = this;
        if (!Number.isFinite(x + y))
            return;
        box.x0 = Math.min(box.x0, x);
        box.x1 = Math.max(box.x1, x);
        box.y0 = Math.min(box.y0, y);
        box.y1 = Math.max(box.y1, y);
    }

    fitScale(): number {
        const { width, height, box } = this, m = margin(width, height, this.joints), w = box.x1 - box.x0, h = box.y1 - box.y0;
        const room = Math.min((width - 2 * m) / (w || 1e-9), (height - 2 * m) / (h || 1e-9));
        return room > 0 && Number.isFinite(room) ? room : 1;
    }

    resize(width: number, height: number): void {
        const zoom = this.width > 0 ? this.camera.scale / this.fitScale() : 1;
        this.width = width;
        this.height = height;
        if (this.fitted)
            this.fit();
        else
            this.camera.scale = zoom * this.fitScale();
        this.measure();
    }

    fit(): void {
        const { box } = this;
        this.follow = -1;
        this.camera = { x: (box.x0 + box.x1) / 2, y: (box.y0 + box.y1) / 2, scale: this.fitScale() };
        this.fitted = true;
        this.measure();
    }

    /** Sizes after a change of window or scale. */
    measure(): void {
        const link = this.link * this.camera.scale;
        this.k = sizeFactor(this.width, this.height, link);
        this.thin = link > 0 && link < THIN;
    }

    /** Before drawing: where the world is on the screen now. */
    aim(poses: Poses): void {
        const { camera, follow } = this;
        const x = camera.x + (follow >= 0 ? poses.data[4 * follow] : 0), y = camera.y + (follow >= 0 ? poses.data[4 * follow + 1] : 0);
        this.ox = this.width / 2 - camera.scale * x;
        this.oy = this.height / 2 + camera.scale * y;
    }

    sx(x: number): number {
        return this.ox + this.camera.scale * x;
    }

    sy(y: number): number {
        return this.oy - this.camera.scale * y;
    }

    put(poses: Poses, body: number, p: Vec, out: Point): Point {
        out[0] = this.sx(poses.x(body, p));
        out[1] = this.sy(poses.y(body, p));
        return out;
    }

    /** Follows a body (-1: none) without a jump. */
    setFollow(body: number, poses: Poses): void {
        const { camera } = this, at = (b: number, c: number): number => b >= 0 ? poses.data[4 * b + c] : 0;
        camera.x += at(this.follow, 0) - at(body, 0);
        camera.y += at(this.follow, 1) - at(body, 1);
        this.follow = body;
        this.fitted &&= body < 0;
    }

    pan(dx: number, dy: number): void {
        this.camera.x -= dx / this.camera.scale;
        this.camera.y += dy / this.camera.scale;
        this.fitted = false;
    }

    /** The point of the world under (x, y) stays there. */
    zoom(x: number, y: number, factor: number): void {
        const { camera } = this, fit = this.fitScale(), scale = Math.min(2e4 * fit, Math.max(0.02 * fit, camera.scale * factor));
        const wx = (x - this.width / 2) / camera.scale, wy = (this.height / 2 - y) / camera.scale, change = 1 - camera.scale / scale;
        camera.x += wx * change;
        camera.y += wy * change;
        camera.scale = scale;
        this.fitted = false;
        this.measure();
    }

    text(): string {
        const { camera } = this, few = (x: number): string => String(Number(x.toPrecision(6)));
        return this.fitted ? "" : [camera.x, camera.y, camera.scale / this.fitScale(), this.follow].map(few).join(",");
    }

    setText(text: string): void {
        const [x, y, zoom, follow] = text.split(",").map(Number);
        if (!text || ![x, y, zoom].every(Number.isFinite) || !(zoom > 0)) {
            this.fit();
            return;
        }
        this.camera = { x, y, scale: zoom * this.fitScale() };
        this.follow = follow >= 0 && follow < this.runs[0].scene.bodies.length ? follow : -1;
        this.fitted = false;
        this.measure();
    }
}

/** Distances of neighboring corners of each body. */
function medianLink(run: Run): number {
    const gaps: number[] = [];
    for (let body = 0; body < run.scene.bodies.length; body++) {
        const points = outlinePoints(run.scene, body);
        for (let i = 0; i + 1 < points.length || i + 1 === points.length && i > 1; i++) {
            const p = points[i], q = points[(i + 1) % points.length];
            gaps.push(Math.hypot(p[0] - q[0], p[1] - q[1]));
        }
    }
    return gaps.length ? median(gaps) : 0;
}

function motionBox(runs: Run[]): Box {
    const box: Box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
    const add = (x: number, y: number): void => {
        if (!Number.isFinite(x) || !Number.isFinite(y))
            return;
        box.x0 = Math.min(box.x0, x);
        box.x1 = Math.max(box.x1, x);
        box.y0 = Math.min(box.y0, y);
        box.y1 = Math.max(box.y1, y);
    };
    for (const run of runs) {
        const { scene, motion } = run, poses = new Poses(run);
        const points = scene.bodies.map((def, i) => [...outlinePoints(scene, i), ...def.shapes.flatMap(shapePoints), def.center]);
        for (const joint of scene.joints)
            contactPoints(joint, (body, p) => body < 0 ? add(p[0], p[1]) : points[body].push(p));
        for (const frame of spread(motion.count, scene.bodies.length > 100 ? 30 : 120)) {
            poses.set(motion.time[frame]);
            points.forEach((list, body) => list.forEach((p) => add(poses.x(body, p), poses.y(body, p))));
        }
        for (const joint of scene.joints)
            for (const [body, p] of [[joint.a, jointAt(joint)], [joint.b, jointAtB(joint)]] as const)
                if (body < 0 && (joint.at ?? joint.at_b) && !(joint.curve && body === joint.a)) // the origin of a curve is no point
                    add(p[0], p[1]);
        for (const spring of scene.springs)
            for (const [body, p] of [[spring.a, spring.at], [spring.b, spring.to]] as const)
                if (body < 0 && p)
                    add(p[0], p[1]);
        (scene.ground?.shapes ?? []).flatMap(shapePoints).forEach((p) => add(p[0], p[1]));
    }
    if (!(box.x1 >= box.x0))
        return { x0: -1, y0: -1, x1: 1, y1: 1 };
    const size = Math.max(box.x1 - box.x0, box.y1 - box.y0) || 1;
    if (box.x1 - box.x0 < 1e-9 * size || box.x1 === box.x0 && box.y1 === box.y0)
        return { x0: box.x0 - size / 2, x1: box.x1 + size / 2, y0: box.y0 - 1e-3 * size, y1: box.y1 + 1e-3 * size };
    return box;
}
