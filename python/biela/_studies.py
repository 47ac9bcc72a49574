"""The studies of a model, by the names of the commands."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

from . import _abi
from ._errors import Interrupted, UsageError, error_of
from ._handle import Context, Handle
from ._library import field_type, lib, make
from ._modes import Modes, ModesPath, where
from ._records import names_of
from ._reports import (Check, Comparison, Equilibria, Inverse, Kinematics, KinematicsSummary, Move, Order, Rates, Series, Structure, plain)
from ._result import Result
from ._study import GOOD, Options, run_call, run_options, run_study, wanted, warn
from ._watch import Bar, Shown, Watch
from ._errors import warnings_of

Times = Optional[Sequence[float]]
Names = Union[str, Sequence[str], None]


class Studies:
    """Mixed into Model."""

    _handle: Handle
    _overrides: Dict[str, float]

    def _report(self, kind: Any, call: Callable[[Context, Any], int], destroy: Any, convert: Callable[[Any], Any]) -> Any:
        """A study that fills a report."""
        context, report = Context(), make(kind)
        try:
            run_call(lambda ctx: call(ctx, ctypes.byref(report)), context)
            made = convert(report)
        finally:
            destroy(context.value, ctypes.byref(report))
        warn(warnings_of(context))
        return made

    # ---- without motion

    def check(self, coordinates: Optional[str] = None, closure: Optional[float] = None) -> Check:
        """Validates the model: size, mobility by counting and by rank, redundant constraints, doubtful parts."""
        options = run_options(coordinates=coordinates, closure=closure)
        return self._report(_abi.bl_check_report, lambda ctx, report: lib.bl_check(ctx.value, self._handle.value, options.pointer, report),
                            lib.bl_check_report_destroy, Check.of)

    def assemble(self, coordinates: Optional[str] = None, closure: Optional[float] = None) -> Result:
        """Assembles the mechanism with the least change; a result with one sample."""
        options = run_options(coordinates=coordinates, closure=closure)
        return run_study(self, lambda ctx, sinks, count, summary: lib.bl_assemble(
            ctx.value, self._handle.value, options.pointer, sinks, count, summary), progress=False)

    def structure(self, search: bool = False) -> Structure:
        """Divides the mechanism into groups of links, in the order of their solution."""
        context, chain, report, found = Context(), make(_abi.bl_chain), make(_abi.bl_structure_report), make(_abi.bl_structure_exceptions)
        options = make(_abi.bl_structure_options, method=_abi.BL_STRUCTURE_SEARCH if search else _abi.BL_STRUCTURE_FAST)
        try:
            run_call(lambda ctx: lib.bl_structure_of_model(ctx.value, self._handle.value, ctypes.byref(options), ctypes.byref(chain),
                                                           ctypes.byref(report), ctypes.byref(found)), context)
            return Structure.of(chain, report, found)
        finally:
            lib.bl_structure_exceptions_destroy(context.value, ctypes.byref(found))
            lib.bl_structure_report_destroy(context.value, ctypes.byref(report))
            lib.bl_chain_destroy(context.value, ctypes.byref(chain))

    def move(self, targets: Optional[Mapping[str, float]] = None, *, samples: int = 100, coordinates: Optional[str] = None,
             closure: Optional[float] = None, **more: float) -> Move:
        """Moves the mechanism step by step until variables or coordinates of probes have the given values: move({"A.angle": 2}).
        NumericalError, if it cannot: its result has the path so far, and why it ended."""
        wanted = {**(targets or {}), **more}
        options = Options(_abi.bl_move_options, samples=samples, coordinates=coordinates, closure=closure)
        options.pairs("target", "ntarget", _abi.bl_move_target, wanted)
        context, report = Context(), make(_abi.bl_move_report)
        try:
            return run_study(self, lambda ctx, sinks, count, summary: lib.bl_move(
                ctx.value, self._handle.value, options.pointer, sinks, count, ctypes.byref(report), summary), progress=False, kind=Move,
                found=lambda result, status: result._take(report), context=context)  # type: ignore[attr-defined]
        finally:
            lib.bl_move_report_destroy(context.value, ctypes.byref(report))

    def rates(self, inputs: Optional[Mapping[str, Union[float, Tuple[float, float]]]] = None, *,
              move: Optional[Mapping[str, float]] = None, outputs: Names = None, closure: Optional[float] = None) -> Rates:
        """Velocities and accelerations in one configuration. inputs: rate, or (rate, acceleration), of variables; move: the
        configuration; outputs: whose mechanical advantage is wanted."""
        options = Options(_abi.bl_rates_options, closure=closure)
        options.pairs("target", "ntarget", _abi.bl_move_target, dict(move or {}))
        options.names("output", "noutput", names_of(outputs))
        given = inputs or {}
        array = options.keep((_abi.bl_rate_input * len(given))())
        for k, (name, value) in enumerate(given.items()):
            rate, acceleration = value if isinstance(value, (tuple, list)) else (value, 0.0)
            array[k].name, array[k].rate, array[k].acceleration = options.keep(name.encode()), rate, acceleration
        options.struct.input, options.struct.ninput = ctypes.cast(array, ctypes.POINTER(_abi.bl_rate_input)), len(given)
        return self._report(_abi.bl_rates_report, lambda ctx, report: lib.bl_rates(ctx.value, self._handle.value, options.pointer, report),
                            lib.bl_rates_report_destroy, Rates.of)

    def order(self, orderings: Names = None, *, independent: Names = None, coordinates: Optional[str] = None, timings: bool = True) -> Order:
        """Compares orderings of the Jacobian of the constraints."""
        options = Options(_abi.bl_order_options, coordinates=coordinates, repetitions=0 if timings else -1)
        options.names("independent", "nindependent", names_of(independent))
        options.names("ordering", "nordering", names_of(orderings))
        return self._report(_abi.bl_order_report, lambda ctx, report: lib.bl_order_study(
            ctx.value, self._handle.value, options.pointer, report), lib.bl_order_report_destroy, Order.of)

    def series(self, order: int = 0, *, coordinates: Optional[str] = None, formulation: Optional[str] = None, linsol: Optional[str] = None,
               ordering: Optional[str] = None) -> Series:
        """The motion as a power series about its start."""
        options = Options(_abi.bl_series_options, order=order, coordinates=coordinates, formulation=formulation, linsol=linsol,
                          ordering=ordering)
        return self._report(_abi.bl_series_report, lambda ctx, report: lib.bl_series_study(
            ctx.value, self._handle.value, options.pointer, report), lib.bl_series_report_destroy, Series.of)

    # ---- known motions

    def kinematics(self, until: Optional[float] = None, *, every: Optional[float] = None, at: Times = None, solver: Optional[str] = None,
                   tolerance: Optional[float] = None, progress: Shown = True) -> Kinematics:
        """Positions, velocities and accelerations of a driven mechanism. solver: groups, newton or whole."""
        options = run_options(until=until, every=every, at=at)
        how = Options(_abi.bl_kinematics_options, solver=solver, tolerance=tolerance)
        counted = make(_abi.bl_kinematics_summary)

        def found(result: Any, status: int) -> None:
            result.counted = KinematicsSummary(**plain(counted, "ngroup", "nclosed", "largest", "positions", "iterations",
                                                       "factorizations", "seconds"))

        return run_study(self, lambda ctx, sinks, count, summary: lib.bl_kinematics_study(
            ctx.value, self._handle.value, how.pointer, options.pointer, sinks, count, summary, ctypes.byref(counted)),
            progress=progress, kind=Kinematics, found=found)

    def inverse(self, until: Optional[float] = None, *, every: Optional[float] = None, at: Times = None, table: Any = None,
                noise: Optional[float] = None, check: bool = False, tolerance: Optional[float] = None, coordinates: Optional[str] = None,
                singular: Optional[str] = None, closure: Optional[float] = None, progress: Shown = True) -> Inverse:
        """The actuator forces that a known motion requires. table: a file with a measured motion; noise: standard deviation of its
        values (None: by cross-validation); check: repeats the motion by a simulation with these forces."""
        run = run_options(until=until, every=every, at=at, tolerance=tolerance, coordinates=coordinates, singular=singular, closure=closure)
        options = Options(_abi.bl_inverse_options, table=table, noise_given=noise is not None, noise=noise, check=check)
        options.inside("run", run)
        context, report = Context(), make(_abi.bl_inverse_summary)
        try:
            return run_study(self, lambda ctx, sinks, count, summary: lib.bl_inverse(
                ctx.value, self._handle.value, options.pointer, sinks, count, summary, ctypes.byref(report)), progress=progress,
                kind=Inverse, found=lambda result, status: result._take(report), context=context)  # type: ignore
        finally:
            lib.bl_inverse_summary_destroy(context.value, ctypes.byref(report))

    # ---- equilibria and vibrations

    @staticmethod
    def _equilibrium_options(start: Optional[float], until: Optional[float], increments: int, tolerance: Optional[float],
                             criterion: Optional[str], iterations: int, any: bool, arc_length: bool, path: Any, branches: bool,
                             starts: int, hold: Names, fields: Optional[str], plain: bool) -> Options:
        words = {None: _abi.BL_CRITERION_BOTH, "both": _abi.BL_CRITERION_BOTH, "residual": _abi.BL_CRITERION_RESIDUAL,
                 "increment": _abi.BL_CRITERION_INCREMENT}
        if criterion not in words:
            raise UsageError(f"criterion must be both, residual or increment, found '{criterion}'")
        parameter = None
        if path is not None:
            parameter, start, until = path
        options = Options(_abi.bl_equilibrium_options, until=until, increments=increments, tolerance=tolerance, criterion=words[criterion],
                          iterations=iterations, any=any, arc_length=arc_length, parameter=parameter, branches=branches, starts=starts,
                          fields=fields, plain=plain)
        setattr(options.struct, "from", start or 0.0)
        options.names("hold", "nhold", names_of(hold))
        return options

    def equilibrium(self, until: Optional[float] = None, *, start: Optional[float] = None, increments: int = 0,
                    tolerance: Optional[float] = None, criterion: Optional[str] = None, iterations: int = 0, any: bool = False,
                    arc_length: bool = False, path: Optional[Tuple[str, float, float]] = None, branches: bool = False, starts: int = 0,
                    hold: Names = None, plain: bool = False, coordinates: Optional[str] = None, linsol: Optional[str] = None,
                    closure: Optional[float] = None, fields: Optional[str] = None, progress: Shown = True) -> Equilibria:
        """Equilibria, each a sample at its load. until: follow the load parameter t from `start` to this value; path: (parameter, from,
        to); starts: number of random starts; hold: variables held at their start; plain: without the model's section `equilibrium:`."""
        options = self._equilibrium_options(start, until, increments, tolerance, criterion, iterations, any, arc_length, path, branches,
                                            starts, hold, fields, plain)
        for name, value in (("coordinates", coordinates), ("linsol", linsol), ("closure", closure)):
            if value is not None:
                setattr(options.struct, name, value.encode() if isinstance(value, str) else value)
        report = make(_abi.bl_equilibrium_summary)
        return run_study(self, lambda ctx, sinks, count, summary: lib.bl_equilibrium(
            ctx.value, self._handle.value, options.pointer, sinks, count, summary, ctypes.byref(report)), progress=progress,
            kind=Equilibria, want=wanted(None, fields),
            found=lambda result, status: result._take(report))  # type: ignore

    def _modes_options(self, count: Optional[int], at: Any, anyway: bool, inputs: Names, outputs: Names, linear: bool,
                       damped: Optional[bool], normalize: str, method: Optional[str], load: Optional[float], coordinates: Optional[str],
                       linsol: Optional[str], closure: Optional[float], amplitude: Optional[float], animate: int) -> Options:
        scales = {"mass": _abi.BL_MODES_MASS, "largest": _abi.BL_MODES_LARGEST}
        methods = {None: _abi.BL_MODES_AUTO, "lapack": _abi.BL_MODES_LAPACK, "arpack": _abi.BL_MODES_ARPACK}
        if normalize not in scales:
            raise UsageError(f"normalize must be mass or largest, found '{normalize}'")
        if method not in methods:
            raise UsageError(f"method must be lapack or arpack, found '{method}'")
        damping = {None: _abi.BL_MODES_DAMPING_AUTO, True: _abi.BL_MODES_DAMPED, False: _abi.BL_MODES_UNDAMPED}[damped]
        options = Options(_abi.bl_modes_options, count=-1 if count is None else count, anyway=anyway, scale=scales[normalize],
                          method=methods[method], coordinates=coordinates, linsol=linsol, closure=closure, amplitude=amplitude,
                          damping=damping, linear=linear, animate=animate, **where(at))
        options.names("input", "ninput", names_of(inputs))
        options.names("output", "noutput", names_of(outputs))
        if load is not None:
            path = options.keep(Options(_abi.bl_equilibrium_options, until=load))
            options.struct.equilibrium = ctypes.pointer(path.struct)
        return options

    def modes(self, count: Optional[int] = 10, *, at: Any = None, anyway: bool = False, inputs: Names = None, outputs: Names = None,
              linear: bool = False, damped: Optional[bool] = None, normalize: str = "mass", method: Optional[str] = None,
              load: Optional[float] = None, coordinates: Optional[str] = None, linsol: Optional[str] = None,
              closure: Optional[float] = None, amplitude: Optional[float] = None, animate: int = 0, until: Optional[float] = None,
              every: Optional[float] = None, step: Optional[float] = None, take: int = 0, most: bool = False, correction: bool = False,
              rayleigh: Optional[Tuple[float, float]] = None) -> Modes:
        """Frequencies, damping and shapes of small vibrations. count: number of lowest modes (None: all); at: equilibrium, start, steady,
        or a time; inputs, outputs: names, for the matrices A, B, C, D (linear=True: without them); animate: `result` is one period of this
        mode; until: also the response to the loads by modal superposition, as `answer`."""
        options = self._modes_options(count, at, anyway, inputs, outputs, linear, False if damped is None and until else damped, normalize,
                                      method, load, coordinates, linsol, closure, amplitude, animate)
        context, report = Context(), make(_abi.bl_modes_report)
        try:
            shapes = run_study(self, lambda ctx, sinks, nsink, summary: lib.bl_modes(
                ctx.value, self._handle.value, options.pointer, sinks, nsink, ctypes.byref(report)), progress=False, context=context)
            made = Modes.of(report)
            made.result = shapes
            if until is not None:
                how = make(_abi.bl_modes_answer_options, until=until, every=every, step=step, take=take, most=most, correction=correction,
                           rayleigh=rayleigh is not None)
                if rayleigh is not None:
                    how.alpha, how.beta = rayleigh
                made.answer = run_study(self, lambda ctx, sinks, nsink, summary: lib.bl_modes_answer(
                    ctx.value, ctypes.byref(report), ctypes.byref(how), sinks, nsink, summary), context=context)
            return made
        finally:
            lib.bl_modes_report_destroy(context.value, ctypes.byref(report))

    def modes_path(self, parameter: Optional[str] = None, start: float = 0.0, to: float = 0.0, points: int = 0, *, at: Any = None,
                   anyway: bool = False, damped: Optional[bool] = None, coordinates: Optional[str] = None) -> ModesPath:
        """Eigenvalues over a parameter, and where stability changes; without a parameter the path of the section `linearize:`."""
        modes = self._modes_options(None, at, anyway, None, None, False, damped, "mass", None, None, coordinates, None, None, None, 0)
        options = Options(_abi.bl_modes_path_options, parameter=parameter, to=to, points=points)
        setattr(options.struct, "from", start)
        options.inside("modes", modes)
        return self._report(_abi.bl_modes_path_report, lambda ctx, report: lib.bl_modes_path(
            ctx.value, self._handle.value, options.pointer, report), lib.bl_modes_path_report_destroy,
            ModesPath.of)

    # ---- one model by many methods

    def compare(self, *, until: Optional[float] = None, tolerance: Optional[float] = None, step: Optional[float] = None,
                limit: Optional[float] = None, all: bool = False, coordinates: Names = None, formulations: Names = None,
                integrators: Names = None, linsol: Optional[str] = None, ordering: Optional[str] = None,
                progress: bool = True) -> Comparison:
        """Solves the model with many combinations of coordinates, formulation and integrator and compares the results. coordinates,
        formulations, integrators: the kinds to try (None: all); all: every combination instead of one choice at a time; limit: seconds
        for each."""
        options = Options(_abi.bl_compare_options, until=until, tolerance=tolerance, step=step, limit=limit, all=all, linsol=linsol,
                          ordering=ordering)
        for name, values in (("coordinates", coordinates), ("formulations", formulations), ("integrators", integrators)):
            options.names(f"{name}_tried", f"n{name}_tried", names_of(values))
        bar = Bar()
        kind = field_type(_abi.bl_compare_options, "progress")

        def show(user: Any, done: int, total: int, combination: Any) -> None:
            if total > 0:
                bar(done, total, 1.0)

        if progress and bar.shown:
            options.struct.progress = options.keep(kind(show))
        context, report, watch = Context(), make(_abi.bl_compare_report), None
        try:
            watch = Watch(context)
            with watch:
                status = lib.bl_compare(context.value, self._handle.value, options.pointer, ctypes.byref(report))
            bar.clear()
            made = Comparison.of(report) if status in GOOD else None
            if watch.interrupted:
                raise Interrupted("stopped by Ctrl-C", made)
            if made is None:
                raise error_of(context, status)
            return made
        finally:
            lib.bl_compare_report_destroy(context.value, ctypes.byref(report))


