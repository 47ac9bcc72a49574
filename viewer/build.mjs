// Bundles src/page/main.ts and style.css into dist/page.html: one page with everything inline and a policy that lets nothing else run.
// The command puts title and data in at the two marks. The hashes of the policy are those of program and style, the same in every report.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist", "page.html");

const bundle = async (entry, loader) => {
    const result = await build({
        entryPoints: [join(here, entry)],
        bundle: true,
        minify: true,
        write: false,
        format: "iife",
        target: "es2022",
        charset: "ascii", // the page may be read in any encoding
        legalComments: "none", // the foot of the page names three and uPlot with their license
        loader,
        absWorkingDir: here,
    });
    return result.outputFiles[0].text;
};

const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

// inside strings and regular expressions alone: esbuild leaves no markup elsewhere
const program = (await bundle("src/page/main.ts", {})).replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
const style = await bundle("src/page/style.css", {});
if (/<\/style/i.test(style))
    throw new Error("build.mjs: the stylesheet holds </style");

const policy = [
    "default-src 'none'",
    `script-src ${hash(program)}`,
    `style-src ${hash(style)}`,
    "img-src data: blob:",
    "media-src blob:",
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
].join("; ");

// a function as replacement: `$&` in the program is no pattern
const page = readFileSync(join(here, "src/page/page.html"), "utf8")
    .replace("<!--biela:policy-->", () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replace("<!--biela:style-->", () => `<style>${style}</style>`)
    .replace("<!--biela:program-->", () => `<script>${program}</script>`);

mkdirSync(dirname(out), { recursive: true });
writeFileSync(`${out}~${process.pid}`, page); // build trees may make it at the same time
renameSync(`${out}~${process.pid}`, out);
console.log(`${out}: ${(page.length / 1e6).toFixed(2)} MB`);
