// Elements without markup: text is set by textContent, so that names from models stay text.

type Child = Node | string | null;
export interface Attributes { class?: string; text?: string; [attribute: string]: string | number | boolean | undefined }

export function make<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {},
    ...children: Child[]): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === false)
            continue;
        if (name === "text")
            element.textContent = String(value);
        else
            element.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children)
        if (child !== null)
            element.append(child);
    return element;
}

export function drawing(size: number, paths: readonly string[], filled = false): SVGSVGElement {
    const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg");
    svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
    svg.setAttribute("width", String(size));
    svg.setAttribute("height", String(size));
    svg.setAttribute("aria-hidden", "true");
    svg.setAttribute("class", filled ? "icon filled" : "icon");
    for (const d of paths) {
        const path = document.createElementNS(space, "path");
        path.setAttribute("d", d);
        svg.append(path);
    }
    return svg;
}

/** A button with a picture: its name is read out and shown when the pointer rests on it. */
export function button(name: string, picture: SVGSVGElement | null, onClick: () => void, className = "tool"): HTMLButtonElement {
    const element = make("button", { class: className, type: "button" });
    if (picture) {
        element.append(picture);
        label(element, name);
    } else {
        element.textContent = name;
    }
    element.addEventListener("click", onClick);
    return element;
}

/** key: the one on the keyboard that does the same. */
export function label(element: HTMLElement, name: string, key = ""): void {
    element.setAttribute("aria-label", name);
    element.title = key ? `${name} (${key})` : name;
    if (key)
        element.setAttribute("aria-keyshortcuts", key);
}

/** Hands a file to the user. */
export function download(name: string, content: Blob | string, type = "text/plain"): void {
    const blob = typeof content === "string" ? new Blob([content], { type }) : content;
    const link = make("a", { href: URL.createObjectURL(blob), download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
