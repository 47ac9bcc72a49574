#!/usr/bin/env python3
"""Runs a test file with pytest on the package of a build folder; exit status 77 where numpy or pytest are missing.

usage: run.py BUILD [FILE or option of pytest]...
"""
import os
import pathlib
import sys

build, here = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(__file__).resolve().parent
try:
    import numpy  # noqa: F401
    import pytest
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy, python3-pytest)")
    sys.exit(77)
sys.dont_write_bytecode = True
sys.path.insert(0, str(build / "python"))
os.environ["PYTHONPATH"] = str(build / "python")
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
os.environ["BIELA_BUILD"] = str(build)
os.environ.setdefault("MPLBACKEND", "agg")
words = [str(here / word) if word.endswith(".py") else word for word in sys.argv[2:]] or [str(here)]
code = pytest.main(["-q", "-p", "no:cacheprovider", *words])
sys.exit(0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else int(code))
