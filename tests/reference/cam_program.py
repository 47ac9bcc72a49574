"""Formulas of the motions on each segment. Plain Python."""
from math import cos, pi, sin
from plain import write

h, w = 0.02, 10.0


def cycloidal(u):
    return u - sin(2 * pi * u) / (2 * pi), 1 - cos(2 * pi * u)


def polynomial(u):
    return u ** 3 * (10 - 15 * u + 6 * u * u), 30 * u * u * (1 - u) ** 2


def lift(a):
    a = a * 180 / pi % 360
    if a < 90:
        s, v = cycloidal(a / 90)
        return h * s, h * v / (pi / 2)
    if a < 120:
        return h, 0.0
    if a < 210:
        s, v = polynomial((a - 120) / 90)
        return h * (1 - s), -h * v / (pi / 2)
    return 0.0, 0.0


times = [0.03 * i for i in range(41)]
rows = []
for t in times:
    s, v = lift(w * t)
    rows.append([t, w * t, s, v * w])
write("cam_program", "formulas, tests/reference/cam_program.py",
      [{"name": "two revolutions", "columns": ["bearing.angle", "guide.distance", "guide.rate"], "conservative": False, "error": 1e-14,
        "tolerance": 1e-8, "rows": rows}])
