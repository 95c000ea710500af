"""What is painted over a view's picture: chain, labels, axes and badges. Sizes are logical pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.marks import paint

if TYPE_CHECKING:
    from app.look.theme import Theme
    from app.render.camera import Camera
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene
    from core.kinematics.chain import Chain

Array = NDArray[np.float64]

DOT_STEP = 4.5
MOST_DOTS = 4000
AXIS_TOKENS = ("axis_x", "axis_y", "axis_z")


def _point(row: Array) -> QPointF:
    return QPointF(float(row[0]), float(row[1]))


def draw_chain(painter: QPainter, view: SceneView, scene: Scene, chain: Chain, effector: Array) -> None:
    """Draw the bones of the chain that is dragged: a square at the base joint, dots at the joints.

    Args:
        painter: Where to draw.
        view: Into which view.
        scene: The posed figure.
        chain: The joints that move.
        effector: The end-effector in the world, shape (3,), [m].
    """
    origins = scene.poses[list(chain.joints), :3, 3]
    places = [origins[0]]
    for origin in origins[1:]:  # a compound joint of several joints is one place
        if np.linalg.norm(origin - places[-1]) > 1e-6:
            places.append(origin)
    pixels = [_point(row) for row in view.project(np.array([*places, effector]))]
    theme = view.theme
    paint.stroke_line(painter, theme, pixels, "text" if theme.name == "dark" else "raised", 1.6)
    painter.setPen(QPen(paint.color(theme, "halo" if theme.name == "dark" else "text"), 1.4))
    painter.setBrush(paint.color(theme, "text" if theme.name == "dark" else "raised"))
    base = pixels[0]
    painter.drawRoundedRect(QRectF(base.x() - 5.5, base.y() - 5.5, 11.0, 11.0), 1.5, 1.5)
    for place in pixels[1:-1]:
        painter.drawEllipse(place, 4.5, 4.5)


def draw_tooltip(painter: QPainter, view: SceneView, at: QPointF, text: str) -> None:
    """Draw the name of what a click would grab beside the pointer."""
    width, height = paint.chip_size(text, 11.0)
    rect = QRectF(at.x() + 14.0, at.y() + 18.0, width, height - 2.0)
    rect = paint.keep_inside(rect, QRectF(view.rect()))
    paint.draw_chip(painter, view.theme, rect, text, "text", "line2", 11.0, 500, "panel", 0.92)


def draw_badge(painter: QPainter, view: SceneView, text: str, bottom: float) -> None:
    """Draw a notice in the middle of the lower edge: the pose on screen is not keyed."""
    width, height = paint.chip_size(text)
    rect = QRectF(round(0.5 * (view.width() - width)), view.height() - bottom - height, width, height)
    paint.draw_chip(painter, view.theme, rect, text, "warn", "warn", fill="panel", opacity=0.92)


def trail_dots(view: SceneView, path: Array) -> Array:
    """Return where the dots of a part's path are, shape (n, 2), [px].

    Args:
        view: In which view.
        path: World points in order of time, shape (m, 3), [m].
    """
    pixels = view.project(path)
    seen = pixels[pixels[:, 2] > 0.0, :2]
    if len(seen) < 2:
        return np.empty((0, 2))
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(seen, axis=0).T))])
    steps = np.arange(0.0, min(along[-1], DOT_STEP * MOST_DOTS), DOT_STEP)
    return np.column_stack([np.interp(steps, along, seen[:, k]) for k in (0, 1)])


def draw_center_of_mass(painter: QPainter, view: SceneView, center: Array, foot: Array, small: bool) -> None:
    """Draw the centre of mass as a quartered disc, and its drop to ``foot`` as a dashed line; NaN for none."""
    theme = view.theme
    falls = bool(np.isfinite(foot).all())
    pixels = view.project(np.array([center, foot if falls else center]))
    a, b = _point(pixels[0]), _point(pixels[1])
    radius = 4.0 if small else 6.5
    if falls and not small:
        paint.stroke_line(painter, theme, [a, b], "lock_balance", 1.2, (2.5, 3.0), halo=1.4)
    box = QRectF(a.x() - radius, a.y() - radius, 2.0 * radius, 2.0 * radius)
    painter.setPen(QPen(paint.color(theme, "halo", 0.85), 2.6))
    painter.setBrush(paint.color(theme, "halo"))
    painter.drawEllipse(a, radius, radius)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(paint.color(theme, "lock_balance"))
    for start in (0, 180):
        painter.drawPie(box, start * 16, 90 * 16)
    painter.setPen(QPen(paint.color(theme, "lock_balance"), 1.2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(a, radius, radius)


# -- axes --------------------------------------------------------------------------------------------------------


def draw_axis_balls(painter: QPainter, theme: Theme, camera: Camera, center: QPointF, arm: float = 29.0) -> None:
    """Draw the three world axes as seen, each with a ball and its letter; in the light theme on a quiet disc."""
    right, up, back = camera.basis
    if theme.name == "light":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(paint.color(theme, "panel", 0.45))
        painter.drawEllipse(center, 40.0, 40.0)
    order = sorted(range(3), key=lambda k: back[k])
    for k in order:
        tip = QPointF(center.x() + arm * float(right[k]), center.y() - arm * float(up[k]))
        paint.stroke_line(painter, theme, [center, tip], AXIS_TOKENS[k], 2.0, halo=1.6)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(paint.color(theme, AXIS_TOKENS[k]))
        painter.drawEllipse(tip, 7.5, 7.5)
        painter.setPen(paint.color(theme, "halo"))
        painter.setFont(paint.font(10.0, 600))
        painter.drawText(QRectF(tip.x() - 8.0, tip.y() - 8.0, 16.0, 16.0), Qt.AlignmentFlag.AlignCenter, "XYZ"[k])


def draw_flat_axes(painter: QPainter, theme: Theme, camera: Camera, rect: QRectF, arm: float = 16.0) -> None:
    """Draw the two axes of an orthographic view in a corner: below for front and side, above for the top view."""
    right, up, _ = camera.basis
    across = int(np.argmax(np.abs(right)))
    along = int(np.argmax(np.abs(up)))
    down = up[along] < 0.0
    corner = QPointF(rect.left() + 12.5, rect.top() + 12.5 if down else rect.bottom() - 12.5)
    side = QPointF(corner.x() + arm, corner.y())
    end = QPointF(corner.x(), corner.y() + (arm if down else -arm))
    for tip, axis in ((side, across), (end, along)):
        paint.stroke_line(painter, theme, [corner, tip], AXIS_TOKENS[axis], 2.0, halo=1.4)
    painter.setFont(paint.font(11.0, 600))
    boxes = (
        (QRectF(side.x() + 1.5, side.y() - 8.0, 12.0, 16.0), across),
        (QRectF(end.x() - 8.0, end.y() + (1.0 if down else -16.0), 16.0, 15.0), along),
    )
    for box, axis in boxes:
        painter.setPen(paint.color(theme, AXIS_TOKENS[axis]))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "XYZ"[axis])
