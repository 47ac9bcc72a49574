import assert from "node:assert/strict";
import { test } from "node:test";
import { type State, Store, fromHash, initial, plotsFrom, plotsText, toHash } from "../../src/controls/state.ts";

const there = (change: Partial<State>): State => ({ ...initial(), ...fromHash(`#${toHash({ ...initial(), ...change }, initial())}`) });

test("the first state has an empty address", () => {
    assert.equal(toHash(initial(), initial()), "");
    assert.deepEqual(there({}), initial());
});

test("everything that is chosen comes back from the address", () => {
    const change: Partial<State> = {
        tab: "curves", time: 1.25, speed: 0.25, loop: false, theme: "dark", colorBy: "speed", arrows: 2.5, follow: 3, run: 1, split: 0.42,
            film: true,
        show: { ...initial().show, reactions: true, traces: false, centers: true },
        units: { angle: "rad", length: "mm", force: "kN", stress: "kPa" },
        mesh: { factor: 100, field: "von_mises", component: -1, edges: false }, picked: { what: "joint", index: 2, run: 1 },
        hidden: new Set([1, 4]), camera: "12.5,-3,0.7;a=b&c",
    };
    assert.deepEqual(there(change), { ...initial(), ...change });
});

test("names of curves may hold every sign that an address uses", () => {
    const plots = [
        { items: [{ name: "j1.angle", run: -1, minus: -1 }, { name: "a,b;c:d&e=f@1-0!l", run: 2, minus: 0 }], x: "P.x:;", log: true,
            fromStart: true },
        { items: [{ name: "|j-1|", run: -1, minus: -1 }, { name: "arm-2", run: 0, minus: -1 }], x: "", log: false, fromStart: false },
        { items: [{ name: "Kurbel ä %41 <b>", run: -1, minus: -1 }], x: "", log: false, fromStart: true },
    ];
    assert.deepEqual(plotsFrom(plotsText(plots)), plots);
    assert.deepEqual(there({ plots }).plots, plots);
});

test("an address that was typed wrongly is passed over", () => {
    const found = fromHash("#t=soon&tab=kitchen&theme=&units=deg,ft,N&mesh=1,2&pick=wheel.1.0&speed=-3&split=99&view=%E0%A4%A&plots=%");
    assert.deepEqual(found, { speed: 1, split: 0.8, camera: "%E0%A4%A",
        plots: [{ items: [{ name: "%", run: -1, minus: -1 }], x: "", log: false, fromStart: false }] });
});

test("listeners hear of changes alone", () => {
    const store = new Store(initial()), heard: string[] = [];
    store.on((_, changed) => heard.push([...changed].join()));
    store.set({ time: 0 });
    store.set({ time: 2, loop: true });
    store.toggle("grid");
    assert.deepEqual(heard, ["time", "show"]);
});
