// What the page must know of fields before they are read.
import type { Report } from "../data/model.ts";

/** Fields are integers of some bits: their range is known without reading them. */
export function largestStress(report: Report): number {
    let most = 0;
    for (const run of report.runs)
        for (const mesh of run.meshes)
            for (const field of mesh.def.fields.filter(({ unit }) => unit === "N/m^2" || unit === "Pa"))
                field.low.forEach((low, c) => { // a component that is constant has a step of 1
                    most = Math.max(most, Math.abs(low), field.step[c] === 1 ? 0 : Math.abs(low + field.step[c] * 2 ** field.bits));
                });
    return most;
}
