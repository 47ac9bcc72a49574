// Which picture a report gets: the plane by the pen, space by three, space without WebGL by lines.
import { text } from "../base/text.ts";
import type { Report } from "../data/model.ts";
import type { Theme } from "../look/colours.ts";
import { linesView } from "../scene/lines.ts";
import { planeView } from "../scene/plane.ts";
import { makeSpace } from "../scene/space.ts";
import type { View } from "../scene/view.ts";

export async function makePicture(report: Report, theme: Theme): Promise<{ view: View; note: string }> {
    if (report.runs.every((run) => run.scene.dimension === 2))
        return { view: await planeView(report, theme), note: "" };
    try {
        return { view: await makeSpace(report, theme), note: "" };
    } catch (error) {
        console.info(error);
        return { view: await linesView(report, theme), note: text.noWebgl };
    }
}
