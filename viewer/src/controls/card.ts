// The card of a picked part: name, numbers at this time, buttons.
import { button, make } from "../base/dom.ts";
import { short, withUnit } from "../base/format.ts";
import { text } from "../base/text.ts";
import { type Units, shown } from "../base/units.ts";
import { length } from "../base/vec.ts";
import { nodeCurves } from "../curves/nodes.ts";
import type { AllQuantities } from "../curves/quantities.ts";
import { bodyName as nameOf, elasticOf, isFrame, wholeOf } from "../data/elastic.ts";
import { type Report, type Run, bodyLabel, newPose, valueAt } from "../data/model.ts";
import { icons } from "../look/icons.ts";
import type { Part } from "../scene/view.ts";
import type { Store } from "./state.ts";

type Row = [string, string];

export interface CardHost { plot(names: string[]): void }

export class Card {
    readonly element = make("section", { class: "card", "aria-label": "", hidden: true });
    private numbers = make("dl");
    private shownPart: Part | null = null;
    private nodeNames: string[] = [];

    constructor(private report: Report, private all: AllQuantities, private store: Store, private host: CardHost) {
        store.on((state, changed) => {
            if (changed.has("picked") || changed.has("follow") || changed.has("hidden"))
                this.build();
            else if (changed.has("units") || (changed.has("time") && state.picked))
                this.update();
        });
        this.build();
    }

    private build(): void {
        const part = this.store.state.picked, run = part ? this.report.runs[part.run] : undefined;
        const name = part && run ? partName(run, part) : undefined;
        this.shownPart = name === undefined ? null : part;
        this.nodeNames = [];
        this.element.hidden = name === undefined;
        if (!part || !run || name === undefined)
            return this.element.replaceChildren();
        const kind = part.what === "body" && elasticOf(run.scene, part.index) ? text.card.elastic : text.card[part.what];
        this.element.setAttribute("aria-label", `${kind} ${name}`);
        const label = this.report.runs.length > 1 ? make("span", { class: "soft", text: run.label }) : null;
        this.element.replaceChildren(
            make("header", {}, make("div", {}, make("span", { class: "kind", text: kind }), make("h2", { text: name }),
                label),
                button(text.card.close, icons.close(), () => this.store.set({ picked: null }))),
            this.numbers, this.buttons(part, run, name));
        this.update();
        void readFor(this.all, run, part).then((names) => {
            if (this.shownPart !== part)
                return;
            this.nodeNames = names;
            if (part.what === "node") // its curves are known only now
                this.element.lastElementChild?.replaceWith(this.buttons(part, run, name));
            this.update();
        });
    }

    private buttons(part: Part, run: Run, name: string): HTMLElement {
        const { state } = this.store, { card } = text, row = make("div", { class: "card-buttons" });
        const names = this.curvesOf(part, run, name);
        if (names.length)
            row.append(button(card.plot, null, () => this.host.plot(names), "plain"));
        const body = part.what === "body" ? part.index : part.what === "probe" ? run.scene.probes[part.index].body : -1;
        if (body >= 0) {
            const following = state.follow === body;
            row.append(button(following ? card.unfollow : card.follow, null, () => this.store.set({ follow: following ? -1 : body }),
                "plain"));
        }
        if (part.what === "body")
            row.append(button(card.hide, null, () => this.store.set({
                hidden: new Set([...state.hidden, ...wholeOf(run.scene, part.index)]), picked: null }), "plain"));
        return row;
    }

    /** What "plot" plots: of a joint its variables and its reaction, of a body its position and speed. */
    private curvesOf(part: Part, run: Run, name: string): string[] {
        const known = this.all.runs[part.run], wanted: string[] = part.what === "node" ? this.nodeNames : [];
        if (part.what === "joint")
            wanted.push(...(run.scene.joints[part.index].variables ?? []), `|${name}|`);
        else if (part.what === "spring")
            wanted.push(`${name}.tension`, `${name}.length`);
        else if (part.what === "body" || part.what === "probe") {
            const as = part.what === "body" ? bodyLabel(run.scene, run.scene.bodies[part.index].name) : name;
            wanted.push(...["x", "y", "z"].map((axis) => `${as}.${axis}`), `|${as}.v|`);
        }
        return wanted.filter((one) => known.find(one));
    }

    private update(): void {
        const part = this.shownPart;
        if (!part || this.element.hidden)
            return;
        const run = this.report.runs[part.run], { time, units } = this.store.state;
        const rows = part.what === "node" ? nodeRows(run, this.nodeNames, time, units) : partRows(run, part, time, units);
        this.numbers.replaceChildren(...rows.flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value })]));
    }
}

export function partName(run: Run, part: Part): string | undefined {
    const { bodies, joints, springs, probes } = run.scene;
    if (part.what === "node")
        return `${run.def.meshes?.[part.mesh ?? 0]?.name ?? ""} ${part.index}`;
    if (part.what === "body")
        return nameOf(run.scene, part.index);
    return { body: bodies, joint: joints, spring: springs, probe: probes }[part.what][part.index]?.name;
}

const quantity = (value: number, unit: string, units: Units): string => {
    const as = shown(unit, units);
    return withUnit(short(value * as.factor), as.unit);
};

const positionText = (p: ArrayLike<number>, plane: boolean, units: Units): string => {
    const as = shown("m", units), parts = Array.from(p).slice(0,
        plane ? 2 : 3).map((value) => short(Math.abs(value * as.factor) < 1e-9 ? 0 : value * as.factor));
    return withUnit(parts.join(", "), as.unit);
};

/** Speed of a point: from its curves where they are in the page, else from positions near t. */
function speedOf(run: Run, name: string, body: number, at: [number, number, number], t: number): number {
    const known = run.curves.now(`|${name}.v|`);
    if (known)
        return valueAt(known, t);
    const { time } = run.motion, span = time[time.length - 1] - time[0], h = 1e-3 * span;
    if (!(h > 0))
        return NaN;
    const a = Math.max(time[0], t - h), b = Math.min(time[time.length - 1], t + h);
    const p = run.pointAt(body, at, a), q = run.pointAt(body, at, b);
    return length([q[0] - p[0], q[1] - p[1], q[2] - p[2]]) / (b - a);
}

function partRows(run: Run, part: Part, t: number, units: Units): Row[] {
    const { scene } = run, plane = scene.dimension === 2, { card } = text;
    const bodyName = (index: number): string => (index < 0 ? card.ground : nameOf(scene, index) ?? "");
    if (part.what === "body") {
        const body = scene.bodies[part.index], pose = run.motion.at(t, part.index, newPose());
        const elastic = elasticOf(scene, part.index), all = new Set(wholeOf(scene, part.index));
        const joints = scene.joints.filter((joint) => !joint.free && (all.has(joint.a) || all.has(joint.b))).map((joint) => joint.name);
        return [[card.mass, withUnit(short(elastic?.mass ?? body.mass), "kg")],
            ...(isFrame(scene, part.index) ? [[card.frame, body.name] as Row] : []), [card.position, positionText(pose, plane, units)],
            [card.speed, quantity(speedOf(run, bodyLabel(scene, body.name), part.index, body.center, t), "m/s", units)],
            ...(joints.length ? [[card.joints, joints.length > 8
                ? `${joints.slice(0, 8).join(", ")} \u2026` : joints.join(", ")] as Row] : [])];
    }
    if (part.what === "probe") {
        const probe = scene.probes[part.index];
        return [[card.body, bodyName(probe.body)], [card.position, positionText(run.pointAt(probe.body, probe.at, t), plane, units)],
            [card.speed, quantity(speedOf(run, probe.name, probe.body, probe.at, t), "m/s", units)]];
    }
    if (part.what === "joint") {
        const joint = scene.joints[part.index], values = (joint.variables ?? []).flatMap((name): Row[] => {
            const curve = run.curves.now(name);
            return curve ? [[name, quantity(valueAt(curve, t), curve.unit, units)]] : [];
        });
        const force = run.curves.now(`|${joint.name}|`);
        return [["", joint.kind.replace(/_/g, " ")], [card.between, `${bodyName(joint.a)}, ${bodyName(joint.b)}`], ...values,
            ...(force ? [[card.reaction, quantity(valueAt(force, t), "N", units)] as Row] : [])];
    }
    if (part.what === "spring") {
        const spring = scene.springs[part.index], rows: Row[] = [[card.between, `${bodyName(spring.a)}, ${bodyName(spring.b)}`]];
        for (const [name, words] of [["length", card.length], ["tension", card.tension]] as const) {
            const curve = run.curves.now(`${spring.name}.${name}`);
            if (curve)
                rows.push([words, quantity(valueAt(curve, t), curve.unit, units)]);
        }
        return rows;
    }
    return [];
}

function nodeRows(run: Run, names: readonly string[], t: number, units: Units): Row[] {
    return names.flatMap((name): Row[] => {
        const curve = run.curves.now(name);
        return curve ? [[curve.quantity, quantity(valueAt(curve, t), curve.unit, units)]] : [];
    });
}

/** Curves that a card shows must be read first; of nodes they are made. */
async function readFor(all: AllQuantities, run: Run, part: Part): Promise<string[]> {
    if (part.what === "node")
        return nodeCurves(all.runs[part.run], run, part.mesh ?? 0, part.index).catch(() => []);
    const known = all.runs[part.run], name = partName(run, part) ?? "";
    const wanted = part.what === "joint" ? [...(run.scene.joints[part.index]?.variables ?? []), `|${name}|`] :
        part.what === "spring" ? [`${name}.length`, `${name}.tension`] :
            [`|${part.what === "body" ? bodyLabel(run.scene, run.scene.bodies[part.index].name) : name}.v|`];
    await Promise.all(wanted.filter((one) => known.find(one)).map((one) => known.curve(one).catch(() => null)));
    return [];
}

