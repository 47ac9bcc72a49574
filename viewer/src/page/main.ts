// Starts the page: reads the data, lays out head, scene, curves and bar.
import { text } from "../base/text.ts";
import { readReport, type Report } from "../data/model.ts";

const find = (id: string): string | null => document.getElementById(id)?.textContent ?? null;

async function start(): Promise<Report> {
    if (typeof DecompressionStream === "undefined")
        throw new Error(text.oldBrowser);
    return readReport(find("biela") ?? "", find);
}

start().then((report) => {
    (window as unknown as { biela: unknown }).biela = { ready: true, report };
}, (error: Error) => {
    (window as unknown as { biela: unknown }).biela = { ready: true, error: error.message };
});
