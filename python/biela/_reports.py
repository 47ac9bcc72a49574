"""What studies find, as Python objects: copies of the reports of the library."""
from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np

from . import _abi
from ._library import lib, text, texts
from ._records import Record
from ._result import Result
from ._store import copy


def plain(struct: Any, *names: str) -> Dict[str, Any]:
    """Fields of a struct; texts as str."""
    values = {}
    for name in names:
        value = getattr(struct, name)
        values[name] = text(value) if isinstance(value, bytes) or value is None else value
    return values


# ---- check

class Finding(NamedTuple):
    """level: note or warning."""
    level: str
    part: str
    text: str


@dataclasses.dataclass(repr=False)
class Check(Record):
    """What `biela check` prints: sizes, mobility by counting and by rank, findings."""
    bodies: int
    joints: int
    variables: int
    coordinates: int
    rows: int
    nonzeros: int
    dependent_columns_nonzeros: int
    rank: int
    redundant: int
    mobility_count: int
    mobility_rank: int
    mobility_start: int
    overconstraint: int
    idle: int
    mobility_position: int
    contacts: int
    stops: int
    elastic: int
    frames: int
    mobility_elastic: int
    findings: List[Finding] = dataclasses.field(default_factory=list)

    @classmethod
    def of(cls, report: Any) -> "Check":
        names = [field.name for field in dataclasses.fields(cls) if field.name != "findings"]
        found = [report.finding[k] for k in range(report.nfinding)]
        return cls(findings=[Finding("warning" if f.level == _WARNING else "note", text(f.part), text(f.text)) for f in found],
                   **plain(report, *names))


_WARNING = _abi.BL_FINDING_WARNING


# ---- structure

class StructureGroup(NamedTuple):
    """Links that are solved together; depends: numbers of the groups (from 1; 0: the frame) that are solved before."""
    links: List[str]
    kind: str
    form: str
    mobility: int
    inputs: int
    pairs: List[str]
    depends: List[int]


class StructureException(NamedTuple):
    kind: str
    amount: int
    pair: Optional[str]
    link: Optional[str]
    text: str


class Remain(NamedTuple):
    """Links that cannot be solved: state is under, over, blocked or loose."""
    state: str
    amount: int
    links: List[str]
    text: str


@dataclasses.dataclass(repr=False)
class Structure(Record):
    """Structural groups in the order of their solution."""
    complete: bool
    mobility: int
    inputs: int
    closed: bool
    mobility_rank: int
    mobility_start: int
    repeated: int
    passive: int
    links: List[str]
    pairs: List[str]
    groups: List[StructureGroup]
    remaining: List[Remain]
    exceptions: List[StructureException]
    loops: List[List[str]]

    @classmethod
    def of(cls, chain: Any, report: Any, exceptions: Any) -> "Structure":
        links = texts(chain.link, chain.nlink) or [str(k + 1) for k in range(chain.nlink)]
        pairs = [text(chain.pair[k].name) or str(k + 1) for k in range(chain.npair)]

        def some(names: List[str], numbers: Any, count: int) -> List[str]:
            return [names[numbers[k]] for k in range(count)]

        groups = [StructureGroup(some(links, g.link, g.nlink), text(g.kind), text(g.form), g.mobility, g.inputs,
                                 some(pairs, g.pair, g.npair), [getattr(g, "from")[k] for k in range(g.nfrom)])
                  for g in (report.group[k] for k in range(report.ngroup))]
        states = ("solved", "under", "over", "blocked", "loose")
        remaining = [Remain(states[r.state], r.amount, some(links, r.link, r.nlink), text(r.text))
                     for r in (report.remain[k] for k in range(report.nremain))]
        found = [StructureException(text(lib.bl_exception_name(e.kind)), e.amount, pairs[e.pair] if e.pair >= 0 else None,
                                    links[e.link] if e.link >= 0 else None, text(e.text))
                 for e in (exceptions.exception[k] for k in range(exceptions.n))]
        loops = [some(pairs, report.loop[report.loop_ptr[k]:report.loop_ptr[k + 1]], report.loop_ptr[k + 1] - report.loop_ptr[k])
                 for k in range(report.nloop)] if report.loop_ptr else []
        return cls(links=links, pairs=pairs, groups=groups, remaining=remaining, exceptions=found, loops=loops,
                   **plain(report, "complete", "mobility", "inputs"),
                   **plain(exceptions, "closed", "mobility_rank", "mobility_start", "repeated", "passive"))


# ---- kinematics, equilibrium, inverse dynamics, displacements: results with more

@dataclasses.dataclass(repr=False)
class KinematicsSummary(Record):
    ngroup: int
    nclosed: int
    largest: int
    positions: int
    iterations: int
    factorizations: int
    seconds: float


class Kinematics(Result):
    """A driven motion, with accelerations; counted: groups and work."""
    counted: KinematicsSummary


class SoftMotion(NamedTuple):
    eigenvalue: float
    stiffness: float
    motion: str


@dataclasses.dataclass(repr=False)
class EquilibriumPoint(Record):
    """One equilibrium. stability: stable, neutral, unstable, not conservative or None (not known); critical: limit, branching, singular or
    None."""
    load: float
    branch: int
    critical: Optional[str]
    stability: Optional[str]
    unstable: int
    neutral: int
    motions: str
    residual: float
    softest: List[SoftMotion]

    @classmethod
    def of(cls, p: Any) -> "EquilibriumPoint":
        soft = [SoftMotion(p.soft[k].eigenvalue, p.soft[k].stiffness, text(p.soft[k].motion)) for k in range(p.nsoft)]
        return cls(critical=critical_word(p.what) if p.critical else None,
                   stability=None if p.critical else stability_word(p.unstable, p.neutral, p.conservative), softest=soft,
                   **plain(p, "load", "branch", "unstable", "neutral", "motions", "residual"))


class CriticalPoint(NamedTuple):
    what: str
    t: float
    branch: int
    motion: str


def critical_word(what: int) -> str:
    return {_abi.BL_LIMIT_POINT: "limit", _abi.BL_BRANCHING_POINT: "branching"}.get(what, "singular")


def stability_word(unstable: int, neutral: int, conservative: bool) -> Optional[str]:
    if unstable > 0:
        return "unstable"
    if unstable == 0:
        return "neutral" if neutral > 0 else "stable"
    return None if conservative else "not conservative"


class Equilibria(Result):
    """Equilibria as samples; t is the load (or the parameter, or the number of the equilibrium)."""
    found: int = 0
    refused: int = 0
    iterations: int = 0
    residual: float = 0.0
    worst: str = ""
    stability: Optional[str] = None
    critical: List[CriticalPoint] = []

    @property
    def points(self) -> List[EquilibriumPoint]:
        """Stability and softest motions of every sample."""
        return [EquilibriumPoint.of(self._store.equilibrium(k)) for k in range(len(self))]

    def _take(self, s: Any) -> None:
        self.found, self.refused, self.iterations, self.residual, self.worst = s.found, s.refused, s.iterations, s.residual, text(s.worst)
        self.stability = stability_word(s.unstable, s.neutral, s.conservative) if s.found > 0 else None
        self.critical = [CriticalPoint(critical_word(p.what), p.t, p.branch, text(p.motion))
                         for p in (s.point[k] for k in range(min(s.npoint, _abi.BL_MOST_CRITICAL)))]


@dataclasses.dataclass(repr=False)
class Actuator(Record):
    """What an actuator must do: largest force (N or N m) with its time, root mean square, power, energy."""
    name: str
    is_angle: bool
    largest: float
    largest_time: float
    rms: float
    largest_power: float
    energy: float
    energy_per_period: float
    limit: float
    over_time: float


class Inverse(Result):
    """A known motion with the forces that it requires; actuators: summary of each."""
    actuators: Dict[str, Actuator] = {}
    period: float = float("nan")
    residual: float = float("nan")
    singular: int = 0
    degrees_of_freedom: int = 0
    rank: int = 0
    misfit: float = float("nan")
    smoothed: float = float("nan")
    checked: Optional[Dict[str, float]] = None

    def _take(self, s: Any) -> None:
        names = [field.name for field in dataclasses.fields(Actuator)]
        made = [Actuator(**plain(s.actuator[k], *names)) for k in range(s.nactuator)]
        self.actuators = {a.name: a for a in made}
        self.period, self.residual, self.singular = s.period, s.residual, s.singular
        self.degrees_of_freedom, self.rank, self.misfit, self.smoothed = s.dof, s.rank, s.misfit, s.smoothed
        if s.checked:
            self.checked = plain(s, "local", "deviation", "check_time", "deviation_rate")


class Moved(NamedTuple):
    value: float
    start: float
    wanted: Optional[float]


class Move(Result):
    """A displacement as samples, t from 0 to 1. end: done, or why it cannot go on; share: fraction of the path."""
    end: str = ""
    share: float = 0.0
    joint: Optional[str] = None
    mobility: int = 0
    free: int = 0
    released: List[str] = []
    targets: Dict[str, Moved] = {}
    variables: Dict[str, Moved] = {}

    def _take(self, s: Any) -> None:
        def rows(array: Any, count: int) -> Dict[str, Moved]:
            return {text(array[k].name): Moved(array[k].value, getattr(array[k], "from"),
                                               None if np.isnan(array[k].wanted) else array[k].wanted) for k in range(count)}
        self.end, self.share, self.joint = text(lib.bl_move_end_text(s.end)), s.share, text(s.joint) or None
        self.mobility, self.free, self.released = s.mobility, s.free, texts(s.released, s.nreleased)
        self.targets, self.variables = rows(s.target, s.ntarget), rows(s.variable, s.nvariable)


# ---- rates

class RateRow(NamedTuple):
    """ratio: change per unit of each input with the others fixed."""
    value: float
    rate: float
    acceleration: float
    ratio: np.ndarray


class BodyRates(NamedTuple):
    position: np.ndarray
    quaternion: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    acceleration: np.ndarray
    angular_acceleration: np.ndarray


class Transmission(NamedTuple):
    joint: str
    links: List[str]
    form: str
    angle: float


@dataclasses.dataclass(repr=False)
class Rates(Record):
    """Velocities and accelerations in one configuration."""
    mobility: int
    passive: int
    inputs: Dict[str, RateRow]
    variables: Dict[str, RateRow]
    probes: Dict[str, RateRow]
    bodies: Dict[str, BodyRates]
    transmissions: List[Transmission]
    advantages: Dict[str, np.ndarray]

    @classmethod
    def of(cls, r: Any) -> "Rates":
        def rows(array: Any, count: int) -> Dict[str, RateRow]:
            return {text(array[k].name): RateRow(array[k].value, array[k].rate, array[k].acceleration, copy(array[k].ratio, r.ninput))
                    for k in range(count)}
        bodies = {}
        for k in range(r.nbody):
            pose, second = r.body[k].pose, r.body[k].acceleration
            bodies[text(r.body[k].name)] = BodyRates(*(np.array(v) for v in (
                pose.position, pose.quaternion, pose.velocity, pose.angular_velocity, second.acceleration, second.angular_acceleration)))
        return cls(inputs=rows(r.input, r.ninput), variables=rows(r.variable, r.nvariable), probes=rows(r.probe, r.nprobe * r.dim),
                   bodies=bodies, transmissions=[Transmission(text(t.joint), texts(t.link, 2), text(t.form), t.angle)
                                                 for t in (r.transmission[k] for k in range(r.ntransmission))],
                   advantages={text(r.output[k].name): copy(r.output[k].factor, r.ninput) for k in range(r.noutput)},
                   **plain(r, "mobility", "passive"))


# ---- compare, order, series

@dataclasses.dataclass(repr=False)
class ComparedEntry(Record):
    """One combination: agreement, differences from the reference, effort, reason."""
    coordinates: str
    formulation: str
    integrator: str
    agreement: str
    trajectory: float
    reactions: float
    allowed: float
    allowed_reactions: float
    worst: str
    worst_time: float
    drift: float
    energy_error: float
    tolerance: float
    step: float
    steps: int
    evaluations: int
    wall_seconds: float
    reason: str


_ENTRY = [field.name for field in dataclasses.fields(ComparedEntry)]


def compared_entry(e: Any) -> ComparedEntry:
    values = plain(e, *[name for name in _ENTRY if name != "agreement"])
    return ComparedEntry(agreement=text(lib.bl_agreement_text(e.agreement)), **values)


@dataclasses.dataclass(repr=False)
class Comparison(Record):
    """One model by many methods, and whether the results agree."""
    until: float
    tolerance: float
    reference: str
    check: str
    reference_tolerance: float
    reference_trajectory: float
    reference_reactions: float
    sensitivity: float
    allowed: float
    allowed_reactions: float
    agreed: int
    disagreed: int
    skipped: int
    refused: int
    failed: int
    entries: List[ComparedEntry]

    @classmethod
    def of(cls, r: Any) -> "Comparison":
        names = [field.name for field in dataclasses.fields(cls) if field.name != "entries"]
        return cls(entries=[compared_entry(r.entry[k]) for k in range(r.nentry)], **plain(r, *names))

    def to_pandas(self) -> Any:
        import pandas
        return pandas.DataFrame([entry.to_dict() for entry in self.entries])


@dataclasses.dataclass(repr=False)
class SeriesComponent(Record):
    """Coefficients of the powers of t - t0 of one position, velocity, state or multiplier."""
    what: str
    name: str
    radius: float
    coefficients: np.ndarray


@dataclasses.dataclass(repr=False)
class Series(Record):
    """The motion about its start as a power series."""
    t: float
    order: int
    radius: float
    coordinates: str
    formulation: str
    components: List[SeriesComponent]

    @classmethod
    def of(cls, r: Any) -> "Series":
        made = [SeriesComponent(text(lib.bl_series_what_text(c.what)), text(c.name), c.radius, copy(c.coefficient, c.order + 1))
                for c in (r.component[k] for k in range(r.ncomponent))]
        return cls(components=made, **plain(r, "t", "order", "radius", "coordinates", "formulation"))


@dataclasses.dataclass(repr=False)
class OrderedEntry(Record):
    """One ordering: rows and columns in their new order, diagonal blocks, fill and cost. note: why it was refused, or a remark."""
    name: str
    refused: bool
    note: str
    row: np.ndarray
    col: np.ndarray
    blocks: Optional[np.ndarray]
    border: int
    band: int
    fill: int
    flops: float
    solver: str
    analyze: float
    factor: float
    refactor: float
    solve: float


@dataclasses.dataclass(repr=False)
class Order(Record):
    """Orderings of the Jacobian of the constraints without its independent columns."""
    rows: int
    columns: int
    nonzeros: int
    dependent_columns: int
    dependent_nonzeros: int
    rank: int
    structural_rank: int
    coordinates: str
    independent: List[str]
    entries: List[OrderedEntry]

    @classmethod
    def of(cls, r: Any) -> "Order":
        def numbers(pointer: Any, count: int) -> np.ndarray:
            return np.array(pointer[:count], dtype=np.int32) if pointer else np.empty(0, np.int32)
        entries = []
        for k in range(r.nentry):
            e, c = r.entry[k], r.entry[k].cost
            entries.append(OrderedEntry(refused=e.status != _abi.BL_OK, row=numbers(e.row, e.nrow), col=numbers(e.col, e.ncol),
                                        blocks=numbers(e.block, e.nblock + 1) if e.block else None,
                                        **plain(e, "name", "note", "border", "band"),
                                        **plain(c, "fill", "flops", "solver", "analyze", "factor", "refactor", "solve")))
        return cls(entries=entries, independent=texts(r.independent, r.columns - r.dependent_columns),
                   **plain(r, "rows", "columns", "nonzeros", "dependent_columns", "dependent_nonzeros", "rank", "structural_rank",
                           "coordinates"))
