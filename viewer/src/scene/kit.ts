// Parts become instances: one mesh per form and its outline, no object per body. Poses and colors live in a small table (a texture)
// that the shaders read, so ghosts and other runs are the same instances with another table.
import * as three from "three";
import { across, sub, type Vec } from "../base/vec.ts";
import * as forms from "./forms.ts";
import type { Form } from "./forms.ts";
import type { ColorName, FormName, LinkPart, Owner, Parts, SkinPart, SolidPart } from "./parts.ts";
import { CELLS, dressFragment, dressVertex, LINE, outlineFragment, outlineVertex } from "./shaders.ts";

/** Poses and colors of rows: 0 ground, i + 1 body i, then colors by name. */
export class Table {
    readonly texture: three.DataTexture;
    private cells: Float32Array<ArrayBuffer>;
    private named = new Map<string, number>();
    private color = new three.Color();

    constructor(private bodies: number, private room = 64) {
        const rows = 1 + bodies + room, lines = Math.ceil(rows / LINE);
        this.cells = new Float32Array(4 * CELLS * LINE * lines);
        for (let row = 0; row < rows; row++) {
            this.cells[this.at(row, 0) + 3] = 1;
            this.cells[this.at(row, 1) + 3] = 1;
        }
        this.texture = new three.DataTexture(this.cells, CELLS * LINE, lines, three.RGBAFormat, three.FloatType);
    }

    private at(row: number, cell: number): number {
        return 4 * (CELLS * LINE * Math.floor(row / LINE) + CELLS * (row % LINE) + cell);
    }

    /** pose: x y z, quaternion w first. */
    place(row: number, pose: ArrayLike<number>): void {
        const q = this.at(row, 0), c = this.cells;
        c[q] = pose[4];
        c[q + 1] = pose[5];
        c[q + 2] = pose[6];
        c[q + 3] = pose[3];
        c[q + 4] = pose[0];
        c[q + 5] = pose[1];
        c[q + 6] = pose[2];
    }

    show(row: number, shown: boolean): void {
        this.cells[this.at(row, 1) + 3] = shown ? 1 : 0;
    }

    paint(row: number, color: string): void {
        this.color.set(color).toArray(this.cells, this.at(row, 2));
    }

    /** The row of a color; `#rrggbb` is its own, others are painted by the theme. */
    row(name: ColorName): number {
        if (typeof name === "number")
            return name;
        let row = this.named.get(name);
        if (row === undefined) {
            row = 1 + this.bodies + Math.min(this.named.size, this.room - 1);
            this.named.set(name, row);
            if (name.startsWith("#"))
                this.paint(row, name);
        }
        return row;
    }

    /** Takes over which row has which name: instances made for the other table serve this one too. */
    follow(other: Table): void {
        this.named = new Map(other.named);
        for (const [name, row] of this.named)
            if (name.startsWith("#"))
                this.paint(row, name);
    }

    paintNamed(colors: Record<string, string>): void {
        for (const [name, color] of Object.entries(colors))
            this.paint(this.row(name), color);
    }

    changed(): void {
        this.texture.needsUpdate = true;
    }
}

/** coarse: many parts are small on the screen and need fewer segments. */
const makers: Record<FormName | LinkPart["form"] | "head", (coarse?: boolean) => Form> = {
    round: (coarse) => forms.round(coarse ? 3 : 5),
    ball: () => forms.round(12),
    cylinder: (coarse) => forms.cylinder(coarse ? 16 : 28),
    drum: () => forms.cylinder(72),
    cone: () => forms.cone(28),
    bowl: () => forms.bowl(32),
    ring: () => forms.ring(40, 12, false),
    rim: () => forms.ring(72, 4, true),
    tire: () => forms.tire(64),
    block: () => forms.block(),
    plate: () => forms.block(),
    square: () => forms.square(),
    center: () => forms.round(6),
    strut: () => forms.cylinder(28),
    head: () => forms.cone(28),
    coil: (coarse) => forms.wire(coarse ? 120 : 200, coarse ? 6 : 10),
    spiral: () => forms.wire(96, 8),
};

const linked = ["strut", "coil", "spiral", "head"];
const special: Record<string, string> = {
    coil: "COIL", spiral: "SPIRAL", head: "HEAD", cone: "CONE", plate: "HATCHED", skin: "SKIN", center: "QUARTERED",
};
const defines = (form: string): Record<string, string> => ({
    ...(linked.includes(form) ? { LINK: "" } : {}),
    ...(special[form] ? { [special[form]]: "" } : {}),
});

/** What all materials of a stage share and the page may change. */
export interface Shared {
    screen: { value: three.Vector2 };
    width: { value: number };
    ink: { value: three.Color };
    accent: { value: three.Color };
    stroke: { value: number };
    strokeColor: { value: three.Color };
}

export const newShared = (r: number): Shared => ({
    screen: { value: new three.Vector2(1, 1) },
    width: { value: 1.5 },
    ink: { value: new three.Color() },
    accent: { value: new three.Color() },
    stroke: { value: 2.25 * r },
    strokeColor: { value: new three.Color() },
});

function dress<M extends three.Material>(material: M, form: string, table: Table, shared: Shared): M {
    material.defines = { ...material.defines, ...defines(form) };
    material.onBeforeCompile = (shader) => {
        shader.uniforms.poses = { value: table.texture };
        shader.uniforms.stroke = shared.stroke;
        shader.uniforms.strokeColor = shared.strokeColor;
        shader.vertexShader = dressVertex(shader.vertexShader);
        shader.fragmentShader = dressFragment(shader.fragmentShader);
    };
    material.customProgramCacheKey = () => `biela ${Object.keys(defines(form)).join(" ")}`;
    return material;
}

const outlineMaterial = (form: string, table: Table, shared: Shared): three.ShaderMaterial => new three.ShaderMaterial({
    defines: { ...defines(form), OUTLINE: "" },
    uniforms: { poses: { value: table.texture }, screen: shared.screen, width: shared.width, ink: shared.ink, accent: shared.accent },
    vertexShader: outlineVertex,
    fragmentShader: outlineFragment,
    side: three.BackSide,
});

/** Instances of one form: their own geometry and that of the outline share the attributes. */
export interface Batch {
    form: string;
    geometry: three.BufferGeometry;
    edges: three.BufferGeometry | null;
    look: three.BufferAttribute;
    owners: Owner[]; // one per entry of look
    clear: boolean; // translucent
}

type Attributes = Record<string, three.BufferAttribute>;

function unitGeometry(form: Form, attributes: Attributes, count: number): three.InstancedBufferGeometry {
    const geometry = new three.InstancedBufferGeometry();
    geometry.setIndex(form.index);
    geometry.setAttribute("position", new three.Float32BufferAttribute(form.position, 3));
    geometry.setAttribute("normal", new three.Float32BufferAttribute(form.normal, 3));
    geometry.setAttribute("side", new three.Float32BufferAttribute(form.side, 3));
    for (const [name, attribute] of Object.entries(attributes))
        geometry.setAttribute(name, attribute);
    geometry.instanceCount = count;
    return geometry;
}

function column<P>(parts: P[], size: number, get: (part: P) => number[]): three.InstancedBufferAttribute {
    const values = new Float32Array(size * parts.length);
    parts.forEach((part, i) => values.set(get(part), size * i));
    return new three.InstancedBufferAttribute(values, size);
}

function solidBatch(form: FormName, parts: SolidPart[], table: Table, clear: boolean, coarse: boolean): Batch {
    const unit = makers[form](coarse), look = column(parts, 3, (p) => [table.row(p.color), p.alpha, 0]);
    const attributes = {
        at: column(parts, 4, (p) => [...p.at, p.row]),
        turn: column(parts, 4, (p) => p.turn),
        size: column(parts, 3, (p) => p.size),
        stretch: column(parts, 3, (p) => p.stretch),
        look,
    };
    const smooth = ["round", "ball", "center"].includes(form);
    const edges = clear ? null : unitGeometry(smooth ? unit : forms.welded(unit), attributes, parts.length);
    return { form, geometry: unitGeometry(unit, attributes, parts.length), edges, look, owners: parts.map((p) => p.owner), clear };
}

function linkBatch(form: LinkPart["form"], parts: LinkPart[], table: Table, coarse: boolean): Batch {
    const unit = makers[form](coarse), look = column(parts, 3, (p) => [table.row(p.color), 1, 0]);
    const attributes = {
        at: column(parts, 4, (p) => [...p.from, p.rows[0]]),
        goal: column(parts, 4, (p) => [...p.to, p.rows[1]]),
        turn: column(parts, 4, (p) => p.shape),
        stretch: column(parts, 3, (p) => p.across),
        look,
    };
    const edges = unitGeometry(form === "strut" ? forms.welded(unit) : unit, attributes, parts.length);
    return { form, geometry: unitGeometry(unit, attributes, parts.length), edges, look, owners: parts.map((p) => p.owner), clear: false };
}

/** Links that come and go: room for a number of them, from and to in the world, each with its own radius and color. */
export class LooseLinks {
    readonly batch: Batch;
    private at: three.InstancedBufferAttribute;
    private goal: three.InstancedBufferAttribute;
    private shape: three.InstancedBufferAttribute;
    private count = 0;

    constructor(form: "strut" | "head", private room: number) {
        const unit = makers[form](), of = (size: number): three.InstancedBufferAttribute => {
            const attribute = new three.InstancedBufferAttribute(new Float32Array(size * room), size);
            attribute.setUsage(three.DynamicDrawUsage);
            return attribute;
        };
        this.at = of(4);
        this.goal = of(4);
        this.shape = of(4);
        const look = of(3), stretch = of(3), attributes = { at: this.at, goal: this.goal, turn: this.shape, stretch, look };
        const [geometry, edges] = [unit, forms.welded(unit)].map((f) => unitGeometry(f, attributes, 0));
        this.batch = { form, geometry, edges, look, owners: [], clear: false };
    }

    clear(): void {
        this.count = 0;
    }

    /** color: a row of the table. */
    add(from: Vec, to: Vec, radius: number, color: number): void {
        const i = this.count, e = across(sub(to, from));
        if (i >= this.room)
            return;
        this.at.setXYZW(i, ...from, 0);
        this.goal.setXYZW(i, ...to, 0);
        this.shape.setXYZW(i, radius, 0, 1, 0);
        this.batch.look.setXYZ(i, color, 1, 0);
        (this.batch.geometry.getAttribute("stretch") as three.BufferAttribute).setXYZ(i, ...e);
        this.count++;
    }

    finish(): void {
        for (const geometry of [this.batch.geometry, this.batch.edges])
            (geometry as three.InstancedBufferGeometry).instanceCount = this.count;
        for (const name of ["at", "goal", "turn", "stretch", "look"])
            (this.batch.geometry.getAttribute(name) as three.BufferAttribute).needsUpdate = true;
    }
}

/** Triangles of all bodies that have a skin of their own, in one geometry. */
function skinBatch(parts: SkinPart[], table: Table, clear: boolean): Batch {
    const position: number[] = [], normal: number[] = [], at: number[] = [], look: number[] = [], index: number[] = [];
    const owners: Owner[] = [];
    for (const part of parts) {
        const first = position.length / 3, color = table.row(part.color);
        for (const p of part.skin.vertices) {
            position.push(...p);
            at.push(0, 0, 0, part.row);
            look.push(color, part.alpha, 0);
            owners.push(part.owner);
        }
        for (const n of part.skin.normals)
            normal.push(...n);
        for (const triangle of part.skin.triangles)
            index.push(...triangle.map((i) => first + i));
    }
    const geometry = new three.BufferGeometry(), lookAttribute = new three.Float32BufferAttribute(look, 3);
    const attributes: Attributes = {
        position: new three.Float32BufferAttribute(position, 3),
        at: new three.Float32BufferAttribute(at, 4),
        look: lookAttribute,
    };
    const put = (to: three.BufferGeometry, normals: number[]): void => {
        to.setIndex(index);
        for (const [name, attribute] of Object.entries(attributes))
            to.setAttribute(name, attribute);
        to.setAttribute("normal", new three.Float32BufferAttribute(normals, 3));
    };
    put(geometry, normal);
    let edges: three.BufferGeometry | null = null;
    if (!clear)
        put(edges = new three.BufferGeometry(), forms.cornerNormals(placeKeys(position, at), normal));
    return { form: "skin", geometry, edges, look: lookAttribute, owners, clear };
}

const placeKeys = (position: number[], at: number[]): string[] => Array.from({ length: position.length / 3 }, (_, i) =>
    [at[4 * i + 3], ...position.slice(3 * i, 3 * i + 3).map((x) => x.toPrecision(6))].join(" "));

function grouped<P>(parts: P[], key: (part: P) => string): P[][] {
    const groups = new Map<string, P[]>();
    for (const part of parts) {
        const name = key(part), group = groups.get(name);
        if (group)
            group.push(part);
        else
            groups.set(name, [part]);
    }
    return [...groups.values()];
}

const MANY = 1200;

export function makeBatches(parts: Parts, table: Table): Batch[] {
    const coarse = parts.solids.length > MANY;
    const batches = grouped(parts.solids, (p) => `${p.form} ${p.alpha < 1}`)
        .map((list) => solidBatch(list[0].form, list, table, list[0].alpha < 1, coarse));
    batches.push(...grouped(parts.links, (p) => p.form).map((list) => linkBatch(list[0].form, list, table, coarse)));
    batches.push(...grouped(parts.skins, (p) => String(p.alpha < 1)).map((list) => skinBatch(list, table, list[0].alpha < 1)));
    return batches;
}

const surface = (clear: boolean): three.MeshStandardMaterial => new three.MeshStandardMaterial({
    roughness: 0.62, metalness: 0, transparent: clear, depthWrite: !clear, side: clear ? three.DoubleSide : three.FrontSide,
});

function mesh(geometry: three.BufferGeometry, material: three.Material, order: number): three.Mesh {
    const out = new three.Mesh(geometry, material);
    out.frustumCulled = false; // the shaders place it: three knows no bounds
    out.matrixAutoUpdate = false;
    out.renderOrder = order;
    return out;
}

/** The mechanism itself: with outlines and shadows. */
export function makeSolid(batches: Batch[], table: Table, shared: Shared): three.Group {
    const group = new three.Group();
    for (const { form, geometry, edges, clear } of batches) {
        const main = mesh(geometry, dress(surface(clear), form, table, shared), clear ? 10 : 0);
        main.castShadow = !clear;
        main.receiveShadow = !clear;
        main.customDepthMaterial = dress(new three.MeshDepthMaterial(), form, table, shared);
        group.add(main);
        if (edges)
            group.add(mesh(edges, outlineMaterial(form, table, shared), 1));
    }
    return group;
}

/** The same once more, translucent and without outlines: depth first, so that parts do not show through each other. */
export function makeGhost(batches: Batch[], table: Table, shared: Shared, opacity: number, order: number): three.Group {
    const group = new three.Group();
    for (const { form, geometry, clear } of batches) {
        if (clear)
            continue;
        const depth = dress(new three.MeshDepthMaterial({ colorWrite: false }), form, table, shared);
        const tint = dress(surface(false), form, table, shared);
        tint.transparent = true;
        tint.opacity = opacity;
        tint.depthWrite = false;
        depth.transparent = true; // drawn among the translucent, in order
        for (const material of [depth, tint]) {
            material.polygonOffset = true; // behind the mechanism where both coincide
            material.polygonOffsetFactor = 1;
            material.polygonOffsetUnits = 8;
        }
        group.add(mesh(geometry, depth, order), mesh(geometry, tint, order + 1));
    }
    return group;
}

/** The same once more, translucent in front of everything: what bodies would hide. */
export function makeThrough(batches: Batch[], table: Table, shared: Shared, opacity: number, order: number): three.Group {
    const group = new three.Group();
    for (const { form, geometry } of batches) {
        const tint = dress(surface(false), form, table, shared);
        Object.assign(tint, { transparent: true, opacity, depthTest: false, depthWrite: false });
        group.add(mesh(geometry, tint, order));
    }
    return group;
}

/** Which instances belong to a part gets an outline in the accent. */
export function mark(batches: Batch[], owner: Owner | null): void {
    for (const { look, owners } of batches) {
        owners.forEach((o, i) => look.setZ(i, owner && o.what === owner.what && o.index === owner.index ? 1 : 0));
        look.needsUpdate = true;
    }
}

export function release(group: three.Group): void {
    group.traverse((object) => {
        if (object instanceof three.Mesh) {
            (object.material as three.Material).dispose();
            object.customDepthMaterial?.dispose();
        }
    });
    group.removeFromParent();
}
