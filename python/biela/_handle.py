"""Objects of the library: each is destroyed once, after everything that needs it."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, List, Optional, Tuple

from . import _abi
from ._library import lib


class Handle:
    """A C object with the function that destroys it, and the handles that it needs (its context, its model).

    The garbage collector finalizes the objects of a cycle in any order, so a handle counts its users itself: `_uses` has one entry for
    the owner and one for every handle that needs this one; taking out the last one, the only True, destroys the object. Taking entries out
    of a list is atomic, so no lock is needed.
    """

    __slots__ = ("value", "_destroy", "_needs", "_uses", "_open", "__weakref__")

    def __init__(self, value: Any, destroy: Callable[[Any], Any], *needs: "Handle") -> None:
        self.value: Optional[int] = value
        self._destroy = destroy
        self._needs: Tuple[Handle, ...] = needs
        self._uses: List[bool] = [True]
        self._open: List[bool] = [True]
        for need in needs:
            need._uses.append(False)

    def _release(self) -> None:
        if self._uses.pop():
            value, self.value = self.value, None
            self._destroy(value)
            for need in self._needs:
                need._release()

    def close(self) -> None:
        """Gives up the object; what needs it keeps it alive. Calling it again does nothing."""
        try:
            self._open.pop()
        except IndexError:
            return
        self._release()

    def __del__(self) -> None:
        if hasattr(self, "_open"):
            self.close()


class Context(Handle):
    """A context of the library: error, warnings, memory, request to stop. One thread at a time uses it."""

    __slots__ = ()

    def __init__(self) -> None:
        out = ctypes.c_void_p()
        if lib.bl_context_create(None, ctypes.byref(out)) != _abi.BL_OK:
            raise MemoryError("biela: no memory for a context")
        super().__init__(out.value, lib.bl_context_destroy)

    @property
    def live_blocks(self) -> int:
        """Blocks of memory that are not yet freed."""
        return int(lib.bl_context_memory(self.value).live_blocks)
