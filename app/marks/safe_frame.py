"""The frame of a movie over the view: what will be in the picture, and how near its edges titles may come."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.look.theme import Theme
from app.marks import paint

ACTION, TITLE = 0.93, 0.90
"""Shares of width and height that are safe for action and for titles.

Source: SMPTE ST 2046-1:2009, for pictures of 16:9."""
_OUTSIDE = 0.45  # how dark what is not in the picture becomes


def frame_box(room: QRectF, shape: tuple[int, int], height: float) -> QRectF:
    """Return where a movie's picture lies in a view, [px].

    Args:
        room: The view.
        shape: Width and height of the movie, [px].
        height: Share of the view's height that the picture takes.
    """
    high = room.height() * height
    wide = high * shape[0] / shape[1]
    middle = room.center()
    return QRectF(middle.x() - 0.5 * wide, middle.y() - 0.5 * high, wide, high)


def wider(fov: float, factor: float) -> float:
    """Return the angle that sees ``factor`` times as much as ``fov`` does, [rad]."""
    return 2.0 * math.atan(factor * math.tan(0.5 * fov))


def draw(painter: QPainter, theme: Theme, room: QRectF, box: QRectF, safe: bool) -> None:
    """Darken what is not in the picture and draw its edge.

    Args:
        painter: Where to draw.
        theme: The colours.
        room: The view, [px].
        box: The picture, [px].
        safe: Whether the safe areas are drawn.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    outside = paint.color(theme, "win", _OUTSIDE)
    seen = box.intersected(room)
    for part in (
        QRectF(room.left(), room.top(), seen.left() - room.left(), room.height()),
        QRectF(seen.right(), room.top(), room.right() - seen.right(), room.height()),
        QRectF(seen.left(), room.top(), seen.width(), seen.top() - room.top()),
        QRectF(seen.left(), seen.bottom(), seen.width(), room.bottom() - seen.bottom()),
    ):
        if part.width() > 0.0 and part.height() > 0.0:
            painter.fillRect(part, outside)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(paint.color(theme, "text", 0.55), 1.0))
    painter.drawRect(_on_pixels(box))
    if safe:
        for share, opacity in ((ACTION, 0.30), (TITLE, 0.30)):
            style = Qt.PenStyle.SolidLine if share == ACTION else Qt.PenStyle.DashLine
            painter.setPen(QPen(paint.color(theme, "text", opacity), 1.0, style))
            painter.drawRect(_on_pixels(_scaled(box, share)))
        middle = box.center()
        painter.setPen(QPen(paint.color(theme, "text", 0.35), 1.0))
        painter.drawLine(QPointF(middle.x() - 7.0, middle.y()), QPointF(middle.x() + 7.0, middle.y()))
        painter.drawLine(QPointF(middle.x(), middle.y() - 7.0), QPointF(middle.x(), middle.y() + 7.0))
    painter.restore()


def _scaled(box: QRectF, share: float) -> QRectF:
    dx, dy = 0.5 * (1.0 - share) * box.width(), 0.5 * (1.0 - share) * box.height()
    return box.adjusted(dx, dy, -dx, -dy)


def _on_pixels(box: QRectF) -> QRectF:
    left, top = math.floor(box.left()) + 0.5, math.floor(box.top()) + 0.5
    return QRectF(left, top, math.ceil(box.right()) - 0.5 - left, math.ceil(box.bottom()) - 0.5 - top)
