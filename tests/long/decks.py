#!/usr/bin/env python3
"""Runs the decks of Debian's package calculix-ccx-test and compares what they print with the answers stored beside them (.dat.ref).

usage: decks.py BIELA [NAME...]

Agreement: every table of the reference is there, at its time, and differs by at most 1e-3 of its largest value (frequencies: each by
1e-3). Plane and axisymmetric elements are turned into solids by CalculiX: components across the plane come from the tilt of those and
are left out, and its layers of points are compared with the one layer here. Stresses of bodies without any (below 1e-9) are rounding.

Every other deck must be refused with file and line (exit 3), or end with a numerical failure in words (exit 4): never anything else.
Without the package the test is skipped (exit 77). BIELA_DECKS names another folder."""
import collections
import glob
import gzip
import os
import re
import subprocess
import sys
import tempfile

FOLDER = os.environ.get("BIELA_DECKS", "/usr/share/doc/calculix-ccx-test/examples/test")
LEAST = 52  # must agree: so many of version 2.11 do
SKIPPED = 77

TITLES = [  # longer ones first
    ("internal energy density", "ENER"), ("equivalent plastic strain", "PEEQ"), ("displacements", "U"), ("velocities", "V"),
    ("heat generation", "RFL"), ("temperatures", "NT"), ("heat flux", "HFL"), ("stresses", "S"), ("strains", "E"), ("forces", "RF"),
    ("internal energy", "ELSE"), ("volume", "EVOL")]
AT_POINTS = {"S", "E", "HFL", "PEEQ", "ENER"}
IN_PLANE = {"S": 4, "E": 4, "HFL": 2}  # components that stay in the plane

Table = collections.namedtuple("Table", "what set t rows")


def read(path):
    opened = gzip.open(path, "rt", errors="replace") if path.endswith(".gz") else open(path, errors="replace")
    with opened as file:
        return file.read()


def find(name, ending):
    for path in (f"{FOLDER}/{name}{ending}", f"{FOLDER}/{name}{ending}.gz"):
        if os.path.exists(path):
            return read(path)
    return None


def title(line):
    """(what, set, time) of a line that begins a table, None of others; some lines of the references have lost "for set"."""
    match = re.match(r"\s*(.*?)\s*(?:for ?)?set\s+(\S+)\s+and time\s+(\S+)", line)
    if not match:
        return None
    for words, what in TITLES:
        if match.group(1).startswith(words):
            return what, match.group(2), float(match.group(3))
    return "", "", 0.0


def read_reference(text):
    tables, rows, labels = [], None, 1
    for line in text.splitlines():
        head = title(line)
        if head:
            rows = {}
            labels = 2 if head[0] in AT_POINTS else 1
            if head[0]:
                tables.append(Table(*head, rows))
        elif line.strip().startswith("E I G E N V A L U E   O U T P U T"):
            rows, labels = {}, 1
            tables.append(Table("FREQUENCY", "", 0.0, rows))
        elif re.match(r"\s*[A-Z] [A-Z] [A-Z]", line):
            rows = None
        elif rows is not None and re.fullmatch(r"[\s\d.+\-EeD]+", line) and line.strip():
            word = line.replace("D", "E").split()
            rows[tuple(int(w) for w in word[:labels])] = [float(w) for w in word[labels:]]
    return tables


def read_own(text):
    tables, rows, labels = [], None, 1
    for line in text.splitlines():
        match = re.match(r"# (.*?): .*?(?:of the set (\S+))?; step .*, t = (\S+)$", line)
        if match:
            rows = {}
            tables.append(Table(match.group(1), match.group(2) or "", float(match.group(3)), rows))
        elif re.match(r"(node|element|mode) ", line):
            labels = 2 if line.split()[1] == "point" else 1
        elif line.strip() and not line.startswith("total"):
            word = line.split()
            rows[tuple(int(w) for w in word[:labels])] = [float(w) for w in word[labels:]]
    return tables


def difference(own, ref, plane):
    """Largest difference relative to the largest value."""
    if ref.what == "FREQUENCY":
        return max((abs(own.rows.get(k, [0, 0])[1] - v[1]) / abs(v[1]) for k, v in ref.rows.items() if v[1]), default=0)
    largest = max((abs(x) for v in ref.rows.values() for x in v), default=0)
    if ref.what == "S" and largest < 1e-9:
        return 0
    points = collections.Counter(k[0] for k in own.rows)
    worst = 0
    for key, value in ref.rows.items():
        if ref.what in AT_POINTS and key[0] in points:
            key = (key[0], (key[1] - 1) % points[key[0]] + 1)
        mine = own.rows.get(key)
        if mine is None:  # nodes of a range that do not exist are printed as zeros
            worst = max(worst, max(map(abs, value)))
            continue
        n = IN_PLANE.get(ref.what, len(value)) if plane else len(value)
        worst = max([worst] + [abs(a - b) for a, b in zip(value[:n], mine)])
    return worst / largest if largest else worst


def compare(own, reference, plane):
    """(worst difference, tables compared, what is missing)"""
    worst, count, missing = 0, 0, []
    left = list(own)
    for ref in reference:
        for table in left:
            same_time = ref.what == "FREQUENCY" or abs(table.t - ref.t) <= 2e-6 * abs(ref.t)
            if table.what == ref.what and table.set.upper() == ref.set.upper() and same_time:
                left.remove(table)
                worst = max(worst, difference(table, ref, plane))
                count += 1
                break
        else:
            missing.append(f"{ref.what} at t = {ref.t:g}")
    return worst, count, missing


def run(biela, name, folder):
    """(kind, words): ok, differs, nothing (to compare), refused, failed, broken"""
    deck, out = f"{folder}/{name}.inp", f"{folder}/{name}.dat"
    text = find(name, ".inp")
    with open(deck, "w") as file:
        file.write(text)
    done = subprocess.run([biela, "run", deck, "--output", out, "--quiet"], capture_output=True, text=True, timeout=600)
    words = done.stderr.strip().splitlines()
    first = words[0].replace(folder + "/", "") if words else ""
    if done.returncode in (3, 4) and re.match(r"[^:]+\.inp(:\d+:\d+)?: ", first):
        return ("refused" if done.returncode == 3 else "failed"), first
    if done.returncode != 0:
        return "broken", f"exit {done.returncode}: {first}"
    reference = find(name, ".dat.ref")
    if not reference or not reference.strip():
        return "nothing", "no printed values to compare"
    plane = re.search(r"TYPE\s*=\s*C(PS|PE|AX)", text.upper())
    worst, count, missing = compare(read_own(read(out)), read_reference(reference), plane)
    if missing:
        return "differs", f"missing: {', '.join(missing[:3])}"
    if count == 0:
        return "nothing", "no printed values to compare"
    return ("ok" if worst <= 1e-3 else "differs"), f"{worst:.1e} of the largest value, {count} tables"


def main():
    biela, names = sys.argv[1], sys.argv[2:]
    if not os.path.isdir(FOLDER):
        print(f"skipped: {FOLDER} is missing (Debian: calculix-ccx-test)")
        return SKIPPED
    if not names:
        names = sorted({re.sub(r"\.inp(\.gz)?$", "", os.path.basename(p)) for p in glob.glob(FOLDER + "/*.inp*")})
    counts, reasons = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            kind, words = run(biela, name, folder)
            counts[kind] += 1
            if kind == "refused":
                reasons[re.sub(r"^.*?\.inp(:\d+:\d+)?: ", "", words)] += 1
            if kind != "refused" or len(names) < 20:
                print(f"{name:20s} {kind:8s} {words}")
    print(f"{counts['refused']} refused:")
    for words, count in reasons.most_common():
        print(f"  {count:3d} {words}")
    print(f"{len(names)} decks: " + ", ".join(f"{n} {k}" for k, n in counts.most_common()))
    if counts["broken"]:
        return 1
    return 0 if len(sys.argv) > 2 or counts["ok"] >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
