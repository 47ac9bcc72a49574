// Names beside joints, outward from the middle of the picture, without overlaps; a name keeps its side while it fits there.
import type { Run } from "../data/model.ts";
import type { Palette } from "../look/colors.ts";
import { FONT, size, textSize } from "../look/sizes.ts";
import type { TextStyle } from "../pen/pen.ts";
import type { Point } from "../symbol/plane.ts";
import { coincidentJoints, commonName, jointAtB } from "./facts.ts";
import type { Vec } from "../base/vec.ts";

interface Label { text: string; body: number; at: Vec; side: number; width: number; widthSize: number }
interface Rectangle { x0: number; y0: number; x1: number; y1: number }

/** Directions around a point, tried from the one that points outward. */
const sides = 12;
/** Pixels between points of an obstacle. */
export const OBSTACLE = 6;
/** From this many names on they keep off each other alone, and those without room are left out. */
const CROWD = 24;
/** Second try, around blocks and feet. */
const FAR = 1.75;

export interface Writer { text(x: number, y: number, text: string, style: TextStyle): unknown }

/** Where points of bodies are on the screen: the plane's layout, or the camera of space. */
export interface Screen<P> {
    readonly k: number;
    readonly width: number;
    readonly height: number;
    put(poses: P, body: number, p: Vec, out: Point): Point;
}

const overlap = (a: Rectangle, b: Rectangle): number =>
    Math.max(0, Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0)) * Math.max(0, Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0));

/** The points that are within reach of (x, y). */
function near(points: number[], x: number, y: number, reach: number): number[] {
    const found: number[] = [];
    for (let i = 0; i < points.length; i += 2)
        if (Math.abs(points[i] - x) < reach && Math.abs(points[i + 1] - y) < reach)
            found.push(points[i], points[i + 1]);
    return found;
}

const label = (text: string, body: number, at: Vec): Label => ({ text, body, at, side: -1, width: 0, widthSize: 0 });

export class Names {
    private labels: Label[];
    private ruler: CanvasRenderingContext2D | null = null;
    private boxes: Rectangle[] = [];

    constructor(run: Run) {
        this.labels = coincidentJoints(run).map((list) => {
            const joint = run.scene.joints[list[0]];
            return label(commonName(list.map((i) => run.scene.joints[i].name)), joint.b, jointAtB(joint));
        });
        // probes that are at no joint
        const near = 1e-3 * (run.scene.size || 1);
        for (const probe of run.scene.probes)
            if (!this.labels.some(({ body, at }) => samePlace(run, body, at, probe.body, probe.at, near)))
                this.labels.push(label(probe.name, probe.body, probe.at));
        // springs and bodies have no names here: pointing at them shows their names
    }

    private measure(label: Label, points: number): number {
        if (label.widthSize !== points) {
            this.ruler ??= typeof document === "undefined" ? null : document.createElement("canvas").getContext("2d");
            if (this.ruler)
                this.ruler.font = `${size.name.weight} ${points}px ${FONT}`;
            label.width = this.ruler ? this.ruler.measureText(label.text).width : 0.6 * points * label.text.length;
            label.widthSize = points;
        }
        return label.width;
    }

    /** Obstacles: points on the screen, x and y one after the other, that a name should not cover. */
    draw<P>(pen: Writer, layout: Screen<P>, poses: P, look: Palette, hidden: ReadonlySet<number>, obstacles: () => number[]): void {
        const points = textSize(size.name.size, layout.k), { k } = layout, spots: Point[] = [];
        for (const label of this.labels)
            spots.push(layout.put(poses, label.body, label.at, [0, 0]));
        const middle = spots.reduce((m, p): Point => [m[0] + p[0] / spots.length, m[1] + p[1] / spots.length], [0, 0]);
        const pins = spots.map(([x, y]): Rectangle => ({ x0: x - 8 * k, y0: y - 8 * k, x1: x + 8 * k, y1: y + 8 * k }));
        this.boxes.length = 0;
        const seen = spots.map(([x, y]) => x > -50 && y > -50 && x < layout.width + 50 && y < layout.height + 50);
        const crowd = seen.filter(Boolean).length > CROWD, around = crowd ? [] : obstacles();
        this.labels.forEach((label, i) => {
            const [x, y] = spots[i];
            if (hidden.has(label.body) || !seen[i])
                return;
            const width = this.measure(label, points), outward = Math.atan2(y - middle[1], x - middle[0]);
            const first = ((Math.round(outward / (2 * Math.PI) * sides) % sides) + sides) % sides;
            const close = near(around, x, y, size.name.away * k * FAR + width + points);
            let best = Infinity, chosen = first, box = this.box(x, y, first, width, points, k);
            for (let step = 0; step < 2 * sides; step++) { // near first, then farther out
                const turn = step % sides, far = step >= sides ? FAR : 1;
                const side = (first + (turn % 2 ? 1 : -1) * Math.ceil(turn / 2) + 2 * sides) % sides + (far > 1 ? sides : 0);
                const tried = this.box(x, y, side, width, points, k * far), habit = side === label.side ? 0.3 : 0;
                const taste = (0.03 * turn + (far > 1 ? 0.6 : 0) - habit) * points * points;
                const cost = this.cost(tried, i, crowd ? [] : pins, layout, close) + taste;
                if (cost < best) {
                    best = cost;
                    chosen = side;
                    box = tried;
                }
            }
            label.side = chosen;
            if (crowd && this.boxes.some((other) => overlap(box, other) > 0)) // better none than two that cannot be read
                return;
            this.boxes.push(box);
            const halo = { color: look.scene, width: size.name.halo };
            pen.text((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2, label.text,
                { color: look.ink, size: points, weight: size.name.weight, align: "center", halo });
        });
    }

    /** Area that is hidden or hides, in square pixels; outside of the picture counts too. */
    private cost(box: Rectangle, own: number, pins: Rectangle[], layout: { width: number; height: number }, obstacles: number[]): number {
        let sum = 0, covered = 0;
        for (const other of this.boxes)
            sum += 3 * overlap(box, other);
        pins.forEach((pin, i) => { sum += (i === own ? 1 : 2) * overlap(box, pin); });
        for (let i = 0; i < obstacles.length; i += 2) {
            const x = obstacles[i], y = obstacles[i + 1];
            covered += x > box.x0 - 2 && x < box.x1 + 2 && y > box.y0 - 1 && y < box.y1 + 1 ? 1 : 0;
        }
        sum += covered * OBSTACLE * OBSTACLE;
        const area = (box.x1 - box.x0) * (box.y1 - box.y0);
        return sum + 3 * (area - overlap(box, { x0: 2, y0: 2, x1: layout.width - 2, y1: layout.height - 2 }));
    }

    private box(x: number, y: number, side: number, width: number, height: number, k: number): Rectangle {
        const angle = side / sides * 2 * Math.PI, c = Math.cos(angle), s = Math.sin(angle), away = size.name.away * k;
        // the name's near edge is on the circle, not its middle
        const cx = x + away * c + Math.sign(Math.round(c * 4)) * width / 2 * Math.min(1, 1.6 * Math.abs(c)), cy = y + away * s * 1.05;
        return { x0: cx - width / 2, x1: cx + width / 2, y0: cy - height / 2, y1: cy + height / 2 };
    }
}

function samePlace(run: Run, a: number, p: Vec, b: number, q: Vec, near: number): boolean {
    const { time } = run.motion;
    return [time[0] ?? 0, time[time.length >> 1] ?? 0, time[time.length - 1] ?? 0].every((t) => {
        const u = run.pointAt(a, p, t), v = run.pointAt(b, q, t);
        return Math.hypot(u[0] - v[0], u[1] - v[1]) < near;
    });
}
