// Which picture a report gets: the plane by the pen, space by three, space without WebGL by lines.
import type { Report } from "../data/model.ts";
import type { Theme } from "../look/colours.ts";
import { makeDots } from "../scene/dots.ts";
import type { View } from "../scene/view.ts";

export async function makePicture(report: Report, theme: Theme): Promise<{ view: View; note: string }> {
    return { view: await makeDots(report, theme), note: "" };
}
