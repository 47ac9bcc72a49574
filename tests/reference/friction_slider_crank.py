"""Planar slider-crank with dry friction in its three pins and in the guide: one coordinate, the crank angle s from x.

The balance of forces and moments of the three bodies gives the acceleration s'' and the eight reactions for given normal loads (9 linear
equations); the loads follow from the reactions, and are repeated until they agree.
"""
import numpy as np
from common import integrate, write

g, a, b = 9.81, 0.2, 0.5
m1, m2, m3 = 0.5, 1.0, 2.0
i1, i2 = m1 * a * a / 12, m2 * b * b / 12
torque = 1.0
mu_pin, radius = 0.1, {"A": 0.02, "B": 0.015, "C": 0.01}
mu_guide, arm, smooth = 0.15, 0.1, 0.05
last = np.zeros(4)


def motion(s, v):
    """Angle of the rod, its rate, and per body (center x, y; angle): acceleration = first * s'' + second. Pins relative to centers."""
    p = np.arcsin(-a * np.sin(s) / b)
    dp = -a * np.cos(s) / (b * np.cos(p))           # dp/ds
    ddp = (a * np.sin(s) + b * np.sin(p) * dp * dp) / (b * np.cos(p))
    vp = dp * v
    # accelerations of B, C as first * s'' + second
    B1, B2 = a * np.array([-np.sin(s), np.cos(s)]), -a * v * v * np.array([np.cos(s), np.sin(s)])
    R1 = b * dp * np.array([-np.sin(p), np.cos(p)])
    R2 = b * (ddp * v * v * np.array([-np.sin(p), np.cos(p)]) - vp * vp * np.array([np.cos(p), np.sin(p)]))
    crank = (B1 / 2, B2 / 2, 1.0, 0.0)
    rod = (B1 + R1 / 2, B2 + R2 / 2, dp, ddp * v * v)
    slider = (B1 + R1, B2 + R2)
    x = a * np.cos(s) + b * np.cos(p)
    dx = -a * np.sin(s) - b * np.sin(p) * dp
    return p, vp, x, dx, crank, rod, slider


def solve(s, v, load):
    """s'' and reactions: unknowns s'', A, B, C (forces on crank, rod, slider by the body before), guide force y, guide moment."""
    p, vp, x, dx, crank, rod, slider = motion(s, v)
    K, r = np.zeros((9, 9)), np.zeros(9)
    rub = lambda name, n, w: -mu_pin * radius[name] * n * np.tanh(radius[name] * w / smooth)  # moment on the later body
    TA, TB, TC = rub("A", load[0], v), rub("B", load[1], vp - v), rub("C", load[2], -vp)
    F = -mu_guide * load[3] * np.tanh(dx * v / smooth)
    half = a / 2 * np.array([np.cos(s), np.sin(s)])
    reach = b / 2 * np.array([np.cos(p), np.sin(p)])
    cross = lambda d: np.array([-d[1], d[0]])  # moment of a force f at d: cross(d) @ f
    # crank: m a = A - B + m g; i s'' = moments about its center
    K[0:2, 0], K[0:2, 1:3], K[0:2, 3:5] = m1 * crank[0], -np.eye(2), np.eye(2)
    r[0:2] = -m1 * crank[1] + [0, -m1 * g]
    K[2, 0], K[2, 1:3], K[2, 3:5] = i1, -cross(-half), cross(half)
    r[2] = torque + TA - TB
    K[3:5, 0], K[3:5, 3:5], K[3:5, 5:7] = m2 * rod[0], -np.eye(2), np.eye(2)
    r[3:5] = -m2 * rod[1] + [0, -m2 * g]
    K[5, 0], K[5, 3:5], K[5, 5:7] = i2 * rod[2], -cross(-reach), cross(reach)
    r[5] = -i2 * rod[3] + TB - TC
    K[6:8, 0], K[6:8, 5:7], K[7, 7] = m3 * slider[0], -np.eye(2), -1
    r[6:8] = -m3 * slider[1] + [F, -m3 * g]
    K[8, 8] = -1  # no turning of the slider: guide moment + TC = 0
    r[8] = TC
    return np.linalg.solve(K, r)


def rate(t, y):
    s, v, _ = y
    load = last.copy()
    for _ in range(200):
        u = solve(s, v, load)
        now = np.array([np.hypot(u[1], u[2]), np.hypot(u[3], u[4]), np.hypot(u[5], u[6]), abs(u[7]) + 2 * abs(u[8]) / arm])
        done = np.abs(now - load).max() <= 1e-15 * now.max()
        load = now
        if done:
            break
    last[:] = load
    return [v, u[0], 0.0]


times = np.linspace(0, 1, 21)
y, error = integrate(rate, [np.pi / 3, 10.0, 0.0], times)
x = np.array([motion(s, 0.0)[2] for s in y[:, 0]])
print("error", error, "turns", (y[-1, 0] - y[0, 0]) / 2 / np.pi)
rows = np.column_stack([times, x, y[:, 0] - np.pi / 3, y[:, 1], x - x[0]])
print(rows[[10, 20]])
write("friction_slider_crank", "minimal coordinate with balances of the bodies, DOP853, tests/reference/friction_slider_crank.py",
      [{"name": "crank thrown at 10 rad/s", "columns": ["C.x", "A.angle", "A.rate", "guide.distance"], "scale": [1, 1, 10, 1],
        "conservative": False, "error": error, "tolerance": 2e-7, "rows": rows}])
