// Every kind of joint and spring in one page of the plane and one of space: drawn without a complaint, and as in the stored pictures.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { joints, springs } from "../../src/symbol/list.ts";
import { launch, open, report, seek } from "./browser.ts";
import { picture } from "./picture.ts";

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/** Kinds of a gallery, drawn without a complaint; `stored`: it has a stored picture. */
async function gallery(where: string, stored: boolean): Promise<string[]> {
    const files = report(`../viewer/test/data/joints_${where}.yaml`, `joints_${where}`);
    const { page, complaints, close } = await open(browser, files.page, { hash: "#show=nd&split=0" });
    const kinds = await page.evaluate(() => {
        const { scene } = JSON.parse(document.getElementById("biela")!.textContent!).runs[0];
        return [...scene.joints, ...scene.springs].map((part: { kind: string }) => part.kind);
    });
    await seek(page, 0.4);
    if (stored)
        await picture(page, `joints_${where}`);
    assert.deepEqual(complaints, []);
    await close();
    return kinds;
}

for (const where of ["plane", "space"])
    test(`symbols in ${where}`, async () => {
        const kinds = [...await gallery(where, true), ...await gallery(`${where}_more`, false), ...await gallery(`${where}_cams`, true)];
        for (const { kind } of where === "space" ? [...joints, ...springs] : []) // a new kind comes into a gallery too
            assert.ok(kinds.includes(kind), `${kind} is missing in joints_space*.yaml`);
    });
