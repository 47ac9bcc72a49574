"""A mass under a force that is constant between samples: exact. Plain Python."""
from plain import write

T, delay, kp, kd = 0.05, 0.002, 100.0, 8.0


def fly(x, v, u, t):
    return x + v * t + 0.5 * u * t * t, v + u * t


x, v, u, rows = 1.0, 0.0, 0.0, [[0.0, 1.0, 0.0]]
for k in range(20):
    new = -kp * x - kd * v
    x, v = fly(x, v, u, delay)
    u = new
    middle = fly(x, v, u, T / 2 - delay)
    rows.append([(k + 0.5) * T, *middle])
    x, v = fly(x, v, u, T - delay)
    rows.append([(k + 1) * T, x, v])
write("sampled_pd", "exact between samples, tests/reference/sampled_pd.py",
      [{"name": "20 samples", "columns": ["rail.distance", "rail.rate"], "conservative": False, "error": 1e-13, "tolerance": 1e-9,
        "rows": rows}])
