"""A ball on a turntable: v = v0 + 2/7 W x (r - r0), a circle. Plain Python."""
from math import cos, sin
from plain import write

rate, x0, v0 = 3 * 2 / 7, 1.0, 0.5
radius = v0 / rate
rows = []
for k in range(21):
    t = 0.25 * k
    a = rate * t
    rows.append([t, x0 - radius + radius * cos(a), radius * sin(a), 0.1, -v0 * sin(a), v0 * cos(a)])
print(radius, x0 - radius, [r for r in rows if r[0] == 3])
write("turntable_ball", "closed solution, tests/reference/turntable_ball.py",
      [{"name": "a circle", "columns": ["C.x", "C.y", "C.z", "C.vx", "C.vy"], "error": 1e-14, "tolerance": 1e-7, "rows": rows}])
