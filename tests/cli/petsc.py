#!/usr/bin/env python3
"""Runs of two processes: petsc.py COMMAND MPIRUN... (where MPIRUN... ends with the number of processes)

A box of hexahedra divided between two processes moves as with one; one of them writes and prints; failures, of both or of one, end both
with one message and the exit code.
"""
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

COMMAND, MPIRUN = sys.argv[1], sys.argv[2:]
# Solutions are exact to 1e-10 in the norm of the preconditioner; the condition of these equations of motion is below 1e3.
TOLERANCE = 1e-10 * 1e3
BOX = """model: Box
materials: {m: {type: elastic, E: 1000, nu: 0.3, density: 1}}
bodies: [{name: box, mesh: {box: {to: [2, 1, 1], n: [8, 4, 4]}, element: ELEMENT}, material: m}]
supports: [{set: left, all: 0}, {set: bottom, y: 0}]
loads: [{set: right, traction: [0, 0, "=-sin(t)"]}]
probes: {tip: {at: [2, 1, 1]}}
simulate: {until: UNTIL, integrator: newmark, step: 0.05, every: 0.1, linsol: petsc}
"""
problems = []


def claim(good, what, run=None):
    if not good:
        problems.append(what + (f"\nexit {run.returncode}\nstdout:\n{run.stdout}\nstderr:\n{run.stderr}" if run else ""))


def start(words, ranks):
    return subprocess.Popen([*(MPIRUN if ranks else []), COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(*words, ranks=True):
    process = start(words, ranks)
    process.stdout, process.stderr = process.communicate(timeout=120)
    return process


def table(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], [[float(cell) for cell in row] for row in rows[1:]]


def same_motion():
    one = run("run", "box.yaml", "-o", "one.h5", "--csv", "one.csv", ranks=False)
    claim(one.returncode == 0, "one process runs the box", one)
    before = set(os.listdir())
    two = run("run", "box.yaml", "-o", "two.h5", "--csv", "two.csv", "--vtk", "frames")
    claim(two.returncode == 0, "two processes run the box", two)
    claim(two.stdout.count("Box (") == 1 and two.stdout.count("wall time") == 1 and two.stderr == "", "one of them prints", two)
    claim(set(os.listdir()) - before == {"two.h5", "two.csv", "frames"}, f"one of them writes: {sorted(set(os.listdir()) - before)}")
    if problems:
        return
    (names, first), (others, second) = table("one.csv"), table("two.csv")
    claim(names == others and len(first) == len(second) == 6, f"{len(first)} and {len(second)} rows")
    for k, name in enumerate(names):
        size = max(abs(row[k]) for row in first)
        for a, b in zip(first, second):
            claim(abs(a[k] - b[k]) <= TOLERANCE * size or "error" in name, f"{name} at {a[0]}: {a[k]} and {b[k]}")
    moved = names.index("tip.z")
    claim(abs(first[-1][moved] - first[0][moved]) > 1e-4, "the box moves")
    tiny = run("run", "small.yaml", "-o", "small.h5", "-q")
    claim(tiny.returncode == 0 and tiny.stdout == "" and os.path.exists("small.h5"), "fewer nodes than a process would like", tiny)
    words = ["equilibrium", "box.yaml", "--until", "1", "--increments", "1", "--json", "--linsol"]
    rest, alone = run(*words, "petsc:preconditioner=gamg"), run(*words, "ldl", ranks=False)
    claim(rest.returncode == 0, "two processes find the equilibrium", rest)
    if rest.returncode == 0:
        tips = [json.loads(r.stdout)["times"][-1]["probes"]["tip"] for r in (rest, alone)]
        claim(all(abs(a - b) <= TOLERANCE * 2 for a, b in zip(*tips)) and tips[0][2] < 0.99, f"equilibria {tips}")


def failures():
    for words, code, text in [(["run", "bad.yaml"], 3, "there is no element 'hexa9'"),
                              (["run", "missing.yaml"], 3, "cannot be opened"),
                              (["run", "box.yaml", "--linsol", "petsc:method=qr"], 2, "qr"),
                              (["run", "box.yaml", "-o", "nowhere/x.h5"], 5, "cannot write 'nowhere/x.h5'"),
                              (["check", "box.yaml"], 2, "start it without mpirun"),
                              (["run", "-"], 2, "standard input")]:
        failed = run(*words)
        claim(failed.returncode == code and failed.stdout == "" and failed.stderr.count(text) == 1, " ".join(words) + f": exit {code}", failed)


def stop():
    process = start(["run", "long.yaml", "-o", "long.h5"], True)
    for _ in range(600):
        time.sleep(0.1)
        if os.path.exists("long.h5~partial"):
            break
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    begin = time.monotonic()
    process.communicate(timeout=60)
    claim(time.monotonic() - begin < 20, f"both end soon after a request to stop: {time.monotonic() - begin:.1f} s")
    claim(os.path.exists("long.h5") or os.path.exists("long.h5~partial"), "what was computed is kept")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name, element, until in [("box", "hexa8", "0.5"), ("bad", "hexa9", "0.5"), ("long", "hexa8", "5000")]:
        pathlib.Path(name + ".yaml").write_text(BOX.replace("ELEMENT", element).replace("UNTIL", until))
    pathlib.Path("small.yaml").write_text(BOX.replace("ELEMENT", "hexa8").replace("UNTIL", "0.1").replace("[8, 4, 4]", "[1, 1, 1]"))
    same_motion()
    failures()
    stop()
    os.chdir("/")
print("\n".join(problems))
sys.exit(1 if problems else 0)
