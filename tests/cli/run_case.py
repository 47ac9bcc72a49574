#!/usr/bin/env python3
"""Runs one case: run_case.py COMMAND SCENES CASE.txt

A case is text. Lines before the first `---` describe it; then sections:
    --- $ run model.yaml --json     arguments of the command, run in an empty folder; $SCENES is the folder of scenes; ! before the
                                    arguments interrupts (Ctrl-C) after a second
    --- file NAME                   a file that exists before
    --- stdin                       standard input of the command
    --- exit N
    --- stdout, --- stderr          exactly this text; `--- stdout has` and `stderr has`: these lines or parts of lines; `lacks`: not these
    --- json                        standard output is one JSON object j; every line is a Python expression that must hold
    --- files A B                   the files that remain, besides those that existed before
A case may hold several commands; each section speaks of the last one. None may leave temporary files.
"""
import json
import math
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time


def read_case(path):
    sections = []
    for line in path.read_text().splitlines(keepends=True):
        if line.startswith("--- "):
            sections.append((line[4:].strip(), []))
        elif sections:
            sections[-1][1].append(line)
    return [(head, "".join(lines)) for head, lines in sections]


def not_json(word):
    raise ValueError(f"{word} is no JSON")


class Run:
    def __init__(self, command, arguments, stdin, folder, temporary):
        interrupt = arguments.startswith("!")
        words = shlex.split(arguments.lstrip("!"))
        self.before = set(os.listdir(folder))
        pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process = subprocess.Popen([command, *words], cwd=folder, env=dict(os.environ, TMPDIR=temporary), **pipes)
        if interrupt:
            time.sleep(1)
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(stdin.encode(), timeout=120)
        self.stdout, self.stderr, self.exit = out.decode(), err.decode(), process.returncode
        self.after = set(os.listdir(folder))

    def text(self, which):
        return getattr(self, which)


def lines_of(body):
    return [line.strip() for line in body.splitlines() if line.strip()]


def check(run, head, body, problems):
    what = head.split()[0]
    if what == "exit":
        if run.exit != int(head.split()[1]):
            problems.append(f"exit {run.exit}, not {head.split()[1]}")
    elif what in ("stdout", "stderr"):
        text = run.text(what)
        if head == what and text != body:
            problems.append(f"{what} is not as written")
        elif head.endswith(" has"):
            problems += [f"{what} does not have: {line}" for line in lines_of(body) if line not in text]
        elif head.endswith(" lacks"):
            problems += [f"{what} has: {line}" for line in lines_of(body) if line in text]
    elif what == "json":
        j = json.loads(run.stdout, parse_constant=not_json)
        for line in lines_of(body):
            if not eval(line, {"j": j, "math": math, "abs": abs, "all": all, "len": len, "set": set}):
                problems.append(f"does not hold: {line}")
    elif what == "files":
        left = run.after - run.before
        if left != set(head.split()[1:]):
            problems.append(f"left behind: {sorted(left)}")
    else:
        problems.append(f"the case has an unknown section: {head}")


def main():
    command, scenes, case = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    sections = read_case(case)
    problems, run = [], None
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as temporary:
        for n, (head, body) in enumerate(sections):
            if head.startswith("file "):
                pathlib.Path(folder, head.split()[1]).write_text(body)
            elif head.startswith("$"):
                stdin = sections[n + 1][1] if n + 1 < len(sections) and sections[n + 1][0] == "stdin" else ""
                run = Run(command, head[1:].strip().replace("$SCENES", scenes), stdin, folder, temporary)
                if os.listdir(temporary):
                    problems.append(f"temporary files of '{head}' are left: {os.listdir(temporary)}")
            elif head != "stdin":
                found = []
                try:
                    check(run, head, body, found)
                except (ValueError, KeyError, IndexError, TypeError) as error:
                    found.append(f"{head}: {type(error).__name__}: {error}")
                if found:
                    problems += found + [f"stdout:\n{run.stdout[:4000]}", f"stderr:\n{run.stderr[:4000]}"]
    for problem in problems:
        print(problem)
    return 1 if problems or run is None else 0


sys.exit(main())
