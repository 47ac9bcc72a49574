"""A cart on two wheels in the speed v of the middle of its axle and its rate of turning w: d the distance of the frame's mass center before
the axle, b that of the wheels from the middle, J their inertia about the axle. Plain Python.

    (M + 2 J / R^2) v' = (left + right) / R + m d w^2
    (I + m d^2 + 2 (mw b^2 + Iw) + 2 J b^2 / R^2) w' = (right - left) b / R - m d v w
"""
from math import cos, sin
from plain import integrate, write

R, b, d, left, right = 0.1, 0.2, 0.08, 0.1, 0.16
m, I, mw, Iw, J = 6.0, 0.2, 0.5, 0.0014, 0.0025
mass = m + 2 * mw + 2 * J / R ** 2
inertia = I + m * d * d + 2 * (mw * b * b + Iw) + 2 * J * b * b / R ** 2


def rate(t, y):
    v, w, angle = y[:3]
    return [((left + right) / R + m * d * w * w) / mass, ((right - left) * b / R - m * d * v * w) / inertia, w,
            v * cos(angle), v * sin(angle), (v - b * w) / R, (v + b * w) / R]


times = [0.15 * k for k in range(21)]
states, error = integrate(rate, [0] * 7, times, 0.05)
rows = [[t, y[3], y[4], y[0] * cos(y[2]), y[0] * sin(y[2]), y[5], y[6]] for t, y in zip(times, states)]
print(rows[-1], "error", error)
write("two_wheel_cart", "integration in two velocities, tests/reference/two_wheel_cart.py",
      [{"name": "from rest", "columns": ["A.x", "A.y", "A.vx", "A.vy", "axle_l.angle", "axle_r.angle"], "error": 1e-12, "tolerance": 1e-7,
        "rows": rows}])
