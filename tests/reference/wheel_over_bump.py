"""A braked wheel with a vertical suspension over a bump: three coordinates, classical Runge-Kutta with small steps. Plain Python.

The compression x(X, Z) = R - (Z - h(X)) / sqrt(1 + h'(X)^2) of the tire acts on the center by its gradient, taken by complex steps; the
force of slip acts at the contact point in the direction of the road below the center."""
import json
import math
import cmath
import pathlib

SPEED, R, K, C, SAG, FRICTION, STIFFNESS, SMOOTH = 8.0, 0.3, 180000.0, 100.0, 0.02, 0.9, 60000.0, 0.1
HEIGHT, LOAD = R - SAG, K * SAG
TRAILER, CARRIER, WHEEL, G = 300.0, 12.0, 18.0, 9.81
INERTIA = WHEEL * R * R / 2
REST = -(LOAD - (CARRIER + WHEEL) * G) / 25000


def bump(x):
    z = (x - 1.6) / 0.35
    h = 0.04 * cmath.exp(-z * z)
    return h, -2 * z / 0.35 * h


def compression(x, z):
    h, slope = bump(x)
    return R - (z - h) / cmath.sqrt(1 + slope * slope)


def rate(t, y):
    X, Z, phi, u, v, w = y
    small = 1e-30
    x = compression(X, Z).real
    by_x, by_z = compression(X + 1j * small, Z).imag / small, compression(X, Z + 1j * small).imag / small
    f = max(0.0, K * x + C * (by_x * u + by_z * v)) if x > 0 else 0.0
    h, slope = (q.real for q in bump(X))
    s = math.sqrt(1 + slope * slope)
    D, N, T = (Z - h) / s, (-slope / s, 1 / s), (1 / s, slope / s)
    # along the road: center, and contact point at -D N with the rotation w (positive: against the rolling direction)
    ahead = u * T[0] + v * T[1]
    slide = ahead + w * D
    d = ahead * math.tanh(ahead / SMOOTH) + SMOOTH * (1 - math.tanh(ahead / SMOOTH) ** 2)
    q = -STIFFNESS / LOAD * slide / d
    along = f * q / (1 + (q / FRICTION) ** 4) ** 0.25
    FX, FZ = -f * by_x + along * T[0], -f * by_z + along * T[1]
    suspension = -25000 * (Z - HEIGHT - REST) - 1500 * v
    return (u, v, w, FX / (TRAILER + CARRIER + WHEEL), (FZ + suspension) / (CARRIER + WHEEL) - G, (along * D - 8 * w) / INERTIA)


def run(h, every, until):
    y, n, rows, steps = (0.0, HEIGHT, 0.0, SPEED, 0.0, -SPEED / HEIGHT), 0, [], round(every / h)
    while True:
        if n % steps == 0:
            rows.append((n * h, y[0], y[3], y[1] - HEIGHT, y[4], y[2], y[5]))
        if n * h > until - h / 2:
            return rows
        t = n * h
        k1 = rate(t, y)
        k2 = rate(t + h / 2, [a + h / 2 * b for a, b in zip(y, k1)])
        k3 = rate(t + h / 2, [a + h / 2 * b for a, b in zip(y, k2)])
        k4 = rate(t + h, [a + h * b for a, b in zip(y, k3)])
        y = tuple(a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4))
        n += 1


if __name__ == "__main__":
    rows, coarse = run(2.5e-5, 0.05, 1.0), run(5e-5, 0.05, 1.0)
    error = max(abs(a - b) for p, q in zip(rows, coarse) for a, b in zip(p, q))
    print("carrier.distance(0.25)", rows[5][3], "trailer.rate(1)", rows[-1][2], "error", error)
    head = {"name": "one second", "columns": ["trailer.distance", "trailer.rate", "carrier.distance", "carrier.rate", "hub.angle", "hub.rate"],
            "scale": [1, 1, 0.1, 1, 10, 10], "conservative": False, "error": error, "tolerance": 1e-6}
    lines = ",\n    ".join("[" + ", ".join(repr(x) for x in row) + "]" for row in rows)
    pathlib.Path(__file__).with_suffix(".json").write_text(
        '{"scene": "wheel_over_bump",\n "source": "integration in minimal coordinates, tests/reference/wheel_over_bump.py",\n "cases": [\n  {%s,\n'
        '   "rows": [\n    %s]}\n ]}\n' % (json.dumps(head)[1:-1], lines))
