"""Which joint the pointer means while the skeleton is edited, and places on a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.tools.picking import pick_near

if TYPE_CHECKING:
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene
    from app.tools.base import Array

REACH = 10.0
"""A ball whose middle is no further from the pointer than this is taken, [px]."""
BONE_REACH = 5.0
STEPS = (1.0, 0.5, 0.25, 0.1, 0.05, 0.025, 0.01, 0.005, 0.001)
"""Distances of a grid that joints go to, [m]."""
LEAST_STEP = 9.0
"""Neighbouring places of the grid are at least this far apart on screen, [px]."""
_TOGETHER = 1.5


def balls_near(scene: Scene, view: SceneView, x: float, y: float) -> list[int]:
    """Return the joints whose balls are under the pointer, the nearest first; of those that coincide the last child.

    Args:
        scene: The figure at rest.
        view: Projects.
        x: Logical pixels from the view's left.
        y: Logical pixels from its top.
    """
    pixels = view.project(scene.poses[:, :3, 3])
    away = np.hypot(pixels[:, 0] - x, pixels[:, 1] - y)
    near = [int(i) for i in np.flatnonzero((away <= REACH) & (pixels[:, 2] > 0.0))]
    return sorted(near, key=lambda i: (round(float(away[i]) / _TOGETHER), round(float(pixels[i, 2]), 4), -i))


def joint_at(scene: Scene, view: SceneView, x: float, y: float) -> int | None:
    """Return the joint under the pointer: by its ball, else by one of its bones, else by its body.

    A joint that is selected already wins over others whose balls are as near, so that it can be dragged away.
    """
    balls = balls_near(scene, view, x, y)
    if balls:
        chosen = scene.document.selection.joints[-1:]
        return chosen[0] if chosen and chosen[0] in balls else balls[0]
    bone = _bone_near(scene, view, x, y)
    if bone is not None:
        return bone
    hit = pick_near(scene, view, x, y)
    return None if hit is None else hit.joint


def _bone_near(scene: Scene, view: SceneView, x: float, y: float) -> int | None:
    """Return the joint that the bone under the pointer belongs to: the one at its thick end."""
    skeleton = scene.skeleton
    if skeleton is None:
        return None
    children = [i for i, joint in enumerate(skeleton.joints) if joint.parent >= 0]
    if not children:
        return None
    parents = [skeleton.joints[i].parent for i in children]
    pixels = view.project(scene.poses[:, :3, 3])
    a, b = pixels[parents, :2], pixels[children, :2]
    along_bone = b - a
    square = np.maximum((along_bone * along_bone).sum(axis=1), 1e-9)
    along = np.clip((([x, y] - a) * along_bone).sum(axis=1) / square, 0.0, 1.0)
    away = np.linalg.norm(a + along[:, None] * along_bone - [x, y], axis=1)
    away[(pixels[parents, 2] <= 0.0) | (pixels[children, 2] <= 0.0) | (square < 4.0)] = np.inf
    nearest = int(np.argmin(away))
    return parents[nearest] if away[nearest] <= BONE_REACH else None


def grid_step(view: SceneView, point: Array) -> float:
    """Return the finest step of a grid that can still be told apart at a point, [m]."""
    pixel = view.pixel_size(point)
    return min((step for step in STEPS if step >= LEAST_STEP * pixel), default=STEPS[0])


def step_text(step: float) -> str:
    """Return a step as a person reads it."""
    if step >= 1.0:
        return f"{step:g} m"
    return f"{step * 100.0:g} cm" if step >= 0.01 else f"{step * 1000.0:g} mm"


def snapped(view: SceneView, point: Array, step: float) -> Array:
    """Return the place of the grid nearest to a point; in a parallel view its depth stays as it is.

    Args:
        view: The view the point is moved in.
        point: In the world, shape (3,), [m].
        step: Of the grid, [m].
    """
    placed = np.round(np.asarray(point) / step) * step + 0.0
    if view.camera.orthographic:
        away = view.camera.basis[2]
        placed = placed + ((point - placed) @ away) * away
    return placed
