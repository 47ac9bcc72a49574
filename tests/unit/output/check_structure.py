"""Reads structural graphs and diagrams with an XML parser: check_structure.py FOLDER, where `expected` has one line per figure:
graph FILE LINKS DOF INPUTS GROUPS MARKS   or   diagram FILE GROUPS ARROWS (N,L) (N,L) ...
Circles may not overlap, and a line may only touch the circles at its ends."""
import math
import os
import re
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"


def points(d):
    """the path as runs of points close to each other"""
    runs = []
    for command, numbers in re.findall(r"([MLC])([-\d. ]+)", d):
        v = list(map(float, numbers.split()))
        if command == "M":
            runs.append([(v[0], v[1])])
        elif command == "L":
            (x, y), n = runs[-1][-1], 1 + int(math.hypot(v[0] - runs[-1][-1][0], v[1] - runs[-1][-1][1]) / 3)
            runs[-1] += [(x + (v[0] - x) * k / n, y + (v[1] - y) * k / n) for k in range(1, n + 1)]
        else:
            a = runs[-1][-1]
            for k in range(1, 61):
                t = k / 60
                b = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3]
                runs[-1].append(tuple(b[0] * a[i] + b[1] * v[i] + b[2] * v[2 + i] + b[3] * v[4 + i] for i in range(2)))
    return runs


def circles_of(root, kinds):
    return [tuple(float(c.get(k)) for k in ("cx", "cy", "r")) for c in root.iter(SVG + "circle") if c.get("class") in kinds]


def check_page(root, circles):
    width, height = float(root.get("width")), float(root.get("height"))
    assert root.get("viewBox").split()[:2] == ["0", "0"]
    assert all(r < x < width - r and r < y < height - r for x, y, r in circles)
    for text in root.iter(SVG + "text"):
        assert 0 < float(text.get("x")) < width and 0 < float(text.get("y")) < height - 5, text.text
    for i, (x, y, r) in enumerate(circles):
        for u, v, s in circles[:i]:
            assert math.hypot(x - u, y - v) > r + s + 4, ("circles meet", x, y, u, v)


def check_lines(lines, circles):
    for d in lines:
        runs = points(d)
        ends = runs[0][0], runs[-1][-1]
        for x, y, r in circles:
            if any(math.hypot(x - u, y - v) < r + 2 for u, v in ends):
                continue
            near = min(math.hypot(x - u, y - v) for run in runs for u, v in run)
            assert near > r + 2, ("a line runs over a circle", d, x, y, near)


def check_graph(root, nlink, ndof, ninput, ngroup, nmark):
    paths = [p for p in root.iter(SVG + "path") if p.get("class")]
    count = lambda kind: sum(p.get("class") == kind for p in paths)
    links = circles_of(root, ["link"])
    assert len(links) == nlink, (len(links), nlink)
    assert count("freedom") == ndof, (count("freedom"), ndof)
    assert count("input") == ninput, (count("input"), ninput)
    assert count("ground") == nmark, (count("ground"), nmark)
    assert all(float(p.get("stroke-width")) == (4 if p.get("class") == "input" else 1.3) for p in paths)
    boxes = [tuple(float(b.get(k)) for k in ("x", "y", "width", "height")) for b in root.iter(SVG + "rect") if b.get("class") == "group"]
    assert len(boxes) == ngroup, (len(boxes), ngroup)
    for i, (x, y, w, h) in enumerate(boxes):
        assert all(x + w < u or u + s < x or y + h < v or v + t < y for u, v, s, t in boxes[:i]), "boxes meet"
    inside = sum(x < u < x + w and y < v < y + h for x, y, w, h in boxes for u, v, _ in links)
    assert inside == nlink - len(circles_of(root, ["frame"]))
    check_page(root, links)
    marked = [p for g in root.iter(SVG + "g") if g.get("transform") for p in g]
    check_lines([p.get("d") for p in paths if p not in marked and p.get("class") != "ground"], links)


def check_diagram(root, ngroup, narrow, labels):
    groups = circles_of(root, ["group"])
    assert len(groups) == ngroup
    arrows = [a for a in root.iter() if a.get("class") == "arrow"]
    assert len(arrows) == narrow, (len(arrows), narrow)
    words = [t.text.replace(" ", "") for t in root.iter(SVG + "text")]
    assert [w for w in words if re.fullmatch(r"\(-?\d+,-?\d+\)", w)] == labels, (words, labels)
    check_page(root, circles_of(root, ["group", "left", "frame"]))
    check_lines([a.get("d") for a in arrows if a.get("d")], circles_of(root, ["group", "left", "frame"]))


for line in open(os.path.join(sys.argv[1], "expected")):
    kind, name, *rest = line.split()
    page = tree.parse(os.path.join(sys.argv[1], name)).getroot()
    assert page.tag == SVG + "svg"
    try:
        if kind == "graph":
            check_graph(page, *map(int, rest))
        else:
            check_diagram(page, int(rest[0]), int(rest[1]), rest[2:])
    except AssertionError:
        print(line)
        raise
