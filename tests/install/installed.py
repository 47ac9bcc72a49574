#!/usr/bin/env python3
"""Installs a build into a temporary folder and uses it as a stranger would.

- a program is built against it in C and C++, by pkg-config (shared and static), by find_package and by plain flags, and run;
- every header can be included by itself, in C99 and C++11, without a warning;
- manual pages and completion are there for every command, and completion completes.

usage: installed.py BUILD SOURCE
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

build, source = map(pathlib.Path, sys.argv[1:3])
here = pathlib.Path(__file__).resolve().parent
# a rod of 1 m falling from the horizontal about its end, phi'' = -(3/2) g cos phi, after 0.5 s: Runge and Kutta's method, 200 000 steps
EXPECTED = -1.661148417


def run(*words, **more):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=300, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\nexit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_program(program, how, lib):
    printed = float(run(program, env=dict(os.environ, LD_LIBRARY_PATH=str(lib), OPENBLAS_NUM_THREADS="1")))
    if abs(printed - EXPECTED) > 2e-6:
        sys.exit(f"{how}: the program prints {printed}, not {EXPECTED}")
    print(f"{how}: {printed}")


def check_headers(prefix):
    """each alone, without a warning"""
    headers = sorted(p.name for p in (prefix / "include/biela").glob("*.h"))
    for language, compiler, standard in (("c", "cc", "-std=c99"), ("c++", "c++", "-std=c++11")):
        for name in headers if shutil.which(compiler) else ():
            run(compiler, "-x", language, standard, "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", f"-I{prefix}/include",
                "-fsyntax-only", "-", input=f"#include <biela/{name}>\n")
    print(f"{len(headers)} headers, each by itself in C99 and C++11")


def check_completion(prefix):
    script = prefix / "share/bash-completion/completions/biela"
    ask = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _biela; echo "${COMPREPLY[@]}"'
    for words, wanted in ((["biela", "kin"], ["kinematics"]), (["biela", "run", "--form"], ["--formulation"]),
                          (["biela", "run", "--integrator", "dop8"], ["dop853"]), (["biela", "help", "mod"], ["modes"]),
                          (["biela", "completion", "f"], ["fish"]), (["biela", "list", "join"], ["joints"])):
        found = run("bash", "-c", ask, "bash", script, *words).split()
        if found != wanted:
            sys.exit(f"{' '.join(words)} completes to {found}, not {wanted}")
    print("completion completes")


def check_pages(prefix):
    commands = re.findall(r"CLI_COMMAND\((\w+)\)", (source / "src/cli/command_list.h").read_text())
    for name in ["biela"] + [f"biela-{c}" for c in commands]:
        page = (prefix / f"share/man/man1/{name}.1").read_text()
        for wanted in (".SH NAME", ".SH SYNOPSIS", ".SH EXIT STATUS"):
            if wanted not in page:
                sys.exit(f"{name}.1 has no {wanted}")
    print(f"{len(commands) + 1} manual pages")


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    prefix = folder / "usr"
    run("cmake", "--install", build, "--prefix", prefix)
    lib = next(p.parent for p in prefix.rglob("libbiela.so"))
    check_headers(prefix)
    check_pages(prefix)
    check_completion(prefix)
    environment = dict(os.environ, PKG_CONFIG_PATH=str(lib / "pkgconfig"))
    flags = run("pkg-config", "--cflags", "--libs", "biela", env=environment).split()
    static = run("pkg-config", "--static", "--libs", "biela", env=environment).split()
    shutil.copy(here / "outside.c", folder / "outside.cpp")
    compilers = [("C", "cc", here / "outside.c", "-std=c99"), ("C++", "c++", folder / "outside.cpp", "-std=c++11")]
    for language, compiler, text, standard in compilers:
        if not shutil.which(compiler):
            print(f"{language}: no compiler, left out")
            continue
        strict = [standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
        for how, more in (("pkg-config", flags), ("plain flags", [f"-I{prefix}/include", f"-L{lib}", "-lbiela"])):
            run(compiler, *strict, text, "-o", folder / "outside", *more)
            check_program(folder / "outside", f"{language} by {how}", lib)
        archive = [str(lib / "libbiela.a") if word == "-lbiela" else word for word in static]
        run(compiler, *strict, f"-I{prefix}/include", text, "-o", folder / "outside", *archive)
        check_program(folder / "outside", f"{language}, static", folder)
    if shutil.which("c++"):
        run("cmake", "-S", here, "-B", folder / "outside-build", f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", folder / "outside-build")
        check_program(folder / "outside-build/outside_c", "C by find_package", lib)
        check_program(folder / "outside-build/outside_cpp", "C++ by find_package", lib)
