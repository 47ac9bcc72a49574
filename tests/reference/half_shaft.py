"""Half-shaft with two constant velocity joints: orientations by composing smallest rotations; formulas. Plain Python.

A constant velocity joint between shafts along a and b keeps the rotation between their bodies the smallest one S(a, b) that takes a to b,
followed from the configuration of the model (index 0). With the flange rotated by theta about y, the shaft along d and the hub along h:

    R_hub = S(d, h) S(y, d) Rot(y, theta) S(y, d0)^T S(d0, h)^T,

a rotation about h, whose angle is hub.angle."""
import json
import math
import pathlib

STEER, SPEED, BUMP = math.radians(30), 30.0, 0.06
H, Y = (-math.sin(STEER), math.cos(STEER), 0.0), (0.0, 1.0, 0.0)
INNER, OUTER = (0.0, 0.2, 0.4), (0.0, 0.65, 0.33)


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def product(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def transposed(A):
    return [list(row) for row in zip(*A)]


def matrix(s, c):
    """I + [s] + [s]^2 / (1 + c), s = sine times axis"""
    K = [[0, -s[2], s[1]], [s[2], 0, -s[0]], [-s[1], s[0], 0]]
    KK = product(K, K)
    return [[(i == j) + K[i][j] + KK[i][j] / (1 + c) for j in range(3)] for i in range(3)]


def smallest(a, b):
    return matrix(cross(a, b), dot(a, b))


def about(axis, angle):
    """half the angle twice, so that 1 + c is never small"""
    half = matrix(tuple(math.sin(angle / 2) * x for x in axis), math.cos(angle / 2)) if math.cos(angle / 2) > -0.9 else None
    if half is None:
        quarter = about(axis, angle / 2)
        return product(quarter, quarter)
    return product(half, half)


def direction(z):
    d = [o - i for o, i in zip(OUTER, INNER)]
    d[2] += z
    length = math.sqrt(dot(d, d))
    return tuple(x / length for x in d), length


def place(t, turns):
    """angle of the hub (near turns) and travel of the slide"""
    (d0, length0), (d, length) = direction(0), direction(BUMP * math.sin(8 * t))
    R = product(smallest(d, H), product(smallest(Y, d), about(Y, SPEED * t)))
    R = product(R, product(transposed(smallest(Y, d0)), transposed(smallest(d0, H))))
    sine = [(R[2][1] - R[1][2]) / 2, (R[0][2] - R[2][0]) / 2, (R[1][0] - R[0][1]) / 2]
    angle = math.atan2(dot(sine, H), (R[0][0] + R[1][1] + R[2][2] - 1) / 2)
    return angle + 2 * math.pi * round((turns - angle) / (2 * math.pi)), length - length0


def rate(t, s=1e-3):
    p = [place(t + n * s, SPEED * (t + n * s))[0] - place(t - n * s, SPEED * (t - n * s))[0] for n in (1, 2, 3, 4)]
    return (672 * p[0] - 168 * p[1] + 32 * p[2] - 3 * p[3]) / (840 * s)


if __name__ == "__main__":
    rows = [(n / 20, place(n / 20, SPEED * n / 20)[0], rate(n / 20), place(n / 20, SPEED * n / 20)[1]) for n in range(21)]
    print("hub.angle(0.5)", rows[10][1], "hub.angle(1)", rows[20][1], "slide.distance(1)", rows[20][3])
    head = {"name": "one second", "columns": ["hub.angle", "hub.rate", "slide.distance"], "scale": [10, 30, 0.01],
            "conservative": False, "error": 1e-12, "tolerance": 1e-9}
    lines = ",\n    ".join("[" + ", ".join(repr(x) for x in row) + "]" for row in rows)
    pathlib.Path(__file__).with_suffix(".json").write_text(
        '{"scene": "half_shaft",\n "source": "formulas, tests/reference/half_shaft.py",\n "cases": [\n  {%s,\n   "rows": [\n    %s]}\n ]}\n'
        % (json.dumps(head)[1:-1], lines))
