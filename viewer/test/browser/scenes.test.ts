// Reports of six models in a real browser: quiet, playing, seeking, the numbers of the result file, picking, exporting, and their pictures.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { hook, inAddress, launch, open, pose, readTable, report, seek, sleep, until, value } from "./browser.ts";
import { picture } from "./picture.ts";

interface Case {
    name: string;
    scene: string;
    options: string[];
    body: string;
    curve: string;
    space?: boolean;
    small?: boolean;
    plotted?: string; // name of the body among the curves, where it differs
}

const cases: Case[] = [
    { name: "pendulum", scene: "pendulum.yaml", options: [], body: "bob", curve: "pivot.angle" },
    { name: "bricard", scene: "bricard.yaml", options: [], body: "rod3", curve: "j1.angle", space: true },
    { name: "vehicle", scene: "vehicle.yaml", options: ["--set", "damping=2000", "--until", "3"], body: "chassis", curve: "RLd.distance",
        space: true },
    // a probe is called foot too
    { name: "jansen", scene: "jansen_leg.yaml", options: [], body: "foot", curve: "O.angle", plotted: "foot (body)" },
    { name: "n_four_bar", scene: "n_four_bar.yaml", options: ["--set", "N=160"], body: "crank80", curve: "A0.angle", small: true },
];

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/** Largest extent of the mass centers over the run. */
function extent(table: Map<string, number[]>): number {
    const bodies = [...table.keys()].filter((key) => key.endsWith(".qw")).map((key) => key.slice(0, -3));
    return Math.max(...["x", "y", "z"].map((c) => {
        const all = bodies.flatMap((body) => table.get(`${body}.${c}`)!);
        return all.reduce((a, b) => Math.max(a, b), -Infinity) - all.reduce((a, b) => Math.min(a, b), Infinity);
    }));
}

/** Where a click picks the body: tested in the page at points 7 px apart that nothing covers. */
const spotOf = (page: Page, body: string): Promise<[number, number] | null> => hook(page, (biela, name) => {
    const canvas = document.querySelector(".scene canvas")!, { left, top, right, bottom } = canvas.getBoundingClientRect();
    for (let y = top + 3; y < bottom; y += 7)
        for (let x = left + 3; x < right; x += 7)
            if (biela.pick(x, y) === `body ${name}` && document.elementFromPoint(x, y) === canvas)
                return [x, y] as [number, number];
    return null;
}, body);

/** The file behind an entry of the menu Export, read as a table. */
async function exported(page: Page, entry: string): Promise<Map<string, number[]>> {
    await page.getByRole("button", { name: "Export" }).click();
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: entry }).click()]);
    const text = readFileSync(await file.path(), "utf8");
    const digits = (word: string): number => word.replace(/e.*|[^0-9]/g, "").replace(/^0+/, "").length;
    assert.ok(text.split("\n").slice(1).every((row) => row.split(",").every((word) => digits(word) <= 9)), "more than nine digits");
    return readTable(text);
}

for (const { name, scene, options, body, curve, space, small, plotted } of cases)
    test(`report of ${name}`, async () => {
        const files = report(scene, name, ...options), table = readTable(readFileSync(files.table, "utf8"));
        // painted without a graphics card: in space every picture takes seconds
        const look = { ...(space ? { width: 860, height: 560 } : {}), hash: "#show=tnd" };
        const { page, complaints, close } = await open(browser, files.page, look);
        const times = table.get("t")!, size = extent(table), samples = [0, 0.37, 1].map((share) => Math.round(share * (times.length - 1)));
        // positions are stored to 1e-6 of the extent, curves as float32
        const agrees = (column: string, now: number, k: number): void => {
            const expected = table.get(column)![k], place = /^(.*)\.[xyz]$/.exec(column)?.[1];
            const error = place && table.has(`${place}.qw`) ? 2e-6 * size : 1e-6 * Math.max(1, Math.abs(expected));
            assert.ok(Math.abs(now - expected) <= error, `${column} at ${times[k]} s: ${now} for ${expected}`);
        };

        for (const k of samples) {
            await seek(page, times[k]);
            const there = await pose(page, body);
            ["x", "y", "z"].forEach((c, i) => agrees(`${body}.${c}`, there[i], k));
            agrees(curve, await value(page, curve), k);
        }
        for (const share of space ? [0.37, 0.8] : small ? [0.37] : [0, 0.37, 0.8]) {
            await seek(page, times[Math.round(share * (times.length - 1))]);
            await picture(page, `${name}-${Math.round(100 * share)}`);
        }
        if (small) { // links are lines; from near they have their pins again
            const box = (await page.locator(".scene canvas").boundingBox())!, view = await inAddress(page, "view");
            await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
            for (let k = 0; k < 8; k++)
                await page.mouse.wheel(0, -500);
            await until("zoomed", async () => { // the address follows when nothing has moved for 0.4 s
                const now = await inAddress(page, "view");
                await sleep(500);
                return now !== view && now === await inAddress(page, "view");
            });
            await page.mouse.move(5, 5);
            await picture(page, `${name}-near`);
        }

        // a click picks, "Plot" puts the body's curves before the others, the file has the numbers of the table
        const spot = await spotOf(page, body), plots = await page.locator(".plot").count();
        assert.ok(spot, `no place of the picture belongs to ${body}`);
        await page.mouse.click(...spot);
        const card = page.getByRole("region", { name: `Body ${body}` });
        await until("card", () => card.isVisible());
        assert.equal(await card.getByRole("heading").textContent(), body);
        await card.getByRole("button", { name: "Plot" }).click();
        await until("plots of the body", async () => await page.locator(".plot").count() > plots);
        assert.ok((await page.locator(".plot .key .name").allTextContents()).includes(`${plotted ?? body}.x`));
        const file = await exported(page, "Curves shown (CSV)"), column = (name: string): string => name.replace(" (body).", ".");
        const shared = [...file.keys()].filter((name) => table.has(column(name)));
        assert.ok(file.has("time") && shared.includes(`${plotted ?? body}.x`) && shared.length >= 3, [...file.keys()].join());
        for (const k of samples) {
            const row = file.get("time")!.findIndex((t) => Math.abs(t - times[k]) <= 1e-8 * Math.max(1, times[k]));
            assert.ok(row >= 0, `no row of ${times[k]} s`);
            for (const name of shared)
                agrees(column(name), file.get(name)![row], k);
        }

        await seek(page, 0);
        const slider = page.getByRole("slider", { name: "Time" });
        await page.getByRole("button", { name: "Play", exact: true }).click();
        await until("the slider moves while playing", async () => Number(await slider.inputValue()) > 0);
        await page.getByRole("button", { name: "Pause" }).click();
        await until("the address has the time", async () => Number(await inAddress(page, "t")) > 0);

        assert.deepEqual(complaints, []);
        await close();
    });
