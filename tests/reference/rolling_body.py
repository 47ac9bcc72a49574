"""A body that rolls on the plane z = 0: Newton and Euler in body axes, the contact force eliminated, nothing slips. Plain Python.

The contact is at p(g) from the mass center, g the upward normal in body axes. It rests, v = -w x p, so that

    I w' + w x I w = p x m (v' + w x v + G g),    v' = -w' x p - w x p',    g' = g x w
"""
from plain import integrate


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def product(A, x):
    return [dot(row, x) for row in A]


def solve(A, b):
    """3 x 3 by Cramer's rule."""
    columns = [list(c) for c in zip(*A)]
    det = dot(columns[0], cross(columns[1], columns[2]))
    return [dot(*(lambda c: (c[0], cross(c[1], c[2])))([b if j == k else columns[j] for j in range(3)])) / det for k in range(3)]


def turned(q, s):
    """s of the body in global axes."""
    u = q[1:]
    c = cross(u, s)
    d = cross(u, [c[k] + q[0] * s[k] for k in range(3)])
    return [s[k] + 2 * d[k] for k in range(3)]


def rolling(m, inertia, contact, G=9.81):
    """Rate of (quaternion, w in body axes, mass center). contact(g, g') gives p and p'."""
    def rate(t, y):
        q, w = y[:4], y[4:7]
        g = turned([q[0], -q[1], -q[2], -q[3]], [0, 0, 1])
        p, dp = contact(g, cross(g, w))
        v = [-x for x in cross(w, p)]
        drift = cross(w, dp)
        force = [m * (a - b + G * c) for a, b, c in zip(cross(w, v), drift, g)]
        Iw = product(inertia, w)
        right = [a - b for a, b in zip(cross(p, force), cross(w, Iw))]
        left = [[inertia[i][j] + m * ((dot(p, p) if i == j else 0) - p[i] * p[j]) for j in range(3)] for i in range(3)]
        u = q[1:]
        dq = [-0.5 * dot(u, w)] + [0.5 * (q[0] * a + b) for a, b in zip(w, cross(u, w))]
        return dq + solve(left, right) + turned(q, v)
    return rate


def motion(rate, start, times, longest, points):
    """Rows of time and the positions of points given from the mass center, in body axes; error."""
    states, error = integrate(rate, start, times, longest)
    rows = []
    for t, y in zip(times, states):
        row = [t]
        for s in points:
            row += [a + b for a, b in zip(y[7:10], turned(y[:4], s))]
        rows.append(row)
    return rows, states, error
