"""Integration in plain Python, for references of models with controllers: nothing of biela and no library is used here.

Extrapolation of the modified midpoint rule (Gragg, Bulirsch and Stoer) on subintervals, at two resolutions: their difference is the error of
the tabulated values. Events are given as times, or located by the caller between two calls.
"""
import json
import pathlib

COLUMNS = 8


def step(rate, t, y, h):
    """One step by extrapolation: midpoint rules with 2, 4, ... 16 substeps."""
    rows = []
    for k in range(1, COLUMNS + 1):
        n = 2 * k
        s = h / n
        before, now = y, [a + s * b for a, b in zip(y, rate(t, y))]
        for i in range(1, n):
            before, now = now, [a + 2 * s * b for a, b in zip(before, rate(t + i * s, now))]
        end = [0.5 * (a + b + s * c) for a, b, c in zip(before, now, rate(t + h, now))]
        row = [end]
        for j in range(1, k):
            factor = 1.0 / ((k / (k - j)) ** 2 - 1)
            row.append([a + factor * (a - b) for a, b in zip(row[j - 1], rows[-1][j - 1])])
        rows.append(row)
    return rows[-1][-1]


def flow(rate, t, y, end, longest):
    """y at `end` from y at t, in equal steps of at most `longest`."""
    n = max(1, int((end - t) / longest + 1))
    h = (end - t) / n
    for i in range(n):
        y = step(rate, t + i * h, y, h)
    return y


def integrate(rate, y0, times, longest):
    """States at `times`, and the largest change when the steps are doubled."""
    runs = []
    for size in (longest, 2 * longest):
        y, rows = list(y0), [list(y0)]
        for a, b in zip(times, times[1:]):
            y = flow(rate, a, y, b, size)
            rows.append(y)
        runs.append(rows)
    return runs[0], max(abs(a - b) for p, q in zip(*runs) for a, b in zip(p, q))


def write(scene, source, cases):
    path = pathlib.Path(__file__).with_name(scene + ".json")
    parts = []
    for case in cases:
        head = {k: v for k, v in case.items() if k != "rows"}
        rows = ",\n    ".join("[" + ", ".join(repr(float(x)) for x in row) + "]" for row in case["rows"])
        parts.append("  {" + json.dumps(head)[1:-1] + ",\n   \"rows\": [\n    " + rows + "]}")
    path.write_text("{\"scene\": %s,\n \"source\": %s,\n \"cases\": [\n%s\n ]}\n"
                    % (json.dumps(scene), json.dumps(source), ",\n".join(parts)))
