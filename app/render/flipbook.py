"""The small pictures of a motion's key poses, all seen by one camera: what an icon of the library flips through."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.look.theme import Theme
from app.render.camera import Camera
from app.render.drawn_figure import prepare_figure
from app.render.picture import Picture
from app.render.thumbnail import thumbnail_camera, thumbnail_renderer, thumbnail_theme
from core.kinematics import forward_kinematics
from core.skeleton.extent import figure_height
from core.skeleton.skeleton import Skeleton

if TYPE_CHECKING:
    from app.render.physics_world import Solid

Array = NDArray[np.float64]

_MARGIN = 1.04
_WIDEST = 1.15  # of the figure's height, what the motion may cover across before the way it travels is shown shorter
_STEPS = 24


@dataclass(frozen=True)
class Framing:
    """How all poses of a motion are seen.

    Attributes:
        camera: The camera of all pictures.
        shifts: What each pose is moved by so that a long way fits, shape (k, 3), [m].
    """

    camera: Camera
    shifts: Array


def prepare(skeleton: Skeleton) -> None:
    """Make a figure's triangles ready to be drawn; takes a third of a second, and any thread may do it."""
    prepare_figure(skeleton)


def framing(skeleton: Skeleton, poses: ArrayLike, aspect: float) -> Framing:
    """Return how to see all poses of a motion at one scale.

    Camera and scale are those of the timeline's key poses. What the figure travels is part of the picture as far as it
    fits; of a longer path the poses come nearer to each other, so that the figure stays large enough to be read.

    Args:
        skeleton: The figure.
        poses: Shape (k, nq), at least one, [m] and [rad].
        aspect: Width over height of the pictures.

    Raises:
        GraphicsError: If there is no OpenGL.
        PoseError: If a pose does not fit the skeleton.
    """
    rows = np.array([skeleton.check_pose(q) for q in np.asarray(poses, dtype=np.float64)])
    camera = thumbnail_camera()
    with thumbnail_renderer(skeleton) as drawer:
        points = [drawer.hull_points(forward_kinematics(skeleton, q)) for q in rows]
    seen = np.array(points) @ camera.basis.T  # (k, n, 3): right, up, and toward the eye
    travel = (rows[:, :3] - rows[0, :3]) * [1.0, 0.0, 1.0]
    tall = figure_height(skeleton)
    share = _share_of_travel(seen[:, :, 0], travel @ camera.basis[0], max(_WIDEST, aspect) * tall)
    shifts = (share - 1.0) * travel
    _frame(camera, seen + (shifts @ camera.basis.T)[:, None, :], tall, aspect)
    return Framing(camera, shifts)


def _share_of_travel(across: Array, along: Array, widest: float) -> float:
    """Return the largest part of the way travelled, 0 to 1, with which the motion is no wider than ``widest``.

    Args:
        across: Where the figure's points are across the picture, shape (k, n), [m].
        along: How far it has travelled across the picture, shape (k,), [m].
        widest: What the motion may cover, [m].
    """
    low, high = across.min(axis=1) - along, across.max(axis=1) - along

    def width(share: float) -> float:
        return float((high + share * along).max() - (low + share * along).min())

    if width(1.0) <= widest:
        return 1.0
    least, most = 0.0, 1.0
    for _ in range(_STEPS):
        middle = 0.5 * (least + most)
        least, most = (middle, most) if width(middle) <= widest else (least, middle)
    return least


def _frame(camera: Camera, seen: Array, tall: float, aspect: float) -> None:
    """Put points into the picture, at no larger scale than the figure standing upright would have.

    Args:
        camera: The camera; keeps its direction.
        seen: Points by the camera's axes, shape (k, n, 3), [m].
        tall: The figure's height, [m].
        aspect: Width over height of the picture.
    """
    rows = seen.reshape(-1, 3)
    low, high = rows.min(axis=0), rows.max(axis=0)
    high[1] = max(high[1], low[1] + tall)
    middle = 0.5 * (low + high)
    away = rows - middle
    away[:, 1] = np.where(rows[:, 1] > middle[1], away[:, 1], -away[:, 1])
    across = np.maximum(away[:, 1], np.abs(away[:, 0]) / aspect)
    needed = across * _MARGIN / math.tan(0.5 * camera.fov) + away[:, 2]
    upright = 0.5 * tall * _MARGIN / math.tan(0.5 * camera.fov)
    camera.distance = max(float(needed.max()), upright)
    camera.target = tuple((middle @ camera.basis).tolist())


def draw(
    skeleton: Skeleton,
    q: ArrayLike,
    seen: Framing,
    number: int,
    size: tuple[int, int],
    theme: Theme | str,
    solids: Sequence[Solid] = (),
) -> NDArray[np.uint8]:
    """Return the picture of one pose on a transparent ground.

    Args:
        skeleton: The figure.
        q: Pose, shape (nq,).
        seen: From ``framing``.
        number: Which of the poses it is.
        size: Width and height, device pixels.
        theme: Colours, or the name of a theme.
        solids: What stands around the figure.

    Returns:
        Shape (height, width, 4), uint8, RGBA, top row first, premultiplied alpha.

    Raises:
        GraphicsError: If there is no OpenGL.
        PoseError: If the pose does not fit the skeleton.
    """
    moved = []
    for solid in solids:  # along with the figure, so that it stands where it stood
        poses = solid.poses.copy()
        poses[:, :3, 3] += seen.shifts[number]
        moved.append(solid._replace(poses=poses))
    pose = np.array(skeleton.check_pose(q))
    pose[:3] += seen.shifts[number]
    picture = Picture(poses=forward_kinematics(skeleton, pose), background=False, solids=moved)
    with thumbnail_renderer(skeleton) as drawer:
        return drawer.render(seen.camera, picture, *size, thumbnail_theme(theme), 4)
