#!/usr/bin/env python3
"""The version is the same everywhere: headers, library, command, changelog, files for pkg-config and CMake, packages.

usage: version.py BUILD SOURCE
"""
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys

build, source = map(pathlib.Path, sys.argv[1:3])


def find(path, pattern):
    found = re.search(pattern, path.read_text(), re.M)
    if not found:
        sys.exit(f"{path}: nothing like {pattern}")
    return found[1]


os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
library = ctypes.CDLL(str(build / "libbiela.so.0"))
library.bl_version.restype = ctypes.c_char_p
parts = {}
VISIT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
library.bl_build_parts(VISIT(lambda user, name, value: parts.__setitem__(name.decode(), value and value.decode())), None)
printed = subprocess.run([build / "biela", "--version"], check=True, capture_output=True, text=True).stdout
shown = json.loads(subprocess.run([build / "biela", "--version", "--json"], check=True, capture_output=True, text=True).stdout)
versions = {
    "the header": find(source / "include/biela/version.h", r'^#define BIELA_VERSION "([^"]+)"'),
    "bl_version()": library.bl_version().decode(),
    "biela --version": printed.splitlines()[0].removeprefix("biela "),
    "biela --version --json": shown["version"],
    "CMakeLists.txt": find(source / "CMakeLists.txt", r"^project\(biela VERSION (\S+)"),
    "CHANGELOG.md": find(source / "CHANGELOG.md", r"^## (\S+)"),
    "biela.pc": find(build / "biela.pc", r"^Version: (\S+)"),
    "bielaConfigVersion.cmake": find(build / "bielaConfigVersion.cmake", r'^set\(PACKAGE_VERSION "([^"]+)"\)'),
    "debian/changelog": find(source / "debian/changelog", r"^biela \((\S+)\)"),
    "viewer/package.json": json.loads((source / "viewer/package.json").read_text())["version"],
}
if len(set(versions.values())) != 1:
    sys.exit("\n".join(f"{where}: {version}" for where, version in versions.items()))
# the command is built of the same parts as the library, but for where BLAS comes from
for name, value in parts.items():
    if name != "blas" and shown[name] != value:
        sys.exit(f"{name}: {value} in the library, {shown[name]} in the command")
    if f"  {name.replace('_', ' '):16} {shown[name] or 'no'}" not in printed.splitlines():
        sys.exit(f"{name} is not printed:\n{printed}")
print(f"{versions['the header']} in {len(versions)} places, {len(parts)} parts")
