// What lies flat over the picture of space, in pixels: names and the cross of axes. Part of the same canvas, so that screenshots and
// recordings have it. Text is painted once into a sheet (a texture) and shown as rectangles of it.
import * as three from "three";
import type { Palette } from "../look/colors.ts";
import { FONT } from "../look/sizes.ts";
import type { TextStyle } from "../pen/pen.ts";
import { Stroke } from "./strokes.ts";

interface Entry { x: number; y: number; width: number; height: number }

const SHEET = 1024, ROOM = 400, RATIO = 2;

const vertex = `
attribute vec4 box;
attribute vec4 piece;
varying vec2 vPiece;
void main() {
    vPiece = piece.xy + position.xy * piece.zw;
    vec2 p = box.xy + position.xy * box.zw;
    gl_Position = projectionMatrix * viewMatrix * vec4(p, 0.0, 1.0);
}
`;
const fragment = `
uniform sampler2D sheet;
varying vec2 vPiece;
void main() {
    gl_FragColor = texture2D(sheet, vPiece);
}
`;

export class Labels {
    readonly scene = new three.Scene();
    readonly camera = new three.OrthographicCamera(0, 1, 0, 1, -10, 10);
    private pen: CanvasRenderingContext2D;
    private sheet: three.CanvasTexture;
    private entries = new Map<string, Entry>();
    private next = { x: 0, y: 0, row: 0 };
    private box = new three.InstancedBufferAttribute(new Float32Array(4 * ROOM), 4);
    private piece = new three.InstancedBufferAttribute(new Float32Array(4 * ROOM), 4);
    private geometry = new three.InstancedBufferGeometry();
    private material: three.ShaderMaterial;
    private axes = [0, 1, 2].map(() => new Stroke(2, 2.4));
    private count = 0;

    constructor() {
        const canvas = document.createElement("canvas");
        canvas.width = canvas.height = SHEET;
        this.pen = canvas.getContext("2d")!;
        this.sheet = new three.CanvasTexture(canvas);
        this.sheet.flipY = false;
        this.sheet.generateMipmaps = false;
        this.sheet.minFilter = three.LinearFilter;
        this.sheet.premultiplyAlpha = true;
        this.geometry.setAttribute("position", new three.Float32BufferAttribute([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0], 3));
        this.geometry.setIndex([0, 1, 2, 0, 2, 3]);
        this.geometry.setAttribute("box", this.box);
        this.geometry.setAttribute("piece", this.piece);
        this.material = new three.ShaderMaterial({
            uniforms: { sheet: { value: this.sheet } }, vertexShader: vertex, fragmentShader: fragment,
            transparent: true, depthTest: false, depthWrite: false, side: three.DoubleSide, premultipliedAlpha: true,
            blending: three.CustomBlending, blendSrc: three.OneFactor, blendDst: three.OneMinusSrcAlphaFactor,
        });
        const quads = new three.Mesh(this.geometry, this.material);
        quads.frustumCulled = false;
        quads.renderOrder = 2;
        for (const { line, material } of this.axes) {
            material.depthTest = false;
            line.renderOrder = 1;
            this.scene.add(line);
        }
        this.scene.add(quads);
    }

    resize(width: number, height: number): void {
        Object.assign(this.camera, { right: width, bottom: height });
        this.camera.updateProjectionMatrix();
    }

    clear(): void {
        this.count = 0;
    }

    /** As the pen does it: halo first, then the text. */
    text(x: number, y: number, text: string, style: TextStyle): void {
        const entry = this.entry(text, style);
        if (!entry || this.count >= ROOM)
            return;
        const w = entry.width / RATIO, h = entry.height / RATIO, margin = style.halo?.width ?? 1;
        const left = style.align === "center" ? x - w / 2 : style.align === "right" ? x - w + margin : x - margin;
        const snap = (v: number): number => Math.round(v * RATIO) / RATIO; // letters keep their sharpness on whole pixels
        this.box.setXYZW(this.count, snap(left), snap(y - h / 2), w, h);
        this.piece.setXYZW(this.count, entry.x / SHEET, entry.y / SHEET, entry.width / SHEET, entry.height / SHEET);
        this.count++;
    }

    private entry(text: string, { color, size, weight = 400, halo }: TextStyle): Entry | null {
        const key = `${text} ${color} ${size} ${weight} ${halo?.color}`, known = this.entries.get(key);
        if (known)
            return known;
        const { pen } = this, margin = halo?.width ?? 1;
        pen.font = `${weight} ${size * RATIO}px ${FONT}`;
        const width = Math.ceil(pen.measureText(text).width + 2 * RATIO * margin), height = Math.ceil(RATIO * (1.4 * size + 2 * margin));
        if (this.next.x + width > SHEET)
            this.next = { x: 0, y: this.next.y + this.next.row, row: 0 };
        if (width > SHEET || this.next.y + height > SHEET)
            return null;
        const entry = { x: this.next.x, y: this.next.y, width, height };
        this.next = { x: this.next.x + width + 2, y: this.next.y, row: Math.max(this.next.row, height + 2) };
        pen.textBaseline = "middle";
        if (halo) {
            Object.assign(pen, { strokeStyle: halo.color, lineWidth: RATIO * halo.width, lineJoin: "round" });
            pen.strokeText(text, entry.x + RATIO * margin, entry.y + height / 2);
        }
        pen.fillStyle = color;
        pen.fillText(text, entry.x + RATIO * margin, entry.y + height / 2);
        this.entries.set(key, entry);
        this.sheet.needsUpdate = true;
        return entry;
    }

    /** The sheet is repainted in other colors. */
    clearSheet(): void {
        this.pen.clearRect(0, 0, SHEET, SHEET);
        this.entries.clear();
        this.next = { x: 0, y: 0, row: 0 };
    }

    /** Axes about (x, y): directions on the screen, y down, and toward the viewer. */
    cross(x: number, y: number, long: number, directions: [number, number, number][], look: Palette): void {
        const colors = [look.force, look.speed, look.spring], order = [0, 1, 2].sort((a, b) => directions[a][2] - directions[b][2]);
        order.forEach((axis, i) => {
            const [dx, dy] = directions[axis], stroke = this.axes[axis];
            stroke.color(colors[axis]);
            stroke.line.renderOrder = i;
            stroke.set([x, y, 0, x + long * dx, y + long * dy, 0], 0, 2);
            const l = Math.hypot(dx, dy), away = long * l + 10;
            const [u, v] = l > 0.05 ? [dx / l, dy / l] : [0, 0];
            this.text(x + u * away, y + v * away, "xyz"[axis], { color: colors[axis], size: 12, weight: 600, align: "center" });
        });
    }

    finish(): void {
        this.geometry.instanceCount = this.count;
        this.box.needsUpdate = true;
        this.piece.needsUpdate = true;
    }

    destroy(): void {
        this.geometry.dispose();
        this.material.dispose();
        this.sheet.dispose();
        for (const stroke of this.axes)
            stroke.destroy();
    }
}
