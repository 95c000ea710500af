"""The marks of keys: a shape for each kind of filling the span that follows, as small pictures that are stamped."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPixmap, QPolygonF

from app.look import style
from app.look.stamp import stamp
from app.look.theme import current_theme
from app.timeline.key_view import MIXED
from core.animation.shape import INTERPOLATIONS

SUMMARY_SIZE = 10.0
KEY_SIZE = 9.0
DIAMOND, SQUARE, STEP, CIRCLE, RING, TRIANGLE, BOW, HOLLOW = range(8)
_ORDER = (DIAMOND, DIAMOND, SQUARE, STEP, CIRCLE, RING, TRIANGLE, BOW, HOLLOW)
SHAPES = dict(zip((*range(len(INTERPOLATIONS)), MIXED), _ORDER, strict=True))
"""Shape of the mark of each kind: spline that overshoots or not, linear, stepped, Catmull-Rom, centripetal,
Kochanek-Bartels, free, mixed."""

PLAIN, PART, CHOSEN, CURRENT = range(4)
_TOKENS = {PLAIN: "text2", PART: "text2", CHOSEN: "text", CURRENT: "accent"}


def _points(shape: int, middle: float, size: float) -> QPolygonF:
    half = size / 2
    square, foot = half - 1.0, half - 0.5
    corners = {
        DIAMOND: ((0, -half), (half, 0), (0, half), (-half, 0)),
        HOLLOW: ((0, -half), (half, 0), (0, half), (-half, 0)),
        SQUARE: ((-square, -square), (square, -square), (square, square), (-square, square)),
        STEP: ((-foot, -foot), (0.5, -foot), (0.5, -0.5), (foot, -0.5), (foot, foot), (-foot, foot)),
        TRIANGLE: ((0, -half), (half, foot), (-half, foot)),
        BOW: ((-half, -foot), (0, -1), (half, -foot), (half, foot), (0, 1), (-half, foot)),
    }[shape]
    return QPolygonF([QPointF(middle + x, middle + y) for x, y in corners])


def paint_mark(painter: QPainter, shape: int, middle: float, size: float, state: int) -> None:
    """Paint the mark of a key around (middle, middle)."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    fill = style.color(_TOKENS[state])
    painter.setPen(QPen(style.color("text" if state == PART else "panel"), 1.0))
    painter.setBrush(fill)
    if shape in (CIRCLE, RING):
        edge = size - 1.5
        painter.drawEllipse(QRectF(middle - edge / 2, middle - edge / 2, edge, edge))
    else:
        painter.drawPolygon(_points(shape, middle, size))
    if shape in (RING, HOLLOW):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.color("panel"))
        if shape == RING:
            painter.drawEllipse(QPointF(middle, middle), 1.9, 1.9)
        else:
            painter.drawPolygon(_points(DIAMOND, middle, size - 5.0))


class MarkStamps:
    """Pictures of marks, drawn once for a screen and a theme, and stamped many at a time."""

    def __init__(self) -> None:
        self._pictures: dict[tuple[int, int, float, float, str], QPixmap] = {}

    def picture(self, shape: int, state: int, size: float, ratio: float) -> QPixmap:
        """Return the picture of a mark.

        Args:
            shape: One of the shapes.
            state: ``PLAIN``, ``PART`` of it selected, ``CHOSEN`` or at the ``CURRENT`` frame.
            size: Height of a diamond, [px].
            ratio: Device pixels in a px.
        """
        key = (shape, state, size, ratio, current_theme().name)
        found = self._pictures.get(key)
        if found is None:
            side = int(size + 4)
            found = QPixmap(round(side * ratio), round(side * ratio))
            found.setDevicePixelRatio(ratio)
            found.fill(Qt.GlobalColor.transparent)
            painter = QPainter(found)
            paint_mark(painter, shape, side / 2, size, state)
            painter.end()
            self._pictures[key] = found
        return found

    def forget(self) -> None:
        """Draw all pictures again when they are needed."""
        self._pictures.clear()

    def draw(
        self, painter: QPainter, places: NDArray[np.float64], codes: NDArray[np.int64], size: float, ratio: float
    ) -> None:
        """Stamp marks.

        Args:
            painter: Where.
            places: Their middles, shape (n, 2), [px].
            codes: Kind of each (see ``SHAPES``) plus 16 times its state, shape (n,).
            size: Height of a diamond, [px].
            ratio: Device pixels in a px.
        """
        if not len(codes):
            return
        places[:, 0] = np.round(places[:, 0] * 2.0) / 2.0
        for code in sorted(set(codes.tolist())):  # the selected ones come last, on top
            shape = SHAPES.get(code % 16, DIAMOND)
            stamp(painter, self.picture(shape, code // 16, size, ratio), places[codes == code])
