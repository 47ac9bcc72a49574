// A report in Debian's Chromium: opened from disk, watched for everything it must not do.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";

const viewer = join(dirname(fileURLToPath(import.meta.url)), "../../..");
export const root = join(viewer, "..");
export const biela = process.env.BIELA ?? join(root, "build/biela");
export const work = process.env.BIELA_BROWSER_WORK ?? join(viewer, "test/out/pages");
export const pictures = join(viewer, "test/pictures");
mkdirSync(work, { recursive: true });

const executablePath = [process.env.BIELA_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
    .find((path) => path && existsSync(path));

/** Flags that give the same picture on every machine without a screen. */
const flags = ["--enable-unsafe-swiftshader", "--use-angle=swiftshader", "--hide-scrollbars", "--force-color-profile=srgb",
    "--font-render-hinting=none", "--disable-lcd-text", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])];

export function launch(...more: string[]): Promise<Browser> {
    if (!executablePath)
        throw new Error("no Chromium: scripts/bootstrap browser installs it");
    return chromium.launch({ executablePath, args: [...flags, ...more] });
}

/** Runs the command; its standard output. */
export function run(...args: string[]): string {
    return execFileSync(biela, args, { cwd: work, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
}

/** A scene simulated with a table beside the result, and its report: paths of both. */
export function report(scene: string, name: string, ...options: string[]): { page: string; table: string; result: string } {
    const [page, table, result] = [".html", ".csv", ".h5"].map((end) => join(work, name + end));
    run("run", join(root, "scenes", scene), "-q", "-o", result, "--csv", table, ...options);
    run("report", result, "-o", page);
    return { page, table, result };
}

export interface Hook {
    ready: boolean;
    error?: string;
    seek(t: number): void;
    pose(body: string): number[];
    value(name: string): Promise<number>;
    frameTime(): Promise<number>;
}

export interface Opened { page: Page; complaints: string[]; close(): Promise<void> }

/** Opens a page and waits until it is ready. waitForFunction needs eval, which the policy forbids: asked again and again instead. */
export async function open(browser: Browser, file: string, more: { width?: number; height?: number; hash?: string; dark?: boolean } = {}):
    Promise<Opened> {
    const context = await browser.newContext({
        viewport: { width: more.width ?? 1280, height: more.height ?? 760 },
        colorScheme: more.dark ? "dark" : "light",
        reducedMotion: "reduce",
        acceptDownloads: true,
    });
    const page = await context.newPage(), complaints: string[] = [];
    page.on("console", (message) => {
        const text = message.text();
        if (["error", "warning"].includes(message.type()) && !/GPU stall due to ReadPixels/.test(text))
            complaints.push(`${message.type()}: ${text}`);
    });
    page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
    page.on("request", (request) => {
        if (!/^(file|blob|data):/.test(request.url()))
            complaints.push(`request: ${request.url()}`);
    });
    await page.addInitScript(() => {
        document.addEventListener("securitypolicyviolation",
            (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
    });
    await page.goto(pathToFileURL(file).href + (more.hash ?? ""));
    const end = Date.now() + 60000;
    while (!await page.evaluate(() => (window as unknown as { biela?: Hook }).biela?.ready ?? false)) {
        if (Date.now() > end)
            throw new Error(`${file} was not ready after 60 s: ${complaints.join("; ")}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return { page, complaints, close: () => context.close() };
}

/** The table of a run: columns by name. A probe may be called as a body is: the body's columns come first and count. */
export function readTable(text: string): Map<string, number[]> {
    const [head, ...rows] = text.trim().split("\n").map((line) => line.split(","));
    const table = new Map<string, number[]>();
    head.forEach((name, k) => {
        if (!table.has(name))
            table.set(name, rows.map((row) => Number(row[k])));
    });
    return table;
}
