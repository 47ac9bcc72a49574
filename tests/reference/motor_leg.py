"""Jansen's leg driven by a motor: one coordinate, the angle p of the crank. Positions are power series in p of order 2, so that inertia
I = sum m r'.r' + J a'^2 and its derivative are exact:  I p'' + I' p'^2 / 2 + V' = torque. Plain Python."""
import cmath
import math

from jansen_leg import B, b, c, d, e, f, g, h, i, j, k, m
from plain import flow, write

gravity, R, L, K, gear, rotor, friction = 9.81, 2.0, 0.02, 0.04, 20.0, 1e-4, 2e-5


class Jet:
    """x0 + x1 s + x2 s^2 with complex coefficients: points of the plane, or real numbers."""

    def __init__(self, *x):
        self.x = (list(x) + [0, 0, 0])[:3]

    def __add__(self, o):
        o = o if isinstance(o, Jet) else Jet(o)
        return Jet(*[p + q for p, q in zip(self.x, o.x)])

    __radd__ = __add__

    def __neg__(self):
        return Jet(*[-p for p in self.x])

    def __sub__(self, o):
        return self + (-o if isinstance(o, Jet) else Jet(-o))

    def __rsub__(self, o):
        return -self + o

    def __mul__(self, o):
        o = o if isinstance(o, Jet) else Jet(o)
        return Jet(*[sum(self.x[n] * o.x[q - n] for n in range(q + 1)) for q in range(3)])

    __rmul__ = __mul__

    def __truediv__(self, o):
        o = o if isinstance(o, Jet) else Jet(o)
        y = []
        for q in range(3):
            y.append((self.x[q] - sum(y[n] * o.x[q - n] for n in range(q))) / o.x[0])
        return Jet(*y)

    def sqrt(self):
        y = [cmath.sqrt(self.x[0])]
        for q in (1, 2):
            y.append((self.x[q] - sum(y[n] * y[q - n] for n in range(1, q))) / (2 * y[0]))
        return Jet(*y)

    def conjugate(self):
        return Jet(*[complex(p).conjugate() for p in self.x])


def length(way):
    return (way * way.conjugate()).sqrt()


def meet(p, rp, q, rq, side):
    """As in jansen_leg.py, with series."""
    p, q = p if isinstance(p, Jet) else Jet(p), q if isinstance(q, Jet) else Jet(q)
    way = q - p
    size = length(way)
    along = (rp * rp - rq * rq + size * size) / (2 * size)
    return p + way / size * (along + side * 1j * (rp * rp - along * along).sqrt())


def linkage(p):
    A = m * Jet(cmath.exp(1j * p), 1j * cmath.exp(1j * p), -0.5 * cmath.exp(1j * p))
    D = meet(A, j, B, b, -1)
    E = meet(B, d, D, e, 1)
    C = meet(A, k, B, c, 1)
    F = meet(E, f, C, g, -1)
    G = meet(F, h, C, i, -1)
    return A, C, D, E, F, G


A0, C0, D0, E0, F0, G0 = [p.x[0] for p in linkage(0.0)]


def carried(center, at0, to0, at, to):
    """A point fixed in the body that carries two others."""
    return at + (to - at) * ((center - at0) / (to0 - at0))


def bodies(p):
    """(mass, inertia, center, a vector fixed in the body)"""
    A, C, D, E, F, G = linkage(p)
    O = Jet(0)
    rod = lambda mass, p0, q0, a, z: (mass, mass * abs(q0 - p0) ** 2 / 12, 0.5 * (a + z), z - a)
    return [(0.1, 0.1 * 0.15 ** 2 / 12 + rotor * gear ** 2, 0.5 * A, A),
            rod(0.2, A0, D0, A, D),
            (0.4, 0.01, carried(complex(-0.456026, 0.105384), B, D0, Jet(B), D), D - B),
            rod(0.2, A0, C0, A, C),
            rod(0.2, B, C0, Jet(B), C),
            rod(0.2, E0, F0, E, F),
            (0.4, 0.01, carried(complex(-0.431146, -0.551083), C0, G0, C, G), G - C)]


def derivatives(p):
    """I, I', V' of the linkage at the angle p."""
    inertia = slope = weight = 0.0
    for mass, J, r, v in bodies(p):
        first, second = r.x[1], 2 * r.x[2]
        spin = v / v.x[0]  # exp(i a): i a' = spin_1, i a'' - a'^2 = 2 spin_2
        a1, a2 = spin.x[1].imag, 2 * spin.x[2].imag
        inertia += mass * abs(first) ** 2 + J * a1 * a1
        slope += 2 * (mass * (first * second.conjugate()).real + J * a1 * a2)
        weight += mass * gravity * first.imag
    return inertia, slope, weight


def rate_of(supply):
    def rate(t, y):
        p, w, current = y
        I, dI, dV = derivatives(p)
        torque = gear * (K * current - friction * gear * w)
        return [w, (torque - 0.5 * dI * w * w - dV) / I, (supply - R * current - K * gear * w) / L]

    return rate


def run(longest):
    y, rows = [0.0, 0.0, 0.0], []
    for n in range(31):
        G = linkage(y[0])[5]
        v = G.x[1] * y[1]
        rows.append([0.1 * n, y[0], y[1], G.x[0].real, G.x[0].imag, v.real, v.imag])
        y = flow(rate_of(12.0 if n < 15 else 9.0), 0.1 * n, y, 0.1 * (n + 1), longest)
    return rows


one, two = run(0.01), run(0.02)
error = max(abs(a - z) for p, q in zip(one, two) for a, z in zip(p, q))
print("error", error)
write("motor_leg", "one coordinate, extrapolation, tests/reference/motor_leg.py",
      [{"name": "from rest", "columns": ["O.angle", "O.rate", "foot.x", "foot.y", "foot.vx", "foot.vy"], "scale": [1, 10, 1, 1, 10, 10],
        "conservative": False, "error": error, "tolerance": 1e-8, "rows": one}])
