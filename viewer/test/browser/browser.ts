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

/** One that is ended at once: closing would wait until every requested picture has been painted. */
export async function launchToKill(): Promise<{ browser: Browser; kill: () => Promise<void> }> {
    const server = await chromium.launchServer({ executablePath, args: flags });
    return { browser: await chromium.connect(server.wsEndpoint()), kill: () => server.kill() };
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
    error: string;
    seek(t: number): void;
    pose(body: string): number[];
    value(name: string): Promise<number>;
    pick(x: number, y: number): string;
    frameTime(): number;
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => { setTimeout(resolve, ms); });

/** Waits until it is true: waitForFunction needs eval, which the policy forbids. */
export async function until(what: string, ask: () => Promise<boolean>, seconds = 60): Promise<void> {
    const end = Date.now() + 1000 * seconds;
    while (!await ask()) {
        if (Date.now() > end)
            throw new Error(`${what}: not after ${seconds} s`);
        await sleep(30);
    }
}

export const hook = <T>(page: Page, ask: (biela: Hook, word: string | number) => T, word: string | number = ""): Promise<Awaited<T>> =>
    page.evaluate(`(${ask.toString()})(window.biela, ${JSON.stringify(word)})`) as Promise<Awaited<T>>;
export const seek = (page: Page, t: number): Promise<void> => hook(page, (biela, time) => biela.seek(time as number), t);
export const value = (page: Page, name: string): Promise<number> => hook(page, (biela, which) => biela.value(which as string), name);
export const pose = (page: Page, body: string): Promise<number[]> =>
    hook(page, (biela, which) => Array.from(biela.pose(which as string)), body);
/** What the page keeps behind # for a key; it writes with a delay. */
export const inAddress = async (page: Page, key: string): Promise<string | undefined> =>
    decodeURIComponent(new RegExp(`[#&]${key}=([^&]*)`).exec(new URL(page.url()).hash)?.[1] ?? "") || undefined;

export interface Look {
    width?: number;
    height?: number;
    dark?: boolean;
    motion?: boolean; // the user does not prefer reduced motion
    touch?: boolean;
    before?: () => void; // runs in the page before its own program
}

export interface Watched {
    page: Page;
    complaints: string[]; // console, exceptions, requests, policy
    go(file: string, hash?: string): Promise<void>;
    close(): Promise<void>;
}

/** A window that notes everything a report must not do. */
export async function watch(browser: Browser, look: Look = {}): Promise<Watched> {
    const context = await browser.newContext({
        viewport: { width: look.width ?? 1280, height: look.height ?? 760 },
        colorScheme: look.dark ? "dark" : "light",
        reducedMotion: look.motion ? "no-preference" : "reduce",
        hasTouch: look.touch ?? false,
        acceptDownloads: true,
    });
    const page = await context.newPage(), complaints: string[] = [];
    page.setDefaultTimeout(60000);
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
    if (look.before)
        await page.addInitScript(look.before);
    const go = async (file: string, hash = ""): Promise<void> => {
        await page.goto(pathToFileURL(file).href + hash);
        await until(`${file} ready`, () => page.evaluate(() => (window as unknown as { biela?: Hook }).biela?.ready ?? false));
    };
    return { page, complaints, go, close: () => context.close() };
}

/** Opens a report in a window of its own and waits until it is ready. */
export async function open(browser: Browser, file: string, more: Look & { hash?: string } = {}): Promise<Watched> {
    const watched = await watch(browser, more);
    await watched.go(file, more.hash);
    return watched;
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
