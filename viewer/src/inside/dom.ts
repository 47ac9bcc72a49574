// Elements in a line of code. Text goes in as text, never as markup.
import { insideText as text } from "../base/text_inside.ts";
import type { SceneDef } from "../data/header.ts";
import type { Hooks, Picked } from "./hooks.ts";
import { cutAtParts } from "./words.ts";

type Child = Node | string | null | undefined;

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, className = "", ...children: Child[]): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    if (className)
        element.className = className;
    element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined));
    return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
    tag: K, attributes: Record<string, string | number> = {}, ...children: Child[]
): SVGElementTagNameMap[K] {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes))
        element.setAttribute(name, String(value));
    element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined));
    return element;
}

export function button(label: string, className: string, onClick: () => void): HTMLButtonElement {
    const element = el("button", className, label);
    element.type = "button";
    element.addEventListener("click", onClick);
    return element;
}

/** A titled part of the tab. */
export function section(id: string, title: string, ...children: Child[]): HTMLElement {
    const heading = el("h2", "", title), element = el("section", `inside-${id}`, heading, ...children);
    heading.id = `inside-${id}`;
    element.setAttribute("aria-labeledby", heading.id);
    return element;
}

export const sentence = (words: string): HTMLParagraphElement => el("p", "inside-plain", words);

/** Name of a part that picks it. */
export function partButton(name: string, part: Picked, hooks: Hooks): HTMLButtonElement {
    return button(name, "inside-part", () => hooks.pick(part));
}

/** A sentence of the result in which names of parts can be picked. */
export function withParts(scene: SceneDef, words: string, run: number, hooks: Hooks): (Node | string)[] {
    return cutAtParts(scene, words, run).map((piece) => (typeof piece === "string" ? piece : partButton(piece.name, piece.part, hooks)));
}

async function copyText(words: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(words);
        return true;
    } catch {
        // a page from disk may not have the clipboard: the older interface needs a selection
        const area = el("textarea", "inside-offscreen");
        area.value = words;
        document.body.append(area);
        area.select();
        let done = false;
        try {
            done = document.execCommand("copy");
        } catch {
            done = false;
        }
        area.remove();
        return done;
    }
}

export function copyButton(label: string, words: () => string): HTMLButtonElement {
    const element = button(text.copy, "inside-button", () => {
        void copyText(words()).then((done) => {
            element.textContent = done ? text.copied : text.notCopied;
            setTimeout(() => { element.textContent = text.copy; }, 1600);
        });
    });
    element.setAttribute("aria-label", label);
    return element;
}

/** Table with a head; cells are texts or elements. */
export function table(className: string, head: Child[], rows: Child[][]): HTMLTableElement {
    const th = head.map((child) => {
        const cell = el("th", "", child);
        cell.scope = "col";
        return cell;
    });
    return el("table", className, el("thead", "", el("tr", "", ...th)), el("tbody", "", ...rows.map((row) =>
        el("tr", "", ...row.map((child) => el("td", "", child))))));
}

/** Canvas of a size in CSS pixels with at least two pixels each, so that slanted lines are smooth. */
export function sizeCanvas(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
    const ratio = Math.max(2, Math.ceil(window.devicePixelRatio || 1));
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        canvas.style.width = `${width}px`;
        canvas.style.height = `${height}px`;
    }
    const context = canvas.getContext("2d");
    context?.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
}

/** Calls back with the width of an element when it is shown and whenever it changes; never while it is hidden. */
export function onWidth(element: HTMLElement, callback: (width: number) => void): void {
    let last = 0;
    const observer = new ResizeObserver(() => {
        const width = element.clientWidth;
        if (width > 0 && width !== last) {
            last = width;
            callback(width);
        }
    });
    observer.observe(element);
}
