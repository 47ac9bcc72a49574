// The camera in space: a position that orbits about a target. Plain numbers.
import { add, cross, dot, scale, sub, unit, type Vec } from "../base/vec.ts";

export const FIELD = 28 * Math.PI / 180; // of view, vertical

const STEEPEST = 89.9 * Math.PI / 180;

export class Camera {
    target: Vec = [0, 0, 0];
    distance = 1;
    azimuth = 0;
    elevation = 0;
    readonly e1: Vec;
    readonly e2: Vec;

    constructor(readonly up: Vec) {
        const x: Vec = [1, 0, 0], y: Vec = [0, 1, 0];
        const along = Math.abs(up[0]) < 0.9 ? x : y;
        this.e1 = unit(sub(along, scale(up, dot(along, up))));
        this.e2 = cross(up, this.e1);
        this.look(0);
    }

    /** From the target to the eye, unit. */
    get back(): Vec {
        const c = Math.cos(this.elevation);
        const level = add(scale(this.e1, c * Math.cos(this.azimuth)), scale(this.e2, c * Math.sin(this.azimuth)));
        return add(level, scale(this.up, Math.sin(this.elevation)));
    }
    get right(): Vec {
        return add(scale(this.e1, -Math.sin(this.azimuth)), scale(this.e2, Math.cos(this.azimuth)));
    }
    get above(): Vec {
        return cross(this.back, this.right);
    }
    get eye(): Vec {
        return add(this.target, scale(this.back, this.distance));
    }

    /** m per pixel at the target. */
    unit(height: number): number {
        return 2 * Math.tan(FIELD / 2) * this.distance / height;
    }

    turn(dx: number, dy: number): void {
        this.azimuth -= dx * 0.0075;
        this.elevation = Math.min(STEEPEST, Math.max(-STEEPEST, this.elevation + dy * 0.0075));
    }

    pan(dx: number, dy: number, height: number): void {
        const u = this.unit(height);
        this.target = add(this.target, add(scale(this.right, -dx * u), scale(this.above, dy * u)));
    }

    /** Larger by the factor; what is under (x, y), pixels from the middle to the right and down, stays there. */
    zoom(factor: number, x: number, y: number, height: number): void {
        const before = this.unit(height);
        this.distance /= factor;
        const moved = before - this.unit(height);
        this.target = add(this.target, add(scale(this.right, x * moved), scale(this.above, -y * moved)));
    }

    /** 1 front, 2 back, 3 right, 4 left, 5 from above, 6 from below; 0 and 7 slanted. */
    look(which: number): void {
        const level = [0, -Math.PI / 2, Math.PI / 2, 0, Math.PI, -Math.PI / 2, -Math.PI / 2][which];
        if (which >= 1 && which <= 6) {
            this.azimuth = level;
            this.elevation = which === 5 ? STEEPEST : which === 6 ? -STEEPEST : 0;
            return;
        }
        this.azimuth = Math.atan2(-1, which === 7 ? -0.85 : 0.85);
        this.elevation = Math.atan2(0.55, Math.hypot(0.85, 1));
    }

    /**
     * Moves the camera, to the nearest position from which all points (x y z one after the other) are seen with a margin:
     * in coordinates (right, above, ahead) each side of the view bounds right -+ tangent * ahead, so the four bounds decide alone.
     */
    fit(points: ArrayLike<number>, width: number, height: number, margin = 0.12): void {
        if (points.length < 3)
            return;
        const { right, above } = this, ahead = scale(this.back, -1), full = Math.tan(FIELD / 2);
        const free = 2 * margin * Math.min(width, height), ty = full * (1 - free / height), tx = full * (width - free) / height;
        const most = [-Infinity, -Infinity, -Infinity, -Infinity];
        let near = Infinity, far = -Infinity;
        for (let i = 0; i + 2 < points.length; i += 3) {
            const p: Vec = [points[i], points[i + 1], points[i + 2]], x = dot(p, right), y = dot(p, above), z = dot(p, ahead);
            most[0] = Math.max(most[0], x - tx * z);
            most[1] = Math.max(most[1], -x - tx * z);
            most[2] = Math.max(most[2], y - ty * z);
            most[3] = Math.max(most[3], -y - ty * z);
            near = Math.min(near, z);
            far = Math.max(far, z);
        }
        const z = Math.min(-(most[0] + most[1]) / (2 * tx), -(most[2] + most[3]) / (2 * ty));
        const eye = add(add(scale(right, (most[0] - most[1]) / 2), scale(above, (most[2] - most[3]) / 2)), scale(ahead, z));
        const depth = Math.max((near + far) / 2 - z, 1e-6);
        this.distance = depth;
        this.target = add(eye, scale(ahead, depth));
    }

    text(): string {
        const short = (x: number): string => String(Number(x.toPrecision(5)));
        return [this.azimuth, this.elevation, this.distance, ...this.target].map(short).join(",");
    }

    /** Text that is no camera changes nothing. */
    read(text: string): boolean {
        const [azimuth, elevation, distance, ...target] = text.split(",").map(Number);
        if (target.length !== 3 || ![azimuth, elevation, distance, ...target].every(Number.isFinite) || distance <= 0)
            return false;
        Object.assign(this, { azimuth, elevation: Math.min(STEEPEST, Math.max(-STEEPEST, elevation)), distance, target: target as Vec });
        return true;
    }
}
