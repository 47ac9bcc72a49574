"""What Python adds: to a loop of short steps beside the same loop in C, and to a run with samples. Figures are printed (pytest -s)."""
import os
import shutil
import subprocess
import time

import numpy as np
import pytest
from conftest import BUILD, ROOT, scene

import biela

COMPILER = os.environ.get("CC") or shutil.which("cc")
STEPS, REPEATS = 10000, 5


def loop(s, name):
    began = time.process_time()
    for k in range(1, STEPS + 1):
        s.reach(k * 0.001)
        value = s[name]
    return time.process_time() - began, value


@pytest.mark.skipif(not COMPILER, reason="no C compiler")
def test_a_step_costs_little_more_than_in_c(tmp_path):
    program = tmp_path / "loop"
    subprocess.run([COMPILER, "-O2", f"-I{ROOT}/include", ROOT / "python/tests/loop.c", "-o", program, f"-L{BUILD}", "-lbiela",
                    f"-Wl,-rpath,{BUILD}"], check=True)
    for name, output in (("pendulum", "P.x"), ("bricard", "j1.angle")):
        python, c = [], []
        for _ in range(REPEATS):
            done = subprocess.run([program, scene(name), output, str(STEPS)], capture_output=True, text=True, check=True)
            seconds, wanted = map(float, done.stdout.split())
            c.append(seconds)
            with biela.Model(scene(name)).simulation() as s:
                seconds, value = loop(s, output)
            python.append(seconds)
            assert value == wanted  # the same bits
        more = (min(python) - min(c)) / STEPS * 1e6
        print(f"\n{name}: reach and read, {STEPS} times: {min(c) / STEPS * 1e6:.2f} us in C, {min(python) / STEPS * 1e6:.2f} us in Python, "
              f"{more:.2f} us more (two calls)")
        assert more < 20, "far more than a call of ctypes on a busy machine"


def test_samples_cost_nothing_in_python():
    """a run with the samples of 'biela run' beside one that computes no samples but the last, by what the library itself measured"""
    m = biela.Model(scene("bricard"))
    m.run(progress=False)
    outside, inside = [], []
    for _ in range(30):
        began = time.perf_counter()
        r = m.run(progress=False)
        x = r["j1.angle"]
        outside.append(time.perf_counter() - began)
        inside.append(r.summary.wall_seconds)
    k = int(np.argmin(outside))
    print(f"\nbricard, {len(x)} samples: {outside[k] * 1e3:.2f} ms in Python, of which {inside[k] * 1e3:.2f} ms in the library")
    assert outside[k] - inside[k] < 5e-3
