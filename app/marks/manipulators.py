"""Rotation rings and slide arrows: one for each degree of freedom of a joint, around its real axis in the world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPainterPath, QPen, QPolygonF

from app.marks import paint
from app.marks.handle import RADIUS, VIEW, Handle, compound_dofs, handles
from core.skeleton.dof import HINGE

if TYPE_CHECKING:
    from app.look.theme import Theme
    from app.scene.pointing import SceneView

__all__ = [
    "RADIUS", "VIEW", "Handle", "angle_at", "arrow_points", "band", "compound_dofs", "draw", "handles", "hit",
    "letters", "ring_points", "slide_rate", "tangent_rate",
]  # fmt: skip

Array = NDArray[np.float64]

STROKE, HOVER_STROKE, HIT_BAND = 2.5, 4.0, 9.0
BACK_ALPHA, OTHER_ALPHA = 0.25, 0.35
ARC_BAND, ARC_GAP = 6.0, 5.0
ARROW, HEAD_LENGTH, HEAD_WIDTH = 64.0, 12.0, 8.0
_STEPS = 96
_EDGE_ON = 0.2
LETTER, LETTER_GAP, BEYOND = 7.0, 2.0, 9.0
"""Radius of a letter's ball, what two balls leave between them, and how far one is beyond an arrow, [px]."""
_LETTER_STEPS = 96  # places on a ring to either side of its value where its letter may go


# -- on screen ---------------------------------------------------------------------------------------------------


def ring_points(view: SceneView, handle: Handle, radius: float | None = None, angles: Array | None = None) -> Array:
    """Return points of a ring of constant size on screen, shape (m, 3): pixels and depth."""
    turn = np.linspace(0.0, 2.0 * np.pi, _STEPS + 1) if angles is None else angles
    size = (handle.radius if radius is None else radius) * view.pixel_size(handle.center)
    side = np.cross(handle.axis, handle.zero)
    world = handle.center + size * (np.cos(turn)[:, None] * handle.zero + np.sin(turn)[:, None] * side)
    return view.project(world)


def arrow_points(view: SceneView, handle: Handle) -> tuple[QPointF, QPointF]:
    """Return where a slide's arrow starts and ends, [px]."""
    size = ARROW * view.pixel_size(handle.center)
    ends = view.project(np.array([handle.center, handle.center + size * handle.axis]))
    return QPointF(*ends[0, :2]), QPointF(*ends[1, :2])


def letters(view: SceneView, shown: Sequence[Handle]) -> Array:
    """Return the middles of the manipulators' letters, none on another, shape (n, 2), [px].

    An arrow's letter is beyond its tip and a ring's at its value, or as near to there along the arrow or the ring as
    those before leave room; arrows come before rings. NaN for what has none: a ring that faces the eye, and an arrow
    that points at it.
    """
    found = np.full((len(shown), 2), np.nan)
    for i in sorted(range(len(shown)), key=lambda k: (shown[k].kind == HINGE, k)):
        places = _letter_places(view, shown[i])
        taken = found[~np.isnan(found[:, 0])]
        apart = np.linalg.norm(places[:, None] - taken[None], axis=2).min(axis=1, initial=np.inf)
        free = np.flatnonzero(apart >= 2.0 * LETTER + LETTER_GAP)
        if len(places):
            found[i] = places[free[0] if len(free) else 0]
    return found


def _letter_places(view: SceneView, handle: Handle) -> Array:
    """Return where a letter may be, the best place first, shape (m, 2), [px]."""
    if handle.kind != HINGE:
        a, b = arrow_points(view, handle)
        d = np.array([b.x() - a.x(), b.y() - a.y()])
        length = float(np.linalg.norm(d))
        if length < HEAD_LENGTH:
            return np.zeros((0, 2))
        return np.array([b.x(), b.y()]) + (BEYOND + LETTER * np.arange(_LETTER_STEPS))[:, None] * (d / length)
    if handle.letter == VIEW:
        return np.zeros((0, 2))
    steps = np.arange(1, _LETTER_STEPS + 1) * (np.pi / _LETTER_STEPS)
    offsets = np.concatenate([[0.0], np.column_stack([steps, -steps]).ravel()])
    return ring_points(view, handle, None, handle.value + offsets)[:, :2]


def hit(view: SceneView, shown: tuple[Handle, ...], x: float, y: float) -> int | None:
    """Return the index of the manipulator under a pixel: the one whose letter is there, else the nearest in the band.

    The band is 9 px wide; front halves win. An arrow that points at the eye is not drawn and not hit.
    """
    if not shown:
        return None
    away = np.linalg.norm(letters(view, shown) - (x, y), axis=1)
    if (away <= LETTER + 1.0).any():
        return int(np.nanargmin(away))
    best: tuple[float, int] | None = None
    for i, handle in enumerate(shown):
        if handle.kind != HINGE:
            a, b = arrow_points(view, handle)
            if np.hypot(b.x() - a.x(), b.y() - a.y()) < HEAD_LENGTH:
                continue
            points = np.array([[a.x(), a.y(), 0.0], [b.x(), b.y(), 0.0]])
            behind = np.zeros(1, dtype=bool)
        else:
            points = ring_points(view, handle)
            behind = _behind(view, handle, 0.5 * (points[1:, 2] + points[:-1, 2]))
        near = _distances(points[:, :2], np.array([x, y])) + np.where(behind, 3.0, 0.0)
        nearest = float(near.min())
        if nearest <= 0.5 * HIT_BAND + STROKE and (best is None or nearest < best[0]):
            best = (nearest, i)
    return None if best is None else best[1]


def _behind(view: SceneView, handle: Handle, depths: Array) -> NDArray[np.bool_]:
    """Return which points of a ring lie behind its middle."""
    if handle.letter == VIEW:
        return np.zeros(len(depths), dtype=bool)
    return np.asarray(depths > float(view.project(handle.center[None])[0, 2]) + 1e-9)


def _distances(line: Array, point: Array) -> Array:
    """Return the distance of a point from each piece of a polyline, shape (m - 1,)."""
    a, b = line[:-1], line[1:]
    d = b - a
    length = np.maximum((d * d).sum(axis=1), 1e-12)
    t = np.clip(((point - a) * d).sum(axis=1) / length, 0.0, 1.0)
    return np.linalg.norm(a + t[:, None] * d - point, axis=1)


def angle_at(view: SceneView, handle: Handle, x: float, y: float) -> float | None:
    """Return the angle on the ring under a pixel, [rad]; None if the ring is seen from its edge."""
    origin, direction = view.ray(x, y)
    facing = float(direction @ handle.axis)
    if abs(facing) < _EDGE_ON:
        return None
    point = origin + ((handle.center - origin) @ handle.axis / facing) * direction - handle.center
    side = np.cross(handle.axis, handle.zero)
    return float(np.arctan2(point @ side, point @ handle.zero))


def tangent_rate(view: SceneView, handle: Handle, x: float, y: float) -> Array:
    """Return how the angle changes with the pointer along an edge-on ring, shape (2,), [rad/px]."""
    points = ring_points(view, handle)
    nearest = int(np.argmin(_distances(points[:, :2], np.array([x, y]))))
    along = points[nearest + 1, :2] - points[nearest, :2]
    length = float(np.linalg.norm(along))
    return along / max(length, 1e-9) / handle.radius


def slide_rate(view: SceneView, handle: Handle) -> Array:
    """Return how a slide or coordinate changes with the pointer, shape (2,), [m/px] or [1/px].

    Zero if its axis points at the eye.
    """
    step = RADIUS * view.pixel_size(handle.center)
    ends = view.project(np.array([handle.center, handle.center + step * handle.axis]))
    along = ends[1, :2] - ends[0, :2]
    square = float(along @ along)
    return np.zeros(2) if square < 9.0 else along * (step / square / handle.speed)


# -- painting ----------------------------------------------------------------------------------------------------


def draw(
    painter: QPainter, view: SceneView, theme: Theme, shown: tuple[Handle, ...], hovered: int | None, held: int | None
) -> None:
    """Draw the manipulators of one joint.

    Args:
        painter: Where to draw.
        view: The view it belongs to.
        theme: The colours.
        shown: The manipulators.
        hovered: Index of the one under the pointer.
        held: Index of the one being turned; the others are left out then.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    lit = held if held is not None else hovered
    order = [i for i in range(len(shown)) if i != lit] + ([lit] if lit is not None else [])
    if lit is not None and shown[lit].kind == "hinge" and shown[lit].dof >= 0:
        _draw_limits(painter, view, theme, shown[lit])
    for i in order:
        alpha = 1.0 if lit is None or i == lit else OTHER_ALPHA
        if held is not None and i != held:
            alpha *= 0.5
        width = HOVER_STROKE if i == lit else STROKE
        if shown[i].kind != HINGE:
            _draw_arrow(painter, view, theme, shown[i], width, alpha)
        else:
            _draw_ring(painter, view, theme, shown[i], width, alpha)
    places = letters(view, shown)
    for i in order:
        if not np.isnan(places[i, 0]):
            _draw_letter(painter, theme, shown[i], places[i], 1.0 if lit is None or i == lit else OTHER_ALPHA)
    painter.restore()


def _draw_ring(painter: QPainter, view: SceneView, theme: Theme, handle: Handle, width: float, alpha: float) -> None:
    points = ring_points(view, handle)
    behind = _behind(view, handle, points[:, 2])
    token = handle.token
    for back in (True, False):
        strength = alpha * (BACK_ALPHA if back else 1.0)
        for run in _runs(behind == back):
            line = [QPointF(float(points[k, 0]), float(points[k, 1])) for k in run]
            if len(line) > 1:
                paint.stroke_line(painter, theme, line, token, width, halo=0.0 if back else 2.0, alpha=strength)


def _runs(mask: NDArray[np.bool_]) -> list[list[int]]:
    """Return runs of neighbouring points of a closed line, each with one point more at its end so that runs meet."""
    n = len(mask) - 1
    if mask[:n].all():
        return [list(range(n + 1))]
    runs: list[list[int]] = []
    start = next((k for k in range(n) if mask[k] and not mask[k - 1 if k else n - 1]), None)
    if start is None:
        return runs
    run: list[int] = []
    for step in range(n):
        k = (start + step) % n
        if mask[k]:
            run.append(k)
        elif run:
            runs.append([*run, k])
            run = []
    if run:
        runs.append([*run, (run[-1] + 1) % n])
    return runs


def band(
    view: SceneView,
    handle: Handle,
    first: float,
    last: float,
    outside: float = RADIUS - ARC_GAP,
    inside: float = RADIUS - ARC_GAP - ARC_BAND,
) -> QPainterPath:
    """Return the band between two angles, [rad], and two radii, [px]; those inside the ring if not given."""
    steps = max(2, int(abs(last - first) / (2.0 * np.pi) * _STEPS))
    angles = np.linspace(first, last, steps)
    outer = ring_points(view, handle, outside, angles)[:, :2]
    inner = ring_points(view, handle, inside, angles)[::-1, :2]
    path = QPainterPath()
    path.addPolygon(QPolygonF([QPointF(float(x), float(y)) for x, y in np.vstack([outer, inner, outer[:1]])]))
    return path


def _draw_limits(painter: QPainter, view: SceneView, theme: Theme, handle: Handle) -> None:
    """Draw what the limits allow as a band in the ring, what they forbid hatched, and where the joint stands."""
    painter.setPen(Qt.PenStyle.NoPen)
    token = handle.token
    lo, hi = handle.lo, handle.hi
    if np.isfinite(lo) and np.isfinite(hi) and hi - lo < 2.0 * np.pi - 1e-6:
        at_limit = handle.value <= lo + 1e-9 or handle.value >= hi - 1e-9
        painter.setBrush(paint.color(theme, "warn" if at_limit else token, 0.55))
        painter.drawPath(band(view, handle, lo, hi))
        blocked = band(view, handle, hi, lo + 2.0 * np.pi)
        painter.setBrush(paint.color(theme, "halo", 0.35))
        painter.drawPath(blocked)
        painter.setBrush(QBrush(paint.color(theme, "text3", 0.7), Qt.BrushStyle.BDiagPattern))
        painter.drawPath(blocked)
    angles = np.array([handle.value])
    a = ring_points(view, handle, None, angles)[0]
    middle = view.project(handle.center[None])[0]
    line = [QPointF(float(middle[0]), float(middle[1])), QPointF(float(a[0]), float(a[1]))]
    paint.stroke_line(painter, theme, line, token, 1.4)


def _draw_arrow(painter: QPainter, view: SceneView, theme: Theme, handle: Handle, width: float, alpha: float) -> None:
    a, b = arrow_points(view, handle)
    d = np.array([b.x() - a.x(), b.y() - a.y()])
    length = float(np.linalg.norm(d))
    if length < HEAD_LENGTH:
        return
    d /= length
    neck = QPointF(b.x() - HEAD_LENGTH * d[0], b.y() - HEAD_LENGTH * d[1])
    token = handle.token
    paint.stroke_line(painter, theme, [a, neck], token, width, alpha=alpha)
    side = 0.5 * HEAD_WIDTH * np.array([-d[1], d[0]])
    painter.setPen(QPen(paint.color(theme, "halo", 0.85 * alpha), 1.2))
    painter.setBrush(paint.color(theme, token, alpha))
    painter.drawPolygon(
        QPolygonF([b, QPointF(neck.x() + side[0], neck.y() + side[1]), QPointF(neck.x() - side[0], neck.y() - side[1])])
    )


def _draw_letter(painter: QPainter, theme: Theme, handle: Handle, middle: Array, alpha: float) -> None:
    ball = QRectF(float(middle[0]) - LETTER, float(middle[1]) - LETTER, 2.0 * LETTER, 2.0 * LETTER)
    painter.setPen(QPen(paint.color(theme, "halo", 0.85 * alpha), 1.2))
    painter.setBrush(paint.color(theme, handle.token, alpha))
    painter.drawEllipse(ball)
    painter.setPen(paint.color(theme, "halo", alpha))
    painter.setFont(paint.font(9.5, 600))
    painter.drawText(ball, Qt.AlignmentFlag.AlignCenter, handle.mark)
