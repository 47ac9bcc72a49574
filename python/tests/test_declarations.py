"""The declarations of ctypes against a compiled C program; which library is loaded."""
import ctypes
import os
import shutil
import subprocess
import sys

import pytest
from conftest import BUILD, ROOT

import biela
from biela import _abi

COMPILER = os.environ.get("CC") or shutil.which("cc")


@pytest.mark.skipif(not COMPILER, reason="no C compiler")
def test_sizes_and_offsets_of_all_structs_are_those_of_the_compiler(tmp_path):
    text = subprocess.run([sys.executable, ROOT / "python/tools/declare.py", "--check"], capture_output=True, text=True, check=True).stdout
    (tmp_path / "print.c").write_text(text)
    subprocess.run([COMPILER, f"-I{ROOT}/include", tmp_path / "print.c", "-o", tmp_path / "print"], check=True)
    lines = subprocess.run([tmp_path / "print"], capture_output=True, text=True, check=True).stdout.splitlines()
    seen = {name: int(value) for name, value in (line.split() for line in lines)}
    for kind in _abi.STRUCTS:
        assert ctypes.sizeof(kind) == seen.pop(kind.__name__), kind.__name__
        for field in kind._fields_:
            assert getattr(kind, field[0]).offset == seen.pop(f"{kind.__name__}.{field[0]}"), f"{kind.__name__}.{field[0]}"
    for name, value in seen.items():  # constants
        assert getattr(_abi, name) == value, name
    assert len(_abi.STRUCTS) > 100 and len(seen) > 100


def test_all_functions_of_the_headers_are_in_the_library():
    from biela._library import lib
    for name in _abi.FUNCTIONS:
        assert getattr(lib, name).argtypes is not None
    with pytest.raises(AttributeError, match="no function bl_nothing"):
        lib.bl_nothing


def imported(**environment):
    done = subprocess.run([sys.executable, "-c", "import biela; print(biela.library_path)"], capture_output=True, text=True, cwd=ROOT,
                          env=dict(os.environ, **environment))
    return done.stdout.strip(), done.stderr.strip().splitlines()[-1:] or [""]


def test_the_library_of_the_build_is_found_and_can_be_named():
    path, _ = imported()
    assert os.path.samefile(path, BUILD / "libbiela.so.0")
    path, _ = imported(BIELA_LIBRARY=str(BUILD / "libbiela.so"))
    assert path == str(BUILD / "libbiela.so")


def test_a_missing_library_is_refused_with_its_name():
    _, (line,) = imported(BIELA_LIBRARY="/no/such/libbiela.so")
    assert line.startswith("ImportError: biela: the library cannot be loaded") and "/no/such/libbiela.so" in line


@pytest.mark.skipif(not COMPILER, reason="no C compiler")
@pytest.mark.parametrize("version, refused", [("0.2.0", True), ("1.1.0", True), ("0.1.0", False), ("0.1.7", False), ("0.0.9", True)])
def test_another_version_of_the_library_is_refused_with_one_line(tmp_path, version, refused):
    (tmp_path / "other.c").write_text(f'const char *bl_version(void) {{ return "{version}"; }}\n')
    subprocess.run([COMPILER, "-shared", "-fPIC", tmp_path / "other.c", "-o", tmp_path / "other.so"], check=True)
    _, (line,) = imported(BIELA_LIBRARY=str(tmp_path / "other.so"))
    if refused:
        assert line == (f"ImportError: biela: this package is version {biela.__version__}, but {tmp_path}/other.so is version {version}; "
                        "install both from one source, or name a library by BIELA_LIBRARY")
    else:
        assert "this package is version" not in line


@pytest.mark.skipif(not COMPILER, reason="no C compiler")
def test_a_library_of_something_else_is_refused(tmp_path):
    (tmp_path / "other.c").write_text("int nothing;\n")
    subprocess.run([COMPILER, "-shared", "-fPIC", tmp_path / "other.c", "-o", tmp_path / "other.so"], check=True)
    _, (line,) = imported(BIELA_LIBRARY=str(tmp_path / "other.so"))
    assert "is not a library of biela" in line


def test_the_package_works_from_the_source_tree(tmp_path):
    if not (ROOT / "build/python/biela/_abi.py").exists():
        pytest.skip("the build folder has another name")
    done = subprocess.run([sys.executable, "-c", "import biela; print(biela.__file__, biela.Model)"], capture_output=True, text=True,
                          cwd=tmp_path, env=dict(os.environ, PYTHONPATH=str(ROOT / "python")))
    assert done.stdout.startswith(str(ROOT / "python/biela/__init__.py")), done.stderr
