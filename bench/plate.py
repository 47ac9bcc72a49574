#!/usr/bin/env python3
"""A plate of plane stress as `matrices:`: SIDE x SIDE bilinear quadrilaterals (2x2 Gauss points), consistent mass, unit square, E = rho = 1,
nu = 0.3, the left edge held, the right edge pulled along x by 0.01 N in all. Writes mass.mtx, stiffness.mtx and plate.yaml to FOLDER.

    bench/plate.py FOLDER [SIDE [step|smooth [EXTRA]]]

SIDE 100: 20 200 unknowns, 424: 360 400. EXTRA: more words for `simulate`, default the trapezoidal rule with steps of 0.01 s."""
import math
import os
import sys


def element(h, nu=0.3):
    """8 x 8 stiffness and mass of a square of side h; unknowns x and y of nodes (0,0), (h,0), (h,h), (0,h)"""
    c = 1 / (1 - nu * nu)
    elastic = [[c, c * nu, 0], [c * nu, c, 0], [0, 0, c * (1 - nu) / 2]]
    signs = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    k = [[0.0] * 8 for _ in range(8)]
    m = [[0.0] * 8 for _ in range(8)]
    g = 1 / math.sqrt(3)
    for s in (-g, g):
        for t in (-g, g):
            shape = [(1 + a * s) * (1 + b * t) / 4 for a, b in signs]
            strain = [[0.0] * 8 for _ in range(3)]
            for i, (a, b) in enumerate(signs):
                dx, dy = a * (1 + b * t) / (2 * h), b * (1 + a * s) / (2 * h)
                strain[0][2 * i] = strain[2][2 * i + 1] = dx
                strain[1][2 * i + 1] = strain[2][2 * i] = dy
            weight = h * h / 4
            stress = [[sum(elastic[i][l] * strain[l][j] for l in range(3)) for j in range(8)] for i in range(3)]
            for i in range(8):
                for j in range(8):
                    k[i][j] += weight * sum(strain[l][i] * stress[l][j] for l in range(3))
                    m[i][j] += weight * shape[i // 2] * shape[j // 2] * (i % 2 == j % 2)
    return k, m


def write(path, n, columns):
    with open(path, "w") as f:
        f.write("%%MatrixMarket matrix coordinate real symmetric\n")
        f.write("%d %d %d\n" % (n, n, sum(len(c) for c in columns)))
        for j, column in enumerate(columns):
            f.writelines("%d %d %.17g\n" % (i + 1, j + 1, column[i]) for i in sorted(column))


def main():
    folder = sys.argv[1]
    side = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    load = sys.argv[3] if len(sys.argv) > 3 else "step"
    extra = sys.argv[4] if len(sys.argv) > 4 else "step: 0.01, integrator: newmark"
    os.makedirs(folder, exist_ok=True)
    n = 2 * side * (side + 1)
    pairs = element(1.0 / side)

    def number(x, y, d):  # columns of nodes from left to right; the first one is held
        return 2 * ((x - 1) * (side + 1) + y) + d if x > 0 else -1

    for name, matrix in (("stiffness", pairs[0]), ("mass", pairs[1])):
        columns = [{} for _ in range(n)]
        for x in range(side):
            for y in range(side):
                nodes = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)]
                at = [number(a, b, d) for a, b in nodes for d in (0, 1)]
                for p in range(8):
                    for q in range(8):
                        i, j = at[p], at[q]
                        if i >= j >= 0 and matrix[p][q] != 0:
                            columns[j][i] = columns[j].get(i, 0) + matrix[p][q]
        write(os.path.join(folder, name + ".mtx"), n, columns)
    law = "" if load == "step" else " * (t < 0.5 ? sin(pi*t)^2 : 1)"
    with open(os.path.join(folder, "plate.yaml"), "w") as f:
        f.write("model: Plate of %d x %d quadrilaterals, pulled at its right edge\nmatrices:\n  M: mass.mtx\n  K: stiffness.mtx\n  load:\n" % (side, side))
        for y in range(side + 1):
            share = 0.01 / side * (0.5 if y in (0, side) else 1)
            f.write("    d%d: '=%.17g%s'\n" % (number(side, y, 0) + 1, share, law))
        f.write("simulate: {until: 2, %s}\n" % extra)


if __name__ == "__main__":
    main()
