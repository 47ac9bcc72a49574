"""Simulations: the same bits as a run, however the way is divided; reading, changing, snapshots."""
import numpy as np
import pytest
from conftest import ROD, scene

import biela


@pytest.mark.parametrize("name", ["bricard", "four_bar", "slider_crank_motor", "double_pendulum"])
def test_a_simulation_has_the_bits_of_a_run(name):
    m = biela.Model(scene(name))
    r = m.run(until=1, every=0.05)
    with m.simulation(until=1) as s:
        outputs = [n for n in s.names() if n in r]
        for k, t in enumerate(r.t):
            assert s.reach(t) and s.t == t
            values = s.read(outputs)
            assert np.array_equal(values, [r[n][k] for n in outputs])
        assert s.summary.steps == r.summary.steps


def test_samples_have_everything_and_stay(rod):
    with rod.simulation() as s:
        s.reach(0.5)
        first = s.sample
        angle = first.variable["A.angle"]
        assert s["A.angle"] == angle and first.t == 0.5
        assert np.allclose(first.probe["tip"], [np.cos(angle), np.sin(angle), 0], atol=1e-12)
        assert first.body["rod"].position.shape == (3,) and first.reaction["A"].force.shape == (3,)
        assert first.rate["A.angle"] == s["A.rate"]
        s.reach(1)
        assert first.variable["A.angle"] == angle != s["A.angle"]
        with pytest.raises(biela.UnknownName, match="did you mean 'rod'"):
            first.body["rode"]
        assert first.kinetic + first.potential - first.work == pytest.approx(s.sample.kinetic + s.sample.potential, abs=1e-7)


def test_read_fills_an_array(rod):
    with rod.simulation() as s:
        s.reach(0.3)
        out = np.empty(2)
        assert s.read(["A.angle", "A.rate"], out=out) is out and out[0] == s["A.angle"] and out[1] == s["A.rate"]
        assert s.read("tip.x").shape == (1,)
        with pytest.raises(biela.UnknownName) as caught:
            s["A.angel"]
        assert caught.value.advice == "did you mean 'A.angle'?"


def test_steps_of_the_method(rod):
    with rod.simulation(until=2) as s:
        times = []
        while s.t < 2:
            times.append(s.step())
    assert np.array_equal(times, rod.run(every_step=True).t[1:])


def test_snapshots_and_copies_go_on_with_the_same_bits(rod):
    with rod.simulation() as s:
        s.reach(0.7)
        state = s.save()
        other = s.copy()
        s.reach(1.9)
        end = s.read(["A.angle", "A.rate"])
        s.restore(state)
        assert s.t == 0.7
        s.reach(1.9)
        other.reach(1.9)
        assert np.array_equal(s.read(["A.angle", "A.rate"]), end) and np.array_equal(other.read(["A.angle", "A.rate"]), end)
        s.reset()
        assert s.t == 0 and s["A.angle"] == 0
        for damaged in (b"", state[:-1], b"\0" + state[1:], state[:40] + bytes([state[40] ^ 1]) + state[41:]):
            with pytest.raises(biela.UsageError):
                s.restore(damaged)
        with pytest.raises(biela.UsageError):
            biela.Model.from_dict(ROD, set={"l": 2}).simulation().restore(state)
        other.close()


def test_jumps_change_variables_and_rates(rod):
    with rod.simulation() as s:
        s.reach(0.5)
        s.jump({"A.angle": -1.0, "A.rate": 0.0})
        assert abs(s["A.angle"] + 1) < 1e-12 and abs(s["A.rate"]) < 1e-12 and s.t == 0.5
        with pytest.raises(biela.UsageError):
            s.jump({"B.angle": 1})


def test_parameters_change_on_the_way(rod):
    with rod.simulation() as s:
        s.reach(0.5)
        angle = s["A.angle"]
        s.parameter["l"] = 0.5
        assert s.parameter["l"] == 0.5 and list(s.parameter) == ["l", "m"]
        assert s["A.angle"] == pytest.approx(angle, abs=1e-9)
        assert np.hypot(s["tip.x"], s["tip.y"]) == pytest.approx(0.5, abs=1e-12)
        s.set(l=0.25, m=3)
        assert np.hypot(s["tip.x"], s["tip.y"]) == pytest.approx(0.25, abs=1e-12)
        # a shorter rod swings faster: half a period later it is as far on the other side
        with pytest.raises(biela.UsageError):
            s.set(length=1)
        with pytest.raises(biela.UnknownName):
            s.parameter["length"]


def test_stop_expressions_end_reach_and_it_goes_on():
    m = biela.Model.from_dict({**ROD, "simulate": {"until": 5, "tolerance": 1e-10, "stop": "A.angle + 1"}})
    with m.simulation() as s:
        assert not s.reach(2)
        assert s.t < 2 and abs(s["A.angle"] + 1) < 1e-9
        assert s.reach(s.t + 0.1)


def test_errors_keep_the_last_good_state(rod):
    with rod.simulation() as s:
        s.reach(0.5)
        with pytest.raises(biela.UsageError, match="before the present time"):
            s.reach(0.4)
        assert s.t == 0.5
        with pytest.raises(biela.UsageError, match="no option 'toleranc'"):
            rod.simulation(toleranc=1)
    with pytest.raises(biela.UsageError, match="closed"):
        s.reach(1)
    with pytest.raises(biela.UsageError, match="closed"):
        s["A.angle"]
    s.close()
    assert "closed" in repr(s)


def test_linearize_at_the_lowest_point_gives_the_pendulum():
    """omega^2 = (3/2) g / l; a moment on the hinge gives 3 / (m l^2)"""
    hanging = {**ROD, "bodies": [{"name": "rod", "rod": {"from": [0, 0], "to": [0, "=-l"]}, "mass": "=m"}],
               "probes": {"tip": {"body": "rod", "at": [0, "=-l"]}}}
    with biela.Model.from_dict(hanging).simulation() as s:
        lin = s.linearize(inputs="A.torque", outputs=["A.angle", "A.rate"])
        omega = np.sqrt(1.5 * 9.81)
        assert lin.omega[0] == pytest.approx(omega, rel=1e-9)
        assert np.allclose(np.sort(np.abs(np.linalg.eigvals(lin.A))), [omega, omega])
        assert np.allclose(lin.A, [[0, 1], [-omega ** 2, 0]], atol=1e-9) and np.allclose(lin.B, [[0], [3 / 2]])
        assert np.allclose(lin.C, np.eye(2)) and np.allclose(lin.D, 0) and lin.states == ["A.angle", "A.angle_rate"]


def test_a_second_simulation_may_use_the_same_model(rod):
    one, two = rod.simulation(), rod.simulation()
    one.reach(0.5)
    two.reach(0.25)
    two.reach(0.5)
    assert one["A.angle"] == two["A.angle"]
    del rod  # the model lives as long as they
    one.reach(1)


def test_drivers_follow_inputs():
    """a mass of 2 kg moved by a cubic: x = 3 t^2 - 2 t^3, force = 2 (6 - 12 t)"""
    cart = {"model": "cart", "dimension": 2, "gravity": [0, 0], "inputs": {"to": 0},
            "bodies": [{"name": "cart", "mass": 2, "center": [0, 0], "inertia": 1}],
            "joints": [{"name": "g", "type": "prismatic", "bodies": ["ground", "cart"], "at": [0, 0], "axis": [1, 0]}],
            "drivers": [{"name": "motor", "variable": "g.distance", "value": "=to"}], "simulate": {"until": 2}}
    with biela.Model.from_dict(cart).simulation() as s:
        s.lead("to", 1, 0, 1)
        s.reach(0.25)
        assert s["g.distance"] == pytest.approx(0.1875 - 0.03125, abs=1e-12) and s["motor.force"] == pytest.approx(6, abs=1e-9)
        s.reach(1.5)
        assert s["g.distance"] == pytest.approx(1, abs=1e-12) and s["g.rate"] == pytest.approx(0, abs=1e-12)
        with pytest.raises(biela.UsageError, match="g.distance follows it"):
            s.input["to"] = 2


def test_inputs_act_from_now_on():
    """a constant torque on a wheel of inertia 2 about its axis"""
    wheel = {"model": "wheel", "dimension": 2, "gravity": [0, 0], "inputs": {"torque": 0},
             "bodies": [{"name": "wheel", "mass": 1, "center": [0, 0], "inertia": 2}],
             "joints": [{"name": "A", "type": "revolute", "bodies": ["ground", "wheel"], "at": [0, 0]}],
             "forces": [{"name": "drive", "type": "torque", "body": "wheel", "torque": "=torque"}],
             "simulate": {"until": 4}}
    with biela.Model.from_dict(wheel).simulation() as s:
        s.reach(1)
        assert s["A.rate"] == 0
        s.input["torque"] = 3
        s.reach(2)
        assert s["A.rate"] == pytest.approx(1.5, abs=1e-9)
        s.input["torque"] = (0, 2)  # grows by 2 N m per second
        s.reach(3)
        assert s["A.rate"] == pytest.approx(1.5 + 0.5, abs=1e-9)
        assert s["torque"] == s.input["torque"] == 2 and list(s.input) == ["torque"] and s.sample.signal["torque"] == 2
        with pytest.raises(biela.UnknownName, match="did you mean 'torque'"):
            s.input["torqe"] = 1
        with pytest.raises(biela.UsageError):
            s.input["torque"] = float("nan")
    with biela.Model.from_dict(wheel).simulation() as s:
        s.lead("torque", 6, 0, 1)  # 18 t^2 - 12 t^3
        s.reach(2)
        assert s["A.rate"] == pytest.approx((6 - 3 + 6) / 2, abs=1e-9) and s["torque"] == 6
        with pytest.raises(biela.UnknownName, match="did you mean 'torque'"):
            s.lead("torqe", 1, 0, 3)
        with pytest.raises(biela.UsageError, match="present time"):
            s.lead("torque", 1, 0, 2)
    r = biela.Model.from_dict(wheel).run(until=1)
    assert np.all(r["torque"] == 0) and r.signal["torque"].value.shape == r.t.shape


def test_numbers_beside_bodies_are_in_results():
    """the motor of docs/MODEL.md without load: i' = (V - R i)/L"""
    motor = {"model": "motor", "dimension": 2, "parameters": {"R": 2, "L": 0.5}, "held": {"V": 12},
             "states": [{"name": "i", "start": 0, "rate": "=(V - R*i)/L", "unit": "A"}],
             "bodies": [{"name": "rotor", "mass": 1, "center": [0, 0], "inertia": 1}],
             "joints": [{"name": "shaft", "type": "revolute", "bodies": ["ground", "rotor"], "at": [0, 0]}],
             "forces": [{"type": "torque", "body": "rotor", "torque": "=0*i"}], "simulate": {"until": 1, "tolerance": 1e-10}}
    r = biela.Model.from_dict(motor).run()
    assert np.allclose(r["i"], 6 * (1 - np.exp(-4 * r.t)), atol=1e-8) and r.unit("i") == "A" and "V" in r.names()
    with biela.Model.from_dict(motor).simulation() as s:
        s.reach(0.5)
        assert s["i"] == pytest.approx(6 * (1 - np.exp(-2)), abs=1e-8) and s["V"] == 12 and "i" in s.names()


def test_inputs_follow_tables(tmp_path):
    """a wheel of 2 kg m^2 under a torque that is linear between rows, or held: its angular momentum is the area below it"""
    wheel = biela.Model.from_dict({"model": "wheel", "dimension": 2, "inputs": {"torque": 5},
                                   "bodies": [{"name": "wheel", "mass": 1, "center": [0, 0], "inertia": 2}],
                                   "joints": [{"name": "A", "type": "revolute", "bodies": ["ground", "wheel"], "at": [0, 0]}],
                                   "forces": [{"type": "torque", "body": "wheel", "torque": "=torque"}]})
    table = {"t": [0, 1, 3], "torque": np.array([3, 3, 0])}
    r = wheel.run(until=4, inputs=table)
    assert r["A.rate"][-1] == pytest.approx((3 + 3) / 2, abs=1e-12) and r["torque"][0] == 3 and r["torque"][-1] == 0
    assert wheel.run(until=4, inputs=table, input_hold=True)["A.rate"][-1] == pytest.approx((3 + 6) / 2, abs=1e-12)
    file = tmp_path / "torque.csv"
    file.write_text("time;torque\n0;3\n1;3\n3;0\n")
    assert wheel.run(until=4, inputs=file)["A.rate"][-1] == r["A.rate"][-1]
    with wheel.simulation(until=4, inputs=table) as s:
        s.reach(4)
        assert s["A.rate"] == r["A.rate"][-1]
        with pytest.raises(biela.UsageError, match="follows a table"):
            s.input["torque"] = 1
    for wrong, words in (({"t": [0, 1], "torqe": [0, 0]}, "no input 'torqe'"), ({"t": [0, 0], "torque": [0, 0]}, "must increase"),
                         ({"torque": [0]}, "times as 't'"), ({"t": [0, 1], "torque": [0]}, "1 values for 2 times")):
        with pytest.raises(biela.UsageError, match=words):
            wheel.run(until=1, inputs=wrong)
    file.write_text("time;torque\n0;3\n1;x\n")
    with pytest.raises(biela.ModelError, match="not a finite number") as caught:
        wheel.run(until=1, inputs=file)
    assert caught.value.line == 3
    with pytest.raises(biela.UsageError, match="input_hold"):
        wheel.run(until=1, input_hold=True)


@pytest.mark.parametrize("name", ["bouncing_ball", "four_bar_stop", "rocking_block"])
def test_contacts_by_name(name):
    m = biela.Model(scene(name))
    r = m.run(until=1.2, every=0.1)
    with m.simulation(until=1.2) as s:
        outputs = [n for n in s.names() if n in r and n.rpartition(".")[0] in r.contact]
        assert any(n.endswith(".gap") for n in outputs) and any(n.endswith(".fn") for n in outputs)
        for k, t in enumerate(r.t):
            assert s.reach(t)
            assert np.array_equal(s.read(outputs), [r[n][k] for n in outputs])
            for contact in r.contact:
                now = s.sample.contact[contact]
                assert now.gap == s[contact + ".gap"] == r.contact[contact].gap[k] and np.array_equal(now.force, r.contact[contact].force[k])
                assert now.state == s[contact + ".state"] and repr(now)
        assert s.summary.impacts == r.summary.impacts > 0 and s.summary.lost_in_impacts == r.summary.lost_in_impacts
        with pytest.raises(biela.UnknownName, match="contacts have gap"):
            s[contact + ".gab"]
