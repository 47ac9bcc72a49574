"""Modes and linearized mechanisms."""
from __future__ import annotations

import ctypes
import dataclasses
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _abi
from ._errors import UsageError, check
from ._handle import Context
from ._library import lib, make, name_array, raw, text, texts
from ._records import Record
from ._result import Result
from ._store import copy


@dataclasses.dataclass(repr=False)
class Linear(Record):
    """A linearized mechanism, x' = A x + B u, y = C x + D u: deviations from the linearization point."""
    states: List[str]
    inputs: List[str]
    outputs: List[str]
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray

    @classmethod
    def of(cls, lin: Any) -> "Linear":
        n, m, p = lin.nstate, lin.ninput, lin.noutput

        def matrix(pointer: Any, rows: int, columns: int) -> np.ndarray:
            return copy(pointer, columns, rows).T

        return cls(texts(lin.state, n), texts(lin.input, m), texts(lin.output, p), matrix(lin.A, n, n), matrix(lin.B, n, m),
                   matrix(lin.C, p, n), matrix(lin.D, p, m))

    def _struct(self) -> Tuple[Any, List[Any]]:
        """bl_linear_model, with what must be kept."""
        matrices = [np.asfortranarray(matrix, dtype=float) for matrix in (self.A, self.B, self.C, self.D)]
        lists = [name_array(names) for names in (self.states, self.inputs, self.outputs)]
        made = make(_abi.bl_linear_model, nstate=len(self.states), ninput=len(self.inputs), noutput=len(self.outputs))
        made.state, made.input, made.output = (ctypes.cast(names, ctypes.POINTER(ctypes.c_char_p)) for names in lists)
        made.A, made.B, made.C, made.D = (matrix.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for matrix in matrices)
        return made, [matrices, lists]

    def frequencies(self, start: float = 0, to: float = 0, count: int = 0) -> np.ndarray:
        """Frequencies in rad/s for responses: spaced logarithmically, with more around lightly damped poles unless a count is given."""
        context, (made, kept) = Context(), self._struct()
        found = make(_abi.bl_frequencies)
        try:
            check(context, lib.bl_linear_frequencies(context.value, ctypes.byref(made), start, to, count, ctypes.byref(found)))
            return copy(found.omega, found.n)
        finally:
            lib.bl_frequencies_destroy(context.value, ctypes.byref(found))

    def response(self, omega: Optional[Sequence[float]] = None) -> Tuple[np.ndarray, np.ndarray]:
        """(omega, H): response to harmonic inputs, complex H[frequency, output, input] = C (i omega - A)^-1 B + D."""
        at = self.frequencies() if omega is None else np.atleast_1d(np.ascontiguousarray(omega, dtype=float))
        context, (made, kept) = Context(), self._struct()
        values = np.empty((len(at), len(self.outputs), len(self.inputs)), dtype=complex)
        pointer = ctypes.POINTER(ctypes.c_double)
        check(context, lib.bl_linear_response(context.value, ctypes.byref(made), len(at), at.ctypes.data_as(pointer),
                                              values.ctypes.data_as(pointer)))
        return at, values

    def write(self, path: Any) -> None:
        """The matrices as .m (Octave and MATLAB), .json or .mtx (Matrix Market)."""
        context, (made, kept) = Context(), self._struct()
        check(context, lib.bl_linear_write(context.value, ctypes.byref(made), raw(path)))


class BodyMotion(NamedTuple):
    """Motion of a body in every mode: complex [modes, 3]."""
    velocity: np.ndarray
    angular_velocity: np.ndarray


_ARRAYS = ("eigenvalue", "omega", "frequency", "mass", "damping", "residual", "initial", "initial_rate", "damped_frequency")


@dataclasses.dataclass(repr=False)
class Modes(Record):
    """Small vibrations: one entry of every array per mode, ascending. poles: lambda = re + i im; shapes[:, k]: mode k by unknowns.
    linear: the matrices A, B, C, D (also m.A, ...), or None."""
    name: str
    coordinates: str
    method: str
    unknowns: List[str]
    degrees_of_freedom: int
    first_order: bool
    t: float
    stability: Optional[str]
    unstable: int
    rigid: int
    rigid_motions: str
    massless: int
    massless_motions: str
    is_complex: bool
    moving: bool
    cyclic: str
    eigenvalue: np.ndarray
    omega: np.ndarray
    frequency: np.ndarray
    damped_frequency: np.ndarray
    damping: np.ndarray
    poles: np.ndarray
    mass: np.ndarray
    residual: np.ndarray
    initial: np.ndarray
    initial_rate: np.ndarray
    participation: np.ndarray
    effective_mass: np.ndarray
    total_mass: np.ndarray
    shapes: np.ndarray
    moves: List[str]
    bodies: Dict[str, BodyMotion]
    variables: Dict[str, Tuple[float, float]]
    linear: Optional[Linear]
    result: Optional[Result] = dataclasses.field(default=None, repr=False)
    answer: Optional[Result] = dataclasses.field(default=None, repr=False)

    @classmethod
    def of(cls, r: Any) -> "Modes":
        modes = [r.mode[k] for k in range(r.nmode)]
        arrays: Dict[str, Any] = {name: np.array([getattr(m, name) for m in modes], dtype=float) for name in _ARRAYS}
        shapes = np.array([copy(m.shape, r.unknowns) + (1j * copy(m.shape_im, r.unknowns) if m.shape_im else 0) for m in modes])
        words = {_abi.BL_STABLE: "stable", _abi.BL_MARGINAL: "marginal", _abi.BL_UNSTABLE: "unstable"}
        bodies = {}
        for b, name in enumerate(texts(r.body, r.nbody)):
            own = [m.motion[b] for m in modes if m.motion]
            bodies[name] = BodyMotion(*(np.array([np.array(getattr(o, part)) + 1j * np.array(getattr(o, part + "_im")) for o in own])
                                        for part in ("velocity", "angular_velocity")))
        variables = {name: (r.value[k], r.rate[k]) for k, name in enumerate(texts(r.variable, r.nvariable))}
        return cls(name=text(r.model_name), coordinates=text(r.coordinates), method=text(r.method),
                   unknowns=texts(r.unknown, r.unknowns), degrees_of_freedom=r.dof, first_order=r.first_order, t=r.t,
                   stability=words.get(r.stability), unstable=r.nunstable, rigid=r.nrigid, rigid_motions=text(r.rigid),
                   massless=r.nmassless, massless_motions=text(r.massless), is_complex=r.is_complex, moving=r.moving,
                   cyclic=text(r.cyclic), poles=np.array([complex(m.re, m.im) for m in modes]),
                   participation=np.array([list(m.participation) for m in modes]).reshape(-1, 3),
                   effective_mass=np.array([list(m.effective_mass) for m in modes]).reshape(-1, 3),
                   total_mass=np.array(list(r.total_mass)), shapes=shapes.reshape(len(modes), -1).T, moves=[text(m.moves) for m in modes],
                   bodies=bodies, variables=variables, linear=Linear.of(r.linear.contents) if r.linear else None, **arrays)

    def __len__(self) -> int:
        return len(self.eigenvalue)

    def _matrices(self) -> Linear:
        if self.linear is None:
            raise UsageError("there are no matrices", advice="name inputs and outputs, or give linear=True")
        return self.linear

    @property
    def A(self) -> np.ndarray:
        return self._matrices().A

    @property
    def B(self) -> np.ndarray:
        return self._matrices().B

    @property
    def C(self) -> np.ndarray:
        return self._matrices().C

    @property
    def D(self) -> np.ndarray:
        return self._matrices().D

    @property
    def states(self) -> List[str]:
        return self._matrices().states

    @property
    def inputs(self) -> List[str]:
        return self._matrices().inputs

    @property
    def outputs(self) -> List[str]:
        return self._matrices().outputs


class Crossing(NamedTuple):
    """A change of stability: omega 0 is a divergence, otherwise flutter."""
    value: float
    omega: float
    unstable: bool


@dataclasses.dataclass(repr=False)
class ModesPath(Record):
    """Eigenvalues over a parameter: poles[point, k], column k is one curve."""
    parameter: str
    values: np.ndarray
    poles: np.ndarray
    crossings: List[Crossing]

    @classmethod
    def of(cls, r: Any) -> "ModesPath":
        if not r.path:
            raise UsageError("the model has no path", advice="give a parameter, or the section `linearize:` a path")
        path = r.path.contents
        shape = (path.npoint, path.nmode)
        return cls(text(path.parameter), copy(path.value, path.npoint), copy(path.re, *shape) + 1j * copy(path.im, *shape),
                   [Crossing(c.value, c.omega, c.unstable) for c in (r.crossing[k] for k in range(r.ncrossing))])


_AT = {"equilibrium": _abi.BL_MODES_AT_EQUILIBRIUM, "start": _abi.BL_MODES_AT_START, "steady": _abi.BL_MODES_AT_STEADY}


def where(at: Any) -> Dict[str, Any]:
    """The linearization point: a word or a time."""
    if at is None:
        return {}
    if isinstance(at, str):
        if at not in _AT:
            raise UsageError(f"at must be equilibrium, start, steady or a time, found '{at}'")
        return {"at": _AT[at]}
    return {"at": _abi.BL_MODES_AT_TIME, "time": float(at)}
