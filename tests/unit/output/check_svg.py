"""Reads a spy figure with an XML parser: check_svg.py FILE NROW NCOL ENTRIES BLOCKS. Every path is made of squares inside the matrix."""
import re
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
path, nrow, ncol, entries, blocks = sys.argv[1], *map(int, sys.argv[2:6])
root = tree.parse(path).getroot()
assert root.tag == SVG + "svg", root.tag
x, y, width, height = map(float, root.get("viewBox").split())
assert x == y == 0 and width == float(root.get("width")) and height == float(root.get("height"))
matrix = root.find(SVG + "g")
squares = [square for d in matrix.iter(SVG + "path") for square in re.findall(r"M([\d.]+) ([\d.]+)h", d.get("d"))]
assert len(squares) == entries, (len(squares), entries)
assert len(set(squares)) == entries
assert all(0 <= float(column) < ncol and 0 <= float(row) < nrow for column, row in squares)
outlines = [] if matrix.find(SVG + "g") is None else matrix.find(SVG + "g").findall(SVG + "rect")
assert len(outlines) == blocks, (len(outlines), blocks)
for outline in outlines:
    assert outline.get("x") == outline.get("y") and outline.get("width") == outline.get("height")
