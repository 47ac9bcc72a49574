"""Reference motions by direct integration in minimal coordinates: nothing of biela is used here.

Every script beside this one integrates one scene twice (DOP853 at two tolerances), takes the difference as the
error of the tabulated values and writes NAME.json. Run with python3 and scipy (scripts/bootstrap reference).
"""
import json
import pathlib

import numpy as np
from scipy.integrate import solve_ivp


def integrate(rate, y0, times, longest=np.inf):
    """States at `times`, and the largest change of a state when the tolerance is relaxed from 3e-14 to 1e-12 and the longest step doubled
    (where it is given, the dense output between steps is as good as they are)."""
    runs = [solve_ivp(rate, (0.0, times[-1]), y0, method="DOP853", rtol=tolerance, atol=tolerance, max_step=step, t_eval=times).y.T
            for tolerance, step in ((3e-14, longest), (1e-12, 2 * longest))]
    return runs[0], float(np.abs(runs[0] - runs[1]).max())


def rate_of_energy(inertia, potential, generalized=lambda s, v: 0.0):
    """One coordinate: d/dt(I v) - I' v^2/2 + V' = Q, derivatives by complex step (exact to rounding)."""
    step = 1e-30

    def rate(t, y):
        s, v = y
        i, v1 = inertia(s + 1j * step), potential(s + 1j * step)
        return [v, (generalized(s, v) - 0.5 * (i.imag / step) * v * v - v1.imag / step) / i.real]

    return rate


def write(scene, source, cases):
    """cases: dicts with name, columns, rows (time first), tolerance and what else belongs to the case."""
    path = pathlib.Path(__file__).with_name(scene + ".json")
    def line(row):
        return "[" + ", ".join(repr(float(x)) for x in row) + "]"
    parts = []
    for case in cases:
        head = {k: v for k, v in case.items() if k != "rows"}
        rows = ",\n    ".join(line(row) for row in case["rows"])
        parts.append("  {" + json.dumps(head)[1:-1] + ",\n   \"rows\": [\n    " + rows + "]}")
    path.write_text("{\"scene\": %s,\n \"source\": %s,\n \"cases\": [\n%s\n ]}\n"
                    % (json.dumps(scene), json.dumps(source), ",\n".join(parts)))
