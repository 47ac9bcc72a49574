// Source rules of the viewer: which room sees which, what may make markup, who imports which library, how long files and lines are.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const sees = {};
for (const line of readFileSync(join(here, "../scripts/rooms.txt"), "utf8").split("\n")) {
    const row = line.match(/^viewer\/(\w+):(.*)$/);
    if (row)
        sees[row[1]] = row[2].trim().split(/\s+/).filter(Boolean);
}
const three = ["space", "kit", "actor", "stage", "strokes", "trails", "labels", "surface", "arrows3", "beams3"].map((name) => `scene/${name}.ts`);
const owners = { three, uplot: ["curves/plot.ts", "page/style.css"] };
const forbidden = /\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function)/;

const files = (folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? files(join(folder, entry.name)) : /\.(ts|css)$/.test(entry.name) ? [join(folder, entry.name)] : []);

let wrong = 0;
const tell = (file, line, what) => {
    console.error(`viewer/${relative(here, file)}:${line}: ${what}`);
    wrong++;
};
for (const file of [...files(join(here, "src")), ...files(join(here, "test"))]) {
    const lines = readFileSync(file, "utf8").split("\n");
    const place = relative(join(here, "src"), file), inSource = !place.startsWith("..");
    const room = place.split("/")[0];
    if (inSource && !(room in sees))
        tell(file, 1, `room viewer/${room} is not in scripts/rooms.txt`);
    if (lines.length > 501)
        tell(file, 501, "more than 500 lines");
    lines.forEach((text, index) => {
        if (text.length > 140)
            tell(file, index + 1, `${text.length} columns, at most 140`);
        if (inSource && forbidden.test(text))
            tell(file, index + 1, "makes markup or code from text");
        const from = text.match(/(?:from|import)\s+"([^"]+)"/)?.[1];
        if (!inSource || !from)
            return;
        if (from.startsWith("../")) {
            const other = from.split("/")[1];
            if (other !== room && !(sees[room] ?? []).includes(other))
                tell(file, index + 1, `room ${room} does not see ${other}`);
        } else if (!from.startsWith("./")) {
            const library = from.split("/")[0];
            if (!(owners[library] ?? []).includes(place))
                tell(file, index + 1, `${library} is not imported here`);
        }
    });
}
if (wrong)
    process.exit(1);
