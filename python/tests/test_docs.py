"""The examples of docs/PYTHON.md and README.md, and the programs of examples/python."""
import doctest
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT

import biela
from biela import _page

BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.S | re.M)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


@pytest.mark.parametrize("page", ["docs/PYTHON.md", "README.md"])
def test_blocks_of_pages_run_in_their_order(page, tmp_path, monkeypatch):
    try:
        import matplotlib
        matplotlib.use("agg")
    except ImportError:
        monkeypatch.setattr(biela.Result, "plot", lambda self, *names, **more: None)
    try:
        _page._page()
    except biela.UsageError:
        monkeypatch.setattr(biela.Result, "report", lambda self, *words, **more: None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    text = (ROOT / page).read_text()
    names = {}
    count = 0
    for kind, block in BLOCK.findall(text):
        if kind.startswith("yaml ") and kind.endswith(".yaml"):
            (tmp_path / kind[5:]).write_text(block)
        elif kind == "python":
            exec(compile(block, f"{page}, block {count}", "exec"), names)
            count += 1
        elif kind == "pycon":
            test = doctest.DocTestParser().get_doctest(block, names, page, page, 0)
            runner = doctest.DocTestRunner(optionflags=FLAGS)
            found = []
            runner.run(test, out=found.append, clear_globs=False)
            names.update(test.globs)
            assert runner.failures == 0, "".join(found)
            count += 1
    assert count > 0


def run(name, *words, cwd):
    done = subprocess.run([sys.executable, ROOT / "examples/python" / name, *words], capture_output=True, text=True, cwd=cwd,
                          env=dict(os.environ, MPLBACKEND="agg"), timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_first(tmp_path):
    """the model of the front page, in the same words"""
    model = next(block for kind, block in BLOCK.findall((ROOT / "README.md").read_text()) if kind == "yaml linkage.yaml")
    assert model in (ROOT / "examples/python/first.py").read_text()
    out = run("first.py", cwd=tmp_path)
    assert "Four-bar linkage" in out and "energy error" in out


def test_tour(tmp_path):
    assert "done" in run("tour.py", cwd=tmp_path)


def test_controller(tmp_path):
    """upright, and where it was sent to: half a meter to the right"""
    out = run("controller.py", cwd=tmp_path)
    angle = float(re.search(r"angle at the end\s+(\S+)", out)[1])
    place = float(re.search(r"place at the end\s+(\S+)", out)[1])
    assert abs(angle) < 1e-4 and abs(place - 0.5) < 0.01
