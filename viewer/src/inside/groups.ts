// Diagram of the structural groups: boxes in the order of solution, arrows from what a group depends on. Drawn as by `biela structure`.
import { insideText as text } from "../base/text_inside.ts";
import type { GroupDef, SceneDef } from "../data/header.ts";
import type { Report } from "../data/model.ts";
import type { Palette, Tint } from "../look/colors.ts";
import { button, el, onWidth, partButton, section, sentence, svg, table, withParts } from "./dom.ts";
import { boxTitle, type GroupBox, groupBoxes, type Kind, MANY_GROUPS, nameLines } from "./group_boxes.ts";
import type { Hooks } from "./hooks.ts";
import { layOut, type Layout, type Size } from "./layers.ts";
import { asSentence } from "./words.ts";

const INNER = 168, PAD = 10, TITLE = 13, BODY = 12.5, JOINT = 11.5, LINE = 16, MARGIN = 16, GROUND = 13;
const FONT = "system-ui, \"Segoe UI\", Helvetica, Arial, sans-serif";
/** Beyond that a picture of all groups shows nothing. */
const MOST_BOXES = 300;
const MOST_LINES = 4;

// tints of the bodies are the colors of docs/images: blue, orange, green, rose, amber, gray
const TINT: Record<Kind, number> = { dyad: 0, driven: 1, follower: 2, triad: 3, larger: 4, left: 5 };

type Measure = (words: string, size: number, weight?: number) => number;

function makeMeasure(): Measure {
    const context = document.createElement("canvas").getContext("2d");
    return (words, size, weight = 400) => {
        if (!context)
            return 0.56 * size * words.length;
        context.font = `${weight} ${size}px ${FONT}`;
        return context.measureText(words).width;
    };
}

interface Card extends Size { box: GroupBox; title: string; bodies: string[]; joints: string[]; note: string }

function makeCard(box: GroupBox, scene: SceneDef, measure: Measure): Card {
    const title = boxTitle(box);
    const inner = Math.min(260, Math.max(INNER, measure(title, TITLE, 600)));
    const bodies = nameLines(box.bodies.map((i) => scene.bodies[i]?.name ?? "?"), 2, inner, (words) => measure(words, BODY));
    const joints = nameLines(box.joints.map((i) => scene.joints[i]?.name ?? "?"), 2, inner, (words) => measure(words, JOINT));
    const note = box.chained ? text.chained : "";
    const lines = 1 + bodies.length + joints.length + (note ? 1 : 0);
    const used = Math.max(90, measure(title, TITLE, 600), measure(note, JOINT), ...bodies.map((line) => measure(line, BODY)),
        ...joints.map((line) => measure(line, JOINT)));
    const foot = box.onGround ? GROUND : 0;
    return { box, title, bodies, joints, note, from: box.from, foot,
        width: Math.ceil(Math.min(used, inner + 40)) + 2 * PAD, height: lines * LINE + 2 * PAD - 2 + foot };
}

/** To the right as in print, downward where that does not fit. */
function fit(cards: Card[], width: number): Layout {
    const right = layOut(cards, "right");
    if (right.width + 2 * MARGIN <= width)
        return right;
    const down = layOut(cards, "down");
    return down.width < right.width ? down : right;
}

const words = (x: number, y: number, size: number, fill: string, content: string, weight = 400): SVGTextElement =>
    svg("text", { x, y, "font-size": size, "font-weight": weight, fill }, content);

/** Base line with hatching: this group hangs on ground. */
function groundMark(x: number, y: number, palette: Palette): SVGElement {
    let path = `M${x - 19} ${y}H${x + 19}`;
    for (let k = -2; k <= 2; k++)
        path += `M${x + k * 7 + 3} ${y}l-6 6`;
    return svg("path", { d: path, stroke: palette.ink, "stroke-width": 1.2, fill: "none" });
}

type Pick = (what: "body" | "joint", index: number) => void;

function drawCard(card: Card, x: number, y: number, palette: Palette, pick: Pick, scene: SceneDef): SVGElement {
    const tint: Tint = palette.tints[TINT[card.box.kind]], height = card.height - (card.foot ?? 0);
    const group = svg("g");
    const rect = svg("rect", { x, y, width: card.width, height, rx: 8, fill: tint.pale, stroke: tint.stroke, "stroke-width": 1.6 });
    if (card.box.kind === "left")
        rect.setAttribute("stroke-dasharray", "6 4");
    group.append(rect, words(x + PAD, y + PAD + 10, TITLE, tint.stroke, card.title, 600));
    let line = y + PAD + 10 + LINE + 1;
    const put = (lines: string[], size: number, fill: string, what: "body" | "joint", indices: number[]): void => {
        const byName = new Map(indices.map((i) => [(what === "body" ? scene.bodies : scene.joints)[i]?.name, i]));
        for (const content of lines) {
            const element = words(x + PAD, line, size, fill, "");
            for (const piece of content.split(/(, ?)/)) {
                const index = byName.get(piece), span = svg("tspan", {}, piece);
                if (index !== undefined) {
                    span.setAttribute("class", "inside-name");
                    span.addEventListener("click", () => pick(what, index));
                }
                element.append(span);
            }
            group.append(element);
            line += LINE;
        }
    };
    put(card.bodies, BODY, palette.ink, "body", card.box.bodies);
    put(card.joints, JOINT, palette.soft, "joint", card.box.joints);
    if (card.note)
        group.append(words(x + PAD, line, JOINT, palette.soft, card.note));
    if (card.box.onGround)
        group.append(groundMark(x + 25, y + height + 5, palette));
    return group;
}

function drawAll(report: Report, run: number, join: boolean, width: number, hooks: Hooks, measure: Measure): SVGSVGElement {
    const { scene, def } = report.runs[run], palette = hooks.palette();
    const order = (def.groups?.order ?? scene.groups ?? []) as GroupDef[];
    const cards = groupBoxes(order, scene, join).map((box) => makeCard(box, scene, measure));
    const layout = fit(cards, width), pick: Pick = (what, index) => hooks.pick({ what, index, run });
    const w = Math.ceil(layout.width + 2 * MARGIN), h = Math.ceil(layout.height + 2 * MARGIN);
    const picture = svg("svg", { width: w, height: h, viewBox: `0 0 ${w} ${h}`, role: "img", "font-family": FONT });
    picture.setAttribute("aria-label", text.groupsPicture(order.length));
    const mark = svg("marker", { id: `inside-arrow-${run}`, viewBox: "0 0 10 8", refX: 9, refY: 4, markerWidth: 10, markerHeight: 8,
        markerUnits: "userSpaceOnUse", orient: "auto" }, svg("path", { d: "M0 0L10 4L0 8z", fill: palette.ink }));
    const arrows = svg("g", { fill: "none", stroke: palette.ink, "stroke-width": 1.3 });
    for (const arrow of layout.arrows)
        arrows.append(svg("path", { d: arrow.path, "marker-end": `url(#inside-arrow-${run})` }));
    const all = svg("g", { transform: `translate(${MARGIN} ${MARGIN})` }, arrows);
    cards.forEach((card, b) => all.append(drawCard(card, layout.boxes[b].x, layout.boxes[b].y, palette, pick, scene)));
    picture.append(svg("defs", {}, mark), all);
    return picture;
}

function legend(boxes: GroupBox[], palette: Palette): HTMLElement {
    const list = el("p", "inside-legend");
    for (const kind of Object.keys(TINT) as Kind[])
        if (boxes.some((box) => box.kind === kind)) {
            const swatch = svg("svg", { width: 14, height: 14, "aria-hidden": "true" });
            const tint = palette.tints[TINT[kind]];
            const look = { fill: tint.pale, stroke: tint.stroke, "stroke-width": 1.6 };
            swatch.append(svg("rect", { x: 1, y: 1, width: 12, height: 12, rx: 3, ...look }));
            list.append(el("span", "", swatch, text.kinds[kind]));
        }
    if (boxes.some((box) => box.onGround)) {
        const swatch = svg("svg", { width: 40, height: 14, "aria-hidden": "true" }, groundMark(20, 4, palette));
        list.append(el("span", "", swatch, text.dependsGround));
    }
    return list;
}

/** The same as a table, reachable by keyboard. */
function listing(boxes: GroupBox[], scene: SceneDef, run: number, hooks: Hooks): HTMLElement {
    const parts = (what: "body" | "joint", indices: number[]): HTMLElement => {
        const cell = el("span", "inside-names"), list = what === "body" ? scene.bodies : scene.joints;
        for (const index of indices.slice(0, 40))
            cell.append(partButton(list[index]?.name ?? "?", { what, index, run }, hooks));
        if (indices.length > 40)
            cell.append(text.more(indices.length - 40));
        return cell;
    };
    const rows = boxes.map((box) => [boxTitle(box), parts("body", box.bodies), parts("joint", box.joints),
        [...(box.onGround ? [text.ground] : []), ...box.from.map((b) => boxTitle(boxes[b]))].join("; ") || "–"]);
    return el("details", "inside-details", el("summary", "", text.asTable),
        el("div", "inside-scroll", table("inside-table", [text.group, text.bodiesAre, text.jointsAre, text.dependsHead], rows)));
}

export function makeGroups(report: Report, run: number, hooks: Hooks): HTMLElement {
    const { scene, def, info } = report.runs[run], order = (def.groups?.order ?? scene.groups ?? []) as GroupDef[];
    const element = section("groups", text.sections.groups);
    const said = (def.groups?.text ?? []).map((line) => el("p", "", ...withParts(scene, asSentence(line), run, hooks)));
    if (!order.length && said.length)
        element.append(el("p", "inside-lead", text.noOrder));
    element.append(...said.slice(0, MOST_LINES));
    if (said.length > MOST_LINES)
        element.append(el("details", "inside-details", el("summary", "", text.more(said.length - MOST_LINES)), ...said.slice(MOST_LINES)));
    if (!order.length) {
        if (!def.groups?.text.length)
            element.append(sentence(info.inside_missing ?? (scene.joints.length ? text.noGroups : text.noJoints)));
        return element;
    }
    let join = order.length > MANY_GROUPS, width = 0;
    const measure = makeMeasure(), caption = el("p", "inside-caption"), frame = el("div", "inside-figure inside-scroll"), foot = el("div");
    const draw = (): void => {
        if (!width)
            return;
        const boxes = groupBoxes(order, scene, join), joined = groupBoxes(order, scene, true).length < boxes.length || join;
        caption.replaceChildren(text.groupsCaption(order.length, boxes.filter((box) => box.first >= 0).length));
        if (joined && order.length <= MOST_BOXES && order.length > MANY_GROUPS)
            caption.append(" ", button(join ? text.showAllGroups(order.length) : text.collapseGroups, "inside-button", () => {
                join = !join;
                draw();
            }));
        frame.replaceChildren(drawAll(report, run, join, width, hooks, measure));
        foot.replaceChildren(legend(boxes, hooks.palette()), listing(boxes, scene, run, hooks));
    };
    element.append(caption, frame, foot);
    onWidth(frame, (now) => {
        width = now;
        draw();
    });
    hooks.onTheme(draw);
    return element;
}
