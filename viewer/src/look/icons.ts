// Pictures on buttons: strokes in a square of 20.
import { drawing } from "../base/dom.ts";

const icon = (...paths: string[]) => (): SVGSVGElement => drawing(20, paths);

export const icons = {
    play: () => drawing(20, ["M6 3.8v12.4L16.2 10z"], true),
    pause: () => drawing(20, ["M5 4h3.6v12H5zM11.4 4H15v12h-3.6z"], true),
    back: icon("M5.5 4.5v11", "M14.5 4.8v10.4L8 10z"),
    forward: icon("M14.5 4.5v11", "M5.5 4.8v10.4L12 10z"),
    loop: icon("M4 9V8a2.5 2.5 0 0 1 2.5-2.5H16", "M13.5 3 16 5.5 13.5 8", "M16 11v1a2.5 2.5 0 0 1-2.5 2.5H4", "M6.5 12 4 14.5 6.5 17"),
    moon: icon("M16.5 11.6A6.8 6.8 0 1 1 8.6 3.5a5.4 5.4 0 0 0 7.9 8.1z"),
    sun: icon("M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z",
        "M10 1.8v2M10 16.2v2M1.8 10h2M16.2 10h2M4.2 4.2l1.4 1.4M14.4 14.4l1.4 1.4M4.2 15.8l1.4-1.4M14.4 5.6l1.4-1.4"),
    fit: icon("M3.5 7.5v-4h4M12.5 3.5h4v4M16.5 12.5v4h-4M7.5 16.5h-4v-4"),
    cube: icon("M10 2.5 16.5 6v8L10 17.5 3.5 14V6z", "M3.5 6 10 9.6 16.5 6M10 9.6v7.9"),
    more: () => drawing(20, [4, 10, 16].map((x) => `M${x} 8.6a1.4 1.4 0 1 0 0 2.8 1.4 1.4 0 0 0 0-2.8z`), true),
    close: icon("M5 5l10 10M15 5 5 15"),
    sliders: icon("M3 6h7M14 6h3M3 14h3M10 14h7", "M12 4a2 2 0 1 0 0 4 2 2 0 0 0 0-4z", "M8 12a2 2 0 1 0 0 4 2 2 0 0 0 0-4z"),
    record: () => drawing(20, ["M10 4.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z"], true),
    help: icon("M7.4 7.6A2.7 2.7 0 0 1 12.7 8c0 1.9-2.7 2.2-2.7 4", "M10 14.9v.3"),
};
