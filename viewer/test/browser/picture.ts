// Pictures of scenes beside the stored ones.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { pictures, work } from "./browser.ts";
import { compare, readPng } from "./png.ts";

/** The scene alone beside its stored picture. BIELA_PICTURES=write stores new ones; inspect them. */
export async function picture(page: Page, name: string): Promise<void> {
    // by its position: waiting until an element stops moving takes long without a graphics card
    const clip = (await page.locator(".scene").boundingBox())!, shot = await page.screenshot({ clip, timeout: 120000 });
    const stored = join(pictures, `${name}.png`), taken = join(work, `${name}.png`);
    writeFileSync(taken, shot);
    if (process.env.BIELA_PICTURES === "write") {
        mkdirSync(pictures, { recursive: true });
        const palette = "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=dither=none";
        execFileSync("ffmpeg", ["-v", "error", "-y", "-i", taken, "-vf", palette, stored]);
        assert.ok(statSync(stored).size < 100000, `${stored} is larger than 100 kB`);
        return;
    }
    assert.ok(existsSync(stored), `there is no picture ${stored}: BIELA_PICTURES=write stores one`);
    const { share, worstTile } = compare(readPng(shot), readPng(readFileSync(stored)));
    assert.ok(share <= 0.005 && worstTile <= 0.2,
        `${name}: ${(100 * share).toFixed(2)} % of the pixels differ (0.5 allowed), ` +
        `${(100 * worstTile).toFixed(0)} % in one tile (20 allowed); see ${join(work, name)}.png beside ${stored}`);
}
