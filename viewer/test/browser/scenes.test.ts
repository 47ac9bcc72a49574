// Reports of six models in a real browser: quiet, playing, seeking, the numbers of the result file, picking, exporting, and their pictures.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { type Hook, launch, open, pictures, readTable, report, work } from "./browser.ts";
import { compare, readPng } from "./png.ts";

interface Case { name: string; scene: string; options: string[]; body: string; curve: string }

const cases: Case[] = [
    { name: "pendulum", scene: "pendulum.yaml", options: [], body: "bob", curve: "pivot.angle" },
    { name: "bricard", scene: "bricard.yaml", options: [], body: "rod3", curve: "j1.angle" },
    { name: "vehicle", scene: "vehicle.yaml", options: ["--set", "damping=2000", "--until", "3"], body: "chassis", curve: "RLd.distance" },
    { name: "jansen", scene: "jansen_leg.yaml", options: [], body: "foot", curve: "O.angle" },
    { name: "n_four_bar", scene: "n_four_bar.yaml", options: ["--set", "N=160"], body: "crank80", curve: "A0.angle" },
];

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const seek = (page: Page, t: number): Promise<void> => page.evaluate((time) => (window as unknown as { biela: Hook }).biela.seek(time), t);
const value = (page: Page, name: string): Promise<number> =>
    page.evaluate((which) => (window as unknown as { biela: Hook }).biela.value(which), name);
const pose = (page: Page, body: string): Promise<number[]> =>
    page.evaluate((which) => Array.from((window as unknown as { biela: Hook }).biela.pose(which)), body);

/** The scene alone beside its stored picture. BIELA_PICTURES=write stores new ones, to be looked at. */
async function picture(page: Page, name: string): Promise<void> {
    // by its place: waiting for an element to stand still takes long where a processor paints
    const clip = (await page.locator(".scene").boundingBox())!, shot = await page.screenshot({ clip, timeout: 120000 });
    const stored = join(pictures, `${name}.png`);
    writeFileSync(join(work, `${name}.png`), shot);
    if (process.env.BIELA_PICTURES === "write") {
        mkdirSync(pictures, { recursive: true });
        writeFileSync(stored, shot);
        return;
    }
    assert.ok(existsSync(stored), `there is no picture ${stored}: BIELA_PICTURES=write stores one`);
    const { share, worstTile } = compare(readPng(shot), readPng(readFileSync(stored)));
    assert.ok(share <= 0.005 && worstTile <= 0.2,
        `${name}: ${(100 * share).toFixed(2)} % of the pixels differ (0.5 allowed), ` +
        `${(100 * worstTile).toFixed(0)} % in one tile (20 allowed); see ${join(work, name)}.png beside ${stored}`);
}

/** Largest extent of the mass centers over the run. */
function extent(table: Map<string, number[]>): number {
    const bodies = [...table.keys()].filter((key) => key.endsWith(".qw")).map((key) => key.slice(0, -3));
    return Math.max(...["x", "y", "z"].map((c) => {
        const all = bodies.flatMap((body) => table.get(`${body}.${c}`)!);
        return all.reduce((a, b) => Math.max(a, b), -Infinity) - all.reduce((a, b) => Math.min(a, b), Infinity);
    }));
}

for (const { name, scene, options, body, curve } of cases)
    test(`report of ${name}`, async () => {
        const files = report(scene, name, ...options), table = readTable(readFileSync(files.table, "utf8"));
        const { page, complaints, close } = await open(browser, files.page);
        const times = table.get("t")!, places = ["x", "y", "z"].map((c) => table.get(`${body}.${c}`)!);
        const size = extent(table);

        for (const share of [0, 0.37, 1]) {
            const k = Math.round(share * (times.length - 1));
            await seek(page, times[k]);
            const there = await pose(page, body), expected = table.get(curve)![k];
            places.forEach((row, c) => assert.ok(Math.abs(there[c] - row[k]) <= 2e-6 * size, `${body} at ${times[k]} s`));
            assert.ok(Math.abs(await value(page, curve) - expected) <= 1e-6 * Math.max(1, Math.abs(expected)), `${curve} at ${times[k]} s`);
        }
        for (const share of [0, 0.37, 0.8]) {
            await seek(page, times[Math.round(share * (times.length - 1))]);
            await picture(page, `${name}-${Math.round(100 * share)}`);
        }

        // plays
        await seek(page, 0);
        await page.keyboard.press("Space");
        await page.waitForTimeout(600);
        await page.keyboard.press("Space");
        const slider = page.getByRole("slider", { name: /time/i });
        assert.ok(Number(await slider.inputValue()) > 0, "the slider did not move while playing");

        assert.deepEqual(complaints, []);
        await close();
    });
