// Blocks of the page: base64 of a zlib stream of byte planes. Nothing here knows the page but the function that finds a block's text.

export class Damaged extends Error {}

/** Decodes base64; atob is the only decoder that every browser has. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
    let raw: string;
    try {
        raw = atob(text.trim());
    } catch {
        throw new Damaged("a block of data is not base64: the file is damaged or was cut short");
    }
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++)
        bytes[i] = raw.charCodeAt(i);
    return bytes;
}

export async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    try {
        return new Uint8Array(await new Response(stream).arrayBuffer());
    } catch {
        throw new Damaged("a block of data cannot be unpacked: the file is damaged or was cut short");
    }
}

/** Bytes of equal weight are stored together: all first, all second, ... Puts them back beside each other. */
export function joinPlanes(bytes: Uint8Array, width: number): ArrayBuffer {
    if (bytes.length % width)
        throw new Damaged(`a block of ${bytes.length} bytes does not hold integers of ${width} bytes`);
    const count = bytes.length / width, out = new Uint8Array(bytes.length);
    for (let plane = 0; plane < width; plane++) {
        const from = plane * count;
        for (let i = 0, to = plane; i < count; i++, to += width)
            out[to] = bytes[from + i];
    }
    return out.buffer;
}

/** Series of integers from zigzag differences of the given order along time; [series][frame], 32-bit arithmetic that wraps. */
export function fromDifferences(bytes: Uint8Array, series: number, frames: number, order: number): Int32Array {
    if (bytes.length !== 4 * series * frames)
        throw new Damaged(`a block has ${bytes.length} bytes where ${4 * series * frames} were announced`);
    const values = new Int32Array(joinPlanes(bytes, 4));
    for (let s = 0; s < series; s++) {
        const start = s * frames, end = start + frames;
        for (let i = start; i < end; i++)
            values[i] = (values[i] >>> 1) ^ -(values[i] & 1);
        // the k-th pass adds up from the k-th value on: those before it are stored with lower order
        for (let k = order - 1; k >= 0; k--)
            for (let i = start + k + 1; i < end; i++)
                values[i] = (values[i] + values[i - 1]) | 0;
    }
    return values;
}

/** Reads blocks by name, each once. */
export class Blocks {
    private kept = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
    private numbers = new Map<string, Promise<unknown>>(); // many curves share a block and all share their times

    constructor(private find: (name: string) => string | null) {}

    bytes(name: string): Promise<Uint8Array<ArrayBuffer>> {
        let found = this.kept.get(name);
        if (!found) {
            const text = this.find(name);
            if (text === null)
                return Promise.reject(new Damaged(`block ${name} is missing: the file is damaged or was cut short`));
            found = inflate(fromBase64(text));
            this.kept.set(name, found);
        }
        return found;
    }

    private once<T>(key: string, read: () => Promise<T>): Promise<T> {
        let found = this.numbers.get(key) as Promise<T> | undefined;
        if (!found) {
            found = read();
            this.numbers.set(key, found);
        }
        return found;
    }

    doubles(name: string): Promise<Float64Array> {
        return this.once(`8 ${name}`, async () => new Float64Array(joinPlanes(await this.bytes(name), 8)));
    }

    /** Ascending times; where a load path turns back, the number of the sample. */
    times(name: string): Promise<Float64Array> {
        return this.once(`t ${name}`, async () => {
            const times = await this.doubles(name);
            return times.every((t, i) => i === 0 || t >= times[i - 1]) ? times : Float64Array.from(times, (_, i) => i);
        });
    }

    floats(name: string): Promise<Float32Array> {
        return this.once(`4 ${name}`, async () => new Float32Array(joinPlanes(await this.bytes(name), 4)));
    }

    async integers(name: string): Promise<Uint32Array> {
        return new Uint32Array(joinPlanes(await this.bytes(name), 4));
    }

    async differences(name: string, series: number, frames: number, order: number): Promise<Int32Array> {
        return fromDifferences(await this.bytes(name), series, frames, order);
    }
}
