"""Inputs of a model over time, from arrays or a file (include/biela/inputs.h)."""
from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np

from . import _abi
from ._errors import UsageError, check
from ._handle import Context, Handle
from ._library import lib, make, name_array, raw
from ._study import Options


def follow(options: Options, model: Any, inputs: Any, hold: bool) -> None:
    """Inputs for bl_run_options: {"t": times, "torque": values, ...}, or a file; None: none."""
    if inputs is None:
        if hold:
            raise UsageError("input_hold needs inputs")
        return
    table = options.keep(_read(options, model, inputs) if isinstance(inputs, (str, os.PathLike)) else _arrays(options, inputs))
    table.hold = hold
    options.struct.inputs = ctypes.pointer(table)


def _read(options: Options, model: Any, file: Any) -> Any:
    context, table = Context(), make(_abi.bl_inputs)
    check(context, lib.bl_inputs_read(context.value, model._handle.value, raw(file), ctypes.byref(table)))
    options.keep(Handle(table, lambda made: lib.bl_inputs_destroy(None, ctypes.byref(made)), context))
    return table


def _arrays(options: Options, inputs: Any) -> Any:
    given = dict(inputs)
    key = next((name for name in ("t", "time") if name in given), None)
    if key is None:
        raise UsageError("inputs must contain the times as 't'", advice='write inputs={"t": times, "NAME": values}')
    times = np.ascontiguousarray(given.pop(key), dtype=float).ravel()
    columns = [np.asarray(values, dtype=float).ravel() for values in given.values()]
    for name, column in zip(given, columns):
        if len(column) != len(times):
            raise UsageError(f"the input '{name}' has {len(column)} values for {len(times)} times")
    values = np.ascontiguousarray(np.column_stack(columns) if columns else np.zeros((len(times), 0)))
    names = name_array(list(given))
    double = ctypes.POINTER(ctypes.c_double)
    options.keep((times, values, names))
    return make(_abi.bl_inputs, n=len(times), ninput=len(columns), name=ctypes.cast(names, ctypes.POINTER(ctypes.c_char_p)),
                t=times.ctypes.data_as(double), value=values.ctypes.data_as(double))
