"""The locks as a view shows them: glyphs with what they hold, a label for the one under the pointer, a legend.

Sizes are logical pixels. Without locks nothing is computed and nothing painted.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF, QTransform

from app.look import lock_glyphs
from app.look.lock_glyphs import SMALL, WORK
from app.marks import paint
from app.scene.lock_places import PATCH, REACH, LockMark, plane_basis
from app.words import lock_words
from core.constraints.kinds import KINDS, find_kind
from core.constraints.residuals import PathResidual

if TYPE_CHECKING:
    from app.look.theme import Theme
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene

Array = NDArray[np.float64]

HIT = 12.0
"""A press no further than this from a glyph's middle, across and along, takes it."""
LINE = 2.0
FRAME_GAP = 4.0
"""Between a glyph and the frame that says that it is hovered or selected."""
_BACK = 0.4  # opacity of the half of a ring that is farther away
_NEIGHBOURS = 6  # so many glyphs are stepped round
_LEADER = 0.6  # a glyph that is moved farther than this share of its size is tied to its place by a line
_SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
_OFF, _EASING = 0.45, 0.55


@dataclass(frozen=True, eq=False)
class Placed:
    """A lock's glyph in one view.

    Attributes:
        mark: The lock.
        center: Middle of its glyph, [px].
        corners: Of its patch as they appear, shape (4, 2), [px]; None if it has none that can be seen.
        home: Where its glyph belongs, [px]: a line leads there from one that had to step aside.
    """

    mark: LockMark
    center: QPointF
    corners: Array | None = None
    home: QPointF | None = None

    def box(self, scale: float = WORK) -> QRectF:
        """Return what the glyph covers, [px]."""
        x, y = lock_glyphs.half_size(self.mark.kind, scale)
        return QRectF(self.center.x() - x, self.center.y() - y, 2.0 * x, 2.0 * y)


def placed(view: SceneView, marks: Sequence[LockMark], scale: float = WORK) -> list[Placed]:
    """Return where the glyphs are in a view; those behind the eye are left out.

    A glyph that would hide another one steps aside, always the same way for the same places.

    Args:
        view: The view.
        marks: The locks.
        scale: Of the glyphs.
    """
    if not marks:
        return []
    points: list[Array] = []
    spans = []
    for mark in marks:
        own = [mark.anchor]
        if mark.kind == "plane" and mark.center is not None and mark.normal is not None:
            own.extend(patch(mark.center, mark.normal))
        spans.append((len(points), len(points) + len(own)))
        points.extend(own)
    seen = view.project(np.array(points))
    found: list[Placed] = []
    for mark, (first, end) in zip(marks, spans, strict=True):
        rows = seen[first:end]
        if rows[0, 2] <= 0.0:
            continue
        corners = rows[1:, :2] if len(rows) > 1 and bool((rows[1:, 2] > 0.0).all()) else None
        x, y = rows[0, :2].tolist()
        if corners is not None and scale > SMALL:
            left = corners[int(np.argmin(corners[:, 0]))]
            x, y = float(left[0]) + 9.0, float(left[1]) + 7.0
        elif mark.kind == "orientation":
            aside = (mark.radius / view.pixel_size(mark.anchor) + 10.0 * scale) if scale > SMALL else 0.0
            x += aside if aside and _is_left(view, mark, x) else -aside
            y -= 9.0 * scale
        elif mark.kind == "balance":
            y += 13.0 * scale
        found.append(Placed(mark, _beside(x, y, mark, found, scale), corners, QPointF(x, y)))
    return found


def _is_left(view: SceneView, mark: LockMark, x: float) -> bool:
    """Return whether the part's counterpart appears on the left of it: a glyph there would seem to be that one's."""
    if mark.counterpart is None:
        return False
    seen = view.project(mark.counterpart[None])[0]
    return bool(seen[2] > 0.0 and seen[0] < x)


def _beside(x: float, y: float, mark: LockMark, others: Sequence[Placed], scale: float) -> QPointF:
    """Return where a glyph finds room next to those placed before it, as near to its own place as may be."""
    if not others:
        return QPointF(x, y)
    # In a small view glyphs overlap by half: better that than far from what they hold.
    share, gap = (0.5, 0.0) if scale <= SMALL else (1.0, 2.0)
    half = lock_glyphs.half_size(mark.kind, scale)
    rows = [(each.center.x(), each.center.y(), *lock_glyphs.half_size(each.mark.kind, scale)) for each in others]
    taken = np.array(rows) * (1.0, 1.0, share, share) + (0.0, 0.0, share * half[0] + gap, share * half[1] + gap)
    near = taken[np.argsort(np.hypot(taken[:, 0] - x, taken[:, 1] - y), kind="stable")[:_NEIGHBOURS]]
    xs = np.concatenate([[x], near[:, 0] + near[:, 2], near[:, 0] - near[:, 2]])
    ys = np.concatenate([[y], near[:, 1] - near[:, 3], near[:, 1] + near[:, 3]])
    spots = np.stack(np.meshgrid(xs, ys, indexing="ij"), axis=-1).reshape(-1, 2)
    away = np.abs(spots[:, None, :] - taken[None, :, :2])
    free = np.all(np.any(away >= taken[None, :, 2:] - 1e-6, axis=2), axis=1)
    if not free.any():
        return QPointF(x, y)
    spots = spots[free]
    best = spots[int(np.argmin(np.round(np.hypot(spots[:, 0] - x, spots[:, 1] - y), 6)))]
    return QPointF(float(best[0]), float(best[1]))


def hit(
    view: SceneView, marks: Sequence[LockMark], x: float, y: float, first: str | None = None, size: float = HIT
) -> LockMark | None:
    """Return the lock whose glyph is under a pixel, the nearest; ``first`` names one that wins if it is there too.

    A glyph is taken up to ``size`` pixels from its middle, across and along.
    """
    best: tuple[float, LockMark] | None = None
    for each in placed(view, marks):
        dx, dy = abs(x - each.center.x()), abs(y - each.center.y())
        if dx <= size and dy <= size:
            away = -1.0 if each.mark.id == first else math.hypot(dx, dy)
            if best is None or away < best[0]:
                best = away, each.mark
    return None if best is None else best[1]


def patch(center: Array, normal: Array) -> Array:
    """Return the corners of the patch drawn of a plane, shape (4, 3), [m]."""
    across, along = plane_basis(normal)
    return np.asarray(center + 0.5 * PATCH * (_SQUARE[:, :1] * across + _SQUARE[:, 1:] * along))


def one_line(mark: LockMark, scene: Scene) -> str:
    """Return a lock in one line: ``"Right foot · Position · holds · 0.000 mm"``."""
    parts = [lock_words.part_of(mark.lock, scene.skeleton), kind_text(mark, scene), mark.word]
    if mark.word != "off" and mark.kind != "balance":  # how far a balance is off is shown beside its polygon
        place, turn = mark.state.position_residual, mark.state.angle_residual
        parts += [lock_words.length_text(place)] if math.isfinite(place) else []
        parts += [lock_words.angle_text(turn)] if math.isfinite(turn) else []
    return " · ".join(parts)


def kind_text(mark: LockMark, scene: Scene) -> str:
    """Return a lock's kind and what belongs to it: ``"Orientation Y"``, ``"Plane, ground"``, ``"Aim, left hand"``."""
    lock = mark.lock
    axes, other = lock_words.axes_text(lock), lock_words.other_of(lock, scene.skeleton)
    ground = ", ground" if lock_words.is_ground(lock) else ""
    return f"{lock.rule.title}{' ' + axes if axes else ''}{ground}{', ' + other if other else ''}"


def link(mark: LockMark) -> Array:
    """Return the ends of the line that joins a part to what it is locked to, shape (2, 3), [m]: of a pair its goal."""
    assert mark.other is not None
    goal = mark.place if mark.kind == "point_pair" and mark.place is not None else mark.other
    return np.array([mark.here, goal])


def describe(marks: Iterable[LockMark], scene: Scene) -> str:
    """Return what a screen reader says of the locks."""
    words = []
    for mark in marks:
        words.append(f"{lock_words.part_of(mark.lock, scene.skeleton)} {kind_text(mark, scene)}, {mark.word}")
    return "" if not words else f"{len(words)} lock{'' if len(words) == 1 else 's'}: " + "; ".join(words)


# -- painting ------------------------------------------------------------------------------------------------------


def draw_small(painter: QPainter, view: SceneView, marks: Sequence[LockMark]) -> None:
    """Draw the glyphs into a small view."""
    shown = placed(view, marks, SMALL)
    _draw_leaders(painter, view, shown, SMALL)
    for each in shown:
        lock_glyphs.draw(
            painter, view.theme, each.mark.kind, each.center, SMALL, state=each.mark.broken, alpha=_alpha(each.mark)
        )


def draw(
    painter: QPainter, view: SceneView, shown: Sequence[Placed], hovered: str | None = None, selected: str | None = None
) -> None:
    """Draw the locks into the work area.

    Args:
        painter: Where to draw.
        view: The view.
        shown: See :func:`placed`.
        hovered: Strip of the lock under the pointer.
        selected: Strip of the selected lock.
    """
    for each in shown:
        _draw_held(painter, view, each)
    _draw_leaders(painter, view, shown, WORK)
    for each in shown:
        mark = each.mark
        if mark.id in (hovered, selected):
            _draw_frame(painter, view.theme, each, "accent" if mark.id == selected else "text", mark.id == hovered)
        lock_glyphs.draw(painter, view.theme, mark.kind, each.center, state=mark.broken, alpha=_alpha(mark))


def _draw_leaders(painter: QPainter, view: SceneView, shown: Sequence[Placed], scale: float) -> None:
    """Draw a thin line from each glyph that had to step aside to where it belongs."""
    for each in shown:
        size = 2.0 * min(lock_glyphs.half_size(each.mark.kind, scale))
        if each.home is None or math.dist(each.home.toTuple(), each.center.toTuple()) <= _LEADER * size:
            continue
        token, alpha = lock_glyphs.token(each.mark.kind, each.mark.broken), _alpha(each.mark)
        paint.stroke_line(painter, view.theme, [each.center, each.home], token, 1.0, halo=1.6, alpha=alpha)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(paint.color(view.theme, token, alpha))
        painter.drawEllipse(each.home, 2.0, 2.0)


def _alpha(mark: LockMark) -> float:
    if mark.word == "off":
        return _OFF
    return _EASING + (1.0 - _EASING) * min(max(float(mark.state.factor), 0.0), 1.0)


def _draw_frame(painter: QPainter, theme: Theme, each: Placed, token: str, lit: bool) -> None:
    """Draw the frame of a glyph that is hovered or selected."""
    box = each.box().adjusted(-FRAME_GAP, -FRAME_GAP, FRAME_GAP, FRAME_GAP)
    painter.setBrush(paint.color(theme, "panel", 0.7) if lit else Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(paint.color(theme, "halo", 0.85), 2.0 + paint.HALO))
    painter.drawRoundedRect(box, paint.RADIUS, paint.RADIUS)
    painter.setPen(
        QPen(paint.color(theme, token, 1.0 if token == "accent" else 0.9), 2.0 if token == "accent" else 1.5)
    )
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box, paint.RADIUS, paint.RADIUS)


def _draw_held(painter: QPainter, view: SceneView, each: Placed) -> None:
    """Draw what a lock holds: ring, patch, axis or link."""
    mark, alpha = each.mark, _alpha(each.mark)
    if mark.kind == "plane":
        _draw_patch(painter, view, each, alpha)
    elif mark.kind == "line" and mark.center is not None and mark.normal is not None:
        ends = mark.center + np.array([[-REACH], [REACH]]) * mark.normal
        _draw_line(painter, view, ends, mark, (7.0, 4.0), alpha)
    elif mark.kind == "path" and mark.lock.target is not None:
        _draw_line(painter, view, PathResidual(mark.lock.target).drawn(), mark, (7.0, 4.0), alpha)
    elif mark.kind in ("orientation", "pose") and mark.center is not None and mark.normal is not None:
        token = "conflict" if mark.broken else "lock_orientation"
        draw_ring(painter, view, mark.center, mark.normal, mark.radius, token, alpha)
    elif mark.other is not None and (mark.lock.rule.takes_other or mark.kind == "look_at"):
        _draw_line(painter, view, link(mark), mark, (5.0, 4.0), alpha)
        _draw_ends(painter, view, mark, alpha)


def _draw_line(
    painter: QPainter, view: SceneView, ends: Array, mark: LockMark, dash: tuple[float, float], alpha: float
) -> None:
    seen = view.project(ends)
    if (seen[:, 2] <= 0.0).any():
        return
    token = lock_glyphs.token(mark.kind, mark.broken)
    points = [QPointF(float(x), float(y)) for x, y, _ in seen]
    paint.stroke_line(painter, view.theme, points, token, 1.6, dash, halo=1.8, alpha=alpha)


def _draw_ends(painter: QPainter, view: SceneView, mark: LockMark, alpha: float) -> None:
    """Draw a dot at either end of a link."""
    assert mark.other is not None
    painter.setPen(QPen(paint.color(view.theme, "halo", 0.85 * alpha), 1.6))
    painter.setBrush(paint.color(view.theme, lock_glyphs.token(mark.kind, mark.broken), alpha))
    for x, y, depth in view.project(link(mark)):
        if depth > 0.0:
            painter.drawEllipse(QPointF(float(x), float(y)), 3.2, 3.2)


def draw_ring(
    painter: QPainter, view: SceneView, center: Array, axis: Array, radius: float, token: str, alpha: float = 1.0
) -> None:
    """Draw a ring in the world, the half that is farther from the eye faintly.

    Args:
        painter: Where to draw.
        view: The view.
        center: Its middle, shape (3,), [m].
        axis: Unit axis, shape (3,).
        radius: [m].
        token: Colour.
        alpha: Opacity.
    """
    first, second = plane_basis(axis)
    middle, a, b = view.project(center + radius * np.array([np.zeros(3), first, second]))
    if min(middle[2], a[2], b[2]) <= 0.0:
        return
    # So small a circle looks like an ellipse also in perspective; curves are stroked much faster than polylines.
    u, v = a - middle, b - middle
    turned = math.atan2(float(v[2]), float(u[2]))  # where it is farthest from the eye
    frame = QTransform(u[0], u[1], v[0], v[1], middle[0], middle[1])
    for strength, start in ((_BACK, turned - 0.5 * math.pi), (1.0, turned + 0.5 * math.pi)):
        half = QPainterPath()
        degrees = -math.degrees(start)  # Qt's angles go the other way round where y points down
        half.arcMoveTo(-1.0, -1.0, 2.0, 2.0, degrees)
        half.arcTo(-1.0, -1.0, 2.0, 2.0, degrees, -180.0)
        line = frame.map(half)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for ink, width, opacity in (("halo", LINE + paint.HALO, 0.85), (token, LINE, 1.0)):
            pen = QPen(paint.color(view.theme, ink, opacity * strength * alpha), width)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap if ink == "halo" else Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawPath(line)


def _draw_patch(painter: QPainter, view: SceneView, each: Placed, alpha: float) -> None:
    """Draw the patch of a plane: a square with a few lines, so that its slant shows."""
    if each.corners is None:
        return
    theme, token = view.theme, lock_glyphs.token("plane", each.mark.broken)
    a, b, c, d = each.corners
    outline = [QPointF(float(x), float(y)) for x, y in (a, b, c, d, a)]
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(paint.color(theme, token, 0.14 * alpha))
    painter.drawPolygon(QPolygonF(outline[:-1]))
    painter.setPen(QPen(paint.color(theme, token, 0.45 * alpha), 1.0))
    for t in (1.0 / 3.0, 2.0 / 3.0):
        for first, last in ((a + t * (b - a), d + t * (c - d)), (a + t * (d - a), b + t * (c - b))):
            painter.drawLine(QPointF(*first.tolist()), QPointF(*last.tolist()))
    paint.stroke_line(painter, theme, outline, token, 1.5, halo=1.4, alpha=alpha)


def draw_label(painter: QPainter, view: SceneView, each: Placed, scene: Scene, room: QRectF) -> QRectF:
    """Draw the label of the lock under the pointer over its glyph; return its box."""
    text = one_line(each.mark, scene)
    width, height = paint.chip_size(text, 11.0)
    box = each.box()
    rect = QRectF(box.center().x() - 0.5 * width, box.top() - FRAME_GAP - 6.0 - height, width, height)
    if rect.top() < room.top() + 4.0:
        rect.moveTop(box.bottom() + FRAME_GAP + 6.0)
    rect = paint.keep_inside(rect, room)
    ink = {"yields": "warn", "conflict": "conflict"}.get(each.mark.word, "text")
    paint.draw_chip(painter, view.theme, rect, text, ink, "line2", 11.0, 500, "panel", 0.92)
    return rect


# -- legend --------------------------------------------------------------------------------------------------------

_SIDE, _GLYPH, _GAP, _BETWEEN = 8.0, 18.0, 5.0, 14.0


def legend_kinds(marks: Iterable[LockMark]) -> tuple[str, ...]:
    """Return the kinds of lock that are shown, in the order of the legend."""
    there = {mark.kind for mark in marks}
    return tuple(kind.name for kind in KINDS if kind.name in there)


def legend_size(kinds: Sequence[str], words: bool = True) -> tuple[float, float]:
    """Return width and height of the legend, [px]; without words it is glyphs alone."""
    if not kinds:
        return 0.0, 0.0
    texts = sum(_GAP + paint.text_width(find_kind(kind).title, 11.0) for kind in kinds) if words else 0.0
    return round(2.0 * _SIDE + len(kinds) * _GLYPH + (len(kinds) - 1) * _BETWEEN + texts), paint.CHIP_HEIGHT


def draw_legend(painter: QPainter, theme: Theme, rect: QRectF, kinds: Sequence[str], words: bool = True) -> None:
    """Draw what the glyphs mean."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(paint.color(theme, "panel", 0.72))
    painter.drawRoundedRect(rect, paint.RADIUS, paint.RADIUS)
    painter.setFont(paint.font(11.0, 500))
    x, y = rect.left() + _SIDE, rect.center().y()
    for kind in kinds:
        lock_glyphs.draw(painter, theme, kind, QPointF(x + 0.5 * _GLYPH, y), lock_glyphs.LIST, halo=False)
        x += _GLYPH
        if words:
            width = paint.text_width(find_kind(kind).title, 11.0)
            painter.setPen(paint.color(theme, "text2"))
            box = QRectF(x + _GAP, rect.top(), width + 2.0, rect.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, find_kind(kind).title)
            x += _GAP + width
        x += _BETWEEN
