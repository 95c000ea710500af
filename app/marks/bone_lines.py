"""Joints without a shape as they are painted: thin bones, and those of ghosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPen

from app.marks import paint

if TYPE_CHECKING:
    from app.render.mesh.bare_bones import BareBones
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene

Array = NDArray[np.float64]

_GHOST = 0.7  # opacity of the nearest ghost


def draw_bones(bones: BareBones, painter: QPainter, view: SceneView, scene: Scene, poses: Array, small: bool) -> None:
    """Draw a line for each bone and a dot for each of its joints.

    Args:
        bones: The bones.
        painter: Where to draw.
        view: Into which view.
        scene: Knows what is selected.
        poses: World frames of all joints as the picture shows them, shape (n, 4, 4).
        small: Whether the view is a small one.
    """
    if not len(bones.owners) or len(poses) <= int(bones.owners.max()):
        return
    theme, session = view.theme, scene.document.session
    chain = session.drag.chain
    lit = set(scene.document.selection.joints) | (set(chain.joints) if chain is not None else set())
    a, b = bones.ends(poses)
    from_, to = view.project(a), view.project(b)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    quiet = "joint" if theme.name == "dark" else "text2"
    tokens = ["accent" if i in lit else "text" if i == session.view.hover else quiet for i in bones.owners.tolist()]
    for p, q, token in zip(from_, to, tokens, strict=True):
        if p[2] > 0.0 and q[2] > 0.0:
            paint.stroke_line(
                painter, theme, [QPointF(*p[:2]), QPointF(*q[:2])], token, 1.2 if small else 1.8, halo=1.6
            )
    radius = 1.6 if small else 3.0
    for p, q, token, child in zip(from_, to, tokens, bones.children.tolist(), strict=True):
        painter.setPen(QPen(paint.color(theme, "halo", 0.85), 1.2))
        painter.setBrush(paint.color(theme, token))
        if p[2] > 0.0:
            painter.drawEllipse(QPointF(*p[:2]), radius, radius)
        if child < 0 and q[2] > 0.0:
            painter.drawEllipse(QPointF(*q[:2]), 0.6 * radius, 0.6 * radius)
    painter.restore()


def draw_ghosts(bones: BareBones, painter: QPainter, view: SceneView, scene: Scene, small: bool) -> None:
    """Draw the bones of the ghosts in their colours, the nearest ghost last.

    Args:
        bones: The bones.
        painter: Where to draw.
        view: Into which view.
        scene: Knows the ghosts.
        small: Whether the view is a small one.
    """
    if not len(bones.owners):
        return
    joints = scene.ghost_figures.joints
    mine = np.ones(len(bones.owners), dtype=bool) if joints is None else np.isin(bones.owners, list(joints))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for ghost in reversed(scene.ghosts):
        alpha = min(_GHOST * ghost.strength, 1.0)
        from_, to = (view.project(ends[mine]) for ends in bones.ends(ghost.poses))
        for p, q in zip(from_, to, strict=True):
            if p[2] > 0.0 and q[2] > 0.0:
                line = [QPointF(*p[:2]), QPointF(*q[:2])]
                width = 1.0 if small else 1.6
                paint.stroke_line(painter, view.theme, line, ghost.token, width, halo=0.0, alpha=alpha)
    painter.restore()
