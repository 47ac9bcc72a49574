"""Models: read from a file, a text or a dict; what they contain; their studies."""
from __future__ import annotations

import ctypes
import json
import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence

import numpy as np

from . import _abi
from ._errors import UsageError, check
from ._handle import Context, Handle
from ._inputs import follow
from ._library import lib, make, raw, text
from ._records import counted
from ._result import Result
from ._study import Options, run_options, run_study, wanted
from ._studies import Studies
from ._watch import Shown

if TYPE_CHECKING:
    from ._mesh import Deck
    from ._simulation import Simulation

_FILES = {"any": _abi.BL_FILES_ANY, "inside": _abi.BL_FILES_INSIDE, "none": _abi.BL_FILES_NONE}


class Part:
    """A body, joint, ... of a model: its entries as attributes, vectors as arrays."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self.__dict__.update({key: _value(value) for key, value in entries.items()})

    def __repr__(self) -> str:
        return f"<{self.__dict__.get('kind', 'body')} {self.__dict__.get('name', '')}: {', '.join(self.__dict__)}>"


def _value(value: Any) -> Any:
    numbers = isinstance(value, list) and value and all(isinstance(v, (int, float)) or isinstance(v, list) for v in value)
    if numbers and not any(isinstance(v, list) and any(isinstance(w, (str, dict)) for w in v) for v in value):
        return np.array(value, dtype=float)
    return value


class Parts(Mapping[str, Part]):
    """Parts of a model, by name, in the order of the model."""

    def __init__(self, entries: Sequence[Mapping[str, Any]]) -> None:
        self._parts = {str(entry["name"]): Part(entry) for entry in entries}

    def __getitem__(self, name: str) -> Part:
        return self._parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def _ipython_key_completions_(self) -> List[str]:
        return list(self._parts)

    def __repr__(self) -> str:
        return f"<{', '.join(self._parts) or 'none'}>"


def _plain(value: Any) -> Any:
    """For json: arrays and numbers of numpy."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (set, tuple)):
        return list(value)
    raise UsageError(f"a model cannot contain {value!r} of type {type(value).__name__}")


class Model(Studies):
    """A mechanism, or another system, with its studies.

    Model("four_bar.yaml", set={"crank": 0.25}) reads a file; Model(text=...) a text in YAML or JSON; Model.from_dict({...}) a dict.
    set: values of parameters in place of the file's. name: shown in messages in place of a file name. files: which other files it may
    read, "any", "inside" (its folder) or "none". closure: relative accuracy of the dimensions. A model never changes; it may be used by
    several threads at a time.
    """

    def __init__(self, file: Any = None, *, text: Optional[str] = None, set: Optional[Mapping[str, float]] = None,
                 name: Optional[str] = None, files: str = "any", closure: Optional[float] = None) -> None:
        if (file is None) == (text is None):
            raise UsageError("Model needs either a file or text=")
        if files not in _FILES:
            raise UsageError(f"files must be any, inside or none, found '{files}'")
        self._read = {"file": file, "text": text, "name": name, "files": files, "closure": closure}
        self._overrides: Dict[str, float] = {key: float(value) for key, value in (set or {}).items()}
        options = Options(_abi.bl_read_options, files=_FILES[files])
        options.pairs("override", "noverride", _abi.bl_override, self._overrides)
        context, out = Context(), ctypes.c_void_p()
        if text is not None:
            source = text.encode()
            status = lib.bl_model_open_text(context.value, raw(name or "text"), source, len(source), options.pointer, ctypes.byref(out))
        else:
            status = lib.bl_model_open(context.value, raw(file), options.pointer, ctypes.byref(out))
        check(context, status)
        self._context = context
        self._handle = Handle(out.value, lib.bl_model_destroy, context)
        if closure is not None:
            check(context, lib.bl_model_set_closure(context.value, out.value, closure))
        self._scene: Any = None

    @classmethod
    def from_dict(cls, entries: Mapping[str, Any], *, set: Optional[Mapping[str, float]] = None, name: str = "model",
                  files: str = "any", closure: Optional[float] = None) -> "Model":
        """A model from dicts and lists, with the same keys as in model files (docs/MODEL.md); arrays of numpy are lists."""
        try:
            made = json.dumps(entries, default=_plain, allow_nan=False)
        except ValueError as error:
            if isinstance(error, UsageError):
                raise
            raise UsageError(f"numbers of a model must be finite: {error}") from None
        return cls(text=made, set=set, name=name, files=files, closure=closure)

    def replace(self, set: Optional[Mapping[str, float]] = None, **parameters: float) -> "Model":
        """The same model with other values of parameters, read again."""
        return type(self)(set={**self._overrides, **(set or {}), **parameters}, **self._read)

    def __reduce__(self) -> Any:  # other processes read it again
        return _read_again, (self._read, self._overrides)

    # ---- what it contains

    @property
    def name(self) -> str:
        return text(lib.bl_model_name(self._handle.value))

    @property
    def file(self) -> Optional[str]:
        return None if self._read["file"] is None else os.fspath(self._read["file"])

    @property
    def parameters(self) -> Dict[str, float]:
        """Parameters and their values."""
        count = lib.bl_model_parameters(self._handle.value, None, 0)
        found = (_abi.bl_override * max(count, 1))()
        lib.bl_model_parameters(self._handle.value, found, count)
        return {text(found[k].name): found[k].value for k in range(count)}

    @property
    def scene(self) -> Dict[str, Any]:
        """All that is needed to draw the model in its model configuration (docs/RESULT.md)."""
        if self._scene is None:
            context, made = Context(), make(_abi.bl_json)
            made.ctx = context.value
            try:
                check(context, lib.bl_model_scene(context.value, self._handle.value, ctypes.byref(made)))
                self._scene = json.loads(made.text)
            finally:
                lib.bl_json_destroy(ctypes.byref(made))
        return self._scene

    @property
    def dimension(self) -> int:
        return int(self.scene["dimension"])

    @property
    def gravity(self) -> np.ndarray:
        return np.array(self.scene["gravity"], dtype=float)

    def _parts(self, key: str) -> Parts:
        return Parts(self.scene.get(key, []))

    @property
    def bodies(self) -> Parts:
        """Bodies: mass, center, inertia, points."""
        return self._parts("bodies")

    @property
    def joints(self) -> Parts:
        """Joints: kind, at, axis, variables."""
        return self._parts("joints")

    @property
    def drivers(self) -> Parts:
        """Drivers: joint, variable."""
        return self._parts("drivers")

    @property
    def springs(self) -> Parts:
        """Springs and dampers."""
        return self._parts("springs")

    @property
    def forces(self) -> Parts:
        """Other force elements."""
        return self._parts("forces")

    @property
    def probes(self) -> Parts:
        """Probes: body, at."""
        return self._parts("probes")

    @property
    def variables(self) -> List[str]:
        """Names of the joint variables; of equations their unknowns."""
        found = [variable for joint in self.scene["joints"] for variable in joint.get("variables", ())]
        return found or list(self.assemble().variable)

    @property
    def is_deck(self) -> bool:
        """Whether it was read from an input deck of CalculiX or Abaqus."""
        return bool(lib.bl_model_is_deck(self._handle.value))

    # ---- motion

    def run(self, until: Optional[float] = None, *, tolerance: Optional[float] = None, every: Optional[float] = None,
            at: Optional[Sequence[float]] = None, every_step: bool = False, coordinates: Optional[str] = None,
            formulation: Optional[str] = None, integrator: Optional[str] = None, linsol: Optional[str] = None,
            ordering: Optional[str] = None, step: Optional[float] = None, absolute: Optional[float] = None,
            singular: Optional[str] = None, projection_tolerance: Optional[float] = None, closure: Optional[float] = None,
            threads: Optional[int] = None, fields: Optional[str] = None, inputs: Any = None, input_hold: bool = False,
            keep: Optional[Sequence[str]] = None, save: Any = None, progress: Shown = True) -> Result:
        """Simulates the model; what is None is the model's choice, else the default. every: interval of samples; at: their times; inputs:
        inputs of the model over time, {"t": times, "torque": values, ...} or a file, linear between rows or (input_hold) held; fields:
        names of fields of meshes to keep, or "all"; keep: only these of bodies, variables, probes, reactions, energies, drift, forces,
        signals, contacts, which also saves the work for the others; save: file (.h5, .csv), or several, written as the run goes; progress: a bar on
        terminals and in notebooks, or a function (t, until, seconds).

        NumericalError and Interrupted (Ctrl-C) have what was computed as `result`.
        """
        if self.is_deck:
            raise UsageError("this model is an input deck, which has its own steps", advice="use run_deck")
        options = run_options(until=until, tolerance=tolerance, every=every, at=at, every_step=every_step, coordinates=coordinates,
                              formulation=formulation, integrator=integrator, linsol=linsol, ordering=ordering, step=step,
                              absolute=absolute, singular=singular, projection_tolerance=projection_tolerance, closure=closure,
                              threads=threads, fields=fields)
        follow(options, self, inputs, input_hold)
        files = [] if save is None else [save] if isinstance(save, (str, os.PathLike)) else list(save)
        return run_study(self, lambda context, sinks, count, summary: lib.bl_simulate(
            context.value, self._handle.value, options.pointer, sinks, count, summary),
            progress=progress, files=files, want=wanted(keep, fields))

    def run_deck(self, *, linsol: Optional[str] = None, tolerance: Optional[float] = None, threads: Optional[int] = None) -> "Deck":
        """Runs the steps of an input deck (.inp of CalculiX and Abaqus) and returns the tables that it prints."""
        from ._mesh import run_deck
        if not self.is_deck:
            raise UsageError("this model is not an input deck", advice="use run")
        return run_deck(self, linsol, tolerance, threads)

    def simulation(self, until: Optional[float] = None, **options: Any) -> "Simulation":
        """A motion that is advanced step by step, observed and changed on the way; options as in run, without output times."""
        from ._simulation import Simulation
        return Simulation(self, until, **options)

    # ---- display

    def __repr__(self) -> str:
        scene = self.scene
        counts = ", ".join(counted(len(scene[key]), key) for key in ("bodies", "joints", "drivers", "springs", "forces", "probes") if scene[key])
        return f"<Model {self.name!r}: dimension {scene['dimension']}{', ' + counts if counts else ''}>"

    def _repr_html_(self) -> str:
        from ._figures import model_html
        return model_html(self)

    def svg(self, width: int = 420, height: int = 300) -> str:
        """A drawing of the model configuration."""
        from ._draw import scene_svg
        return scene_svg(self.scene, width, height)


def _read_again(arguments: Dict[str, Any], overrides: Dict[str, float]) -> Model:
    return Model(set=overrides, **arguments)
