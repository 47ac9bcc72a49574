"""Small objects with named values: what studies return besides their samples."""
from __future__ import annotations

import dataclasses
import html
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np

from . import _abi
from ._library import lib, text


class Impact(NamedTuple):
    """Velocities that jump at a contact or by a percussion; those of one instant have the same kinetic energies and impulses in the joints."""
    impulse: np.ndarray  # [3] normal, along both tangents, N s; of percussions as in the model
    speed: np.ndarray  # [2] at which the gap grows, before and after
    lost: float  # kinetic energy lost at the contact, J
    kinetic: np.ndarray  # [2] of the model, before and after
    joints: Tuple[str, ...]
    force: np.ndarray  # [joints, 3] impulses in the joints on their second bodies, N s
    moment: np.ndarray  # [joints, 3] N m s

    def of(self, joint: str) -> np.ndarray:
        """The impulse in a joint."""
        return self.force[self.joints.index(joint)]


class Event(NamedTuple):
    """What happened in a run: t is None where it concerns the complete run."""
    t: Optional[float]
    kind: str
    text: str
    part: str
    impact: "Optional[Impact]" = None  # of impacts and percussions


def shown(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, np.ndarray):
        if value.size > 6 or value.ndim > 1:
            return f"array of shape {' x '.join(map(str, value.shape))}"
        return np.array2string(value, precision=6, separator=", ")
    if isinstance(value, dict):
        return f"{len(value)} entries: {', '.join(map(str, list(value)[:6]))}{', ...' if len(value) > 6 else ''}" if value else "none"
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, (list, tuple)) and len(value) > 6:
        return f"{len(value)} entries"
    return str(value)


class Record:
    """The base of these objects: printed line by line, in notebooks as a table."""

    _hidden: tuple = ()

    def _values(self) -> Iterator[Any]:
        for field in dataclasses.fields(self):
            if field.repr and field.name not in self._hidden:
                yield field.name, getattr(self, field.name)

    def __repr__(self) -> str:
        rows = [(name, shown(value)) for name, value in self._values() if value is not None]
        width = max((len(name) for name, _ in rows), default=0)
        return "\n".join([type(self).__name__] + [f"  {name:{width}}  {value}" for name, value in rows])

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{html.escape(shown(value))}</td></tr>" for name, value in self._values()
                       if value is not None)
        return f"<b>{html.escape(type(self).__name__)}</b><table>{rows}</table>"

    def to_dict(self) -> Dict[str, Any]:
        return dict(self._values())


_COUNTS = ("steps", "rejections", "restarts", "bounded", "evaluations", "newton_iterations", "tangents", "factorizations",
           "refactorizations", "solves", "projections", "repartitions", "handovers", "sample_evaluations", "sample_factorizations",
           "sample_solves", "method_changes", "impacts", "accumulations")
_NUMBERS = ("t", "h_smallest", "h_largest", "largest_drift", "largest_energy_error", "dissipated", "largest_misfit", "lost_in_impacts", "wall_seconds",
            "real_time_factor")


@dataclasses.dataclass(repr=False)
class Summary(Record):
    """How a run ended, and its counters (docs/RESULT.md). status: done, event, stopped, or the failure."""
    status: str = ""
    t: float = 0.0
    stopped_by: Optional[str] = None
    steps: int = 0
    rejections: int = 0
    restarts: int = 0
    bounded: int = 0
    evaluations: int = 0
    newton_iterations: int = 0
    tangents: int = 0
    factorizations: int = 0
    refactorizations: int = 0
    solves: int = 0
    projections: int = 0
    repartitions: int = 0
    handovers: int = 0
    sample_evaluations: int = 0
    sample_factorizations: int = 0
    sample_solves: int = 0
    method_changes: int = 0
    method: str = ""
    h_smallest: float = 0.0
    h_largest: float = 0.0
    largest_drift: float = 0.0
    largest_energy_error: float = 0.0
    dissipated: float = 0.0
    largest_misfit: float = 0.0
    impacts: int = 0
    accumulations: int = 0
    lost_in_impacts: float = 0.0
    wall_seconds: float = 0.0
    real_time_factor: float = 0.0
    sliding_method: str = ""

    @classmethod
    def of(cls, summary: Any) -> "Summary":
        """From bl_run_summary."""
        values = {name: getattr(summary, name) for name in _COUNTS + _NUMBERS}
        return cls(status=status_text(summary.status), stopped_by=text(summary.stopped_by) or None, method=text(summary.method),
                   sliding_method=text(summary.sliding_method), **values)

    @classmethod
    def read(cls, status: str, number: Callable[[str], Optional[float]], word: Callable[[str], str]) -> "Summary":
        """From the attributes of a result file."""
        values: Dict[str, Any] = {}
        for name in _COUNTS + _NUMBERS:
            found = number(f"statistics/{name}")
            if found is not None:
                values[name] = int(found) if name in _COUNTS else found
        return cls(status=status, stopped_by=word("statistics/stopped_by") or None, method=word("statistics/method"),
                   sliding_method=word("statistics/sliding_method"), **values)


def status_text(status: int) -> str:
    """As in result files."""
    if status == _abi.BL_EVENT:
        return "event"
    return "stopped" if status == _abi.BL_STOPPED else text(lib.bl_status_text(status))


def counted(number: int, words: str) -> str:
    """1 body, 2 bodies; words: the plural"""
    singular = words[:-3] + "y" if words.endswith("ies") else words[:-1]
    return f"{number} {singular if number == 1 else words}"


def names_of(items: Any) -> List[str]:
    """A list of names from a name or several."""
    return [items] if isinstance(items, str) else [str(item) for item in items or ()]
