"""A tour in cells (%%), for editors that run them one by one; as a program it runs from beginning to end.

usage: PYTHONPATH=build/python python3 examples/python/tour.py
"""
# %% a model from a dict
import numpy as np

import biela

rod = biela.Model.from_dict({
    "model": "rod", "dimension": 2, "gravity": [0, -9.81],
    "parameters": {"l": 1, "m": 2},
    "bodies": [{"name": "rod", "rod": {"from": [0, 0], "to": ["=l", 0]}, "mass": "=m"}],
    "joints": [{"name": "A", "type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}],
    "probes": {"tip": {"body": "rod", "at": ["=l", 0]}},
})
print(rod)

# %% its motion, and how good it is: the rod falls, (1/6) m l^2 rate^2 = -m g (l/2) sin(angle)
fall = rod.run(until=2, tolerance=1e-10)
print(fall)
print("error of the rate", np.max(np.abs(fall["A.rate"] ** 2 / 3 + 9.81 * np.sin(fall["A.angle"]))))

# %% the period of small swings, from the linearized rod and from a simulation
modes = rod.modes()
print("frequency", modes.frequency[0], "Hz; exact", np.sqrt(1.5 * 9.81) / (2 * np.pi))
with rod.simulation(tolerance=1e-10) as s:
    s.jump({"A.angle": -np.pi / 2 + 0.01, "A.rate": 0})
    s.reach(1 / modes.frequency[0])
    print("after one period", s["A.angle"] + np.pi / 2, "instead of 0.01")

# %% many lengths in two threads
from concurrent.futures import ThreadPoolExecutor  # noqa: E402


def time_to_the_bottom(length):
    """the model of that length, stopped at the lowest point"""
    model = rod.replace(l=length)
    with model.simulation(tolerance=1e-10) as s:
        while s["A.angle"] > -np.pi / 2:
            s.step()
        return s.t


lengths = np.linspace(0.25, 4, 8)
with ThreadPoolExecutor(2) as pool:
    times = np.array(list(pool.map(time_to_the_bottom, lengths)))
print("times to pass the bottom", times.round(3))

# %% where it is in equilibrium, and what a change of a joint does
print("equilibrium", rod.equilibrium().points[0])
print(rod.check())

# %% the result as a file, and back
fall.save("rod.h5")
again = biela.Result("rod.h5")
print("the same bits:", np.array_equal(again["tip.x"], fall["tip.x"]), again.status)
