// An address may be of another report, or typed: what does not exist here is dropped.
import type { State } from "../controls/state.ts";
import type { PlotDef } from "../curves/lines.ts";
import { includeNodes } from "../curves/nodes.ts";
import type { AllQuantities } from "../curves/quantities.ts";
import type { Report } from "../data/model.ts";
import type { Part } from "../scene/view.ts";

function exists(report: Report, { what, index, run, mesh }: Part): boolean {
    const found = report.runs[run];
    if (!found)
        return false;
    const { bodies, joints, springs, probes } = found.scene;
    if (what === "node")
        return index < (found.meshes[mesh ?? 0]?.def.vertices.count ?? 0);
    return !!{ body: bodies, joint: joints, spring: springs, probe: probes }[what][index];
}

/** The part of a change that fits the report. */
export function fitting(change: Partial<State>, report: Report, span: readonly [number, number], tabs: readonly string[]): Partial<State> {
    const { runs } = report, kept = { ...change }, bodies = runs[0].scene.bodies.length;
    if (kept.time !== undefined)
        kept.time = Math.min(span[1], Math.max(span[0], kept.time));
    if (kept.run !== undefined && !runs[kept.run])
        delete kept.run;
    if (kept.follow !== undefined && !runs[kept.run ?? 0].scene.bodies[kept.follow])
        delete kept.follow;
    if (kept.picked && !exists(report, kept.picked))
        delete kept.picked;
    if (kept.tab !== undefined && !tabs.includes(kept.tab))
        delete kept.tab;
    if (kept.hidden)
        kept.hidden = new Set([...kept.hidden].filter((body) => body < bodies));
    const { mesh } = kept, fields = runs.flatMap((run) => run.meshes.flatMap(({ def }) => def.fields));
    const count = mesh ? fields.find(({ name }) => name === mesh.field)?.components ?? -1 : 0;
    if (mesh && !(mesh.factor > 0 && Number.isInteger(mesh.component) && mesh.component >= -1 && mesh.component < count))
        delete kept.mesh;
    return kept;
}

/** Plots of quantities that the report has; null where nothing of them is known. Curves of nodes are made when they are named. */
export async function knownPlots(plots: readonly PlotDef[], all: AllQuantities): Promise<PlotDef[] | null> {
    await includeNodes(all, plots.flatMap((plot) => [...plot.items.map((item) => item.name), plot.x]));
    const count = all.runs.length, known = plots.map((plot) => ({
        ...plot, x: plot.x && all.find(plot.x) ? plot.x : "",
        items: plot.items.filter(({ name, run, minus }) => all.find(name) && run < count && minus < count),
    })).filter((plot) => plot.items.length > 0);
    return known.length || !plots.length ? known : null;
}
