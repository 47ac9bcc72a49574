// A mesh in space: its surface where it is at this time (displacement times a factor), colored by a field, with borders of elements.
import * as three from "three";
import { sub, type Vec } from "../base/vec.ts";
import { bodyOfMesh } from "../data/elastic.ts";
import type { Field, Mesh, Surface } from "../data/mesh.ts";
import { bracket, type Run } from "../data/model.ts";
import type { Palette } from "../look/colors.ts";
import { mapChannels } from "../look/map.ts";
import { attachedTo, Deformed, type Attached } from "./deformed.ts";
import { extent, spread, tintOf } from "./facts.ts";
import { mapLegend } from "./fields.ts";
import { intoTriangle, type Ray } from "./hits.ts";
import { shownRange, valueOf, type Range } from "./noise.ts";
import { Stroke } from "./strokes.ts";
import type { LegendItem, MeshLook } from "./view.ts";

const LEVELS = 256;
const BORDER = "#101820"; // of elements: on the colors of the map, in both themes

function mapTexture(): three.DataTexture {
    const data = new Uint8Array(4 * LEVELS);
    for (let i = 0; i < LEVELS; i++)
        data.set([...mapChannels(i / (LEVELS - 1)).map(Math.round), 255], 4 * i);
    const texture = new three.DataTexture(data, LEVELS, 1);
    texture.colorSpace = three.SRGBColorSpace;
    texture.magFilter = texture.minFilter = three.LinearFilter;
    texture.needsUpdate = true;
    return texture;
}

/** Standard light; the color is looked up per pixel, so that it does not depend on the triangles. */
function mapMaterial(map: three.DataTexture): three.MeshStandardMaterial {
    const material = new three.MeshStandardMaterial({
        roughness: 0.7, metalness: 0, flatShading: true, side: three.DoubleSide,
        polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1, // borders of elements lie on it
    });
    material.onBeforeCompile = (shader) => {
        shader.uniforms.levels = { value: map };
        shader.vertexShader = shader.vertexShader
            .replace("void main() {", "attribute float level; varying float vLevel; void main() { vLevel = level;");
        shader.fragmentShader = shader.fragmentShader
            .replace("void main() {", "varying float vLevel; uniform sampler2D levels; void main() {")
            .replace("#include <color_fragment>", "if (vLevel >= -1.0) diffuseColor.rgb = texture2D(levels, vec2(vLevel, 0.5)).rgb;");
    };
    return material;
}

export class MeshActor {
    readonly group = new three.Group();
    private positions: three.BufferAttribute;
    private level: three.BufferAttribute;
    private geometry = new three.BufferGeometry();
    private edgeGeometry = new three.BufferGeometry();
    private map = mapTexture();
    private material: three.MeshStandardMaterial;
    private edgeMaterial = new three.LineBasicMaterial({ transparent: true, opacity: 0.4 });
    private deformed: Deformed;
    private colors: Field | null = null;
    private component = -1;
    private bars: Stroke | null = null; // of meshes without a surface: bars and cables
    private colorValues = new Float32Array(0);
    private range: Range = { low: 0, high: 0, rounding: false };
    private look: MeshLook = { factor: 1, field: "", component: -1, edges: true };
    /** Of an elastic body among others. */
    private deflection = 1;
    readonly attached: Attached[];
    private dots: three.Mesh[] = [];
    private hidden = false;

    /** `other`: of a run beside the first, drawn translucent in one color. */
    constructor(
        readonly run: Run, readonly mesh: Mesh, readonly number: number, private surface: Surface, moves: Field | null,
        readonly other: boolean,
    ) {
        const { vertices, triangles, edges } = surface;
        this.deformed = new Deformed(run, mesh.def, surface, moves);
        this.positions = new three.BufferAttribute(this.deformed.at, 3);
        this.level = new three.BufferAttribute(new Float32Array(vertices.length / 3).fill(-2), 1);
        this.geometry.setIndex(new three.BufferAttribute(triangles, 1));
        this.edgeGeometry.setIndex(new three.BufferAttribute(edges, 1));
        for (const geometry of [this.geometry, this.edgeGeometry])
            geometry.setAttribute("position", this.positions);
        this.geometry.setAttribute("level", this.level);
        this.material = mapMaterial(this.map);
        const skin = new three.Mesh(this.geometry, this.material), borders = new three.LineSegments(this.edgeGeometry, this.edgeMaterial);
        skin.castShadow = skin.receiveShadow = !other;
        if (other) {
            // behind the first run where both coincide, so that its colors agree with the legend
            Object.assign(this.material, { polygonOffsetFactor: 3, polygonOffsetUnits: 3 });
            Object.assign(this.material, { transparent: true, opacity: 0.25, depthWrite: false });
            this.edgeMaterial.opacity = 0.9;
            skin.renderOrder = 21;
        }
        this.attached = attachedTo(run, mesh.def, vertices);
        if (!other)
            this.addDots();
        for (const object of [skin, borders]) {
            object.frustumCulled = false;
            this.group.add(object);
        }
        if (!triangles.length) {
            this.bars = new Stroke(edges.length / 2 + 1, 3);
            this.group.add(this.bars.line);
        }
        this.group.matrixAutoUpdate = false;
    }

    private addDots(): void {
        const probes = new Set<Vec>(this.run.scene.probes.map(({ at }) => at)), seen = this.attached.filter(({ at }) => probes.has(at));
        if (!seen.length)
            return;
        const ball = new three.SphereGeometry(0.011 * extent(this.run), 20, 12), ink = new three.MeshBasicMaterial();
        this.dots = seen.map((one) => Object.assign(new three.Mesh(ball, ink), { userData: one }));
        this.group.add(...this.dots);
    }

    static async make(run: Run, number: number, other: boolean): Promise<MeshActor> {
        const mesh = run.meshes[number], moves = mesh.def.fields.find(({ name, components }) => name === "displacement" && components >= 2);
        const displacement = moves ? await mesh.field(moves.name) : null;
        const actor = new MeshActor(run, mesh, number, await mesh.read(), displacement, other);
        await actor.setLook(actor.look);
        return actor;
    }

    /** Values that need no reading take effect at once: a swinging mode changes the factor with every picture. */
    async setLook(look: MeshLook): Promise<void> {
        const { fields } = this.mesh.def;
        this.look = look;
        this.group.children[1].visible = look.edges || !this.surface.triangles.length;
        const def = fields.find((field) => field.name === look.field) ?? fields.find((field) => field.name === "von_mises") ?? fields[0];
        const component = def && look.component < def.components ? look.component : -1;
        if (this.other || !def || this.colors?.def.name === def.name && this.component === component)
            return;
        const field = await this.mesh.field(def.name), given = await shownRange(this.run, field, this.surface.vertices, component);
        this.colors = field;
        this.component = component;
        this.colorValues = new Float32Array(field.vertices * def.components);
        this.range = given;
    }

    place(t: number): void {
        const { k, share } = bracket(this.surface.time, t);
        this.deformed.place(t, this.deformed.elastic ? this.deflection : this.look.factor);
        this.positions.needsUpdate = true;
        if (this.colors) {
            const { low, high } = this.range, { components } = this.colors.def, levels = this.level.array;
            const width = high > low ? high - low : Infinity;
            this.colors.between(k, share, this.colorValues);
            for (let v = 0; v < this.colors.vertices; v++)
                levels[v] = (valueOf(this.colorValues, v * components, components, this.component) - low) / width;
            this.level.needsUpdate = true;
        }
        this.bars?.pairs(this.positions.array, this.surface.edges);
        for (const dot of this.dots)
            dot.position.set(...this.point(dot.userData as Attached));
    }

    setDeflection(factor: number): void {
        this.deflection = factor;
    }

    hide(bodies: ReadonlySet<number>): void {
        const body = bodyOfMesh(this.run.scene, this.mesh.def);
        this.hidden = bodies.has(body);
        this.group.scale.setScalar(this.hidden ? 0 : 1); // `visible` says which runs are shown
        this.group.updateMatrix();
    }

    theme(look: Palette, single: string | null): void {
        const body = bodyOfMesh(this.run.scene, this.mesh.def);
        this.material.color.set(single ?? look.tints[body < 0 ? 0 : tintOf(this.run.scene, body, "body")].solid);
        this.edgeMaterial.color.set(single ?? BORDER);
        this.bars?.color(single ?? look.spring);
        for (const { material } of this.dots)
            (material as three.MeshBasicMaterial).color.set(look.accent);
    }

    /** Distance and the nearest vertex under a ray of the world. */
    hit(ray: Ray): { distance: number; vertex: number } | null {
        if (this.hidden)
            return null;
        const { triangles } = this.surface, p = this.positions.array, at = (i: number): Vec => [p[3 * i], p[3 * i + 1], p[3 * i + 2]];
        const { from, direction } = ray;
        let best = Infinity, vertex = -1;
        for (let i = 0; i < triangles.length; i += 3) {
            const corners = [triangles[i], triangles[i + 1], triangles[i + 2]], [a, b, c] = corners.map(at);
            const distance = intoTriangle(ray, a, b, c);
            if (!(distance < best))
                continue;
            best = distance;
            const place: Vec = [from[0] + best * direction[0], from[1] + best * direction[1], from[2] + best * direction[2]];
            const nodes = this.surface.nodes?.length ?? Infinity; // only these can be picked
            const far = (v: number): number => v < nodes ? Math.hypot(...sub(at(v), place)) : Infinity;
            vertex = corners.reduce((u, v) => far(v) < far(u) ? v : u);
        }
        return vertex < 0 ? null : { distance: best, vertex };
    }

    /** Where an attached point is now. */
    point(one: Attached): Vec {
        return this.deformed.point(one);
    }

    /** Where a vertex is now, in the world. */
    vertex(i: number): Vec {
        const p = this.positions.array;
        return [p[3 * i], p[3 * i + 1], p[3 * i + 2]];
    }

    /** What fitting has to see: the mesh at a few times. */
    reach(): number[] {
        const out: number[] = [], { vertices, time } = this.surface, stride = Math.max(1, Math.floor(vertices.length / 3 / 500));
        for (const frame of spread(time.length, 12)) {
            this.place(time[frame]);
            for (let v = 0; v < vertices.length / 3; v += stride)
                out.push(...this.vertex(v));
        }
        return out;
    }

    legend(): LegendItem[] {
        return this.colors ? [mapLegend(this.colors.def, this.component, this.range)] : [];
    }

    destroy(): void {
        this.geometry.dispose();
        this.edgeGeometry.dispose();
        this.material.dispose();
        this.edgeMaterial.dispose();
        this.map.dispose();
        this.dots[0]?.geometry.dispose();
        (this.dots[0]?.material as three.Material | undefined)?.dispose();
        this.bars?.destroy();
        this.group.removeFromParent();
    }
}
