"""Meshes of results, and tables of input decks."""
from __future__ import annotations

import ctypes
import dataclasses
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from . import _abi
from ._errors import Interrupted, error_of
from ._handle import Context
from ._library import field_type, lib, make, text, texts
from ._records import Record, status_text
from ._store import copy
from ._study import GOOD, Options
from ._watch import Watch


@dataclasses.dataclass(repr=False)
class Mesh(Record):
    """The mesh of a body or scalar field in its reference configuration: points [nodes, 3]; cells with the types and node orders of VTK:
    those of cell k are connectivity[offsets[k]:offsets[k + 1]]; sets: numbers of nodes and cells, from 0."""
    name: str
    dimension: int
    points: np.ndarray
    types: np.ndarray
    offsets: np.ndarray
    connectivity: np.ndarray
    node_sets: Dict[str, np.ndarray]
    cell_sets: Dict[str, np.ndarray]

    @classmethod
    def of(cls, mesh: Any) -> "Mesh":
        def whole(pointer: Any, count: int, kind: Any = np.int32) -> np.ndarray:
            return np.array(pointer[:count], dtype=kind) if pointer and count else np.empty(0, kind)

        offsets = whole(mesh.offset, mesh.ncell + 1)
        sets = [mesh.set[k] for k in range(mesh.nset)]
        named = [{text(s.name): whole(s.item, s.count) for s in sets if bool(s.of_cells) is of_cells} for of_cells in (False, True)]
        return cls(text(mesh.name), mesh.dim, copy(mesh.x, mesh.nnode, 3), whole(mesh.type, mesh.ncell, np.uint8), offsets,
                   whole(mesh.node, int(offsets[-1]) if len(offsets) else 0), named[0], named[1])


@dataclasses.dataclass(repr=False)
class Table(Record):
    """What a deck prints at one time: columns names the labels (nodes, elements, ...), then the values."""
    what: str
    title: str
    set: str
    analysis: str
    step: int
    increment: int
    t: float
    columns: List[str]
    labels: np.ndarray
    values: np.ndarray
    total: Optional[np.ndarray]

    @classmethod
    def of(cls, t: Any) -> "Table":
        labels = np.array(t.label[:t.nrow * t.nlabel], dtype=np.int32).reshape(t.nrow, t.nlabel) if t.nrow else np.empty((0, t.nlabel), np.int32)
        return cls(text(t.what), text(t.title), text(t.set), text(t.analysis), t.step, t.increment, t.t,
                   texts(t.column, t.nlabel + t.ncolumn), labels, copy(t.value, t.nrow, t.ncolumn),
                   copy(t.total, t.ncolumn) if t.total else None)


@dataclasses.dataclass(repr=False)
class Deck(Record):
    """The run of an input deck: its printed tables, and counters."""
    status: str
    steps: int
    nstep: int
    increments: int
    iterations: int
    unknowns: int
    t: float
    wall_seconds: float
    tables: List[Table]


def run_deck(model: Any, linsol: Optional[str], tolerance: Optional[float], threads: Optional[int]) -> Deck:
    context = Context()
    tables: List[Table] = []
    options = Options(_abi.bl_deck_options, linsol=linsol, tolerance=tolerance, threads=threads)
    sink, summary, watch = make(_abi.bl_deck_sink), make(_abi.bl_deck_summary), Watch(context)
    problem: List[BaseException] = []

    def take(user: Any, table: Any) -> int:
        try:
            tables.append(Table.of(table.contents))
        except BaseException as exception:  # raised below
            problem.append(exception)
            return int(_abi.BL_E_MEMORY)
        return int(_abi.BL_OK)

    keep: Callable[..., Any] = field_type(_abi.bl_deck_sink, "table")(take)
    sink.table = keep
    with watch:
        status = lib.bl_run_deck(context.value, model._handle.value, options.pointer, ctypes.byref(sink), ctypes.byref(summary))
    names = ("steps", "nstep", "increments", "iterations", "unknowns", "t", "wall_seconds")
    made = Deck(status=status_text(summary.status), tables=tables, **{name: getattr(summary, name) for name in names})
    if problem:
        raise problem[0]
    if watch.interrupted:
        raise Interrupted("stopped by Ctrl-C", made)
    if status not in GOOD:
        raise error_of(context, status, made)
    return made
