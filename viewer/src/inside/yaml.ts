// The text of a model: colors of its lines, lines of its parts, its parameters. Knows as much YAML as that needs. No DOM.

export type Sort = "plain" | "comment" | "key" | "string" | "number";
export interface Token { sort: Sort; text: string }

const NUMBER = /^[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
const isDelimiter = (c: string): boolean => c === "," || c === "{" || c === "}" || c === "[" || c === "]";

/** Where a comment of the line begins; -1: it has none. `#` counts at the start and after a blank, outside quotes. */
export function commentAt(line: string): number {
    let quote = "";
    for (let i = 0; i < line.length; i++) {
        const c = line[i];
        if (quote) {
            if (c === "\\" && quote === "\"")
                i++;
            else if (c === quote)
                quote = "";
        } else if ((c === "\"" || c === "'") && (i === 0 || /[\s,:[{(-]/.test(line[i - 1])))
            quote = c; // an apostrophe inside a word (Bricard's) opens nothing
        else if (c === "#" && (i === 0 || /\s/.test(line[i - 1])))
            return i;
    }
    return -1;
}

/** A line in pieces; together they are the line. */
export function tokens(line: string): Token[] {
    const out: Token[] = [];
    const put = (sort: Sort, text: string): void => {
        if (!text)
            return;
        const last = out[out.length - 1];
        if (last?.sort === sort)
            last.text += text;
        else
            out.push({ sort, text });
    };
    const hash = commentAt(line), end = hash < 0 ? line.length : hash;
    let i = 0;
    while (i < end) {
        const c = line[i];
        if (/\s/.test(c) || isDelimiter(c) || (c === "-" && /^-\s/.test(line.slice(i, i + 2)))) {
            put("plain", c);
            i++;
            continue;
        }
        if (c === ":" ) {
            put("plain", c);
            i++;
            continue;
        }
        let stop = i;
        if (c === "\"" || c === "'") {
            stop++;
            while (stop < end && line[stop] !== c)
                stop += c === "\"" && line[stop] === "\\" ? 2 : 1;
            stop = Math.min(stop + 1, end);
        } else
            while (stop < end && !isDelimiter(line[stop]) && !(line[stop] === ":" && (stop + 1 >= end || /\s/.test(line[stop + 1]))))
                stop++;
        if (stop === i)
            stop++;
        const piece = line.slice(i, stop), word = piece.trimEnd();
        const isKey = /^\s*:(?:\s|$)/.test(line.slice(stop, end)) || (line[stop] === ":" && stop + 1 >= end);
        put(isKey ? "key" : c === "\"" || c === "'" ? "string" : NUMBER.test(word) ? "number" : "plain", word);
        put("plain", piece.slice(word.length));
        i = stop;
    }
    put("comment", line.slice(end));
    return out;
}

/** The top-level key each line belongs to; empty before the first. */
export function sectionsOf(lines: string[]): string[] {
    let section = "";
    return lines.map((line) => {
        const key = line.match(/^([A-Za-z_]\w*)\s*:(?:\s|$)/);
        if (key)
            section = key[1];
        return section;
    });
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Does a name as written in the file (`crank$i`, `C$(i+1)`) make this one? */
export function nameFits(pattern: string, name: string): boolean {
    if (!pattern.includes("$"))
        return pattern === name;
    const parts = pattern.split(/\$\([^)]*\)|\$[A-Za-z_]\w*/).map(escaped);
    return new RegExp(`^${parts.join("-?\\d+")}$`).test(name);
}

const SECTIONS: Record<string, string[]> = {
    body: ["bodies", "meshes", "elastic"], joint: ["joints"], spring: ["forces", "springs"], probe: ["probes"],
};

/** Number of the line (from 0) that makes a part: `name: X`, or the key `X:` of a map; -1: none. The section of its kind counts first. */
export function lineOfPart(lines: string[], what: string, name: string, sections = sectionsOf(lines)): number {
    let elsewhere = -1;
    const wanted = SECTIONS[what] ?? [];
    for (let i = 0; i < lines.length; i++) {
        const comment = commentAt(lines[i]), line = comment < 0 ? lines[i] : lines[i].slice(0, comment);
        let found = false;
        for (const match of line.matchAll(/\bname\s*:\s*("[^"]*"|'[^']*'|[^,}\]#]+)/g))
            found ||= nameFits(match[1].trim().replace(/^["']|["']$/g, ""), name);
        if (!found && wanted.includes(sections[i]))
            for (const match of line.matchAll(/(?:^\s+|[{,]\s*)("[^"]*"|'[^']*'|[\p{L}_][^\s:,{}[\]]*)\s*:(?=\s|$)/gu))
                found ||= match[1].replace(/^["']|["']$/g, "") === name;
        if (found && (wanted.includes(sections[i]) || !wanted.length))
            return i;
        if (found && elsewhere < 0)
            elsewhere = i;
    }
    return elsewhere;
}

/** Cuts at commas outside brackets and quotes. */
function cutAtCommas(text: string): string[] {
    const out: string[] = [];
    let depth = 0, quote = "", from = 0;
    for (let i = 0; i < text.length; i++) {
        const c = text[i];
        if (quote)
            quote = c === quote ? "" : quote;
        else if (c === "\"" || c === "'")
            quote = c;
        else if ("([{".includes(c))
            depth++;
        else if (")]}".includes(c))
            depth--;
        else if (c === "," && depth === 0) {
            out.push(text.slice(from, i));
            from = i + 1;
        }
    }
    out.push(text.slice(from));
    return out;
}

/** Parameters of the model with their values or expressions, as written in the file. */
export function parametersOf(lines: string[]): { name: string; value: string; line: number }[] {
    const sections = sectionsOf(lines), out: { name: string; value: string; line: number }[] = [];
    const put = (piece: string, line: number): void => {
        const pair = piece.match(/^\s*("[^"]*"|'[^']*'|[\p{L}_]\w*)\s*:\s*(.*?)\s*$/u);
        if (pair && pair[2])
            out.push({ name: pair[1].replace(/^["']|["']$/g, ""), value: pair[2].replace(/^(["'])(.*)\1$/, "$2"), line });
    };
    let flow = false;
    for (let i = 0; i < lines.length; i++) {
        if (sections[i] !== "parameters") {
            flow = false;
            continue;
        }
        const comment = commentAt(lines[i]);
        let line = comment < 0 ? lines[i] : lines[i].slice(0, comment);
        const head = line.match(/^parameters\s*:\s*/);
        if (head)
            line = line.slice(head[0].length);
        if (line.trimStart().startsWith("{") && (head || flow)) {
            flow = true;
            line = line.replace("{", "");
        }
        if (flow) {
            const closed = line.trimEnd().endsWith("}");
            for (const piece of cutAtCommas(closed ? line.trimEnd().slice(0, -1) : line))
                put(piece, i);
            flow = !closed;
        } else if (!head)
            put(line, i);
    }
    return out;
}

/** `a=1 b=2`, with commas, line ends or `--set` between them. */
export function overridesOf(text: string): Map<string, string> {
    const out = new Map<string, string>();
    for (const match of text.matchAll(/([\p{L}_][\w.]*)\s*=\s*("[^"]*"|'[^']*'|[^\s,;]+)/gu))
        out.set(match[1], match[2].replace(/^["']|["']$/g, ""));
    return out;
}
