// The palette as variables of the style sheet; set by the program, since the policy forbids style attributes in markup.
import { type Theme, palettes } from "./colors.ts";

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export function setVariables(element: HTMLElement, theme: Theme): void {
    for (const [name, value] of Object.entries(palettes[theme]))
        if (typeof value === "string")
            element.style.setProperty(`--${kebab(name)}`, value);
    palettes[theme].curves.forEach((color, index) => element.style.setProperty(`--curve-${index}`, color));
    palettes[theme].tints.forEach((tint, index) => {
        element.style.setProperty(`--tint-${index}`, tint.stroke);
        element.style.setProperty(`--tint-${index}-pale`, tint.pale);
        element.style.setProperty(`--tint-${index}-solid`, tint.solid);
    });
    element.style.setProperty("color-scheme", theme);
    element.dataset.theme = theme;
}
