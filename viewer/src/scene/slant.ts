// A camera for space without depth: parallel rays, turned about the vertical and tipped up or down. For pictures drawn by the pen.
import { cross, dot, scale, sub, unit, type Vec } from "../base/vec.ts";
import type { Point } from "../symbol/plane.ts";

export class Slant {
    width = 1;
    height = 1;
    zoom = 1; // of what fits
    center: Vec; // in the middle of the picture
    fitted = true;
    private azimuth = 0;
    private tip = 0;
    right: Vec = [1, 0, 0];
    above: Vec = [0, 0, 1];
    toward: Vec = [0, -1, 0]; // to the eye
    private e1: Vec;
    private e2: Vec;
    private fitScale = 1;

    /** `points`: points that must fit, over the complete motion. */
    constructor(readonly up: Vec, private points: Vec[]) {
        this.e1 = Math.abs(up[0]) < 0.9 ? unit(sub([1, 0, 0], scale(up, up[0]))) : [0, 1, 0];
        this.e2 = cross(up, this.e1);
        this.center = [0, 0, 0];
        this.look(0);
    }

    /** Directions to the eye: 1 to 6 along axes, otherwise slanted. */
    look(which: number): void {
        const quarter = Math.PI / 2, views: Record<number, [number, number]> = {
            1: [-quarter, 0], 2: [quarter, 0], 3: [0, 0], 4: [Math.PI, 0], 5: [-quarter, quarter], 6: [-quarter, -quarter],
        };
        // 0.85 e1 - e2 + 0.55 up
        [this.azimuth, this.tip] = views[which] ?? [Math.atan2(-1, 0.85), Math.atan2(0.55, Math.hypot(0.85, 1))];
        this.aim();
        this.fit();
    }

    private aim(): void {
        const ca = Math.cos(this.azimuth), sa = Math.sin(this.azimuth), ct = Math.cos(this.tip), st = Math.sin(this.tip);
        const mix = (x: number, y: number, z: number): Vec => [0, 1, 2].map((c) => x * this.e1[c] + y * this.e2[c] + z * this.up[c]) as Vec;
        this.toward = mix(ct * ca, ct * sa, st);
        this.right = mix(-sa, ca, 0);
        this.above = mix(-st * ca, -st * sa, ct);
    }

    fit(): void {
        let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
        for (const p of this.points) {
            const x = dot(p, this.right), y = dot(p, this.above);
            x0 = Math.min(x0, x);
            x1 = Math.max(x1, x);
            y0 = Math.min(y0, y);
            y1 = Math.max(y1, y);
        }
        if (!(x1 >= x0))
            [x0, x1, y0, y1] = [-1, 1, -1, 1];
        const rim = 0.12 * Math.min(this.width, this.height), least = 1e-6 + 0.02 * Math.max(x1 - x0, y1 - y0);
        this.fitScale = Math.min((this.width - 2 * rim) / Math.max(x1 - x0, least), (this.height - 2 * rim) / Math.max(y1 - y0, least));
        const depth = this.points.length ? this.points.reduce((sum, p) => sum + dot(p, this.toward), 0) / this.points.length : 0;
        this.center = [0, 1, 2].map((c) => (x0 + x1) / 2 * this.right[c] + (y0 + y1) / 2 * this.above[c] + depth * this.toward[c]) as Vec;
        this.zoom = 1;
        this.fitted = true;
    }

    resize(width: number, height: number): void {
        const { zoom, center, fitted } = this;
        this.width = Math.max(1, width);
        this.height = Math.max(1, height);
        this.fit();
        if (!fitted) {
            this.zoom = zoom;
            this.center = center;
            this.fitted = false;
        }
    }

    get scale(): number {
        return this.fitScale * this.zoom;
    }

    put(p: Vec, out: Point): Point {
        const d = sub(p, this.center), s = this.scale;
        out[0] = this.width / 2 + s * dot(d, this.right);
        out[1] = this.height / 2 - s * dot(d, this.above);
        return out;
    }

    /** A direction on the screen. */
    direct(d: Vec): Point {
        return [dot(d, this.right), -dot(d, this.above)];
    }

    turn(dx: number, dy: number): void {
        this.azimuth -= dx * 0.008;
        this.tip = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, this.tip + dy * 0.008));
        this.aim();
        this.fitted = false;
    }

    pan(dx: number, dy: number): void {
        const s = this.scale;
        this.center = [0, 1, 2].map((c) => this.center[c] - dx / s * this.right[c] + dy / s * this.above[c]) as Vec;
        this.fitted = false;
    }

    zoomAt(x: number, y: number, factor: number): void {
        const zoom = Math.min(1e4, Math.max(0.02, this.zoom * factor)), change = zoom / this.zoom;
        const dx = x - this.width / 2, dy = y - this.height / 2;
        this.zoom = zoom;
        this.pan(dx - dx * change, dy - dy * change);
    }

    text(): string {
        const few = (x: number): string => String(Number(x.toPrecision(6)));
        return this.fitted ? "" : [this.azimuth, this.tip, this.zoom, ...this.center].map(few).join(",");
    }

    setText(text: string): void {
        const numbers = text.split(",").map(Number);
        if (numbers.length !== 6 || !numbers.every(Number.isFinite) || !(numbers[2] > 0)) {
            this.look(0);
            return;
        }
        [this.azimuth, this.tip] = numbers;
        this.aim();
        this.fit();
        this.zoom = numbers[2];
        this.center = numbers.slice(3) as Vec;
        this.fitted = false;
    }
}
