"""Four-bar linkage of uniform slender rods on a turning tower, a box on a ball at its point C: Kane's equations in five velocities, the rates
of the tower's angle f and of the crank's angle s, and the angular velocity w of the box in its own axes; its orientation is a quaternion."""
import numpy as np
from common import integrate, write

g, crank, coupler, rocker = 9.81, 0.2, 0.5, 0.4
m_crank, m_coupler, m_rocker, m_load = 0.5, 1.0, 0.8, 2.0
J_tower = 20 * 0.2**2 / 2
A, D = np.array([0.1, 1.0]), np.array([0.6, 1.0])  # x, z in the tower's plane
size = np.array([0.3, 0.16, 0.5])
J_load = m_load / 12 * (size @ size - size**2)
center, corner = np.array([0.05, 0.02, -0.25]), np.array([0.2, 0.1, -0.5])  # from C, at the start


def in_plane(s):
    """B, C and their derivatives by s; C is left of the line from B to D (analytic in s, so complex steps work)."""
    B = A + crank * np.array([np.cos(s), np.sin(s)])
    dB = crank * np.array([-np.sin(s), np.cos(s)])
    r = D - B
    d2 = r @ r
    along = (coupler**2 - rocker**2 + d2) / (2 * d2)
    across = np.sqrt(coupler**2 / d2 - along**2)
    C = B + along * r + across * np.array([-r[1], r[0]])
    a, b = C - B, C - D
    return (B, dB), (C, (a @ dB) / (a[0] * b[1] - a[1] * b[0]) * np.array([b[1], -b[0]]))


def point(f, p, dp):
    """Position of a point (x, z) of the plane, and its slopes by f and s as columns."""
    c, n = np.array([np.cos(f), np.sin(f), 0]), np.array([-np.sin(f), np.cos(f), 0])
    up = np.array([0, 0, 1.0])
    return p[0] * c + p[1] * up, np.column_stack([p[0] * n, dp[0] * c + dp[1] * up])


def points(f, s):
    (B, dB), (C, dC) = in_plane(s)
    still = np.zeros(2)
    return [point(f, *x) for x in ((A, still), (B, dB), (C, dC), (D, still))]


def accelerations(f, s, u):
    """Slopes J of A, B, C, D and J' u, by a complex step along the motion."""
    step = 1e-30
    J = [x[1] for x in points(f, s)]
    moved = [x[1].imag / step for x in points(f + 1j * step * u[0], s + 1j * step * u[1])]
    return J, [d @ u for d in moved]


def turn(q):
    w, v = q[0], q[1:]
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


rods = ((m_crank, 0, 1), (m_coupler, 1, 2), (m_rocker, 2, 3))
gravity = np.array([0, 0, -g])


def rate(t, y):
    f, s, u, q, w = y[0], y[1], y[2:4], y[4:8], y[8:11]
    J, bias = accelerations(f, s, u)
    M, Q = np.zeros((5, 5)), np.zeros(5)
    M[0, 0] += J_tower
    for m, i, j in rods:  # velocities are linear along a rod: its points with weights 1/3, 1/6
        for a, b, weight in ((i, i, 2), (i, j, 1), (j, i, 1), (j, j, 2)):
            M[:2, :2] += m / 6 * weight * J[a].T @ J[b]
            Q[:2] -= m / 6 * weight * J[a].T @ (bias[b] - gravity)
    R = turn(q / np.linalg.norm(q))
    P = np.hstack([J[2], np.column_stack([R @ np.cross(e, center) for e in np.eye(3)])])
    M += m_load * P.T @ P
    Q -= m_load * P.T @ (bias[2] + R @ np.cross(w, np.cross(w, center)) - gravity)
    M[2:, 2:] += np.diag(J_load)
    Q[2:] -= np.cross(w, J_load * w)
    e, v = q[0], q[1:]
    return np.concatenate([u, np.linalg.solve(M, Q), 0.5 * np.concatenate([[-v @ w], e * w + np.cross(v, w)]), [0, 0, 0]])[
        [0, 1, 2, 3, 7, 8, 9, 10, 4, 5, 6]]


def energy(y):
    f, s, u, q, w = y[0], y[1], y[2:4], y[4:8], y[8:11]
    at = points(f, s)
    v = [x[1] @ u for x in at]
    total = J_tower * u[0]**2 / 2
    for m, i, j in rods:
        total += m / 6 * (v[i] @ v[i] + v[i] @ v[j] + v[j] @ v[j]) + m * g * (at[i][0][2] + at[j][0][2]) / 2
    R = turn(q / np.linalg.norm(q))
    moving = v[2] + R @ np.cross(w, center)
    return total + m_load * (moving @ moving / 2 + g * (at[2][0] + R @ center)[2]) + w @ (J_load * w) / 2


times = np.linspace(0, 2, 9)
start = np.array([0, np.pi / 2, 2, 6, 1, 0, 0, 0, 1, 3, 4.0])
y, error = integrate(rate, start, times)
q = y[:, 4:8] / np.linalg.norm(y[:, 4:8], axis=1)[:, None]
C = np.array([points(f, s)[2][0] for f, s in y[:, :2]])
tip = C + np.array([turn(a) @ corner for a in q])
print("error", error, "energy", max(abs(energy(x) - energy(start)) for x in y), "C", C[4], C[-1])
rows = np.column_stack([times, C, tip, y[:, 0], y[:, 1] - np.pi / 2, y[:, 2], y[:, 3], q])
write("slewing_linkage", "five velocities, DOP853, tests/reference/slewing_linkage.py",
      [{"name": "tower, crank and box thrown",
        "columns": ["C.x", "C.y", "C.z", "corner.x", "corner.y", "corner.z", "T.angle", "A.angle", "T.rate", "A.rate",
                    "load.e0", "load.e1", "load.e2", "load.e3"],
        "scale": [1] * 8 + [10, 10] + [1] * 4, "conservative": True, "error": error, "tolerance": 1e-7, "rows": rows}])
