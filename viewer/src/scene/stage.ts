// Surroundings of the mechanism: light, shadow, floor with its grid.
import * as three from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import { add, cross, dot, scale, type Vec } from "../base/vec.ts";
import type { Palette, Theme } from "../look/colors.ts";
import type { Camera } from "./camera.ts";
import { roundDown } from "./facts.ts";

export interface Room { middle: Vec; radius: number; floor: number; size: number }

/** The sphere about all points and the height of the lowest, along up. */
export function roomOf(points: ArrayLike<number>, up: Vec, size: number): Room {
    const low: Vec = [Infinity, Infinity, Infinity], high: Vec = [-Infinity, -Infinity, -Infinity];
    let lowest = Infinity;
    for (let i = 0; i + 2 < points.length; i += 3) {
        let height = 0;
        for (let c = 0; c < 3; c++) {
            low[c] = Math.min(low[c], points[i + c]);
            high[c] = Math.max(high[c], points[i + c]);
            height += up[c] * points[i + c];
        }
        lowest = Math.min(lowest, height);
    }
    const middle = low.map((x, c) => (x + high[c]) / 2) as Vec;
    const radius = Math.max(0.5 * Math.hypot(...high.map((x, c) => x - low[c])), 0.3 * size);
    return { middle, radius, floor: lowest - 0.05 * size, size };
}

const vector = (v: Vec): three.Vector3 => new three.Vector3(...v);

const REACH = 4.2, PIECES = 16; // of the grid in radii, of a line

/** Pieces of lines in 1-2-5 steps about the middle, and how strong each end of a piece is. */
function gridLines({ middle, radius }: Room, e1: Vec, e2: Vec): { geometry: LineSegmentsGeometry; fades: Float32Array } {
    const step = roundDown(0.36 * radius), reach = REACH * radius, center = [dot(middle, e1), dot(middle, e2)];
    const ends: number[] = [], fades: number[] = [];
    const put = (x: number, y: number): void => {
        const far = Math.min(1, Math.hypot(x - center[0], y - center[1]) / reach), fade = 1 - far * far * (3 - 2 * far);
        ends.push(x, y, 0);
        fades.push(0.62 * fade * fade);
    };
    for (const along of [0, 1])
        for (let i = Math.ceil((center[along] - reach) / step); i <= (center[along] + reach) / step; i++) {
            const at = i * step, half = Math.sqrt(Math.max(0, reach * reach - (at - center[along]) ** 2)), other = center[1 - along];
            for (let k = 0; k < PIECES; k++)
                for (const end of [k, k + 1]) {
                    const v = other + half * (2 * end / PIECES - 1);
                    along ? put(v, at) : put(at, v);
                }
        }
    const geometry = new LineSegmentsGeometry();
    geometry.setPositions(ends);
    return { geometry, fades: Float32Array.from(fades) };
}

/** Where on the floor shadows may fall, least and largest along e1 and e2: no more is painted, since that goes pixel by pixel. */
function shaded(points: ArrayLike<number>, room: Room, up: Vec, e1: Vec, e2: Vec, sun: Vec): [number, number, number, number] {
    const box: [number, number, number, number] = [Infinity, -Infinity, Infinity, -Infinity], more = 0.12 * room.size;
    for (let i = 0; i + 2 < points.length; i += 3) {
        const p: Vec = [points[i], points[i + 1], points[i + 2]], q = add(p, scale(sun, (room.floor - dot(p, up)) / dot(sun, up)));
        const u = dot(q, e1), v = dot(q, e2);
        box[0] = Math.min(box[0], u - more);
        box[1] = Math.max(box[1], u + more);
        box[2] = Math.min(box[2], v - more);
        box[3] = Math.max(box[3], v + more);
    }
    return box;
}

export class Stage {
    readonly group = new three.Group();
    private sky = new three.HemisphereLight();
    private sun = new three.DirectionalLight("#ffffff", 1.55);
    private fill = new three.DirectionalLight("#ffffff", 0.55);
    private shade = new three.ShadowMaterial({ depthWrite: false });
    private grid = new LineMaterial({ linewidth: 1.25, vertexColors: true, depthWrite: false });
    private lines: { geometry: LineSegmentsGeometry; fades: Float32Array };
    private floor = new three.Group();

    /** points: x y z of all that casts shadows over the run. */
    constructor(room: Room, { up, e1, e2 }: Camera, points: ArrayLike<number>) {
        const { middle, radius } = room, sun = add(scale(up, 3), add(scale(e1, -1), scale(e2, -1.3)));
        this.sky.position.copy(vector(up));
        const toward = (d: Vec): three.Vector3 => vector(add(middle, scale(d, radius)));
        this.sun.position.copy(toward(sun));
        this.sun.target.position.copy(vector(middle));
        this.fill.position.copy(toward(add(scale(up, 0.8), add(scale(e1, 2), scale(e2, 1.5)))));
        this.fill.target.position.copy(vector(middle));
        this.shadow(room);
        this.lines = gridLines(room, e1, e2);
        this.lay(room, up, e1, e2, shaded(points, room, up, e1, e2, sun));
        this.group.add(this.sky, this.sun, this.sun.target, this.fill, this.fill.target, this.floor);
    }

    private shadow({ radius, size }: Room): void {
        const { shadow } = this.sun, box = 1.35 * radius;
        this.sun.castShadow = true;
        shadow.mapSize.set(2048, 2048);
        shadow.bias = -0.0006;
        shadow.normalBias = 0.004 * size;
        Object.assign(shadow.camera, { left: -box, right: box, top: box, bottom: -box, near: 0.1 * radius, far: 8 * radius });
        shadow.camera.updateProjectionMatrix();
    }

    /** A plane whose own x and y are e1 and e2. */
    private lay({ floor }: Room, up: Vec, e1: Vec, e2: Vec, [u0, u1, v0, v1]: [number, number, number, number]): void {
        const geometry = new three.PlaneGeometry(u1 - u0, v1 - v0);
        geometry.translate((u0 + u1) / 2, (v0 + v1) / 2, 0);
        const lines = new LineSegments2(this.lines.geometry, this.grid), shade = new three.Mesh(geometry, this.shade);
        shade.receiveShadow = true;
        lines.frustumCulled = false;
        lines.renderOrder = -2;
        shade.renderOrder = -1;
        this.floor.add(lines, shade);
        this.floor.matrixAutoUpdate = false;
        this.floor.matrix.makeBasis(vector(e1), vector(e2), vector(cross(e1, e2))).setPosition(vector(scale(up, floor)));
        for (const object of [lines, shade])
            object.matrixAutoUpdate = false;
    }

    theme(theme: Theme, look: Palette): void {
        const dark = theme === "dark";
        this.sky.intensity = dark ? 1.7 : 2.35;
        this.sky.color.set("#ffffff");
        this.sky.groundColor.set(dark ? "#5a6672" : "#dfe5ea");
        this.shade.opacity = dark ? 0.5 : 0.17;
        this.paintGrid(new three.Color(look.gridSpace), new three.Color(look.scene));
    }

    /** Lines fade into the color of the scene, opaque. */
    private paintGrid(line: three.Color, scene: three.Color): void {
        const { geometry, fades } = this.lines, colors = new Float32Array(3 * fades.length), mixed = new three.Color();
        fades.forEach((fade, i) => mixed.copy(scene).lerp(line, fade).toArray(colors, 3 * i));
        geometry.setColors(colors);
    }

    /** The floor stays where shadows fall; its lines may be switched off. */
    showGrid(shown: boolean): void {
        this.floor.children[0].visible = shown;
    }

    destroy(): void {
        for (const object of this.floor.children)
            (object as three.Mesh).geometry.dispose();
        this.grid.dispose();
        this.shade.dispose();
        this.sun.dispose();
    }
}
