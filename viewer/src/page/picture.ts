// Which picture a report gets: the plane by the pen, space by three, space without WebGL by lines, none where nothing has a position.
import { text } from "../base/text.ts";
import type { Report } from "../data/model.ts";
import type { Theme } from "../look/colors.ts";
import { linesView } from "../scene/lines.ts";
import { planeView } from "../scene/plane.ts";
import { makeSpace } from "../scene/space.ts";
import type { View } from "../scene/view.ts";
import { hasProfile, profileView } from "./profile.ts";

export interface Picture { view: View | null; note: string }

/** Plain equations have nothing that could be drawn in space. */
export const hasPicture = (report: Report): boolean => hasProfile(report) || report.runs.some((run) =>
    run.scene.bodies.length > 0 || run.meshes.length > 0 || run.scene.joints.length > 0 || !!run.scene.ground?.shapes.length);

export async function makePicture(report: Report, theme: Theme): Promise<Picture> {
    if (report.runs.some((run) => run.motion.count === 0))
        return { view: null, note: text.noFrames };
    if (!hasPicture(report))
        return { view: null, note: "" };
    if (hasProfile(report))
        return { view: await profileView(report, theme), note: "" };
    try {
        const plane = report.runs.every((run) => run.scene.dimension === 2);
        return { view: await (plane ? planeView(report, theme) : makeSpace(report, theme)), note: "" };
    } catch (error) {
        const without = (error as Error).message.includes("WebGL");
        return { view: await linesView(report, theme), note: without ? text.noWebgl : (error as Error).message };
    }
}
