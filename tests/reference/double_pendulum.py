"""Double pendulum of two uniform slender rods: Lagrange's equations in the absolute angles from the downward vertical."""
import numpy as np
from common import integrate, write

g, l1, l2, m1, m2 = 9.81, 1.0, 0.8, 1.0, 0.5
start = np.radians([60.0, 30.0])


def rate(t, y):
    a, b, da, db = y
    s, c = np.sin(a - b), np.cos(a - b)
    mass = np.array([[(m1 / 3 + m2) * l1 * l1, m2 * l1 * l2 / 2 * c], [m2 * l1 * l2 / 2 * c, m2 * l2 * l2 / 3]])
    force = np.array([-m2 * l1 * l2 / 2 * s * db * db - (m1 / 2 + m2) * g * l1 * np.sin(a),
                      m2 * l1 * l2 / 2 * s * da * da - m2 * g * l2 / 2 * np.sin(b)])
    return np.concatenate([[da, db], np.linalg.solve(mass, force)])


times = np.linspace(0, 10, 21)
y, error = integrate(rate, np.concatenate([start, [0, 0]]), times)
a, b, da, db = y.T
tip = np.array([l1 * np.sin(a) + l2 * np.sin(b), -l1 * np.cos(a) - l2 * np.cos(b)])
rows = np.column_stack([times, *tip, a - a[0], b - b[0] - (a - a[0])])
print("error", error)
write("double_pendulum", "minimal coordinates, DOP853, tests/reference/double_pendulum.py",
      [{"name": "released at rest", "columns": ["tip.x", "tip.y", "j1.angle", "j2.angle"], "conservative": True, "error": error,
        "tolerance": 5e-8, "rows": rows}])
