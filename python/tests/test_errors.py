"""Errors: which exception, with which position, part, time; what was computed is kept."""
import json

import numpy as np
import pytest
from conftest import ROD, command, scene

import biela


def test_errors_of_models_have_file_line_column_advice_and_part(tmp_path):
    text = "model: bad\ndimension: 2\nbodies: [{name: b, mass: 1, rod: {from: [0, 0], to: [1, 0]}}]\njoints:\n" \
           "  - {name: A, type: revolut, bodies: [ground, b], at: [0, 0]}\n"
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(biela.ModelError) as caught:
        biela.Model(path)
    e, wanted = caught.value, command("run", path)["error"]
    assert (e.what, e.advice, e.file, e.line, e.column, e.part) == tuple(
        wanted[key] for key in ("what", "advice", "file", "line", "column", "part"))
    assert (e.line, e.advice, e.part, e.time) == (5, "did you mean 'revolute'?", "A", None)
    assert str(e).startswith(f"{path}:5:") and "hint: did you mean 'revolute'?" in str(e)
    with pytest.raises(biela.ModelError) as caught:
        biela.Model(text=text, name="here")
    assert caught.value.file == "here" and caught.value.line == 5


def test_numerical_errors_have_time_part_and_result():
    """a crank that drives a four-bar linkage beyond its reach"""
    model = {"model": "locked", "dimension": 2,
             "bodies": [{"name": "crank", "rod": {"from": [0, 0], "to": [0, 1]}, "mass": 1},
                        {"name": "coupler", "rod": {"from": [0, 1], "to": [1, 1]}, "mass": 1},
                        {"name": "rocker", "rod": {"from": [1, 1], "to": [1.5, 0]}, "mass": 1}],
             "joints": [{"name": "A", "type": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
                        {"name": "B", "type": "revolute", "bodies": ["crank", "coupler"], "at": [0, 1]},
                        {"name": "C", "type": "revolute", "bodies": ["coupler", "rocker"], "at": [1, 1]},
                        {"name": "D", "type": "revolute", "bodies": ["ground", "rocker"], "at": [1.5, 0]}],
             "drivers": [{"variable": "A.angle", "value": "=10*t"}], "simulate": {"until": 1}}
    m = biela.Model.from_dict(model)
    for study in (m.kinematics, m.run):
        with pytest.raises(biela.NumericalError) as caught:
            study()
        e = caught.value
        assert e.time is not None and 0 < e.time < 1 and e.part
        assert e.result is not None and len(e.result) > 1 and e.result.t[-1] <= e.time + 1e-6
        assert np.all(np.isfinite(e.result["A.angle"]))
    # coupler and rocker in line, 1 + sqrt(1.25): cos of the crank's direction is (3.25 - (1 + sqrt(1.25))^2) / 3
    dead = np.arccos((3.25 - (1 + np.sqrt(1.25)) ** 2) / 3) - np.pi / 2
    with pytest.raises(biela.NumericalError) as caught:
        m.move({"A.angle": 1})
    r = caught.value.result
    assert r.end == "dead point" and r.share == pytest.approx(dead, abs=1e-6) and r["A.angle"][-1] == pytest.approx(dead, abs=1e-6)


def test_misuse_is_a_usage_error_and_a_value_error(rod):
    for call in (lambda: rod.run(until=1, integrator="rk5"), lambda: rod.run(until=1, tolerance=2), lambda: rod.run(coordinates="polar"),
                 lambda: biela.Model(), lambda: biela.Model("a", text="b"), lambda: biela.Model(text="a: 1", files="all"),
                 lambda: rod.modes(at="nowhere"), lambda: rod.equilibrium(criterion="all"), lambda: rod.inverse()):
        with pytest.raises(biela.UsageError) as caught:
            call()
        assert isinstance(caught.value, ValueError) and isinstance(caught.value, biela.Error) and caught.value.what
    with pytest.raises(biela.UsageError) as caught:
        rod.run(until=1, integrator="dopri54")
    assert caught.value.advice == "did you mean 'dopri45'?"


def test_a_missing_end_time_is_named():
    with pytest.raises(biela.UsageError, match="end time"):
        biela.Model.from_dict({k: v for k, v in ROD.items() if k != "simulate"}).run()


def test_missing_files():
    with pytest.raises(biela.Error) as caught:
        biela.Model("/no/such/model.yaml")
    assert "/no/such/model.yaml" in str(caught.value)


def test_texts_with_zero_bytes_are_refused(rod):
    with pytest.raises(ValueError):
        biela.Model("a\0b.yaml")
    with pytest.raises(ValueError):
        rod.run(until=1, integrator="rk4\0x")
    with pytest.raises(biela.ModelError):
        biela.Model(text="model: a\0b")


def test_files_outside_are_refused_if_confined(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "part.yaml").write_text(json.dumps(ROD))
    (tmp_path / "inner/m.yaml").write_text("include: ../part.yaml\n")
    assert biela.Model(tmp_path / "inner/m.yaml").name == "rod"
    with pytest.raises(biela.ModelError):
        biela.Model(tmp_path / "inner/m.yaml", files="inside")


def test_errors_pass_between_processes(rod, tmp_path):
    import pickle
    for call in (lambda: biela.Model(text="model: [", name="x"), lambda: rod.run(until=0.1)["nothing"], lambda: biela.Result(tmp_path / "no.h5"),
                 lambda: biela.Model(scene("slider_crank")).move({"guide.distance": 0.5})):
        with pytest.raises(biela.Error) as caught:
            call()
        again = pickle.loads(pickle.dumps(caught.value))
        assert type(again) is type(caught.value) and str(again) == str(caught.value) and again.line == caught.value.line and again.result is None
    stop = pickle.loads(pickle.dumps(biela.Interrupted("stopped", rod.run(until=0.1))))
    assert str(stop) == "stopped" and stop.result is None


def test_the_error_of_one_model_does_not_reach_another(rod):
    with pytest.raises(biela.ModelError):
        biela.Model(text="model: [")
    assert rod.run(until=0.1).status == "done"
    assert biela.Model(scene("pendulum")).check().findings is not None
