"""Runs: the numbers of the command, bit for bit; what is kept, and how."""
import json
import math

import numpy as np
import pytest
from conftest import ROD, command, scene

import biela


def same(array, wanted):
    """bit for bit; null of JSON is what is not finite"""
    array = np.asarray(array)
    wanted = np.array([np.nan if w is None else w for w in wanted] if array.ndim == 1 else wanted, dtype=float)
    return array.shape == wanted.shape and bool(np.all((array == wanted) | (np.isnan(array) & np.isnan(wanted))))


@pytest.mark.parametrize("name, options", [
    ("bricard", {}), ("four_bar", {"until": 1}), ("slider_crank_motor", {}), ("quarter_car", {"until": 1}),
    ("jansen_leg", {"until": 0.5, "formulation": "lagrange"}), ("heavy_top", {"until": 0.5, "coordinates": "reference"}),
    ("double_pendulum", {"until": 1, "coordinates": "relative", "integrator": "dopri45", "tolerance": 1e-8}),
    ("pendulum", {"at": [0.1, 0.5, 1.25]}), ("friction_slider_crank", {"until": 0.5, "every": 0.01}),
    ("two_link_robot", {"until": 1}), ("robertson", {"until": 1}), ("half_shaft", {"until": 0.5}),
])
def test_numbers_are_those_of_the_command(name, options):
    words = [w for key, value in options.items()
             for w in (f"--{key}", ",".join(map(str, value)) if isinstance(value, list) else str(value))]
    wanted = command("run", scene(name), *words)
    assert wanted["status"] == "done"
    r = biela.Model(scene(name)).run(**options)
    times = wanted["times"]
    assert same(r.t, [s["t"] for s in times])
    assert r.summary.steps == wanted["statistics"]["steps"] and r.summary.evaluations == wanted["statistics"]["evaluations"]
    for body in r.body:
        for part in ("position", "quaternion", "velocity", "angular_velocity"):
            assert same(getattr(r.body[body], part), [s["bodies"][body][part] for s in times]), (body, part)
    for variable in r.variable:
        assert same(r[variable], [s["variables"][variable]["value"] for s in times]), variable
        assert same(r[variable + "_rate"], [s["variables"][variable]["rate"] for s in times]), variable
    for probe in r.probe:
        assert same(r.probe[probe].position, [s["probes"][probe] for s in times])
        assert same(r.probe[probe].velocity, [s["probe_velocities"][probe] for s in times])
    for joint in r.reaction:
        for part in ("force", "moment"):
            assert same(getattr(r.reaction[joint], part), [s["reactions"][joint][part] for s in times]), joint
    for driver in r.driver:
        assert same(r[f"{driver}.force"], [s["drivers"][driver]["force"] for s in times])
        assert same(r[f"{driver}.power"], [s["drivers"][driver]["power"] for s in times])
        assert same(r.actuator[driver].energy, [s["actuators"][driver]["energy"] for s in times])
    for gear in r.gear:
        assert same(r.gear[gear].first, [s["gears"][gear]["first"] for s in times])
        assert same(r.gear[gear].second, [s["gears"][gear]["second"] for s in times])
    for part in ("kinetic", "potential", "dissipated", "work", "error", "total"):
        assert same(getattr(r.energy, part), [s["energy"][part] for s in times]), part
        assert same(r[f"energy.{part}"], [s["energy"][part] for s in times]), part
    assert same(r.drift, [s["drift"] for s in times])
    assert r.info["formulation"] == wanted["combination"]["formulation"] and r.info["integrator"] == wanted["combination"]["integrator"]


def test_a_falling_rod_has_the_energy_of_its_height(rod):
    """sin of the angle is the height of the end: (1/2)(m l^2/3) rate^2 = -m g (l/2) sin(angle)"""
    r = rod.run()
    assert np.allclose(r["A.rate"] ** 2 / 3, -9.81 * np.sin(r["A.angle"]), atol=1e-8)
    assert np.allclose(r["tip.y"], np.sin(r["A.angle"]), atol=1e-12)
    assert np.max(np.abs(r.energy_error)) < 1e-7
    assert len(r) == 201 and r.status == "done" and r.summary.t == 2


def test_models_come_from_files_texts_and_dicts(tmp_path):
    text = json.dumps(ROD)
    (tmp_path / "rod.json").write_text(text)
    three = [biela.Model(tmp_path / "rod.json"), biela.Model(text=text), biela.Model.from_dict(ROD)]
    ends = [m.run()["A.angle"][-1] for m in three]
    assert ends[0] == ends[1] == ends[2]
    as_yaml = "model: rod\ndimension: 2\nbodies: [{name: b, mass: 1, rod: {from: [0, 0], to: [1, 0]}}]\n" \
              "joints: [{name: A, type: revolute, bodies: [ground, b], at: [0, 0]}]\n"
    assert biela.Model(text=as_yaml).joints["A"].kind == "revolute"


def test_parameters_are_listed_and_replaced(rod):
    assert rod.parameters == {"l": 1, "m": 2} and rod.name == "rod"
    longer = biela.Model.from_dict(ROD, set={"l": 4})
    assert longer.parameters["l"] == 4 and rod.replace(l=4).parameters == longer.parameters
    # times scale with the square root of the length
    assert np.allclose(longer.run(until=2)["A.angle"], rod.run(until=1)["A.angle"], atol=1e-7)
    assert longer.run(until=2).overrides == {"l": 4}
    assert longer.replace(m=1).parameters == {"l": 4, "m": 1}


def test_arrays_of_numpy_are_numbers_of_a_model():
    r = biela.Model.from_dict({**ROD, "gravity": np.array([0, -9.81]), "simulate": {"until": np.float64(0.5)}}).run()
    assert r.t[-1] == 0.5
    with pytest.raises(biela.UsageError, match="finite"):
        biela.Model.from_dict({**ROD, "gravity": [0, math.nan]})
    with pytest.raises(biela.UsageError, match="cannot contain"):
        biela.Model.from_dict({**ROD, "gravity": object()})


def test_what_a_model_contains():
    m = biela.Model(scene("slider_crank_motor"))
    assert list(m.bodies) == ["crank", "rod", "slider"] and m.bodies["slider"].mass == 2
    assert m.joints["guide"].kind == "prismatic" and np.array_equal(m.joints["guide"].axis, [1, 0, 0])
    assert m.variables == ["A.angle", "B.angle", "C.angle", "guide.distance"]
    assert m.drivers["motor"].variable == "A.angle" and m.dimension == 2 and np.array_equal(m.gravity, [0, -9.81, 0])
    assert biela.Model(scene("robertson")).variables == biela.Model(scene("robertson")).run(until=1).variable.keys()


def test_arrays_are_views_that_cannot_be_written_and_outlive_the_result(rod):
    r = rod.run()
    x = r["tip.x"]
    assert x.base is not None and not x.flags.writeable and np.shares_memory(x, r.probe["tip"].position)
    with pytest.raises(ValueError):
        x[0] = 1
    before = x.copy()
    del r, rod
    assert np.array_equal(x, before)


def test_stop_expressions_end_a_run():
    m = biela.Model.from_dict({**ROD, "simulate": {"until": 5, "tolerance": 1e-10, "stop": "A.angle + 1"}})
    r = m.run()
    assert r.status == "event" and r.summary.stopped_by == "A.angle + 1" and abs(r["A.angle"][-1] + 1) < 1e-9
    assert any(event.kind == "stop" for event in r.events)


def test_output_times(rod):
    assert np.array_equal(rod.run(at=[0.25, 0.5]).t, [0.25, 0.5])
    assert np.allclose(rod.run(until=1, every=0.25).t, [0, 0.25, 0.5, 0.75, 1])
    r = rod.run(until=1, every_step=True)
    assert np.array_equal(r.t[1:], r["step.time"]) and len(r["step.size"]) == r.summary.steps
    assert np.allclose(r["step.size"].sum(), 1)
    with pytest.raises(biela.UsageError, match="every and at exclude each other"):
        rod.run(every=0.1, at=[1])
    with pytest.raises(biela.UsageError, match="until must be positive"):
        rod.run(until=-1)


def test_only_what_is_kept_is_computed():
    m = biela.Model(scene("bricard"))
    everything, some = m.run(), m.run(keep=["variables", "probes"])
    assert np.array_equal(some["j1.angle"], everything["j1.angle"]) and np.array_equal(some["P3.x"], everything["P3.x"])
    assert set(some.quantities()) == {"time", "side", "variables/value", "variables/rate", "probes/position", "probes/velocity"}
    assert some.summary.sample_evaluations <= everything.summary.sample_evaluations
    with pytest.raises(biela.UnknownName):
        some["rod1.x"]
    with pytest.raises(biela.UsageError, match="not kept"):
        some.save("some.csv")
    with pytest.raises(biela.UnknownName, match="did you mean 'probes'"):
        m.run(keep="probe")


def test_numbers_of_numpy_are_numbers(rod):
    r = rod.run(until=np.float32(0.5), every=np.float64(0.25), tolerance=np.float64(1e-9))
    assert len(r) == 3
    with rod.simulation(tolerance=np.float32(1e-6)) as s:
        s.reach(np.int64(1))
        s.reach(np.float32(1.5))
        assert s.t == 1.5


def test_warnings_are_warnings_of_python():
    flat = biela.Model(scene("change_point_four_bar"))
    singular = {"model": "flat", "dimension": 2, "gravity": [0, -9.81],
                "bodies": [{"name": n, "rod": {"from": [a, 0], "to": [b, 0]}, "mass": 1} for n, a, b in (("a", 0, 1), ("b", 1, 3), ("c", 3, 2))],
                "joints": [{"name": n, "type": "revolute", "bodies": pair, "at": [x, 0]} for n, pair, x in (
                    ("A", ["ground", "a"], 0), ("B", ["a", "b"], 1), ("C", ["b", "c"], 3), ("D", ["ground", "c"], 2))],
                "initial": {"A.rate": 1}, "simulate": {"until": 0.01}}
    assert flat.run(until=0.1).warnings == []
    with pytest.warns(biela.ModelWarning, match="starting configuration is singular"):
        try:
            r = biela.Model.from_dict(singular).run()
        except biela.NumericalError as error:  # the motion may end there; the warning came before
            r = error.result
            import warnings
            warnings.warn(str(r.warnings[0]), biela.ModelWarning)
    assert "singular" in r.warnings[0].text


def test_progress_goes_to_a_function_and_its_exception_ends_the_run():
    m = biela.Model(scene("double_pendulum"))
    seen = []
    m.run(until=4000, tolerance=1e-12, every=1000, progress=lambda t, until, wall: seen.append((t, until, wall)))
    assert seen and all(until == 4000 and 0 < t <= 4000 for t, until, _ in seen)

    def fail(t, until, wall):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        m.run(until=1e6, tolerance=1e-12, every=1e5, progress=fail)


def test_bars_are_for_terminals(capsys):
    import io

    from biela._watch import Bar

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    bar = Bar(stream)
    bar(1, 4, 0.1)
    assert stream.getvalue() == ""  # short runs show nothing
    bar(1, 4, 2)
    assert " 25 % |######------------------| 1 of 4, 2 s, 6 s left" in stream.getvalue()
    bar.clear()
    assert stream.getvalue().endswith(" \r")
    assert not Bar(io.StringIO()).shown
