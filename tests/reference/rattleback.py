"""A rattleback on a plane, by the equations of rolling_body.py; nothing of biela is used."""
from math import sqrt
from plain import write
from rolling_body import dot, motion, rolling

square = [0.2 ** 2, 0.03 ** 2, 0.02 ** 2]
inertia = [[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]]


def contact(g, dg):
    f, df = ([k * x for k, x in zip(square, y)] for y in (g, dg))
    h = sqrt(dot(g, f))
    rate = dot(g, df) / h ** 3
    return [c - x / h for c, x in zip([0, 0, 0.01], f)], [-x / h + y * rate for x, y in zip(df, f)]


cases = []
for spin in (-2.0, 2.0):
    times = [0.25 * k for k in range(21)]
    start = [1, 0, 0, 0, 0.01, -0.02, spin, 0, 0, 0.01]
    rows, states, error = motion(rolling(1.0, inertia, contact), start, times, 0.004, [[0, 0, 0], [0.2, 0, 0.01], [0, 0, 0.03]])
    print(spin, "spin at 3 s, 5 s:", states[12][6], states[20][6], "error", error)
    cases.append({"name": "turns around" if spin < 0 else "goes on", "columns": ["C.x", "C.y", "C.z", "tip.x", "tip.y", "tip.z", "top.x", "top.y"],
                  "conservative": True, "error": 1e-10, "tolerance": 1e-6, "rows": [r[:9] for r in rows]})
    if spin > 0:
        cases[-1]["set"] = {"spin": spin}
write("rattleback", "integration of the equations of Newton and Euler without multipliers, tests/reference/rattleback.py", cases)
