"""Woodpecker toy: y of the sleeve's center, angles of sleeve and bird, against the right side of a pole, the line x = r0.

Case "published": matrices and contacts linearized at zero angles, as in the published model (its digits are checked). Case "bodies": the same
parameters as two rigid bodies, the sleeve guided along the pole (its center stays on the pole's axis).
"""
import numpy as np
from contact_events import Contact, Point, Tree, compare, write
from scipy.optimize import brentq

mM, mS, JM, JS, c = 3e-4, 4.5e-3, 5e-9, 7e-7, 0.0056
lM, lG, lS, hS, hM, r0, rM = 0.01, 0.015, 0.0201, 0.02, 0.0058, 0.0025, 0.0031


def tree(linear):
    sleeve = Point([], True)
    bird = Point([(1, (lM, 0)), (2, (lG, 0))], True)
    beak = Point([(1, (lM, 0)), (2, (lG - lS, hS))], True)
    lower, upper = Point([(1, (rM, -hM))], True), Point([(1, (rM, hM))], True)
    contacts = [Contact(name, p, (1, 0), r0, e, 0.3) for name, p, e in (("beak", beak, 0.5), ("lower", lower, 0.0), ("upper", upper, 0.0))]
    return Tree(3, [(mM, JM, sleeve, 1), (mS, JS, bird, 2)], contacts, spring=(1, 2, c), linear=linear)


times = np.linspace(0, 0.5, 51)
cases = []
for name, linear in (("published", True), ("bodies", False)):
    leaning = -(rM - r0) / hM if linear else brentq(lambda p: rM * np.cos(p) + hM * np.sin(p) - r0, -0.2, 0, xtol=1e-17)
    start = [0, leaning, -0.2788]
    rows, events, error, late = compare(tree(linear), start, [-0.3411, 0, -7.4583], times)
    impacts = [e for e in events if e["kind"] == "impact"]
    print(name, len(events), "events, errors", error, late)
    if linear:
        assert np.abs(rows[-1] - [-0.06261048613312617, -0.10344827586203552, -0.18722812490943397, -0.00088285040851733, 0, 17.50433960457093]).max() < 2e-9
        published = [0.077877992289459, 0.08098880541856925, 0.08157532878964517, 0.11867511294865264, 0.12133547055744728, 0.22374864391891144]
        assert max(abs(e["t"] - t) for e, t in zip(impacts, published)) < 1e-10
        assert np.abs(np.array(impacts[1]["after"]) - [-0.09291753126198135, 22.88246462629448, -8.465717893090673]).max() < 1e-9
    cases.append({"name": name, "start": start, "columns": ["y", "sleeve", "bird", "y_rate", "sleeve_rate", "bird_rate"], "conservative": False,
                  "error": error.max(), "tolerance": 1e-8, "times": times, "rows": rows, "events": events})
write("woodpecker", "event-driven integration in generalized coordinates, tests/reference/woodpecker.py", cases, bench=["", "woodpecker"])
