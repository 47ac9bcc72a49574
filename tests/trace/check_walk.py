#!/usr/bin/env python3
"""Compares the walk of docs/ARCHITECTURE.md with a run: check_walk.py TRACE NM PAGE SCENES

A line of the block ```walk is "FUNCTION  FILE  words". Functions must be entered for the first time in the order of the lines, and one that
stands indented below another while that one is active. TRACE is tests/trace/trace.c with the files of the walk instrumented."""
import pathlib
import re
import subprocess
import sys
import tempfile


def walk(page):
    """(indent, function, file) of every line"""
    block = re.search(r"^```walk\n(.*?)^```", pathlib.Path(page).read_text(), re.S | re.M)[1]
    found = []
    for line in block.splitlines():
        words = line.split()
        if words:
            found.append((len(line) - len(line.lstrip()), words[0], words[1]))
    return found


def symbols(nm, program):
    """address: name"""
    text = subprocess.run([nm, program], capture_output=True, text=True, check=True).stdout
    return {int(line.split()[0], 16): line.split()[2] for line in text.splitlines() if len(line.split()) == 3}


def entries(program, nm, model):
    """[(name, names of active functions)] by first entry"""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, model, f"{folder}/result.h5"], capture_output=True, text=True, timeout=120)
    if done.returncode:
        sys.exit(f"the run failed: {done.stderr}")
    names = symbols(nm, program)
    first, *lines = done.stdout.splitlines()
    shift = int(first.split()[1], 16) - next(address for address, name in names.items() if name == "main")
    stacks = [[names.get(int(word, 16) - shift, "?") for word in line.split()] for line in lines]
    return [(stack[0], stack) for stack in stacks]


def main():
    program, nm, page, scenes = sys.argv[1:]
    model = re.search(r"`biela run scenes/(\S+?)`", pathlib.Path(page).read_text().split("## The course of a run")[1])[1]
    found = entries(program, nm, f"{scenes}/{model}")
    problems, after, above = [], -1, []
    for indent, function, file in walk(page):
        source = pathlib.Path(scenes).parent / "src" / file
        if not source.exists() or not re.search(rf"^[a-z].*\b{function}\(.*(\{{.*|,)$", source.read_text(), re.M):
            problems.append(f"{function}: not defined in src/{file}")
            continue
        at = next((k for k, (name, _) in enumerate(found) if name == function), None)
        above = [(i, name) for i, name in above if i < indent]
        if at is None:
            problems.append(f"{function}: not entered")
            continue
        if at < after:
            problems.append(f"{function}: entered before {found[after][0]}")
        if above and above[-1][1] not in found[at][1]:
            problems.append(f"{function}: entered while {above[-1][1]} was not active, but {', '.join(found[at][1][1:4])}")
        after = max(at, after)
        above.append((indent, function))
    for problem in problems:
        print(problem)
    if len(walk(page)) < 20:
        problems.append("the walk is too short")
    return 1 if problems else 0


sys.exit(main())
