"""Values of constant-step first-order methods on three test problems: nothing of biela is used here.

Coefficients are found from the order conditions in fractions, steps are taken in decimals of 34 digits, every implicit equation is
solved in closed form. Writes first_order_runs.txt: problem method k alpha start step y_1 y_2 ...
Problems: Cash (1980, 1983) and Hairer and Wanner's tests as used with the extended families; `ramp` starts with the members k = 1, 2, ...
of the same family, NDF reaching below t = 0 to the ghost value y_0 - h y'_0. Run with python3.
"""
import pathlib
from decimal import Decimal as D, getcontext
from fractions import Fraction as F
from math import comb, factorial

getcontext().prec = 34


def dec(x):
    return D(x.numerator) / D(x.denominator) if isinstance(x, F) else D(x)


def trig(x):
    """cos x, sin x by Taylor series of x / 2^10, doubled ten times"""
    x /= 1024
    c, s, term, n = D(1), D(0), D(1), 0
    while abs(term) > D(10) ** -50:
        n += 1
        term = term * x / n
        if n % 2:
            s += term if n % 4 == 1 else -term
        else:
            c += term if n % 4 == 0 else -term
    for _ in range(10):
        c, s = c * c - s * s, 2 * s * c
    return c, s


def gauss(a, b):
    n = len(b)
    a = [row[:] + [b[i]] for i, row in enumerate(a)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[p] = a[p], a[k]
        for i in range(n):
            if i != k:
                m = a[i][k] / a[k][k]
                a[i] = [x - m * y for x, y in zip(a[i], a[k])]
    return [a[i][n] / a[i][i] for i in range(n)]


# ---- problems: y0, T, n, f, exact, solve(t, c, psi): y = psi + c f(t, y)

def linear(matrix, source):
    size = len(matrix)

    def f(t, y):
        return [sum(matrix[i][j] * y[j] for j in range(size)) + g for i, g in enumerate(source(t))]

    def solve(t, c, psi):
        g = source(t)
        m = [[D(i == j) - c * matrix[i][j] for j in range(size)] for i in range(size)]
        return gauss(m, [psi[i] + c * g[i] for i in range(size)])
    return f, solve


def example1():
    f, solve = linear([[D(-1), D(-15)], [D(15), D(-1)]], lambda t: [15 * (-t).exp(), -15 * (-t).exp()])
    return [D(1), D(1)], D(20), 100, f, lambda t: [(-t).exp()] * 2, solve


def example2():
    m = [[D(-20), D("-0.25"), D("-19.75")], [D(20), D("-20.25"), D("0.25")], [D(20), D("-19.75"), D("-0.25")]]
    f, solve = linear(m, lambda t: [D(0)] * 3)

    def exact(t):
        c, s = trig(20 * t)
        slow, fast = (-t / 2).exp(), (-20 * t).exp()
        return [(slow + fast * (c + s)) / 2, (slow - fast * (c - s)) / 2, -(slow + fast * (c - s)) / 2]
    return [D(1), D(0), D(-1)], D(10), 50, f, exact, solve


def example3():
    lam = D(10000)

    def f(t, y):
        return [lam * y[0] + y[1] ** 2, -y[1]]

    def solve(t, c, psi):
        y2 = psi[1] / (1 + c)
        return [(psi[0] + c * y2 ** 2) / (1 - c * lam), y2]
    return [-1 / (lam + 2), D(1)], D(5), 60, f, lambda t: [-(-2 * t).exp() / (lam + 2), (-t).exp()], solve


# ---- formulas, oldest value first

KAPPA = {1: F(-37, 200), 2: F(-1, 9), 3: F(-823, 10000), 4: F(-415, 10000)}


def bdf(k):
    a = [F(0)] * (k + 1)
    for m in range(1, k + 1):
        for s in range(m + 1):
            a[k - s] += F((-1) ** s * comb(m, s), m)
    return a


def ndf(k):
    a = [F(0)] + bdf(k)
    gamma = bdf(k)[k]
    for s in range(k + 2):
        a[k + 1 - s] -= KAPPA[k] * gamma * (-1) ** s * comb(k + 1, s)
    return a


def corrector(k):
    """al_0 .. al_k = 1, be_k, be_{k+1} of order k + 1"""
    rows, right = [], []
    for q in range(k + 2):
        row = [F(j) ** q if q or j else F(1) for j in range(k)]
        row += [-q * F(k) ** (q - 1) if q else F(0), -q * F(k + 1) ** (q - 1) if q else F(0)]
        rows.append(row)
        right.append(-F(k) ** q)
    x = gauss(rows, right)
    return x[:k] + [F(1)], x[k], x[k + 1]


def take(solve, t, h, row, values, extra=None, g=F(1)):
    """row . (values, y) = h g f(t, y) + extra"""
    lead = dec(row[-1])
    psi = [-sum(dec(a) * v[i] for a, v in zip(row, values)) for i in range(len(values[0]))]
    if extra:
        psi = [p + e for p, e in zip(psi, extra)]
    return solve(t, h * dec(g) / lead, [p / lead for p in psi])


def step(method, k, alpha, problem, t, h, past, ghost):
    """y at t + h from past (oldest first, newest at t)"""
    f, solve = problem[3], problem[5]
    new = t + h

    def last(count):
        have = past[-count:]
        return ([ghost] if len(have) < count else []) + have
    if method == "trap":
        f0 = f(t, past[-1])
        return take(solve, new, h, [F(-1), F(1)], [past[-1]], [h / 2 * x for x in f0], F(1, 2))
    if method == "rk4":
        y = past[-1]
        k1 = f(t, y)
        k2 = f(t + h / 2, [a + h / 2 * b for a, b in zip(y, k1)])
        k3 = f(t + h / 2, [a + h / 2 * b for a, b in zip(y, k2)])
        k4 = f(new, [a + h * b for a, b in zip(y, k3)])
        return [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4)]
    if method == "BDFalpha":
        f1 = f(t, past[-1])
        row = [F(1, 2) + alpha, -2 - 2 * alpha, F(3, 2) + alpha]
        return take(solve, new, h, row, past[-2:], [-h * dec(alpha) * x for x in f1], 1 + alpha)
    if method == "Park":
        return take(solve, new, h, [F(-1, 10), F(6, 10), F(-15, 10), F(1)], past[-3:], None, F(6, 10))
    if method == "BDF":
        return take(solve, new, h, bdf(k), last(k))
    if method == "NDF":
        return take(solve, new, h, ndf(k), last(k + 1))
    modified, name = method[0] == "M", method.lstrip("M")
    ndf1, ndf2 = name in ("ENBDF", "ENDF"), name in ("EBNDF", "ENDF")
    first = take(solve, new, h, ndf(k) if ndf1 else bdf(k), last(k + 1 if ndf1 else k))
    behind = last(k) + [first]
    ahead = take(solve, new + h, h, ndf(k) if ndf2 else bdf(k), behind if ndf2 else behind[1:])
    row, b, b_ahead = corrector(k)
    g = 1 / bdf(k)[k] if modified else b
    f_ahead, f_first = f(new + h, ahead), f(new, first)
    extra = [h * (dec(b_ahead) * x + dec(b - g) * y) for x, y in zip(f_ahead, f_first)]
    return take(solve, new, h, row, last(k), extra, g)


def values_needed(method, k):
    if method in ("trap", "rk4"):
        return 1
    if method in ("BDFalpha", "Park"):
        return 2 if method == "BDFalpha" else 3
    return k + 1 if method in ("NDF", "ENBDF", "ENDF", "MENBDF", "MENDF") else k


def run(make, method, k, alpha, start):
    problem = make()
    y0, span, n, f, exact, _ = problem
    h = span / n
    past = [y0]
    ghost = [a - h * b for a, b in zip(y0, f(D(0), y0))]
    for s in range(1, n + 1):
        t = h * (s - 1)
        if start == "ramp" and k:
            y = step(method, min(s, k), alpha, problem, t, h, past, ghost)
        elif s < values_needed(method, k) and start == "exact":
            y = exact(t + h)
        elif s < values_needed(method, k):
            y = step("trap", None, None, problem, t, h, past, None)
        else:
            y = step(method, k, alpha, problem, t, h, past, None)
        past.append(y)
    return past


def main():
    families = [("BDF", 6), ("NDF", 4)] + [(m + e, 4) for m in ("", "M") for e in ("EBDF", "EBNDF", "ENBDF", "ENDF")]
    lines = []
    for make in (example1, example2, example3):
        runs = [("trap", None, None, "trap"), ("BDFalpha", None, F("-0.35"), "trap"), ("BDFalpha", None, F("-0.475065"), "trap"),
                ("Park", None, None, "trap")]
        runs += [(m, k, None, s) for s in ("trap", "ramp", "exact") for m, most in families for k in range(1, most + 1)]
        if make is example1:
            runs.append(("rk4", None, None, "trap"))
        n = make()[2]
        for method, k, alpha, start in runs:
            past = run(make, method, k, alpha, start)
            marks = {100: (1, 2, 3, 4, 5, 10, 25, 50, 100), 50: (1, 2, 3, 4, 5, 10, 12, 25, 50), 60: (1, 2, 3, 4, 5, 10, 15, 30, 60)}[n]
            for s in marks:
                y = " ".join("%.17g" % float(x) for x in past[s])
                lines.append(f"{make.__name__} {method} {k or 0} {float(alpha or 0)!r} {start} {s} {y}\n")
    pathlib.Path(__file__).with_suffix(".txt").write_text("".join(lines))


if __name__ == "__main__":
    main()
