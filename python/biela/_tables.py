"""What needs no model: kinds, integration methods, expressions."""
from __future__ import annotations

import ctypes
import dataclasses
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _abi
from ._errors import UsageError, check
from ._handle import Context
from ._library import lib, make, name_array, raw, text
from ._records import Record, names_of
from ._store import copy
from ._study import Options, run_call


class Kind(NamedTuple):
    """Something that can be chosen by name: a joint, a force, an integrator, ..."""
    room: str
    name: str
    help: str
    parameters: str
    facts: str


def kinds(room: Optional[str] = None) -> List[Kind]:
    """The kinds of a room (joints, forces, elements, generators, materials, strains, coordinates, formulations, integrators, linsols,
    orderings), or of all."""
    context, found = Context(), []

    def visit(user: Any, choice: Any) -> None:
        c = choice.contents
        found.append(Kind(text(c.room), text(c.name), text(c.help), text(c.params), text(c.facts)))

    check(context, lib.bl_list(context.value, raw(room), _abi.FUNCTIONS["bl_list"][1][2](visit), None))
    return found


def reference() -> str:
    """The reference of all kinds and their parameters, as Markdown."""
    context = Context()
    parts: List[bytes] = []
    write = _abi.FUNCTIONS["bl_reference"][1][1](lambda user, start, count: parts.append(ctypes.string_at(start, count)))
    check(context, lib.bl_reference(context.value, write, None))
    return b"".join(parts).decode()


def adomian(expression: str, unknowns: Mapping[str, Sequence[float]]) -> np.ndarray:
    """Adomian polynomials: coefficients of the power series of an expression, from those of its unknowns, of equal length."""
    rows = [np.ascontiguousarray(values, dtype=float) for values in unknowns.values()]
    if not rows or len({len(row) for row in rows}) != 1 or len(rows[0]) == 0:
        raise UsageError("adomian needs unknowns with coefficients of equal length")
    u, out, context = np.concatenate(rows), np.empty(len(rows[0])), Context()
    pointer = ctypes.POINTER(ctypes.c_double)
    check(context, lib.bl_adomian(context.value, raw(expression), name_array(list(unknowns)), len(rows), len(out) - 1,
                                  u.ctypes.data_as(pointer), out.ctypes.data_as(pointer)))
    return out


@dataclasses.dataclass(repr=False)
class StabilityEntry(Record):
    """Order and stability of one integration method; infinite: no limit, NaN: does not apply."""
    name: str
    shape: str
    promised_order: int
    order: int
    error_constant: float
    zero_stable: bool
    zero_words: str
    a_stable: bool
    angle: float
    rho_infinity: float
    real_interval: float
    imaginary_interval: float
    omega_critical: float
    omega_bifurcation: float
    h_over_T: np.ndarray
    rho: np.ndarray
    damping: np.ndarray
    period_error: np.ndarray
    region: List[np.ndarray]


def stability(methods: Union[str, Sequence[str]], *, at: Optional[Sequence[float]] = None, xi: float = 0.0,
              region: bool = False) -> Dict[str, StabilityEntry]:
    """Order and stability of integration methods ("rk4", "bdf:3") from their coefficients; region: boundary of the stability region, as
    curves of complex numbers."""
    options = Options(_abi.bl_stability_options, xi=xi, region=region)
    options.names("method", "nmethod", names_of(methods))
    if at is not None:
        options.numbers("at", "nat", at)
    context, report, found = Context(), make(_abi.bl_stability_report), {}
    tables = ("h_over_T", "rho", "damping", "period_error")
    names = [f.name for f in dataclasses.fields(StabilityEntry) if f.name not in tables and f.name != "region"]
    try:
        run_call(lambda ctx: lib.bl_stability_study(ctx.value, options.pointer, ctypes.byref(report)), context)
        for k in range(report.nentry):
            e = report.entry[k]
            values: Dict[str, Any] = {name: getattr(e, name) for name in names}
            values.update({name: text(values[name]) for name in ("name", "shape", "zero_words")})
            values.update({name: copy(getattr(e.at, name), e.at.n) for name in tables})
            lines = [copy(e.line[i].re, e.line[i].n) + 1j * copy(e.line[i].im, e.line[i].n) for i in range(e.nline)]
            found[values["name"]] = StabilityEntry(region=lines, **values)
    finally:
        lib.bl_stability_report_destroy(context.value, ctypes.byref(report))
    return found
