"""Type hints: mypy finds nothing, where it is installed; the package says that it has them."""
import ast
import subprocess
import sys

import pytest
from conftest import BUILD, ROOT


def test_mypy_finds_nothing(tmp_path):
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", ROOT / "python/pyproject.toml", "--cache-dir", tmp_path],
                          capture_output=True, text=True, cwd=BUILD / "python")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_syntax_is_that_of_python_3_9():
    for path in (ROOT / "python/biela").glob("*.py"):
        ast.parse(path.read_text(), str(path), feature_version=(3, 9))


def test_the_package_is_marked_as_typed():
    assert (BUILD / "python/biela/py.typed").exists()
