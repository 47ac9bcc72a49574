"""A drawing of a model from its scene, as SVG: links as bars and plates, joints as circles and blocks, ground with hatching."""
from __future__ import annotations

import html
import math
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

_COLORS = ("#3b6ea8", "#b5651d", "#4a8c4a", "#8c4a7f", "#7a7a2b", "#2b8a8a", "#a83b3b", "#5b5b9b")
_SLANT = (math.radians(30), math.radians(25))  # azimuth and elevation from which spatial models are seen


class _View:
    """From the points of a scene to the picture."""

    def __init__(self, scene: Dict[str, Any], width: int, height: int) -> None:
        if scene["dimension"] == 3:
            a, e = _SLANT
            right = (-math.sin(a), math.cos(a), 0.0)
            up = (-math.sin(e) * math.cos(a), -math.sin(e) * math.sin(a), math.cos(e))
        else:
            right, up = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
        self._axes = np.array([right, up])
        points = self._axes @ np.array(_points(scene) or [(0.0, 0.0, 0.0)], dtype=float).T
        low, high = points.min(axis=1), points.max(axis=1)
        margin = 28.0
        span = np.maximum(high - low, 1e-12)
        self.scale = float(min((width - 2 * margin) / span[0], (height - 2 * margin) / span[1], 1e9))
        if not math.isfinite(self.scale) or max(span) <= 1e-12:
            self.scale = 1.0
        self._center = (low + high) / 2
        self._middle = np.array([width / 2, height / 2])

    def __call__(self, point: Sequence[float]) -> Tuple[float, float]:
        x, y = self._axes @ np.asarray(point, dtype=float) - self._center
        return float(self._middle[0] + self.scale * x), float(self._middle[1] - self.scale * y)


def _points(scene: Dict[str, Any]) -> List[Any]:
    found = [p for body in scene["bodies"] for p in [body["center"], *body["points"]]]
    for body in [*scene["bodies"], scene["ground"]]:
        for shape in body["shapes"]:
            found += [shape[key] for key in ("from", "to") if key in shape] + list(shape.get("points", ()))
    for part in [*scene["joints"], *scene["springs"], *scene["probes"]]:
        found += [part[key] for key in ("at", "at_b", "to") if isinstance(part.get(key), list)]
    return found


def _line(points: Sequence[Tuple[float, float]], **style: Any) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" {_style(fill="none", **style)}/>'


def _style(**style: Any) -> str:
    return " ".join(f'{key.replace("_", "-")}="{value}"' for key, value in style.items())


def _hull(points: List[Tuple[float, float]]) -> List[Tuple[float, float]]:
    """Convex hull, counterclockwise (monotone chain)."""
    points = sorted(set(points))
    if len(points) < 3:
        return points

    def half(order: List[Tuple[float, float]]) -> List[Tuple[float, float]]:
        chain: List[Tuple[float, float]] = []
        for p in order:
            while len(chain) > 1 and ((chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1])
                                      - (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0])) <= 0:
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return half(points) + half(points[::-1])


def _body(body: Dict[str, Any], color: str, view: _View) -> str:
    points = [view(p) for p in body["points"]]
    for shape in body["shapes"]:
        points += [view(shape[key]) for key in ("from", "to") if key in shape] + [view(p) for p in shape.get("points", ())]
        if "center" in shape and "radius" in shape:
            x, y = view(shape["center"])
            return (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{max(view.scale * shape["radius"], 2):.1f}" '
                    + _style(fill=color, fill_opacity=0.25, stroke=color, stroke_width=1.5) + "/>")
    center = view(body["center"])
    outline = _hull([(round(x, 1), round(y, 1)) for x, y in points])
    name = f"<title>{html.escape(body['name'])}</title>"
    if len(outline) > 2:
        path = " ".join(f"{x},{y}" for x, y in outline)
        drawn = f'<polygon points="{path}" {_style(fill=color, fill_opacity=0.25, stroke=color, stroke_width=3, stroke_linejoin="round")}/>'
    elif len(outline) == 2:
        drawn = _line(outline, stroke=color, stroke_width=5, stroke_linecap="round", stroke_opacity=0.85)
    else:
        x, y = center
        drawn = f'<rect x="{x - 9:.1f}" y="{y - 6:.1f}" width="18" height="12" rx="2" {_style(fill=color, fill_opacity=0.45, stroke=color)}/>'
    return f"<g>{name}{drawn}</g>"


def _ground(x: float, y: float) -> str:
    lines = [_line([(x - 9, y + 9), (x + 9, y + 9)], stroke="#666", stroke_width=1.5)]
    lines += [_line([(x + k, y + 9), (x + k - 4, y + 14)], stroke="#666", stroke_width=1) for k in (-6, -1, 4, 9)]
    return _line([(x - 6, y + 9), (x, y), (x + 6, y + 9)], stroke="#666", stroke_width=1.2) + "".join(lines)


def _joint(joint: Dict[str, Any], view: _View) -> str:
    if not isinstance(joint.get("at"), list):
        return ""  # a relation between joints
    x, y = view(joint["at"])
    name = f"<title>{html.escape(joint['name'])}: {html.escape(joint['kind'])}</title>"
    drawn = _ground(x, y) if -1 in (joint.get("a"), joint.get("b")) else ""
    color = "#c02020" if joint.get("driven") else "#222"
    if joint["kind"] in ("prismatic", "cylindrical") and isinstance(joint.get("axis"), list):
        tip = view(np.asarray(joint["at"]) + np.asarray(joint["axis"]) * 12 / view.scale)
        drawn += _line([(2 * x - tip[0], 2 * y - tip[1]), tip], stroke=color, stroke_width=1.2, stroke_dasharray="4 2")
        drawn += f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10" {_style(fill="white", stroke=color, stroke_width=1.5)}/>'
    else:
        drawn += f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" {_style(fill="white", stroke=color, stroke_width=1.5)}/>'
    return f"<g>{name}{drawn}</g>"


def _spring(spring: Dict[str, Any], view: _View) -> str:
    if not isinstance(spring.get("to"), list):
        return ""
    (x0, y0), (x1, y1) = view(spring["at"]), view(spring["to"])
    length = math.hypot(x1 - x0, y1 - y0) or 1.0
    nx, ny = -(y1 - y0) / length * 4, (x1 - x0) / length * 4
    points = [(x0, y0)]
    for k in range(1, 12):
        side = 0 if k in (1, 11) else 1 if k % 2 else -1
        points.append((x0 + (x1 - x0) * k / 12 + nx * side, y0 + (y1 - y0) * k / 12 + ny * side))
    return _line(points + [(x1, y1)], stroke="#888", stroke_width=1.2)


def scene_svg(scene: Dict[str, Any], width: int = 420, height: int = 300) -> str:
    """The model configuration; spatial models are seen slanted from above."""
    view = _View(scene, width, height)
    parts = [_spring(spring, view) for spring in scene["springs"]]
    parts += [_body(body, _COLORS[k % len(_COLORS)], view) for k, body in enumerate(scene["bodies"])]
    parts += [_joint(joint, view) for joint in scene["joints"]]
    for probe in scene["probes"]:
        if isinstance(probe.get("at"), list):
            x, y = view(probe["at"])
            parts.append(_line([(x - 4, y), (x + 4, y)], stroke="#c02020") + _line([(x, y - 4), (x, y + 4)], stroke="#c02020"))
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">{"".join(parts)}</svg>'
