"""The limit that stops a drag, shown at its joint: the range as an arc, the end it is pressed against with a bar.

Sizes are logical pixels.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen

from app.marks import manipulators, paint
from core.skeleton.dof import COORDINATE, HINGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.marks.manipulators import Handle
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene
    from core.posing.hindrance import Stop

Array = NDArray[np.float64]

RADIUS, BAND, STEP = 46.0, 6.0, 11.0
"""Radius of the first arc, its width, and how much wider the next one is."""
BAR, BAR_WIDTH = 5.0, 3.0
"""How far the bar at the blocked end sticks out of the band, and its width."""
_FORBIDDEN = math.radians(32.0)
"""How much of what lies beyond the limit is hatched."""
_WIDEST = math.radians(300.0)
_OPEN = math.radians(120.0)
"""How much of a range without another end is shown."""


def blocked_handles(scene: Scene, stops: Sequence[Stop]) -> list[tuple[Handle, int]]:
    """Return the axis, limits and value of each degree of freedom that is stopped, and at which limit it is."""
    skeleton = scene.skeleton
    if skeleton is None:
        return []
    q, found = np.asarray(scene.document.pose), []
    for stop in stops:
        if stop.side == 0 or stop.dof >= len(skeleton.all_dofs):
            continue
        joint = skeleton.dof_joints[stop.dof]
        handles = manipulators.handles(skeleton, q, scene.poses, joint, own=True)
        found.append((next(handle for handle in handles if handle.dof == stop.dof), stop.side))
    return found


def shown_range(handle: Handle, side: int) -> tuple[float, float]:
    """Return the part of a hinge's range that its arc covers, the blocked end included, [rad]."""
    lo, hi = handle.lo, handle.hi
    if side < 0:
        return lo, min(hi, lo + (_WIDEST if math.isfinite(hi) else _OPEN))
    return max(lo, hi - (_WIDEST if math.isfinite(lo) else _OPEN)), hi


def draw(painter: QPainter, view: SceneView, blocked: Sequence[tuple[Handle, int]]) -> None:
    """Draw the range of each degree of freedom that is stopped, in the warning's colour."""
    painter.save()
    for k, (handle, side) in enumerate(blocked):
        if handle.kind != HINGE:
            _draw_track(painter, view, handle, side)
        else:
            _draw_arc(painter, view, handle, side, RADIUS + k * STEP)
    painter.restore()


def _draw_arc(painter: QPainter, view: SceneView, handle: Handle, side: int, radius: float) -> None:
    theme = view.theme
    first, last = shown_range(handle, side)
    end = first if side < 0 else last
    inside = radius - BAND
    allowed = manipulators.band(view, handle, first, last, radius, inside)
    beyond = manipulators.band(view, handle, end, end + side * _FORBIDDEN, radius, inside)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for path in (allowed, beyond):
        _outline(painter, path, paint.color(theme, "halo", 0.7), 2.4)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(paint.color(theme, "halo", 0.35))
    painter.drawPath(beyond)
    painter.setBrush(QBrush(paint.color(theme, "warn", 0.85), Qt.BrushStyle.BDiagPattern))
    painter.drawPath(beyond)
    painter.setBrush(paint.color(theme, "warn", 0.6))
    painter.drawPath(allowed)
    middle = _pixel(view.project(handle.center[None])[0])
    at = np.array([end])
    base, tip = (_pixel(manipulators.ring_points(view, handle, size, at)[0]) for size in (inside - BAR, radius + BAR))
    paint.stroke_line(painter, theme, [middle, base], "warn", 1.4, alpha=0.9)
    paint.stroke_line(painter, theme, [base, tip], "warn", BAR_WIDTH)


def _draw_track(painter: QPainter, view: SceneView, handle: Handle, side: int) -> None:
    """Draw the range of a slide as a rail along its axis, with a bar across the end it is pressed against.

    A coordinate's way is drawn as a curve already; of its rail there is a short piece along where it goes just there.
    """
    theme = view.theme
    reach = RADIUS * view.pixel_size(handle.center)
    low = handle.lo if math.isfinite(handle.lo) else handle.value - reach
    high = handle.hi if math.isfinite(handle.hi) else handle.value + reach
    slides = np.array([[low - handle.value], [high - handle.value]]) * handle.speed
    if handle.kind == COORDINATE:
        slides = np.clip(slides, -0.5 * reach, 0.5 * reach)
    ends = handle.center + slides * handle.axis
    a, b = (_pixel(row) for row in view.project(ends))
    length = math.hypot(b.x() - a.x(), b.y() - a.y())
    across = QPointF(0.0, 1.0) if length < 1.0 else QPointF((a.y() - b.y()) / length, (b.x() - a.x()) / length)
    paint.stroke_line(painter, theme, [a, b], "warn", 3.0, alpha=0.75)
    tip = a if side < 0 else b
    paint.stroke_line(painter, theme, [tip - across * 9.0, tip + across * 9.0], "warn", BAR_WIDTH)


def _outline(painter: QPainter, path: QPainterPath, ink: QColor, width: float) -> None:
    painter.setPen(QPen(ink, width))
    painter.drawPath(path)


def _pixel(row: Array) -> QPointF:
    return QPointF(float(row[0]), float(row[1]))
