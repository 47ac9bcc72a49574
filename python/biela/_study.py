"""Studies with samples: a context, sinks, Ctrl-C, progress, and the result or the exception."""
from __future__ import annotations

import ctypes
import os
import pathlib
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np

from . import _abi
from ._errors import Interrupted, ModelWarning, UsageError, check, error_of, unknown
from ._handle import Context, Handle
from ._library import lib, make, name_array, raw
from ._records import names_of
from ._result import Result
from ._store import Memory
from ._watch import Progress, Shown, Watch

WANT = {"bodies": _abi.BL_WANT_BODIES, "variables": _abi.BL_WANT_VARIABLES, "probes": _abi.BL_WANT_PROBES,
        "reactions": _abi.BL_WANT_REACTIONS, "energies": _abi.BL_WANT_ENERGIES, "drift": _abi.BL_WANT_DRIFT,
        "forces": _abi.BL_WANT_FORCES, "signals": _abi.BL_WANT_SIGNALS, "contacts": _abi.BL_WANT_CONTACTS,
        "sections": _abi.BL_WANT_SECTIONS, "fields": _abi.BL_WANT_FIELDS}
GOOD = (_abi.BL_OK, _abi.BL_EVENT, _abi.BL_STOPPED)


class Sinks:
    """Samples in memory, progress, and files that are written as the run goes."""

    def __init__(self, context: Context, model: Handle, progress: Shown, files: Sequence[Any], want: int) -> None:
        self.memory = Memory(context, want)
        self.progress = Progress(progress, context)
        self._context = context
        self.count = 2
        self.array = (_abi.bl_sink * (self.count + len(files)))()
        for sink in self.array:
            sink.size = ctypes.sizeof(sink)
        self.array[0] = self.memory.sink
        self.array[1].progress = self.progress.slot
        try:
            self._add_files(model, files)
        except BaseException:
            self.destroy()
            raise

    def _add_files(self, model: Handle, files: Sequence[Any]) -> None:
        context = self._context
        if not files:
            return
        names = name_array([os.fspath(file) for file in files])
        check(context, lib.bl_check_outputs(context.value, model.value, None, 0, names, len(files)))
        for file in files:
            ending = pathlib.Path(file).suffix.lower()
            if ending not in (".h5", ".csv"):
                raise UsageError(f"a run writes .h5 or .csv files, not '{os.fspath(file)}'")
            maker = lib.bl_sink_hdf5 if ending == ".h5" else lib.bl_sink_csv
            check(context, maker(context.value, raw(file), ctypes.byref(self.array[self.count])))
            self.count += 1

    def destroy(self) -> None:
        for sink in self.array:
            lib.bl_sink_destroy(ctypes.byref(sink))


def run_study(model: Any, call: Callable[[Context, Any, int, Any], int], *, progress: Shown = True, files: Sequence[Any] = (),
              want: int = 0, found: Optional[Callable[[Result, int], None]] = None, kind: type = Result,
              context: Optional[Context] = None) -> Any:
    """Runs call(context, sinks, number of sinks, summary) and returns its result. found(result, status) adds what the study found besides
    samples, also after a failure."""
    context = context or Context()
    sinks = Sinks(context, model._handle, progress, files, want)
    summary = make(_abi.bl_run_summary)
    watch = Watch(context)
    try:
        with watch:
            status = call(context, sinks.array, sinks.count, ctypes.byref(summary))
    finally:
        sinks.destroy()
    result = None
    if sinks.memory.finish():
        result = kind._of(sinks.memory, overrides=dict(model._overrides), _model=model)  # type: ignore[attr-defined]
        if found:
            found(result, status)
    sinks.progress.finish()
    if watch.interrupted:
        raise Interrupted("stopped by Ctrl-C" + (f" at t = {result.summary.t:.9g} s" if result is not None else ""), result)
    if status not in GOOD:
        raise error_of(context, status, result)
    if result is None:
        raise Interrupted("stopped before the first result")
    warn(result.warnings)
    return result


def run_call(call: Callable[[Context], int], context: Optional[Context] = None) -> Context:
    """Runs a study without samples; Ctrl-C stops it."""
    context = context or Context()
    watch = Watch(context)
    with watch:
        status = call(context)
    if watch.interrupted:
        raise Interrupted("stopped by Ctrl-C")
    if status not in GOOD:
        raise error_of(context, status)
    return context


def wanted(keep: Any, fields: Optional[str]) -> int:
    """The quantities of samples to keep; None: all, fields of meshes if some are named."""
    with_fields = fields not in (None, "none")
    if keep is None:
        return int(_abi.BL_WANT_ALL) if with_fields else 0
    bits = int(_abi.BL_WANT_TIME) | (int(_abi.BL_WANT_FIELDS) if with_fields else 0)
    for word in names_of(keep):
        if word not in WANT:
            raise unknown(word, "keep has no quantity", WANT)
        bits |= int(WANT[word])
    return bits


def warn(found: Sequence[Any]) -> None:
    for warning in found:
        warnings.warn(str(warning), ModelWarning, stacklevel=4)


# ---- options

class Options:
    """A struct of options, with what it points to."""

    def __init__(self, kind: Any, **values: Any) -> None:
        self.struct = make(kind, **values)
        self._kept: List[Any] = []

    def keep(self, thing: Any) -> Any:
        self._kept.append(thing)
        return thing

    def numbers(self, pointer: str, count: str, values: Any) -> None:
        array = np.ascontiguousarray(values, dtype=float).ravel()
        self.keep(array)
        setattr(self.struct, pointer, array.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
        setattr(self.struct, count, len(array))

    def names(self, pointer: str, count: str, values: Sequence[str]) -> None:
        array = self.keep(name_array(values))
        setattr(self.struct, pointer, ctypes.cast(array, ctypes.POINTER(ctypes.c_char_p)))
        setattr(self.struct, count, len(array))

    def pairs(self, pointer: str, count: str, kind: Any, values: Dict[str, float]) -> None:
        """An array of structs that begin with a name and a value."""
        array = self.keep((kind * len(values))())
        for k, (name, value) in enumerate(values.items()):
            array[k].name = self.keep(raw(name))
            array[k].value = float(value)
        setattr(self.struct, pointer, ctypes.cast(array, ctypes.POINTER(kind)))
        setattr(self.struct, count, len(values))

    def inside(self, field: str, other: "Options") -> None:
        """Options of another study."""
        setattr(self.struct, field, ctypes.pointer(self.keep(other).struct))

    @property
    def pointer(self) -> Any:
        return ctypes.byref(self.struct)


def run_options(*, until: Optional[float] = None, tolerance: Optional[float] = None, every: Optional[float] = None,
                at: Optional[Sequence[float]] = None, every_step: bool = False, step: Optional[float] = None,
                absolute: Optional[float] = None, coordinates: Optional[str] = None, formulation: Optional[str] = None,
                integrator: Optional[str] = None, linsol: Optional[str] = None, ordering: Optional[str] = None,
                singular: Optional[str] = None, projection_tolerance: Optional[float] = None, closure: Optional[float] = None,
                threads: Optional[int] = None, fields: Optional[str] = None) -> Options:
    """bl_run_options; as on the command line, the last time of `at` is the end unless `until` is given."""
    given = [name for name, value in (("every", every), ("at", at), ("every_step", every_step or None)) if value is not None]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} exclude each other")
    for name, value in (("until", until), ("tolerance", tolerance), ("every", every), ("step", step)):
        if value is not None and not value > 0:
            raise UsageError(f"{name} must be positive, found {value}")
    options = Options(_abi.bl_run_options, until=until, tolerance=tolerance, every=every, every_step=every_step, step=step,
                      absolute=absolute, coordinates=coordinates, formulation=formulation, integrator=integrator, linsol=linsol,
                      ordering=ordering, singular=singular, projection_tolerance=projection_tolerance, closure=closure, threads=threads,
                      fields=fields)
    if at is not None:
        times = np.asarray(at, dtype=float).ravel()
        if len(times) == 0:
            raise UsageError("at must have at least one time")
        options.numbers("at", "nat", times)
        if until is None:
            options.struct.until = float(times[-1])
    return options
