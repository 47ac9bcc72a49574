"""A rotor with friction under a constant torque between switches: exact; the switches by bisection. Plain Python."""
from math import exp, expm1
from plain import write

J, c, d = 0.5, 0.8, 0.2


def turn(a, w, u, t):
    e = expm1(-c / J * t)  # w' = (u - c w) / J
    return a + u / c * t - (w - u / c) * J / c * e, u / c + (w - u / c) * exp(-c / J * t)


def switch(a, w, u, goal):
    """The first time at which the angle passes the goal in the direction of the torque: it is monotone beyond its extremum."""
    low, step = 0.0, 1e-3
    while (turn(a, w, u, low + step)[0] - goal) * u < 0:
        low += step
    high = low + step
    for _ in range(200):
        middle = 0.5 * (low + high)
        if (turn(a, w, u, middle)[0] - goal) * u < 0:
            low = middle
        else:
            high = middle
    return high


times, rows = [0.5 * k for k in range(25)], []
t, a, w, u, k = 0.0, 0.0, 0.0, 1.0, 0
while k < len(times):
    end = t + switch(a, w, u, d * u)
    while k < len(times) and times[k] <= end:
        rows.append([times[k], *turn(a, w, u, times[k] - t)])
        k += 1
    a, w = turn(a, w, u, end - t)
    t, u = end, -u
write("relay_hysteresis", "exact between switches, tests/reference/relay_hysteresis.py",
      [{"name": "from rest", "columns": ["shaft.angle", "shaft.rate"], "conservative": False, "error": 1e-12, "tolerance": 1e-8,
        "rows": rows}])
