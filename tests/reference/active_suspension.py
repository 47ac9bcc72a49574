"""Quarter car: positions of wheel and body about the equilibrium, force of the actuator. Plain Python."""
from math import cos, sin
from plain import integrate, write

body, wheel, strut, tire, damping, sky, lag = 300.0, 40.0, 2e4, 1.8e5, 500.0, 2500.0, 0.02


def road(t):
    return 0.03 * sin(8 * t) ** 2 + 0.005 * (1 - cos(40 * t))


def rate(t, y):
    w, b, vw, vb, u = y
    pull = strut * (b - w) + damping * (vb - vw) - u  # tension of the strut
    return [vw, vb, (pull - tire * (w - road(t))) / wheel, -pull / body, (-sky * vb - u) / lag]


times = [0.1 * k for k in range(21)]
y, error = integrate(rate, [0.0] * 5, times, 0.002)
print("error", error)
write("active_suspension", "minimal coordinates, extrapolation, tests/reference/active_suspension.py",
      [{"name": "on the wavy road", "columns": ["hub.distance", "seat.distance", "hub.rate", "seat.rate"], "conservative": False,
        "error": error, "tolerance": 1e-9, "rows": [[t] + list(s[:4]) for t, s in zip(times, y)]}])
