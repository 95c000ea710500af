"""The way of a joint that runs along a spline: a thin curve, or a light grid over a surface, where it is selected.

What the limits leave is drawn plainly and the rest faintly; a bar stands across where it ends.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter

from app.viewport import paint
from core.joints import SplineCurve, SplineSurface

if TYPE_CHECKING:
    from app.tools.base import ToolView
    from app.viewport.scene import Scene
    from core.skeleton import Joint, Skeleton

Array = NDArray[np.float64]

TOKEN = "accent"
WIDTH, FINE = 1.8, 1.0
FAINT, GRID, BORDER = 0.3, 0.45, 0.85
"""Opacity of what the limits leave out, of the lines of a grid and of those at its edge."""
BAR = 7.0  # half the length of the bar at an end, [px]
_STEPS = 16  # points in a span
_CELLS = 2  # lines of the grid in a span


@lru_cache(maxsize=64)
def way(model: SplineCurve, lower: float, upper: float) -> Array:
    """Return places of a curve from one coordinate to another, in the joint's fixed frame, shape (m, 3), [m]."""
    steps = max(2, int(np.ceil((upper - lower) * _STEPS)) + 1)
    return np.array([model.transform([place])[:3, 3] for place in np.linspace(lower, upper, min(steps, 2000))])


@lru_cache(maxsize=64)
def sheet(model: SplineSurface, low: tuple[float, float], high: tuple[float, float]) -> tuple[tuple[Array, bool], ...]:
    """Return the lines of a grid over a surface, and whether each is at its edge; shapes (m, 3), [m]."""
    lines = []
    for along in (0, 1):
        across = 1 - along
        count = max(1, round((high[across] - low[across]) * _CELLS))
        for k, fixed in enumerate(np.linspace(low[across], high[across], count + 1)):
            steps = min(max(2, int(np.ceil((high[along] - low[along]) * _STEPS)) + 1), 400)
            points = []
            for place in np.linspace(low[along], high[along], steps):
                q = (place, fixed) if along == 0 else (fixed, place)
                points.append(model.transform(q)[:3, 3])
            lines.append((np.array(points), k in (0, count)))
    return tuple(lines)


def base_frame(skeleton: Skeleton, poses: Array, joint: int) -> Array:
    """Return the frame that a joint's way is told in, in the world, shape (4, 4).

    Args:
        skeleton: The figure.
        poses: World frames of its joints, shape (n, 4, 4), [m].
        joint: The joint.
    """
    own = skeleton.joints[joint]
    fixed = np.eye(4)
    fixed[:3, :3], fixed[:3, 3] = own.rotation, own.offset
    if own.parent >= 0:
        return np.asarray(poses[own.parent] @ fixed)
    return np.asarray(fixed)


def draw(painter: QPainter, view: ToolView, scene: Scene) -> None:
    """Draw the ways of all selected joints that have one."""
    skeleton = scene.edited if scene.at_rest else scene.skeleton
    if skeleton is None:
        return
    for joint in scene.document.selection:
        own = skeleton.joints[joint] if joint < len(skeleton.joints) else None
        if own is None or own.curved is None:
            continue
        frame = base_frame(skeleton, scene.poses, joint)
        if own.parent < 0:
            frame[:3, 3] += 0.0 if scene.at_rest else np.asarray(scene.document.pose)[:3]
        if isinstance(own.curved, SplineCurve):
            _draw_curve(painter, view, own.curved, own, frame)
        elif isinstance(own.curved, SplineSurface):
            _draw_surface(painter, view, own.curved, own, frame)


def _draw_curve(painter: QPainter, view: ToolView, model: SplineCurve, joint: Joint, frame: Array) -> None:
    dof, end = joint.dofs[0], float(model.segments)
    whole = (0.0, end)
    ranged = np.isfinite(dof.lo) or np.isfinite(dof.hi)
    lower, upper = (dof.lo if np.isfinite(dof.lo) else 0.0), (dof.hi if np.isfinite(dof.hi) else end)
    if ranged and (lower, upper) != whole:
        _line(painter, view, _world(frame, way(model, *whole)), FINE, FAINT)
    if upper - lower <= 0.0:
        return
    points = _world(frame, way(model, lower, upper))
    _line(painter, view, points, WIDTH, 1.0)
    for first, second in ((0, 1), (-1, -2)) if not model.closed or ranged else ():
        _bar(painter, view, points[[first, second]])


def _draw_surface(painter: QPainter, view: ToolView, model: SplineSurface, joint: Joint, frame: Array) -> None:
    low, high = (tuple(float(dof[k]) for dof in joint.dofs) for k in (2, 3))
    ends = tuple(float(count) for count in model.segments)
    if low != (0.0, 0.0) or high != ends:
        for points, edge in sheet(model, (0.0, 0.0), (ends[0], ends[1])):
            if edge:
                _line(painter, view, _world(frame, points), FINE, FAINT)
    for edge in (False, True):
        for points, outer in sheet(model, (low[0], low[1]), (high[0], high[1])):
            if outer == edge:
                _line(painter, view, _world(frame, points), WIDTH if edge else FINE, BORDER if edge else GRID)


def _world(frame: Array, points: Array) -> Array:
    return np.asarray(points @ frame[:3, :3].T + frame[:3, 3])


def _line(painter: QPainter, view: ToolView, points: Array, width: float, alpha: float) -> None:
    """Draw a line through world points, those behind the eye left out."""
    pixels = view.project(points)
    run: list[QPointF] = []
    for x, y, depth in pixels.tolist():
        if depth > 0.0:
            run.append(QPointF(x, y))
            continue
        if len(run) > 1:
            paint.stroke_line(painter, view.theme, run, TOKEN, width, halo=1.6, alpha=alpha)
        run = []
    if len(run) > 1:
        paint.stroke_line(painter, view.theme, run, TOKEN, width, halo=1.6, alpha=alpha)


def _bar(painter: QPainter, view: ToolView, points: Array) -> None:
    """Draw a bar across the end of a line whose last two points are given, the end first."""
    (x, y, near), (u, v, far) = view.project(points).tolist()
    length = float(np.hypot(x - u, y - v))
    if near <= 0.0 or far <= 0.0 or length < 1e-6:
        return
    side = QPointF((y - v) / length, (u - x) / length)
    end = QPointF(x, y)
    paint.stroke_line(painter, view.theme, [end - BAR * side, end + BAR * side], TOKEN, 2.2)
