// The least picture: a dot at every mass center and lines to the points that joints hold, seen along an axis.
import type { Report } from "../data/model.ts";
import { newPose, placed } from "../data/model.ts";
import { type Theme, palettes } from "../look/colours.ts";
import type { LegendItem, Part, View } from "./view.ts";

export async function makeDots(report: Report, first: Theme): Promise<View> {
    const canvas = document.createElement("canvas"), context = canvas.getContext("2d") as CanvasRenderingContext2D, pose = newPose();
    let theme = first, width = 1, height = 1, now = 0;
    const plane = report.runs[0].scene.dimension === 2;
    const view = (p: number[]): [number, number] => (plane ? [p[0], p[1]] : [p[0] - 0.4 * p[1], p[2] + 0.3 * p[1]]);
    const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    const each = (t: number, use: (p: [number, number], run: number, body: number, point: number) => void): void =>
        report.runs.forEach((run, r) => run.scene.bodies.forEach((body, i) => {
            run.motion.at(t, i, pose);
            use(view([pose[0], pose[1], pose[2]]), r, i, -1);
            body.points.forEach((point, j) => use(view(placed(pose, body.center, point)), r, i, j));
        }));
    const [begin, end] = report.span;
    for (let k = 0; k <= 60; k++)
        each(begin + (k / 60) * (end - begin), (p) => {
            for (let c = 0; c < 2; c++) {
                low[c] = Math.min(low[c], p[c]);
                high[c] = Math.max(high[c], p[c]);
            }
        });
    const scale = (): number => 0.76 * Math.min(width / (high[0] - low[0] || 1), height / (high[1] - low[1] || 1));
    const screen = (p: [number, number]): [number, number] =>
        [width / 2 + scale() * (p[0] - (low[0] + high[0]) / 2), height / 2 - scale() * (p[1] - (low[1] + high[1]) / 2)];
    const draw = (t: number): void => {
        now = t;
        const palette = palettes[theme];
        context.setTransform(2, 0, 0, 2, 0, 0);
        context.fillStyle = palette.scene;
        context.fillRect(0, 0, width, height);
        let center: [number, number] = [0, 0];
        each(t, (p, _, body, point) => {
            const at = screen(p), tint = palette.tints[body % 6];
            if (point < 0)
                center = at;
            context.strokeStyle = tint.stroke;
            context.lineWidth = 2;
            context.beginPath();
            context.moveTo(...center);
            context.lineTo(...at);
            context.stroke();
            context.fillStyle = point < 0 ? tint.solid : palette.paper;
            context.beginPath();
            context.arc(...at, point < 0 ? 6 : 4, 0, 2 * Math.PI);
            context.fill();
            context.stroke();
        });
    };
    return {
        canvas,
        resize(w, h) {
            [width, height] = [w, h];
            canvas.width = 2 * w;
            canvas.height = 2 * h;
            draw(now);
        },
        draw,
        theme(next) { theme = next; draw(now); },
        show() {}, colorBy() {}, arrowScale() {}, meshLook() {}, hide() {}, fit() {}, look() {}, follow() {}, select() {},
        pick(x, y): Part | null {
            let best = 30, found: Part | null = null;
            each(now, (p, run, index) => {
                const at = screen(p), d = Math.hypot(at[0] - x, at[1] - y);
                if (d < best) {
                    best = d;
                    found = { what: "body", index, run };
                }
            });
            return found;
        },
        legend: (): LegendItem[] => [],
        scaleBar: () => (report.runs[0].scene.dimension === 2 ? { pixels: 0.1 * scale(), length: 0.1 } : null),
        svg: () => null,
        camera: () => "",
        setCamera() {},
        onMove: null,
        destroy() {},
    };
}
