// The clock: moves the time while the page plays, one picture per frame of the screen.
import type { Store } from "./state.ts";

/** Speeds that can be chosen. Runs of 2 to 60 s play in real time at first, others in ten seconds. */
export function speeds(span: number): { list: number[]; first: number } {
    const first = span >= 2 && span <= 60 || !(span > 0) ? 1 : Number((span / 10).toPrecision(2));
    return { list: [0.1, 0.25, 0.5, 1, 2, 4].map((factor) => Number((factor * first).toPrecision(3))), first };
}

const SWINGS = 0.8; // of a mode, per second

export class Player {
    private last = 0;
    private requested = 0;
    private phase = 0;

    /** swing: of modes, called with the share of the shape instead of moving the time. */
    constructor(private store: Store, private span: [number, number], private swing: ((share: number) => void) | null = null) {
        store.on((state, changed) => {
            if (changed.has("playing") && state.playing)
                this.start();
        });
    }

    toggle(): void {
        const { state } = this.store, [first, last] = this.span;
        if (state.playing)
            return this.store.set({ playing: false });
        if (this.swing)
            return this.store.set({ playing: true });
        if (last > first)
            this.store.set({ playing: true, ...(state.time >= last ? { time: first } : {}) });
    }

    private start(): void {
        cancelAnimationFrame(this.requested);
        this.last = performance.now();
        this.requested = requestAnimationFrame((now) => this.tick(now));
    }

    private tick(now: number): void {
        const { state } = this.store, [first, last] = this.span;
        if (state.playing && this.swing) {
            this.phase += Math.min(0.25, Math.max(0, (now - this.last) / 1000)) * state.speed * 2 * Math.PI * SWINGS;
            this.last = now;
            this.swing(Math.sin(this.phase));
            this.requested = requestAnimationFrame((next) => this.tick(next));
            return;
        }
        if (!state.playing)
            return;
        // after the tab was in the background, time continues instead of jumping
        const passed = Math.min(0.25, Math.max(0, (now - this.last) / 1000));
        this.last = now;
        let time = state.time + passed * state.speed;
        if (time >= last) {
            if (state.loop)
                time = first + ((time - first) % (last - first));
            else
                return this.store.set({ time: last, playing: false });
        }
        this.store.set({ time });
        this.requested = requestAnimationFrame((next) => this.tick(next));
    }
}

/** The sample before or after t. */
export function stepFrom(times: ArrayLike<number>, t: number, direction: 1 | -1): number {
    const close = 1e-9 * Math.max(1e-300, times[times.length - 1] - times[0]);
    if (direction > 0) {
        for (let i = 0; i < times.length; i++)
            if (times[i] > t + close)
                return times[i];
        return times[times.length - 1];
    }
    for (let i = times.length - 1; i >= 0; i--)
        if (times[i] < t - close)
            return times[i];
    return times[0];
}
