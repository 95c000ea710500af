"""The cone that a joint swings in: its rim around where the joint rests, and the axis that must stay inside.

Sizes are logical pixels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from app.marks import paint
from app.marks.handle import dof_frame, tip_below
from core.arrays import Array
from core.skeleton.cones import cones_of

if TYPE_CHECKING:
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene
    from core.posing.hindrance import Stop
    from core.skeleton import Skeleton

RADIUS = 72.0
"""Length of the cone's side: its rim then runs where rings are drawn."""
_STEPS = 73
_SIDES = 8
_AT_RIM = math.radians(0.15)


@dataclass(frozen=True, eq=False)
class ConeMark:
    """A joint's cone as it stands in the world.

    Attributes:
        center: The joint's place, shape (3,), [m].
        rest: Unit direction around which the joint swings, shape (3,).
        axis: Unit direction in which what swings points, shape (3,).
        cone: Half-angle, [rad].
    """

    center: Array
    rest: Array
    axis: Array
    cone: float

    @property
    def at_rim(self) -> bool:
        """Whether the joint stands at its cone."""
        return math.acos(min(max(float(self.rest @ self.axis), -1.0), 1.0)) > self.cone - _AT_RIM

    def rim(self) -> Array:
        """Return unit directions all around the rim, the last as the first, shape (n, 3)."""
        side = np.cross(self.rest, np.eye(3)[int(np.argmin(np.abs(self.rest)))])
        side /= np.linalg.norm(side)
        turns = np.linspace(0.0, 2.0 * math.pi, _STEPS)[:, None]
        across = np.cos(turns) * side + np.sin(turns) * np.cross(self.rest, side)
        return np.asarray(math.cos(self.cone) * self.rest + math.sin(self.cone) * across)


def cone_marks(skeleton: Skeleton, q: Array, poses: Array, joints: Iterable[int]) -> list[ConeMark]:
    """Return the cones of some joints.

    Args:
        skeleton: The figure.
        q: Its pose, shape (nq,).
        poses: World frames of its joints, shape (n, 4, 4), [m].
        joints: The joints; those without a cone have none.
    """
    cones, wanted, found = cones_of(skeleton), set(joints), []
    for joint, columns, cosine in zip(cones.joints.tolist(), cones.columns.tolist(), cones.cosines, strict=True):
        if joint not in wanted:
            continue
        first, second = (column - 3 for column in columns)
        swung = np.cross(skeleton.all_dofs[first].axis, skeleton.all_dofs[second].axis)
        swung /= np.linalg.norm(swung)
        if float(swung @ tip_below(skeleton, joint)) < 0.0:
            swung = -swung
        frame, center = dof_frame(skeleton, q, poses, first)
        after = dof_frame(skeleton, q, poses, second + 1, joint)[0]
        found.append(ConeMark(center, frame @ swung, after @ swung, math.acos(cosine)))
    return found


def blocked_cones(scene: Scene, stops: Iterable[Stop]) -> list[ConeMark]:
    """Return the cones that stop a drag."""
    skeleton = scene.skeleton
    if skeleton is None:
        return []
    joints = [skeleton.dof_joints[stop.dof] for stop in stops if stop.side == 0 and stop.dof < skeleton.n_dofs]
    return cone_marks(skeleton, np.asarray(scene.document.pose), scene.poses, joints) if joints else []


def draw(painter: QPainter, view: SceneView, marks: Iterable[ConeMark]) -> None:
    """Draw cones: the rim, faint sides, and the axis inside; in the warning's colour where a joint is at its rim."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    theme = view.theme
    for mark in marks:
        size = RADIUS * view.pixel_size(mark.center)
        rim = [QPointF(float(x), float(y)) for x, y, _ in view.project(mark.center + size * mark.rim())]
        middle, tip = (
            QPointF(float(x), float(y))
            for x, y, _ in view.project(mark.center + size * np.array([0.0 * mark.axis, mark.axis]))
        )
        token = "warn" if mark.at_rim else "text2"
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(paint.color(theme, token, 0.12))
        painter.drawPolygon(QPolygonF(rim))
        for end in rim[: -1 : (_STEPS - 1) // _SIDES]:
            paint.stroke_line(painter, theme, [middle, end], token, 1.0, halo=0.0, alpha=0.35)
        paint.stroke_line(painter, theme, rim, token, 1.6, alpha=0.9)
        paint.stroke_line(painter, theme, [middle, tip], token, 1.4, alpha=0.9)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(paint.color(theme, token))
        painter.drawEllipse(tip, 3.0, 3.0)
    painter.restore()
