// Several runs in one report: overlay, legend, differences; the table of a comparison with the motions behind it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { type Hook, launch, open, readTable, root, run, work } from "./browser.ts";

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

type Table = Map<string, number[]>;
const openTab = (page: Page, name: string): Promise<void> => page.getByRole("tab", { name }).click();
const seek = (page: Page, t: number): Promise<void> => page.evaluate((time) => (window as unknown as { biela: Hook }).biela.seek(time), t);
const scene = (name: string): string => join(root, "scenes", name);

/** A run of a scene: its result and its table. */
function made(model: string, name: string, ...options: string[]): { result: string; table: Table } {
    const result = join(work, `${name}.h5`), table = join(work, `${name}.csv`);
    run("run", scene(model), "-q", "-o", result, "--csv", table, ...options);
    return { result, table: readTable(readFileSync(table, "utf8")) };
}

/** Values in the legend of the plot of a title at this time, by the names of its curves. */
const key = (page: Page, title: string): Promise<Record<string, string>> => page.evaluate((head) => {
    const plots = [...document.querySelectorAll(".plot")].filter((plot) => plot.querySelector("h2")?.textContent?.includes(head));
    const rows = plots.flatMap((plot) => [...plot.querySelectorAll(".key li")]);
    const part = (row: Element, name: string): string => row.querySelector(name)?.textContent ?? "";
    return Object.fromEntries(rows.map((row) => [part(row, ".name"), part(row, ".now")]));
}, title);

/** Numbers of the page: U+2212 as minus, powers of ten in superscripts. */
const number = (text: string): number => Number(text.replace(/[^\d.\u2212×⁻⁰¹²³⁴⁵⁶⁷⁸⁹]/g, "").replace(/\u2212/g, "-").replace("×10", "e")
    .replace(/[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (letter) => "-0123456789"["⁻⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(letter)]));

async function exported(page: Page, item: string): Promise<string> {
    await page.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: item }).click()]);
    return readFileSync(await download.path(), "utf8");
}

test("two runs: legend, overlay, and the difference of a curve", async () => {
    const a = made("slider_crank.yaml", "two_a", "--set", "a=0.2"), b = made("slider_crank.yaml", "two_b", "--set", "a=0.15");
    const file = join(work, "two.html");
    run("report", a.result, b.result, "-o", file);
    const { page, complaints, close } = await open(browser, file);
    assert.deepEqual(await page.locator(".runs .run-button").allTextContents(), ["a=0.2", "a=0.15"]);
    assert.deepEqual((await page.locator(".plot").first().locator(".key .name").allTextContents()).slice(0, 2),
        ["A.angle, a=0.2", "A.angle, a=0.15"]);

    await openTab(page, "Curves");
    const name = "A.angle: a=0.15 \u2212 a=0.2";
    await page.getByRole("searchbox").first().fill("A.angle");
    await page.getByRole("button", { name, exact: true }).click();
    const times = a.table.get("t")!, [first, second] = [a, b].map(({ table }) => table.get("A.angle")!);
    assert.deepEqual(b.table.get("t"), times);
    for (const share of [0.11, 0.52, 0.93]) {
        const k = Math.round(share * (times.length - 1)), expected = (second[k] - first[k]) * 180 / Math.PI;
        await seek(page, times[k]);
        const shown = number((await key(page, "Angle"))[name] ?? (await key(page, "angle"))[name]);
        assert.ok(Math.abs(shown - expected) <= 5.1e-4 * Math.abs(expected), `${shown} degrees at ${times[k]} s where ${expected} are`);
    }
    // nine digits: only the single precision of the two curves remains
    const table = readTable((await exported(page, "Curves shown (CSV)")).replace(/"/g, ""));
    const column = [...table.keys()].find((head) => head.startsWith("A.angle [") && head.includes(" - "))!;
    const most = Math.max(...first.map(Math.abs), ...second.map(Math.abs));
    assert.equal(table.get(column)!.length, times.length);
    table.get(column)!.forEach((value, k) =>
        assert.ok(Math.abs(value - (second[k] - first[k])) <= 1.3e-7 * most, `${column} at ${times[k]} s`));
    assert.deepEqual(complaints, []);
    await close();
});

test("models with other bodies share a page, and are drawn when they are chosen", async () => {
    const results = [["four_bar.yaml", "mixed_a"], ["pendulum.yaml", "mixed_b"], ["bricard.yaml", "mixed_c"]]
        .map(([model, name]) => made(model, name, "--until", "0.5").result), file = join(work, "mixed.html");
    run("report", ...results, "-o", file);
    const { page, complaints, close } = await open(browser, file);
    const labels = await page.locator(".runs .run-button").allTextContents();
    assert.equal(labels.length, 3);
    labels.forEach((label, k) => assert.match(label, [/^Four-bar linkage/, /^Simple pendulum/, /^Bricard/][k]));
    assert.ok(labels.every((label) => !/,\s*$/.test(label)), labels.join("; "));
    const keys = await page.locator(".plot").first().locator(".key .name").allTextContents();
    assert.ok(keys.every((name) => name.includes("Four-bar")), keys.join("; "));
    await page.locator(".runs .run-button").nth(1).click();
    await openTab(page, "Model");
    assert.match(await page.locator(".panel.model").innerText(), /pendulum/);
    assert.deepEqual(complaints, []);
    await close();
});

test("a comparison shows its table, and a row the motion behind it", async () => {
    const file = join(work, "comparison.html");
    const { entries, counts } = JSON.parse(run("compare", scene("pendulum.yaml"), "--until", "0.3", "--tolerance", "1e-4", "--json", "-q",
        `--report=${file}`)) as { entries: Record<string, string>[]; counts: Record<string, number> };
    const { page, complaints, close } = await open(browser, file, { hash: "#tab=comparison" });
    const rows = page.locator(".inside-comparison tbody tr");
    assert.equal(await rows.count(), entries.length + 1); // the reference stands first
    for (const k of [0, 5, entries.length - 1]) {
        const cells = await rows.nth(k + 1).locator("td").allTextContents(), { coordinates, formulation, integrator, status } = entries[k];
        assert.deepEqual(cells.slice(0, 4), [coordinates, formulation, integrator, status]);
        assert.equal(cells[cells.length - 1], entries[k].reason ?? "");
    }
    assert.equal(await rows.filter({ hasText: "refused" }).locator("button").count(), 0);
    // the reference, the first row, five nearest, five farthest
    const linked = page.locator(".inside-comparison tr.inside-link");
    assert.equal(await linked.count(), 12);
    const notes = (await page.locator(".inside-comparison .inside-note").allTextContents()).join(" ");
    assert.match(notes, new RegExp(`${counts.agreed} agreed, ${counts.disagreed} disagreed`));
    assert.match(notes, new RegExp(`${counts.agreed + counts.disagreed - 11} more were completed`));

    const last = linked.last(), words = (await last.locator("td").allTextContents()).slice(0, 3).join(", ");
    await last.locator("button").click();
    assert.equal(await last.getAttribute("aria-selected"), "true");
    await openTab(page, "Motion");
    assert.equal(await page.locator(".run-choice option:checked").textContent(), words);
    const names = await page.locator(".plot").first().locator(".key .name").allTextContents();
    assert.ok(names.some((name) => name.endsWith(", reference")) && names.some((name) => name.endsWith(`, ${words}`)), names.join("; "));
    assert.ok(names.every((name) => name.endsWith(", reference") || name.endsWith(`, ${words}`)), names.join("; "));
    await openTab(page, "Inside");
    assert.match(await page.locator(".panel.inside").innerText(), /biela run .*pendulum\.yaml --coordinates/);
    assert.deepEqual(complaints, []);
    await close();
});
