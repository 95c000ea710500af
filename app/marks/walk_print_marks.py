"""Paints the footprints of a walk that is made by rules. Sizes are logical pixels unless said otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from app.marks import paint
from app.scene.walk_prints import TURN, WalkPrint, WalkPrints

if TYPE_CHECKING:
    from app.scene.pointing import SceneView

LEFT, RIGHT = "lock_orientation", "force"
"""Colour tokens of both feet; each print has its letter as well."""
_LETTER = 20.0  # a print is at least as long for its letter to be written in
_BEHIND = 0.3  # of the ink of one that ground lies before
_KNOB = 5.0


def draw(painter: QPainter, view: SceneView, prints: WalkPrints, now: int, small: bool) -> None:
    """Paint all prints, those on which the figure stands now stronger; handles of the lit and of the chosen one.

    Args:
        painter: Where to draw.
        view: The view.
        prints: The prints.
        now: The current frame.
        small: Whether it is a small view.
    """
    if not prints.shown:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if len(prints.way):
        seen = view.project(prints.way)
        if (seen[:, 2] > 0.0).all():
            line = [QPointF(x, y) for x, y in seen[:, :2].tolist()]
            paint.stroke_line(painter, view.theme, line, "accent", 1.2 if small else 1.6, halo=1.2)
    if not small:
        for k, (x, y, depth) in enumerate(view.project(prints.way_points).tolist()):
            if depth > 0.0:
                lit = k == prints.lit_point
                painter.setPen(QPen(paint.color(view.theme, "halo", 0.7), 2.0))
                painter.setBrush(paint.color(view.theme, "accent", 1.0 if lit else 0.85))
                painter.drawEllipse(QPointF(x, y), *([_KNOB + 1.5] * 2 if lit else [_KNOB - 0.5] * 2))
    if not prints.all:
        return
    for each, clear in zip(prints.all, prints.seen(view), strict=True):
        _draw_print(painter, view, prints, each, clear, now, small)
    if small:
        return
    for number in dict.fromkeys((prints.chosen, prints.lit_print)):
        each_lit = prints.get(number)
        if each_lit is not None:
            _draw_handle(painter, view, each_lit, number == prints.lit_print and prints.part == TURN)


def _draw_print(
    painter: QPainter, view: SceneView, prints: WalkPrints, each: WalkPrint, clear: bool, now: int, small: bool
) -> None:
    seen = view.project(each.outline)
    if not (seen[:, 2] > 0.0).all():
        return
    token = LEFT if each.is_left else RIGHT
    lit, chosen = each.number == prints.lit_print, each.number == prints.chosen
    stands = each.lands <= now <= each.leaves
    strength = 1.0 if clear else _BEHIND
    shape = QPolygonF([QPointF(x, y) for x, y in seen[:, :2].tolist()])
    painter.setBrush(paint.color(view.theme, token, strength * (0.55 if lit else 0.42 if stands else 0.2)))
    painter.setPen(QPen(paint.color(view.theme, "halo", 0.6 * strength), 1.6 if small else 3.4))
    painter.drawPolygon(shape)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    pen = QPen(paint.color(view.theme, token, strength), 0.9 if small else 2.2 if lit or chosen else 1.4)
    if not clear:
        pen.setDashPattern([3.0, 2.0])
    painter.setPen(pen)
    painter.drawPolygon(shape)
    long, high = float(np.ptp(seen[:, :2], axis=0).max()), float(np.ptp(seen[:, 1]))
    if small or not clear or long < _LETTER or high < 0.6 * _LETTER:
        return
    x, y, _ = view.project(each.middle[None])[0].tolist()
    painter.setFont(paint.font(10.5, 600))
    box = QRectF(x - 12.0, y - 8.0, 24.0, 16.0)
    letter = "L" if each.is_left else "R"
    painter.setPen(paint.color(view.theme, "halo", 0.7))
    for dx, dy in ((-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)):
        painter.drawText(box.translated(dx, dy), Qt.AlignmentFlag.AlignCenter, letter)
    painter.setPen(paint.color(view.theme, "text"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, letter)
    if each.by_hand:
        painter.setBrush(paint.color(view.theme, "accent"))
        painter.setPen(QPen(paint.color(view.theme, "halo"), 1.0))
        painter.drawEllipse(QPointF(x + 9.0, y - 6.0), 2.6, 2.6)


def _draw_handle(painter: QPainter, view: SceneView, each: WalkPrint, lit: bool) -> None:
    """Draw the knob in front of a print by which it is turned, and the line to it."""
    tip = each.middle + 0.72 * (each.handle - each.middle)
    (x0, y0, near), (x1, y1, far) = view.project(np.array([tip, each.handle])).tolist()
    if near <= 0.0 or far <= 0.0:
        return
    token = LEFT if each.is_left else RIGHT
    paint.stroke_line(painter, view.theme, [QPointF(x0, y0), QPointF(x1, y1)], token, 1.6, halo=1.4)
    painter.setBrush(paint.color(view.theme, token if lit else "halo"))
    for ink, width in (("halo", 4.0), (token, 2.0)):
        painter.setPen(QPen(paint.color(view.theme, ink), width))
        painter.drawEllipse(QPointF(x1, y1), _KNOB, _KNOB)
        painter.setBrush(paint.color(view.theme, token if lit else "halo"))
