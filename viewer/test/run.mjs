// Bundles every *.test.ts of a folder (unit, browser) to test/out and runs them with Node's own runner.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const skip = (why) => {
    console.log(`skipped: ${why}`);
    process.exit(77);
};

const here = dirname(fileURLToPath(import.meta.url)), group = process.argv[2] ?? "unit", only = process.argv[3] ?? "";
if (!existsSync(join(here, "../node_modules/esbuild")))
    skip("the packages of viewer/ are not installed (npm ci --ignore-scripts)");
const browsers = [process.env.BIELA_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
if (group === "browser" && !browsers.some((path) => path && existsSync(path)))
    skip("there is no Chromium (scripts/bootstrap browser)");
const { build } = await import("esbuild");

const out = join(here, "out", group);
rmSync(out, { recursive: true, force: true });
const entries = readdirSync(join(here, group)).filter((name) => name.endsWith(".test.ts") && name.includes(only));
await build({
    entryPoints: entries.map((name) => join(here, group, name)),
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node18",
    sourcemap: "inline",
    logLevel: "error",
});
const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...entries.map((name) => join(out, name.replace(/\.ts$/, ".mjs")))],
    { stdio: "inherit" });
process.exit(run.status ?? 1);
