"""Rings at the points where strings, springs, ropes and muscles are fixed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtGui import QPainter, QPen

from app.look import style
from app.marks import paint
from app.scene.pointing import Array, SceneView, view_point

RADIUS, SMALL = 5.0, 3.5  # [px]


def draw_anchors(
    painter: QPainter, view: SceneView, places: Iterable[tuple[Array, bool]], radius: float = RADIUS
) -> None:
    """Draw points where something is fixed.

    Args:
        painter: Where.
        view: The view.
        places: Where each is in the world, shape (3,), [m], and whether the mouse is over it.
        radius: Of the rings, [px]; one that the mouse is over is never small.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for place, lit in places:
        size = max(radius, RADIUS) if lit else radius
        painter.setBrush(style.color("accent" if lit else "panel"))
        painter.setPen(QPen(style.color("text"), 1.6))
        painter.drawEllipse(view_point(view, place), size, size)
    painter.restore()


def draw_way(painter: QPainter, view: SceneView, places: Sequence[Array]) -> None:
    """Draw the way through some points that something would take, dashed.

    Args:
        painter: Where.
        view: The view.
        places: The points in the world, shape (3,), [m].
    """
    if len(places) > 1:
        points = [view_point(view, place) for place in places]
        paint.stroke_line(painter, view.theme, points, "accent", 1.8, (5.0, 4.0), halo=1.6)
