"""Chaplygin's sleigh: speed and rate of turning in closed form, the path by integration of them. Plain Python."""
from math import atanh, cos, cosh, sin, sqrt, tanh
from plain import integrate, write

c, k2, v0, w0 = 0.2, 0.2 ** 2 + 0.1, 1.0, 2.0
s = sqrt(v0 ** 2 + k2 * w0 ** 2)
begin = atanh(v0 / s)


def closed(t):
    x = c * s / k2 * t + begin
    return s * tanh(x), s / sqrt(k2) / cosh(x)


def rate(t, y):
    v, w = closed(t)
    return [w, v * cos(y[0]), v * sin(y[0])]


times = [0.25 * i for i in range(21)]
states, error = integrate(rate, [0, 0, 0], times, 0.05)
rows = []
for t, (angle, x, y) in zip(times, states):
    v, w = closed(t)
    rows.append([t, x, y, v * cos(angle), v * sin(angle), x + c * cos(angle), y + c * sin(angle)])
    if t in (1, 5):
        print(t, v, w, angle, x, y)
print("error", error)
write("sleigh", "closed speeds, the path by integration, tests/reference/sleigh.py",
      [{"name": "from v = 1, w = 2", "columns": ["P.x", "P.y", "P.vx", "P.vy", "C.x", "C.y"], "conservative": True, "error": 1e-12,
        "tolerance": 1e-7, "rows": rows}])
