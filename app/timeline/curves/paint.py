"""How the curve editor draws: axis, curves, marks of keys, limits, tags."""

from __future__ import annotations

import math

import numpy as np
import shiboken6
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen, QPixmap, QPolygonF

from app.look import fonts, style
from app.look.stamp import stamp
from app.timeline.canvas import diamond
from app.widgets.behaviour.base import fill_round
from app.words.quantity import NUMBER
from core.arrays import Array

KEY_SIZE, CHOSEN_SIZE = 8.0, 10.0
CELL = 3.0  # marks of keys nearer than this cover each other, px
FAR = 4000.0  # what lies further outside the picture is drawn here, px
WIDTH = 1.6
AWAY = 48.0  # how much further off a label goes where all places beside the mouse are taken, px
NO_PLACES: Array = np.empty((0, 2))


def number_text(value: float, step: float) -> str:
    """Return a number of an axis with as many decimals as its step needs."""
    decimals = max(0, -math.floor(math.log10(step) + 1e-9)) if step < 1.0 else 0
    return NUMBER.number(value, decimals)


def polyline(xs: Array, ys: Array) -> QPolygonF:
    """Return points as a polygon of Qt."""
    polygon = QPolygonF()
    polygon.resize(len(xs))
    if len(xs):  # written into Qt's own memory: points one by one would take most of the time of a picture
        memory = np.frombuffer(shiboken6.VoidPtr(polygon.data(), 16 * len(xs), True), dtype=np.float64).reshape(-1, 2)
        memory[:, 0], memory[:, 1] = xs, ys
    return polygon


def envelope(xs: Array, ys: Array) -> tuple[Array, Array]:
    """Return a line of many points to a pixel with two: the lowest and the highest in that pixel's width."""
    if len(xs) < 4 or len(xs) < 4.0 * (xs[-1] - xs[0]):
        return xs, ys
    column = np.floor(xs).astype(np.int64)
    first = np.flatnonzero(np.concatenate(([True], np.diff(column) > 0)))
    low, high = np.minimum.reduceat(ys, first), np.maximum.reduceat(ys, first)
    return np.repeat(xs[first], 2), np.column_stack((low, high)).reshape(-1)


def steep(xs: Array, ys: Array) -> bool:
    """Return whether a line goes up and down so often that it covers what it is drawn over."""
    return len(xs) > 400 and float(np.abs(np.diff(ys)).sum()) > 25.0 * (float(xs[-1] - xs[0]) + 1.0)


def draw_curve(
    painter: QPainter, xs: Array, ys: Array, color: QColor, dash: tuple[float, ...] = (), width: float = WIDTH
) -> None:
    """Draw a curve; where a value is ``nan`` the line is cut."""
    if not len(xs):
        return
    pen = QPen(color, width)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    if dash:
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([part / width for part in dash])
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    whole = np.isfinite(ys)
    edges = np.diff(np.concatenate(([0], whole.astype(np.int8), [0])))
    for first, last in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True):
        line = xs[first:last], np.clip(ys[first:last], -FAR, FAR)
        x, y = envelope(*line)
        if x is not line[0] or steep(*line):  # a surface rather than a line: smooth edges and dashes cannot be seen
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QPen(color, 0.0))
        painter.drawPolyline(polyline(x, y))


_PICTURES: dict[tuple[object, ...], QPixmap] = {}


def mark_picture(token: str, chosen: bool, quiet: bool, ratio: float) -> QPixmap:
    """Return the mark of a key: filled, hollow where it cannot be edited, larger where it is selected."""
    key = (token, chosen, quiet, ratio, style.current().name)
    if key not in _PICTURES:
        size = CHOSEN_SIZE if chosen else KEY_SIZE
        side = int(size + 5)
        picture = QPixmap(round(side * ratio), round(side * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = style.color(token)
        painter.setPen(QPen(ink if chosen or quiet else style.color("input"), 1.8 if chosen else 1.0))
        painter.setBrush(style.color("input" if quiet else "text" if chosen else token))
        painter.drawPolygon(diamond(side / 2, side / 2, size))
        painter.end()
        if len(_PICTURES) > 64:
            _PICTURES.clear()
        _PICTURES[key] = picture
    return _PICTURES[key]


def draw_marks(painter: QPainter, xs: Array, ys: Array, token: str, chosen: bool, quiet: bool, ratio: float) -> None:
    """Draw the marks of many keys in one call; of those that cover each other, one."""
    if len(xs) > 200:
        cells = np.column_stack((np.floor(xs / CELL), np.floor(ys / CELL))).astype(np.int64)
        _, first = np.unique(cells, axis=0, return_index=True)
        xs, ys = xs[first], ys[first]
    places = np.empty((len(xs), 2))
    places[:, 0], places[:, 1] = xs, ys
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    stamp(painter, mark_picture(token, chosen, quiet, ratio), places)


def draw_limits(painter: QPainter, lower: float, upper: float, box: QRectF, token: str) -> None:
    """Hatch what lies beyond limits.

    Args:
        painter: Where to draw.
        lower: Where the lower limit lies, [px]; infinite for none.
        upper: Where the upper one lies, above it.
        box: The picture.
        token: Colour of the row.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    hatch = QColor(style.color("text3"))
    hatch.setAlphaF(0.35)
    edge = QColor(style.color(token))
    edge.setAlphaF(0.8)
    for y, beyond in (
        (lower, QRectF(box.left(), lower, box.width(), box.bottom() - lower)),
        (upper, QRectF(box.left(), box.top(), box.width(), upper - box.top())),
    ):
        if not math.isfinite(y) or not box.top() <= y <= box.bottom():
            continue
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QBrush(hatch, Qt.BrushStyle.BDiagPattern))
        painter.drawRect(beyond)
        painter.fillRect(QRectF(box.left(), round(y), box.width(), 1), edge)


def tag_place(at: QPointF, wide: float, high: float, box: QRectF, keep: Array) -> QRectF:
    """Return where a label stands beside a point, inside a box, where it covers the fewest of the points to keep.

    Args:
        at: The point.
        wide: Width of the label, [px].
        high: Its height, [px].
        box: What it stays in.
        keep: Places that should be seen, such as tangents' handles, shape (k, 2), [px].
    """
    right, left, above, below = at.x() + 12.0, at.x() - 12.0 - wide, at.y() - high - 8.0, at.y() + 12.0
    corners = [(right, above), (left, above), (right, below), (left, below)]
    corners += [(right + AWAY, above), (left - AWAY, above), (right + AWAY, below), (left - AWAY, below)]
    best, fewest = QRectF(), math.inf
    for x, y in corners:
        x = min(max(x, box.left() + 2.0), box.right() - wide - 2.0)
        y = min(max(y, box.top() + 2.0), box.bottom() - high - 2.0)
        near = (keep[:, 0] > x - 6.0) & (keep[:, 0] < x + wide + 6.0)
        covered = int((near & (keep[:, 1] > y - 6.0) & (keep[:, 1] < y + high + 6.0)).sum())
        covered += 100 * QRectF(x, y, wide, high).contains(at)
        if covered < fewest:
            best, fewest = QRectF(x, y, wide, high), covered
    return best


def draw_tag(
    painter: QPainter, text: str, at: QPointF, box: QRectF, token: str = "text2", keep: Array = NO_PLACES
) -> None:
    """Draw a small label beside a point, kept inside a box and off places that should be seen."""
    font = fonts.font(fonts.SECONDARY, fonts.MEDIUM, tabular=True)
    lines = text.split("\n")
    wide = max(QFontMetricsF(font).horizontalAdvance(line) for line in lines) + 12.0
    high = 15.0 * len(lines) + 5.0
    tag = tag_place(at, wide, high, box, keep)
    ground = QColor(style.color("head"))
    ground.setAlphaF(0.94)
    fill_round(painter, tag, ground, style.color(token), 3.0)
    painter.setFont(font)
    painter.setPen(style.color("text"))
    for i, line in enumerate(lines):
        painter.drawText(
            QRectF(tag.left() + 6, tag.top() + 2.5 + 15 * i, wide - 8, 15), Qt.AlignmentFlag.AlignVCenter, line
        )


def draw_handle(painter: QPainter, key: QPointF, handle: QPointF, token: str, own: bool, hot: bool) -> None:
    """Draw a tangent's handle: filled where the slope is set by hand, hollow where it is automatic."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(style.color("text2"), 1.2))
    painter.drawLine(key, handle)
    painter.setPen(QPen(style.color("accent" if hot else "text"), 1.6))
    painter.setBrush(style.color("accent" if hot and own else "text" if own else "input"))
    radius = 4.5 if hot else 3.8
    painter.drawEllipse(handle, radius, radius)


def draw_hint(painter: QPainter, text: str, box: QRectF) -> None:
    """Draw what to do first, at the top of an empty picture, over all lines; in several lines where it is narrow."""
    painter.setFont(fonts.font())
    flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
    room = box.adjusted(44, 8, -12, 0)
    taken = painter.boundingRect(room, flags, text)
    fill_round(painter, taken.adjusted(-6, -2, 6, 2), style.color("input"), None, 3.0)
    painter.setPen(style.color("text3"))
    painter.drawText(room, flags, text)
