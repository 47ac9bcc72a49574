"""Two planetary stages between a motor and a load: one linear equation of first order in the motor speed. Plain Python."""
import json
import math
import pathlib

T0, W0, C = 4.0, 300.0, 1.2
I1, I2 = 1 + 66 / 18, 1 + 60 / 20
INERTIA = 0.0012 + 0.003 / I1**2 + 0.5 / (I1 * I2) ** 2
SLOPE = T0 / W0 + C / (I1 * I2) ** 2
W1, TAU = T0 / SLOPE, INERTIA / SLOPE


def place(t):
    """motor angle and speed, angle of the load, speed of the first carrier"""
    fading = math.exp(-t / TAU)
    rate, angle = W1 * (1 - fading), W1 * (t - TAU * (1 - fading))
    return angle, rate, angle / (I1 * I2), rate / I1


if __name__ == "__main__":
    rows = [(n / 40, *place(n / 40)) for n in range(21)]
    print("motor.rate(0.05)", place(0.05)[1], "motor.rate(0.5)", place(0.5)[1], "ratio", I1 * I2, "tau", TAU)
    head = {"name": "start", "columns": ["motor.angle", "motor.rate", "load.angle", "arm1.rate"], "scale": [100, 100, 10, 10],
            "conservative": False, "error": 1e-14, "tolerance": 1e-8}
    lines = ",\n    ".join("[" + ", ".join(repr(x) for x in row) + "]" for row in rows)
    pathlib.Path(__file__).with_suffix(".json").write_text(
        '{"scene": "planetary_gearbox",\n "source": "formulas, tests/reference/planetary_gearbox.py",\n "cases": [\n  {%s,\n'
        '   "rows": [\n    %s]}\n ]}\n'
        % (json.dumps(head)[1:-1], lines))
