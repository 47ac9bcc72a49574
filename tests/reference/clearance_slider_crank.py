"""Slider-crank whose slider has clearance in its guide: absolute angles of crank, rod and slider; four corners against two walls."""
import numpy as np
from contact_events import Contact, Point, Tree, compare, write

l1, l2, a, b, clearance = 0.153, 0.306, 0.05, 0.025, 0.001


def tree(mu):
    end = [(0, (l1, 0)), (1, (l2, 0))]
    bodies = [(0.038, 7.4e-5, Point([(0, (l1 / 2, 0))]), 0), (0.038, 5.9e-4, Point([(0, (l1, 0)), (1, (l2 / 2, 0))]), 1),
              (0.076, 2.7e-6, Point(end), 2)]
    contacts = [Contact(name, Point(end + [(2, (x, y))]), (0, -1 if y > 0 else 1), -(b + clearance), 0.4, mu)
                for name, x, y in (("lower_left", -a, -b), ("lower_right", a, -b), ("upper_left", -a, b), ("upper_right", a, b))]
    return Tree(3, bodies, contacts)


published = {
    0.0: [0.0026925027520212216, 0.005607797868071043, 0.0074656351695603215, 0.008409252749068745, 0.008831642160545976, 0.009009132575405587],
    0.01: [0.0026925027520212216, 0.005612363190210753, 0.00747505621239775, 0.008421767934253501, 0.008845705250134107, 0.009023880097116422]}
rate = {0.0: [108.79372856053517, 69.72806829406389], 0.01: [108.72458000176722, 69.6379436574854]}  # of the crank after the first and fifth
times = np.concatenate([1e-3 * np.arange(9), [0.00895, 0.0091]])
cases = []
for mu in (0.0, 0.01):
    rows, events, error, late = compare(tree(mu), [0, 0, 0], [150, -75, 0], times)
    print(mu, len(events), "events, errors", error, late)
    assert max(abs(e["t"] - t) for e, t in zip(events, published[mu])) < 1e-13
    assert abs(events[0]["after"][0] - rate[mu][0]) + abs(events[4]["after"][0] - rate[mu][1]) < 1e-9
    cases.append({"name": "friction %g" % mu, "columns": ["crank", "rod", "slider", "crank_rate", "rod_rate", "slider_rate"], "conservative": False,
                  "error": error.max(), "tolerance": 1e-9, "times": times, "rows": rows, "events": events})
write("clearance_slider_crank", "event-driven integration in generalized coordinates, tests/reference/clearance_slider_crank.py", cases,
      bench=["slider_crank", "slider_crank_friction"])
