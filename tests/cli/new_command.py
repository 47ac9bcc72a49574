#!/usr/bin/env python3
"""The example of a new command, new_command.c: a command in one file and one line: new_command.py ROOT COMPILER BUILD

It is compiled, linked into a command that has it in its list, and run.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

root, compiler, build = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
code = (root / "tests/cli/new_command.c").read_text()


def run(command, *words):
    done = subprocess.run([command, *words], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "cli").mkdir()
    (folder / "cli/command_list.h").write_text("CLI_COMMAND(digits)\n" + (root / "src/cli/command_list.h").read_text())
    (folder / "digits.c").write_text(code)
    flags = ["-std=c17", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", f"-I{folder}", f"-I{root}/include", f"-I{root}/src"]
    objects = []
    for source in (folder / "digits.c", root / "src/cli/main.c"):
        objects.append(folder / (source.stem + ".o"))
        subprocess.run([compiler, *flags, "-c", source, "-o", objects[-1]], check=True)
    # the link line of the command, with another main.c and one file more
    link = subprocess.run(["ninja", "-C", build, "-t", "commands", "-s", "biela"], capture_output=True, text=True, check=True).stdout.strip()
    words = re.sub(r"\S*/src/cli/main\.c\.o", " ".join(map(str, objects)), link)
    words = re.sub(r"-o biela(?=\s)", f"-o {folder}/biela", words)
    subprocess.run(words, shell=True, cwd=build, check=True)
    assert run(folder / "biela", "digits", "1024") == (0, "  digits           4\n", "")
    assert json.loads(run(folder / "biela", "digits", "1024", "--base", "2", "--json")[1]) == {"digits": 11}
    assert run(folder / "biela", "digits", "x")[0] == 2
    assert "did you mean '--base'?" in run(folder / "biela", "digits", "5", "--bas=2")[2]
    assert "biela digits NUMBER" in run(folder / "biela", "help")[1]
