"""Reports: results as one page for a browser."""
from __future__ import annotations

import ctypes
import html
import os
import pathlib
import sys
import tempfile
import webbrowser
from typing import Any, Optional, Sequence, Tuple

from . import _abi
from ._errors import UsageError, check
from ._handle import Context
from ._library import lib, library_path, make, name_array, raw
from ._result import Result
from ._store import File


def _page() -> bytes:
    """The program of the page, as the build packs it."""
    places = [pathlib.Path(__file__).resolve().parent / "page.z", pathlib.Path(library_path).resolve().parent / "page.z"]
    for place in places:
        if place.exists() and place.stat().st_size > 0:
            return place.read_bytes()
    raise UsageError("this package was built without the page of reports", advice="build it with Node.js and npm, or use `biela report`")


def _result_file(result: Any, folder: str, k: int) -> str:
    """A result file with this result: its own, or one written to the folder."""
    if isinstance(result, Result) and not isinstance(result._store, File):
        path = os.path.join(folder, f"{k + 1}.h5")
        result.save(path)
        return path
    return os.fspath(result._store.path if isinstance(result, Result) else result)


def write_report(results: Sequence[Any], path: Any, title: Optional[str] = None) -> None:
    page = _page()
    with tempfile.TemporaryDirectory() as folder:
        files = [_result_file(result, folder, k) for k, result in enumerate(results)]
        options = make(_abi.bl_report_options, title=title, page_bytes=len(page))
        options.page = ctypes.cast(ctypes.c_char_p(page), ctypes.c_void_p)
        context = Context()
        check(context, lib.bl_report_write(context.value, name_array(files), len(files), ctypes.byref(options), raw(path)))


def write_figure(result: Result, path: Any, show: Optional[str], body: Optional[str], time: Optional[float], factor: float, levels: int,
                 isolines: bool, view: Optional[Tuple[float, float]]) -> None:
    options = make(_abi.bl_figure_options, show=show, body=body, time=float("nan") if time is None else time, factor=factor,
                   levels=levels, isolines=isolines, seen_from=view is not None)
    if view is not None:
        options.azimuth, options.elevation = view
    with tempfile.TemporaryDirectory() as folder:
        store = File(_result_file(result, folder, 0))
        check(store.context, lib.bl_figure_fields(store.context.value, store.handle.value, ctypes.byref(options), raw(path)))


def report(results: Any, path: Any, title: Optional[str] = None) -> None:
    """Writes results (Result objects or names of files) as one page for a browser."""
    write_report([results] if isinstance(results, (Result, str, os.PathLike)) else list(results), path, title)


def show(result: Result, path: Any = None) -> Any:
    """In a notebook a frame with the page; else the page opens in the browser, and its path is returned."""
    ipython = sys.modules.get("IPython")
    notebook = ipython is not None and type(ipython.get_ipython()).__name__ == "ZMQInteractiveShell"
    if path is None:
        handle, path = tempfile.mkstemp(".html", "biela-")
        os.close(handle)
    write_report([result], path)
    if notebook:
        from IPython.display import HTML
        text = html.escape(pathlib.Path(path).read_text(encoding="utf-8"), quote=True)
        return HTML(f'<iframe srcdoc="{text}" width="100%" height="640" style="border:0"></iframe>')
    webbrowser.open(pathlib.Path(path).resolve().as_uri())
    return os.fspath(path)
