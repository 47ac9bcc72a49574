"""Jansen's leg: pins from intersections of circles, one after the other; the crank turns evenly at 2 pi rad/s. Plain Python."""
import cmath
import json
import math
import pathlib

# published proportions (T. Jansen, The Great Pretender, 2007), 38.0 is 0.38 m here
a, b, c, d, e, f, g, h, i, j, k, l, m = 0.38, 0.415, 0.393, 0.401, 0.558, 0.394, 0.367, 0.657, 0.49, 0.5, 0.619, 0.078, 0.15
B = complex(-a, -l)


def meet(p, rp, q, rq, side):
    """The point at distance rp from p and rq from q, left (+1) or right (-1) of the way from p to q."""
    way, length = (q - p) / abs(q - p), abs(q - p)
    along = (rp * rp - rq * rq + length * length) / (2 * length)
    return p + way * complex(along, side * math.sqrt(rp * rp - along * along))


def pins(t):
    A = m * cmath.exp(2j * cmath.pi * t)
    D = meet(A, j, B, b, -1)
    E = meet(B, d, D, e, 1)
    C = meet(A, k, B, c, 1)
    F = meet(E, f, C, g, -1)
    G = meet(F, h, C, i, -1)
    return A, C, D, E, F, G


def velocity(t, pin, s=2e-4):
    """Central differences of order 6; error s^6 and rounding / s."""
    p = [pins(t + n * s)[pin] - pins(t - n * s)[pin] for n in (1, 2, 3)]
    return (45 * p[0] - 9 * p[1] + p[2]) / (60 * s)


if __name__ == "__main__":
    print({n: (p.real, p.imag) for n, p in zip("ACDEFG", pins(0))})
    foot = [pins(n / 3600)[5] for n in range(3600)]
    for what in ("real", "imag"):
        values = [getattr(p, what) for p in foot]
        print(what, min(values), max(values), max(values) - min(values))
    rows = []
    for n in range(41):
        t = n / 20
        G, D, v = pins(t)[5], pins(t)[2], velocity(t, 5)
        rows.append("[" + ", ".join(repr(x) for x in (t, G.real, G.imag, v.real, v.imag, D.real, D.imag)) + "]")
    head = {"name": "two turns of the crank", "columns": ["foot.x", "foot.y", "foot.vx", "foot.vy", "D.x", "D.y"],
            "scale": [1, 1, 10, 10, 1, 1], "conservative": False, "error": 1e-11, "tolerance": 1e-9}
    pathlib.Path(__file__).with_suffix(".json").write_text(
        '{"scene": "jansen_leg",\n "source": "intersections of circles, tests/reference/jansen_leg.py",\n "cases": [\n  {%s,\n   "rows": [\n    %s]}\n ]}\n'
        % (json.dumps(head)[1:-1], ",\n    ".join(rows)))
