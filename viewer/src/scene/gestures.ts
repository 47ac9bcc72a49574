// Pointers on the picture: one drags, two pinch, the wheel zooms at the pointer. The page gets clicks, but not those that end a drag.

export interface Gestures {
    /** aside: with the right button, shift or two fingers. */
    pan(dx: number, dy: number, aside: boolean): void;
    zoom(x: number, y: number, factor: number): void;
    /** After each of them. */
    done(): void;
}

/** Listens until the function it gives back is called. */
export function listen(canvas: HTMLCanvasElement, to: Gestures): () => void {
    const pointers = new Map<number, { x: number; y: number }>(), stop = new AbortController(), { signal } = stop;
    let aside = false, far = 0; // pixels that the pointer went since it came down
    const position = (event: MouseEvent): { x: number; y: number } => {
        const box = canvas.getBoundingClientRect();
        return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    canvas.style.touchAction = "none";
    canvas.addEventListener("pointerdown", (event) => {
        if (!pointers.size) {
            far = 0;
            aside = event.button === 2 || event.shiftKey;
        }
        pointers.set(event.pointerId, position(event));
        canvas.setPointerCapture(event.pointerId);
    }, { signal });
    canvas.addEventListener("pointermove", (event) => {
        const before = pointers.get(event.pointerId), now = position(event);
        if (!before)
            return;
        const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
        far += Math.hypot(now.x - before.x, now.y - before.y);
        pointers.set(event.pointerId, now);
        if (others.length === 0 && far > 3)
            to.pan(now.x - before.x, now.y - before.y, aside);
        if (others.length === 1) {
            const [o] = others, old = Math.hypot(before.x - o.x, before.y - o.y), gap = Math.hypot(now.x - o.x, now.y - o.y);
            to.pan((now.x - before.x) / 2, (now.y - before.y) / 2, true);
            if (old > 1 && gap > 1)
                to.zoom((now.x + o.x) / 2, (now.y + o.y) / 2, gap / old);
        }
        if (far > 3)
            to.done();
    }, { signal });
    for (const name of ["pointerup", "pointercancel"] as const)
        canvas.addEventListener(name, (event) => { pointers.delete(event.pointerId); }, { signal });
    canvas.addEventListener("click", (event) => {
        if (far > 4)
            event.stopImmediatePropagation();
        far = 0;
    }, { signal, capture: true });
    canvas.addEventListener("wheel", (event) => {
        event.preventDefault();
        const { x, y } = position(event), lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
        to.zoom(x, y, Math.exp(-Math.max(-240, Math.min(240, event.deltaY * lines)) * (event.ctrlKey ? 0.01 : 0.0016)));
        to.done();
    }, { signal, passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault(), { signal });
    return () => stop.abort();
}
