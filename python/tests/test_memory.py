"""Memory: everything is freed, in any order, also in cycles and after failures."""
import gc
import weakref

import pytest
from conftest import ROD, scene

import biela
from biela import _handle


@pytest.fixture
def contexts(monkeypatch):
    """all contexts that are made; at the end those that are left, with their blocks"""
    made = []
    destroy = _handle.lib.bl_context_destroy
    blocks = []

    class Counted(_handle.Context):
        __slots__ = ()

        def __init__(self):
            super().__init__()
            made.append(weakref.ref(self))
            function = self._destroy
            self._destroy = lambda value: (blocks.append(_handle.lib.bl_context_memory(value).live_blocks), function(value))

    for name in ("_model", "_study", "_studies", "_simulation", "_store", "_tables", "_modes", "_page", "_mesh"):
        module = getattr(biela, name, None)
        if module is not None and hasattr(module, "Context"):
            monkeypatch.setattr(module, "Context", Counted)
    yield made, blocks
    assert destroy is _handle.lib.bl_context_destroy


def end(contexts):
    gc.collect()
    made, blocks = contexts
    assert made and [r for r in made if r() is not None] == []
    assert len(blocks) == len(made) and blocks == [0] * len(made)


def test_models_runs_and_studies_free_everything(contexts, tmp_path):
    def work():
        m = biela.Model(scene("slider_crank_motor"))
        r = m.run(until=0.2, save=tmp_path / "a.h5")
        r.save(tmp_path / "b.h5")
        old = biela.Result(tmp_path / "b.h5")
        old["A.angle"], r["A.angle"], r.events, old.events, m.scene, repr(m), r._repr_html_(), m._repr_html_()
        m.check(), m.structure(), m.kinematics(until=0.1), m.inverse(until=0.1), m.move({"A.angle": 0.1}), m.rates(), m.assemble()
        m.order(timings=False)
        p = biela.Model.from_dict(ROD)
        p.equilibrium(), p.modes(inputs="A.torque", outputs="A.angle").linear.response(), p.series(4)
        biela.Model(scene("ziegler_column")).modes_path("P", 1, 3, 5)
        biela.kinds(), biela.stability("rk4"), biela.adomian("u", {"u": [1]})
        with p.simulation() as s:
            c = s.copy()
            s.reach(0.1), s.save(), s.sample, s.linearize(anyway=True), s.jump({"A.angle": 0}), s.set(l=2)
            del c
    work()
    end(contexts)


def test_failures_free_everything(contexts, tmp_path):
    def fail(call):
        try:
            call()
        except (biela.Error, ValueError):
            return
        raise AssertionError("no error")

    fail(lambda: biela.Model(text="model: ["))
    fail(lambda: biela.Model(scene("pendulum")).run(integrator="nothing"))
    fail(lambda: biela.Model(scene("pendulum")).run(save=tmp_path / "no/such.h5"))
    fail(lambda: biela.Model(scene("pendulum")).simulation(tolerance=5))
    fail(lambda: biela.Model(scene("inclined_block")).equilibrium())
    fail(lambda: biela.Model(scene("slider_crank")).move({"guide.distance": 0.5}))
    fail(lambda: biela.Model(scene("pendulum")).inverse())
    fail(lambda: biela.Result(tmp_path / "nothing.h5"))
    end(contexts)


def test_objects_in_cycles_are_freed_in_any_order(contexts):
    for k in range(20):
        m = biela.Model.from_dict(ROD)
        s = m.simulation()
        r = m.run(until=0.1)
        cycle = [m, s, r, s.copy()] if k % 2 else [r, s, m, s.copy()]
        cycle.append(cycle)
        m.loop, s.loop, r.loop = cycle, cycle, cycle
        del m, s, r, cycle
    end(contexts)


def test_arrays_keep_their_memory(contexts):
    x = biela.Model.from_dict(ROD).run(until=0.5)["tip.x"]
    gc.collect()
    made, blocks = contexts
    assert len([r for r in made if r() is not None]) == 1 and float(x[0]) == 1.0
    del x
    end(contexts)


def test_closing_twice_is_allowed(contexts):
    m = biela.Model.from_dict(ROD)
    s = m.simulation()
    s.close()
    s.close()
    s._handle.close()
    del m, s
    end(contexts)
