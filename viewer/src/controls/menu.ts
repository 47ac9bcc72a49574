// A menu below a button: arrows move, Enter chooses, Escape and a click beside it close.
import { make } from "../base/dom.ts";

export type MenuItem =
    | { heading: string }
    | { label: string; choose: () => void; checked?: boolean; kind?: "radio" | "check"; stay?: boolean; disabled?: boolean }
    | { part: HTMLElement };

let open: { element: HTMLElement; anchor: HTMLElement; close: () => void } | null = null;

export const closeMenu = (): boolean => {
    const was = open !== null;
    open?.close();
    return was;
};

function entry(item: MenuItem, close: () => void): HTMLElement {
    if ("heading" in item)
        return make("div", { class: "menu-heading", role: "presentation", text: item.heading });
    if ("part" in item)
        return make("div", { class: "menu-part", role: "presentation" }, item.part);
    const role = item.kind === "radio" ? "menuitemradio" : item.kind === "check" ? "menuitemcheckbox" : "menuitem";
    const element = make("button", {
        type: "button", role, class: "menu-item", text: item.label, tabindex: -1, disabled: item.disabled,
        "aria-checked": item.kind ? String(!!item.checked) : undefined,
    });
    element.addEventListener("click", () => {
        if (!item.stay)
            close();
        else if (item.kind === "check")
            element.setAttribute("aria-checked", String(element.getAttribute("aria-checked") !== "true"));
        item.choose();
    });
    return element;
}

function place(element: HTMLElement, anchor: HTMLElement): void {
    const at = anchor.getBoundingClientRect(), own = element.getBoundingClientRect();
    const left = Math.max(8, Math.min(at.right - own.width, innerWidth - own.width - 8));
    const below = at.bottom + 6, above = at.top - own.height - 6;
    element.style.left = `${left}px`;
    const top = below + own.height > innerHeight - 8 && above > 8 ? above : Math.min(below, Math.max(8, innerHeight - own.height - 8));
    element.style.top = `${top}px`;
}

export function openMenu(anchor: HTMLElement, name: string, items: readonly MenuItem[]): void {
    if (open?.anchor === anchor)
        return open.close();
    open?.close();
    const element = make("div", { class: "menu", role: "menu", "aria-label": name });
    const outside = (event: Event): void => {
        if (!element.contains(event.target as Node) && !anchor.contains(event.target as Node))
            close();
    };
    const close = (): void => {
        const inside = element.contains(document.activeElement);
        element.remove();
        document.removeEventListener("pointerdown", outside, true);
        anchor.setAttribute("aria-expanded", "false");
        open = null;
        if (inside)
            anchor.focus();
    };
    element.append(...items.map((item) => entry(item, close)));
    element.addEventListener("keydown", (event) => {
        const all = [...element.querySelectorAll<HTMLElement>(".menu-item:not([disabled]), .menu-part :is(input, select, button)")];
        const at = all.indexOf(document.activeElement as HTMLElement), step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        const inControl = document.activeElement?.matches("select, input[type=text], input[type=search]");
        if (event.key === "Escape") {
            close();
        } else if (event.key === "Tab") {
            close();
            return;
        } else if (step && !inControl) {
            all[(at + step + all.length) % all.length]?.focus();
        } else {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
    });
    document.body.append(element);
    place(element, anchor);
    anchor.setAttribute("aria-haspopup", "menu");
    anchor.setAttribute("aria-expanded", "true");
    document.addEventListener("pointerdown", outside, true);
    open = { element, anchor, close };
    element.querySelector<HTMLElement>(".menu-item:not([disabled]), input, select")?.focus({ preventScroll: true });
}
