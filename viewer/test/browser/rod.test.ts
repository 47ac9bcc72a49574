// Meshes of elastic bodies in mechanisms: drawn deformed and colored among rigid bodies, with deflections enlarged.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { hook, launch, open, report, seek, until } from "./browser.ts";

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/** Where a color of the map stands highest in a column of the picture, in shares of its height; NaN: nowhere. */
const top = (page: Page, share: number): Promise<number> => page.evaluate((at) => {
    const canvas = document.querySelector<HTMLCanvasElement>(".scene canvas")!, copy = document.createElement("canvas");
    const context = copy.getContext("2d", { willReadFrequently: true })!;
    [copy.width, copy.height] = [canvas.width, canvas.height];
    context.drawImage(canvas, 0, 0);
    const column = context.getImageData(Math.round(at * copy.width), 0, 1, copy.height).data;
    for (let y = 0; y < copy.height; y++) {
        const [r, g, b] = column.slice(4 * y);
        if (Math.max(r, g, b) - Math.min(r, g, b) > 40 && g < 200 && r < 150 && b > 60) // from violet to green
            return y / copy.height;
    }
    return NaN;
}, share);

test("a reduced rod of a slider-crank bends in the picture", async () => {
    const { page: file } = report("floating_crank.yaml", "rod");
    const { page, complaints, close } = await open(browser, file, { hash: "#show=" });
    const legend = page.locator(".legend"), when = 3.1415926535 / 80; // the crank stands up: the rod bends most
    await seek(page, when);
    await until("legend", async () => /von Mises/.test(await legend.textContent() ?? ""));
    assert.match(await page.locator("header, .head").first().textContent() ?? "", /3 bodies, 1 elastic with 3 frames.*1 mesh, 165 nodes/);
    await until("mesh", async () => Number.isFinite(await top(page, 0.45)));
    const plain = await top(page, 0.45);
    await page.getByRole("button", { name: "Units and colors" }).click();
    const slider = page.locator(".menu").getByLabel("Deflections of elastic bodies");
    assert.equal(await page.locator(".menu").getByLabel("Deformation scale").count(), 0); // one control for both
    await slider.fill("1.48"); // a power of ten
    await page.keyboard.press("Escape");
    await until("remark", async () => /deflections 30×/.test(await legend.textContent() ?? ""));
    const bent = await top(page, 0.45);
    assert.ok(bent < plain - 0.03, `${bent} is not well above ${plain}`);
    assert.deepEqual(complaints, []);
    await close();
});

test("a meshed arm in space", async () => {
    const { page: file } = report("meshed_arm.yaml", "arm", "--until", "0.1");
    const { page, complaints, close } = await open(browser, file, { hash: "#deflection=5" });
    await until("legend", async () => /von Mises.*deflections 5×/.test(await page.locator(".legend").textContent() ?? ""));
    const box = (await page.locator(".scene canvas").boundingBox())!, hits = new Set<string>();
    for (let i = 1; i < 20; i++)
        for (let k = 1; k < 20; k++)
            hits.add(await hook(page, (biela, at) => {
                const [x, y] = String(at).split(" ").map(Number);
                return biela.pick(x, y);
            }, `${box.x + box.width * i / 20} ${box.y + box.height * k / 20}`));
    assert.ok([...hits].some((hit) => /^node.*arm/.test(hit)), [...hits].join(", "));
    assert.deepEqual(complaints, []);
    await close();
});
