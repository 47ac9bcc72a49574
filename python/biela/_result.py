"""Results: the samples of a run as arrays, by name."""
from __future__ import annotations

import ctypes
import os
import pathlib
import shutil
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from . import _abi, _layout
from ._errors import UsageError, Warning_, check, unknown
from ._library import lib, make, name_array, raw
from ._records import Event, Summary, counted, shown
from ._store import File, Store

if TYPE_CHECKING:
    from ._mesh import Mesh


class Item:
    """One body, variable, probe, joint, ... of a result: its quantities are arrays with one row per sample."""

    __slots__ = ("name", "_group", "_index", "_store")

    def __init__(self, store: Store, group: str, index: int, name: str) -> None:
        self.name, self._group, self._index, self._store = name, group, index, store

    def _quantities(self) -> List[str]:
        return [path.partition("/")[2] for path in self._store.paths() if path.startswith(self._group + "/")]

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        array = self._store.array(f"{self._group}/{name}")
        if array is None:
            raise AttributeError(f"{self.name} has no {name}; it has {', '.join(self._quantities())}")
        return array[:, self._index]

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        """All quantities side by side: of a reaction force and moment, [samples, 6]."""
        arrays = [getattr(self, name) for name in self._quantities()]
        return np.column_stack(arrays).astype(dtype or float, copy=False)

    def __dir__(self) -> List[str]:
        return ["name"] + self._quantities()

    def __repr__(self) -> str:
        return f"<{self.name}: {', '.join(self._quantities())}>"


class Group:
    """The bodies, variables, ... of a result, by name."""

    def __init__(self, store: Store, group: str, what: str) -> None:
        self._store, self._group, self._what = store, group, what
        first = next((path for path in store.paths() if path.startswith(group + "/")), None)
        names = (store.items(first) if first else None) or []
        self._index: Dict[str, int] = {}
        bodies = store.force_bodies() if group == "forces" and names else []
        for k, name in enumerate(names):  # of a force on several bodies: F, then F@body
            self._index[name if name not in self._index or not bodies else f"{name}@{bodies[k]}"] = k

    def __getitem__(self, name: str) -> Item:
        if name not in self._index:
            raise unknown(name, f"there is no {self._what}", self._index)
        return Item(self._store, self._group, self._index[name], name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def keys(self) -> List[str]:
        return list(self._index)

    def index(self, name: str) -> Optional[int]:
        return self._index.get(name)

    def _ipython_key_completions_(self) -> List[str]:
        return self.keys()

    def __repr__(self) -> str:
        return f"<{self._group}: {', '.join(self._index) or 'none'}>"


class Fields:
    """Fields of meshes, BODY/NAME: arrays [samples, nodes or cells, components]."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._names = [path[7:] for path in store.paths() if path.startswith("fields/")]

    def __getitem__(self, name: str) -> np.ndarray:
        array = self._store.array(f"fields/{name}") if name in self._names else None
        if array is None:
            raise unknown(name, "there is no field", self._names)
        return array

    def keys(self) -> List[str]:
        return list(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _ipython_key_completions_(self) -> List[str]:
        return self.keys()

    def __repr__(self) -> str:
        return f"<fields: {', '.join(self._names) or 'none'}>"


class Energy:
    """Energies of a result, in J."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def _get(self, name: str) -> np.ndarray:
        array = self._store.array(f"energy/{name}")
        if array is None:
            raise UsageError("this result has no energies")
        return array

    @property
    def kinetic(self) -> np.ndarray:
        return self._get("kinetic")

    @property
    def potential(self) -> np.ndarray:
        return self._get("potential")

    @property
    def dissipated(self) -> np.ndarray:
        return self._get("dissipated")

    @property
    def work(self) -> np.ndarray:
        return self._get("work")

    @property
    def error(self) -> np.ndarray:
        """kinetic + potential + dissipated - work, minus the same at the start"""
        return self._get("error")

    @property
    def total(self) -> np.ndarray:
        return self._get("kinetic") + self._get("potential")

    def __repr__(self) -> str:
        return "<energy: kinetic, potential, dissipated, work, error, total>"


class Result:
    """A run: Result("old.h5") reads a result file; studies of a Model return results in memory.

    r["C.x"], r["A.angle"], r["A.rate"], r["reaction.A.fx"], r["energy.kinetic"]: arrays with one number per sample, read-only views where
    possible. r.t: times. r.body["crank"].position, r.reaction["A"].force, ...: arrays [samples, 3]. r.names(): all names.
    """

    def __init__(self, file: Any) -> None:
        self._open(File(file))

    @classmethod
    def _of(cls, store: Store, **more: Any) -> "Result":
        made = cls.__new__(cls)
        made._open(store)
        for name, value in more.items():
            setattr(made, name, value)
        return made

    def _open(self, store: Store) -> None:
        self._store: Any = store
        self._groups: Dict[str, Group] = {}
        self._model: Any = None  # that made it
        self.overrides: Dict[str, float] = {}

    # ---- what it is

    @property
    def t(self) -> np.ndarray:
        """Times of the samples, s; of paths of equilibria the load, of modes their number."""
        return self._array("time")

    @property
    def summary(self) -> Summary:
        return self._store.summary

    @property
    def status(self) -> str:
        """done, event (a stop expression), stopped (on request), or the failure."""
        return self.summary.status

    @property
    def warnings(self) -> List[Warning_]:
        return self._store.warnings

    @property
    def events(self) -> List[Event]:
        return self._store.events

    @property
    def info(self) -> Dict[str, Any]:
        """Name of the model and methods of the run."""
        return dict(self._store.info)

    @property
    def name(self) -> str:
        return str(self._store.info["model_name"])

    @property
    def source(self) -> str:
        """The text of the model."""
        return str(self._store.source)

    @property
    def scene(self) -> Any:
        """What is needed to draw the model (docs/RESULT.md), or None."""
        return self._store.scene

    @property
    def energy(self) -> Energy:
        return Energy(self._store)

    @property
    def energy_error(self) -> np.ndarray:
        return self._array("energy/error")

    @property
    def drift(self) -> np.ndarray:
        return self._array("drift")

    @property
    def field(self) -> Fields:
        return Fields(self._store)

    @property
    def mesh(self) -> "Dict[str, Mesh]":
        """Meshes whose fields the result has."""
        from ._mesh import Mesh
        meshes = [Mesh.of(mesh) for mesh in self._store.meshes()]
        return {mesh.name: mesh for mesh in meshes}

    def _group(self, name: str) -> Group:
        if name not in self._groups:
            self._groups[name] = Group(self._store, name, {"bodies": "body", "reactions": "joint"}.get(name, name[:-1]))
        return self._groups[name]

    @property
    def body(self) -> Group:
        """Bodies: position, quaternion, velocity, angular_velocity."""
        return self._group("bodies")

    @property
    def variable(self) -> Group:
        """Variables: value, rate."""
        return self._group("variables")

    @property
    def probe(self) -> Group:
        """Probes: position, velocity."""
        return self._group("probes")

    @property
    def reaction(self) -> Group:
        """Joints: force, moment on the second body at the joint's point."""
        return self._group("reactions")

    @property
    def driver(self) -> Group:
        """Drivers: force, power."""
        return self._group("drivers")

    @property
    def actuator(self) -> Group:
        """Actuators: force, power, energy."""
        return self._group("actuators")

    @property
    def gear(self) -> Group:
        """Gears: first, second."""
        return self._group("gears")

    @property
    def force(self) -> Group:
        """Force elements: point, force, moment."""
        return self._group("forces")

    @property
    def spring(self) -> Group:
        """Springs: length, tension."""
        return self._group("springs")

    @property
    def contact(self) -> Group:
        """Contacts and stops: gap, force (normal, tangents), sliding, state (0 open, 1 sliding, 2 sticking), point, total."""
        return self._group("contacts")

    @property
    def section(self) -> Group:
        """Elements of beams: strain, curvature, force (normal, shears), moment (torque, bending) along d1, d2, d3."""
        return self._group("sections")

    @property
    def signal(self) -> Group:
        """Inputs, held numbers, states, outputs of controllers, quantities: value."""
        return self._group("signals")

    # ---- numbers by name

    def _array(self, path: str) -> np.ndarray:
        array = self._store.array(path)
        if array is None:
            raise UsageError(f"this result has no {path.replace('/', ' ')}")
        return array

    def quantities(self) -> List[str]:
        """Paths of all quantities, as in result files: for r.quantity."""
        return self._store.paths()

    def quantity(self, path: str) -> np.ndarray:
        """A complete quantity, such as "bodies/position": [samples, items, components]."""
        array = self._store.array(path)
        if array is None:
            raise unknown(path, "there is no quantity", self._store.paths())
        return array

    def _find(self, name: str) -> Optional[Tuple[str, int, int]]:
        """Path, item and component of a name; item -1: the quantity itself."""
        if name in _layout.SINGLE:
            return _layout.SINGLE[name], -1, 0
        variables = self._group("variables")
        for ending, path in _layout.AFTER_VARIABLE:
            group = self._group(path.partition("/")[0])
            index = group.index(name[:len(name) - len(ending)]) if name.endswith(ending) else None
            if index is not None and self._store.array(path) is not None:
                return path, index, 0
        owner, _, ending = name.rpartition(".")
        if ending in ("rate", "acceleration"):  # of the only variable of a joint
            own = [k for k, variable in enumerate(variables) if variable.rpartition(".")[0] == owner]
            return (f"variables/{ending}", own[0], 0) if owner and len(own) == 1 else None
        if owner.startswith("reaction.") and ending in ("fx", "fy", "fz", "mx", "my", "mz"):
            owner = owner[9:]
        for path, component in _layout.ENDINGS.get(ending, ()):
            index = self._group(path.partition("/")[0]).index(owner)
            if index is not None and self._store.array(path) is not None:
                return path, index, component
        return None

    def __getitem__(self, name: str) -> np.ndarray:
        if name == "energy.total":
            return self.energy.total
        if len(name) > 2 and name[0] == name[-1] == "|" and name[1:-1] in self.reaction:
            return np.linalg.norm(self.reaction[name[1:-1]].force, axis=1)
        found = self._find(name)
        array = self._store.array(found[0]) if found else None
        if found is None or array is None:
            raise unknown(name, "this result has no", self.names())
        path, item, component = found
        if item < 0:
            return array
        return array[:, item, component] if array.ndim == 3 else array[:, item]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name == "energy.total" or self._find(name) is not None)

    def __len__(self) -> int:
        return int(self._store.samples)

    def names(self) -> List[str]:
        """All names for r[name], as in tables (docs/RESULT.md)."""
        found = ["t"]
        for path in self._store.paths():
            group = path.partition("/")[0]
            after = dict((p, e) for e, p in _layout.AFTER_VARIABLE).get(path)
            endings = [e for e, places in _layout.ENDINGS.items() if any(p == path for p, _ in places)]
            single = [n for n, p in _layout.SINGLE.items() if p == path and n not in ("t", "time") and not n.startswith("energy.")]
            if after is not None:
                found += [name + after for name in self._group(group)]
            elif endings:
                found += [f"{name}.{ending}" for name in self._group(group) for ending in endings]
            else:
                found += single
        return list(dict.fromkeys(found))

    keys = names

    def unit(self, name: str) -> str:
        """The unit of r[name]; empty: none, or not known."""
        if name == "energy.total":
            return "J"
        found = self._find(name)
        if found is None:
            raise unknown(name, "this result has no", self.names())
        path, item, _ = found
        if path == "signals/value":
            return self._store.signal_unit(item)
        if path.startswith("variables/") and item >= 0 and "." not in (self._store.items(path) or [""])[item]:
            return ""  # an unknown of equations
        angles = self._store.angles(path) if item >= 0 and not _layout.UNITS.get(path) else []
        return _layout.unit_of(path, bool(angles and angles[item]))

    # ---- files, tables, pictures

    def save(self, path: Any) -> None:
        """Writes the result: .h5 (result file), .csv (table), .json. It appears under its name when it is complete."""
        ending = pathlib.Path(path).suffix.lower()
        if isinstance(self._store, File):
            if ending != ".h5":
                raise UsageError(f"a result that was read from a file can only be saved as .h5, not as '{ending}'",
                                 advice="use to_pandas, or `biela run --csv`")
            if not os.path.exists(path) or not os.path.samefile(self._store.path, path):
                shutil.copyfile(self._store.path, path)
            return
        makers = {".h5": lib.bl_sink_hdf5, ".csv": lib.bl_sink_csv, ".json": None}
        if ending not in makers:
            raise UsageError(f"results are saved as .h5, .csv or .json, not as '{ending}'")
        context, sink = self._store.context, make(_abi.bl_sink)
        if self._model is not None:  # no output replaces a file of the model
            check(context, lib.bl_check_outputs(context.value, self._model._handle.value, None, 0, name_array([path]), 1))
        parts: List[bytes] = []
        write = _abi.FUNCTIONS["bl_sink_json"][1][1](lambda user, start, count: parts.append(ctypes.string_at(start, count)))
        if ending == ".json":
            check(context, lib.bl_sink_json(context.value, write, None, ctypes.byref(sink)))
        else:
            check(context, makers[ending](context.value, raw(path), ctypes.byref(sink)))
        try:
            if ending == ".h5" and self.overrides:
                changed = " ".join(f"{name}={value!r}" for name, value in self.overrides.items())
                check(context, lib.bl_sink_hdf5_origin(ctypes.byref(sink), None, raw(changed)))
            check(context, lib.bl_samples_play(self._store.handle.value, ctypes.byref(sink), 1))
        finally:
            lib.bl_sink_destroy(ctypes.byref(sink))
        if ending == ".json":
            partial = pathlib.Path(f"{os.fspath(path)}~partial")
            partial.write_bytes(b"".join(parts))
            partial.replace(path)

    def to_pandas(self, names: Optional[Sequence[str]] = None) -> Any:
        """A DataFrame with the times as index and a column per name (all, without those of steps)."""
        import pandas
        chosen = [name for name in self.names() if name != "t" and not name.startswith("step.")] if names is None else list(names)
        return pandas.DataFrame({name: self[name] for name in chosen}, index=pandas.Index(self.t, name="t"))

    def plot(self, *names: str, against: str = "t", axes: Any = None) -> Any:
        """Draws curves with matplotlib, one panel per unit; without names the first variables. Returns the axes."""
        from ._figures import plot
        return plot(self, names or self._first_names(), against, axes)

    def _first_names(self) -> Tuple[str, ...]:
        for group in ("variables", "probes", "bodies"):
            names = [name for name in self.names() if self._find(name) and self._find(name)[0].startswith(group)]  # type: ignore[index]
            if names:
                return tuple([n for n in names if not n.endswith(("_rate", "_acceleration"))][:4])
        return ("drift",) if "drift" in self else ()

    def figure(self, path: Any, show: Optional[str] = None, *, body: Optional[str] = None, time: Optional[float] = None,
               factor: float = 0.0, levels: int = 0, isolines: bool = False, view: Optional[Tuple[float, float]] = None) -> None:
        """Draws deformed meshes with colors or isolines of a field ("stress.11") as SVG, as `biela figure` does."""
        from ._page import write_figure
        write_figure(self, path, show, body, time, factor, levels, isolines, view)

    def report(self, path: Any, title: Optional[str] = None) -> None:
        """Writes the page for a browser (docs/REPORT.md)."""
        from ._page import write_report
        write_report([self], path, title)

    def show(self, path: Any = None) -> Any:
        """The page for a browser: in a notebook a frame, else it is opened in the browser."""
        from ._page import show
        return show(self, path)

    def __repr__(self) -> str:
        s = self.summary
        return (f"<Result of {self.name!r}: {counted(len(self), 'samples')}, {s.status} at t = {shown(float(s.t))}, "
                f"{counted(s.steps, 'steps')}; "
                f"{counted(len(self.variable), 'variables')}, {counted(len(self.body), 'bodies')}, {counted(len(self.probe), 'probes')}, "
                f"{counted(len(self.reaction), 'joints')}>")

    def _repr_html_(self) -> str:
        from ._figures import result_html
        return result_html(self)

    def _ipython_key_completions_(self) -> List[str]:
        return self.names()

    def __reduce__(self) -> Any:
        raise TypeError("a Result cannot be pickled: save it to a file, and read that")

