// Colors of the page, light and dark. Those of curves were found by search (differences for all eyes, contrast):
// test/unit/colors.test.ts holds them to it.

export type Theme = "light" | "dark";

export interface Tint { stroke: string; pale: string; solid: string }

export interface Palette {
    paper: string;
    scene: string;
    ink: string;
    soft: string;
    faint: string;
    line: string;
    gridPlane: string;
    gridSpace: string;
    gridPlot: string;
    accent: string;
    force: string;
    speed: string;
    spring: string;
    steel: string;
    darkSteel: string;
    outline: string;
    groundFill: string;
    groundSpace: string; // plates of ground in space and their strokes
    groundStroke: string;
    curves: string[];
    tints: Tint[];
}

const tints = (rows: string): Tint[] => rows.split(",").map((row) => {
    const [stroke, pale, solid] = row.trim().split(" ");
    return { stroke, pale, solid };
});

export const palettes: Record<Theme, Palette> = {
    light: {
        paper: "#ffffff", scene: "#f7f9fb", ink: "#1c2733", soft: "#4a5562", faint: "#8794a1", line: "#d8dee5",
        gridPlane: "#edf1f4", gridSpace: "#bcc8d3", gridPlot: "#eceff2",
        accent: "#d9480f", force: "#c92a2a", speed: "#2b8a3e", spring: "#1f5f8b",
        steel: "#f4f6f8", darkSteel: "#35424f", outline: "#24313d", groundFill: "#eef1f4",
        groundSpace: "#eef1f4", groundStroke: "#35424f",
        curves: ["#0b7285", "#d9480f", "#412d89", "#9b35f6", "#73241a", "#c77a67"],
        tints: tints("#005c91 #dcebf7 #8fc3ea, #b04a00 #fdeadb #f5b27c, #00704f #dff3ec #86d4b6, #8f3a69 #f8e6f0 #e3a0c5, " +
            "#6f5418 #f6eed9 #f0d58a, #59636e #eef0f2 #bac4ce"),
    },
    dark: {
        paper: "#161e27", scene: "#111920", ink: "#e9eef3", soft: "#aeb9c4", faint: "#73808d", line: "#2c3742",
        gridPlane: "#18212a", gridSpace: "#3a4753", gridPlot: "#232d37",
        accent: "#ff8c5a", force: "#ff6b6b", speed: "#69db7c", spring: "#74c0fc",
        steel: "#dfe5ea", darkSteel: "#a9b5c0", outline: "#05080b", groundFill: "#1d2730",
        groundSpace: "#97a3af", groundStroke: "#2c3640",
        curves: ["#3bc9db", "#ff8c5a", "#f3dc17", "#9b7bf0", "#ed4177", "#c5f6b9"],
        tints: tints("#7cc0ee #17364b #5d9fd0, #ffab73 #4a2b14 #dd8b4e, #6fd6b3 #12392e #52ad8c, #f0a3cb #45243a #c47aa2, " +
            "#e6c66e #3f3418 #b99a48, #b6c1cc #2c3640 #8d99a5"),
    },
};

/** Dashes of curves after the sixth: the colors repeat dashed, then dotted. */
export const curveDash = (index: number): number[] => [[], [8, 4], [2, 3]][Math.floor(index / 6) % 3];
export const curveColor = (palette: Palette, index: number): string => palette.curves[index % palette.curves.length];
