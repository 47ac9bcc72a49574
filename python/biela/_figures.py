"""Curves: with matplotlib for plot(), and small ones of our own for notebooks."""
from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Dict, List, Sequence

import numpy as np

from ._records import shown

if TYPE_CHECKING:
    from ._model import Model
    from ._result import Result

_COLORS = ("#3b6ea8", "#b5651d", "#4a8c4a", "#8c4a7f", "#7a7a2b", "#2b8a8a")


def _label(name: str, unit: str) -> str:
    return f"{name} ({unit})" if unit and unit != "1" else name


def plot(result: "Result", names: Sequence[str], against: str, axes: Any) -> Any:
    """One panel per unit, all over the same axis."""
    import matplotlib.pyplot as pyplot
    panels: Dict[str, List[str]] = {}
    for name in names:
        panels.setdefault(result.unit(name), []).append(name)
    if axes is None:
        _, made = pyplot.subplots(len(panels), 1, sharex=True, squeeze=False, figsize=(7, 1.2 + 2.4 * len(panels)), layout="constrained")
        panes = list(made[:, 0])
    else:
        panes = list(np.atleast_1d(axes))
        panes += [panes[-1]] * (len(panels) - len(panes))
    for pane, (unit, own) in zip(panes, panels.items()):
        for name in own:
            x = result["step.time"] if name.startswith("step.") and against == "t" else result[against]
            pane.plot(x, result[name], label=name)
        pane.set_ylabel(_label(own[0], unit) if len(own) == 1 else unit)
        if len(own) > 1:
            pane.legend()
        pane.grid(True, alpha=0.3)
    panes[-1].set_xlabel(_label(against, result.unit(against)))
    return panes[0] if len(panes) == 1 else panes


def curves_svg(result: "Result", names: Sequence[str], width: int = 480, height: int = 180) -> str:
    """Curves over time, each scaled to its own range, which the legend shows."""
    t = result.t
    parts = [f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" fill="none" stroke="#ccc"/>']
    legend = []
    finite = np.isfinite(t)
    for k, name in enumerate(names):
        y, color = np.asarray(result[name], dtype=float), _COLORS[k % len(_COLORS)]
        good = finite & np.isfinite(y)
        if good.sum() < 2:
            continue
        low, high = float(y[good].min()), float(y[good].max())
        x = (t[good] - t[good][0]) / max(float(np.ptp(t[good])), 1e-300) * (width - 8) + 4
        v = height - 8 - (y[good] - low) / (high - low if high > low else 1.0) * (height - 16)
        every = max(1, len(x) // 1000)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x[::every], v[::every]))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.4"/>')
        legend.append(f'<span style="color:{color}">{html.escape(_label(name, result.unit(name)))}: {low:.4g} to {high:.4g}</span>')
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">{"".join(parts)}</svg>'
    return f"{svg}<div>{' &nbsp; '.join(legend)}</div>"


def _table(rows: Sequence[Any]) -> str:
    cells = "".join(f"<tr><td>{html.escape(str(a))}</td><td>{html.escape(str(b))}</td></tr>" for a, b in rows)
    return f"<table>{cells}</table>"


def result_html(result: "Result") -> str:
    s, info = result.summary, result.info
    rows = [("status", f"{s.status} at t = {shown(float(s.t))}"), ("samples", len(result)),
            ("methods", ", ".join(str(info[key]) for key in ("coordinates", "formulation", "integrator") if info.get(key))),
            ("steps", f"{s.steps}, {s.rejections} rejected"), ("largest drift", f"{s.largest_drift:.3g}"),
            ("energy error", f"{s.largest_energy_error:.3g} J"), ("wall time", f"{s.wall_seconds:.3g} s")]
    rows += [("warning", str(warning)) for warning in result.warnings]
    names = result._first_names()
    curves = curves_svg(result, names) if names and len(result) > 1 else ""
    return f"<b>{html.escape(result.name)}</b>{_table(rows)}{curves}"


def model_html(model: "Model") -> str:
    scene = model.scene
    rows: List[Any] = [("dimension", scene["dimension"])]
    rows += [(key, ", ".join(part["name"] for part in scene[key][:12]) + (" ..." if len(scene[key]) > 12 else ""))
             for key in ("bodies", "joints", "drivers", "springs", "forces", "probes") if scene[key]]
    if model.parameters:
        rows.append(("parameters", ", ".join(f"{name} = {value:.6g}" for name, value in list(model.parameters.items())[:12])))
    drawing = ""
    if scene["bodies"]:
        drawing = model.svg()
        try:
            if len(scene["bodies"]) > 300:
                raise ValueError("not examined: more than 300 bodies")
            found = model.check()
            rows.append(("mobility", f"{found.mobility_rank} by rank, {found.mobility_count} by counting; {found.redundant} redundant equations"))
            rows += [(finding.level, f"{finding.part}: {finding.text}") for finding in found.findings]
        except Exception as error:  # a model that cannot be assembled is still shown
            rows.append(("mobility", str(error)))
    return f"<b>{html.escape(model.name)}</b>{_table(rows)}{drawing}"
