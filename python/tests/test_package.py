"""The source distribution and the wheel: what they contain; the wheel works alone."""
import os
import subprocess
import sys
import tarfile
import zipfile

import pytest
from conftest import BUILD, ROOT, scene

pytest.importorskip("setuptools")
pytest.importorskip("wheel")


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    out = tmp_path_factory.mktemp("dist")
    done = subprocess.run([sys.executable, ROOT / "python/tools/package.py", BUILD, out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return out


def test_the_wheel_contains_the_library_and_its_platform(packages):
    (wheel,) = packages.glob("*.whl")
    assert wheel.name.startswith("biela-0.1.0-py3-none-linux_"), wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    assert {"biela/libbiela.so.0", "biela/_abi.py", "biela/py.typed", "biela/__init__.py"} <= set(names)
    metadata = next(name for name in names if name.endswith("/METADATA"))
    text = zipfile.ZipFile(wheel).read(metadata).decode()
    assert "Requires-Dist: numpy" in text and "Requires-Python: >=3.9" in text and "Version: 0.1.0" in text


def test_the_wheel_works_without_the_project(packages, tmp_path):
    (wheel,) = packages.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    program = f"import biela; print(biela.library_path); print(biela.Model({scene('pendulum')!r}).run(until=1)['P.x'][-1])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": str(tmp_path / "site")})
    assert done.returncode == 0, done.stderr
    path, angle = done.stdout.split()
    assert path == str(tmp_path / "site/biela/libbiela.so.0") and float(angle) == float(angle)


def test_the_source_distribution_has_no_binaries(packages):
    (sdist,) = packages.glob("*.tar.gz")
    names = [name.partition("/")[2] for name in tarfile.open(sdist).getnames()]
    assert {"biela/_abi.py", "biela/__init__.py", "pyproject.toml", "setup.py", "README.md"} <= set(names)
    assert not [name for name in names if ".so" in name or name.endswith(".pyc")]
