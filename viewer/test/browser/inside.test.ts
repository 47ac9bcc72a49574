// Tabs Inside and Model in a real browser: their text against that of the command, and where clicks and keys lead.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launch, open, report, root, run, until, work } from "./browser.ts";

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const words = async (page: Page, selector: string): Promise<string> => (await page.locator(selector).allTextContents()).join("\n");
const openTab = (page: Page, name: string): Promise<void> => page.getByRole("tab", { name }).click();

/** Cells of the n-th picture of a pattern whose middle is not of the color of the paper. */
const filledCells = (page: Page, n: number, rows: number, columns: number): Promise<number> => page.evaluate(([which, r, c]) => {
    const shown = document.querySelectorAll<HTMLCanvasElement>(".inside-spy")[which], canvas = document.createElement("canvas");
    const context = canvas.getContext("2d", { willReadFrequently: true })!; // of a copy: Chromium warns about reading the canvas itself
    [canvas.width, canvas.height] = [shown.width, shown.height];
    context.drawImage(shown, 0, 0);
    const paper = getComputedStyle(shown.closest(".inside-tab")!).backgroundColor.match(/\d+/g)!.map(Number);
    let count = 0;
    for (let i = 0; i < r; i++)
        for (let j = 0; j < c; j++) {
            const x = Math.floor((j + 0.5) * canvas.width / c), y = Math.floor((i + 0.5) * canvas.height / r);
            const [red, green, blue] = context.getImageData(x, y, 1, 1).data;
            count += Number(Math.abs(red - paper[0]) + Math.abs(green - paper[1]) + Math.abs(blue - paper[2]) > 60);
        }
    return count;
}, [n, rows, columns]);

test("Inside shows counters, groups and pattern as the command has them", async () => {
    const scene = join(root, "scenes/jansen_leg.yaml"), { page: file } = report("jansen_leg.yaml", "inside_jansen");
    const { page, complaints, close } = await open(browser, file, { hash: "#tab=inside" });
    const statistics = JSON.parse(run("run", scene, "--json", "-q")).statistics;
    const counters = await words(page, ".inside-counters tbody tr");
    for (const [name, key] of [["steps", "steps"], ["evaluations", "evaluations"], ["refactorizations", "refactorizations"]])
        assert.match(counters, new RegExp(`^${name}${statistics[key]}`, "m"));

    const structure = JSON.parse(run("structure", scene, "--json"));
    const groups = structure.details as { form: string | null; kind: string; from: number[] }[];
    const titles = groups.map((group, k) => `${k + 1}: ${group.form ?? group.kind}`);
    await until("diagram", async () => await page.locator(".inside-figure svg rect").count() === titles.length);
    for (const title of titles)
        assert.ok((await page.locator(".inside-figure svg text").allTextContents()).includes(title), title);
    const arrows = groups.flatMap((group) => group.from.filter((from) => from > 0)).length;
    assert.equal(await page.locator(".inside-figure svg path[marker-end]").count(), arrows);

    const order = JSON.parse(run("order", scene, "--json"));
    await until("pattern", async () => await page.locator(".inside-spy").count() === 2);
    const size = `${order.rows} × ${order.dependent_columns}, ${order.dependent_nonzeros} entries`;
    assert.ok((await words(page, ".inside-spy-title")).includes(size));
    for (const n of [0, 1])
        await until(`entries of picture ${n + 1}`, async () =>
            await filledCells(page, n, order.rows, order.dependent_columns) === order.dependent_nonzeros);
    await page.keyboard.press("d");
    for (const n of [0, 1])
        await until(`entries of picture ${n + 1} in the dark`, async () =>
            await filledCells(page, n, order.rows, order.dependent_columns) === order.dependent_nonzeros);

    await page.locator(".inside-spy").first().focus();
    await page.keyboard.press("ArrowRight");
    assert.match(await words(page, ".inside-words"), /row body 'crank'.*column/);
    await page.keyboard.press("Tab"); // leaves the picture: the keys are the page's again
    assert.deepEqual(complaints, []);
    await close();
});

test("events and parts lead where they stand", async () => {
    const { page: file } = report("bricard.yaml", "inside_bricard");
    const { page, complaints, close } = await open(browser, file, { hash: "#tab=inside" });
    assert.match(await words(page, ".inside-mobility"), /1 degree of freedom.*\n?.*0 by counting/s);
    const part = page.locator(".inside-mobility .inside-findings .inside-part").filter({ hasText: "j6" }).first();
    await part.click();
    await openTab(page, "Model");
    const lines = readFileSync(join(root, "scenes/bricard.yaml"), "utf8").split("\n");
    const line = lines.findIndex((text) => text.includes("name: j6")) + 1;
    await until("mark", async () => (await words(page, ".model-head")).includes(`j6: line ${line}`));
    await until("marked line in sight", () => page.evaluate(() => {
        const mark = document.querySelector(".model-mark")!.getBoundingClientRect();
        return mark.height > 0 && mark.top > 0 && mark.bottom < innerHeight;
    }));

    await openTab(page, "Inside");
    const event = page.locator(".inside-events-table .inside-part").first(), time = Number.parseFloat((await event.textContent())!);
    await event.click();
    await until("time of the event", async () => {
        const t = Number(/[#&]t=([^&]*)/.exec(await page.evaluate(() => location.hash))?.[1]);
        return Math.abs(t - time) < 1e-3 * time; // four digits are shown
    });
    assert.deepEqual(complaints, []);
    await close();
});

test("several runs stand side by side", async () => {
    const a = report("four_bar.yaml", "inside_a"), b = report("four_bar.yaml", "inside_b", "--integrator", "radau");
    const file = join(work, "inside_two.html");
    run("report", a.result, b.result, "-o", file);
    const { page, complaints, close } = await open(browser, file, { hash: "#tab=inside" });
    const steps = (text: string): string[] => text.split("\n").find((row) => row.startsWith("steps"))!.match(/\d+/g)!;
    const before = steps(await words(page, ".inside-counters tbody tr"));
    await page.locator(".inside-choice select").selectOption("1");
    assert.match(await words(page, ".inside-command code"), /radau/);
    assert.match(await words(page, ".inside-list"), /radau/);
    assert.notEqual(before[0], steps(await words(page, ".inside-counters tbody tr"))[0]);
    assert.deepEqual(complaints, []);
    await close();
});

test("names and texts of a model stay text; nothing scrolls sideways on a phone", async () => {
    const evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>", model = join(work, "inside_evil.yaml");
    writeFileSync(model, `model: "${evil}"
gravity: [0, 0, -9.81]
bodies:
  - {name: "${evil}", rod: {from: [0, 0, 0], to: [1, 0, 0]}, mass: 1} # ${evil}
joints:
  - {name: "<b>j</b>", type: revolute, bodies: [ground, "${evil}"], at: [0, 0, 0], axis: [0, 1, 0]}
simulate: {until: 0.5}
`);
    run("run", model, "-q", "-o", join(work, "inside_evil.h5"));
    run("report", join(work, "inside_evil.h5"), "-o", join(work, "inside_evil.html"));
    const phone = { hash: "#tab=model", width: 390, height: 844 };
    const { page, complaints, close } = await open(browser, join(work, "inside_evil.html"), phone);
    const shown = (await page.locator(".model-code").allTextContents()).join("\n");
    assert.equal(shown, readFileSync(model, "utf8").replace(/\n$/, ""));
    for (const tab of ["Model", "Inside"]) {
        await openTab(page, tab);
        await until("tab", async () => await page.locator(".inside-tab:visible").count() === 1);
        assert.equal(await page.locator(".inside-tab :is(script, img, b, style)").count(), 0);
        const [wide, room] = await page.evaluate(() => {
            const panel = [...document.querySelectorAll<HTMLElement>(".inside-tab")].find((element) => element.clientWidth)!.parentElement!;
            return [panel.scrollWidth, panel.clientWidth];
        });
        assert.ok(wide <= room, `${tab}: ${wide} px in ${room}`);
    }
    assert.deepEqual(complaints, []);
    await close();
});
