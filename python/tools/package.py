#!/usr/bin/env python3
"""Packs the package of a build folder: a source distribution without the library, and a wheel with it.

usage: package.py BUILD OUTPUT_FOLDER
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent


def stage(build, folder):
    """the files of a source distribution"""
    shutil.copytree(build / "python" / "biela", folder / "biela", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "README.md"):
        shutil.copy(HERE / name, folder)
    shutil.copy(HERE.parent / "LICENSE", folder)
    page = build / "page.z"
    if page.exists() and page.stat().st_size > 0:
        shutil.copy(page, folder / "biela")


def call(hook, staged, output):
    """a hook of the build backend (PEP 517), in a process of its own; the name of the file"""
    program = f"import setuptools.build_meta as backend, sys; sys.stderr.write(chr(10) + backend.{hook}(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program, str(output)], cwd=staged, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"package.py: {hook} failed\n{done.stdout}{done.stderr}")
    shutil.rmtree(staged / "biela.egg-info", ignore_errors=True)
    return done.stderr.splitlines()[-1]


def main(build, output):
    try:
        import setuptools  # noqa: F401
        import wheel  # noqa: F401
    except ImportError as error:
        sys.exit(f"package.py: {error} (Debian: python3-setuptools, python3-wheel)")
    library = sorted(build.glob("libbiela.so.*"), key=lambda path: len(path.name))
    if not library or not (build / "python/biela/_abi.py").exists():
        sys.exit(f"package.py: {build} has no package and library yet (cmake --build {build} --target python_package)")
    output.mkdir(parents=True, exist_ok=True)
    made = []
    with tempfile.TemporaryDirectory() as folder:
        staged = pathlib.Path(folder) / "biela"
        staged.mkdir()
        stage(build, staged)
        made.append(call("build_sdist", staged, output))
        shutil.copy(library[0].resolve(), staged / "biela" / library[0].name)  # libbiela.so.0
        made.append(call("build_wheel", staged, output))
    print(*(output / name for name in made), sep="\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*(pathlib.Path(word).resolve() for word in sys.argv[1:]))
