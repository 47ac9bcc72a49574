"""A satellite on an ellipse: Kepler's equation E - e sin E = n t by Newton's method. Plain Python."""
import json
import math
import pathlib

MU, PERIGEE, APOGEE, TILT = 3.986004418e14, 6.9e6, 4.61e7, math.radians(63.4)
A = (PERIGEE + APOGEE) / 2
E0 = 1 - PERIGEE / A
N = math.sqrt(MU / A**3)


def place(t):
    mean = N * t
    x = mean
    for _ in range(60):
        x -= (x - E0 * math.sin(x) - mean) / (1 - E0 * math.cos(x))
    b, rate = A * math.sqrt(1 - E0 * E0), N / (1 - E0 * math.cos(x))
    p, q = A * (math.cos(x) - E0), b * math.sin(x)
    u, v = -A * math.sin(x) * rate, b * math.cos(x) * rate
    return (p, q * math.cos(TILT), q * math.sin(TILT), u, v * math.cos(TILT), v * math.sin(TILT))


if __name__ == "__main__":
    times = [2500.0 * n for n in range(35)]
    rows = [(t, *place(t)) for t in times]
    print("period", 2 * math.pi / N, "eccentricity", E0, "at 10000", place(10000))
    head = {"name": "two orbits", "columns": ["S.x", "S.y", "S.z", "S.vx", "S.vy", "S.vz"],
            "scale": [1e7, 1e7, 1e7, 1e4, 1e4, 1e4], "conservative": True, "error": 1e-13, "tolerance": 1e-7}
    lines = ",\n    ".join("[" + ", ".join(repr(x) for x in row) + "]" for row in rows)
    pathlib.Path(__file__).with_suffix(".json").write_text(
        '{"scene": "satellite",\n "source": "formulas, tests/reference/satellite.py",\n "cases": [\n  {%s,\n   "rows": [\n    %s]}\n ]}\n'
        % (json.dumps(head)[1:-1], lines))
