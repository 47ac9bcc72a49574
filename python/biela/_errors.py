"""Exceptions, made from the error object of a context."""
from __future__ import annotations

import ctypes
import math
from typing import Any, List, NamedTuple, Optional

from . import _abi
from ._handle import Context
from ._library import lib, text


class Error(Exception):
    """What all exceptions of biela have in common.

    what: the message; advice: what can be done; file, line, column: position in the model; part: joint, body or force; equation: of that
    part; time: simulated time; None where they do not apply. result: what was computed before the failure, or None.
    """

    def __init__(self, what: str = "", *, status: int = 0, advice: Optional[str] = None, file: Optional[str] = None,
                 line: Optional[int] = None, column: Optional[int] = None, part: Optional[str] = None, equation: Optional[str] = None,
                 time: Optional[float] = None, result: Any = None) -> None:
        super().__init__(what)
        self.what, self.status, self.advice = what, status, advice
        self.file, self.line, self.column = file, line, column
        self.part, self.equation, self.time, self.result = part, equation, time, result

    def __reduce__(self) -> Any:  # between processes, without the result
        return type(self), (self.what,), {**self.__dict__, "result": None}

    def __str__(self) -> str:
        place = ":".join(str(item) for item in (self.file, self.line, self.column) if item)
        lines = [f"{place}: {self.what}" if place and not self.what.startswith(place) else self.what]
        if self.advice:
            lines.append(f"  hint: {self.advice}")
        if self.part:
            lines.append(f"  part: {self.part}")
        if self.equation:
            lines.append(f"  equation: {self.equation}")
        if self.time is not None:
            lines.append(f"  time: {self.time:.9g} s")
        return "\n".join(lines)


class ModelError(Error):
    """An error in the model: file, line, column, advice and part say where and what to do."""


class NumericalError(Error):
    """A computation failed: time, equation and part say where; result holds what was computed before."""


class UsageError(Error, ValueError):
    """An unknown name or kind, an argument out of range, a combination that is not possible."""


class UnknownName(UsageError, KeyError):
    """A name that a result, simulation or model does not have; advice names the nearest one."""

    def __str__(self) -> str:
        return Error.__str__(self)


class FileError(Error, OSError):
    """A file cannot be read or written."""

    def __str__(self) -> str:
        return Error.__str__(self)


class OutOfMemory(Error, MemoryError):
    """The library has no memory."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped a study; result holds what was computed before, or None."""

    def __init__(self, what: str = "", result: Any = None) -> None:
        super().__init__(what)
        self.result = result

    def __reduce__(self) -> Any:
        return type(self), (str(self),)


class ModelWarning(UserWarning):
    """Something about a model or a run that the user should know."""


class Warning_(NamedTuple):
    """A warning of a study; time None: it concerns the complete study."""
    time: Optional[float]
    part: str
    text: str

    def __str__(self) -> str:
        where = f"{self.part}: " if self.part else ""
        when = f" (from t = {self.time:.6g} s)" if self.time is not None else ""
        return f"{where}{self.text}{when}"


_CLASSES = {_abi.BL_E_MODEL: ModelError, _abi.BL_E_NUMERIC: NumericalError, _abi.BL_E_ARG: UsageError, _abi.BL_E_ABILITY: UsageError,
            _abi.BL_E_MEMORY: OutOfMemory, _abi.BL_E_FILE: FileError}


def number(value: float) -> Optional[float]:
    """None for NaN."""
    return None if math.isnan(value) else value


def error_of(context: Context, status: int, result: Any = None) -> Error:
    """The exception for the status of a call."""
    error = lib.bl_context_error(context.value).contents
    known = error.status == status
    kind: Any = _CLASSES.get(status, NumericalError)
    what = text(error.what) if known else text(lib.bl_status_text(status))
    return kind(what, status=status, result=result, **(_details(error) if known else {}))


def _details(error: Any) -> Any:
    return {"advice": text(error.advice) or None, "file": text(error.file) or None, "line": error.line or None,
            "column": error.column or None, "part": text(error.part) or None, "equation": text(error.equation) or None,
            "time": number(error.time)}


def check(context: Context, status: int) -> None:
    """Raises unless the status is success."""
    if status != _abi.BL_OK:
        raise error_of(context, status)


def unknown(name: str, what: str, names: Any) -> UnknownName:
    """The exception for a name that is not among the known ones, with the nearest."""
    known = [str(item) for item in names]
    near = text(lib.bl_nearest(name.encode(), (ctypes.c_char_p * len(known))(*[k.encode() for k in known]), len(known))) if known else ""
    advice = f"did you mean '{near}'?" if near else ("known are " + ", ".join(known[:12]) + (", ..." if len(known) > 12 else "")
                                                     if known else None)
    return UnknownName(f"{what} '{name}'", status=_abi.BL_E_ARG, advice=advice)


def warnings_of(context: Context) -> List[Warning_]:
    first = ctypes.POINTER(_abi.bl_warning)()
    more = ctypes.c_int32()
    count = lib.bl_context_warnings(context.value, ctypes.byref(first), ctypes.byref(more))
    found = [Warning_(number(first[i].time), text(first[i].part), text(first[i].text)) for i in range(count)]
    if more.value:
        found.append(Warning_(None, "", f"{more.value} further warnings are left out"))
    return found
