"""A thin disc on a plane, by the equations of rolling_body.py; nothing of biela is used."""
from math import cos, sin, sqrt
from plain import write
from rolling_body import dot, motion, rolling

R, m, lean = 0.5, 2.0, 0.2
a = [0, -cos(lean), -sin(lean)]  # body axes are the global ones at the start
inertia = [[m * R * R / 4 * ((i == j) + a[i] * a[j]) for j in range(3)] for i in range(3)]


def contact(g, dg):
    u, du = ([x - dot(y, a) * k for x, k in zip(y, a)] for y in (g, dg))
    size = sqrt(dot(u, u))
    rate = dot(u, du) / size ** 3
    return [-R * x / size for x in u], [-R * (x / size - y * rate) for x, y in zip(du, u)]


start = [1, 0, 0, 0, 0, 5.88039946704745, 1.6920159847703675, 0, -R * sin(lean), R * cos(lean)]
times = [0.1 * k for k in range(21)]
rows, states, error = motion(rolling(m, inertia, contact), start, times, 0.02, [[0, 0, 0], [R, 0, 0]])
for row in rows:
    if round(row[0], 9) in (0.5, 1.0, 2.0):
        print(row[:4])
print("error", error)
write("rolling_disc", "integration of the equations of Newton and Euler without multipliers, tests/reference/rolling_disc.py",
      [{"name": "leaning", "columns": ["C.x", "C.y", "C.z", "rim.x", "rim.y", "rim.z"], "conservative": True, "error": 1e-12,
        "tolerance": 2e-7, "rows": rows}])
