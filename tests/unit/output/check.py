"""Reads what the sinks wrote with another reader and compares with the formulas of synthetic.h, bit by bit."""
import csv
import json
import sys

NAMES = {"bodies": ["crank/left", 'tab\there, "quoted" \\ \u00fc'], "variables": ["j1.angle", "j1.distance"], "probes": ["tip"],
         "joints": ["j1", "."], "contacts": ["floor.2", 'j1.lower, "a"']}
STATES = ["open", "sliding", "sticking"]


def value(n, what, i, k):
    return (n * 1000 + what * 100 + i * 10 + k) / 7


def vector(n, what, i, length=3):
    return [value(n, what, i, k) for k in range(length)]


def expected_time(n):
    kinetic, potential, work, error, dissipated = vector(n, 11, 0, 5)
    return {
        "t": value(n, 0, 0, 0),
        "bodies": {name: {"position": vector(n, 1, i), "quaternion": vector(n, 2, i, 4), "velocity": vector(n, 3, i),
                          "angular_velocity": vector(n, 4, i)} for i, name in enumerate(NAMES["bodies"])},
        "variables": {name: {"value": value(n, 5, i, 0), "rate": value(n, 6, i, 0)} for i, name in enumerate(NAMES["variables"])},
        "probes": {name: vector(n, 9, i) for i, name in enumerate(NAMES["probes"])},
        "probe_velocities": {name: vector(n, 10, i) for i, name in enumerate(NAMES["probes"])},
        "reactions": {name: {"force": vector(n, 7, i), "moment": vector(n, 8, i)} for i, name in enumerate(NAMES["joints"])},
        "contacts": {name: {"gap": value(n, 13, i, 0), "force": vector(n, 14, i), "sliding": vector(n, 15, i, 2),
                            "state": STATES[(n + i) % 3], "point": vector(n, 16, i), "total": vector(n, 17, i)}
                     for i, name in enumerate(NAMES["contacts"])},
        "drivers": {}, "gears": {},
        "energy": {"kinetic": kinetic, "potential": potential, "dissipated": dissipated, "work": work, "total": kinetic + potential, "error": error},
        "drift": value(n, 12, 0, 0), "velocity_drift": value(n, 12, 0, 1)}


STATISTICS = {"status": "done", "t": 10, "stopped_by": None, "steps": 101, "rejections": 2, "restarts": 3, "bounded": 4, "evaluations": 604,
              "newton_iterations": 21, "tangents": 22,
              "factorizations": 5, "refactorizations": 606, "solves": 707, "projections": 8, "repartitions": 9, "handovers": 10, "method_changes": 11, "impacts": 15, "accumulations": 16, "lost_in_impacts": 0.375, "sample_evaluations": 12, "sample_factorizations": 13, "sample_solves": 14,
              "method": "series until 0.013 s, then ndf_auto", "sliding_method": "dopri45",
              "h_smallest": 0.001,
              "h_largest": 0.25, "largest_drift": 1e-9, "largest_misfit": 2e-6, "largest_energy_error": None, "dissipated": 0, "wall_seconds": 0.125, "real_time_factor": 80}


def not_json(word):
    raise ValueError(f"{word} is no JSON")


def check_json(path, rows):
    with open(path, encoding="utf-8", errors="strict") as file:
        found = json.load(file, parse_constant=not_json)
    assert found["model"] == "synth\x01\n" and found["file"] == "synthetic.yaml" and found["dimension"] == 3
    assert found["combination"] == {"coordinates": "natural", "formulation": "lagrange", "integrator": "dopri45", "linsol": "klu",
                                    "ordering": "amd", "tolerance": 1e-6, "step": 0, "until": 10}
    assert found["degrees_of_freedom"] == 2 and found["status"] == "done" and "error" not in found
    assert found["statistics"] == STATISTICS, found["statistics"]
    assert len(found["times"]) == rows
    for n, time in enumerate(found["times"]):
        assert time == expected_time(n), (n, time)


def check_csv(path, rows):
    columns = ["t"]
    for name in NAMES["bodies"]:
        columns += [f"{name}.{part}" for part in "x y z qw qx qy qz vx vy vz wx wy wz".split()]
    for name in NAMES["variables"]:
        columns += [name, name + "_rate"]
    for name in NAMES["probes"]:
        columns += [f"{name}.{part}" for part in "x y z vx vy vz".split()]
    for name in NAMES["joints"]:
        columns += [f"{name}.{part}" for part in "fx fy fz mx my mz".split()]
    for name in NAMES["contacts"]:
        columns += [f"{name}.{part}" for part in "gap fn ft1 ft2 vt1 vt2 state".split()]
    columns += "kinetic potential dissipated work energy_error drift velocity_drift".split()
    with open(path, encoding="utf-8", newline="") as file:
        table = list(csv.reader(file))
    assert table[0] == columns, table[0]
    assert len(table) == rows + 1
    for n, line in enumerate(table[1:]):
        row = [value(n, 0, 0, 0)]
        for i in range(2):
            row += vector(n, 1, i) + vector(n, 2, i, 4) + vector(n, 3, i) + vector(n, 4, i)
        for i in range(2):
            row += [value(n, 5, i, 0), value(n, 6, i, 0)]
        row += vector(n, 9, 0) + vector(n, 10, 0)
        for i in range(2):
            row += vector(n, 7, i) + vector(n, 8, i)
        for i in range(2):
            row += [value(n, 13, i, 0)] + vector(n, 14, i) + vector(n, 15, i, 2) + [(n + i) % 3]
        kinetic, potential, work, error, dissipated = vector(n, 11, 0, 5)
        row += [kinetic, potential, dissipated, work, error] + vector(n, 12, 0, 2)
        assert [float(x) for x in line] == row, (n, line)


def check_strict(path, rows):
    """One JSON object and nothing else; prints it in Python's own form."""
    with open(path, encoding="utf-8", errors="strict") as file:
        found = json.load(file, parse_constant=not_json)
    assert isinstance(found, dict)
    assert rows == 0 or len(found["times"]) == rows


{"json": check_json, "csv": check_csv, "strict": check_strict}[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
