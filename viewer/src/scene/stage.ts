// What stands around the mechanism: light, shadow, floor with its grid.
import * as three from "three";
import { add, cross, scale, type Vec } from "../base/vec.ts";
import type { Palette, Theme } from "../look/colours.ts";
import type { Camera } from "./camera.ts";
import { roundDown } from "./facts.ts";
import { floorFragment, floorVertex } from "./shaders.ts";

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

export class Stage {
    readonly group = new three.Group();
    private sky = new three.HemisphereLight();
    private sun = new three.DirectionalLight("#ffffff", 1.55);
    private fill = new three.DirectionalLight("#ffffff", 0.55);
    private shade = new three.ShadowMaterial({ depthWrite: false });
    private grid: three.ShaderMaterial;
    private floor = new three.Group();

    constructor(room: Room, { up, e1, e2 }: Camera) {
        const { middle, radius } = room;
        this.sky.position.copy(vector(up));
        const toward = (d: Vec): three.Vector3 => vector(add(middle, scale(d, radius)));
        this.sun.position.copy(toward(add(scale(up, 3), add(scale(e1, -1), scale(e2, -1.3)))));
        this.sun.target.position.copy(vector(middle));
        this.fill.position.copy(toward(add(scale(up, 0.8), add(scale(e1, 2), scale(e2, 1.5)))));
        this.fill.target.position.copy(vector(middle));
        this.shadow(room);
        this.grid = new three.ShaderMaterial({
            uniforms: {
                middle: { value: new three.Vector2(middle[0] * e1[0] + middle[1] * e1[1] + middle[2] * e1[2],
                    middle[0] * e2[0] + middle[1] * e2[1] + middle[2] * e2[2]) },
                spacing: { value: roundDown(0.36 * radius) },
                reach: { value: 4.2 * radius },
                ink: { value: new three.Color() },
            },
            vertexShader: floorVertex, fragmentShader: floorFragment, transparent: true, depthWrite: false, side: three.DoubleSide,
        });
        this.lay(room, up, e1, e2);
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
    private lay({ middle, radius, floor }: Room, up: Vec, e1: Vec, e2: Vec): void {
        const geometry = new three.PlaneGeometry(9 * radius, 9 * radius);
        const u = middle[0] * e1[0] + middle[1] * e1[1] + middle[2] * e1[2], v = middle[0] * e2[0] + middle[1] * e2[1] + middle[2] * e2[2];
        geometry.translate(u, v, 0);
        const lines = new three.Mesh(geometry, this.grid), shade = new three.Mesh(geometry, this.shade);
        shade.receiveShadow = true;
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
        (this.grid.uniforms.ink.value as three.Color).set(look.gridSpace);
    }

    /** The floor stays where shadows fall; its lines may be switched off. */
    showGrid(shown: boolean): void {
        this.floor.children[0].visible = shown;
    }

    destroy(): void {
        (this.floor.children[0] as three.Mesh).geometry.dispose();
        this.grid.dispose();
        this.shade.dispose();
        this.sun.dispose();
    }
}
