// A film of the scene by the browser's own recorder, in real time: legend and clock are painted into the picture.

const KINDS = ["video/webm;codecs=vp9", "video/mp4;codecs=avc1.42E01E", "video/webm;codecs=vp8", "video/webm", "video/mp4"];

export const filmKind = (): string | null =>
    (typeof MediaRecorder === "undefined" ? null : KINDS.find((kind) => MediaRecorder.isTypeSupported(kind)) ?? null);

export interface Recording { frame(): void; stop(): Promise<Blob>; readonly ending: string }

/** Starts to record; frame() is called after every picture, which paint() puts on the canvas. */
export function record(canvas: HTMLCanvasElement, paint: () => void): Recording | null {
    const kind = filmKind();
    if (!kind)
        return null;
    paint();
    const stream = canvas.captureStream(30), recorder = new MediaRecorder(stream, { mimeType: kind, videoBitsPerSecond: 8e6 }),
        parts: Blob[] = [];
    recorder.addEventListener("dataavailable", (event) => {
        if (event.data.size)
            parts.push(event.data);
    });
    recorder.start(500);
    return {
        frame: paint,
        ending: kind.includes("mp4") ? "mp4" : "webm",
        stop: () => new Promise((resolve) => {
            recorder.addEventListener("stop", () => {
                stream.getTracks().forEach((track) => track.stop());
                resolve(new Blob(parts, { type: kind.split(";")[0] }));
            });
            recorder.stop();
        }),
    };
}
