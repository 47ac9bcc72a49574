// What the tabs need from the page around them.
import type { Palette } from "../look/colors.ts";

/** A part of the model; the scene and the curves know the same ones. */
export interface Picked { what: "body" | "joint" | "spring" | "probe"; index: number; run: number }

export interface Hooks {
    /** Shows time t of a run. */
    goTo(t: number, run: number): void;
    pick(part: Picked): void;
    palette(): Palette;
    /** Calls back after a change between light and dark. */
    onTheme(callback: () => void): void;
    /** Makes a run the current one of the page; without it the tabs change their own run only. */
    choose?(run: number): void;
    /** Calls back with the time shown, so that the small plots have its line. */
    onTime?(callback: (t: number) => void): void;
    /** Calls back with the part picked anywhere; null: none. The model text marks its line. */
    onPick?(callback: (part: { what: string; index: number; run: number } | null) => void): void;
    /** Calls back after another run was chosen elsewhere. */
    onRun?(callback: (run: number) => void): void;
}
