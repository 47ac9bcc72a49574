"""Planar slider-crank with a spring and a damper on the slider: one coordinate, the crank angle from x."""
import numpy as np
from common import integrate, rate_of_energy, write

g, a, b = 9.81, 0.2, 0.5
m_crank, m_rod, m_slider = 0.5, 1.0, 2.0
wall, free, stiffness, damping = 1.2, 0.5, 40.0, 1.5


def place(s):
    """x of the slider's pin and its derivative by s."""
    root = np.sqrt(b * b - (a * np.sin(s)) ** 2)
    return a * np.cos(s) + root, -a * np.sin(s) - a * a * np.sin(s) * np.cos(s) / root


def inertia(s):
    dB = a * np.array([-np.sin(s), np.cos(s)])
    dC = np.array([place(s)[1], 0 * s])
    return m_crank / 3 * (dB @ dB) + m_rod / 3 * (dB @ dB + dB @ dC + dC @ dC) + m_slider * (dC @ dC)


def potential(s):
    stretch = wall - place(s)[0] - free
    return g * (m_crank + m_rod) * a * np.sin(s) / 2 + stiffness * stretch * stretch / 2


def friction(s, v):
    return -damping * place(s)[1] ** 2 * v


times = np.linspace(0, 5, 21)
y, error = integrate(rate_of_energy(inertia, potential, friction), [np.pi / 3, 10.0], times)
x, dx = place(y[:, 0])
print("error", error, "turns", (y[-1, 0] - y[0, 0]) / 2 / np.pi)
rows = np.column_stack([times, x, y[:, 0] - np.pi / 3, y[:, 1], x - x[0]])
write("slider_crank", "minimal coordinate, DOP853, tests/reference/slider_crank.py",
      [{"name": "crank thrown at 10 rad/s", "columns": ["C.x", "A.angle", "A.rate", "guide.distance"], "scale": [1, 1, 10, 1],
        "conservative": False, "error": error, "tolerance": 2e-8, "rows": rows}])
