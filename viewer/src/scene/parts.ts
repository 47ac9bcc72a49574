// The kit as plain data: what symbols and bodies are made of, before anything is drawn. kit.ts makes instances of it, pick.ts
// finds the part under the pointer. A part belongs to a row of the table of poses: 0 is ground, body i is i + 1.
import { across, add, cross, distance, dot, length, lerp, scale, sub, unit, type Vec } from "../base/vec.ts";
import type { JointDef } from "../data/header.ts";
import type { Kit, Role } from "../symbol/space.ts";
import { cylinder } from "./forms.ts";
import { plate, type Skin } from "./hull.ts";
import type { Part } from "./view.ts";

export type FormName =
    "round" | "ball" | "cylinder" | "drum" | "cone" | "bowl" | "ring" | "rim" | "tire" | "block" | "plate" | "square" | "center";

/** Names of colors: a body's own tint is its row, others are looked up by name or are `#rrggbb`. */
export type ColorName = number | string;

export interface Owner { what: Part["what"] | "ground"; index: number }

/** A form on one body: at relative to the mass center, turn a quaternion (x y z w). */
export interface SolidPart {
    form: FormName;
    row: number;
    at: Vec;
    turn: [number, number, number, number];
    size: Vec;
    stretch: Vec;
    color: ColorName;
    alpha: number;
    owner: Owner;
}

/** Between a point of one row and a point of another; shape: strut radius, low, high; coil radius, wire, turns, straight ends. */
export interface LinkPart {
    form: "strut" | "coil" | "spiral";
    rows: [number, number];
    from: Vec;
    to: Vec;
    across: Vec; // a direction of the first row across the line: coils do not jump about their axis
    shape: [number, number, number, number];
    color: ColorName;
    owner: Owner;
}

export interface SkinPart { row: number; skin: Skin; color: ColorName; alpha: number; owner: Owner }

/** Text between two points. */
export interface TextPart { rows: [number, number]; from: Vec; to: Vec; text: string }

/** Quaternion (x y z w) of the rotation whose columns are x, y, z. */
export function frameTurn(x: Vec, y: Vec, z: Vec): [number, number, number, number] {
    const trace = x[0] + y[1] + z[2];
    if (trace > 0) {
        const s = 2 * Math.sqrt(trace + 1);
        return [(y[2] - z[1]) / s, (z[0] - x[2]) / s, (x[1] - y[0]) / s, s / 4];
    }
    if (x[0] > y[1] && x[0] > z[2]) {
        const s = 2 * Math.sqrt(1 + x[0] - y[1] - z[2]);
        return [s / 4, (y[0] + x[1]) / s, (z[0] + x[2]) / s, (y[2] - z[1]) / s];
    }
    if (y[1] > z[2]) {
        const s = 2 * Math.sqrt(1 + y[1] - x[0] - z[2]);
        return [(y[0] + x[1]) / s, s / 4, (z[1] + y[2]) / s, (z[0] - x[2]) / s];
    }
    const s = 2 * Math.sqrt(1 + z[2] - x[0] - y[1]);
    return [(z[0] + x[2]) / s, (z[1] + y[2]) / s, s / 4, (x[1] - y[0]) / s];
}

/** Some frame with y along the axis. */
export function along(axis: Vec, x?: Vec): [number, number, number, number] {
    const y = unit(axis), first = x ? unit(sub(x, scale(y, dot(x, y)))) : across(y);
    return frameTurn(first, y, cross(first, y));
}

const none: Vec = [0, 0, 0];

/** Parts as they are added; body -1 is ground. Places come in the model configuration and are kept relative to the mass centers. */
export class Parts {
    readonly solids: SolidPart[] = [];
    readonly links: LinkPart[] = [];
    readonly skins: SkinPart[] = [];
    readonly texts: TextPart[] = [];
    owner: Owner = { what: "ground", index: 0 };
    alpha = 1;

    /** fine: radius from which round things get more segments. */
    constructor(private centers: Vec[], private fine: number) {}

    private local(body: number, p: Vec): Vec {
        return body < 0 ? p : sub(p, this.centers[body]);
    }

    solid(form: FormName, body: number, at: Vec, turn: SolidPart["turn"], size: Vec, stretch: Vec, color: ColorName): void {
        const { owner, alpha } = this;
        this.solids.push({ form, row: body + 1, at: this.local(body, at), turn, size, stretch, color, alpha, owner });
    }

    capsule(body: number, color: ColorName, from: Vec, to: Vec, radius: number): void {
        const half = distance(from, to) / 2, size: Vec = [radius, radius, radius];
        const form = radius > this.fine ? "ball" : "round", axis = half > 0 ? sub(to, from) : [0, 1, 0] as Vec;
        this.solid(form, body, lerp(from, to, 0.5), along(axis), size, [0, half, 0], color);
    }

    sphere(body: number, color: ColorName, center: Vec, radius: number): void {
        this.capsule(body, color, center, center, radius);
    }

    cylinder(body: number, color: ColorName, from: Vec, to: Vec, radius: number): void {
        const half = distance(from, to) / 2, axis = half > 0 ? sub(to, from) : [0, 1, 0] as Vec;
        const bevel = Math.min(cylinder.bevel * radius, 0.35 * half);
        const size: Vec = [radius, bevel / cylinder.bevel, radius];
        this.solid(radius > this.fine ? "drum" : "cylinder", body, lerp(from, to, 0.5), along(axis), size, [0, half - bevel, 0], color);
    }

    /** Edges rounded by `edge`. */
    box(body: number, color: ColorName, center: Vec, x: Vec, y: Vec, size: Vec, edge: number): void {
        const e = unit(x), n = unit(sub(y, scale(e, dot(e, y)))), turn = frameTurn(e, n, cross(e, n));
        const rounding = Math.min(edge, 0.45 * Math.min(...size));
        const stretch = size.map((s) => s / 2 - rounding) as Vec;
        this.solid("round", body, center, turn, [rounding, rounding, rounding], stretch, color);
    }

    skin(body: number, color: ColorName, skin: Skin): void {
        const { owner, alpha } = this, vertices = skin.vertices.map((p) => this.local(body, p));
        this.skins.push({ row: body + 1, skin: { ...skin, vertices }, color, alpha, owner });
    }

    strut(bodies: [number, number], color: ColorName, from: Vec, to: Vec, radius: number, low: number, high: number): void {
        this.link("strut", bodies, from, to, [radius, low, high, 0], color);
    }

    link(
        form: LinkPart["form"], [a, b]: [number, number], from: Vec, to: Vec, shape: LinkPart["shape"], color: ColorName, axis?: Vec,
    ): void {
        const line = axis ?? sub(to, from);
        this.links.push({
            form, rows: [a + 1, b + 1], from: this.local(a, from), to: form === "spiral" ? to : this.local(b, to),
            across: length(line) > 0 ? across(line) : [1, 0, 0], shape, color, owner: this.owner,
        });
    }

    text([a, b]: [number, number], from: Vec, to: Vec, text: string): void {
        this.texts.push({ rows: [a + 1, b + 1], from: this.local(a, from), to: this.local(b, to), text });
    }
}

/** What a symbol puts its parts into: roles become bodies and colors of this joint or spring. */
export class JointKit implements Kit {
    constructor(
        private parts: Parts,
        private def: Pick<JointDef, "a" | "b">,
        private r: number,
        private side: (at: Vec) => Vec, // direction of ground at a point
    ) {}

    private body(role: Role): number {
        return role === "ground" ? -1 : role === "a" || role.endsWith("-a") ? this.def.a : this.def.b;
    }

    private color(role: Role): ColorName {
        if (role === "a" || role === "b") {
            const body = this.body(role);
            return body < 0 ? "rest" : body + 1;
        }
        return role === "ground" ? "rest" : role.split("-")[0];
    }

    cylinder(role: Role, from: Vec, to: Vec, radius: number): void {
        this.parts.cylinder(this.body(role), this.color(role), from, to, radius);
    }

    capsule(role: Role, from: Vec, to: Vec, radius: number): void {
        this.parts.capsule(this.body(role), this.color(role), from, to, radius);
    }

    cone(role: Role, from: Vec, to: Vec, radius: number, top: number): void {
        const l = distance(from, to);
        this.parts.solid("cone", this.body(role), from, along(sub(to, from)), [radius, l, radius], [top / radius, 0, 0], this.color(role));
    }

    sphere(role: Role, center: Vec, radius: number): void {
        this.parts.sphere(this.body(role), this.color(role), center, radius);
    }

    halfSphere(role: Role, center: Vec, open: Vec, radius: number): void {
        this.parts.solid("bowl", this.body(role), center, along(scale(open, -1)), [radius, radius, radius], none, this.color(role));
    }

    box(role: Role, center: Vec, x: Vec, y: Vec, size: Vec): void {
        this.parts.box(this.body(role), this.color(role), center, x, y, size, 0.35 * this.r);
    }

    ring(role: Role, center: Vec, axis: Vec, radius: number, wire: number): void {
        const size: Vec = [wire, wire, wire], stretch: Vec = [radius, radius, radius];
        this.parts.solid("ring", this.body(role), center, along(axis), size, stretch, this.color(role));
    }

    square(role: Role, center: Vec, normal: Vec, edge: number): void {
        this.parts.alpha = 0.3;
        this.parts.solid("square", this.body(role), center, along(normal), [edge, 1, edge], none, this.color(role));
        this.parts.alpha = 1;
        const x = across(normal), y = unit(cross(normal, x)), h = edge / 2;
        const corners = [[-h, -h], [h, -h], [h, h], [-h, h]].map(([u, v]) => add(center, add(scale(x, u), scale(y, v))));
        corners.forEach((p, i) => this.capsule(role, p, corners[(i + 1) % 4], 0.18 * this.r));
    }

    /** A translucent part of a plane with its edges. */
    patch(role: Role, corners: Vec[], normal: Vec): void {
        this.parts.alpha = 0.15;
        this.parts.skin(this.body(role), this.color(role), plate(corners, normal, 0.02 * this.r));
        this.parts.alpha = 1;
        corners.forEach((p, i) => this.capsule(role, p, corners[(i + 1) % corners.length], 0.18 * this.r));
    }

    plate(role: Role, outline: Vec[], axis: Vec, thickness: number): void {
        this.parts.skin(this.body(role), this.color(role), plate(outline, unit(axis), thickness));
    }

    gear(role: Role, center: Vec, axis: Vec, tooth: Vec, radius: number, width: number, teeth: number): void {
        const e = unit(axis), half = scale(e, width / 2), module = 2 * radius / teeth;
        this.cylinder(role, sub(center, half), add(center, half), radius - 1.1 * module);
        this.cylinder(steel(role), sub(center, scale(half, 1.25)), add(center, scale(half, 1.25)), 0.22 * radius);
        this.teeth(role, center, e, tooth, radius - 1.1 * module, 2 * module, width, teeth);
    }

    ringGear(role: Role, center: Vec, axis: Vec, tooth: Vec, radius: number, width: number, teeth: number): void {
        const e = unit(axis), module = 2 * radius / teeth, outer = radius + 1.1 * module, thick = 1.2 * module;
        const size: Vec = [thick / 2, width / 2, thick / 2], stretch: Vec = Array(3).fill(outer + thick / 2) as Vec;
        this.parts.solid("rim", this.body(role), center, along(e), size, stretch, this.color(role));
        this.teeth(role, center, e, tooth, outer, -2 * module, width, teeth);
    }

    /** Teeth from a circle outward, or inward where the height is negative. */
    private teeth(role: Role, center: Vec, e: Vec, x: Vec, radius: number, height: number, width: number, teeth: number): void {
        const y = cross(e, x), module = Math.abs(height) / 2;
        for (let i = 0; i < teeth; i++) {
            const angle = 2 * Math.PI * i / teeth, out = add(scale(x, Math.cos(angle)), scale(y, Math.sin(angle)));
            const thick = 0.5 * Math.PI * module, at = add(center, scale(out, radius + 0.45 * height));
            this.parts.box(this.body(role), this.color(role), at, out, e, [1.1 * Math.abs(height), width, 0.86 * thick], 0.16 * thick);
        }
    }

    thread(role: Role, from: Vec, to: Vec, radius: number, pitch: number): void {
        const body = this.body(role), total = distance(from, to), turns = total / Math.abs(pitch);
        const count = Math.ceil(turns / 7);
        for (let i = 0; i < count; i++) { // a coil of the kit has segments for seven turns
            const start = lerp(from, to, i / count), end = lerp(from, to, (i + 1) / count);
            const wound = Math.sign(pitch) * turns / count, phase = i * wound - Math.floor(i * wound);
            this.parts.link("coil", [body, body], start, end, [radius, 0.22 * this.r, wound, -phase], "dark", sub(to, from));
        }
    }

    spiral(center: Vec, axis: Vec, inner: number, outer: number, turns: number, wire: number): void {
        this.parts.link("spiral", [this.def.a, this.def.b], center, unit(axis), [inner, outer, turns, wire], "spring", axis);
    }

    strut(role: Role, from: Vec, to: Vec, radius: number, low: number, high: number): void {
        this.parts.strut([this.def.a, this.def.b], this.color(role), from, to, radius, low, high);
    }

    coil(from: Vec, to: Vec, radius: number, wire: number, turns: number): void {
        this.parts.link("coil", [this.def.a, this.def.b], from, to, [radius, wire, turns, 0.12], "spring");
    }

    dashed(from: Vec, to: Vec, text: string): void {
        for (let i = 0; i < DASHES; i++)
            this.strut("dark-a", from, to, 0.3 * this.r, i / DASHES, (i + 0.55) / DASHES);
        this.parts.text([this.def.a, this.def.b], from, to, text);
    }

    bracket(at: Vec, axis: Vec | null): void {
        const { r, parts } = this, side = this.side(at), e = axis ? unit(axis) : null, upright = !e || Math.abs(dot(e, side)) > 0.6;
        const x = e && !upright ? unit(sub(e, scale(side, dot(e, side)))) : across(side), gap = (e ? upright ? 3.7 : 3.9 : 3) * r;
        const top = add(at, scale(side, gap)), y = cross(x, side);
        parts.solid("plate", -1, add(top, scale(side, r)), frameTurn(x, side, cross(x, side)), [9 * r, 2 * r, 9 * r], none, "ground");
        if (upright) {
            const foot = e ? 2.3 : 0.9;
            const size: Vec = [2.3 * r, gap - foot * r, 2.3 * r], taper: Vec = [(e ? 1.5 : 1.2) / 2.3, 0, 0];
            parts.solid("cone", -1, top, along(scale(side, -1)), size, taper, "dark");
            return;
        }
        for (const s of [-1, 1]) {
            const center = add(at, add(scale(x, 2.9 * s * r), scale(side, gap - 2.7 * r)));
            parts.box(-1, "dark", center, x, y, [0.9 * r, 3 * r, 5.4 * r], 0.25 * r);
        }
    }
}

const DASHES = 13;
const steel = (role: Role): Role => role === "a" || role.endsWith("-a") ? "steel-a" : "steel-b";
