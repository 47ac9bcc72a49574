"""One degree of freedom, the angle a of the disc: (J + m s'^2) a'' + m s' s'' a'^2 = -m g s' + F s', s(a) the height of the roller's center,
F the force of the spring, which is always compressed. Plain Python."""
from math import cos, sin, sqrt
from plain import integrate, write

R, e, r, k, J, m, g = 0.04, 0.012, 0.01, 400.0, 0.002, 0.3, 9.81
L = R + r
top, free = 0.2, 0.18


def height(a):
    """s and its first two derivatives."""
    w = sqrt(L * L - (e * sin(a)) ** 2)
    first = -e * sin(a) - e * e * sin(a) * cos(a) / w
    second = -e * cos(a) - e * e * cos(2 * a) / w - (e * e * sin(a) * cos(a)) ** 2 / w ** 3
    return e * cos(a) + w, first, second


def rate(t, y):
    a, w = y
    s, first, second = height(a)
    force = -m * g - k * (free - (top - s))  # shorter than free: it pushes down
    return [w, (force * first - m * first * second * w * w) / (J + m * first * first)]


times = [0.05 * i for i in range(21)]
rows, error = integrate(rate, [0.0, 20.0], times, 2e-3)
s0 = height(0)[0]
write("cam_roller", "integrated in one coordinate, tests/reference/cam_roller.py",
      [{"name": "running", "columns": ["shaft.angle", "shaft.rate", "slide.distance"], "conservative": True, "error": max(error, 1e-12),
        "tolerance": 1e-8, "rows": [[t, a, w, height(a)[0] - s0] for t, (a, w) in zip(times, rows)]}])
