// Degrees of freedom as text, and redundant constraint equations.
import { insideText as text } from "../base/text_inside.ts";
import type { Report } from "../data/model.ts";
import { el, partButton, section, sentence, withParts } from "./dom.ts";
import type { Hooks } from "./hooks.ts";
import { asSentence, findPart } from "./words.ts";

export function makeMobility(report: Report, index: number, hooks: Hooks): HTMLElement {
    const { info, scene } = report.runs[index], mobility = info.mobility ?? [], findings = info.findings ?? [];
    const element = section("mobility", text.sections.mobility);
    if (!mobility.length && !findings.length && !scene.redundant?.length) {
        element.append(sentence(Number.isFinite(info.degrees_of_freedom) && info.degrees_of_freedom >= 0
            ? `${text.degrees(info.degrees_of_freedom)}. ${info.inside_missing ?? ""}`.trim() : info.inside_missing ?? text.noMobility));
        return element;
    }
    mobility.forEach((words, k) => element.append(el("p", k ? "" : "inside-lead", ...withParts(scene, words, index, hooks))));
    // findings about mobility itself are separate sentences, unless the text above has them
    for (const finding of findings)
        if (finding.part === "mobility" && !mobility.some((words) => words.includes(finding.text)))
            element.append(el("p", "", asSentence(finding.text)));
    element.append(redundancy(report, index, hooks));
    const rest = findings.filter((finding) => finding.part !== "mobility");
    if (rest.length)
        element.append(el("h3", "", text.findings), findingList(report, index, rest, hooks));
    return element;
}

function redundancy(report: Report, index: number, hooks: Hooks): HTMLElement {
    const { scene, info } = report.runs[index], rows = scene.redundant ?? [];
    if (!rows.length && !scene.joints.length)
        return el("div");
    if (!rows.length) // older files have none though the check found some
        return (info.findings ?? []).some((finding) => /follow|redundant/.test(finding.text)) ? el("div") : el("p", "", text.noRedundant);
    const list = el("ul", "inside-findings");
    for (const row of rows) {
        const joint = scene.joints[row.joint];
        list.append(el("li", "",
            joint ? partButton(joint.name, { what: "joint", index: row.joint, run: index }, hooks) : null,
            el("span", "", ...withParts(scene, row.text, index, hooks))));
    }
    return el("div", "", el("h3", "", text.redundant), list);
}

function findingList(report: Report, index: number, findings: { level: string; part: string; text: string }[], hooks: Hooks): HTMLElement {
    const { scene } = report.runs[index], list = el("ul", "inside-findings");
    for (const finding of findings) {
        const part = finding.part ? findPart(scene, finding.part, index) : null;
        const bad = finding.level === "warning";
        list.append(el("li", bad ? "inside-warning" : "",
            bad ? el("span", "inside-tag", text.warning) : null,
            part ? partButton(finding.part, part, hooks) : finding.part ? el("span", "inside-label", finding.part) : null,
            el("span", "", ...withParts(scene, finding.text, index, hooks))));
    }
    return list;
}
