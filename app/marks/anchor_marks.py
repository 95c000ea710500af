"""Rings at the places of the world at which strings hang."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QPainter, QPen

from app.look import style
from app.scene.pointing import Array, SceneView, view_point

RADIUS = 5.0  # [px]


def draw_anchors(painter: QPainter, view: SceneView, places: Iterable[tuple[Array, bool]]) -> None:
    """Draw the anchors of strings.

    Args:
        painter: Where.
        view: The view.
        places: Where each is in the world, shape (3,), [m], and whether the mouse is over it.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for place, lit in places:
        painter.setBrush(style.color("accent" if lit else "panel"))
        painter.setPen(QPen(style.color("text"), 1.6))
        painter.drawEllipse(view_point(view, place), RADIUS, RADIUS)
    painter.restore()
