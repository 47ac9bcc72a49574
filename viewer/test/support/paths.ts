// Paths that a pen drew, on a canvas or as SVG.
import type { Context } from "../../src/pen/canvas.ts";

/** A context that notes the corners of its path: arcs by points along them. */
export function recorder(): { to: Context; points: [number, number][] } {
    const points: [number, number][] = [];
    const to = new Proxy({}, {
        get: (_, name) => (...args: number[]) => {
            if (name === "moveTo" || name === "lineTo")
                points.push([args[0], args[1]]);
            if (name === "bezierCurveTo")
                points.push([args[4], args[5]]);
            if (name === "arc") {
                const [x, y, r, from, end] = args, counter = args[5] as unknown as boolean, round = 2 * Math.PI;
                const raw = counter ? from - end : end - from, sweep = raw >= round ? round : ((raw % round) + round) % round;
                for (const share of [0, 1]) {
                    const angle = from + (counter ? -1 : 1) * share * sweep;
                    points.push([x + r * Math.cos(angle), y + r * Math.sin(angle)]);
                }
            }
        },
        set: () => true,
    }) as Context;
    return { to, points };
}

/** Ends of the pieces of a path of SVG. */
export function corners(svg: string): [number, number][] {
    return [...svg.matchAll(/[MLAC]([^MLACZ"]+)/g)].map((piece) => piece[1].trim().split(/\s+/).map(Number))
        .filter((numbers) => numbers.every(Number.isFinite)).map((numbers) => numbers.slice(-2) as [number, number]);
}
