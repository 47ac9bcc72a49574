// The page without a mouse, without colors, small, dark: names, order and marks of focus, keys, what is read out, the address, the policy.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { hook, inAddress, launch, open, pose, report, seek, sleep, until, watch, type Watched, work } from "./browser.ts";
import { changed, putTogether, takeApart } from "./parts.ts";

const TABS = ["Motion", "Curves", "Inside", "Model"];
let browser: Browser, window: Watched, file: string;
before(async () => {
    browser = await launch();
    const parts = takeApart(report("slider_crank.yaml", "access").page);
    file = putTogether(join(work, "access.html"), changed(parts, (def) => {
        def.runs[0].events.push({ t: def.runs[0].info.until / 2, kind: "warning", text: "half time", part: "" });
    }));
    window = await watch(browser);
    await window.go(file);
});
after(() => browser?.close());

const openTab = (page: Page, name: string): Promise<void> => page.getByRole("tab", { name }).click();
const pressed = async (page: Page, name: string): Promise<boolean> =>
    await page.getByRole("button", { name, exact: true }).first().getAttribute("aria-pressed") === "true";

const CONTROLS = new Set(["button", "slider", "combobox", "textbox", "searchbox", "tab", "checkbox", "link", "menuitem", "menuitemcheckbox",
    "menuitemradio", "spinbutton", "option", "listbox", "splitter", "DisclosureTriangle", "image", "img", "region", "dialog", "menu"]);

/** Controls and pictures that a screen reader finds without a name, by the tree that Chromium gives it. */
async function nameless(page: Page): Promise<string[]> {
    const session = await page.context().newCDPSession(page);
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    await session.detach();
    assert.ok(nodes.length > 30);
    return nodes.filter((node) => !node.ignored && CONTROLS.has(String(node.role?.value)) && !String(node.name?.value ?? "").trim())
        .map((node) => `${node.role?.value} ${JSON.stringify(node.properties?.slice(0, 3))}`);
}

test("every control has a name, in all tabs and menus", async () => {
    const { page } = window;
    for (const tab of TABS) {
        await openTab(page, tab);
        await sleep(100);
        assert.deepEqual(await nameless(page), [], tab);
    }
    await openTab(page, "Motion");
    for (const name of ["Export", "Units and colors", "Options of this plot"]) {
        await page.getByRole("button", { name }).first().click();
        await until(name, async () => await page.getByRole("menu").count() === 1);
        assert.deepEqual(await nameless(page), [], name);
        await page.keyboard.press("Escape");
        assert.equal(await page.getByRole("menu").count(), 0);
    }
});

test("Tab reaches every control, and focus can be seen", async () => {
    const { page } = window;
    for (const tab of TABS) {
        await openTab(page, tab);
        await sleep(100);
        const wanted = await page.evaluate(() => {
            (document.activeElement as HTMLElement).blur();
            const all = [...document.querySelectorAll<HTMLElement>("button, input, select, a[href], summary, [tabindex]")];
            const open_ = all.filter((one) => one.tabIndex >= 0 && !one.matches(":disabled") && one.checkVisibility());
            open_.forEach((one, index) => { one.dataset.test = String(index); });
            return open_.map((one) => one.getAttribute("aria-label") ?? one.textContent ?? "");
        });
        const seen = new Set<number>(), plain: string[] = [];
        for (let press = 0; press < wanted.length + 5; press++) {
            await page.keyboard.press("Tab");
            const { index, ring } = await page.evaluate(() => {
                const focused = document.activeElement as HTMLElement, style = getComputedStyle(focused);
                // the ring of the slider is around its knob, which scripts cannot inspect: see below
                const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1 || focused.matches(".slider");
                return { index: Number(focused.dataset.test ?? -1), ring };
            });
            seen.add(index);
            if (index >= 0 && !ring)
                plain.push(wanted[index]);
        }
        assert.deepEqual(wanted.filter((_, index) => !seen.has(index)), [], `${tab}: not reached`);
        assert.deepEqual(plain, [], `${tab}: focus is not seen`);
    }
    await openTab(page, "Motion");
    const slider = page.getByRole("slider", { name: "Time" }), clip = (await slider.boundingBox())!;
    await slider.focus();
    await page.keyboard.press("Home"); // focus by keys
    const focused = await page.screenshot({ clip });
    await slider.blur();
    assert.notDeepEqual(await page.screenshot({ clip }), focused, "the knob shows no focus");
});

test("what is read out: slider, picture, plots, events, table of values", async () => {
    const { page } = window;
    await seek(page, 0.5);
    const slider = page.getByRole("slider", { name: "Time" });
    assert.equal(await slider.getAttribute("aria-valuetext"), "0.5 seconds");
    const canvas = page.locator(".scene canvas");
    assert.equal(await canvas.getAttribute("role"), "img");
    assert.match(await canvas.getAttribute("aria-label") ?? "", /at 0.5 seconds: .*bodies/);
    for (const plot of await page.locator(".plot [role=img]").all())
        assert.match(await plot.getAttribute("aria-label") ?? "", / over time: \S/);
    const live = page.getByRole("status");
    assert.equal(await live.getAttribute("aria-live"), "polite");
    await seek(page, JSON.parse(takeApart(file).header).runs[0].info.until / 2);
    assert.equal(await live.textContent(), "half time");
    const rows = await page.locator("table.values tbody tr").allTextContents();
    assert.ok(rows.length >= 1 && rows.every((row) => /\d/.test(row)), rows.join());
});

const timeOf = async (page: Page): Promise<number> => Number(await page.getByRole("slider", { name: "Time" }).inputValue()) / 100000;

test("keys do what the list of keys says", async () => {
    const { page } = window, { press } = page.keyboard, key = (name: string): Promise<void> => press.call(page.keyboard, name);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    const frames = JSON.parse(takeApart(file).header).runs[0].frames.count as number, near = (a: number, b: number): void =>
        assert.ok(Math.abs(a - b) < 2e-5, `${a} for ${b}`);
    await key("Home");
    near(await timeOf(page), 0);
    await key("ArrowRight");
    near(await timeOf(page), 1 / (frames - 1));
    await key("Shift+ArrowRight");
    near(await timeOf(page), 1 / (frames - 1) + 0.01);
    await key("Shift+ArrowLeft");
    await key("ArrowLeft");
    near(await timeOf(page), 0);
    await key("End");
    near(await timeOf(page), 1);
    await key("Home");
    await key("Space");
    await until("plays", async () => await timeOf(page) > 0);
    await key("Space");
    const stopped = await timeOf(page);
    await sleep(150);
    near(await timeOf(page), stopped);

    const speed = page.getByRole("combobox", { name: "Speed" }), first = Number(await speed.inputValue());
    await key(".");
    assert.ok(Number(await speed.inputValue()) > first);
    await key(",");
    assert.equal(Number(await speed.inputValue()), first);
    for (const [letter, name] of [["l", "Repeat"], ["t", "Traces"], ["r", "Reactions"], ["g", "Ghosts"], ["n", "Names"]]) {
        const was = await pressed(page, name);
        await key(letter);
        assert.equal(await pressed(page, name), !was, letter);
        await key(letter);
        assert.equal(await pressed(page, name), was, letter);
    }
    await key("c");
    const card = page.locator(".card h2"), one = await card.textContent();
    await key("c");
    assert.notEqual(await card.textContent(), one);
    await key("Escape");
    assert.equal(await card.count(), 0);
    const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.querySelector(".bar")!).backgroundColor);
    const light = await ground();
    await key("d");
    assert.notEqual(await ground(), light);
    await key("d");
    await key("?");
    const list = page.getByRole("dialog", { name: "Keys" }), words = await list.textContent() ?? "";
    for (const what of ["play", "one sample", "one percent", "start, end", "slower, faster", "loop", "fit", "views",
        "traces, reactions, ghosts, names", "next body", "clear the selection", "dark", "this list"])
        assert.ok(words.includes(what), what);
    await key("Escape");
    assert.equal(await list.count(), 0);

    await openTab(page, "Curves");
    await page.getByRole("searchbox").fill("");
    await page.getByRole("searchbox").pressSequentially("dl ?");
    assert.equal(await page.getByRole("searchbox").inputValue(), "dl ?");
    assert.equal(await ground(), light, "a letter typed is no key");
    await page.getByRole("searchbox").fill("");
    await openTab(page, "Motion");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.getByRole("tab", { name: "Curves" }).getAttribute("aria-selected"), "true", "arrows on tabs move between tabs");
    await openTab(page, "Motion");
});

test("keys of views in space", async () => {
    const { page, complaints, close } = await open(browser, report("spatial_slider_crank.yaml", "access-space").page,
        { width: 640, height: 400 });
    const seen = new Set<string>();
    for (const key of "1234567") {
        const before = await inAddress(page, "view");
        await page.keyboard.press(key);
        await until(`view ${key}`, async () => await inAddress(page, "view") !== before);
        seen.add(await inAddress(page, "view") ?? "");
    }
    assert.equal(seen.size, 7);
    const canvas = await page.locator(".scene canvas").boundingBox(), fitted = await inAddress(page, "view");
    await page.mouse.move(canvas!.x + 100, canvas!.y + 100);
    await page.mouse.wheel(0, -400);
    await until("zoom", async () => await inAddress(page, "view") !== fitted);
    const zoomed = await inAddress(page, "view");
    await page.keyboard.press("f");
    await until("fit", async () => await inAddress(page, "view") !== zoomed);
    assert.deepEqual(complaints, []);
    await close();
});

test("the address brings back what was shown", async () => {
    const { page } = window;
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await seek(page, 0.7);
    for (const key of ["g", "d", "c", "."])
        await page.keyboard.press(key);
    await page.locator(".card").getByRole("button", { name: "Plot" }).click();
    await openTab(page, "Curves");
    await until("address", async () => await inAddress(page, "tab") === "curves" && await inAddress(page, "t") === "0.7");
    const names = await page.locator(".plot .key .name").allTextContents(), body = await page.locator(".card h2").textContent();
    const there = await pose(page, body!), hash = new URL(page.url()).hash;
    const other = await open(browser, file, { hash });
    assert.equal(await other.page.getByRole("tab", { name: "Curves" }).getAttribute("aria-selected"), "true");
    assert.deepEqual(await other.page.locator(".plot .key .name").allTextContents(), names);
    assert.deepEqual(await pose(other.page, body!), there);
    assert.equal(await other.page.getByRole("combobox", { name: "Speed" }).inputValue(),
        await page.getByRole("combobox", { name: "Speed" }).inputValue());
    await openTab(other.page, "Motion");
    assert.ok(await pressed(other.page, "Ghosts"));
    assert.equal(await other.page.locator(".card h2").textContent(), body);
    assert.ok(await other.page.getByRole("button", { name: "Light colors" }).isVisible());
    assert.deepEqual(other.complaints, []);
    await other.close();
    for (const nonsense of ["#t=NaN&pick=body.99.7&plots=%E0%A4%A;no.such,&view=%%&run=9&tab=x&mesh=,,,&hide=7,8&follow=99", "#&&==&t"]) {
        const odd = await open(browser, file, { hash: nonsense });
        assert.deepEqual(odd.complaints, [], nonsense);
        assert.equal(await hook(odd.page, (biela) => biela.error), "", nonsense);
        await odd.close();
    }
    await openTab(page, "Motion");
});

/** Things that reach beyond the window at its sides, where nothing scrolls them into sight. */
const beyond = (page: Page): Promise<string[]> => page.evaluate(() => {
    const boxes = [document.documentElement, document.body, ...document.querySelectorAll(".page, .main, .panel, .head, .bar, .side")];
    const wide = boxes.filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
        .map((one) => `${one.className || one.tagName} scrolls`);
    const cut = [...document.querySelectorAll<HTMLElement>(".head button, .bar :is(button, input, select), .scene button, .plot button")]
        .filter((one) => one.checkVisibility() && !one.classList.contains("tick"))
        .filter((one) => one.getBoundingClientRect().left < -1 || one.getBoundingClientRect().right > innerWidth + 1)
        .map((one) => `${one.getAttribute("aria-label") ?? one.textContent} is cut`);
    return [...wide, ...cut];
});

test("a phone and a window at 200 % show everything without moving sideways; dark where the system is", async () => {
    for (const [width, height, dark] of [[390, 844, true], [640, 380, false]] as const) {
        const { page, complaints, close } = await open(browser, file, { width, height, dark, touch: width < 400 });
        const ground = await page.evaluate(() => getComputedStyle(document.querySelector(".bar")!).backgroundColor);
        const paper = ground.match(/\d+/g)!.map(Number);
        assert.equal(Math.max(...paper.slice(0, 3)) < 80, dark, String(paper));
        for (const tab of TABS) {
            await openTab(page, tab);
            await sleep(150);
            assert.deepEqual(await beyond(page), [], `${width} x ${height}, ${tab}`);
        }
        const canvas = (await openTab(page, "Motion"), await page.locator(".scene canvas").boundingBox());
        assert.ok(canvas && canvas.width > 150 && canvas.height > 100, JSON.stringify(canvas));
        assert.deepEqual(complaints, []);
        await close();
    }
});

test("the page plays by itself, but not where motion is to be reduced", async () => {
    const moves = await open(browser, file, { motion: true }), stands = await open(browser, file);
    await until("the page plays", async () => await timeOf(moves.page) > 0);
    await sleep(400);
    assert.equal(await timeOf(stands.page), 0);
    assert.deepEqual([...moves.complaints, ...stands.complaints], []);
    await moves.close();
    await stands.close();
});

test("the policy forbids the network and code made from text", async () => {
    const { page, complaints } = window;
    const policy = await page.evaluate(() => {
        const meta = document.querySelector("meta[http-equiv=Content-Security-Policy]")!, script = document.querySelector("script")!;
        return meta.compareDocumentPosition(script) & Node.DOCUMENT_POSITION_FOLLOWING ? meta.getAttribute("content") : null;
    });
    assert.match(policy ?? "", /^default-src 'none'; script-src 'sha256-/);
    assert.doesNotMatch(policy ?? "", /unsafe-inline|'unsafe-eval'|connect-src|https?:/);
    const tried = await page.evaluate(async () => {
        const refused: string[] = [];
        document.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
        const fetched = await fetch("https://example.invalid/x").then(() => "fetched", () => "refused");
        new Image().src = "https://example.invalid/x.png";
        const script = document.createElement("script");
        script.textContent = "window.bad = 1";
        document.body.append(script);
        await new Promise((resolve) => { setTimeout(resolve, 100); });
        let made = "made"; // behind the pause: what the test itself brings in may use eval
        try {
            (0, eval)("1");
        } catch {
            made = "refused";
        }
        return { fetched, made, refused, bad: (globalThis as unknown as { bad?: number }).bad };
    });
    assert.equal(tried.fetched, "refused");
    assert.equal(tried.made, "refused");
    assert.equal(tried.bad, undefined);
    for (const directive of ["connect-src", "img-src", "script-src"])
        assert.ok(tried.refused.some((one) => one.startsWith(directive)), `${directive} in ${tried.refused.join()}`);
    complaints.splice(0);
});
