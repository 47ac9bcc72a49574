"""A motion that is advanced step by step, observed and changed on the way (include/biela/stepper.h)."""
from __future__ import annotations

import ctypes
import time
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _abi
from ._errors import Error, Interrupted, UsageError, check, error_of, unknown
from ._handle import Context, Handle
from ._inputs import follow
from ._library import lib, make, raw, text, texts
from ._modes import Modes
from ._records import Summary, names_of
from ._store import copy
from ._study import Options, run_call, run_options
from ._watch import Watch

_SHORT = 0.05  # seconds of computation that Ctrl-C may have to wait


class _Named:
    """Items of a sample by name."""

    def __init__(self, what: str, names: Sequence[str], make_item: Any) -> None:
        self._what, self._names, self._make = what, names, make_item

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise unknown(name, f"there is no {self._what}", self._names)
        return self._make(self._names.index(name))

    def keys(self) -> List[str]:
        return list(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _ipython_key_completions_(self) -> List[str]:
        return self.keys()

    def __repr__(self) -> str:
        return f"<{', '.join(self._names) or 'none'}>"


class Pose:
    """A body: position of its mass center, orientation, velocities."""

    def __init__(self, numbers: np.ndarray) -> None:
        self.position, self.quaternion = numbers[0:3], numbers[3:7]
        self.velocity, self.angular_velocity = numbers[7:10], numbers[10:13]

    def __repr__(self) -> str:
        return f"<at {self.position}>"


class Wrench:
    """A reaction on the joint's second body at the joint's point."""

    def __init__(self, numbers: np.ndarray) -> None:
        self.force, self.moment = numbers[0:3], numbers[3:6]

    def __repr__(self) -> str:
        return f"<force {self.force}, moment {self.moment}>"


class Contact:
    """A contact or a stop: gap, force on the second body (normal, tangents), sliding speed, state (0 open, 1 sliding, 2 sticking), place."""

    def __init__(self, numbers: np.ndarray) -> None:
        self.gap, self.force, self.sliding = float(numbers[0]), numbers[1:4], numbers[4:6]
        self.state, self.point, self.total = float(numbers[6]), numbers[7:10], numbers[10:13]

    def __repr__(self) -> str:
        return f"<gap {self.gap:.9g}, force {self.force}, {('open', 'sliding', 'sticking')[int(self.state)]}>"


class Sample:
    """The state of the mechanism at one time: numbers of its own, which stay when the simulation goes on."""

    def __init__(self, sample: Any, info: Any) -> None:
        self.t: float = sample.t
        self.kinetic: float = sample.kinetic
        self.potential: float = sample.potential
        self.work: float = sample.work
        self.dissipated: float = sample.dissipated
        self.energy_error: float = sample.energy_error
        self.drift: float = sample.drift
        self.velocity_drift: float = sample.velocity_drift
        self._info = info
        double = ctypes.POINTER(ctypes.c_double)
        sizes = {"body": (info["body"], 13), "variable": (info["variable"], 1), "variable_rate": (info["variable"], 1),
                 "probe": (info["probe"], 3), "probe_rate": (info["probe"], 3), "reaction": (info["joint"], 6),
                 "driver_force": (info["driver"], 1), "spring_length": (info["spring"], 1), "spring_tension": (info["spring"], 1),
                 "signal": (info["signal"], 1), "contact": (info["contact"], 13)}
        self._arrays: Dict[str, np.ndarray] = {}
        for name, (names, width) in sizes.items():
            pointer = getattr(sample, name)
            if pointer:
                self._arrays[name] = copy(ctypes.cast(pointer, double), *((len(names), width) if width > 1 else (len(names),)))

    def _get(self, name: str) -> np.ndarray:
        if name not in self._arrays:
            raise UsageError(f"this sample has no {name}")
        return self._arrays[name]

    @property
    def variables(self) -> np.ndarray:
        """Values of all variables."""
        return self._get("variable")

    @property
    def rates(self) -> np.ndarray:
        """Rates of all variables."""
        return self._get("variable_rate")

    @property
    def body(self) -> _Named:
        return _Named("body", self._info["body"], lambda k: Pose(self._get("body")[k]))

    @property
    def variable(self) -> _Named:
        return _Named("variable", self._info["variable"], lambda k: float(self._get("variable")[k]))

    @property
    def rate(self) -> _Named:
        return _Named("variable", self._info["variable"], lambda k: float(self._get("variable_rate")[k]))

    @property
    def probe(self) -> _Named:
        return _Named("probe", self._info["probe"], lambda k: self._get("probe")[k])

    @property
    def probe_velocity(self) -> _Named:
        return _Named("probe", self._info["probe"], lambda k: self._get("probe_rate")[k])

    @property
    def reaction(self) -> _Named:
        return _Named("joint", self._info["joint"], lambda k: Wrench(self._get("reaction")[k]))

    @property
    def driver_force(self) -> _Named:
        return _Named("driver", self._info["driver"], lambda k: float(self._get("driver_force")[k]))

    @property
    def spring_length(self) -> _Named:
        return _Named("spring", self._info["spring"], lambda k: float(self._get("spring_length")[k]))

    @property
    def spring_tension(self) -> _Named:
        return _Named("spring", self._info["spring"], lambda k: float(self._get("spring_tension")[k]))

    @property
    def signal(self) -> _Named:
        return _Named("signal", self._info["signal"], lambda k: float(self._get("signal")[k]))

    @property
    def contact(self) -> _Named:
        return _Named("contact", self._info["contact"], lambda k: Contact(self._get("contact")[k]))

    def __repr__(self) -> str:
        return f"<Sample at t = {self.t:.9g}: {', '.join(self._arrays)}>"


class Parameters:
    """Parameters of a simulation: s.parameter["l"] = 0.9 changes one at the present time."""

    def __init__(self, simulation: "Simulation") -> None:
        self._simulation = simulation
        self._values = dict(simulation.model.parameters)

    def __getitem__(self, name: str) -> float:
        if name not in self._values:
            raise unknown(name, "there is no parameter", self._values)
        return self._values[name]

    def __setitem__(self, name: str, value: float) -> None:
        self._simulation.set({name: value})

    def keys(self) -> List[str]:
        return list(self._values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def _ipython_key_completions_(self) -> List[str]:
        return self.keys()

    def __repr__(self) -> str:
        return repr(self._values)


class Inputs:
    """Inputs of a simulation (`inputs:` of the model): s.input["torque"] = 3 from now on, or (value, rate)."""

    def __init__(self, simulation: "Simulation") -> None:
        self._simulation = simulation
        self._numbers: Dict[str, int] = {}
        self._set = lib.bl_stepper_set_input

    def _number(self, name: str) -> int:
        number = int(lib.bl_stepper_input(self._simulation._alive, raw(name)))
        if number < 0:
            raise unknown(name, "there is no input", self.keys())
        self._numbers[name] = number
        return number

    def __setitem__(self, name: str, value: Union[float, Tuple[float, float]]) -> None:
        number = self._numbers.get(name)
        if number is None:
            number = self._number(name)
        rate = 0.0
        if isinstance(value, tuple):
            value, rate = value
        status = self._set(self._simulation._alive, number, float(value), float(rate))
        if status:
            raise error_of(self._simulation._context, status)

    def __getitem__(self, name: str) -> float:
        """The present value."""
        if name not in self._numbers:
            self._number(name)
        return self._simulation[name]

    def keys(self) -> List[str]:
        simulation = self._simulation
        return [name for name in simulation._info["signal"] if lib.bl_stepper_input(simulation._alive, raw(name)) >= 0]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def _ipython_key_completions_(self) -> List[str]:
        return self.keys()

    def __repr__(self) -> str:
        return repr({name: self[name] for name in self.keys()})


class Simulation:
    """A model in motion: s.reach(t) goes on to a time, s["A.angle"] reads a number there, s.set(...) and s.jump(...) change it.

    Without changes from outside it reproduces Model.run bit for bit. One thread at a time may use it; several simulations of one model run
    in several threads. Use it in a `with` block, or close it, to free its memory early.
    """

    def __init__(self, model: Any, until: Optional[float] = None, **options: Any) -> None:
        allowed = {"tolerance", "step", "absolute", "coordinates", "formulation", "integrator", "linsol", "ordering", "singular",
                   "projection_tolerance", "closure", "threads", "inputs", "input_hold"}
        for name in options:
            if name not in allowed:
                raise unknown(name, "simulation has no option", sorted(allowed))
        self.model = model
        inputs, hold = options.pop("inputs", None), options.pop("input_hold", False)
        made, context, out = run_options(until=until, **options), Context(), ctypes.c_void_p()
        follow(made, model, inputs, hold)
        run_call(lambda ctx: lib.bl_stepper_create(ctx.value, model._handle.value, made.pointer, ctypes.byref(out)), context)
        self._begin(context, out.value)

    def _begin(self, context: Context, value: Any) -> None:
        self._context = context
        self._handle = Handle(value, lib.bl_stepper_destroy, context, self.model._handle)
        self._value: Any = value
        self._reach, self._read, self._time = lib.bl_stepper_reach, lib.bl_stepper_read, lib.bl_stepper_time
        self._outputs: Dict[str, int] = {}
        self._readers: Dict[Tuple[str, ...], Tuple[int, Any, Any, np.ndarray]] = {}
        self._singles: Dict[str, Tuple[Any, Any, ctypes.c_double]] = {}
        self._span = 0.0  # simulated time that takes at most _SHORT
        self._names: Optional[Dict[str, List[str]]] = None
        self._parameters: Optional[Parameters] = None
        self._inputs: Optional[Inputs] = None

    @property
    def _alive(self) -> Any:
        if self._value is None:
            raise UsageError("this simulation is closed")
        return self._value

    def close(self) -> None:
        self._value = None
        self._handle.close()

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    # ---- advance

    @property
    def t(self) -> float:
        """The present time, s."""
        return self._time(self._alive)

    def reach(self, t: float) -> bool:
        """Goes on to t. False: a stop expression of the model ended it earlier, at s.t; the next call goes on from there. Ctrl-C: raises
        Interrupted; the simulation can go on."""
        if self._value is None:
            raise UsageError("this simulation is closed")
        if t - self._time(self._value) > self._span:
            return self._reach_watched(t)
        status = self._reach(self._value, float(t))
        if status:
            return self._ended(status)
        return True

    def _reach_watched(self, t: float) -> bool:
        """A long way, during which Ctrl-C is noticed; finds how far the simulation goes in a short time."""
        before, began, watch = self._time(self._value), time.perf_counter(), Watch(self._context)
        with watch:
            status = self._reach(self._value, float(t))
        seconds, gone = time.perf_counter() - began, self._time(self._value) - before
        self._span = min(gone, t - before) * min(_SHORT / max(seconds, 1e-9), 10.0) if gone > 0 else self._span
        if watch.interrupted:
            lib.bl_context_resume(self._context.value)
            raise Interrupted(f"stopped by Ctrl-C at t = {self.t:.9g} s")
        return self._ended(status) if status else True

    def _ended(self, status: int) -> bool:
        if status in (_abi.BL_EVENT, _abi.BL_STOPPED):
            lib.bl_context_resume(self._context.value)
            return False
        raise error_of(self._context, status)

    def step(self) -> float:
        """Goes on to the end of the next step of the method; returns the time there."""
        status = lib.bl_stepper_step(self._alive)
        if status:
            self._ended(status)
        return self.t

    def stop(self) -> None:
        """Ends reach in another thread, or the next one if none is under way: it returns False."""
        lib.bl_context_stop(self._context.value)

    # ---- read

    def _output(self, name: str) -> int:
        number = self._outputs.get(name)
        if number is None:
            out = ctypes.c_int32()
            status = lib.bl_stepper_output(self._alive, raw(name), ctypes.byref(out))
            if status == _abi.BL_E_ARG:
                error = error_of(self._context, status)
                raise unknown(name, "there is no output", []) if error.advice is None else _as_unknown(error)
            check(self._context, status)
            number = self._outputs[name] = out.value
        return number

    def _reader(self, names: Tuple[str, ...]) -> Tuple[int, Any, Any, np.ndarray]:
        numbers = (ctypes.c_int32 * len(names))(*[self._output(name) for name in names])
        values = np.empty(len(names))
        made = (len(names), numbers, values.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), values)
        self._readers[names] = made
        return made

    def read(self, names: Union[str, Sequence[str]], out: Optional[np.ndarray] = None) -> np.ndarray:
        """Numbers by name at the present time ("A.angle", "A.rate", "C.x", "crank.vx", "reaction.A.fx", "motor.force",
        "energy.kinetic"): an array, or `out` filled."""
        key = (names,) if isinstance(names, str) else tuple(names)
        count, numbers, pointer, values = self._readers.get(key) or self._reader(key)
        status = self._read(self._alive, count, numbers, pointer)
        if status:
            raise error_of(self._context, status)
        if out is None:
            return values.copy()
        out[:] = values
        return out

    def __getitem__(self, name: str) -> float:
        single = self._singles.get(name)
        if single is None:
            value = ctypes.c_double()
            single = self._singles[name] = ((ctypes.c_int32 * 1)(self._output(name)), ctypes.byref(value), value)
        status = self._read(self._alive, 1, single[0], single[1])
        if status:
            raise error_of(self._context, status)
        return single[2].value

    @property
    def _info(self) -> Dict[str, List[str]]:
        if self._names is None:
            info = lib.bl_stepper_info(self._alive).contents
            self._names = {name: texts(getattr(info, name), getattr(info, "n" + name))
                           for name in ("body", "variable", "probe", "joint", "driver", "spring", "signal", "contact")}
        return self._names

    @property
    def sample(self) -> Sample:
        """Everything at the present time."""
        out = ctypes.POINTER(_abi.bl_sample)()
        check(self._context, lib.bl_stepper_sample(self._alive, 0, ctypes.byref(out)))
        return Sample(out.contents, self._info)

    @property
    def summary(self) -> Summary:
        """Counters since the simulation began."""
        made = make(_abi.bl_run_summary)
        lib.bl_stepper_summarize(self._alive, ctypes.byref(made))
        return Summary.of(made)

    @property
    def info(self) -> Dict[str, Any]:
        """Methods and sizes."""
        i = lib.bl_stepper_info(self._alive).contents
        found: Dict[str, Any] = {name: text(getattr(i, name)) for name in ("model_name", "coordinates", "formulation", "integrator", "linsol")}
        found.update(tolerance=i.tolerance, step=i.step, until=i.until, degrees_of_freedom=i.dof, positions=i.nq, rows=i.np)
        return found

    def names(self) -> List[str]:
        """Names for s[name] and s.read."""
        dim = self.model.dimension
        i = self._info
        found = list(i["variable"]) + [name + "_rate" for name in i["variable"]]
        found += [f"{name}.{part}" for name in i["probe"] + i["body"] for part in [*"xyz"[:dim], *("v" + c for c in "xyz"[:dim])]]
        found += [f"reaction.{name}.{part}" for name in i["joint"] for part in ("fx", "fy", "fz", "mx", "my", "mz")]
        found += [f"{name}.force" for name in i["driver"]] + i["signal"]
        taken = set(i["probe"] + i["body"])
        found += [f"{name}.{part}" for name in i["contact"]
                  for part in ("gap", "fn", "ft1", "ft2", "vt1", "vt2", "state", *(() if name in taken else ("x", "y", "z")), "fx", "fy", "fz")]
        return found + ["energy.kinetic", "energy.potential", "energy.work", "energy.error"]

    def _ipython_key_completions_(self) -> List[str]:
        return self.names()

    # ---- change

    def _change(self, function: Any, values: Mapping[str, float]) -> None:
        options = Options(_abi.bl_read_options)
        options.pairs("override", "noverride", _abi.bl_override, dict(values))
        check(self._context, function(self._alive, options.struct.override, len(values)))

    def jump(self, values: Optional[Mapping[str, float]] = None, **more: float) -> None:
        """Sets joint variables and rates, jump({"A.angle": 0.1, "A.rate": 0}); the others change as little as the constraints allow."""
        self._change(lib.bl_stepper_jump, {**(values or {}), **more})

    def set(self, values: Optional[Mapping[str, float]] = None, **more: float) -> None:
        """Gives parameters of the model other values: the mechanism is assembled again with the least change."""
        given = {**(values or {}), **more}
        self._change(lib.bl_stepper_set_parameters, given)
        self.parameter._values.update({name: float(value) for name, value in given.items()})
        self._names = None

    @property
    def parameter(self) -> Parameters:
        if self._parameters is None:
            self._parameters = Parameters(self)
        return self._parameters

    @property
    def input(self) -> Inputs:
        if self._inputs is None:
            self._inputs = Inputs(self)
        return self._inputs

    def lead(self, name: str, value: float, rate: float, t: float) -> None:
        """Leads an input from its present value and rate to the given ones at time t, by a cubic; then it continues at that rate. A driver
        that follows the input moves with a continuous velocity."""
        check(self._context, lib.bl_stepper_lead_input(self._alive, self.input._number(name), float(value), float(rate), float(t)))

    def reset(self) -> None:
        """Back to the start, t = 0."""
        check(self._context, lib.bl_stepper_reset(self._alive))

    # ---- snapshots

    def save(self) -> bytes:
        """The state as bytes, for restore."""
        count = ctypes.c_size_t()
        check(self._context, lib.bl_stepper_save(self._alive, None, ctypes.byref(count)))
        buffer = ctypes.create_string_buffer(count.value)
        check(self._context, lib.bl_stepper_save(self._alive, buffer, ctypes.byref(count)))
        return buffer.raw[:count.value]

    def restore(self, state: bytes) -> None:
        """Continues from a state saved by a simulation of the same model with the same parameters."""
        check(self._context, lib.bl_stepper_restore(self._alive, state, len(state)))

    def copy(self) -> "Simulation":
        """A second simulation in the same state, for trials; it may run in another thread."""
        context, out = Context(), ctypes.c_void_p()
        status = lib.bl_stepper_copy(self._alive, context.value, ctypes.byref(out))
        if status:
            error = error_of(context, status)
            raise error if error.what else error_of(self._context, status)
        made = type(self).__new__(type(self))
        made.model = self.model
        made._begin(context, out.value)
        if self._parameters is not None:
            made.parameter._values.update(self._parameters._values)
        return made

    def linearize(self, inputs: Union[str, Sequence[str], None] = None, outputs: Union[str, Sequence[str], None] = None, *,
                  count: Optional[int] = None, anyway: bool = False, damped: Optional[bool] = None) -> Modes:
        """Modes, and for named inputs and outputs the matrices A, B, C, D, at the present state (anyway: also if it is not steady)."""
        damping = {None: _abi.BL_MODES_DAMPING_AUTO, True: _abi.BL_MODES_DAMPED, False: _abi.BL_MODES_UNDAMPED}[damped]
        options = Options(_abi.bl_modes_options, count=-1 if count is None else count, anyway=anyway, damping=damping, linear=True)
        options.names("input", "ninput", names_of(inputs))
        options.names("output", "noutput", names_of(outputs))
        report = make(_abi.bl_modes_report)
        try:
            check(self._context, lib.bl_stepper_linearize(self._alive, options.pointer, ctypes.byref(report)))
            return Modes.of(report)
        finally:
            lib.bl_modes_report_destroy(self._context.value, ctypes.byref(report))

    def __repr__(self) -> str:
        return f"<Simulation of {self.model.name!r}{f' at t = {self.t:.9g} s' if self._value is not None else ', closed'}>"


def _as_unknown(error: Error) -> Error:
    from ._errors import UnknownName
    return UnknownName(error.what, status=error.status, advice=error.advice)
