"""Small pictures of a pose, for the timeline and the library."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.look.theme import Theme
from app.render.camera import Camera
from app.render.colors import theme_named
from app.render.mesh.rods import with_rods
from app.render.picture import Picture
from app.render.renderer import Renderer
from core.kinematics import forward_kinematics
from core.skeleton.extent import figure_height
from core.skeleton.skeleton import Skeleton

_lock = threading.Lock()
_MARGIN = 1.03
# A little from the figure's right and from above: walking shows as in the side view, but nothing overlaps exactly.
_YAW, _PITCH, _FOV = np.radians(-52.0), np.radians(8.0), np.radians(20.0)


@functools.cache
def _renderer() -> Renderer:
    return Renderer()


@contextmanager
def thumbnail_renderer(skeleton: Skeleton, renderer: Renderer | None = None) -> Iterator[Renderer]:
    """Lend the renderer of small pictures, set to a figure; other threads wait until it is given back.

    Args:
        skeleton: The figure.
        renderer: Who draws; None takes one kept for thumbnails.

    Raises:
        GraphicsError: If there is no OpenGL.
    """
    with _lock:
        drawer = renderer or _renderer()
        drawer.set_figure(with_rods(skeleton))
        yield drawer


def thumbnail_theme(theme: Theme | str) -> Theme:
    """Return the colours of all small pictures: the figure's is one that reads on the ground they stand on."""
    full = theme_named(theme)
    return replace(full, body=full.body_small)


def thumbnail_camera() -> Camera:
    """Return the camera of all small pictures, not yet framed on anything."""
    return Camera(yaw=_YAW, pitch=_PITCH, fov=_FOV)


def thumbnail(
    skeleton: Skeleton,
    q: ArrayLike,
    size: int | tuple[int, int],
    theme: Theme | str,
    *,
    samples: int = 4,
    renderer: Renderer | None = None,
) -> NDArray[np.uint8]:
    """Return a picture of one pose on a transparent ground.

    The figure keeps one scale over all poses, that of its rest height, so that a strip of pictures reads as one
    movement; a pose that needs more room is drawn smaller.

    Args:
        skeleton: The figure.
        q: Pose, shape (nq,), [m] and [rad].
        size: Width and height in device pixels, or one number for both.
        theme: Colours, or the name of a theme.
        samples: Samples a pixel.
        renderer: Who draws; None takes one kept for thumbnails. Calls from several threads wait for each other.

    Returns:
        Shape (height, width, 4), uint8, RGBA, top row first, premultiplied alpha.

    Raises:
        GraphicsError: If there is no OpenGL.
        PoseError: If the pose does not fit the skeleton.
    """
    width, height = (size, size) if isinstance(size, int) else size
    poses = forward_kinematics(skeleton, skeleton.check_pose(q))
    with thumbnail_renderer(skeleton, renderer) as drawer:
        low, high = drawer.bounds(poses)
        tall = figure_height(skeleton)
        center = 0.5 * (low + high)
        half = 0.5 * np.array([0.45 * tall, tall, 0.45 * tall])
        camera = thumbnail_camera()
        camera.frame(np.minimum(low, center - half), np.maximum(high, center + half), width / height, _MARGIN)
        picture = Picture(poses=poses, background=False)
        return drawer.render(camera, picture, width, height, thumbnail_theme(theme), samples)
