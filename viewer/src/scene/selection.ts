// The part that was picked: an accent outline twice as wide; all others keep their colors.
import type { Palette } from "../look/colors.ts";
import { size } from "../look/sizes.ts";
import type { Pen } from "../pen/pen.ts";
import { circle, line } from "../symbol/ink.ts";
import type { PlaneJoint, Point } from "../symbol/plane.ts";
import type { Bodies } from "./bodies.ts";
import type { Layout, Poses } from "./layout.ts";
import type { Marks } from "./marks.ts";
import type { Part } from "./view.ts";

export function drawSelection(
    pen: Pen, layout: Layout, bodies: Bodies, marks: Marks, poses: Poses, part: Part | null, look: Palette,
): void {
    if (!part || part.run !== 0)
        return;
    const { k } = layout, style = { color: look.accent, width: size.picked * k };
    pen.enter("selected");
    if (part.what === "body" && part.index < bodies.pictures.length)
        selectBody(pen, layout, bodies, marks, poses, part.index, look);
    if (part.what === "joint" && part.index < marks.joints.length)
        selectJoint(pen, marks.joints[part.index].s, k, look);
    if (part.what === "spring" && part.index < marks.springs.length) {
        const { s, joint } = marks.springs[part.index];
        if (joint)
            circle(pen, s.from, 1.3 * size.spiral.outer * k).stroke(style);
        else
            line(pen, s.from, s.to).stroke({ ...style, alpha: 0.5, width: 16 * k, cap: "round" });
    }
    if (part.what === "probe") {
        const probe = bodies.run.scene.probes[part.index], at: Point = [0, 0];
        if (probe)
            circle(pen, layout.put(poses, probe.body, probe.at, at), 2 * size.probe.radius * k).stroke(style);
    }
    pen.leave();
}

function selectJoint(pen: Pen, { at_b: at, curve }: PlaneJoint, k: number, look: Palette): void {
    const radius = Math.max(1.9 * size.pin.radius * k, (curve?.roller ?? 0) + 0.6 * size.pin.radius * k); // around a roller
    circle(pen, at, radius).stroke({ color: look.accent, width: size.picked * k });
}

function selectBody(pen: Pen, layout: Layout, bodies: Bodies, marks: Marks, poses: Poses, body: number, look: Palette): void {
    const { k } = layout, picture = bodies.pictures[body], color = look.accent;
    if (picture.block)
        for (const { s } of marks.joints)
            if (s.def.kind === "prismatic" && (s.def.b === body || s.def.b < 0 && s.def.a === body))
                circle(pen, s.def.b === body ? s.at_b : s.at, 1.4 * size.pin.radius * k).stroke({ color, width: size.picked * k });
    bodies.outline(pen, layout, poses, body, { color, width: layout.thin ? size.picked : size.picked * k });
}
