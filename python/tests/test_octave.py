"""share/octave: the command called from Octave, where it is installed."""
import os
import shutil
import subprocess

import pytest
from conftest import BUILD, ROOT, scene

import biela

OCTAVE = shutil.which("octave-cli")
pytestmark = pytest.mark.skipif(not OCTAVE, reason="Octave is not installed")


def octave(program, folder):
    done = subprocess.run([OCTAVE, "--norc", "--path", str(ROOT / "share/octave"), "--eval", program], capture_output=True, text=True, cwd=folder,
                          env=dict(os.environ, BIELA_COMMAND=str(BUILD / "biela")), timeout=120)
    return done.returncode, done.stdout, done.stderr


def test_a_model_is_run_and_read(tmp_path):
    code, out, error = octave(f"r = biela_run('{scene('slider_crank_motor')}', 'until', 0.5, 'every', 0.1, 'set', struct('a', 0.1));"
                              "printf('%.17g ', r.t, r.get('guide.distance'))", tmp_path)
    assert code == 0, error
    numbers = list(map(float, out.split()))
    r = biela.Model(scene("slider_crank_motor"), set={"a": 0.1}).run(until=0.5, every=0.1)
    assert numbers == list(r.t) + list(r["guide.distance"])


def test_tables_with_quoted_names_are_read(tmp_path):
    m = biela.Model.from_dict({"model": "x", "dimension": 2, "gravity": [0, -9.81], "simulate": {"until": 1, "every": 0.5},
                               "bodies": [{"name": "a, b", "mass": 1, "center": [1, 2], "inertia": 1}]})
    m.run().save(tmp_path / "x.csv")
    code, out, error = octave("r = biela_read('x.csv'); printf('%.17g ', r.get('a, b.y'), size(r.values, 2) == numel(r.names))", tmp_path)
    assert code == 0, error
    *y, same = map(float, out.split())
    assert y == pytest.approx([2, 2 - 9.81 / 8, 2 - 9.81 / 2]) and same == 1


def test_failures_are_errors(tmp_path):
    code, _, error = octave("biela_run('nothing.yaml')", tmp_path)
    assert code != 0 and "nothing.yaml" in error
    code, _, error = octave(f"r = biela_run('{scene('pendulum')}', 'until', 0.1); r.get('nothing')", tmp_path)
    assert code != 0 and "there is no column 'nothing'" in error
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    code, _, error = octave("biela_read('a.csv')", tmp_path)
    assert code != 0 and "is not a table of biela" in error
