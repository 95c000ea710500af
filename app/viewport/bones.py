"""The skeleton as it is edited: a ball for each joint, a bone to each child, axes and limits of degrees of freedom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from app.viewport import manipulators, paint
from core.skeleton.segment import segment_tip

if TYPE_CHECKING:
    from app.theme import Theme
    from app.tools.base import ToolView
    from app.viewport.scene import Scene
    from core.skeleton import Skeleton

Array = NDArray[np.float64]

SEEN_THROUGH = 0.42
"""How much the body hides its bones while they are edited."""
BALL, LEAST_BALL, SMALL = 4.5, 2.8, 2.2  # radii
BALLS_HIGH = 75.0  # a figure is at least this many radii high, so that balls do not hide a small one
BONE = 0.65  # half of a bone's width at its thick end, in radii
AXIS, TICK = 46.0, 11.0  # lengths
ARCS = (27.0, 34.0, 41.0)  # radii of the limits of x, y and z
ARC_BAND = 4.5
_SAME = 1e-6  # [m]
_TOKENS = ("axis_x", "axis_y", "axis_z")


def draw(painter: QPainter, view: ToolView, scene: Scene, small: bool = False) -> None:
    """Draw the skeleton over the picture of its body.

    Args:
        painter: Where to draw.
        view: Into which view.
        scene: The figure at rest.
        small: Whether the view is a small one: thin bones and dots only.
    """
    skeleton = scene.edited
    if skeleton is None:
        return
    chosen, hover = scene.document.selection, scene.document.session.hover
    pixels = view.project(scene.poses[:, :3, 3])
    high = scene.height / view.pixel_size(scene.poses[0, :3, 3])
    radius = SMALL if small else min(max(high / BALLS_HIGH, LEAST_BALL), BALL)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    order = np.argsort(-pixels[:, 2], kind="stable")
    for i in order:
        _draw_bones(painter, view.theme, skeleton, pixels, int(i), i in chosen, radius)
    if not small:
        _draw_tips(painter, view, scene, skeleton, pixels, chosen)
        for i in range(len(skeleton.joints)):
            if i not in chosen[-1:]:
                _draw_axes(painter, view, scene, skeleton, i, TICK, 0.9 if i == hover else 0.55)
        if chosen:
            _draw_limits(painter, view, scene, skeleton, chosen[-1])
            _draw_axes(painter, view, scene, skeleton, chosen[-1], AXIS, 1.0)
    partner = _partner(skeleton, chosen)
    for i in order:
        if pixels[i, 2] > 0.0:
            _draw_ball(painter, view.theme, pixels[i], radius, skeleton.joints[i].parent < 0, i in chosen, i == hover)
            if not small and i in (hover, partner):
                _draw_ring(painter, view.theme, pixels[i], radius + 3.4, "text" if i == hover else "accent")
    if not small and chosen:
        _draw_letters(painter, view, scene, skeleton, chosen[-1])
    painter.restore()


def _partner(skeleton: Skeleton, chosen: tuple[int, ...]) -> int | None:
    """Return the counterpart of the joint chosen last, on the other side."""
    for pair in skeleton.mirror_pairs if chosen else ():
        if chosen[-1] in pair:
            return pair[0] if pair[1] == chosen[-1] else pair[1]
    return None


def _point(row: Array) -> QPointF:
    return QPointF(float(row[0]), float(row[1]))


def _draw_bones(
    painter: QPainter, theme: Theme, skeleton: Skeleton, pixels: Array, joint: int, lit: bool, radius: float
) -> None:
    """Draw a joint's bones: to each child, thick at the joint and thin at the child."""
    for child in skeleton.children[joint]:
        if pixels[joint, 2] <= 0.0 or pixels[child, 2] <= 0.0:
            continue
        a, b = pixels[joint, :2], pixels[child, :2]
        way = b - a
        length = float(np.linalg.norm(way))
        if length < 1.0:
            continue
        side = np.array([-way[1], way[0]]) / length * BONE * radius
        token = "accent" if lit else "body" if theme.name == "dark" else "text2"
        corners = (a + side, b + 0.2 * side, b - 0.2 * side, a - side)
        painter.setPen(QPen(paint.color(theme, "halo", 0.75), 1.6 if radius > SMALL else 1.0))
        painter.setBrush(paint.color(theme, token, 0.95 if lit else 0.8))
        painter.drawPolygon(QPolygonF([_point(corner) for corner in corners]))


def _draw_tips(
    painter: QPainter, view: ToolView, scene: Scene, skeleton: Skeleton, pixels: Array, chosen: tuple[int, ...]
) -> None:
    """Draw where the segments of the last joints of chains end."""
    for i in range(len(skeleton.joints)):
        if skeleton.children[i] or not skeleton.joints[i].has_body:
            continue
        end = view.project(scene.world(i, segment_tip(skeleton, i))[None])[0]
        if end[2] > 0.0 and pixels[i, 2] > 0.0:
            token = "accent" if i in chosen else "text2"
            paint.stroke_line(painter, view.theme, [_point(pixels[i]), _point(end)], token, 1.2, (3.0, 3.0), halo=1.2)


def _draw_ball(painter: QPainter, theme: Theme, pixel: Array, radius: float, root: bool, lit: bool, over: bool) -> None:
    """Draw a joint: a ball, for the root a box."""
    center, grown = _point(pixel), radius * (1.3 if lit else 1.0)
    fill = "accent" if lit else "text" if over else "joint" if theme.name == "dark" else "raised"
    edge = paint.color(theme, "halo" if theme.name == "dark" else "text2", 0.9)
    painter.setPen(QPen(edge, 1.6 if radius > SMALL else 1.2))
    painter.setBrush(paint.color(theme, fill))
    if root:
        painter.drawRoundedRect(QRectF(center.x() - grown, center.y() - grown, 2 * grown, 2 * grown), 1.5, 1.5)
    else:
        painter.drawEllipse(center, grown, grown)


def _draw_ring(painter: QPainter, theme: Theme, pixel: Array, radius: float, token: str) -> None:
    """Draw what marks the joint under the pointer, and the counterpart of the selected one."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(paint.color(theme, token), 1.6))
    painter.drawEllipse(_point(pixel), radius, radius)


# -- degrees of freedom ------------------------------------------------------------------------------------------


def _handles(scene: Scene, skeleton: Skeleton, joint: int) -> tuple[manipulators.Handle, ...]:
    return manipulators.handles(skeleton, skeleton.rest_pose(), scene.poses, joint, own=True)


def _axis_end(view: ToolView, handle: manipulators.Handle, length: float) -> tuple[QPointF, QPointF]:
    """Return where an axis of so many pixels, if seen from the side, begins and ends on screen."""
    reach = length * view.pixel_size(handle.center)
    ends = view.project(np.array([handle.center, handle.center + reach * handle.axis]))
    return _point(ends[0]), _point(ends[1])


def _draw_axes(
    painter: QPainter, view: ToolView, scene: Scene, skeleton: Skeleton, joint: int, length: float, alpha: float
) -> None:
    """Draw the axis of each degree of freedom, in the colour of the letter it is nearest to."""
    for handle in _handles(scene, skeleton, joint):
        a, b = _axis_end(view, handle, length)
        long = length > TICK
        paint.stroke_line(
            painter, view.theme, [a, b], _TOKENS[handle.letter], 2.0 if long else 1.6, halo=2.0 if long else 1.0,
            alpha=alpha,
        )  # fmt: skip


def _draw_limits(painter: QPainter, view: ToolView, scene: Scene, skeleton: Skeleton, joint: int) -> None:
    """Draw what each hinge allows as an arc round its axis, and where it stands at rest."""
    for handle in _handles(scene, skeleton, joint):
        if handle.kind != "hinge":
            continue
        radius = ARCS[handle.letter]
        if not (np.isfinite(handle.lo) or np.isfinite(handle.hi)):
            _draw_circle(painter, view, handle, radius - ARC_BAND)
            continue
        lo, hi = max(handle.lo, -np.pi), min(handle.hi, np.pi)
        path = manipulators.band(view, handle, lo, hi, radius, radius - ARC_BAND)
        painter.setPen(QPen(paint.color(view.theme, "halo", 0.6), 1.0))
        painter.setBrush(paint.color(view.theme, _TOKENS[handle.letter], 0.6))
        painter.drawPath(path)
        ends = manipulators.ring_points(view, handle, radius + 1.5, np.array([handle.value]))
        inner = manipulators.ring_points(view, handle, radius - ARC_BAND - 1.5, np.array([handle.value]))
        painter.setPen(QPen(paint.color(view.theme, "text"), 1.6))
        painter.drawLine(_point(inner[0]), _point(ends[0]))


def _draw_circle(painter: QPainter, view: ToolView, handle: manipulators.Handle, radius: float) -> None:
    """Draw a thin ring: the hinge turns all round."""
    points = [_point(row) for row in manipulators.ring_points(view, handle, radius)]
    paint.stroke_line(painter, view.theme, points, _TOKENS[handle.letter], 1.2, halo=0.8, alpha=0.55)


def _draw_letters(painter: QPainter, view: ToolView, scene: Scene, skeleton: Skeleton, joint: int) -> None:
    theme = view.theme
    for handle in _handles(scene, skeleton, joint):
        _, end = _axis_end(view, handle, AXIS)
        box = QRectF(end.x() - 7.0, end.y() - 7.0, 14.0, 14.0)
        painter.setPen(QPen(paint.color(theme, "halo", 0.85), 1.2))
        painter.setBrush(paint.color(theme, _TOKENS[handle.letter]))
        if handle.kind == "slide":
            painter.drawRoundedRect(box, 2.0, 2.0)
        else:
            painter.drawEllipse(box)
        painter.setPen(paint.color(theme, "halo"))
        painter.setFont(paint.font(9.5, 600))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "XYZ"[handle.letter])
