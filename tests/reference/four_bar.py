"""Crank-rocker four-bar of uniform slender rods: one coordinate, the crank angle from x; T = I(s) s'^2 / 2."""
import numpy as np
from common import integrate, rate_of_energy, write

g, crank, coupler, rocker = 9.81, 0.2, 0.5, 0.4
m_crank, m_coupler, m_rocker = 0.5, 1.0, 0.8
D = np.array([0.5, 0.0])


def position(s):
    """B, C; C is left of the line from B to D (analytic in s, so complex steps work)."""
    B = crank * np.array([np.cos(s), np.sin(s)])
    r = D - B
    d2 = r @ r
    along = (coupler**2 - rocker**2 + d2) / (2 * d2)
    across = np.sqrt(coupler**2 / d2 - along**2)
    return B, B + along * r + across * np.array([-r[1], r[0]])


def velocity(s):
    """Derivatives of B, C by s: (C - B).(C' - B') = 0, (C - D).C' = 0."""
    B, C = position(s)
    dB = crank * np.array([-np.sin(s), np.cos(s)])
    a, b = C - B, C - D
    rhs = a @ dB
    return dB, rhs / (a[0] * b[1] - a[1] * b[0]) * np.array([b[1], -b[0]])


def inertia(s):
    dB, dC = velocity(s)
    return m_crank / 3 * (dB @ dB) + m_coupler / 3 * (dB @ dB + dB @ dC + dC @ dC) + m_rocker / 3 * (dC @ dC)


def potential(s):
    B, C = position(s)
    return g * (m_crank * B[1] / 2 + m_coupler * (B[1] + C[1]) / 2 + m_rocker * C[1] / 2)


times = np.linspace(0, 5, 21)
y, error = integrate(rate_of_energy(inertia, potential), [np.pi / 2, 12.0], times)
C = np.array([position(s)[1] for s in y[:, 0]])
drift = max(abs(inertia(s) * v * v / 2 + potential(s) - inertia(np.pi / 2) * 72 - potential(np.pi / 2)) for s, v in y)
print("error", error, "energy", drift, "C at start", C[0])
rows = np.column_stack([times, C, y[:, 0] - np.pi / 2, y[:, 1]])
write("four_bar", "minimal coordinate, DOP853, tests/reference/four_bar.py",
      [{"name": "crank thrown at 12 rad/s", "columns": ["C.x", "C.y", "A.angle", "A.rate"], "scale": [1, 1, 1, 10], "conservative": True,
        "error": error, "tolerance": 1e-7, "rows": rows}])
