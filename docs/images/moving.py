#!/usr/bin/env python3
"""Makes the figures of this folder that move (*_moving.svg) from runs of biela: moving.py BIELA

moving.py --check BIELA makes them in a temporary folder and compares the numbers with those here, to a pixel. From the top folder:
    docs/images/moving.py build/biela
"""
import csv
import math
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
NUMBER = re.compile(r"-?\d+\.?\d*")
DARK, PALE, ACCENT = "#1f2d3d", "#b8c4d0", "#d9480f"


def plane(p):
    return p[0], -p[1]


def slanted(p):
    """x to the right, y up, z toward the reader on the left"""
    return p[0] - 0.45 * p[2], -p[1] + 0.3 * p[2] - 0.25 * p[0]


def in_tutorial(name):
    text = (here.parent / "TUTORIAL.md").read_text()
    return re.search(rf"^```yaml {name}\n(.*?)^```", text, re.S | re.M)[1]


class Run:
    """Samples of a model; at(name): positions of a probe, or a fixed point"""

    def __init__(self, biela, model, until, samples, *more):
        with tempfile.TemporaryDirectory() as folder:
            file = here / model if (here / model).exists() else here.parent.parent / "scenes" / model
            if not file.exists():
                file = pathlib.Path(folder, model)
                file.write_text(in_tutorial(model))
            table = f"{folder}/table.csv"
            subprocess.run([biela, "run", file, "--csv", table, "-o", f"{folder}/result.h5", "-q", "--until", repr(until), "--tolerance", "1e-9",
                            *(more or ("--every", repr(until / samples)))], check=True)
            rows = list(csv.DictReader(open(table)))
        self.rows = [{key: float(value) for key, value in row.items()} for row in rows]
        self.rows = [row for k, row in enumerate(self.rows) if k == 0 or row["t"] > self.rows[k - 1]["t"]][: samples + 1]

    def at(self, point):
        if not isinstance(point, str):
            return [point] * len(self.rows)
        return [tuple(row[f"{point}.{axis}"] for axis in "xyz") for row in self.rows]

    def column(self, name):
        return [row[name] for row in self.rows]


class Picture:
    def __init__(self, project, box, width, seconds):
        self.project, self.box, self.scale, self.seconds = project, box, width / (box[2] - box[0]), seconds
        self.size = width, round((box[3] - box[1]) * self.scale)
        self.parts = []

    def pixel(self, p):
        x, y = self.project(p)
        return (x - self.box[0]) * self.scale, (y - self.box[1]) * self.scale

    def moving(self, tag, attributes, values):
        """values: {attribute: a text for every sample}"""
        first = " ".join(f'{key}="{value[0]}"' for key, value in values.items())
        moves = "".join(f'<animate attributeName="{key}" dur="{self.seconds}s" repeatCount="indefinite" values="{";".join(value)}"/>'
                        for key, value in values.items())
        self.parts.append(f"<{tag} {attributes} {first}>{moves}</{tag}>")

    def chain(self, run, points, color=DARK, width=5):
        tracks = [run.at(point) for point in points]
        texts = [" ".join("%.1f,%.1f" % self.pixel(track[k]) for track in tracks) for k in range(len(run.rows))]
        self.moving("polyline", f'fill="none" stroke="{color}" stroke-width="{width}" stroke-linejoin="round" stroke-linecap="round"',
                    {"points": texts})

    def hinges(self, run, points):
        for point in points:
            pixels = [self.pixel(p) for p in run.at(point)]
            fixed = not isinstance(point, str)
            self.moving("circle", f'r="5" fill="{DARK if fixed else "white"}" stroke="{DARK}" stroke-width="2"',
                        {"cx": ["%.1f" % x for x, _ in pixels], "cy": ["%.1f" % y for _, y in pixels]})

    def path(self, run, point, color=ACCENT):
        pixels = [self.pixel(p) for p in run.at(point)]
        self.parts.append(f'<polyline fill="none" stroke="{color}" stroke-width="1.5" points="{" ".join("%.1f,%.1f" % p for p in pixels)}"/>')

    def arrow(self, run, at, fx, fy, meters_per_newton):
        """the vector (fx, fy) from a point, and the curve of its tips"""
        x, y = self.pixel(at)
        k = meters_per_newton * self.scale
        tips = [(x + a * k, y - b * k) for a, b in zip(run.column(fx), run.column(fy))]
        self.parts.append(f'<polyline fill="none" stroke="{PALE}" stroke-width="1.5" points="{" ".join("%.1f,%.1f" % p for p in tips)}"/>')
        texts = ["%.1f,%.1f %.1f,%.1f" % (x, y, *tip) for tip in tips]
        self.moving("polyline", f'fill="none" stroke="{ACCENT}" stroke-width="3"', {"points": texts})
        self.moving("circle", f'r="4" fill="{ACCENT}"', {"cx": ["%.1f" % a for a, _ in tips], "cy": ["%.1f" % b for _, b in tips]})

    def line(self, a, b):
        self.parts.append('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="2"/>' % (*self.pixel(a), *self.pixel(b), PALE))

    def text(self):
        w, h = self.size
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}">\n'
                f'<rect width="{w}" height="{h}" fill="white"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def bricard(biela):
    run = Run(biela, "bricard.yaml", 4.986308609, 120)
    p = Picture(slanted, (-1.35, -0.75, 1.5, 1.85), 300, 5)
    points = [(0, 0, 0), "P2", "P3", "P4", "P5", (0, 0, 1)]
    p.path(run, "P3")
    p.line(points[-1], points[0])
    p.chain(run, points)
    p.hinges(run, points)
    return p.text()


def change_point(biela):
    run = Run(biela, "change_point.yaml", 10, 240)
    p = Picture(plane, (-1.25, -1.85, 2.75, 1.6), 300, 10)
    points = [(0, 0, 0), "B", "C", (2, 0, 0)]
    p.path(run, "C")
    p.line(points[0], points[-1])
    p.chain(run, points)
    p.hinges(run, points)
    return p.text()


def double_pendulum(biela):
    """the tip between steps of the power series, whose ends are marked"""
    run = Run(biela, "double_pendulum.yaml", 3, 150)
    steps = Run(biela, "double_pendulum.yaml", 3, 150, "--every-step", "--formulation", "lagrange", "--integrator", "series")
    for row in run.rows:  # the hinge is as far from the ground as the middle of the upper rod, twice
        row["A.x"], row["A.y"], row["A.z"] = 2 * row["upper.x"], 2 * row["upper.y"], 0
    p = Picture(plane, (-2.05, -0.35, 2.05, 2.0), 300, 6)
    p.path(run, "tip")
    for x, y in map(p.pixel, steps.at("tip")):
        p.parts.append('<circle r="3.5" fill="%s" cx="%.1f" cy="%.1f"/>' % (ACCENT, x, y))
    points = [(0, 0, 0), "A", "tip"]
    p.chain(run, points)
    p.hinges(run, points)
    return p.text()


def six_bar(biela):
    run = Run(biela, "six_bar.yaml", 1, 100)
    p = Picture(plane, (-0.28, -0.48, 0.92, 0.24), 420, 4)
    angle = run.column("A.angle")
    for name, x, y in (("B", 0, 0.1),):
        for row, a in zip(run.rows, angle):
            row[name + ".x"], row[name + ".y"], row[name + ".z"] = x * math.cos(a) - y * math.sin(a), x * math.sin(a) + y * math.cos(a), 0
    for name, length in (("C", 0.25), ("E", 0.4)):
        for row in run.rows:
            row[name + ".x"], row[name + ".y"], row[name + ".z"] = 0.3 - length * math.sin(row["D.angle"]), length * math.cos(row["D.angle"]), 0
    p.line((0.5, 0.4, 0), (0.9, 0.4, 0))
    p.chain(run, [(0, 0, 0), "B", "C"])
    p.chain(run, [(0.3, 0, 0), "E", "F"])
    p.chain(run, ["F", "F"], PALE, 22)
    p.hinges(run, [(0, 0, 0), (0.3, 0, 0), "B", "C", "E", "F"])
    p.arrow(run, (0, 0, 0), "A.fx", "A.fy", 0.00015)
    return p.text()


def woodpecker(biela):
    """ten times slower: the sleeve on the pole, the bird on its spring, and the path of the beak"""
    run = Run(biela, "woodpecker_bodies.yaml", 0.5, 150)
    points = {"sleeve": {"S0": (0.0031, 0.0058), "S1": (-0.0031, 0.0058), "S2": (-0.0031, -0.0058), "S3": (0.0031, -0.0058), "J": (0.01, 0),
                         "grip": (0.0031, 0)},
              "bird": {"back": (0, 0), "tail": (0, -0.02), "head": (0, 0.02), "beak": (-0.0201, 0.02)}}
    for row in run.rows:
        for body, at in points.items():
            w, z = row[f"{body}.qw"], row[f"{body}.qz"]
            c, s = w * w - z * z, 2 * w * z
            for name, (x, y) in at.items():
                row[name + ".x"], row[name + ".y"], row[name + ".z"] = row[f"{body}.x"] + c * x - s * y, row[f"{body}.y"] + s * x + c * y, 0
    p = Picture(plane, (-0.045, -0.03, 0.065, 0.085), 300, 5)
    (x, top), (_, bottom) = p.pixel((0, 0.03, 0)), p.pixel((0, -0.085, 0))
    p.parts.append('<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%.1f"/>' % (x, top, x, bottom, PALE, 0.005 * p.scale))
    p.path(run, "beak")
    p.chain(run, ["S0", "S1", "S2", "S3", "S0"], width=3)
    p.chain(run, ["grip", "J", "back"], width=3)
    p.chain(run, ["tail", "head", "beak"], width=6)
    p.hinges(run, ["J"])
    return p.text()


def same(a, b):
    """the same marks, numbers to a pixel"""
    x, y = ([float(n) for n in NUMBER.findall(text)] for text in (a, b))
    return NUMBER.sub("", a) == NUMBER.sub("", b) and all(abs(p - q) <= 1 for p, q in zip(x, y))


def main():
    check, biela = "--check" in sys.argv, sys.argv[-1]
    wrong = 0
    for make in (bricard, change_point, double_pendulum, six_bar, woodpecker):
        file = here / f"{make.__name__}_moving.svg"
        text = make(str(pathlib.Path(biela).resolve()))
        if not check:
            file.write_text(text)
        elif not same(text, file.read_text()):
            print(f"{file.name} does not show what biela computes: docs/images/moving.py build/biela")
            wrong = 1
    return wrong


sys.exit(main())
