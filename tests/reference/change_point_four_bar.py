"""Four-bar of uniform rods, crank 1, coupler 1.5, rocker 1.5, base 2, that passes its change point: with the crank away from the base all bars
lie on one line. There the discriminant of the loop closure, 2 cos(s/2)^2, has a double zero; on a smooth branch its root changes sign."""
import numpy as np
from common import integrate, rate_of_energy, write

g, crank, link, base = 9.81, 1.0, 1.5, 2.0  # coupler and rocker are equal; 1 kg/m
D = np.array([base, 0.0])


def position(s):
    """B, C: with equal links C lies on the bisector of B D, sqrt(link^2 - |BD|^2/4) = sqrt(2) cos(s/2) from the line, with its sign."""
    B = crank * np.array([np.cos(s), np.sin(s)])
    r = D - B
    across = np.sqrt(2) * np.cos(s / 2) / np.sqrt(5 - 4 * np.cos(s))
    return B, B + r / 2 + across * np.array([-r[1], r[0]])


def velocity(s):
    """Derivatives of B, C by s, of the formulas above: at the change point the constraints do not give them."""
    B, C = position(s)
    r, d2 = D - B, 5 - 4 * np.cos(s)
    dB = crank * np.array([-np.sin(s), np.cos(s)])
    across = np.sqrt(2) * np.cos(s / 2) / np.sqrt(d2)
    d_across = -np.sqrt(0.5) * np.sin(s / 2) / np.sqrt(d2) - across * 2 * np.sin(s) / d2
    return dB, dB / 2 + d_across * np.array([-r[1], r[0]]) + across * np.array([dB[1], -dB[0]])


def inertia(s):
    dB, dC = velocity(s)
    return crank / 3 * (dB @ dB) + link / 3 * (dB @ dB + dB @ dC + dC @ dC) + link / 3 * (dC @ dC)


def potential(s):
    B, C = position(s)
    return g * (crank * B[1] / 2 + link * (B[1] + C[1]) / 2 + link * C[1] / 2)


start, rate = np.pi / 2, 3.0
times = np.linspace(0, 10, 41)
y, error = integrate(rate_of_energy(inertia, potential), [start, rate], times, longest=0.0025)
C = np.array([position(s)[1] for s in y[:, 0]])
energy = [inertia(s) * v * v / 2 + potential(s) for s, v in y]
links = [(np.linalg.norm(c - position(s)[0]), np.linalg.norm(c - D)) for s, c in zip(y[:, 0], C)]
passed = np.floor((y[-1, 0] + np.pi) / (2 * np.pi)) - np.floor((start + np.pi) / (2 * np.pi))
print("error", error, "energy", np.ptp(energy), "links", np.abs(np.array(links) - link).max(), "change points passed", passed)
rows = np.column_stack([times, C, y[:, 0] - start, y[:, 1]])
write("change_point_four_bar", "minimal coordinate on the smooth branch, DOP853, tests/reference/change_point_four_bar.py",
      [{"name": "through the change point", "columns": ["C.x", "C.y", "A.angle", "A.rate"], "scale": [1, 1, 1, 10],
        "conservative": True, "error": error, "tolerance": 1e-5, "rows": rows}])
