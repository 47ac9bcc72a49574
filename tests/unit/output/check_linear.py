"""Reads files of linearized mechanisms back: check_linear.py matrices PREFIX | figure FILE PATHS TEXT... | rings FILE COUNT"""
import json
import re
import sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
how, path, words = sys.argv[1], sys.argv[2], sys.argv[3:]


def script(text):
    """The assignments of a script as Octave reads them: cell arrays of texts and matrices."""
    found = {}
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    for match in re.finditer(r"^(\w+) = (.*?);$", "\n".join(lines), re.S | re.M):
        name, value = match[1], match[2]
        if value.startswith("{"):
            found[name] = [t.replace("''", "'") for t in re.findall(r"'((?:[^']|'')*)'", value)]
            assert "{" + "; ".join("'" + t.replace("'", "''") + "'" for t in found[name]) + "}" == value
        elif value.startswith("["):
            found[name] = [[float(x) for x in row.split(",")] for row in value.strip("[]\n").split("\n")]
        else:
            rows, columns = map(int, re.fullmatch(r"(?:zeros|cell)\((\d+), (\d+)\)", value).groups())
            found[name] = [] if value.startswith("cell") else [[0.0] * columns] * rows
    return found


def market(path, found):
    head, *rest = open(path, encoding="utf-8").read().splitlines()
    assert head == "%%MatrixMarket matrix array real general"
    names = {"row": [], "column": []}
    while rest[0].startswith("%"):
        match = re.fullmatch(r"% (row|column) (\d+): (state|input|output) (.*)", rest.pop(0))
        if match:
            names[match[1]].append(match[4])
            assert len(names[match[1]]) == int(match[2])
    rows, columns = map(int, rest.pop(0).split())
    numbers = [float(x) for x in rest]
    assert len(numbers) == rows * columns and rows == len(names["row"]) and columns == len(names["column"])
    return [[numbers[i + rows * j] for j in range(columns)] for i in range(rows)], names


if how == "matrices":
    truth = json.load(open(path + ".json", encoding="utf-8"))
    read = script(open(path + ".m", encoding="utf-8").read())
    assert set(read) == set(truth), (set(read), set(truth))
    sides = {"A": ("states", "states"), "B": ("states", "inputs"), "C": ("outputs", "states"), "D": ("outputs", "inputs")}
    for key in ("states", "inputs", "outputs"):
        assert read[key] == truth[key], (read[key], truth[key])
    for key, (row, column) in sides.items():
        matrix, names = market(f"{path}.{key}.mtx", truth)
        assert matrix == truth[key] and names == {"row": truth[row], "column": truth[column]}
        assert read[key] == truth[key], key
        assert len(truth[key]) == len(truth[row]) and all(len(r) == len(truth[column]) for r in truth[key])
elif how == "figure":  # so many curves of this width; texts that must stand in it; nothing outside the page, nothing from outside
    root = ET.parse(path).getroot()
    width, height = float(root.get("width")), float(root.get("height"))
    curves = [p for p in root.iter(SVG + "path") if p.get("fill") == "none"]
    assert len(curves) == int(words[0]), len(curves)
    texts = ["".join(t.itertext()) for t in root.iter(SVG + "text")]
    for wanted in words[1:]:
        assert any(wanted in t for t in texts), (wanted, texts)
    for p in curves:
        for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", p.get("d")):
            assert 0 <= float(x) <= width and 0 <= float(y) <= height
    assert not any(a in open(path).read() for a in ("href", "@import", "font-face", "nan", "inf"))
elif how == "rings":
    root = ET.parse(path).getroot()
    rings = [c for c in root.iter(SVG + "circle") if c.get("stroke") == "#c1121f"]
    assert len(rings) == int(words[0]), len(rings)
