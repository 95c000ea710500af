"""Control points as they are painted: small rings over the figure, quiet until the pointer is near."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from app.marks import paint
from core.skeleton.control_points import BEND, CHEST, ROOT

if TYPE_CHECKING:
    from collections.abc import Collection

    from app.scene.pointing import SceneView
    from app.scene.scene import Scene
    from core.skeleton.control_points import ControlPoint

RADIUS, SMALL_RADIUS = 4.5, 1.2
HALO = 2.6
_QUIET = 0.72


def _outline(path: QPainterPath, role: str, at: QPointF, radius: float) -> None:
    """Add a point's outline: a square for the root, a diamond for a bend, a flat box for the chest, else a ring."""
    x, y, r = at.x(), at.y(), radius
    if role == ROOT:
        path.addRoundedRect(QRectF(x - r, y - r, 2.0 * r, 2.0 * r), 1.5, 1.5)
    elif role == CHEST:
        path.addRoundedRect(QRectF(x - 1.35 * r, y - 0.75 * r, 2.7 * r, 1.5 * r), 1.5, 1.5)
    elif role == BEND:
        d = 1.2 * r
        path.moveTo(x, y - d)
        path.lineTo(x + d, y)
        path.lineTo(x, y + d)
        path.lineTo(x - d, y)
        path.closeSubpath()
    else:
        path.addEllipse(at, r, r)


def draw(
    painter: QPainter,
    view: SceneView,
    scene: Scene,
    hovered: str | None,
    selected: Collection[int],
    small: bool = False,
) -> None:
    """Draw the control points of the active figure.

    Free ones are open (dots in small views), held ones filled; the one under the pointer is larger, in the accent
    colour and filled, those of selected parts have an accent outline.

    Args:
        painter: Where to draw.
        view: The view.
        scene: The posed figure.
        hovered: Name of the point under the pointer, or None.
        selected: Joints that are selected.
        small: Whether the view is a small one.
    """
    points = scene.controls.points
    if not points or scene.document.gesture is not None:
        return  # while something is dragged they would only hide it, and take time from the drag
    places = scene.controls.places(points)
    scale = 1.0 if small else scene.controls.scale(view, places)
    radius = SMALL_RADIUS if small else RADIUS * scale
    held = scene.controls.held_joints()
    seen = view.project(places)
    groups: dict[tuple[bool, bool], QPainterPath] = {}
    lit: tuple[ControlPoint, QPointF] | None = None
    for point, (x, y, depth) in zip(points, seen.tolist(), strict=True):
        if depth <= 0.0:
            continue
        at = QPointF(x, y)
        if point.name == hovered:
            lit = point, at
            continue
        path = groups.setdefault((point.joint in held, point.joint in selected), QPainterPath())
        _outline(path, point.role, at, radius)
    theme = view.theme
    for (is_held, is_selected), path in groups.items():
        token = "accent" if is_selected else "text"
        _stroke(painter, view, path, token, 1.0 if is_selected else _QUIET, is_held, small)
    if lit is not None:
        path = QPainterPath()
        _outline(path, lit[0].role, lit[1], radius + (1.8 if small else 2.5))
        painter.setPen(QPen(paint.color(theme, "halo", 0.9), 2.0 + HALO))
        painter.setBrush(paint.color(theme, "accent", 0.9 if lit[0].joint in held else 0.35))
        painter.drawPath(path)
        painter.setPen(QPen(paint.color(theme, "accent"), 2.0))
        painter.drawPath(path)


def _stroke(
    painter: QPainter, view: SceneView, path: QPainterPath, token: str, alpha: float, filled: bool, small: bool
) -> None:
    if small and not filled:  # dots: rings would cover a figure that is a hundred pixels high
        painter.setBrush(paint.color(view.theme, token, alpha))
        painter.setPen(QPen(paint.color(view.theme, "halo", 0.75), 0.8))
        painter.drawPath(path)
        return
    width = 1.0 if small else 1.5
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(paint.color(view.theme, "halo", 0.75), width + (1.4 if small else HALO)))
    painter.drawPath(path)
    if filled:
        painter.setBrush(paint.color(view.theme, token, alpha))
    else:
        painter.setBrush(paint.color(view.theme, "halo", 0.25))
    painter.setPen(QPen(paint.color(view.theme, token, alpha), width))
    painter.drawPath(path)
