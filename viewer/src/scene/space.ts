// Spatial models: drawn by three. draw(t) paints now; nothing runs by itself.
import * as three from "three";
import type { Report } from "../data/model.ts";
import { palettes, type Palette, type Theme } from "../look/colours.ts";
import { Actor } from "./actor.ts";
import { Camera, FIELD } from "./camera.ts";
import { upward } from "./facts.ts";
import { newShared } from "./kit.ts";
import { makeMechanism, reachPoints, type Mechanism } from "./mechanism.ts";
import { roomOf, Stage, type Room } from "./stage.ts";
import { Trails } from "./trails.ts";
import type { ColorBy, LegendItem, MeshLook, Part, Show, View } from "./view.ts";

const RATIO = 2; // pixels of the picture per pixel of the page: outlines need it on plain screens too

function newRenderer(): three.WebGLRenderer {
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("webgl2", { antialias: true, alpha: false, stencil: false, powerPreference: "high-performance" });
    if (!context)
        throw new Error("WebGL 2 is not available in this browser");
    const renderer = new three.WebGLRenderer({ canvas, context, antialias: true });
    renderer.setPixelRatio(RATIO);
    renderer.toneMapping = three.NoToneMapping;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = three.PCFShadowMap;
    return renderer;
}

class SpaceView implements View {
    readonly canvas: HTMLCanvasElement;
    onMove: (() => void) | null = null;
    private scene = new three.Scene();
    private eye = new three.PerspectiveCamera(FIELD * 180 / Math.PI);
    private view: Camera;
    private stage: Stage;
    private room: Room;
    private points: Float64Array;
    private actors: Actor[];
    private trails: Trails;
    private shared;
    private look_: Palette;
    private by: ColorBy = "body";
    private t = 0;
    private width = 0;
    private height = 0;
    private fitted = false;

    constructor(private renderer: three.WebGLRenderer, report: Report, mechanisms: Mechanism[], theme: Theme) {
        const [run] = report.runs, { measures } = mechanisms[0];
        this.canvas = renderer.domElement;
        this.look_ = palettes[theme];
        this.points = reachPoints(run);
        this.view = new Camera(upward(run.scene));
        this.room = roomOf(this.points, this.view.up, measures.size);
        this.stage = new Stage(this.room, this.view);
        this.shared = newShared(measures.r);
        this.actors = report.runs.map((other, i) => new Actor(other, mechanisms[i], this.shared, i));
        this.trails = new Trails(run);
        this.scene.add(this.stage.group, ...this.actors.map((actor) => actor.group), this.trails.group);
        this.t = report.span[0];
        this.theme(theme);
    }

    resize(width: number, height: number): void {
        this.width = Math.max(1, width);
        this.height = Math.max(1, height);
        this.renderer.setSize(this.width, this.height, false);
        this.shared.screen.value.set(this.width, this.height);
        if (!this.fitted) {
            this.fit();
            this.fitted = true;
        }
        this.draw(this.t);
    }

    draw(t: number): void {
        this.t = t;
        if (!this.width)
            return;
        for (const actor of this.actors)
            actor.place(t);
        this.trails.place(t);
        this.aim();
        this.renderer.render(this.scene, this.eye);
    }

    private aim(): void {
        const { view, eye, room } = this;
        eye.aspect = this.width / this.height;
        eye.near = 0.01 * view.distance;
        eye.far = view.distance + 20 * room.radius;
        eye.position.set(...view.eye);
        eye.up.set(...view.above);
        eye.lookAt(...view.target);
        eye.updateProjectionMatrix();
    }

    theme(theme: Theme): void {
        const look = this.look_ = palettes[theme];
        this.scene.background = new three.Color(look.scene);
        this.stage.theme(theme, look);
        this.shared.ink.value.set(look.outline);
        this.shared.accent.value.set(look.accent);
        this.shared.strokeColor.value.set(theme === "dark" ? look.outline : look.darkSteel);
        this.trails.theme(look);
        this.paint();
    }

    private paint(): void {
        for (const actor of this.actors)
            actor.paint(this.look_, this.by, null);
    }

    show(show: Show): void {
        this.stage.showGrid(show.grid);
        this.trails.group.visible = show.traces;
        this.actors[0].showGhosts(show.ghosts, this.look_, this.by);
    }

    colorBy(what: ColorBy): void {
        this.by = what;
        this.paint();
    }

    arrowScale(_factor: number): void {
    }

    meshLook(_look: MeshLook): void {
    }

    hide(bodies: ReadonlySet<number>): void {
        for (const actor of this.actors)
            actor.hide(bodies);
    }

    fit(): void {
        this.view.fit(this.points, this.width || 1, this.height || 1);
    }

    look(which: number): void {
        this.view.look(which);
        this.fit();
    }

    follow(_body: number): void {
    }

    select(part: Part | null): void {
        this.actors[0].select(part && part.run === 0 ? part : null);
    }

    pick(_x: number, _y: number): Part | null {
        return null;
    }

    legend(): LegendItem[] {
        return [];
    }

    scaleBar(): null {
        return null;
    }

    svg(): null {
        return null;
    }

    camera(): string {
        return this.view.text();
    }

    setCamera(text: string): void {
        this.view.read(text);
        this.fitted = true;
    }

    destroy(): void {
        for (const actor of this.actors)
            actor.destroy();
        this.trails.destroy();
        this.stage.destroy();
        this.renderer.dispose();
    }
}

/** Rejects where there is no WebGL: the page then draws lines by the pen. */
export async function makeSpace(report: Report, theme: Theme): Promise<View> {
    const renderer = newRenderer(), mechanisms: Mechanism[] = [];
    for (const run of report.runs)
        mechanisms.push(await makeMechanism(run, false));
    return new SpaceView(renderer, report, mechanisms, theme);
}
