"""The rings that turn a part by its chain: three about its axes or the world's, one that faces the eye."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.marks import manipulators, paint
from app.marks.manipulators import RADIUS, VIEW, Handle
from core.skeleton.dof import ANGLE

if TYPE_CHECKING:
    from app.scene.pointing import SceneView

Array = NDArray[np.float64]

OUTER = 90.0
"""Radius of the ring that faces the eye, [px]."""
FREE = 4
"""Index that stands for the inside of the rings, where a part turns freely."""


def rings(view: SceneView, center: Array, axes: Array) -> tuple[Handle, ...]:
    """Return the rings of a part: about x, y and z, and about the line of sight.

    Args:
        view: The view they stand in.
        center: World point about which the part turns, shape (3,), [m].
        axes: Unit axes in the world, one a column, shape (3, 3).
    """
    eye = toward_eye(view, center)
    found = []
    for k in range(3):
        axis = np.array(axes[:, k])
        # The letter sits half-way between two other rings, on the quarter that is nearest to the eye.
        across = [axes[:, (k + 1) % 3], axes[:, (k + 2) % 3]]
        near = sum(np.copysign(1.0, float(side @ eye)) * side for side in across)
        found.append(_ring(center, axis, np.asarray(near) / math.sqrt(2.0), k, "XYZ"[k], RADIUS))
    side = np.cross(view.camera.basis[1], eye)
    found.append(_ring(center, eye, side / np.linalg.norm(side), VIEW, "view", OUTER))
    return tuple(found)


def _ring(center: Array, axis: Array, zero: Array, letter: int, label: str, radius: float) -> Handle:
    return Handle(-1, "hinge", ANGLE, label, 0.0, -math.inf, math.inf, center, axis, zero, letter, radius)


def toward_eye(view: SceneView, point: Array) -> Array:
    """Return the unit direction from a world point to the eye, shape (3,)."""
    x, y, _ = view.project(point[None])[0]
    return -view.ray(float(x), float(y))[1]


def hit(view: SceneView, shown: tuple[Handle, ...], x: float, y: float) -> int | None:
    """Return the index of the ring under a pixel, ``FREE`` inside them, None elsewhere."""
    if not shown:
        return None
    found = manipulators.hit(view, shown, x, y)
    if found is not None:
        return found
    middle = view.project(shown[0].center[None])[0, :2]
    return FREE if math.hypot(x - middle[0], y - middle[1]) < RADIUS else None


def draw_disc(painter: QPainter, view: SceneView, center: Array, held: bool) -> None:
    """Light the inside of the rings, where a drag turns freely."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(paint.color(view.theme, "text", 0.10 if held else 0.06))
    painter.drawEllipse(_pixel(view, center), RADIUS, RADIUS)


def draw_sector(painter: QPainter, view: SceneView, handle: Handle, angle: float, behind: float) -> None:
    """Draw how far a held ring was turned; what the part is behind stands out in the warning's colour.

    Args:
        painter: Where to draw.
        view: Its view.
        handle: The ring; its zero is where it was taken hold of.
        angle: How far it was turned, [rad].
        behind: How far the part is behind, [rad], at least 0.
    """
    theme, token = view.theme, handle.token
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    sign = math.copysign(1.0, angle)
    reached = sign * max(abs(angle) - behind, 0.0)
    for turned, missing in ((reached, False), (angle, True)):
        first = reached if missing else 0.0
        if abs(turned - first) < 1e-4:
            continue
        last = first + sign * min(abs(turned - first), 2.0 * math.pi)
        painter.setBrush(paint.color(theme, "warn" if missing else token, 0.34 if missing else 0.24))
        painter.drawPath(manipulators.band(view, handle, first, last, handle.radius, 0.0))
    middle = _pixel(view, handle.center)
    for at, ink, width in ((0.0, token, 1.2), (reached, token, 1.8), (angle, "warn" if behind > 0.0 else token, 1.8)):
        x, y, _ = manipulators.ring_points(view, handle, None, np.array([at]))[0]
        paint.stroke_line(painter, theme, [middle, QPointF(float(x), float(y))], ink, width)


def draw_place(painter: QPainter, view: SceneView, center: Array, effector: Array | None) -> None:
    """Draw the point the part turns about, and the line from it to the end-effector where that could not stay.

    Args:
        painter: Where to draw.
        view: Its view.
        center: The point in the world, shape (3,), [m].
        effector: Where the end-effector is now, shape (3,), [m]; None if it kept its place.
    """
    theme, at = view.theme, _pixel(view, center)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if effector is not None:
        away = _pixel(view, effector)
        paint.stroke_line(painter, theme, [at, away], "warn", 2.0, (6.0, 4.0))
        painter.setPen(QPen(paint.color(theme, "halo", 0.85), 1.2))
        painter.setBrush(paint.color(theme, "warn"))
        painter.drawEllipse(away, 4.0, 4.0)
    painter.setPen(QPen(paint.color(theme, "halo", 0.85), 1.2))
    painter.setBrush(paint.color(theme, "text"))
    painter.drawRect(QRectF(at.x() - 3.5, at.y() - 3.5, 7.0, 7.0))


def _pixel(view: SceneView, point: Array) -> QPointF:
    x, y, _ = view.project(point[None])[0]
    return QPointF(float(x), float(y))
