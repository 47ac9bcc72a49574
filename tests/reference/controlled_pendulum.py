"""Two point masses on rods, a motor and a PID controller: Lagrange's equations in the angles from the downward vertical and the three
states, by the classical Runge-Kutta method with two step sizes. Without numpy."""
import json
import math
import pathlib

g, damping, R, L, k, target, P, I, D, tau = 9.81, 0.2, 2, 0.1, 1.5, 0.4, 8, 5, 2, 0.05


def points(y):
    a, b, da, db = y[:4]
    sa, ca, sb, cb = math.sin(a), math.cos(a), math.sin(b), math.cos(b)
    return ((sa, -ca, sa + sb, -ca - cb), (ca * da, sa * da, ca * da + cb * db, sa * da + sb * db))


def rate(y):
    a, b, da, db, i, e, w = y
    (x1, y1, x2, y2), v = points(y)
    force = [-damping * v[n] - (g if n % 2 else 0) for n in range(4)]
    qa = math.cos(a) * (force[0] + force[2]) + math.sin(a) * (force[1] + force[3]) + k * i - math.sin(a - b) * db * db
    qb = math.cos(b) * force[2] + math.sin(b) * force[3] + math.sin(a - b) * da * da
    c = math.cos(a - b)
    volt = P * (target - x2) + I * e - D * w
    return (da, db, (qa - c * qb) / (2 - c * c), (2 * qb - c * qa) / (2 - c * c), (volt - R * i - k * da) / L, target - x2, (v[2] - w) / tau)


def integrate(steps):
    """rows at 0.5, 1, ... 5 s with so many steps in half a second"""
    y, h, rows = (0.3, -0.5, 0, 0, 0.5, 0, 0), 0.5 / steps, []
    for n in range(1, 11):
        for _ in range(steps):
            k1 = rate(y)
            k2 = rate([u + h / 2 * d for u, d in zip(y, k1)])
            k3 = rate([u + h / 2 * d for u, d in zip(y, k2)])
            k4 = rate([u + h * d for u, d in zip(y, k3)])
            y = tuple(u + h / 6 * (p + 2 * q + 2 * r + s) for u, p, q, r, s in zip(y, k1, k2, k3, k4))
        q, v = points(y)
        rows.append([0.5 * n, *q, *v, *y[4:]])
    return rows


rows, coarse = integrate(8000), integrate(4000)
error = max(abs(u - v) for row, other in zip(rows, coarse) for u, v in zip(row, other))
print("error", error)
names = ["x1", "y1", "x2", "y2"]
head = {"name": "from rest", "columns": names + [n + "_rate" for n in names] + ["i", "e", "w"], "conservative": False, "error": error,
        "tolerance": 2e-8}
text = "{\"scene\": \"controlled_pendulum\",\n \"source\": \"minimal coordinates, tests/reference/controlled_pendulum.py\",\n \"cases\": [\n  {"
text += json.dumps(head)[1:-1] + ",\n   \"rows\": [\n    " + ",\n    ".join("[" + ", ".join(repr(float(x)) for x in r) + "]" for r in rows)
pathlib.Path(__file__).with_name("controlled_pendulum.json").write_text(text + "]}\n ]}\n")
