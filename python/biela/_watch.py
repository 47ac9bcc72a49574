"""Ctrl-C during calls of the library, and progress bars.

Python runs signal handlers only between its own instructions, so a long call in C would not notice Ctrl-C. But the interpreter writes the
number of a signal to a file descriptor at once (signal.set_wakeup_fd): a thread waits at its other end and asks the context to stop.
"""
from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Any, Callable, Optional, Union

from . import _abi
from ._handle import Context
from ._library import field_type, lib


class _Listener:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.context: Optional[Context] = None
        self.others = b""  # signals for whoever had the file descriptor before
        self._read, self.write = os.pipe()
        os.set_blocking(self.write, False)
        threading.Thread(target=self._listen, name="biela-interrupt", daemon=True).start()

    def _listen(self) -> None:
        while True:
            received = os.read(self._read, 64)
            with self.lock:
                if signal.SIGINT in received and self.context is not None:
                    lib.bl_context_stop(self.context.value)
                self.others += bytes(number for number in received if number != signal.SIGINT)


_listener: Optional[_Listener] = None


def _forget() -> None:
    global _listener  # the thread does not exist in a forked process
    _listener = None


os.register_at_fork(after_in_child=_forget)


class Watch:
    """While its block runs in the main thread, Ctrl-C stops the studies of a context. Handlers are as before afterwards.

    A handler of the program's own is called after the block; Python's own one is not, instead `interrupted` is True.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.interrupted = False
        self._installed = False

    def __enter__(self) -> "Watch":
        if threading.current_thread() is not threading.main_thread():
            return self
        handler = signal.getsignal(signal.SIGINT)
        if not callable(handler):  # ignored, or not a handler of Python
            return self
        global _listener
        if _listener is None:
            _listener = _Listener()
        self._handler: Callable[..., Any] = handler
        self._outer = _listener.context
        _listener.context = self.context
        self._descriptor = signal.set_wakeup_fd(_listener.write, warn_on_full_buffer=False)
        signal.signal(signal.SIGINT, self._handle)
        self._installed = True
        return self

    def _handle(self, number: int, frame: Any) -> None:
        self.interrupted = True
        lib.bl_context_stop(self.context.value)

    def __exit__(self, *exception: Any) -> None:
        if not self._installed:
            return
        signal.signal(signal.SIGINT, self._handler)
        signal.set_wakeup_fd(self._descriptor)
        assert _listener is not None
        with _listener.lock:
            _listener.context = self._outer
            others, _listener.others = _listener.others, b""
        if others and self._descriptor >= 0:
            os.write(self._descriptor, others)
        if self.interrupted and self._handler is not signal.default_int_handler:
            self.interrupted = False
            self._handler(signal.SIGINT, None)


# ---- progress

ProgressFunction = Callable[[float, float, float], Any]
Shown = Union[bool, ProgressFunction]
_SLOT = field_type(_abi.bl_sink, "progress")


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return type(shell).__name__ == "ZMQInteractiveShell"


class Bar:
    """A line of text that shows how far a study is; removed at the end. Shown on terminals and in notebooks, after half a second."""

    WIDTH = 24

    def __init__(self, stream: Any = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._length = 0
        self.shown = bool(getattr(self._stream, "isatty", lambda: False)()) or _in_notebook()

    def __call__(self, t: float, until: float, wall: float) -> None:
        if not self.shown or wall < 0.5:
            return
        share = min(max(t / until, 0.0), 1.0) if until > 0 else 0.0
        filled = int(self.WIDTH * share)
        left = f", {wall / share - wall:.0f} s left" if share > 0.01 else ""
        line = f"biela {100 * share:3.0f} % |{'#' * filled}{'-' * (self.WIDTH - filled)}| {t:.4g} of {until:.4g}, {wall:.0f} s{left}"
        self._write("\r" + line + " " * (self._length - len(line)))
        self._length = len(line)

    def clear(self) -> None:
        if self._length:
            self._write("\r" + " " * self._length + "\r")
            self._length = 0

    def _write(self, line: str) -> None:
        self._stream.write(line)
        self._stream.flush()


class Progress:
    """Passes the progress of a study to a bar or to a function of the user. An exception there stops the study and is raised after it."""

    def __init__(self, show: Shown, context: Context) -> None:
        self._context = context
        self._bar = Bar() if show is True else None
        self._function: Optional[ProgressFunction] = show if callable(show) else self._bar if self._bar and self._bar.shown else None
        self.exception: Optional[BaseException] = None
        self.slot = _SLOT(self._take) if self._function else _SLOT()

    def _take(self, user: Any, t: float, until: float, wall: float) -> None:
        try:
            if self._function and self.exception is None:
                self._function(t, until, wall)
        except BaseException as exception:  # raised by finish: ctypes would only print it
            self.exception = exception
            lib.bl_context_stop(self._context.value)

    def finish(self) -> None:
        if self._bar:
            self._bar.clear()
        if self.exception is not None:
            raise self.exception
