// What is under the pointer: pins before springs before bodies, the nearest of each.
import { size } from "../look/sizes.ts";
import type { Point } from "../symbol/plane.ts";
import type { Bodies } from "./bodies.ts";
import type { Layout, Poses } from "./layout.ts";
import type { Marks } from "./marks.ts";
import { toSegment } from "./outline.ts";
import type { Part } from "./view.ts";

export function pickPart(
    layout: Layout, bodies: Bodies, marks: Marks, poses: Poses, x: number, y: number, hidden: ReadonlySet<number>,
): Part | null {
    const { k } = layout, p: Point = [x, y];
    let best = layout.thin ? 0 : size.pin.radius * k + 3, found: Part | null = null;
    const nearer = (distance: number, what: Part["what"], index: number): void => {
        if (distance < best) {
            best = distance;
            found = { what, index, run: 0 };
        }
    };
    if (!layout.thin)
        marks.joints.forEach(({ s }, i) => {
            if (s.first && !s.def.gear && s.def.kind !== "prismatic" && !s.def.free && !hidden.has(s.def.b))
                nearer(Math.hypot(s.at_b[0] - x, s.at_b[1] - y), "joint", i);
        });
    if (found)
        return found;
    const spot: Point = [0, 0];
    bodies.run.scene.probes.forEach((probe, i) => {
        const [px, py] = layout.put(poses, probe.body, probe.at, spot);
        nearer(Math.hypot(px - x, py - y), "probe", i);
    });
    if (found)
        return found;
    best = size.spring.width / 2 * k + 3;
    marks.springs.forEach(({ s, joint }, i) => {
        const around = Math.abs(Math.hypot(s.from[0] - x, s.from[1] - y) - size.spiral.inner * k);
        nearer(joint ? around : toSegment(p, s.from, s.to), "spring", i);
    });
    if (found)
        return found;
    // the block of a slider is its second body
    marks.joints.forEach(({ s }) => {
        const body = s.def.b >= 0 ? s.def.b : s.def.a, at = s.def.b >= 0 ? s.at_b : s.at;
        const dx = x - at[0], dy = y - at[1], u = dx * s.axis[0] + dy * s.axis[1], v = dx * s.axis[1] - dy * s.axis[0];
        if (s.def.kind === "prismatic" && !hidden.has(body) && !found && !layout.thin &&
            Math.abs(u) < size.block.length / 2 * k + 2 && Math.abs(v) < size.block.width / 2 * k + 2)
            found = { what: "body", index: body, run: 0 };
    });
    if (found)
        return found;
    // bars are in front of plates, later bodies in front of earlier ones
    best = (layout.thin ? 4 : size.bar.radius * k) + 3;
    for (const plates of [false, true]) {
        if (!plates) {
            const { body, distance } = bodies.bands.nearest(layout, poses, x, y, hidden);
            nearer(distance, "body", body);
        }
        for (let body = bodies.pictures.length - 1; body >= 0; body--)
            if (!hidden.has(body) && bodies.isPlate(body) === plates)
                nearer(bodies.distance(layout, poses, body, x, y), "body", body);
        if (found)
            return found;
    }
    return null;
}
