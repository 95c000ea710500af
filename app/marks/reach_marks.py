"""The goal of a drag as the views show it: line and cross, and the reach of the chain where the goal lies beyond it.

Sizes are logical pixels.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPainterPathStroker, QPen

from app.document.session import DragGoal
from app.marks import paint
from app.marks.tag_places import TagPlaces, fitted
from app.words.lengths import distance_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.look.theme import Theme
    from app.scene.pointing import SceneView

Array = NDArray[np.float64]

RING, CROSS, ARMS = 5.0, 8.0, 12.0
DASH, WIDTH = (6.0, 4.0), 2.0
SMALL_DASH, SMALL_WIDTH = (4.0, 3.0), 1.2
HEADER = 34.0
"""Height of the strip at the top of a view where its own chips stand."""
ARC_LENGTH, ARC_WIDTH = 170.0, 1.2
"""Length of the reach sphere's arc and its width."""
NEGLIGIBLE = 5e-4
"""A smaller distance to the goal is not shown, [m]."""
_LEAST_ARC = 6.0
"""A circle of a smaller radius is left out: the goal lies straight before or behind the base."""
_WIDEST_ARC = math.radians(150.0)
_ARC_PIECES = 24


def crossing(effector: Array, goal: Array, center: Array, radius: float) -> Array:
    """Return where the line from an end-effector to a goal beyond reach passes the edge of it.

    Args:
        effector: A point on the side of the sphere that can be reached or, rounded, on it, shape (3,), [m].
        goal: A point on its other side, shape (3,), [m].
        center: Middle of the sphere, shape (3,), [m].
        radius: Its radius, [m].

    Returns:
        The point, shape (3,); the end-effector itself if that is on the goal's side already.
    """
    along, start = goal - effector, effector - center
    a, b, c = float(along @ along), float(along @ start), float(start @ start) - radius * radius
    outward = float(np.linalg.norm(goal - center)) > radius
    if a == 0.0 or (c >= 0.0) == outward:
        return effector
    root = math.sqrt(max(b * b - a * c, 0.0))
    t = (-b + root if outward else -b - root) / a
    return effector + min(max(t, 0.0), 1.0) * along


def reach_arc(view: SceneView, center: Array, radius: float, through: Array) -> Array:
    """Return an arc of a sphere that passes through one of its points and faces the eye.

    It lies in the plane through the point that is parallel to the sphere's outline as the view shows it; where the
    point is on the outline the arc is part of it.

    Args:
        view: The view.
        center: Middle of the sphere, shape (3,), [m].
        radius: Its radius, [m].
        through: Point of the sphere, shape (3,), [m].

    Returns:
        World points, the given one in the middle, shape (n, 3), [m]; none where the circle is too small to be seen.
    """
    camera = view.camera
    to_eye = camera.basis[2] if camera.orthographic else camera.eye - center
    length = float(np.linalg.norm(to_eye))
    if length == 0.0:
        return np.zeros((0, 3))
    normal = to_eye / length
    out = through - center
    middle = center + float(out @ normal) * normal
    spoke = through - middle
    size = float(np.linalg.norm(spoke))
    pixel = view.pixel_size(through)
    if size < _LEAST_ARC * pixel:
        return np.zeros((0, 3))
    half = min(0.5 * ARC_LENGTH * pixel / size, _WIDEST_ARC)
    angles = np.linspace(-half, half, _ARC_PIECES + 1)
    side = np.cross(normal, spoke)
    return np.asarray(middle + np.cos(angles)[:, None] * spoke + np.sin(angles)[:, None] * side)


def draw_goal(painter: QPainter, view: SceneView, goal: DragGoal, small: bool = False) -> None:
    """Draw what a drag is after.

    The dashed line goes from the end-effector's ring to the goal's cross. Past the reach of the chain it is of the
    warning's colour, an arc of the reach is drawn where it changes, and the cross is a hollow X. The tag says how far
    the part is from its goal, or what keeps it from there. "Out of reach by" counts from the sphere's point nearest to
    the goal. The sphere is what the lengths of the segments allow: a part that limits hold stays inside it, and the
    line is of the usual colour up to the arc.

    Args:
        painter: Where to draw.
        view: Into which view.
        goal: What the drag is after.
        small: Whether the view is a small one: only the ring and a thin line.
    """
    theme = view.theme
    effector, place, hindrance = goal.effector, goal.goal, goal.hindrance
    center = None if hindrance is None or hindrance.center is None else np.array(hindrance.center)
    radius = 0.0 if hindrance is None else hindrance.radius
    edge = None if center is None else crossing(effector, place, center, radius)
    if center is None and hindrance is not None and hindrance.reason == "out_of_reach":
        edge = np.asarray(effector)  # away from the path of a spline all is beyond reach
    points = [effector, place] if edge is None else [effector, edge, place]
    pixels = [_point(row) for row in view.project(np.array(points))]
    tokens = ["accent"] if edge is None else ["accent", "warn"]
    if small:
        _line(painter, theme, pixels, tokens, SMALL_WIDTH, SMALL_DASH, 1.6)
        _ring(painter, theme, pixels[0], 3.5, "accent", 1.6)
        return
    if center is not None and edge is not None:
        _draw_arc(painter, view, reach_arc(view, center, radius, edge))
    _line(painter, theme, pixels, tokens, WIDTH, DASH, paint.HALO)
    _ring(painter, theme, pixels[0], RING, "accent", 2.0)
    tip = pixels[-1]
    if edge is not None:
        _hollow_x(painter, theme, tip)
    else:
        _cross(painter, theme, tip, "accent")


def draw_tag(
    painter: QPainter, view: SceneView, goal: DragGoal, places: TagPlaces, taken: Sequence[QRectF] = ()
) -> QRectF | None:
    """Draw the tag of a goal beside it; return its box, None if there is nothing to say.

    Args:
        painter: Where to draw.
        view: Into which view.
        goal: What the drag is after.
        places: Finds a place for it.
        taken: Boxes of what must not be covered.
    """
    effector, place, hindrance = goal.effector, goal.goal, goal.hindrance
    distance = float(np.linalg.norm(place - effector))
    text, brief = (hindrance.tag, hindrance.brief) if hindrance is not None else ("", "")
    token, border = ("warn", "warn") if text else ("accent", "acc_line")
    if not text:
        if distance < NEGLIGIBLE:
            return None
        text = distance_text(distance)
    room = QRectF(view.rect()).adjusted(0.0, HEADER, 0.0, 0.0)
    text = fitted(text, brief, room.width())
    tip = _point(view.project(place[None])[0])
    around = QRectF(tip.x() - ARMS, tip.y() - ARMS, 2.0 * ARMS, 2.0 * ARMS)
    box = places.place(view, room, around, text, goal.joint, taken)
    paint.draw_chip(painter, view.theme, box, text, token, border)
    return box


def _point(row: Array) -> QPointF:
    return QPointF(float(row[0]), float(row[1]))


def _line(
    painter: QPainter,
    theme: Theme,
    points: list[QPointF],
    tokens: list[str],
    width: float,
    dash: tuple[float, float],
    halo: float,
) -> None:
    """Draw a dashed line in one or several colours; the dashes run on where it changes colour."""
    rim = QPen(paint.color(theme, "halo", 0.85), width + halo)
    rim.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(rim)
    painter.drawLine(points[0], points[-1])
    done = 0.0
    for (a, b), token in zip(pairwise(points), tokens, strict=True):
        pen = QPen(paint.color(theme, token), width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([dash[0] / width, dash[1] / width])
        pen.setDashOffset(done / width)
        painter.setPen(pen)
        painter.drawLine(a, b)
        done += math.hypot(b.x() - a.x(), b.y() - a.y())


def _draw_arc(painter: QPainter, view: SceneView, points: Array) -> None:
    """Draw an arc that fades toward its ends."""
    if len(points) < 2:
        return
    pixels = view.project(points)
    if (pixels[:, 2] <= 0.0).any():
        return
    line = [_point(row) for row in pixels]
    count = len(line) - 1
    for ink, alpha, width in (("halo", 0.6, ARC_WIDTH + 2.0), ("warn", 1.0, ARC_WIDTH)):
        for k in range(count):
            fade = 1.0 - abs((k + 0.5) / count * 2.0 - 1.0)
            pen = QPen(paint.color(view.theme, ink, alpha * min(1.0, 1.6 * fade)), width)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            painter.setPen(pen)
            painter.drawLine(line[k], line[k + 1])


def _ring(painter: QPainter, theme: Theme, center: QPointF, radius: float, token: str, width: float) -> None:
    painter.setBrush(paint.color(theme, "halo", 0.85))
    painter.setPen(QPen(paint.color(theme, "halo", 0.85), width + paint.HALO))
    painter.drawEllipse(center, radius, radius)
    painter.setPen(QPen(paint.color(theme, token), width))
    painter.drawEllipse(center, radius, radius)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(paint.color(theme, token))
    painter.drawEllipse(center, 1.6, 1.6)


def _cross(painter: QPainter, theme: Theme, center: QPointF, token: str) -> None:
    x, y = center.x(), center.y()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for ink, alpha, width in (("halo", 0.85, 2.0 + paint.HALO), (token, 1.0, 2.0)):
        pen = QPen(paint.color(theme, ink, alpha), width)
        painter.setPen(pen)
        painter.drawEllipse(center, CROSS, CROSS)
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            inner = CROSS - 3.0
            painter.drawLine(QPointF(x + inner * dx, y + inner * dy), QPointF(x + ARMS * dx, y + ARMS * dy))


def _hollow_x(painter: QPainter, theme: Theme, center: QPointF) -> None:
    """Draw the outline of an X."""
    bars = QPainterPath()
    for sign in (1.0, -1.0):
        bars.moveTo(center.x() - CROSS, center.y() - sign * CROSS)
        bars.lineTo(center.x() + CROSS, center.y() + sign * CROSS)
    stroker = QPainterPathStroker()
    stroker.setWidth(6.0)
    stroker.setCapStyle(Qt.PenCapStyle.FlatCap)
    outline = stroker.createStroke(bars).simplified()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for ink, alpha, width in (("halo", 0.85, 1.6 + paint.HALO), ("warn", 1.0, 1.6)):
        pen = QPen(paint.color(theme, ink, alpha), width)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        painter.drawPath(outline)
