"""An inverted pendulum on a cart, held upright by a controller in Python: two PID loops, 1000 times a second, on measured numbers alone.

usage: PYTHONPATH=build/python python3 examples/python/controller.py [PLOT.png]
"""
import sys
import time

import biela

PERIOD = 0.001  # s

model = biela.Model(text="""\
model: Inverted pendulum with a controller
dimension: 2
gravity: [0, -9.81]
inputs: {push: {value: 0, unit: N}}
bodies:
  - {name: cart, box: {center: [0, 0], size: [0.4, 0.2]}, mass: 1}
  - {name: rod, rod: {from: [0, 0], to: [0, 1]}, mass: 0.3}
joints:
  - {name: track, type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}
  - {name: pivot, type: revolute, bodies: [rod, cart], at: [0, 0]}
forces:
  - {name: motor, type: force, body: cart, at: [0, 0], force: [=push, 0]}
initial: {pivot.angle: 0.2, track.distance: 0, pivot.rate: 0, track.rate: 0}
""")


class PID:
    """u = P e + I (integral of e) + D de/dt, the derivative from two samples; the output is limited, and then the integral waits."""

    def __init__(self, P, I, D, limit):  # noqa: E741
        self.P, self.I, self.D, self.limit = P, I, D, limit
        self.integral, self.last = 0.0, None

    def __call__(self, error):
        slope = 0.0 if self.last is None else (error - self.last) / PERIOD
        self.last = error
        u = self.P * error + self.I * self.integral + self.D * slope
        if abs(u) < self.limit:
            self.integral += error * PERIOD
        return max(-self.limit, min(self.limit, u))


upright, home = PID(40, 5, 6, 60), PID(-0.15, 0, -0.1, 0.15)
times, angles, places, pushes = [], [], [], []
began = time.perf_counter()
with model.simulation(tolerance=1e-8) as s:
    for k in range(int(20 / PERIOD)):
        angle, place = s.read(("pivot.angle", "track.distance"))
        lean = home(0.5 - place if k * PERIOD > 5 else -place)  # after 5 s half a meter to the right: lean there
        push = upright(angle + lean)
        s.input["push"] = push
        s.reach((k + 1) * PERIOD)
        if k % 10 == 0:
            times.append(s.t), angles.append(angle), places.append(place), pushes.append(push)
    seconds = time.perf_counter() - began
    print(f"largest angle      {max(map(abs, angles)):.4f} rad")
    print(f"angle at the end   {s['pivot.angle']:.2e} rad")
    print(f"place at the end   {s['track.distance']:.4f} m")
    print(f"{s.t:.0f} s in {seconds:.2f} s: {seconds / (s.t / PERIOD) * 1e6:.0f} us for a period of the controller")

if len(sys.argv) > 1:
    import matplotlib.pyplot as pyplot
    figure, panes = pyplot.subplots(3, 1, sharex=True)
    for pane, values, label in zip(panes, (angles, places, pushes), ("angle (rad)", "place (m)", "push (N)")):
        pane.plot(times, values)
        pane.set_ylabel(label)
    panes[-1].set_xlabel("t (s)")
    figure.savefig(sys.argv[1])
