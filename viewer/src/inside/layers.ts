// Boxes in layers, each after all it depends on, and the paths of the arrows between them: an arrow that passes a layer has a lane of its
// own there, so that none runs through a box. Orders by barycenters (Sugiyama, Tagawa, Toda 1981). No DOM.

/** foot: how much of the height lies below the box itself, where no arrow ends. */
export interface Size { width: number; height: number; foot?: number; from: number[] }
export interface Place { x: number; y: number }
export interface Layout { width: number; height: number; boxes: Place[]; arrows: { from: number; to: number; path: string }[] }

export type Direction = "right" | "down";

/** A box or the lane of an arrow: `along` is its extent in the direction of the layers, `across` the other one. */
interface Node {
    box: number;
    layer: number;
    along: number;
    across: number;
    short: number; // foot along the layers
    aside: number; // how far arrows end from the middle across, because of the foot
    at: number;
    before: number[];
    after: number[];
}

const LANE = 10, GAP_ACROSS = 22, GAP_ALONG = 46;

export function layersOf(sizes: Size[]): number[] {
    const layer: number[] = [];
    sizes.forEach((size, b) => { layer[b] = size.from.reduce((most, other) => Math.max(most, layer[other] + 1), 0); });
    return layer;
}

interface Chain { from: number; to: number; stops: number[] } // of an arrow: its boxes and lanes

function makeNodes(sizes: Size[], direction: Direction): { nodes: Node[]; layers: number[][]; chains: Chain[] } {
    const layer = layersOf(sizes);
    const nodes = sizes.map((size, b): Node => ({
        box: b, layer: layer[b], at: 0, before: [], after: [],
        short: direction === "right" ? 0 : size.foot ?? 0,
        aside: direction === "right" ? -(size.foot ?? 0) / 2 : 0,
        along: direction === "right" ? size.width : size.height,
        across: direction === "right" ? size.height : size.width,
    }));
    const chains: Chain[] = [];
    sizes.forEach((size, to) => size.from.forEach((from) => {
        const stops = [from];
        for (let k = layer[from] + 1; k < layer[to]; k++) {
            nodes.push({ box: -1, layer: k, along: 0, across: LANE, short: 0, aside: 0, at: 0, before: [], after: [] });
            stops.push(nodes.length - 1);
        }
        stops.push(to);
        for (let k = 0; k + 1 < stops.length; k++) {
            nodes[stops[k]].after.push(stops[k + 1]);
            nodes[stops[k + 1]].before.push(stops[k]);
        }
        chains.push({ from, to, stops });
    }));
    const layers: number[][] = [];
    nodes.forEach((node, i) => (layers[node.layer] ??= []).push(i));
    return { nodes, layers, chains };
}

const mean = (list: number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;

/** Sorts every layer by the mean position of neighbors before, then after it, a few times; keeps the order with fewest crossings. */
function order(nodes: Node[], layers: number[][]): void {
    const position: number[] = [];
    const number = (): void => layers.forEach((list) => list.forEach((node, k) => { position[node] = k; }));
    number();
    let best = layers.map((list) => [...list]), least = crossings(nodes, layers, position);
    for (let sweep = 0; sweep < 8 && least > 0; sweep++) {
        const forward = sweep % 2 === 0;
        for (const list of forward ? layers : [...layers].reverse()) {
            const key = new Map(list.map((node) => {
                const near = forward ? nodes[node].before : nodes[node].after;
                return [node, near.length ? mean(near.map((other) => position[other])) : position[node]];
            }));
            list.sort((a, b) => (key.get(a) as number) - (key.get(b) as number) || position[a] - position[b]);
            list.forEach((node, k) => { position[node] = k; });
        }
        const count = crossings(nodes, layers, position);
        if (count < least) {
            least = count;
            best = layers.map((list) => [...list]);
        }
    }
    best.forEach((list, k) => { layers[k] = list; });
}

export function crossings(nodes: { after: number[] }[], layers: number[][], position: number[]): number {
    let count = 0;
    for (const list of layers) {
        const edges = list.flatMap((node) => nodes[node].after.map((to) => [position[node], position[to]]));
        if (edges.length > 600)
            continue; // single arrows cannot be followed there
        for (let i = 0; i < edges.length; i++)
            for (let j = i + 1; j < edges.length; j++)
                if ((edges[i][0] - edges[j][0]) * (edges[i][1] - edges[j][1]) < 0)
                    count++;
    }
    return count;
}

/** Positions of the nodes of a layer, in its order, nearest to the wanted ones (least squares: blocks that touch move by their mean). */
export function settle(wanted: number[], half: number[], gap: (i: number) => number): number[] {
    const offset: number[] = [0];
    for (let i = 1; i < wanted.length; i++)
        offset[i] = offset[i - 1] + half[i - 1] + gap(i) + half[i];
    const blocks: { sum: number; count: number }[] = [];
    wanted.forEach((w, i) => {
        blocks.push({ sum: w - offset[i], count: 1 });
        for (let n = blocks.length; n > 1; n = blocks.length) {
            const last = blocks[n - 1], before = blocks[n - 2];
            if (before.sum / before.count <= last.sum / last.count)
                break;
            blocks.splice(n - 2, 2, { sum: before.sum + last.sum, count: before.count + last.count });
        }
    });
    const out: number[] = [];
    for (const block of blocks)
        for (let k = 0; k < block.count; k++)
            out.push(block.sum / block.count + offset[out.length]);
    return out;
}

function spread(nodes: Node[], layers: number[][]): void {
    const arrange = (list: number[], wanted: number[]): void => {
        const gap = (i: number): number => (nodes[list[i]].box < 0 || nodes[list[i - 1]].box < 0 ? GAP_ACROSS / 2 : GAP_ACROSS);
        settle(wanted, list.map((node) => nodes[node].across / 2), gap).forEach((at, i) => { nodes[list[i]].at = at; });
    };
    layers.forEach((list) => arrange(list, list.map(() => 0)));
    for (let sweep = 0; sweep < 12; sweep++)
        for (const list of sweep % 2 ? [...layers].reverse() : layers)
            arrange(list, list.map((node) => {
                const near = [...nodes[node].before, ...nodes[node].after];
                return near.length ? mean(near.map((other) => nodes[other].at)) : nodes[node].at;
            }));
}

/** Where on the side of a box its arrows end: apart from each other, in the order of where they come from. */
function ends(nodes: Node[], node: number, side: number[]): Map<number, number> {
    const sorted = [...side].sort((a, b) => nodes[a].at - nodes[b].at);
    const room = nodes[node].box < 0 ? 0 : Math.min(14, (nodes[node].across - 16) / Math.max(1, sorted.length));
    return new Map(sorted.map((other, k) => [other, nodes[node].at + nodes[node].aside + (k - (sorted.length - 1) / 2) * room]));
}

export function layOut(sizes: Size[], direction: Direction): Layout {
    const { nodes, layers, chains } = makeNodes(sizes, direction);
    order(nodes, layers);
    spread(nodes, layers);
    const low = Math.min(0, ...nodes.map((node) => node.at - node.across / 2));
    nodes.forEach((node) => { node.at -= low; });
    const begin: number[] = [], deep: number[] = [];
    layers.forEach((list, k) => {
        deep[k] = Math.max(...list.map((node) => nodes[node].along));
        begin[k] = k ? begin[k - 1] + deep[k - 1] + GAP_ALONG : 0;
    });
    const wide = Math.max(0, ...nodes.map((node) => node.at + node.across / 2));
    const long = layers.length ? begin[layers.length - 1] + deep[layers.length - 1] : 0;
    // right: boxes of a layer share their left side; down: their top, so that arrows leave from the end of the layer
    const point = (along: number, across: number): string =>
        direction === "right" ? `${along.toFixed(1)} ${across.toFixed(1)}` : `${across.toFixed(1)} ${along.toFixed(1)}`;
    const leaves = nodes.map((node, i) => ends(nodes, i, node.after)), enters = nodes.map((node, i) => ends(nodes, i, node.before));
    const arrows = chains.map(({ from, to, stops }) => {
        let path = "";
        for (let k = 0; k + 1 < stops.length; k++) {
            const a = nodes[stops[k]], b = nodes[stops[k + 1]];
            const ya = leaves[stops[k]].get(stops[k + 1]) as number, yb = enters[stops[k + 1]].get(stops[k]) as number;
            const start = begin[a.layer] + (a.box < 0 ? 0 : a.along - a.short), edge = begin[a.layer] + deep[a.layer], end = begin[b.layer];
            const middle = (edge + end) / 2;
            path += `${k ? "L" : "M"}${point(start, ya)}L${point(edge, ya)}C${point(middle, ya)} ${point(middle, yb)} ${point(end, yb)}`;
        }
        return { from, to, path };
    });
    const boxes = sizes.map((_, b): Place => {
        const node = nodes[b], along = begin[node.layer], across = node.at - node.across / 2;
        return direction === "right" ? { x: along, y: across } : { x: across, y: along };
    });
    return { width: direction === "right" ? long : wide, height: direction === "right" ? wide : long, boxes, arrows };
}
