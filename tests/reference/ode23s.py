#!/usr/bin/env python3
"""Steps and rejections of ode23s as published (Shampine and Reichelt 1997, sections 3 and 5): k1, k2, k3 by W = I - h d J, exact Jacobians,
error per step in the maximum norm relative to max(|y|, weight), exponent 1/3. Plain Python, nothing of biela. Prints what
tests/verify/integrate/test_low_order.c expects."""
import math


def solve(A, b):
    n = len(b)
    A, b = [row[:] for row in A], b[:]
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(A[r][i]))
        A[i], A[p], b[i], b[p] = A[p], A[i], b[p], b[i]
        for r in range(i + 1, n):
            m = A[r][i] / A[i][i]
            for c in range(i, n):
                A[r][c] -= m * A[i][c]
            b[r] -= m * b[i]
    for i in reversed(range(n)):
        b[i] = (b[i] - sum(A[i][c] * b[c] for c in range(i + 1, n))) / A[i][i]
    return b


def ode23s(f, jacobian, end, y, weight, tolerance):
    d, e32, n, t = 1 / (2 + math.sqrt(2)), 6 + math.sqrt(2), len(y), 0.0
    largest = 0.1 * end

    def norm(e, a, b):
        return max(abs(e[i]) / max(abs(a[i]), abs(b[i]), weight) for i in range(n))

    F0 = f(y)
    steep = norm(F0, y, y) / (0.8 * tolerance ** (1 / 3))
    h = min(largest, end) if largest * steep <= 1 else 1 / steep
    steps = rejected = 0
    while t < end:
        last = 1.1 * h >= end - t
        h = end - t if last else h
        failures, J = 0, jacobian(y)
        while True:
            W = [[(i == j) - h * d * J[i][j] for j in range(n)] for i in range(n)]
            k1 = solve(W, F0)
            F1 = f([y[i] + h / 2 * k1[i] for i in range(n)])
            k2 = [a + b for a, b in zip(solve(W, [F1[i] - k1[i] for i in range(n)]), k1)]
            new = [y[i] + h * k2[i] for i in range(n)]
            F2 = f(new)
            k3 = solve(W, [F2[i] - e32 * (k2[i] - F1[i]) - 2 * (k1[i] - F0[i]) for i in range(n)])
            error = norm([h / 6 * (k1[i] - 2 * k2[i] + k3[i]) for i in range(n)], y, new) / tolerance
            if error <= 1:
                break
            failures += 1
            last = False
            h *= 0.5 if failures > 1 else max(0.1, 0.8 * error ** (-1 / 3))
        t, y, F0 = end if last else t + h, new, F2
        steps += 1
        rejected += failures
        if failures == 0:
            shrink = 1.25 * error ** (1 / 3)
            h = h / shrink if shrink > 0.2 else 5 * h
        h = min(h, largest)
    return steps, rejected


def robertson(y):
    a, c = -0.04 * y[0] + 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return [a, -a - c, c]


def robertson_jacobian(y):
    return [[-0.04, 1e4 * y[2], 1e4 * y[1]], [0.04, -1e4 * y[2] - 6e7 * y[1], -1e4 * y[1]], [0, 6e7 * y[1], 0]]


def van_der_pol(y):
    return [y[1], 1000 * (1 - y[0] ** 2) * y[1] - y[0]]


def van_der_pol_jacobian(y):
    return [[0, 1], [-2000 * y[0] * y[1] - 1, 1000 * (1 - y[0] ** 2)]]


for exponent in (2, 3, 4, 5):
    tolerance = 10.0 ** -exponent
    print(tolerance, "robertson", ode23s(robertson, robertson_jacobian, 40.0, [1.0, 0.0, 0.0], 1e-6, tolerance),
          "van der pol", ode23s(van_der_pol, van_der_pol_jacobian, 2000.0, [2.0, 0.0], 1e-3, tolerance))
