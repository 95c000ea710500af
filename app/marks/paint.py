"""Small painting helpers that every overlay uses: fonts, colours, chips and strokes with a halo."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPixmap, QPolygonF

from app.look import fonts
from app.look.theme import Theme

CHIP_HEIGHT = 22.0
CHIP_PADDING = 8.0
RADIUS = 4.0
HALO = 2.4
"""How much wider than its mark the dark (light) rim behind a mark is, [px]."""


def font(size: float = 12.0, weight: int = 400) -> QFont:
    """Return the interface font with tabular figures, so that live numbers do not jitter.

    Args:
        size: Logical pixels.
        weight: 400, 500 or 600.
    """
    return fonts.font(size, weight, tabular=True)


def color(theme: Theme, token: str, alpha: float = 1.0) -> QColor:
    """Return a theme's token as a colour with the given opacity, 0 to 1; do not change it."""
    return _color(getattr(theme, token), alpha)


@lru_cache(maxsize=512)
def _color(name: str, alpha: float) -> QColor:
    result = QColor(name)
    result.setAlphaF(alpha)
    return result


@lru_cache(maxsize=256)
def _line_pen(name: str, alpha: float, width: float, dash: tuple[float, float] | None) -> QPen:
    """Return the pen of a polyline: round, or flat where it is dashed."""
    pen = QPen(_color(name, alpha), width)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    if dash is None:
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    else:
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([dash[0] / width, dash[1] / width])
    return pen


def text_width(text: str, size: float = 12.0, weight: int = 500) -> float:
    """Return how wide a text is, [px]."""
    return _text_width(text, font(size, weight))


@lru_cache(maxsize=512)
def _text_width(text: str, written: QFont) -> float:
    return QFontMetricsF(written).horizontalAdvance(text)


def chip_size(text: str, size: float = 12.0, weight: int = 500) -> tuple[float, float]:
    """Return width and height of the chip that holds a text, [px]."""
    return round(text_width(text, size, weight) + 2.0 * CHIP_PADDING), CHIP_HEIGHT


def draw_chip(
    painter: QPainter,
    theme: Theme,
    rect: QRectF,
    text: str,
    ink: str = "text",
    border: str | None = None,
    size: float = 12.0,
    weight: int = 500,
    fill: str = "panel",
    opacity: float = 0.86,
) -> None:
    """Draw a rounded label over the picture.

    Args:
        painter: Where to draw.
        theme: The colours.
        rect: The chip's box, [px].
        text: Its words, in one line.
        ink: Token of the text.
        border: Token of a 1 px border, or None.
        size: Text size, [px].
        weight: Text weight.
        fill: Token of the ground.
        opacity: Opacity of the ground.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    inner = rect.adjusted(0.5, 0.5, -0.5, -0.5) if border else rect
    painter.setPen(QPen(color(theme, border), 1.0) if border else Qt.PenStyle.NoPen)
    painter.setBrush(color(theme, fill, opacity))
    painter.drawRoundedRect(inner, RADIUS, RADIUS)
    painter.setPen(color(theme, ink))
    painter.setFont(font(size, weight))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()


def keep_inside(rect: QRectF, bounds: QRectF, margin: float = 4.0) -> QRectF:
    """Return ``rect`` moved the least so that it lies inside ``bounds``."""
    result = QRectF(rect)
    result.moveLeft(min(max(result.left(), bounds.left() + margin), bounds.right() - margin - result.width()))
    result.moveTop(min(max(result.top(), bounds.top() + margin), bounds.bottom() - margin - result.height()))
    return result


def stroke_line(
    painter: QPainter,
    theme: Theme,
    points: list[QPointF],
    token: str,
    width: float,
    dash: tuple[float, float] | None = None,
    halo: float = HALO,
    alpha: float = 1.0,
) -> None:
    """Draw a polyline over its halo.

    Args:
        painter: Where to draw.
        theme: The colours.
        points: Corners, [px].
        token: Colour of the line.
        width: Its width, [px].
        dash: Lengths of dash and gap, [px], or None for a solid line.
        halo: How much wider the rim behind is, [px]; 0 for none.
        alpha: Opacity of the line.
    """
    line = QPolygonF(points)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if halo:
        painter.setPen(_line_pen(theme.halo, 0.85 * alpha, width + halo, None))
        painter.drawPolyline(line)
    painter.setPen(_line_pen(getattr(theme, token), alpha, width, dash))
    painter.drawPolyline(line)


def cut_corners(
    painter: QPainter, rect: QRectF, ground: QColor, top: bool = True, bottom: bool = True, radius: float = RADIUS
) -> None:
    """Paint what lies outside a rounded box in the ground's colour, so that an image seems to have round corners."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.drawPath(_outside(rect.width(), rect.height(), top, bottom, radius))


@lru_cache(maxsize=32)
def _outside(width: float, height: float, top: bool, bottom: bool, radius: float) -> QPainterPath:
    """Return what lies between a box and the round corners in it."""
    path, inner = QPainterPath(), QPainterPath()
    path.addRect(QRectF(0.0, 0.0, width, height))
    up, down = (0.0 if top else 2.0 * radius), (0.0 if bottom else 2.0 * radius)
    inner.addRoundedRect(QRectF(0.0, -up, width, height + up + down), radius, radius)
    return path.subtracted(inner)


class Cached:
    """A part of a view that seldom changes, painted once into a pixmap and copied from then on."""

    def __init__(self) -> None:
        self._key: object = None
        self._pixmap: QPixmap | None = None

    def draw(self, painter: QPainter, rect: QRectF, key: object, draw: Callable[[QPainter], None]) -> None:
        """Show the part.

        Args:
            painter: Where to draw.
            rect: The part's box, [px]; its corner on whole pixels.
            key: What the look depends on; another one paints again.
            draw: Paints the part, in coordinates of the view.
        """
        ratio = painter.device().devicePixelRatioF()
        whole = (key, ratio, rect.width(), rect.height(), rect.x(), rect.y())
        if self._pixmap is None or whole != self._key:
            self._key = whole
            self._pixmap = QPixmap(math.ceil(rect.width() * ratio), math.ceil(rect.height() * ratio))
            self._pixmap.setDevicePixelRatio(ratio)
            self._pixmap.fill(Qt.GlobalColor.transparent)
            inside = QPainter(self._pixmap)
            inside.setRenderHint(QPainter.RenderHint.Antialiasing)
            inside.translate(-rect.topLeft())
            draw(inside)
            inside.end()
        painter.drawPixmap(rect.topLeft(), self._pixmap)


def chevron(painter: QPainter, ink: QColor, center: QPointF, half: float = 3.5) -> None:
    """Draw the little arrow that says that a button opens a menu."""
    pen = QPen(ink, 1.4)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    x, y = center.x(), center.y()
    painter.drawPolyline(
        QPolygonF([QPointF(x - half, y - half / 2), QPointF(x, y + half / 2), QPointF(x + half, y - half / 2)])
    )
