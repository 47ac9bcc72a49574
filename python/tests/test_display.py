"""Notebooks: tables, drawings, completion; plots; reports."""
import xml.etree.ElementTree as xml

import numpy as np
import pytest
from conftest import SCENES, scene

import biela
from biela import _draw


def svg_of(html):
    return xml.fromstring(html[html.index("<svg"):html.index("</svg>") + 6])


def test_models_show_their_mobility_and_a_drawing():
    m = biela.Model(scene("slider_crank_motor"))
    html = m._repr_html_()
    assert "1 by rank" in html or "0 by rank" in html
    assert "crank, rod, slider" in html and "a = 0.2" in html
    titles = [t.text for t in svg_of(html).iter("{http://www.w3.org/2000/svg}title")]
    assert {"crank", "rod", "slider", "A: revolute", "guide: prismatic"} <= set(titles)
    assert repr(m) == "<Model 'Slider-crank with a motor': dimension 2, 3 bodies, 4 joints, 1 driver, 1 probe>"


def test_drawings_keep_distances():
    """a bar of 0.2 m and one of 0.5 m in the same scale"""
    root = xml.fromstring(biela.Model(scene("slider_crank_motor")).svg())
    bars = [[tuple(map(float, p.split(","))) for p in line.get("points").split()] for line in root.iter() if line.get("stroke-width") == "5"]
    lengths = sorted(np.hypot(b[1][0] - b[0][0], b[1][1] - b[0][1]) for b in bars)
    assert lengths[1] / lengths[0] == pytest.approx(2.5, rel=0.01)


@pytest.mark.parametrize("path", sorted(SCENES.glob("*.yaml")), ids=lambda p: p.stem)
def test_every_scene_can_be_drawn(path):
    m = biela.Model(path)
    root = xml.fromstring(_draw.scene_svg(m.scene))
    numbers = [float(n) for item in root.iter() if item.get("points") for p in item.get("points").split() for n in p.split(",")]
    assert np.all(np.isfinite(numbers)) and all(-5 <= n <= 430 for n in numbers if m.scene["bodies"])
    assert m.name in repr(m) or repr(m)


def test_names_that_html_would_read_are_quoted():
    m = biela.Model.from_dict({"model": "<b>&", "dimension": 2, "bodies": [{"name": "a<b", "mass": 1, "center": [0, 0], "inertia": 1}]})
    assert "<b>&" not in m._repr_html_().replace("<b>&lt;", "") and "a&lt;b" in m._repr_html_()


def test_results_show_their_first_variables():
    r = biela.Model(scene("slider_crank_motor")).run()
    html = r._repr_html_()
    lines = [line for line in svg_of(html).iter() if line.get("points")]
    assert len(lines) == 4 and "A.angle (rad): 0 to 10" in html and "done at t = 1" in html
    assert "201 samples" in repr(r) and "steps" in repr(r.summary) and "<table>" in r.summary._repr_html_()
    assert "Result" in repr(biela.Model(scene("robertson")).run(until=1)) and biela.Model(scene("elastic_block")).run(until=1e-5)._repr_html_()


def test_completion():
    m = biela.Model(scene("slider_crank_motor"))
    r = m.run()
    assert "A.angle" in r._ipython_key_completions_() and "crank" in r.body._ipython_key_completions_()
    assert {"position", "velocity"} <= set(dir(r.body["crank"])) and "crank" in m.bodies._ipython_key_completions_()
    with m.simulation() as s:
        assert "reaction.A.fx" in s._ipython_key_completions_() and "a" in s.parameter._ipython_key_completions_()
        assert "crank" in s.sample.body._ipython_key_completions_()
    assert {"run", "check", "modes", "simulation"} <= set(dir(m))


def test_plots_have_a_panel_per_unit():
    pytest.importorskip("matplotlib")
    import matplotlib.pyplot as pyplot
    r = biela.Model(scene("slider_crank_motor")).run()
    panes = r.plot("A.angle", "B.angle", "guide.distance")
    assert len(panes) == 2 and panes[0].get_ylabel() == "rad" and panes[1].get_ylabel() == "guide.distance (m)"
    assert panes[1].get_xlabel() == "t (s)" and len(panes[0].lines) == 2
    assert np.array_equal(panes[1].lines[0].get_ydata(), r["guide.distance"])
    one = r.plot("C.x", against="A.angle")
    assert one.get_xlabel() == "A.angle (rad)"
    assert r.plot() is not None and r.plot("step.size") is not None
    figure, axes = pyplot.subplots()
    assert r.plot("C.x", axes=axes) is axes
    pyplot.close("all")


def test_reports_are_pages(tmp_path, monkeypatch):
    from biela import _page
    r = biela.Model(scene("slider_crank_motor")).run(until=0.1)
    try:
        _page._page()
    except biela.UsageError:
        pytest.skip("built without Node.js")
    r.report(tmp_path / "a.html", title="A title")
    text = (tmp_path / "a.html").read_text()
    assert text.lower().startswith("<!doctype html>") and "A title" in text
    r.save(tmp_path / "a.h5")
    biela.report([tmp_path / "a.h5", r], tmp_path / "both.html")
    assert (tmp_path / "both.html").stat().st_size > 1000
    opened = []
    monkeypatch.setattr(_page.webbrowser, "open", opened.append)
    assert r.show(tmp_path / "shown.html") == str(tmp_path / "shown.html") and opened == [(tmp_path / "shown.html").as_uri()]
    with pytest.raises(biela.FileError):
        r.report(tmp_path / "no/such/folder/a.html")
