// A plate of 100 x 100 elements in a browser: deformed shape, colors with legend, and values at a node beside the closed form.
// Under a uniform traction s on one side, free to contract, sigma_xx = s everywhere, u_x = s x/E, u_y = -nu s y/E: bilinear elements
// have exactly that, so that only the rounding of the page (2^-20 of the range) is left.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { hook, inAddress, launch, open, run, seek, until, value, work } from "./browser.ts";

const E = 2e11, nu = 0.3, s = 1e8, N = 100, model = join(work, "plate.yaml");

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/** The numbers of a cell such as "2.5×10⁻⁴, −10⁻⁵ m": as many as there are. */
const numbers = (words: string): number[] => {
    const plain = words.replace(/\u2212/g, "-").replace(/×?10([⁻⁰¹²³⁴-⁹]+)/g, (all, power: string) =>
        `${all.startsWith("×") ? "" : "1"}e${[...power].map((sign) => (sign === "⁻" ? "-" : "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(sign))).join("")}`);
    return (plain.match(/-?\d[\d.]*(e-?\d+)?/g) ?? []).map(Number);
};

/** Different colors of the picture; a plain one has few. */
const colorsOf = (page: Page): Promise<number> => page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>(".scene canvas")!, copy = document.createElement("canvas");
    const context = copy.getContext("2d", { willReadFrequently: true })!;
    [copy.width, copy.height] = [canvas.width >> 2, canvas.height >> 2];
    context.drawImage(canvas, 0, 0, copy.width, copy.height);
    return new Set(new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer)).size;
});

/** The box of what is not the ground of the scene, in pixels of the window. */
const extentOf = (page: Page): Promise<{ left: number; right: number }> => page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>(".scene canvas")!, copy = document.createElement("canvas");
    const context = copy.getContext("2d", { willReadFrequently: true })!, box = canvas.getBoundingClientRect();
    [copy.width, copy.height] = [Math.round(box.width), Math.round(box.height)];
    context.drawImage(canvas, 0, 0, copy.width, copy.height);
    // one row through the middle: strong colors alone, not the grid
    const row = context.getImageData(0, copy.height >> 1, copy.width, 1).data, hits: number[] = [];
    for (let x = 0; x < copy.width; x++) {
        const [r, g, b] = row.slice(4 * x);
        if (Math.max(r, g, b) - Math.min(r, g, b) > 40)
            hits.push(x);
    }
    return { left: hits[0], right: hits[hits.length - 1] };
});

async function chooseIn(page: Page, field: string, how: (part: ReturnType<Page["locator"]>) => Promise<unknown>): Promise<void> {
    await page.getByRole("button", { name: "Units and colors" }).click();
    await how(page.locator(".menu").getByLabel(field));
    await page.keyboard.press("Escape");
}

test("plate of 100 x 100 elements", async () => {
    writeFileSync(model, `model: Plate under tension
dimension: 2
materials: {metal: {type: elastic, E: ${E}, nu: ${nu}}}
bodies:
  - {name: plate, mesh: {rectangle: {to: [1, 1], n: [${N}, ${N}]}, element: quad4}, material: metal, plane: stress, strain: linear}
supports:
  - {set: left, x: 0}
  - {at: [0, 0], y: 0}
loads: [{set: right, traction: [=${s}*t, 0]}]
`);
    const [result, file] = ["plate.h5", "plate.html"].map((name) => join(work, name));
    run("equilibrium", model, "--until", "1", "--increments", "24", "-q", "-o", result);
    run("report", result, "-o", file);
    const { page, complaints, close } = await open(browser, file);
    await seek(page, 1);

    await chooseIn(page, "Colored by", (part) => part.selectOption("displacement"));
    await chooseIn(page, "Component", (part) => part.selectOption({ label: "x" }));
    const legend = page.locator(".legend");
    await until("legend", async () => /displacement/.test(await legend.textContent() ?? ""));
    const ends = await page.locator(".legend .end").allTextContents();
    assert.ok(Math.abs(numbers(ends[0])[0]) < 1e-9, `low end ${ends[0]}`);
    assert.ok(numbers(ends[1])[0] > 0, `high end ${ends[1]}`);
    await until("colors", async () => await colorsOf(page) > 40);

    // 5e-4 of the width cannot be seen; 400 times that is a fifth of it
    await chooseIn(page, "Deformation scale", (part) => part.fill("0"));
    const flat = await extentOf(page);
    await chooseIn(page, "Deformation scale", (part) => part.fill("2.6"));
    await until("factor", async () => /^400,displacement,0/.test(await inAddress(page, "mesh") ?? ""));
    const bent = await extentOf(page), wider = (bent.right - bent.left) / (flat.right - flat.left);
    assert.ok(Math.abs(wider - (1 + 400 * s / E)) < 0.02, `${wider} times as wide`);
    await chooseIn(page, "Deformation scale", (part) => part.fill("0"));

    // a click near the middle of the right half picks a node; its position in the reference determines its values
    const spot = await page.evaluate(() => {
        const { left, top, width, height } = document.querySelector(".scene canvas")!.getBoundingClientRect();
        return [left + 0.5 * width + 60, top + 0.5 * height - 40] as const;
    });
    assert.match(await hook(page, (biela, at) => biela.pick(...(JSON.parse(at as string) as [number, number])), JSON.stringify(spot)),
        /^node plate/);
    await page.mouse.click(...spot);
    const card = page.getByRole("region", { name: /^Node plate/ });
    await until("values of the node", async () => /von mises/i.test(await card.textContent() ?? ""));
    const name = await card.getByRole("heading").textContent(), node = Number(/(\d+)$/.exec(name!)![1]);
    const x = node % (N + 1) / N, y = Math.floor(node / (N + 1)) / N, moved = s / E * Math.hypot(x, nu * y);
    assert.ok(x > 0.5 && y > 0.5 && x < 1 && y < 1, `${name} is right of the middle and above it`);
    const cells = new Map<string, number>(), words = await card.locator("dd").allTextContents();
    (await card.locator("dt").allTextContents()).forEach((term, i) => cells.set(term.toLowerCase(), numbers(words[i])[0]));
    const agree = (what: string, now: number | undefined, then: number, error: number): void =>
        assert.ok(Math.abs((now ?? NaN) - then) <= error, `${what} of ${name}: ${now} for ${then}`);
    agree("displacement", cells.get("displacement"), moved, 5.1e-4 * moved); // four digits are shown
    agree("von Mises' stress in MPa", cells.get("von mises"), s / 1e6, 5.1e-4 * s / 1e6);

    await card.getByRole("button", { name: "Plot" }).click();
    const curve = `plate.node${node}.displacement`;
    await until("curve of the node", async () => (await page.locator(".plot .key .name").allTextContents()).includes(curve));
    for (const t of [0, 0.5, 1]) {
        await seek(page, t);
        agree(`displacement at ${t}`, await value(page, curve), t * moved, 2e-6 * s / E);
    }
    await chooseIn(page, "Colored by", (part) => part.selectOption("von_mises"));
    await until("another field", async () => /von mises/i.test(await legend.textContent() ?? ""));
    assert.deepEqual(complaints, []);
    await close();
});
