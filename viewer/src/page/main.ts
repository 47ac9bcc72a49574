// Starts the page: reads the data, builds the page, offers `window.biela` to tests and films.
import { make } from "../base/dom.ts";
import { text } from "../base/text.ts";
import { partName } from "../controls/card.ts";
import { type Report, newPose, readReport, valueAt } from "../data/model.ts";
import { setVariables } from "../look/variables.ts";
import { App } from "./app.ts";
import { studyOf } from "./study.ts";

export interface Api {
    ready: boolean;
    error: string;
    /** Paints time t at once. */
    seek(t: number): void;
    /** First and last time that can be shown. */
    times(): [number, number];
    /** x y z qw qx qy qz of a body at the time shown. */
    pose(body: string | number): number[];
    /** SI value of a curve at the time shown; NaN where there is none. */
    value(name: string): Promise<number>;
    /** Kind and name of the part that a click at this point of the window picks, "" if there is none. */
    pick(x: number, y: number): string;
    /** Median of 120 seeks in ms, without waiting for the painter. */
    frameTime(): number;
}

const api: Api = {
    ready: false, error: "", seek() {}, times: () => [0, 0], pose: () => [], value: async () => NaN, pick: () => "", frameTime: () => NaN,
};
(window as unknown as { biela: Api }).biela = api;

const find = (id: string): string | null => document.getElementById(id)?.textContent ?? null;

function offer(app: App, report: Report): void {
    const run = (): Report["runs"][number] => report.runs[app.store.state.run];
    api.seek = (t) => app.goTo(t);
    api.times = () => [app.scale.span[0], app.scale.span[1]];
    api.pose = (body) => {
        const index = typeof body === "number" ? body : run().scene.bodies.findIndex((one) => one.name === body);
        return index < 0 ? [] : Array.from(run().motion.at(app.store.state.time, index, newPose()));
    };
    api.value = async (name) => {
        const known = app.all.runs[app.store.state.run];
        return known.find(name) ? valueAt(await known.curve(name), app.store.state.time) : NaN;
    };
    api.pick = (x, y) => {
        const box = app.view?.canvas.getBoundingClientRect(), part = box && app.view?.pick(x - box.left, y - box.top);
        return part ? `${part.what} ${partName(report.runs[part.run], part)}` : "";
    };
    api.frameTime = () => {
        const [first, last] = report.span, before = app.store.state.time, times: number[] = [];
        for (let k = 0; k < 120; k++) {
            const start = performance.now();
            app.goTo(first + ((k * 37) % 120) / 120 * (last - first));
            times.push(performance.now() - start);
        }
        app.goTo(before);
        return times.sort((a, b) => a - b)[60];
    };
}

function fail(error: Error): void {
    const page = document.getElementById("page") as HTMLElement;
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    setVariables(document.documentElement, dark ? "dark" : "light");
    page.replaceChildren(make("div", { class: "failure", role: "alert" },
        make("h1", { text: text.damaged }), make("p", { text: error.message })));
    api.error = error.message;
    api.ready = true;
}

async function start(): Promise<void> {
    if (typeof DecompressionStream === "undefined")
        throw new Error(text.oldBrowser);
    const study = await studyOf(await readReport(find("biela") ?? "", find)), { report } = study;
    const app = new App(study);
    await app.start(document.getElementById("page") as HTMLElement);
    offer(app, report);
    api.ready = true;
}

start().catch(fail);
