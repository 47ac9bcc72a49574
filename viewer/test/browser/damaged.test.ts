// Pages and results that are damaged, empty or hostile, and browsers that lack something: one clear line or a sensible page each time,
// no exception, no request, nothing run that came as a name.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { HeaderDef } from "../../src/data/header.ts";
import { biela, launch, open, report, root, run, seek, sleep, until, watch, type Watched, work } from "./browser.ts";
import { changed, codeDifferences, codeDoubles, codeFloats, type Parts, putTogether, takeApart } from "./parts.ts";

let browser: Browser, window: Watched, whole: Parts, header: HeaderDef;
before(async () => {
    browser = await launch();
    window = await watch(browser, { width: 900, height: 560 });
    whole = takeApart(report("four_bar.yaml", "damaged").page);
    header = JSON.parse(whole.header) as HeaderDef;
});
after(() => browser?.close());

const said = (page: Page): Promise<string> => page.evaluate(() => (globalThis as unknown as { biela: { error: string } }).biela.error);
const bad = (page: Page): Promise<unknown> => page.evaluate(() => (globalThis as unknown as { bad: unknown }).bad);

/** Shows a page; its message where it cannot be shown, "" where it can. */
async function shown(name: string, parts: Parts, { page, complaints, go }: Watched = window): Promise<string> {
    await go(putTogether(join(work, `damaged-${name}.html`), parts));
    const error = await said(page);
    if (error) {
        assert.equal(await page.getByRole("alert").count(), 1, name);
        assert.ok((await page.getByRole("alert").textContent())!.includes(error), name);
        assert.ok(!error.includes("\n") && error.length < 160, `${name}: ${error}`);
        assert.doesNotMatch(error, /undefined|null|TypeError|not a function|Cannot read/, name);
    }
    assert.equal(await bad(page), undefined, name);
    assert.deepEqual(complaints.splice(0), [], name);
    return error;
}

const block = (name: string, change: (text: string) => string): Parts =>
    ({ ...whole, blocks: new Map([...whole.blocks].map(([key, text]) => [key, key === name ? change(text) : text])) });

test("damaged pages say what is wrong in one line", async () => {
    const { time, poses } = header.runs[0].frames, count = (change: number): Parts =>
        changed(whole, (def) => { def.runs[0].frames.count += change; });
    assert.match(await shown("no-json", { ...whole, header: whole.header.slice(0, 500) }), /damaged|cut short/);
    assert.match(await shown("empty-header", { ...whole, header: "" }), /damaged|cut short|no report/);
    assert.match(await shown("null", { ...whole, header: "null" }), /no report/);
    assert.match(await shown("newer", changed(whole, (def) => { def.format = 2; })), /format 2.*newer biela/);
    assert.match(await shown("no-runs", changed(whole, (def) => { def.runs = []; })), /no report/);
    assert.match(await shown("cut-poses", block(poses.block, (text) => text.slice(0, text.length >> 1))), /damaged or was cut short/);
    assert.match(await shown("no-base64", block(poses.block, () => "*** no base64 ***")), /not base64/);
    assert.match(await shown("cut-times", block(time, (text) => text.slice(0, 8))), /damaged or was cut short/);
    assert.match(await shown("missing", { ...whole, blocks: new Map([...whole.blocks].filter(([name]) => name !== poses.block)) }),
        new RegExp(`block ${poses.block} is missing`));
    assert.match(await shown("more-frames", count(1)), /announced/);
    assert.match(await shown("fewer-frames", count(-1)), /announced/);
    assert.match(await shown("body-more", changed(whole, ({ runs: [{ scene: { bodies } }] }) => { bodies.push(bodies[0]); })), /announced/);
    // a header that is JSON but no header: whatever is missing, one line
    for (const key of ["scene", "frames", "info", "curves", "events"] as const)
        assert.match(await shown(`without-${key}`, changed(whole, ({ runs: [one] }) => {
            delete (one as unknown as Record<string, unknown>)[key];
        })), new RegExp(`no ${key}`));
});

test("where only curves are damaged the motion is shown", async () => {
    const curve = header.runs[0].curves[0], { page, complaints } = window;
    for (const [name, parts] of [
        ["cut-curves", block(curve.block, (text) => text.slice(0, text.length >> 1))],
        ["curve-behind-its-block", changed(whole, ({ runs: [one] }) => one.curves.forEach((def) => { def.at = 1e9; }))],
        ["nan-curves", block(curve.block, () => codeFloats(new Float32Array(header.runs[0].curves
            .filter((def) => def.block === curve.block).reduce((most, def) => Math.max(most, def.at + def.count), 0)).fill(NaN)))],
    ] as const) {
        assert.equal(await shown(name, parts), "", name);
        assert.ok(await page.locator(".scene canvas").isVisible(), name);
        await seek(page, 0.5);
        for (const tab of ["Curves", "Inside", "Motion"])
            await page.getByRole("tab", { name: tab }).click();
        assert.deepEqual(complaints.splice(0), [], name);
    }
});

test("a page without frames, with one, and with poses that are no numbers", async () => {
    const { page, complaints } = window, { frames, scene } = header.runs[0], series = 7 * scene.bodies.length;
    const few = (n: number, value: (s: number) => number): Parts => {
        const parts = changed(whole, ({ runs: [one] }) => {
            one.frames.count = n;
            one.curves = [];
        });
        return { ...parts, blocks: new Map([...whole.blocks, [frames.time, codeDoubles(new Float64Array(n))],
            [frames.poses.block, codeDifferences(series, n, value)]]) };
    };
    assert.equal(await shown("no-frames", few(0, () => 0)), "");
    assert.match(await page.locator(".note").textContent() ?? "", /no positions/);
    assert.equal(await shown("one-frame", few(1, (s) => (s % 7 === 3 ? 1 << 19 : 0))), "");
    assert.ok(await page.locator(".scene canvas").isVisible());
    assert.ok(await page.getByRole("button", { name: "Play", exact: true }).isDisabled());
    // quaternions of zero and a size that is none: drawn somewhere or not at all, without an exception
    assert.equal(await shown("zero-quaternions", few(3, () => 0)), "");
    await shown("nan-size", changed(whole, ({ runs: [one] }) => { one.frames.poses.size = null as unknown as number; }));
    await shown("nan-times", block(frames.time, () => codeDoubles(new Float64Array(frames.count).fill(NaN))));
    await shown("huge-origin", changed(whole, ({ runs: [one] }) => { one.frames.poses.origin = [1e300, -1e300, 1e308]; }));
    await seek(page, 0.3);
    assert.deepEqual(complaints.splice(0), []);
});

test("names from a model stay text", async () => {
    const evil = "</script><script>window.bad=1</script><img src=x onerror=window.bad=2>", { page } = window;
    const model = join(work, "evil.yaml");
    writeFileSync(model, `model: "${evil}"
dimension: 2
gravity: [0, -9.81]
bodies: [{name: "${evil}", rod: {from: [0, 0], to: [1, 0]}, mass: 1}]
joints: [{name: "<img src=x onerror=window.bad=3>", type: revolute, bodies: [ground, "${evil}"], at: [0, 0]}]
probes: {"<svg onload=window.bad=4>": {body: "${evil}", at: [1, 0]}}
simulate: {until: 0.2}
`);
    run("run", model, "-q", "-o", join(work, "evil.h5"));
    run("report", join(work, "evil.h5"), "-o", join(work, "evil.html"));
    await window.go(join(work, "evil.html"), "#show=tnrd&pick=body.0.0");
    assert.equal(await page.locator("h1").textContent(), evil);
    assert.equal(await page.locator(".card h2").textContent(), evil);
    assert.equal(await page.title(), evil);
    for (const tab of ["Curves", "Inside", "Model", "Motion"])
        await page.getByRole("tab", { name: tab }).click();
    await sleep(100);
    assert.equal(await page.locator("#page :is(script, img, iframe, svg[onload])").count(), 0);
    assert.equal(await bad(page), undefined);
    assert.deepEqual(window.complaints.splice(0), []);
});

/** Message of the command about a result, and the page: "" where it makes none. */
async function reported(result: string, name: string): Promise<{ words: string; made: boolean }> {
    const page = join(work, `${name}.html`);
    rmSync(page, { force: true });
    return new Promise((resolve) => {
        const child = spawn(biela, ["report", result, "-o", page], { cwd: work });
        let words = "";
        child.stderr.on("data", (text: Buffer) => { words += text.toString(); });
        child.on("close", () => resolve({ words, made: existsSync(page) }));
    });
}

test("a killed run, a failed one and an empty file", async () => {
    const { page } = window, killed = join(work, "killed.h5");
    [killed, `${killed}~partial`].forEach((file) => rmSync(file, { force: true }));
    const args = ["run", join(root, "scenes/bricard.yaml"), "--until", "1e5", "-q", "-o", killed];
    const child = spawn(biela, args, { cwd: work, stdio: "ignore" });
    await until("something written", async () => existsSync(`${killed}~partial`) && statSync(`${killed}~partial`).size > 3e5);
    await sleep(2500); // rows are written once a second
    child.kill("SIGKILL");
    await until("killed", async () => child.exitCode !== null || child.signalCode !== null);
    copyFileSync(`${killed}~partial`, join(work, "half.h5"));
    const half = await reported(join(work, "half.h5"), "half");
    assert.ok(half.made, half.words);
    await window.go(join(work, "half.html"));
    assert.match(await page.locator(".subtitle").textContent() ?? "", /incomplete: only up to .*not finished/);
    assert.ok(await page.locator(".scene canvas").isVisible());
    assert.deepEqual(window.complaints.splice(0), []);

    // a crank driven through angles that the four-bar cannot reach
    writeFileSync(join(work, "stuck.yaml"), `model: Stuck
dimension: 2
bodies:
  - {name: crank, rod: {from: [0, 0], to: [0, 1]}, mass: 1}
  - {name: coupler, rod: {from: [0, 1], to: [2, 1]}, mass: 1}
  - {name: rocker, rod: {from: [2, 1], to: [2, 0.4]}, mass: 1}
joints:
  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}
  - {name: B, type: revolute, bodies: [crank, coupler], at: [0, 1]}
  - {name: C, type: revolute, bodies: [coupler, rocker], at: [2, 1]}
  - {name: D, type: revolute, bodies: [rocker, ground], at: [2, 0.4]}
drivers: [{name: turn, variable: A.angle, value: =-2*t}]
simulate: {until: 5}
`);
    assert.throws(() => run("run", join(work, "stuck.yaml"), "-q", "-o", join(work, "stuck.h5")));
    const stuck = [join(work, "stuck.h5"), join(work, "stuck.h5~partial")].find((file) => existsSync(file));
    assert.ok(stuck, "a run that failed keeps what it has");
    assert.ok((await reported(stuck, "stuck")).made);
    await window.go(join(work, "stuck.html"));
    assert.match(await page.locator(".subtitle .bad").textContent() ?? "", /stopped at 0\.3522\s?s: .*singular/);
    assert.ok(await page.locator(".scene canvas").isVisible());
    assert.deepEqual(window.complaints.splice(0), []);

    writeFileSync(join(work, "empty.h5"), "");
    const empty = await reported(join(work, "empty.h5"), "empty");
    assert.ok(!empty.made && /hint:/.test(empty.words) && empty.words.trim().split("\n").length <= 2, empty.words);
});

test("without WebGL space is drawn by lines and the plane as usual", async () => {
    const without = await launch("--disable-3d-apis");
    const space = await open(without, report("spatial_slider_crank.yaml", "damaged-space").page, { width: 900, height: 560 });
    assert.match(await space.page.locator(".note").textContent() ?? "", /does not support WebGL/);
    const ink = await space.page.evaluate(() => {
        const canvas = document.querySelector<HTMLCanvasElement>(".scene canvas")!, copy = document.createElement("canvas");
        [copy.width, copy.height] = [canvas.width, canvas.height];
        const context = copy.getContext("2d", { willReadFrequently: true })!;
        context.drawImage(canvas, 0, 0);
        const all = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
        return all.filter((color) => color !== all[0]).length / all.length;
    });
    assert.ok(ink > 0.002, `${ink} of the picture is not its ground`);
    // three reports that it found no WebGL: nothing else may be in the console
    assert.deepEqual(space.complaints.filter((one) => !/WebGL/i.test(one)), []);
    await space.go(join(work, "damaged.html"));
    assert.ok(!await space.page.locator(".note").isVisible());
    await without.close();
});

test("a browser without DecompressionStream is told so in one line", async () => {
    const old = await watch(browser, { before: () => { delete (globalThis as { DecompressionStream?: unknown }).DecompressionStream; } });
    assert.match(await shown("old", whole, old), /too old.*2023/);
    await old.close();
});
