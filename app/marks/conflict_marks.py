"""Locks that cannot be held: how far each is off as an arrow with a tag, and the limits that stand in the way.

Sizes are logical pixels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from app.marks import limit_arcs, paint
from app.marks.manipulators import HEAD_LENGTH, HEAD_WIDTH
from app.scene.lock_places import LockMark, plane_basis
from app.words import lock_words
from core.constraints.places import Places
from core.errors import CoreError
from core.posing.hindrance import stop_at
from core.skeleton import Skeleton

if TYPE_CHECKING:
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene

Array = NDArray[np.float64]

LEAST_LENGTH, LEAST_ANGLE = 1e-3, math.radians(0.2)
"""What is off by less has no arrow, [m] and [rad]."""
LEAST_SHARE = 0.12
"""Opacity of the arrow of a lock that has just begun to ease in; it grows with the share that eases leave."""
MOST_LIMITS = 3
TURN_RADIUS = 34.0
_TAG_GAP = 6.0
_STEPS = 24


def draw(
    painter: QPainter,
    view: SceneView,
    scene: Scene,
    marks: Sequence[LockMark],
    room: QRectF,
    lit: Sequence[str] = (),
    glyphs: Sequence[QRectF] = (),
    quiet: str | None = None,
) -> list[QRectF]:
    """Draw how far the locks in a conflict are off, and the limits that stand in the way; return the tags' boxes.

    Args:
        painter: Where to draw.
        view: The view.
        scene: The posed figure.
        marks: All locks.
        room: Where tags may stand.
        lit: Strips of further locks whose arrows are shown: the one under the pointer, and the selected one.
        glyphs: Boxes of glyphs and other tags: none should be covered.
        quiet: Strip of the lock whose arrows have no tags.
    """
    off = [mark for mark in marks if mark.word == "conflict" or (mark.word == "yields" and mark.id in lit)]
    skeleton = scene.skeleton
    if not off or skeleton is None:
        return []
    taken: list[QRectF] = []
    places = Places(skeleton, np.asarray(scene.document.pose), other_figures(scene, off))
    if any(mark.word == "conflict" for mark in off):
        stops = [stop_at(skeleton, np.asarray(scene.document.pose), dof) for dof in blocked(scene)]
        shown = [stop for stop in stops if stop.side != 0][:MOST_LIMITS]
        limit_arcs.draw(painter, view, limit_arcs.blocked_handles(scene, shown))
    for mark in off:
        token = "conflict" if mark.word == "conflict" else "warn"
        try:
            away, turned = mark.lock.rule.deviation(mark.lock, places)
        except (CoreError, NotImplementedError):
            continue
        share = float(mark.state.factor)
        labelled = mark.id != quiet and share >= 1.0  # a lock that eases does not want all of the way yet
        painter.setOpacity(min(max(share, LEAST_SHARE), 1.0))
        if away is not None and float(np.linalg.norm(away)) >= LEAST_LENGTH and mark.kind != "balance":
            taken.append(_arrow(painter, view, mark.here, mark.here - away, token, room, [*glyphs, *taken], labelled))
        if turned is not None and float(np.linalg.norm(turned)) >= LEAST_ANGLE:
            center = mark.center if mark.center is not None else mark.here
            taken.append(_turn(painter, view, center, -turned, token, room, [*glyphs, *taken], labelled))
    painter.setOpacity(1.0)
    return taken


def other_figures(scene: Scene, marks: Sequence[LockMark]) -> dict[str, tuple[Skeleton, Array]]:
    """Return the figures that locks name beside the shown one, in their poses now."""
    if not any(mark.lock.figures for mark in marks):
        return {}
    return dict(scene.document.model.other_figures([mark.lock for mark in marks]))


def blocked(scene: Scene) -> tuple[int, ...]:
    """Return the degrees of freedom whose limits the conflict that was found names."""
    conflict = scene.document.session.locks.conflict
    return tuple(int(dof) for dof in getattr(conflict, "limits", ()) or ())


def _arrow(
    painter: QPainter,
    view: SceneView,
    start: Array,
    end: Array,
    token: str,
    room: QRectF,
    taken: Sequence[QRectF],
    labelled: bool,
) -> QRectF:
    """Draw an arrow from where a part is to where its lock wants it, and how long that is; return the tag's box."""
    seen = view.project(np.array([start, end]))
    if (seen[:, 2] <= 0.0).any():
        return QRectF()
    a, b = (QPointF(float(x), float(y)) for x, y, _ in seen)
    paint.stroke_line(painter, view.theme, [a, _head(painter, view, a, b, token, draw=False)], token, 2.0)
    painter.setPen(QPen(paint.color(view.theme, "halo", 0.85), 1.4))
    painter.setBrush(paint.color(view.theme, token))
    painter.drawEllipse(a, 3.4, 3.4)
    _head(painter, view, a, b, token)
    if not labelled:
        return QRectF()
    return _tag(painter, view, b, a, lock_words.length_text(float(np.linalg.norm(end - start))), token, room, taken)


def _head(painter: QPainter, view: SceneView, a: QPointF, b: QPointF, token: str, draw: bool = True) -> QPointF:
    """Draw the head of an arrow from ``a`` to ``b``; return where its shaft ends."""
    x, y = b.x() - a.x(), b.y() - a.y()
    length = math.hypot(x, y)
    size = min(1.0, length / HEAD_LENGTH)
    if length < 1.0:
        return b
    x, y = x / length, y / length
    neck = QPointF(b.x() - size * HEAD_LENGTH * x, b.y() - size * HEAD_LENGTH * y)
    if draw:
        half = 0.5 * size * HEAD_WIDTH
        painter.setPen(QPen(paint.color(view.theme, "halo", 0.85), 1.2))
        painter.setBrush(paint.color(view.theme, token))
        across = QPointF(-half * y, half * x)
        painter.drawPolygon(QPolygonF([b, neck + across, neck - across]))
    return neck


def _turn(
    painter: QPainter,
    view: SceneView,
    center: Array,
    turn: Array,
    token: str,
    room: QRectF,
    taken: Sequence[QRectF],
    labelled: bool,
) -> QRectF:
    """Draw an arc about the axis in which a part would have to turn, with its angle; return the tag's box."""
    angle = float(np.linalg.norm(turn))
    axis = turn / angle
    first, second = plane_basis(axis)  # first, second, axis: right-handed or not, see below
    if float(np.cross(first, second) @ axis) < 0.0:
        second = -second
    toward = view.camera.basis[2]
    zero = math.atan2(float(toward @ second), float(toward @ first)) - 0.5 * angle
    direction = (zero + np.linspace(0.0, angle, _STEPS + 1))[:, None]
    size = TURN_RADIUS * view.pixel_size(center)
    seen = view.project(center + size * (np.cos(direction) * first + np.sin(direction) * second))
    if (seen[:, 2] <= 0.0).any():
        return QRectF()
    points = [QPointF(float(x), float(y)) for x, y, _ in seen]
    neck = _head(painter, view, points[-3], points[-1], token, draw=False)
    paint.stroke_line(painter, view.theme, [*points[:-2], neck], token, 2.0)
    _head(painter, view, points[-3], points[-1], token)
    if not labelled:
        return QRectF()
    middle = view.project(center[None])[0]
    inside = QPointF(float(middle[0]), float(middle[1]))
    return _tag(painter, view, points[-1], inside, lock_words.angle_text(angle), token, room, taken)


def _tag(
    painter: QPainter,
    view: SceneView,
    at: QPointF,
    away: QPointF,
    text: str,
    token: str,
    room: QRectF,
    taken: Sequence[QRectF],
) -> QRectF:
    """Draw a tag beyond a point, on the side that lies away from another one; beside what is there already."""
    width, height = paint.chip_size(text, 11.0)
    x, y = at.x() - away.x(), at.y() - away.y()
    length = math.hypot(x, y)
    x, y = (x / length, y / length) if length > 1.0 else (0.0, -1.0)
    center = QPointF(at.x() + x * (0.5 * width + _TAG_GAP), at.y() + y * (0.5 * height + _TAG_GAP))
    rect = paint.keep_inside(QRectF(center.x() - 0.5 * width, center.y() - 0.5 * height, width, height), room)
    direction = 1.0 if y >= 0.0 else -1.0
    for _ in range(4):
        other = next((each for each in taken if rect.intersects(each)), None)
        if other is None:
            break
        rect.moveTop(other.bottom() + 3.0 if direction > 0.0 else other.top() - 3.0 - height)
    rect = paint.keep_inside(rect, room)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    paint.draw_chip(painter, view.theme, rect, text, token, token, 11.0, fill="panel", opacity=0.92)
    return rect
