"""The shared library: found, loaded, its version checked, its functions bound once."""
from __future__ import annotations

import ctypes
import os
import pathlib
from typing import Any, Iterator, List, Tuple

from . import _abi

_FOLDER = pathlib.Path(__file__).resolve().parent


def _numbers(version: str) -> Tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else 0 for part in version.split(".")[:3])


def _candidates() -> Iterator[str]:
    named = os.environ.get("BIELA_LIBRARY")
    if named:
        yield named
        return
    file = f"libbiela.so.{_numbers(_abi.VERSION)[0]}"
    # in a wheel; beside build/python; of the source tree
    for folder in (_FOLDER, _FOLDER.parent.parent, _FOLDER.parent.parent / "build"):
        if (folder / file).exists():
            yield str(folder / file)
    yield file


def _load() -> Tuple[Any, str]:
    problem = ""
    for path in _candidates():
        try:
            return ctypes.CDLL(path), path
        except OSError as error:
            problem = problem or str(error)
    raise ImportError(f"biela: the library cannot be loaded: {problem} (BIELA_LIBRARY names another file)")


def _check_version(library: Any, path: str) -> str:
    """The version of the library: the same first two numbers as the package, and not older."""
    try:
        function = library.bl_version
    except AttributeError:
        raise ImportError(f"biela: {path} is not a library of biela {_abi.VERSION} (it has no bl_version)") from None
    function.restype, function.argtypes = ctypes.c_char_p, []
    version = str(function().decode())
    ours, its = _numbers(_abi.VERSION), _numbers(version)
    if its[:2] != ours[:2] or its < ours:
        raise ImportError(f"biela: this package is version {_abi.VERSION}, but {path} is version {version}; install both from one source,"
                          " or name a library by BIELA_LIBRARY")
    return version


class Functions:
    """The functions of the public headers, by name. Those that the library does not have raise AttributeError when they are used."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def __getattr__(self, name: str) -> Any:
        try:
            result, parameters = _abi.FUNCTIONS[name]
        except KeyError:
            raise AttributeError(f"the headers of biela {_abi.VERSION} have no function {name}") from None
        function = getattr(self._library, name)
        function.restype, function.argtypes = result, parameters
        setattr(self, name, function)
        return function

    def has(self, name: str) -> bool:
        return name in _abi.FUNCTIONS and hasattr(self._library, name)


_loaded, library_path = _load()
library_version = _check_version(_loaded, library_path)
lib = Functions(_loaded)


# ---- values of C

def text(raw: Any) -> str:
    """A C string as text; NULL is empty."""
    return raw.decode("utf-8", "replace") if raw else ""


def raw(value: Any) -> Any:
    """A text as a C string; None is NULL."""
    if value is None:
        return None
    made = os.fsencode(value)
    if b"\0" in made:
        raise ValueError(f"a text must not contain a zero byte: {value!r}")
    return made


def texts(names: Any, count: int) -> List[str]:
    """An array of C strings."""
    return [text(names[i]) for i in range(count)] if names else []


def field_type(kind: Any, name: str) -> Any:
    """The type of a field of a struct."""
    return dict(kind._fields_)[name]


def make(kind: Any, **values: Any) -> Any:
    """A struct with its size, for those that begin with one, and the given values; None: zero."""
    made = kind()
    if kind._fields_[0][0] == "size":
        made.size = ctypes.sizeof(kind)
    for name, value in values.items():
        if value is not None:
            setattr(made, name, raw(value) if isinstance(value, (str, os.PathLike)) else value.item() if hasattr(value, "item") else value)
    return made


def name_array(names: Any) -> Any:
    """An array of C strings from a list of texts, with its length; keep it as long as it is used."""
    made = [raw(name) for name in names]
    return (ctypes.c_char_p * len(made))(*made)
