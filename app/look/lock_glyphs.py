"""The glyphs of locks: one shape a kind, the same in views, lists and on strips. Sizes are logical pixels.

Shape tells the kind before colour does. A lock in a conflict turns the conflict's colour and is cut by a bolt.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap

from app.look import fonts
from app.look.theme import Theme
from core.constraints.kinds import KINDS

WORK, LIST, SMALL = 1.0, 0.8, 7.0 / 15.0
"""Scales: in the work area (15 to 21 px), in lists and on strips (12 to 17 px), in the small views (7 to 10 px)."""
HALO = 2.6
"""How much wider than its strokes the rim behind a glyph in a view is, [px]."""
TOKENS = {
    "position": "lock_position",
    "orientation": "lock_orientation",
    "pose": "lock_position",
    "plane": "lock_plane",
    "line": "lock_line",
    "path": "lock_line",
    "point_pair": "lock_pair",
    "carry": "lock_pair",
    "distance": "lock_pair",
    "aim": "lock_orientation",
    "look_at": "lock_orientation",
    "balance": "lock_balance",
    "equation": "lock_position",
}
"""Colour token of kinds; others take that of what is like them. The ring of a pose has an orientation's besides."""
_STROKES = {WORK: 2.0, LIST: 1.6, SMALL: 1.5}
_SPAN = 36.0  # a glyph with bolt and rim fits into so many pixels at the scale of the work area

Stroke = tuple[QPainterPath, QPainterPath, int]
"""Part of a glyph: path that is stroked, path that is filled, which of two inks; around (0, 0), at the scale WORK."""


def token(kind: str, state: str = "") -> str:
    """Return the colour token of a kind of lock; in the state ``"conflict"`` that of conflicts."""
    return "conflict" if state == "conflict" else TOKENS.get(kind) or _token_like(kind)


def _token_like(kind: str) -> str:
    rule = next((each for each in KINDS if each.name == kind), None)
    if rule is None:
        return "text2"
    return "lock_pair" if rule.takes_other else "lock_position" if rule.holds_position else "lock_orientation"


def half_size(kind: str, scale: float = WORK) -> tuple[float, float]:
    """Return half of the width and half of the height that a glyph takes without its rim, [px]."""
    x = y = 0.0
    for line, solid, _ in _shapes(kind):
        box = line.boundingRect().united(solid.boundingRect())
        x, y = max(x, -box.left(), box.right()), max(y, -box.top(), box.bottom())
    grown = 0.5 * _stroke(scale)
    return x * scale + grown, y * scale + grown


def draw(
    painter: QPainter,
    theme: Theme,
    kind: str,
    center: QPointF,
    scale: float = WORK,
    *,
    state: str = "",
    halo: bool = True,
    alpha: float = 1.0,
) -> None:
    """Draw a lock's glyph.

    Args:
        painter: Where to draw.
        theme: The colours.
        kind: The kind of lock; one that is not known is a plain dot.
        center: Its middle, [px].
        scale: ``WORK``, ``LIST``, ``SMALL`` or any other.
        state: ``"conflict"`` draws it cut by a bolt.
        halo: Whether with a rim, as over a picture; lists need none.
        alpha: Opacity.
    """
    picture = pixmap(theme, kind, scale, painter.device().devicePixelRatioF(), state=state, halo=halo)
    half = 0.5 * picture.width() / picture.devicePixelRatio()
    before = painter.opacity()
    painter.setOpacity(before * alpha)
    painter.drawPixmap(QPointF(center.x() - half, center.y() - half), picture)
    painter.setOpacity(before)


def pixmap(
    theme: Theme, kind: str, scale: float = LIST, ratio: float = 1.0, *, state: str = "", halo: bool = False
) -> QPixmap:
    """Return a glyph as a square picture, kept for the next time; do not change it."""
    ring = token("orientation" if kind == "pose" else kind, state)
    inks = (getattr(theme, token(kind, state)), getattr(theme, ring))
    return _pixmap(kind, inks, theme.halo if halo else "", round(scale, 4), ratio, state == "conflict")


@lru_cache(maxsize=512)
def _pixmap(kind: str, inks: tuple[str, str], rim: str, scale: float, ratio: float, broken: bool) -> QPixmap:
    edge = math.ceil((_SPAN * scale + 6.0) * ratio)
    edge += edge % 2  # the middle falls between two pixels, or on one edge of them, always the same way
    picture = QPixmap(edge, edge)
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(0.5 * edge / ratio, 0.5 * edge / ratio)
    stroke = _stroke(scale)
    if rim:
        for line, solid, _ in _shapes(kind):
            _paint(painter, line, solid, scale, QColor(rim), stroke + HALO * (1.0 if scale > 0.6 else 0.8))
    for line, solid, ink in _shapes(kind):
        _paint(painter, line, solid, scale, QColor(inks[ink]), stroke)
    if broken:
        _cut(painter, scale, stroke, QColor(inks[0]), rim)
    painter.end()
    return picture


def _stroke(scale: float) -> float:
    """Return how wide the strokes are, [px]: they shrink less than the shapes do."""
    return _STROKES.get(scale, 2.0 if scale >= 1.0 else max(1.5, 2.0 * scale))


def _paint(painter: QPainter, line: QPainterPath, solid: QPainterPath, scale: float, ink: QColor, width: float) -> None:
    pen = QPen(ink, width / scale)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.save()
    painter.scale(scale, scale)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen)
    painter.drawPath(line)
    spread = width - _stroke(scale)  # a filled part grows by the rim alone
    painter.setPen(QPen(ink, spread / scale) if spread > 0.0 else Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawPath(solid)
    painter.restore()


def _cut(painter: QPainter, scale: float, stroke: float, ink: QColor, rim: str) -> None:
    """Draw the bolt that cuts a glyph in two: a gap, and the bolt in it."""
    bolt = QPainterPath(QPointF(3.6, -12.5))
    for x, y in ((-1.8, 0.9), (1.8, -0.9), (-3.6, 12.5)):
        bolt.lineTo(x, y)
    painter.save()
    painter.scale(scale, scale)
    pen = QPen(ink, (0.8 * stroke + 2.2) / scale)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if rim:
        pen.setColor(QColor(rim))
    else:  # over whatever lies behind: the gap is where the glyph is taken away
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
    painter.setPen(pen)
    painter.drawPath(bolt)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
    painter.setPen(QPen(ink, 0.75 * stroke / scale, j=Qt.PenJoinStyle.MiterJoin))
    painter.drawPath(bolt)
    painter.restore()


# -- shapes ------------------------------------------------------------------------------------------------------


def _square(edge: float) -> QPainterPath:
    path = QPainterPath()
    path.addRect(QRectF(-0.5 * edge, -0.5 * edge, edge, edge))
    return path


def _dot(radius: float, x: float = 0.0, y: float = 0.0) -> QPainterPath:
    path = QPainterPath()
    path.addEllipse(QPointF(x, y), radius, radius)
    return path


def _polyline(*points: tuple[float, float], closed: bool = False) -> QPainterPath:
    path = QPainterPath(QPointF(*points[0]))
    for point in points[1:]:
        path.lineTo(*point)
    if closed:
        path.closeSubpath()
    return path


def _turning(radius: float, head: float) -> QPainterPath:
    """Return a ring open at the top left, with an arrowhead at its left end."""
    path = QPainterPath()
    box = QRectF(-radius, -radius, 2.0 * radius, 2.0 * radius)
    path.arcMoveTo(box, 62.0)
    path.arcTo(box, 62.0, -274.0)
    end = path.currentPosition()
    path.moveTo(end.x() - 0.72 * head, end.y() + 0.42 * head)
    path.lineTo(end.x() + 0.2 * head, end.y() - 0.12 * head)
    path.lineTo(end.x() + 0.5 * head, end.y() + 0.86 * head)
    return path


_NOTHING = QPainterPath()


def _position() -> list[Stroke]:
    return [(_square(15.0), _dot(2.7), 0)]


def _orientation() -> list[Stroke]:
    return [(_turning(8.2, 5.6), _dot(2.4), 0)]


def _pose() -> list[Stroke]:
    return [(_square(18.0), _NOTHING, 0), (_dot(5.0), _dot(1.8), 1)]


def _plane() -> list[Stroke]:
    slab = _polyline((-10.5, 6.5), (-4.0, -3.5), (10.5, -3.5), (4.0, 6.5), closed=True)
    slab.addPath(_polyline((0.0, -9.5), (0.0, 1.5)))
    return [(slab, _NOTHING, 0)]


def _line() -> list[Stroke]:
    bar = _polyline((-8.0, -4.5), (-8.0, 4.5))
    bar.addPath(_polyline((8.0, -4.5), (8.0, 4.5)))
    bar.addPath(_polyline((-8.0, 0.0), (8.0, 0.0)))
    return [(bar, _dot(2.9), 0)]


def _path() -> list[Stroke]:
    wave = QPainterPath(QPointF(-9.0, 3.0))
    wave.cubicTo(QPointF(-5.0, -9.0), QPointF(-2.5, -6.0), QPointF(0.0, 0.0))
    wave.cubicTo(QPointF(2.5, 6.0), QPointF(5.0, 9.0), QPointF(9.0, -3.0))
    return [(wave, _dot(2.9), 0)]


def _point_pair() -> list[Stroke]:
    pair = _dot(4.0, -6.0, 2.0)
    pair.addPath(_dot(4.0, 6.0, -2.0))
    pair.addPath(_polyline((-2.2, 0.75), (2.2, -0.75)))
    return [(pair, _NOTHING, 0)]


def _carry() -> list[Stroke]:
    held = _polyline((-4.2, -8.0), (4.2, -8.0), (4.2, 0.4), (-4.2, 0.4), closed=True)
    hand = _polyline((-9.0, -2.5), (-9.0, 6.0), (9.0, 6.0), (9.0, -2.5))
    return [(hand, held, 0)]


def _distance() -> list[Stroke]:
    arrow = _polyline((-7.2, 0.0), (7.2, 0.0))
    for side in (-1.0, 1.0):
        arrow.addPath(_polyline((side * 4.0, -3.2), (side * 7.2, 0.0), (side * 4.0, 3.2)))
        arrow.addPath(_polyline((side * 10.0, -5.0), (side * 10.0, 5.0)))
    return [(arrow, _NOTHING, 0)]


def _aim() -> list[Stroke]:
    sight = _dot(6.0)
    for x, y in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)):
        sight.addPath(_polyline((3.6 * x, 3.6 * y), (9.4 * x, 9.4 * y)))
    return [(sight, _dot(1.5), 0)]


def _look_at() -> list[Stroke]:
    """An eye."""
    lids = QPainterPath(QPointF(-9.5, 0.0))
    lids.quadTo(QPointF(0.0, -10.5), QPointF(9.5, 0.0))
    lids.quadTo(QPointF(0.0, 10.5), QPointF(-9.5, 0.0))
    lids.closeSubpath()
    return [(lids, _dot(2.4), 0)]


def _balance() -> list[Stroke]:
    return [(_polyline((-8.0, 8.0), (0.0, -2.0), (8.0, 8.0), closed=True), _dot(2.9, 0.0, -6.6), 0)]


def _equation() -> list[Stroke]:
    """An equals sign."""
    lines = _polyline((-7.5, -3.2), (7.5, -3.2))
    lines.addPath(_polyline((-7.5, 3.2), (7.5, 3.2)))
    return [(lines, _NOTHING, 0)]


def _letter(kind: str) -> list[Stroke]:
    """Return the glyph of a kind that has no shape of its own: a ring with the first letter of its name."""
    rule = next((each for each in KINDS if each.name == kind), None)
    if rule is None:
        return [(_NOTHING, _dot(4.0), 0)]
    letter = QPainterPath()
    letter.addText(0.0, 0.0, fonts.font(11.0, 600), rule.title[:1])
    box = letter.boundingRect()
    return [(_dot(9.0), letter.translated(-box.center()), 0)]


_MAKERS: dict[str, Callable[[], list[Stroke]]] = {
    "position": _position,
    "orientation": _orientation,
    "pose": _pose,
    "plane": _plane,
    "line": _line,
    "path": _path,
    "point_pair": _point_pair,
    "carry": _carry,
    "distance": _distance,
    "aim": _aim,
    "look_at": _look_at,
    "balance": _balance,
    "equation": _equation,
}


@lru_cache(maxsize=16)
def _shapes(kind: str) -> tuple[Stroke, ...]:
    """Return the parts of a kind's glyph."""
    return tuple(_MAKERS[kind]() if kind in _MAKERS else _letter(kind))
