"""The model of the front page: runs it, prints the energy error, draws curves (linkage.png) where matplotlib is installed.

usage: PYTHONPATH=build/python python3 examples/python/first.py
"""
import biela

model = biela.Model(text="""\
model: Four-bar linkage
dimension: 2
gravity: [0, -9.81]
points: {A: [0, 0], B: [0, 0.2], C: [0.4, 0.45], D: [0.5, 0]}
bodies:
  - {name: crank, rod: {from: A, to: B}, mass: 0.5}
  - {name: coupler, rod: {from: B, to: C}, mass: 1}
  - {name: rocker, rod: {from: C, to: D}, mass: 0.8}
joints:
  - {name: A, type: revolute, bodies: [ground, crank], at: A}
  - {name: B, type: revolute, bodies: [crank, coupler], at: B}
  - {name: C, type: revolute, bodies: [coupler, rocker], at: C}
  - {name: D, type: revolute, bodies: [ground, rocker], at: D}
forces:
  - {type: friction, variable: A.angle, viscous: 0.05}
initial: {A.rate: 12}
simulate: {until: 5}
""", name="linkage.yaml")

result = model.run()
print(result)
print(f"angle at the end {result['A.angle'][-1]:.4f} {result.unit('A.angle')}, energy error {abs(result.energy_error).max():.1e} J")

try:
    import matplotlib.pyplot as pyplot
except ImportError:
    pass
else:
    result.plot("A.angle", "D.angle", "A.rate")
    pyplot.savefig("linkage.png")
