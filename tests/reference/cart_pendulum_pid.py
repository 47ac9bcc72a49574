"""Cart and upright rod: Lagrange's equations in the position x of the cart and the angle a of the rod, which leans along x; the integral of
the controller. Plain Python."""
from math import cos, sin
from plain import integrate, write

g, M, m, l, wind = 9.81, 1.0, 0.3, 1.0, 0.2
J = m * l * l / 3


def rate(t, y):
    x, a, v, w, integral = y
    push = 60 * a + 15 * w + 8 * x + 9 * v - 2 * integral  # minus both controllers; integral of -x
    # (M + m) x'' + m l/2 (cos a a'' - sin a a'^2) = push + wind;  J a'' + m l/2 cos a x'' = m g l/2 sin a + wind l cos a
    b, c = push + wind + m * l / 2 * sin(a) * w * w, m * g * l / 2 * sin(a) + wind * l * cos(a)
    k = m * l / 2 * cos(a)
    det = (M + m) * J - k * k
    return [v, w, (J * b - k * c) / det, ((M + m) * c - k * b) / det, -x]


times = [0.5 * k for k in range(13)]
y, error = integrate(rate, [0, 0.2, 0, 0, 0], times, 0.01)
print("error", error)
write("cart_pendulum_pid", "minimal coordinates, extrapolation, tests/reference/cart_pendulum_pid.py",
      [{"name": "released with the rod at 0.2 rad", "columns": ["track.distance", "pivot.angle", "track.rate", "pivot.rate", "tip.x"],
        "conservative": False, "error": error, "tolerance": 1e-8,
        "rows": [[t, x, a, v, w, x + l * sin(a)] for t, (x, a, v, w, i) in zip(times, y)]}])
