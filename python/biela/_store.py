"""Where the numbers of a result are: in memory, kept by the library, or in a result file."""
from __future__ import annotations

import ctypes
import json
import os
import threading
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from . import _abi, _layout
from ._errors import Warning_, check, number, warnings_of
from ._handle import Context, Handle
from ._library import lib, make, raw, text, texts
from ._records import Event, Impact, Summary


class _Block:
    """Memory of the library as an array of numpy, which keeps its owner alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, address: int, shape: Tuple[int, ...], kind: str, owner: Any) -> None:
        self.__array_interface__ = {"version": 3, "data": (address, True), "shape": shape, "typestr": kind}
        self.owner = owner


def view(pointer: Any, shape: Tuple[int, ...], owner: Any, kind: str = "<f8") -> Optional[np.ndarray]:
    """A read-only array of what a pointer points to, without a copy; None for NULL."""
    address = ctypes.cast(pointer, ctypes.c_void_p).value
    if not address or 0 in shape:
        return np.empty(shape, kind) if 0 in shape else None
    return np.asarray(_Block(address, shape, kind, owner))


def copy(pointer: Any, *shape: int) -> np.ndarray:
    """A copy of what a pointer to double points to."""
    count = int(np.prod(shape))
    if not pointer or not count:
        return np.empty(shape)
    return np.ctypeslib.as_array(pointer, shape=(count,)).reshape(shape).copy()


def in_order(paths: List[str]) -> List[str]:
    return sorted(paths, key=lambda path: _layout.ORDER.get(path, len(_layout.ORDER)))


class Store:
    """What both kinds have in common."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._arrays: Dict[str, Optional[np.ndarray]] = {}
        self.info: Dict[str, Any] = {}

    def paths(self) -> List[str]:
        raise NotImplementedError

    def items(self, path: str) -> Optional[List[str]]:
        """Names of the items of a quantity; None: it has no items."""
        raise NotImplementedError

    def angles(self, path: str) -> List[bool]:
        """Whether the items of a quantity are angles, or moments."""
        raise NotImplementedError

    def _read(self, path: str) -> Optional[np.ndarray]:
        raise NotImplementedError

    def array(self, path: str) -> Optional[np.ndarray]:
        """[samples], [samples, items] or [samples, items, components]; None: there is none of that path."""
        if path not in self._arrays:
            self._arrays[path] = self._read(path)
        return self._arrays[path]

    def signal_unit(self, k: int) -> str:
        """The unit of a signal, as given in the model; files do not have it."""
        return ""

    def meshes(self) -> List[Any]:
        """bl_run_mesh of every mesh."""
        raise NotImplementedError

    def force_bodies(self) -> List[str]:
        """The body on which each item of forces/... acts."""
        raise NotImplementedError


# ---- in memory

_FLAGS: Dict[str, str] = {"variables": "is_angle", "springs": "spring_is_angle", "actuators": "actuator_is_angle",
                          "contacts": "contact_is_angle"}
_LISTS: Dict[str, str] = {"bodies": "body", "variables": "variable", "probes": "probe", "reactions": "joint", "drivers": "driver",
                          "actuators": "actuator", "forces": "push", "springs": "spring", "signals": "signal", "contacts": "contact",
                          "sections": "section"}


class Memory(Store):
    """A run kept by bl_samples."""

    def __init__(self, context: Context, want: int = 0) -> None:
        super().__init__(context)
        self.sink = make(_abi.bl_sink)
        out = ctypes.c_void_p()
        check(context, lib.bl_samples_create(context.value, want, ctypes.byref(out), ctypes.byref(self.sink)))
        self.handle = Handle(out.value, lib.bl_samples_destroy, context)
        self._names: Dict[str, List[str]] = {}

    def finish(self) -> bool:
        """After the run: whether there is one."""
        self._a = lib.bl_samples_arrays(self.handle.value).contents
        if not self._a.info:
            return False
        i = self._i = self._a.info.contents
        self.samples: int = self._a.samples
        self._rows = {row.path: row for row in _layout.ROWS if getattr(self._a, row.array)}
        self.info = {name: text(getattr(i, name)) for name in ("model_name", "model_file", "coordinates", "formulation", "integrator",
                                                               "linsol", "ordering", "load")}
        self.info.update({name: getattr(i, name) for name in ("tolerance", "step", "until")})
        self.info.update(dimension=i.dim, degrees_of_freedom=i.dof, positions=i.nq, velocities=i.nv, rows=i.np)
        self.warnings = warnings_of(self.context)
        self.summary = Summary.of(self._a.summary.contents) if self._a.summary else Summary()
        return True

    @property
    def source(self) -> str:
        return ctypes.string_at(self._i.model_source, self._i.model_source_bytes).decode("utf-8", "replace") if self._i.model_source else ""

    @property
    def scene(self) -> Any:
        return json.loads(self._i.scene) if self._i.scene else None

    @property
    def events(self) -> List[Event]:
        found = []
        for k in range(self._a.events):
            mark = lib.bl_samples_event(self.handle.value, k).contents
            found.append(Event(number(mark.t), text(lib.bl_event_kind_text(mark.kind)), text(mark.text), text(mark.part),
                               self._impact(mark)))
        return found

    def _impact(self, mark: Any) -> Optional[Impact]:
        if not mark.strike:
            return None
        strike, joints = mark.strike.contents, tuple(self._list("joint"))
        if mark.nimpulse == len(joints):
            wrench = copy(ctypes.cast(mark.impulse, ctypes.POINTER(ctypes.c_double)), len(joints), 6)
        else:
            wrench = np.full((len(joints), 6), np.nan)
        return Impact(np.array(strike.impulse), np.array(strike.speed), strike.lost, np.array(strike.kinetic), joints, wrench[:, :3],
                      wrench[:, 3:])

    def equilibrium(self, k: int) -> Any:
        point = lib.bl_samples_equilibrium(self.handle.value, k)
        return point.contents if point else None

    def meshes(self) -> List[Any]:
        return [self._i.mesh[k] for k in range(self._i.nmesh)]

    def _list(self, name: str) -> List[str]:
        if name not in self._names:
            self._names[name] = texts(getattr(self._i, name), getattr(self._i, "n" + name))
        return self._names[name]

    def _gears(self) -> List[int]:
        return [self._i.gear[k] for k in range(self._i.ngear)]

    def paths(self) -> List[str]:
        found = list(self._rows)
        if "drivers/force" in self._rows and self._a.variable_rate:
            found.append("drivers/power")
        if self._a.relation_force and self._i.ngear:
            found += ["gears/first", "gears/second"]
        if self._a.field:
            found += [f"fields/{self._mesh(k)}/{text(self._i.field[k].name)}" for k in range(self._i.nfield)]
        return in_order(found)

    def _mesh(self, k: int) -> str:
        return text(self._i.mesh[self._i.field[k].mesh].name)

    def items(self, path: str) -> Optional[List[str]]:
        group = path.partition("/")[0]
        if group == "gears":
            joints = self._list("joint")
            return [joints[k] for k in self._gears()]
        return self._list(_LISTS[group]) if group in _LISTS else None

    def angles(self, path: str) -> List[bool]:
        group = path.partition("/")[0]
        if group in _FLAGS:
            flags = getattr(self._i, _FLAGS[group])
            return [bool(flags[k]) for k in range(getattr(self._i, "n" + _LISTS[group]))]
        if group == "drivers":
            return [bool(self._i.is_angle[self._i.driver_variable[k]]) for k in range(self._i.ndriver)]
        return []

    def signal_unit(self, k: int) -> str:
        return text(self._i.signal_unit[k])

    def force_bodies(self) -> List[str]:
        bodies = self._list("body")
        return [bodies[self._i.push_body[k]] for k in range(self._i.npush)]

    def _block(self, array: str, names: Optional[str], width: int, kind: str = "<f8") -> Optional[np.ndarray]:
        shape = (self.samples,) + ((getattr(self._i, "n" + names),) if names else ()) + ((width,) if width > 1 else ())
        return view(getattr(self._a, array), shape, self.handle, kind)

    def _read(self, path: str) -> Optional[np.ndarray]:
        if path in self._rows:
            row = self._rows[path]
            block = self._block(row.array, row.names, row.width, "<i4" if row.array == "side" else "<f8")
            if block is None or row.width == 1:
                return block
            return block[..., row.first] if row.last == row.first + 1 else block[..., row.first:row.last]
        made: Optional[Callable[[], Optional[np.ndarray]]] = {"drivers/power": self._power, "gears/first": self._first,
                                                              "gears/second": self._second}.get(path)
        if made and path in self.paths():
            return made()
        if path.startswith("steps/") and self._a.steps:
            array = {"time": "t"}.get(path[6:], path[6:])
            return view(getattr(self._a, f"step_{array}"), (self._a.steps,), self.handle, "<i4" if array == "order" else "<f8")
        return self._field(path) if path.startswith("fields/") else None

    def _power(self) -> Optional[np.ndarray]:
        force, rate = self.array("drivers/force"), self.array("variables/rate")
        if force is None or rate is None:
            return None
        return force * rate[:, [self._i.driver_variable[k] for k in range(self._i.ndriver)]]

    def _second(self) -> Optional[np.ndarray]:
        block = self._block("relation_force", "joint", 1)
        return None if block is None else block[:, self._gears()]

    def _first(self) -> Optional[np.ndarray]:
        block = self._block("relation_first", "joint", 1)
        return None if block is None else block[:, self._gears()]

    def _field(self, path: str) -> Optional[np.ndarray]:
        for k in range(self._i.nfield if self._a.field else 0):
            field = self._i.field[k]
            if path == f"fields/{self._mesh(k)}/{text(field.name)}":
                shape = (self.samples, field.items) + ((field.components,) if field.components > 1 else ())
                return view(self._a.field[k], shape, self.handle)
        return None


# ---- in a file

class File(Store):
    """A result file, read by the library; quantities are read when they are wanted."""

    def __init__(self, path: Any) -> None:
        super().__init__(Context())
        self._lock = threading.Lock()  # a context belongs to one thread at a time
        self.path = os.fspath(path)
        out = ctypes.c_void_p()
        check(self.context, lib.bl_result_open(self.context.value, raw(path), ctypes.byref(out)))
        self.handle = Handle(out.value, lib.bl_result_close, self.context)
        self.samples = int(lib.bl_result_samples(self.handle.value))
        first = ctypes.POINTER(_abi.bl_quantity)()
        count = lib.bl_result_quantities(self.handle.value, ctypes.byref(first))
        self._quantities = {text(first[i].name): first[i] for i in range(count)}
        self.info = {name: self._text(name) for name in ("model_name", "model_file", "coordinates", "formulation", "integrator", "linsol",
                                                         "ordering", "load", "command", "overrides", "biela_version")}
        self.info.update({name: self._number(name) for name in ("tolerance", "step", "until")})
        for name in ("dimension", "degrees_of_freedom"):
            found = self._number(name)
            self.info[name] = None if found is None else int(found)
        self.summary = Summary.read(self._text("status"), self._number, self._text)
        self.warnings = [Warning_(e.t, e.part, e.text) for e in self.events if e.kind == "warning"]

    def _number(self, name: str) -> Optional[float]:
        value = ctypes.c_double()
        return value.value if lib.bl_result_number(self.handle.value, raw(name), ctypes.byref(value)) == _abi.BL_OK else None

    def _text(self, name: str) -> str:
        buffer = ctypes.create_string_buffer(_abi.BL_MOST_COMMAND + 1)
        return text(buffer.value) if lib.bl_result_text(self.handle.value, raw(name), buffer, len(buffer)) == _abi.BL_OK else ""

    def _long_text(self, function: Any) -> str:
        start, count = ctypes.c_char_p(), ctypes.c_size_t()
        with self._lock:
            check(self.context, function(self.handle.value, ctypes.byref(start), ctypes.byref(count)))
        return ctypes.string_at(start, count.value).decode("utf-8", "replace") if start else ""

    @property
    def source(self) -> str:
        return self._long_text(lib.bl_result_model)

    @property
    def scene(self) -> Any:
        made = self._long_text(lib.bl_result_scene)
        return json.loads(made) if made else None

    @property
    def events(self) -> List[Event]:
        first, count = ctypes.POINTER(_abi.bl_result_event)(), ctypes.c_int32()
        with self._lock:
            check(self.context, lib.bl_result_events(self.handle.value, ctypes.byref(first), ctypes.byref(count)))
        impacts = self._impacts()
        return [Event(number(first[k].t), text(first[k].kind), text(first[k].text), text(first[k].part), impacts.get(k))
                for k in range(count.value)]

    def _impacts(self) -> Dict[int, Impact]:
        """By the number of the event."""
        event = self.array("impacts/event")
        if event is None:
            return {}
        impulse, speed, lost, kinetic = (self.array(f"impacts/{name}") for name in ("impulse", "speed", "lost", "kinetic"))
        if impulse is None or speed is None or lost is None or kinetic is None:
            return {}
        joints = tuple(self.items("impacts/joint_force") or ())
        force, moment = self.array("impacts/joint_force"), self.array("impacts/joint_moment")
        none = np.empty((len(event), 0, 3))
        return {int(k): Impact(impulse[i], speed[i], float(lost[i]), kinetic[i], joints, (none if force is None else force)[i],
                               (none if moment is None else moment)[i]) for i, k in enumerate(event)}

    def equilibrium(self, k: int) -> Any:
        return None

    def meshes(self) -> List[Any]:
        names = ctypes.POINTER(ctypes.c_char_p)()
        found = []
        for k in range(lib.bl_result_meshes(self.handle.value, ctypes.byref(names))):
            out = ctypes.POINTER(_abi.bl_run_mesh)()
            with self._lock:
                check(self.context, lib.bl_result_mesh(self.handle.value, k, ctypes.byref(out)))
            found.append(out.contents)
        return found

    def paths(self) -> List[str]:
        return in_order(list(self._quantities))

    def _find(self, path: str) -> Any:
        if path in self._quantities:
            return self._quantities[path]
        if not path.startswith(("steps/", "impacts/")):
            return None
        out = ctypes.POINTER(_abi.bl_quantity)()
        with self._lock:
            status = lib.bl_result_quantity(self.handle.value, raw(path), ctypes.byref(out))
        return out.contents if status == _abi.BL_OK else None

    def items(self, path: str) -> Optional[List[str]]:
        quantity = self._find(path)
        return texts(quantity.item, quantity.items) if quantity is not None and quantity.item else None

    def _facts(self, name: str) -> List[float]:
        count = ctypes.c_int32()
        with self._lock:
            if lib.bl_result_facts(self.handle.value, raw(name), None, ctypes.byref(count)) != _abi.BL_OK:
                return []
            values = (ctypes.c_double * max(count.value, 1))()
            check(self.context, lib.bl_result_facts(self.handle.value, raw(name), values, ctypes.byref(count)))
        return list(values[:count.value])

    def angles(self, path: str) -> List[bool]:
        group = path.partition("/")[0]
        names = self.items(path) or []
        if group == "drivers":
            variables = self.angles("variables/value")
            facts = [float(variables[int(k)]) for k in self._facts("drivers/variable")] if variables else []
        else:
            facts = self._facts(f"{group}/is_angle")
        if len(facts) != len(names):  # older files
            return [".angle" in name for name in names]
        return [fact != 0 for fact in facts]

    def force_bodies(self) -> List[str]:
        bodies = self.items("bodies/position") or []
        return [bodies[int(k)] if 0 <= k < len(bodies) else "ground" for k in self._facts("forces/body")]

    def _read(self, path: str) -> Optional[np.ndarray]:
        quantity = self._find(path)
        if quantity is None:
            return None
        rows = quantity.rows if path.startswith(("steps/", "impacts/")) else self.samples
        shape = (rows,) + ((quantity.items,) if quantity.item or quantity.mesh else ())
        values = np.empty(shape + ((quantity.components,) if quantity.components > 1 else ()))
        with self._lock:
            check(self.context, lib.bl_result_read(self.handle.value, quantity, 0, rows, 0, quantity.items,
                                                   values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))))
        values.flags.writeable = False
        return values
