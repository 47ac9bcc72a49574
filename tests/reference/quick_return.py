"""Crank-shaper: a crank moves a slotted lever, the lever a ram; formulas. Plain Python."""
import json
import math
import pathlib

r, d, L, link, height, speed = 0.1, 0.25, 0.45, 0.2, 0.24, 2 * math.pi  # the crank stands at 90 degrees when t = 0


def place(t):
    """angle of the lever from the vertical, x of the ram, x of the lever's tip"""
    c = math.pi / 2 + speed * t
    lever = math.atan2(-r * math.cos(c), d + r * math.sin(c))
    x, y = -L * math.sin(lever), -d + L * math.cos(lever)
    return lever, x + math.sqrt(link * link - (height - y) ** 2), x


def velocity(t, s=2e-4):
    p = [place(t + n * s)[1] - place(t - n * s)[1] for n in (1, 2, 3)]
    return (45 * p[0] - 9 * p[1] + p[2]) / (60 * s)


if __name__ == "__main__":
    rows = [(n / 20, place(n / 20)[1], velocity(n / 20), place(n / 20)[0], place(n / 20)[2]) for n in range(41)]
    swing = math.asin(r / d)
    print("ram at 0", place(0)[1], "stroke", 2 * L * r / d, "time ratio", (math.pi + 2 * swing) / (math.pi - 2 * swing))
    head = {"name": "two turns of the crank", "columns": ["ram.x", "ram.vx", "lever.angle", "tip.x"], "scale": [1, 10, 1, 1],
            "conservative": False, "error": 1e-11, "tolerance": 1e-9}
    lines = ",\n    ".join("[" + ", ".join(repr(x) for x in row) + "]" for row in rows)
    pathlib.Path(__file__).with_suffix(".json").write_text(
        '{"scene": "quick_return",\n "source": "formulas, tests/reference/quick_return.py",\n "cases": [\n  {%s,\n   "rows": [\n    %s]}\n ]}\n'
        % (json.dumps(head)[1:-1], lines))
