"""Quantities of runs and the names of their numbers, the same for runs in memory and for result files (docs/RESULT.md)."""
from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Tuple


class Row(NamedTuple):
    """A quantity: its path in result files; the array of bl_sample_arrays with first and last component and width of its elements; the
    list of names in bl_run_info; unit ("": depends on the item)."""
    path: str
    array: str
    first: int
    last: int
    width: int
    names: Optional[str]
    unit: str


def _rows() -> List[Row]:
    rows = [Row("time", "t", 0, 1, 1, None, "s"), Row("side", "side", 0, 1, 1, None, "1"), Row("drift", "drift", 0, 1, 1, None, "1"),
            Row("velocity_drift", "velocity_drift", 0, 1, 1, None, "1/s")]
    for names, group, array, width, parts in (
            ("body", "bodies", "body", 13, (("position", 0, 3, "m"), ("quaternion", 3, 7, "1"), ("velocity", 7, 10, "m/s"),
                                            ("angular_velocity", 10, 13, "rad/s"))),
            ("body", "bodies", "acceleration", 6, (("acceleration", 0, 3, "m/s^2"), ("angular_acceleration", 3, 6, "rad/s^2"))),
            ("variable", "variables", "variable", 1, (("value", 0, 1, ""),)),
            ("variable", "variables", "variable_rate", 1, (("rate", 0, 1, ""),)),
            ("variable", "variables", "variable_acceleration", 1, (("acceleration", 0, 1, ""),)),
            ("probe", "probes", "probe", 3, (("position", 0, 3, "m"),)),
            ("probe", "probes", "probe_rate", 3, (("velocity", 0, 3, "m/s"),)),
            ("probe", "probes", "probe_acceleration", 3, (("acceleration", 0, 3, "m/s^2"),)),
            ("joint", "reactions", "reaction", 6, (("force", 0, 3, "N"), ("moment", 3, 6, "N m"))),
            ("signal", "signals", "signal", 1, (("value", 0, 1, ""),)),
            ("driver", "drivers", "driver_force", 1, (("force", 0, 1, ""),)),
            ("actuator", "actuators", "actuator_force", 1, (("force", 0, 1, ""),)),
            ("actuator", "actuators", "actuator_power", 1, (("power", 0, 1, "W"),)),
            ("actuator", "actuators", "actuator_energy", 1, (("energy", 0, 1, "J"),)),
            ("push", "forces", "push", 9, (("point", 0, 3, "m"), ("force", 3, 6, "N"), ("moment", 6, 9, "N m"))),
            ("spring", "springs", "spring_length", 1, (("length", 0, 1, ""),)),
            ("spring", "springs", "spring_tension", 1, (("tension", 0, 1, ""),)),
            ("contact", "contacts", "contact", 13, (("gap", 0, 1, ""), ("force", 1, 4, ""), ("sliding", 4, 6, "m/s"), ("state", 6, 7, "1"),
                                                    ("point", 7, 10, "m"), ("total", 10, 13, "N"))),
            ("section", "sections", "section", 12, (("strain", 0, 3, "1"), ("curvature", 3, 6, "1/m"), ("force", 6, 9, "N"),
                                                    ("moment", 9, 12, "N m")))):
        rows += [Row(f"{group}/{name}", array, first, last, width, names, unit) for name, first, last, unit in parts]
    rows += [Row(f"energy/{name}", array, 0, 1, 1, None, "J")
             for name, array in (("kinetic", "kinetic"), ("potential", "potential"), ("dissipated", "dissipated"), ("work", "work"),
                                 ("error", "energy_error"))]
    return rows


ROWS: Tuple[Row, ...] = tuple(_rows())
UNITS: Dict[str, str] = {row.path: row.unit for row in ROWS}
UNITS.update({"drivers/power": "W", "gears/first": "", "gears/second": "", "steps/time": "s", "steps/size": "s", "steps/order": "1",
              "steps/error": "1"})

# the order of paths in lists
ORDER: Dict[str, int] = {path: k for k, path in enumerate(
    p for row in ROWS for p in ([row.path, "drivers/power", "gears/first", "gears/second"] if row.path == "drivers/force" else [row.path]))}

# names without an item, also as a simulation calls them
SINGLE: Dict[str, str] = {"t": "time", "time": "time", "side": "side", "drift": "drift", "velocity_drift": "velocity_drift",
                          "kinetic": "energy/kinetic", "potential": "energy/potential", "dissipated": "energy/dissipated",
                          "work": "energy/work", "energy_error": "energy/error", "energy.kinetic": "energy/kinetic",
                          "energy.potential": "energy/potential", "energy.dissipated": "energy/dissipated", "energy.work": "energy/work",
                          "energy.error": "energy/error", "step.time": "steps/time", "step.size": "steps/size",
                          "step.order": "steps/order", "step.error": "steps/error"}

# endings of ITEM.ending: quantities in the order in which they are searched, and the component
ENDINGS: Dict[str, List[Tuple[str, int]]] = {}
for _paths, _endings in ((("probes/position", "bodies/position", "contacts/point"), "x y z"),
                         (("probes/velocity", "bodies/velocity"), "vx vy vz"),
                         (("probes/acceleration", "bodies/acceleration"), "ax ay az"), (("bodies/quaternion",), "qw qx qy qz"),
                         (("bodies/angular_velocity",), "wx wy wz"), (("bodies/angular_acceleration",), "awx awy awz"),
                         (("reactions/force", "forces/force", "contacts/total"), "fx fy fz"),
                         (("reactions/moment", "forces/moment"), "mx my mz"),
                         (("drivers/force", "actuators/force"), "force"), (("drivers/power", "actuators/power"), "power"),
                         (("actuators/energy",), "energy"), (("gears/first",), "first"), (("gears/second",), "second"),
                         (("springs/length",), "length"), (("springs/tension",), "tension"), (("contacts/gap",), "gap"),
                         (("contacts/force",), "fn ft1 ft2"), (("contacts/sliding",), "vt1 vt2"), (("contacts/state",), "state")):
    for _k, _ending in enumerate(_endings.split()):
        ENDINGS[_ending] = [(_path, _k) for _path in _paths]

# what follows the name of a variable
AFTER_VARIABLE = (("", "variables/value"), ("_rate", "variables/rate"), ("_acceleration", "variables/acceleration"), ("", "signals/value"))


def unit_of(path: str, is_angle: bool) -> str:
    """The unit of a quantity whose items may be angles."""
    unit = UNITS.get(path, "")
    if unit:
        return unit
    group, _, name = path.partition("/")
    if group in ("gears", "signals"):
        return ""
    if name in ("force", "tension", "first", "second"):
        return "N m" if is_angle else "N"
    base = "rad" if is_angle else "m"
    return base + {"rate": "/s", "acceleration": "/s^2"}.get(name, "")
