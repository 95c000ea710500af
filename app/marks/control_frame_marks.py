"""Control frames of the joint that is edited, at rest: a dot for each, joined as they shape the spline.

The one that the panel shows has its axes. Of a Bezier spline those that the curve goes through are full dots and the
others, its handles, open ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPen

from app.document.edits.spline_edits import rows_of
from app.marks import paint
from app.marks.spline_path import base_frame
from core.joints import SplineCurve
from core.skeleton.control_frames import SplinePart, spline_parts
from core.skeleton.euler import euler_rotation
from core.spatial import so3

if TYPE_CHECKING:
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene

Array = NDArray[np.float64]

RADIUS, CHOSEN = 4.0, 5.5
REACH = 8.0
"""A dot whose middle is no farther from the pointer than this is taken, [px]."""
AXIS = 22.0
_LINE, _FAINT = 1.0, 0.55
_AXES = ("axis_x", "axis_y", "axis_z")


class ControlFrames(NamedTuple):
    """The control frames of a joint.

    Attributes:
        joint: Index of the joint.
        parts: Its splines.
        bases: For each control frame where it is given, in the world, shape (m, 4, 4).
        places: Where they are in the world, shape (m, 3), [m].
        chosen: The one that is edited.
    """

    joint: int
    parts: tuple[SplinePart, ...]
    bases: Array
    places: Array
    chosen: int

    def given(self, number: int, place: Array) -> Array:
        """Return a place of the world as the control frame is given, shape (3,), [m]."""
        base = self.bases[number]
        return np.asarray(np.linalg.solve(base[:3, :3], place - base[:3, 3]))


def control_frames(scene: Scene) -> ControlFrames | None:
    """Return the control frames of the joint selected last while the figure is edited; None if it has none."""
    skeleton, chosen = scene.edited, scene.document.selection.joints
    if skeleton is None or not scene.at_rest or not chosen or chosen[-1] >= len(skeleton.joints):
        return None
    joint = skeleton.joints[chosen[-1]]
    parts = spline_parts(joint.type)
    if not parts:
        return None
    first = 3 + skeleton.first_dof[chosen[-1]]
    q = skeleton.rest_pose()[first : first + len(joint.dofs)]
    base = base_frame(skeleton, scene.poses, chosen[-1])
    bases = np.concatenate([np.tile(base @ part.frame(q), (len(part.rows), 1, 1)) for part in parts])
    rows = rows_of(joint)
    places = np.einsum("mij,mj->mi", bases[:, :3, :3], rows[:, :3]) + bases[:, :3, 3]
    return ControlFrames(
        chosen[-1], parts, bases, places, min(scene.document.session.tools.control_frame, len(rows) - 1)
    )


def hit(view: SceneView, found: ControlFrames, x: float, y: float) -> int | None:
    """Return the control frame under a pixel: the chosen one if it is there, else the nearest; None for none."""
    pixels = view.project(found.places)
    away = np.hypot(pixels[:, 0] - x, pixels[:, 1] - y)
    away[pixels[:, 2] <= 0.0] = np.inf
    if away[found.chosen] <= REACH:
        return found.chosen
    nearest = int(np.argmin(away))
    return nearest if away[nearest] <= REACH else None


def draw(painter: QPainter, view: SceneView, scene: Scene, hovered: int | None = None) -> None:
    """Draw the control frames of the joint that is edited.

    Args:
        painter: Where to draw.
        view: Into which view.
        scene: The figure at rest.
        hovered: The one under the pointer.
    """
    found = control_frames(scene)
    if found is None:
        return
    pixels = view.project(found.places)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for part in found.parts:
        for a, b in _joined(part):
            if pixels[a, 2] > 0.0 and pixels[b, 2] > 0.0:
                ends = [QPointF(*pixels[k, :2].tolist()) for k in (a, b)]
                paint.stroke_line(painter, view.theme, ends, "accent", _LINE, (4.0, 3.0), halo=1.0, alpha=_FAINT)
    _draw_axes(painter, view, scene, found)
    for part in found.parts:
        for number in part.rows:
            _draw_dot(
                painter, view, pixels[number], _is_handle(part, number), number == found.chosen, number == hovered
            )
    painter.restore()


def _is_handle(part: SplinePart, number: int) -> bool:
    """Return whether a control frame of a Bezier spline is one that the spline does not go through."""
    if part.model.basis != "bezier":
        return False
    at = number - part.rows.start
    if isinstance(part.model, SplineCurve):
        return at % 3 != 0
    columns = part.model.values.shape[2]
    return at // columns % 3 != 0 or at % columns % 3 != 0


def _joined(part: SplinePart) -> list[tuple[int, int]]:
    """Return which control frames are joined by a line."""
    model, first = part.model, part.rows.start
    count = len(part.rows)
    if isinstance(model, SplineCurve):
        pairs = [(k, (k + 1) % count) for k in range(count if model.closed else count - 1)]
        if model.basis == "bezier":  # a handle belongs to one end
            pairs = [(a, b) for a, b in pairs if a % 3 == 0 or b % 3 == 0]
    else:
        _, rows, columns = model.values.shape
        at = np.arange(count).reshape(rows, columns)
        across = np.column_stack([at[:, :-1].ravel(), at[:, 1:].ravel()])
        pairs = [*map(tuple, across.tolist()), *zip(at[:-1].ravel().tolist(), at[1:].ravel().tolist(), strict=True)]
    return [(first + a, first + b) for a, b in pairs]


def _draw_axes(painter: QPainter, view: SceneView, scene: Scene, found: ControlFrames) -> None:
    """Draw the axes of the chosen control frame."""
    skeleton = scene.edited
    assert skeleton is not None
    number = found.chosen
    part = next(part for part in found.parts if number in part.rows)
    angles = rows_of(skeleton.joints[found.joint])[number, 3:]
    turn = euler_rotation(angles) if isinstance(part.model, SplineCurve) else _surface_turn(angles)
    axes = found.bases[number, :3, :3] @ turn
    axes = axes / np.linalg.norm(axes, axis=0)
    place = found.places[number]
    size = AXIS * view.pixel_size(place)
    ends = view.project(np.vstack([place, place + size * axes.T]))
    if (ends[:, 2] <= 0.0).any():
        return
    for k in np.argsort(-ends[1:, 2]).tolist():
        line = [QPointF(*ends[0, :2].tolist()), QPointF(*ends[1 + k, :2].tolist())]
        paint.stroke_line(painter, view.theme, line, _AXES[k], 2.0, halo=1.4)


def _surface_turn(degrees: Array) -> Array:
    """Return ``Rx Ry Rz`` of angles in degrees, shape (3, 3)."""
    made = np.eye(3)
    for axis, angle in zip(np.eye(3), np.radians(degrees), strict=True):
        made = made @ so3.axis_rotation(axis, float(angle))
    return made


def _draw_dot(painter: QPainter, view: SceneView, pixel: Array, handle: bool, chosen: bool, hovered: bool) -> None:
    x, y, depth = pixel.tolist()
    if depth <= 0.0:
        return
    radius = CHOSEN if chosen or hovered else RADIUS
    theme, at = view.theme, QPointF(x, y)
    painter.setPen(QPen(paint.color(theme, "halo", 0.9), 1.6))
    filled = paint.color(theme, "panel") if handle and not chosen else paint.color(theme, "accent")
    painter.setBrush(filled)
    painter.drawEllipse(at, radius, radius)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if handle or chosen or hovered:
        painter.setPen(QPen(paint.color(theme, "text" if chosen or hovered else "accent"), 1.4))
        painter.drawEllipse(at, radius - 0.8, radius - 0.8)
