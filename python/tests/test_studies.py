"""Studies: the numbers of the command, and facts known by hand."""
import numpy as np
import pytest
from conftest import ROD, command, scene

import biela


def test_check():
    found, wanted = biela.Model(scene("bricard")).check(), command("check", scene("bricard"))
    for key in ("bodies", "joints", "rows", "rank", "redundant", "mobility_count", "mobility_rank", "overconstraint", "idle"):
        assert getattr(found, key) == wanted[key]
    assert [f._asdict() for f in found.findings] == wanted["findings"]


def test_assemble():
    r, wanted = biela.Model(scene("bricard")).assemble(), command("assemble", scene("bricard"))["times"][0]
    assert len(r) == 1
    for body in r.body:
        assert np.array_equal(r.body[body].position[0], wanted["bodies"][body]["position"])


def test_structure():
    m = biela.Model(scene("jansen_leg"))
    found, wanted = m.structure(), command("structure", scene("jansen_leg"))
    names = wanted["names"]
    assert [g.links for g in found.groups] == [[names[k - 1] for k in group] for group in wanted["groups"]]
    assert [g.kind for g in found.groups] == [d["kind"] for d in wanted["details"]]
    assert found.complete and found.mobility == wanted["mobility"] and found.mobility_rank == wanted["mobility_rank"]
    assert [g.links for g in m.structure(search=True).groups] == [g.links for g in found.groups]
    open_one = biela.Model(scene("bricard")).structure()
    assert not open_one.complete and open_one.remaining[0].state == "under" and open_one.exceptions[0].kind == "special geometry"


def test_kinematics():
    r, wanted = biela.Model(scene("jansen_leg")).kinematics(), command("kinematics", scene("jansen_leg"))
    assert r.counted.ngroup == r.counted.nclosed == 4 and r.counted.largest == 2
    for body in r.body:
        assert np.array_equal(r.body[body].acceleration, [s["bodies"][body]["acceleration"] for s in wanted["times"]])
    with pytest.raises(biela.UsageError, match="no energies"):
        r.energy.kinetic
    newton = biela.Model(scene("jansen_leg")).kinematics(solver="newton")
    assert np.allclose(newton.quantity("bodies/position"), r.quantity("bodies/position"), atol=1e-10)


def test_equilibrium_of_a_rod_on_a_spring():
    """m g (l/2) cos(angle) = k angle ... the rod of 2 kg hangs at -pi/2 without a spring"""
    m = biela.Model.from_dict(ROD)
    found = m.equilibrium()
    assert found.stability == "stable" and found["A.angle"][0] == pytest.approx(-np.pi / 2, abs=1e-9)
    soft = found.points[0].softest[0]
    assert soft.stiffness == pytest.approx(2 * 9.81 / 2, rel=1e-9) and soft.eigenvalue == pytest.approx(1.5 * 9.81, rel=1e-9)
    assert np.allclose(found.reaction["A"].force[0], [0, 2 * 9.81, 0], atol=1e-9)


def test_equilibrium_paths_and_branches():
    m = biela.Model(scene("upright_rod"))
    every = m.equilibrium(starts=10, any=True, plain=True)
    wanted = command("equilibrium", scene("upright_rod"))
    assert every.found >= 1 and len(every.points) == len(every)
    assert wanted["status"] == "done"
    truss = biela.Model(text="model: t\nparameters: {k: 1000, height: 0.2, P: 5, L: =sqrt(1 + height^2)}\n"
                             "equations: {states: [{name: y, start: =height, acceleration: '=-P*t + 2*k*(L/sqrt(1 + y^2) - 1)*y'}]}\n")
    path = truss.equilibrium(1.0, arc_length=True)
    limits = [c for c in path.critical if c.what == "limit"]
    # the load P t = 2 k (L/sqrt(1 + y^2) - 1) y is largest where 1 + y^2 = L^(2/3)
    y = np.sqrt(1.04 ** (1 / 3) - 1)
    largest = 2 * 1000 * (np.sqrt(1.04) / np.sqrt(1 + y * y) - 1) * y / 5
    assert [abs(c.t) for c in limits] == pytest.approx([largest, largest], rel=1e-9)
    assert {p.stability for p in path.points if p.critical is None} == {"stable", "unstable"}


def test_modes():
    m = biela.Model(scene("quarter_car"))
    found, wanted = m.modes(), command("modes", scene("quarter_car"))
    for key in ("frequency", "damping", "re", "im"):
        mine = {"re": found.poles.real, "im": found.poles.imag}.get(key, getattr(found, key, None))
        assert np.array_equal(mine, [mode[key] for mode in wanted["modes"]])
    assert found.stability == "stable" and found.is_complex and len(found) == 2
    assert len(found.result) == 2  # shapes as samples
    lin = m.modes(linear=True)
    assert np.array_equal(lin.A, wanted["A"])
    poles = np.linalg.eigvals(lin.A)
    assert np.allclose(np.sort(poles.imag[poles.imag > 0]), np.sort(found.poles.imag), rtol=1e-8)


def test_matrices_and_responses_of_a_pendulum():
    m = biela.Model.from_dict(ROD)
    lin = m.modes(inputs="A.torque", outputs=["A.angle", "reaction.A.fx"]).linear
    omega0 = np.sqrt(1.5 * 9.81)
    omega, H = lin.response([0.0, 1.0, 10.0])
    # a rod hanging at rest: (m l^2/3)(omega0^2 - omega^2) angle = torque
    assert np.allclose(H[:, 0, 0], 1.5 / (omega0 ** 2 - omega ** 2), rtol=1e-9)
    assert H.dtype == complex and H.shape == (3, 2, 1)
    at = lin.frequencies(1, 100, 50)
    assert len(at) == 50 and at[0] == 1 and at[-1] == pytest.approx(100)
    direct = lin.C @ np.linalg.solve(1j * 10 * np.eye(2) - lin.A, lin.B) + lin.D
    assert np.allclose(direct, H[2], rtol=1e-9)


def test_matrices_are_written(tmp_path):
    lin = biela.Model.from_dict(ROD).modes(inputs="A.torque", outputs="A.angle").linear
    lin.write(tmp_path / "rod.json")
    import json
    assert np.allclose(json.loads((tmp_path / "rod.json").read_text())["A"], lin.A)
    with pytest.raises(biela.UsageError):
        lin.write(tmp_path / "rod.txt")
    with pytest.raises(biela.UsageError, match="no matrices"):
        biela.Model(scene("oscillator")).modes(damped=False).A


def test_modes_over_a_parameter():
    found = biela.Model(scene("ziegler_column")).modes_path("P", 1, 3)
    first = found.crossings[0]
    assert first.unstable and first.value == pytest.approx(2.0857864376, abs=1e-9) and first.omega == pytest.approx(0.840896415, abs=1e-8)
    assert found.poles.shape == (101, 4) and np.allclose(found.values, np.linspace(1, 3, 101))


def test_modal_response():
    m = biela.Model(scene("bathe_2dof"))
    r = m.modes(None, until=1.0, every=0.1)
    assert r.answer is not None and len(r.answer) == 11


def test_inverse():
    m = biela.Model(scene("slider_crank_motor"))
    r, wanted = m.inverse(check=True), command("inverse", scene("slider_crank_motor"), "--check")
    motor = wanted["inverse"]["actuators"]["motor"]
    assert r.actuators["motor"].largest == motor["largest"] and r.actuators["motor"].rms == motor["rms"]
    assert r.checked["deviation"] < 1e-8 and r.period == pytest.approx(2 * np.pi / 10)
    assert np.array_equal(r["motor.force"], [s["actuators"]["motor"]["force"] for s in wanted["times"]])


def test_move_and_rates():
    """the slider-crank of docs/COMMANDS.md"""
    m = biela.Model(scene("slider_crank"))
    moved = m.move({"A.angle": 1})
    assert moved.end == "done" and moved.share == 1 and moved.t[-1] == 1
    assert moved.variables["guide.distance"].value == pytest.approx(-0.193412726, abs=1e-8)
    assert moved.targets["A.angle"].wanted == 1 and moved["A.angle"][-1] == pytest.approx(1)
    found = m.rates({"A.angle": (10, 3)}, move={"A.angle": 1}, outputs="guide.distance")
    row = found.variables["guide.distance"]
    assert row.rate == pytest.approx(-1.42850563, abs=1e-7) and row.acceleration == pytest.approx(13.4418923, abs=1e-6)
    assert row.ratio == pytest.approx([-0.142850563], abs=1e-8)
    assert found.advantages["guide.distance"] == pytest.approx([-7.00032245], abs=1e-7)
    assert found.transmissions[0].form == "RRP" and found.transmissions[0].angle == pytest.approx(1.20738973, abs=1e-7)
    assert found.bodies["slider"].velocity[0] == pytest.approx(row.rate)
    with pytest.raises(biela.UsageError):
        m.rates({"nothing": 1})


def test_kinematics_are_saved_as_by_the_command(tmp_path):
    biela.Model(scene("jansen_leg")).kinematics().save(tmp_path / "mine.csv")
    import subprocess

    from conftest import BUILD
    subprocess.run([BUILD / "biela", "kinematics", scene("jansen_leg"), "-q", "-o", tmp_path / "c.h5", "--csv", tmp_path / "c.csv"], check=True)
    assert (tmp_path / "mine.csv").read_bytes() == (tmp_path / "c.csv").read_bytes()


def test_decks(tmp_path):
    """a bar of length 2 and section 3, E = 210, pulled by 7: it gets longer by F l / (E A)"""
    deck = tmp_path / "bar.inp"
    deck.write_text("*NODE, NSET=ALL\n1, 0, 0, 0\n2, 2, 0, 0\n*ELEMENT, TYPE=T3D2, ELSET=E\n1, 1, 2\n*MATERIAL, NAME=M\n*ELASTIC\n210, 0.3\n"
                    "*SOLID SECTION, ELSET=E, MATERIAL=M\n3\n*BOUNDARY\n1, 1, 3\n2, 2, 3\n*STEP\n*STATIC\n*CLOAD\n2, 1, 7\n"
                    "*NODE PRINT, NSET=ALL\nU\n*END STEP\n")
    m = biela.Model(deck)
    assert m.is_deck
    found = m.run_deck()
    (table,) = [t for t in found.tables if t.what == "U"]
    assert found.status == "done" and list(table.labels[:, 0]) == [1, 2]
    assert table.values[1, 0] == pytest.approx(7 * 2 / (210 * 3), rel=1e-9)
    with pytest.raises(biela.UsageError, match="input deck"):
        m.run(until=1)
    with pytest.raises(biela.UsageError, match="not an input deck"):
        biela.Model.from_dict(ROD).run_deck()


def test_compare():
    found = biela.Model(scene("four_bar")).compare(until=0.2, tolerance=1e-5, formulations=["partition", "lagrange"],
                                                   integrators=["dopri45"], coordinates=["natural"])
    assert found.disagreed == found.failed == 0 and found.agreed >= 2
    assert {e.formulation for e in found.entries if e.agreement == "agreed"} >= {"partition", "lagrange"}
    assert all(e.trajectory <= e.allowed for e in found.entries if e.agreement == "agreed")


def test_order_and_series():
    found = biela.Model(scene("bricard")).order(timings=False)
    assert found.rank == 23 and {"natural", "colamd"} <= {e.name for e in found.entries}
    natural = next(e for e in found.entries if e.name == "natural")
    assert sorted(natural.col) == list(range(len(natural.col)))
    # the robot of docs/COMMANDS.md: u1 = sin t, u2 = -2 sin t
    s = biela.Model(scene("two_link_robot")).series(5)
    u = {c.name: c.coefficients for c in s.components if c.what == "position"}
    assert np.allclose(u["u1"], [0, 1, 0, -1 / 6, 0, 1 / 120], atol=1e-12) and np.allclose(u["u2"], -2 * u["u1"], atol=1e-12)


def test_what_needs_no_model():
    rk4 = biela.stability("rk4", region=True)["rk4"]
    assert rk4.order == 4 and rk4.imaginary_interval == pytest.approx(2 * np.sqrt(2), abs=1e-4) and not rk4.a_stable
    boundary = np.concatenate(rk4.region)
    z = boundary
    assert np.allclose(np.abs(1 + z + z ** 2 / 2 + z ** 3 / 6 + z ** 4 / 24), 1, atol=1e-4)
    with pytest.raises(biela.UsageError):
        biela.stability("rk5")
    # sin(u) with u = 0.5 + t
    A = biela.adomian("sin(u)", {"u": [0.5, 1, 0, 0]})
    assert np.allclose(A, [np.sin(0.5), np.cos(0.5), -np.sin(0.5) / 2, -np.cos(0.5) / 6])
    with pytest.raises(biela.UsageError, match="equal length"):
        biela.adomian("u*v", {"u": [1, 2], "v": [1]})
    assert {k.name for k in biela.kinds("joints")} >= {"revolute", "prismatic"} and len(biela.kinds()) > 100
    with pytest.raises(biela.UsageError):
        biela.kinds("animals")
    assert biela.reference().startswith("#")
