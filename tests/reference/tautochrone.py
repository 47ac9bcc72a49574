"""The length of the cycloid from its lowest point, 4 r sin(u/2), oscillates harmonically: s'' = -g s / (4 r). Plain Python."""
from math import asin, cos, pi, sin, sqrt
from plain import write

r, g = 0.5, 9.81
start = -pi + 0.15 + (2 * pi - 0.3) * 8 / 48
rows = []
for k in range(29):
    t = 0.2 * k
    s = 4 * r * sin(start / 2) * cos(sqrt(g / (4 * r)) * t)
    u = 2 * asin(s / (4 * r))
    rows.append([t, r * (u + sin(u)), -r * cos(u)])
write("tautochrone", "closed solution, tests/reference/tautochrone.py",
      [{"name": "two periods", "columns": ["bead.x", "bead.y"], "conservative": True, "error": 1e-14, "tolerance": 2e-5, "rows": rows}])
