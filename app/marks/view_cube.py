"""The cube in the corner of the perspective view: shows how the camera stands, a click turns it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF, QTransform

from app.look.theme import Theme
from app.marks import paint
from app.render.camera import Camera

Array = NDArray[np.float64]

SIZE = 54.0
"""Length of an edge through the middle seen square on, [px]."""
REACH = 60.0
"""Nothing of the cube is farther than this from its middle, across or along, [px]."""
_EYE = 5.5
_EDGE = 0.62
"""What lies farther than this from a face's middle (in half edges) belongs to the edge or corner there."""

_NAMES = {
    (0, 1): "LEFT",
    (0, -1): "RIGHT",
    (1, 1): "TOP",
    (1, -1): "BOTTOM",
    (2, 1): "FRONT",
    (2, -1): "BACK",
}


@dataclass(frozen=True)
class Face:
    """One visible face.

    Attributes:
        name: What it says.
        normal: Outward, world, (3,).
        corners: On screen, counter-clockwise from the lower left of the text.
        light: Brightness, 0 to 1.
    """

    name: str
    normal: tuple[float, float, float]
    corners: QPolygonF
    light: float


def _frame(axis: int, sign: int) -> tuple[Array, Array, Array]:
    """Return a face's normal, and the directions its text runs and stands, each (3,)."""
    normal = np.zeros(3)
    normal[axis] = sign
    up = np.array([0.0, 1.0, 0.0]) if axis != 1 else np.array([0.0, 0.0, -1.0 * sign])
    return normal, np.cross(up, normal), up


def _project(camera: Camera, center: QPointF, points: Array) -> list[QPointF]:
    local = points @ camera.basis.T
    scale = 0.5 * SIZE * _EYE / (_EYE - local[:, 2])
    return [QPointF(center.x() + float(x), center.y() - float(y)) for x, y in local[:, :2] * scale[:, None]]


def faces(camera: Camera, center: QPointF) -> list[Face]:
    """Return the faces that can be seen, as they stand around ``center``."""
    found = []
    for (axis, sign), name in _NAMES.items():
        normal, right, up = _frame(axis, sign)
        toward_eye = camera.basis[2] * _EYE - normal
        if float(toward_eye @ normal) <= 1e-3:
            continue
        square = np.array([normal - right - up, normal + right - up, normal + right + up, normal - right + up])
        view_normal = camera.basis @ normal
        light = 0.42 + 0.3 * max(float(view_normal[2]), 0.0) + 0.28 * max(float(view_normal[1]), 0.0)
        found.append(Face(name, tuple(normal), QPolygonF(_project(camera, center, square)), light))
    return found


def draw(painter: QPainter, theme: Theme, camera: Camera, center: QPointF, hovered: tuple[float, ...] | None) -> None:
    """Draw the cube.

    Args:
        painter: Where to draw.
        theme: The colours.
        camera: The camera it stands for.
        center: Its middle, [px].
        hovered: Direction that a click would look from, as :func:`hit` gives it; its faces light up.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for face in faces(camera, center):
        ground = _mix(theme, face.light)
        lit = hovered is not None and float(np.dot(hovered, face.normal)) > 0.0
        painter.setPen(QPen(paint.color(theme, "halo" if theme.name == "dark" else "text3"), 1.2))
        painter.setBrush(paint.color(theme, "acc_bg") if lit else ground)
        painter.drawPolygon(face.corners)
        _write(painter, face, paint.color(theme, "accent" if lit else "text"))
    painter.restore()


def _mix(theme: Theme, light: float) -> QColor:
    dark = theme.name == "dark"
    low, high = theme.rgb("panel" if dark else "line2"), theme.rgb("text3" if dark else "raised")
    amount = 0.6 * light if dark else light
    return QColor.fromRgbF(*(a + (b - a) * amount for a, b in zip(low, high, strict=True)))


def _write(painter: QPainter, face: Face, ink: QColor) -> None:
    """Write the face's name in the face's own perspective, unless it is seen too flat to read."""
    corners = face.corners
    area = 0.0
    for k in range(4):
        a, b = corners.at(k), corners.at((k + 1) % 4)
        area += 0.5 * (a.x() * b.y() - b.x() * a.y())
    if abs(area) < 0.16 * SIZE * SIZE:
        return
    source = QPolygonF([QPointF(0, 64), QPointF(64, 64), QPointF(64, 0), QPointF(0, 0)])
    turn = QTransform()
    if not QTransform.quadToQuad(source, corners, turn):
        return
    painter.save()
    painter.setTransform(turn, True)
    painter.setFont(paint.font(13.5 if len(face.name) < 6 else 12.5, 600))
    painter.setPen(ink)
    painter.drawText(QRectF(0, 0, 64, 64), Qt.AlignmentFlag.AlignCenter, face.name)
    painter.restore()


def hit(camera: Camera, center: QPointF, at: QPointF) -> tuple[float, float, float] | None:
    """Return where a click there looks from: a face's normal, the sum of two at an edge, of three at a corner."""
    if max(abs(at.x() - center.x()), abs(at.y() - center.y())) > REACH:
        return None
    for face in faces(camera, center):
        if not face.corners.containsPoint(at, Qt.FillRule.OddEvenFill):
            continue
        turn = QTransform()
        source = QPolygonF([QPointF(-1, -1), QPointF(1, -1), QPointF(1, 1), QPointF(-1, 1)])
        if not QTransform.quadToQuad(face.corners, source, turn):
            return face.normal
        place = turn.map(at)
        axis = int(np.argmax(np.abs(face.normal)))
        normal, right, up = _frame(axis, int(face.normal[axis]))
        for value, direction in ((place.x(), right), (place.y(), up)):
            if abs(value) > _EDGE:
                normal = normal + math.copysign(1.0, value) * direction
        return float(normal[0]), float(normal[1]), float(normal[2])
    return None


def angles(direction: tuple[float, float, float]) -> tuple[float, float]:
    """Return yaw and pitch of a camera that looks from a direction, [rad]."""
    x, y, z = direction
    flat = math.hypot(x, z)
    pitch = math.atan2(y, flat)
    limit = math.radians(89.0)
    return (math.atan2(x, z) if flat > 1e-9 else 0.0), min(max(pitch, -limit), limit)
