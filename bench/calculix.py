#!/usr/bin/env python3
"""calculix.py BIELA [plate N STEPS | box N]: the same decks by CalculiX (ccx, one thread) and by biela, complete runs. CSV on standard output.

plate N STEPS: N x N quadrilaterals of plane stress under a sudden load, *DYNAMIC with fixed steps; CalculiX expands them to solids. The time
of a step is the difference of runs of two lengths, so that reading and the first factorization do not count; that of 100 steps is
extrapolated from it.
box N: N^3 hexahedra, J2 with hardening, pulled past yield in ten equal increments.
difference: largest difference of the printed displacements, relative to the largest of them; for plates that of the same deck with *STATIC,
since in *DYNAMIC the solids to which CalculiX expands plane elements move differently (stiffness and frequencies agree to 0.3 %)."""
import os
import resource
import subprocess
import sys
import tempfile
import time

BIELA = os.path.abspath(sys.argv[1])
ONE = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")


def run(command, folder):
    """CPU time in seconds and largest memory in GB"""
    begin = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["/usr/bin/time", "-f", "%M", *command], cwd=folder, env=ONE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-500:]}")
    return end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime, int(done.stderr.split()[-1]) / 1e6


def both(folder, text):
    with open(f"{folder}/deck.inp", "w") as file:
        file.write(text)
    theirs = run(["ccx", "deck"], folder)
    os.rename(f"{folder}/deck.dat", f"{folder}/ccx.dat")
    mine = run([BIELA, "run", "deck.inp"], folder)
    return theirs, mine


def displacements(path):
    """those of the last table"""
    rows = {}
    with open(path) as file:
        for line in file:
            words = line.split()
            if "displacements" in line:
                rows = {}
            elif len(words) == 4 and words[0].isdigit():
                rows[int(words[0])] = [float(w) for w in words[1:]]
    return rows


def difference(folder, components):
    theirs, mine = displacements(f"{folder}/ccx.dat"), displacements(f"{folder}/deck.dat")
    size = max(abs(x) for row in theirs.values() for x in row[:components])
    return max(abs(x - y) for n, row in theirs.items() for x, y in zip(row[:components], mine[n][:components])) / size


def plate(n, steps, static=False):
    m = n + 1
    node = lambda i, j: j * m + i + 1
    text = ["*NODE, NSET=ALL"] + [f"{node(i, j)}, {i / n:.9g}, {j / n:.9g}, 0" for j in range(m) for i in range(m)]
    text += ["*ELEMENT, TYPE=CPS4, ELSET=E"]
    text += [f"{j * n + i + 1}, {node(i, j)}, {node(i + 1, j)}, {node(i + 1, j + 1)}, {node(i, j + 1)}" for j in range(n) for i in range(n)]
    text += ["*NSET, NSET=LEFT"] + [f"{node(0, j)}" for j in range(m)]
    text += ["*NSET, NSET=TIP", f"{node(n, n)}"]
    text += ["*MATERIAL, NAME=M", "*ELASTIC", "2e11, 0.3", "*DENSITY", "8000", "*SOLID SECTION, ELSET=E, MATERIAL=M", "0.01"]
    text += ["*BOUNDARY", "LEFT, 1, 2", "*AMPLITUDE, NAME=A", "0, 1, 1, 1", "*STEP, INC=100000"]
    text += ["*STATIC", "1., 1."] if static else ["*DYNAMIC, DIRECT, ALPHA=-0.05", f"1e-5, {1e-5 * steps:.9g}"]
    text += ["*CLOAD, AMPLITUDE=A"] + [f"{node(n, j)}, 2, -1" for j in range(m)]
    text += ["*NODE PRINT, NSET=TIP", "U", "*END STEP"]
    return "\n".join(text) + "\n"


def box(n):
    m = n + 1
    node = lambda i, j, k: (k * m + j) * m + i + 1
    text = ["*NODE, NSET=ALL"] + [f"{node(i, j, k)}, {i / n:.9g}, {j / n:.9g}, {k / n:.9g}" for k in range(m) for j in range(m) for i in range(m)]
    text += ["*ELEMENT, TYPE=C3D8, ELSET=E"]
    for k in range(n):
        for j in range(n):
            for i in range(n):
                corner = [node(i + a, j + b, k + c) for c in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
                text.append(f"{(k * n + j) * n + i + 1}, " + ", ".join(map(str, corner)))
    text += ["*NSET, NSET=LEFT"] + [f"{node(0, j, k)}" for k in range(m) for j in range(m)]
    text += ["*NSET, NSET=RIGHT"] + [f"{node(n, j, k)}" for k in range(m) for j in range(m)]
    text += ["*MATERIAL, NAME=M", "*ELASTIC", "2e5, 0.3", "*PLASTIC", "250, 0", "10250, 1", "*SOLID SECTION, ELSET=E, MATERIAL=M"]
    text += ["*BOUNDARY", "LEFT, 1, 3", "*STEP, INC=100", "*STATIC, DIRECT", "0.1, 1.", "*BOUNDARY", "RIGHT, 1, 1, 0.005"]
    text += ["*NODE PRINT, NSET=RIGHT", "U", "*END STEP"]
    return "\n".join(text) + "\n"


def row(what, unknowns, theirs, mine, error):
    print(f"{what},{unknowns},{theirs[0]:.2f},{mine[0]:.3f},{theirs[0] / mine[0]:.1f},{theirs[1]:.2f},{mine[1]:.2f},{error:.1e}", flush=True)


def main():
    print("what,unknowns,ccx_s,biela_s,ratio,ccx_gb,biela_gb,difference", flush=True)
    words = sys.argv[2:] or ["plate", "100", "10", "box", "16"]
    with tempfile.TemporaryDirectory() as folder:
        while words:
            if words[0] == "plate":
                n, steps = int(words[1]), int(words[2])
                short = both(folder, plate(n, 2))
                long = both(folder, plate(n, 2 + steps))
                both(folder, plate(n, 0, static=True))
                unknowns, error = 2 * n * (n + 1), difference(folder, 2)
                each = [(b[0] - a[0]) / steps for a, b in zip(short, long)]
                row(f"plate {n} x {n}: a step", unknowns, (each[0], long[0][1]), (each[1], long[1][1]), error)
                complete = [(a[0] + 98 * e, b[1]) for a, b, e in zip(short, long, each)]
                row(f"plate {n} x {n}: 100 steps", unknowns, *complete, error)
                words = words[3:]
            else:
                n = int(words[1])
                theirs, mine = both(folder, box(n))
                row(f"box {n}^3 J2: 10 increments", 3 * n * (n + 1) ** 2, theirs, mine, difference(folder, 3))
                words = words[2:]


main()
