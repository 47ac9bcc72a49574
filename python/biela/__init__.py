"""biela: simulate mechanisms.

    import biela
    m = biela.Model("four_bar.yaml")
    r = m.run(until=5)
    r["A.angle"], r.t, r.summary
    s = m.simulation()
    s.reach(0.1); s["A.angle"]

docs/PYTHON.md explains the package.
"""
from __future__ import annotations

import pathlib as _pathlib

# in the source tree, the declarations that the build writes
_folder = _pathlib.Path(__file__).resolve().parent
if not (_folder / "_abi.py").exists():
    __path__.append(str(_folder.parent.parent / "build" / "python" / "biela"))
    if not (_folder.parent.parent / "build" / "python" / "biela" / "_abi.py").exists():
        raise ImportError("biela: the package is not built yet; run `make python`")

from ._errors import (Error, FileError, Interrupted, ModelError, ModelWarning, NumericalError, OutOfMemory, UnknownName,  # noqa: E402
                      UsageError)
from ._library import library_path, library_version  # noqa: E402
from ._model import Model  # noqa: E402
from ._modes import Linear, Modes, ModesPath  # noqa: E402
from ._result import Result  # noqa: E402
from ._simulation import Sample, Simulation  # noqa: E402
from ._tables import adomian, kinds, reference, stability  # noqa: E402
from ._page import report  # noqa: E402
from . import _abi  # noqa: E402

__version__: str = _abi.VERSION
for _public in (Error, FileError, Interrupted, Linear, Model, ModelError, ModelWarning, Modes, ModesPath, NumericalError, OutOfMemory, Result,
                Sample, Simulation, UnknownName, UsageError):
    _public.__module__ = "biela"  # as messages name them

__all__ = ["Error", "FileError", "Interrupted", "Linear", "Model", "ModelError", "ModelWarning", "Modes", "ModesPath", "NumericalError",
           "OutOfMemory", "Result", "Sample", "Simulation", "UnknownName", "UsageError", "adomian", "kinds", "library_path",
           "library_version", "reference", "report", "stability"]
