"""Reads a figure of fields back: areas of its colors, lines, faces. check_figure.py HOW FILE NUMBERS..."""
import re
import sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
how, path, numbers = sys.argv[1], sys.argv[2], [float(x) for x in sys.argv[3:]]
root = ET.parse(path).getroot()
paths = [p for p in root.iter(SVG + "path")]


def polygons(d):
    """Rings of points of a path of M, L and Z."""
    for part in re.findall(r"M[^M]*", d):
        points = re.findall(r"(-?[\d.]+) (-?[\d.]+)", part)
        yield [(float(x), float(y)) for x, y in points]


def area(ring):
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1]))) / 2


if how == "bands":  # areas of colors, from the lowest on, relative to all of them; they must be these numbers
    found = {}
    for p in paths:
        if p.get("fill") != "none":
            found[p.get("fill")] = found.get(p.get("fill"), 0) + sum(area(r) for r in polygons(p.get("d")))
    scale = [r.get("fill") for r in root.iter(SVG + "rect")][1:]  # the first one is the paper; the scale grows upwards
    total = sum(found.values())
    shares = [found.get(color, 0) / total for color in scale]
    assert len(shares) == len(numbers), (shares, numbers)
    assert all(abs(a - b) < 2e-3 for a, b in zip(shares, numbers)), (shares, numbers)
elif how == "lines":  # isolines: all points of all of them are at these parts of the width, each part is there
    lines = [p for p in paths if p.get("fill") == "none" and p.get("stroke-width") == "1.6"]
    x = [q[0] for p in lines for r in polygons(p.get("d")) for q in r]
    outline = [q[0] for p in paths if p.get("stroke-width") == "1" for r in polygons(p.get("d")) for q in r]
    low, high = min(outline), max(outline)
    parts = [(v - low) / (high - low) for v in x]
    assert all(min(abs(v - n) for n in numbers) < 2e-3 for v in parts), sorted(set(parts))
    assert all(any(abs(v - n) < 2e-3 for v in parts) for n in numbers)
elif how == "faces":  # so many polygons with an edge of their own
    edges = [p for p in paths if p.get("stroke-opacity") == "0.35"]
    assert len(edges) == int(numbers[0]), len(edges)
elif how == "points":  # marks of a curve: x1 y1 x2 y2 ... as parts of the frame from its lower left corner
    frame = [r for r in root.iter(SVG + "rect")][1]
    left, top, width, height = (float(frame.get(k)) for k in ("x", "y", "width", "height"))
    marks = [((float(c.get("cx")) - left) / width, 1 - (float(c.get("cy")) - top) / height) for c in root.iter(SVG + "circle")]
    wanted = list(zip(numbers[::2], numbers[1::2]))
    assert len(marks) == len(wanted), marks
    assert all(abs(a[0] - b[0]) < 1e-3 and abs(a[1] - b[1]) < 1e-3 for a, b in zip(marks, wanted)), (marks, wanted)
