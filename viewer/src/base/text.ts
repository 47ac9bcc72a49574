// All English words of the page, so that it can be translated in one place. Grouped by where they stand.

export const text = {
    damaged: "This report cannot be shown",
    traceOf: (name: string) => `trace of ${name}`,
    arrowReaction: (value: string) => `reaction, ${value}`,
    arrowForce: (value: string) => `force, ${value}`,
    arrowVelocity: (value: string) => `velocity, ${value}`,
    noCanvas: "This browser draws no pictures (canvas is missing).",
    speedOfBodies: "speed",
    runNumber: (i: number) => `run ${i}`,
    pictureAt: (model: string, time: string) => `${model} at ${time} s`,
    noWebGL: "WebGL 2 is not available in this browser: space is drawn as lines.",
    oldBrowser: "This browser is too old for the report: Chrome, Firefox or Safari from 2023 on will do.",
};
