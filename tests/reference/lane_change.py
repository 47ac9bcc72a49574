"""Single-track model of a car with tires by the magic formula, in body axes; classical Runge-Kutta with small steps. Plain Python.

With the velocity (u, v) of the mass center of the car in its axes, the yaw rate r, the steering angle d and the wheel as a mass w at the
distance a ahead, of the inertia I:

    (m + w) (u' - v r) - w a r^2 = X,    (m + w) (v' + u r) + w a r' = Y,    (J + I + w a^2) r' + w a (v' + u r) = N - I d''
"""
import json
import math
import pathlib

SPEED, STEER, PERIOD, M, W, J, I, A, B = 25.0, 0.04, 2.2, 1450.0, 15.0, 2400.0, 0.8, 1.15, 1.5
LOAD = (M * 9.81 * B / (A + B), M * 9.81 * A / (A + B))
SHAPE = ((11.0, 1.35, -0.5), (13.0, 1.35, -0.5))
PEAK, SMOOTH = 0.95, 0.1


def steering(t):
    """angle and its second derivative"""
    w, c, s = 2 * math.pi / PERIOD, PERIOD / 2, 0.8
    z = (t - c) / s
    g = math.exp(-z**4)
    g1, g2 = -4 * z**3 / s * g, (16 * z**6 - 12 * z**2) / s**2 * g
    sine, cosine = math.sin(w * t), math.cos(w * t)
    return STEER * sine * g, STEER * (-w * w * sine * g + 2 * w * cosine * g1 + sine * g2)


def side(k, ahead, across):
    """force across the wheel"""
    x = ahead / SMOOTH
    d = ahead * math.tanh(x) + SMOOTH * (1 - math.tanh(x) ** 2)
    b, c, e = SHAPE[k]
    q = b * math.atan(-across / d)
    return LOAD[k] * PEAK * math.sin(c * math.atan(q - e * (q - math.atan(q))))


def rate(t, y):
    px, py, psi, u, v, r = y
    d, d2 = steering(t)
    cd, sd = math.cos(d), math.sin(d)
    front = side(0, u * cd + (v + A * r) * sd, -u * sd + (v + A * r) * cd)
    rear = side(1, u, v - B * r)
    X, Y, N = -front * sd, front * cd + rear, A * front * cd - B * rear
    # (M + W) y2 + W A r' = Y;  W A y2 + (J + I + W A^2) r' = N - I d'',  y2 = v' + u r
    m11, m12, m22, n = M + W, W * A, J + I + W * A * A, N - I * d2
    det = m11 * m22 - m12 * m12
    y2, r1 = (m22 * Y - m12 * n) / det, (m11 * n - m12 * Y) / det
    cp, sp = math.cos(psi), math.sin(psi)
    return (u * cp - v * sp, u * sp + v * cp, r, (X + W * A * r * r) / (M + W) + v * r, y2 - u * r, r1)


def run(h, every, until):
    y, t, rows = (0.0, 0.0, 0.0, SPEED, 0.0, 0.0), 0.0, []
    steps, n = round(every / h), 0
    while True:
        if n % steps == 0:
            cp, sp = math.cos(y[2]), math.sin(y[2])
            rows.append((t, y[0], y[1], y[3] * cp - y[4] * sp, y[3] * sp + y[4] * cp, y[0] + 2.2 * cp, y[1] + 2.2 * sp))
        if t > until - h / 2:
            return rows
        k1 = rate(t, y)
        k2 = rate(t + h / 2, [a + h / 2 * b for a, b in zip(y, k1)])
        k3 = rate(t + h / 2, [a + h / 2 * b for a, b in zip(y, k2)])
        k4 = rate(t + h, [a + h * b for a, b in zip(y, k3)])
        y = tuple(a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4))
        n += 1
        t = n * h


if __name__ == "__main__":
    rows, coarse = run(5e-4, 0.2, 4.0), run(1e-3, 0.2, 4.0)
    error = max(abs(a - b) for p, q in zip(rows, coarse) for a, b in zip(p, q)) / 15
    print("CG(4)", rows[-1][1:3], "error", error)
    head = {"name": "four seconds", "columns": ["CG.x", "CG.y", "CG.vx", "CG.vy", "nose.x", "nose.y"], "scale": [1, 1, 1, 1, 1, 1],
            "conservative": False, "error": error, "tolerance": 1e-7}
    lines = ",\n    ".join("[" + ", ".join(repr(x) for x in row) + "]" for row in rows)
    pathlib.Path(__file__).with_suffix(".json").write_text(
        '{"scene": "lane_change",\n "source": "integration in body axes, tests/reference/lane_change.py",\n "cases": [\n  {%s,\n'
        '   "rows": [\n    %s]}\n ]}\n' % (json.dumps(head)[1:-1], lines))
