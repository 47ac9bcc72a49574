// Title and the line below it: what ran and how it ended.
import { make } from "../base/dom.ts";
import { short, withUnit } from "../base/format.ts";
import { text } from "../base/text.ts";
import { unknownNames } from "../curves/choose.ts";
import { wholeBodies } from "../data/elastic.ts";
import type { Report, Run } from "../data/model.ts";

const span = (run: Run, t: number): string => withUnit(short(t), run.info.study === "equilibrium" ? "" : "s");

/** How the run ended, and whether that is bad news. */
export function ending(run: Run): { words: string; bad: boolean } {
    const { info, motion } = run, { head } = text;
    const reached = Number.isFinite(info.reached) ? info.reached : motion.time[motion.count - 1] ?? 0;
    if (info.study === "modes")
        return { words: head.modes(motion.count), bad: false };
    if (info.study === "equilibrium" && motion.count === 1 && info.status === "done")
        return { words: head.oneLoad, bad: false };
    if (info.status === "done" || info.status === "")
        return { words: info.study === "equilibrium" ? head.loads(motion.count) : head.complete(span(run, reached)), bad: false };
    if (info.status === "event")
        return { words: head.ended(span(run, reached)), bad: false };
    if (info.status === "running")
        return { words: head.running(span(run, reached)), bad: true };
    return { words: head.stopped(span(run, reached), info.error?.what ?? (info.status === "stopped" ? "" : info.status)), bad: true };
}

/** Bodies in space are in the page by their surface alone. */
function nodes(run: Run): string {
    const count = run.meshes.reduce((sum, { def }) => sum + (def.nodes ?? def.vertices).count, 0);
    const words = run.meshes.some(({ def }) => def.nodes && def.dimension === 3) ? text.head.surfaceNodes : text.head.nodes;
    return words(count);
}

function facts(run: Run): string[] {
    const { scene, info } = run, { head } = text;
    const meshes = run.meshes.length, whole = wholeBodies(scene).length;
    const words = whole ? [head.bodies(whole)] : [], elastic = scene.elastic ?? [];
    if (elastic.length)
        words[0] += `, ${head.elastic(elastic.length, elastic.reduce((sum, { count }) => sum + count, 0))}`;
    if (meshes)
        words.push(`${head.meshes(meshes)}, ${nodes(run)}`);
    else if (!scene.bodies.length)
        words.push(head.unknowns(unknownNames(run).length));
    if (scene.joints.length)
        words.push(head.joints(scene.joints.filter((joint) => !joint.free).length));
    if (info.degrees_of_freedom > 0 || (Number.isFinite(info.degrees_of_freedom) && scene.bodies.length))
        words.push(head.freedoms(info.degrees_of_freedom));
    return words;
}

export function fillHead(report: Report, title: HTMLElement, subtitle: HTMLElement): void {
    const first = report.runs[0], name = report.def.title || first.info.model || first.info.file;
    title.textContent = name;
    title.title = name;
    document.title = name;
    const words = facts(first);
    if (report.runs.length > 1)
        words.push(text.head.runs(report.runs.length));
    const bad = report.runs.map(ending).find((end) => end.bad), { words: ended, bad: isBad } = bad ?? ending(first);
    subtitle.append(`${words.join(" \u00b7 ")} \u00b7 `, make("span", { class: isBad ? "bad" : "", text: ended }));
    const thinned = first.def.thinned;
    if (thinned && thinned.frames > 0)
        subtitle.append(` \u00b7 ${text.head.thinned(short(thinned.from / thinned.frames, 3))}`);
    subtitle.title = subtitle.textContent ?? "";
}
