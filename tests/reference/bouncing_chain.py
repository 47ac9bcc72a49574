"""Five uniform rods of 1 m and 1 kg hinged at (0, 0), released level; the ends of rods 4 and 5 hit a floor at y = -3, e = 0.5, no friction.

Twenty impacts, of which eighteen accumulate at 1.26409 s; end 4 slides on the floor from there on; at 1.35566 s end 5 hits while end 4
rests, both with impulses; end 4 lifts at 1.45945 s."""
import numpy as np
from contact_events import Contact, Point, Tree, compare, write

joints = [Point([(k, (1, 0)) for k in range(i + 1)]) for i in range(5)]
bodies = [(1.0, 1 / 12, Point([(k, (1, 0)) for k in range(i)] + [(i, (0.5, 0))]), i) for i in range(5)]
contacts = [Contact("end%d" % (i + 1), joints[i], (0, 1), -3.0, 0.5, 0.0) for i in (3, 4)]
times = np.linspace(0, 2, 41)
rows, events, error, late = compare(Tree(5, bodies, contacts), [0] * 5, [0] * 5, times, longest=0.02)
print(len(events), "events, errors", error, late)
write("bouncing_chain", "event-driven integration in generalized coordinates, tests/reference/bouncing_chain.py",
      [{"name": "floor at -3", "columns": ["rod%d" % i for i in range(1, 6)] + ["rod%d_rate" % i for i in range(1, 6)], "conservative": False,
        "error": error.max(), "tolerance": 1e-8, "times": times, "rows": rows, "events": events}], bench=["chain"])
