// Modes of vibration: every frame is a shape; the page lets it swing about the rest between them.
import { Motion, type Pose, Report, Run, newPose } from "./model.ts";

const LARGE = 0.07; // of the mechanism's size: the largest displacement of a mode as drawn
const TURN = 0.3; // rad, likewise

const middle = (values: number[]): number => {
    const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

/** Files of modes hold shapes without the rest: a mode moves few parts, so that the middle of all modes is near it. */
function restOf(motion: Motion, body: number, given: Pose): Pose {
    if (motion.count < 3)
        return given;
    const poses = Array.from({ length: motion.count }, (_, k) => motion.frame(k, body, newPose()));
    return given.map((_, c) => middle(poses.map((pose) => pose[c])));
}

/** Rest plus `swing` times the shape, enlarged so that it can be seen. */
export class Swinging extends Motion {
    swing = 1;
    private rest: Pose[];
    private enlarged: number[];

    constructor(private shapes: Motion, given: Pose[], size: number) {
        super(shapes.time, shapes.bodies, new Int32Array(0), [0, 0, 0], 1);
        this.rest = given.map((pose, body) => restOf(shapes, body, pose));
        this.enlarged = Array.from({ length: shapes.count }, (_, k) => this.enlargement(k, size));
    }

    private enlargement(k: number, size: number): number {
        let moved = 0, turned = 0;
        const pose = newPose();
        this.rest.forEach((rest, body) => {
            this.shapes.frame(k, body, pose);
            moved = Math.max(moved, Math.hypot(pose[0] - rest[0], pose[1] - rest[1], pose[2] - rest[2]));
            turned = Math.max(turned, 2 * Math.hypot(pose[4] - rest[4], pose[5] - rest[5], pose[6] - rest[6]));
        });
        return Math.min(moved > 0 ? (LARGE * size) / moved : Infinity, turned > 0 ? TURN / turned : Infinity, 1e6);
    }

    override frame(k: number, body: number, out: Pose): Pose {
        this.shapes.frame(k, body, out);
        const rest = this.rest[body], factor = this.swing * this.enlarged[k];
        let square = 0;
        for (let c = 0; c < 7; c++) {
            out[c] = rest[c] + factor * (out[c] - rest[c]);
            square += c < 3 ? 0 : out[c] * out[c];
        }
        for (let c = 3; c < 7; c++)
            out[c] /= Math.sqrt(square) || 1;
        return out;
    }

    /** There is nothing between two modes: the nearer one. */
    override between(k: number, share: number, body: number, out: Pose): Pose {
        return this.frame(share < 0.5 || k + 1 >= this.count ? k : k + 1, body, out);
    }
}

export function swinging(report: Report): Report {
    return new Report(report.def, report.runs.map((run) => {
        const given = run.scene.bodies.map((body) => Float64Array.of(...body.center, 1, 0, 0, 0));
        return new Run(run.def, new Swinging(run.motion, given, run.scene.size || 1), run.curves, run.meshes, run.blocks);
    }));
}

/** For every mode the factor that makes the largest displacement of the meshes look as large as that of a mechanism. */
export async function meshEnlargement(report: Report): Promise<number[]> {
    const most: number[] = [];
    for (const run of report.runs)
        for (const mesh of run.meshes) {
            const def = mesh.def.fields.find((field) => field.name === "displacement");
            const field = def ? await mesh.field(def.name) : null, all = new Float32Array(mesh.def.vertices.count * (def?.components ?? 0));
            for (let k = 0; field && def && k < field.frames; k++) {
                field.between(k, 0, all);
                for (let at = 0; at < all.length; at += def.components)
                    most[k] = Math.max(most[k] ?? 0, Math.hypot(...all.subarray(at, at + def.components)));
            }
        }
    const size = report.runs[0].scene.size || 1;
    return most.map((moved) => (moved > 0 ? (LARGE * size) / moved : 1));
}
