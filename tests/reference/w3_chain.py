"""Chain of n rods with revolute joints of alternating axes: joint angles, M = sum of m J^T J + W^T I W, bias by
Newton-Euler recursion without joint accelerations. O(n^3), plain."""
import numpy as np
from common import integrate, write

g, axial, cross = np.array([0.0, 0.0, -9.81]), 1e-3, 1.0 / 12


def motion(q, dq):
    """Joint points P[0..n], axes u, rotations R, angular velocities w."""
    n = len(q)
    P, R, w = [np.zeros(3)], [], []
    turn, spin, axes = np.eye(3), np.zeros(3), []
    for i in range(n):
        u = turn @ (np.array([0, 1, 1 if i % 2 == 0 else -1]) / np.sqrt(2))
        K = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
        turn = (np.eye(3) + np.sin(q[i]) * K + (1 - np.cos(q[i])) * K @ K) @ turn
        spin = spin + u * dq[i]
        axes.append(u), R.append(turn), w.append(spin)
        P.append(P[-1] + turn[:, 0])
    return np.array(P), np.array(axes), R, w


def rate(t, y):
    n = len(y) // 2
    q, dq = y[:n], y[n:]
    P, u, R, w = motion(q, dq)
    mass, force = np.zeros((n, n)), np.zeros(n)
    point_acc, spin, spin_acc = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(n):
        center = (P[i] + P[i + 1]) / 2
        # accelerations with zero joint accelerations
        spin_acc = spin_acc + np.cross(spin, u[i] * dq[i])
        spin = w[i]
        r = center - P[i]
        acc = point_acc + np.cross(spin_acc, r) + np.cross(spin, np.cross(spin, r))
        point_acc = point_acc + np.cross(spin_acc, 2 * r) + np.cross(spin, np.cross(spin, 2 * r))
        I = R[i] @ np.diag([axial, cross, cross]) @ R[i].T
        moment = I @ spin_acc + np.cross(spin, I @ spin)
        J = np.array([np.cross(u[k], center - P[k]) for k in range(i + 1)]).T
        W = u[: i + 1].T
        mass[: i + 1, : i + 1] += J.T @ J + W.T @ I @ W
        force[: i + 1] += J.T @ (g - acc) - W.T @ moment
    return np.concatenate([dq, np.linalg.solve(mass, force)])


n, times = 5, np.linspace(0, 5, 21)
y, error = integrate(rate, np.zeros(2 * n), times)
tips = np.array([motion(s[:n], s[n:])[0][-1] for s in y])
print("error", error)
def energy(s):
    P, u, R, w = motion(s[:n], s[n:])
    e, v = 0.0, np.zeros(3)
    for i in range(n):
        e += 9.81 * (P[i] + P[i + 1])[2] / 2
        half = np.cross(w[i], (P[i + 1] - P[i]) / 2)
        e += 0.5 * ((v + half) @ (v + half) + w[i] @ R[i] @ np.diag([axial, cross, cross]) @ R[i].T @ w[i])
        v = v + 2 * half
    return e
print("energy", max(abs(energy(s)) for s in y))
write("w3_chain", "joint angles, DOP853, tests/reference/w3_chain.py",
      [{"name": "n = 5", "columns": ["tip.x", "tip.y", "tip.z"], "set": {"n": n}, "conservative": True, "error": error, "tolerance": 1e-7,
        "rows": np.column_stack([times, tips])}])
