"""Stills of any size without a window or a display: what ``sequence-editor render`` and the exports draw with."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.look.theme import Theme
from app.render.camera import Camera
from app.render.mesh.rods import with_rods
from app.render.picture import Picture
from app.render.renderer import Renderer
from core.kinematics import forward_kinematics
from core.skeleton.skeleton import Skeleton

LARGEST = 8192


class Stills:
    """Draws one frame after another of a figure.

    Args:
        skeleton: The figure.
        width: [px], 1 to 8192.
        height: [px], 1 to 8192.
        theme: Colours, or the name of a theme.
        camera: Where from; None frames the first pose from the figure's front right.
        samples: Samples a pixel.
        grid: Whether the grid is drawn.
        background: Whether sky and ground are drawn; without, the pictures are transparent.
        kind: Which view, where no camera is given: ``perspective``, ``front``, ``side`` or ``top``, framed on the
            first pose.

    Raises:
        GraphicsError: If there is no OpenGL.
        ValueError: If the size is out of range.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        width: int,
        height: int,
        theme: Theme | str = "dark",
        camera: Camera | None = None,
        samples: int = 4,
        grid: bool = True,
        background: bool = True,
        kind: str = "perspective",
    ):
        if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
            raise ValueError(f"a picture of {width} x {height} cannot be drawn; each side is 1 to {LARGEST} pixels")
        self.skeleton, self.width, self.height, self.theme = skeleton, width, height, theme
        self.camera = camera.copy() if camera is not None else None
        self._kind = kind
        self._samples, self._grid, self._background = samples, grid, background
        self._renderer = Renderer(fine=True)
        self._renderer.set_figure(with_rods(skeleton))

    def draw(self, q: ArrayLike) -> NDArray[np.uint8]:
        """Return the picture of one pose.

        Args:
            q: Pose, shape (nq,), [m] and [rad].

        Returns:
            Shape (height, width, 4), uint8, RGBA, top row first; premultiplied alpha where there is no background.

        Raises:
            PoseError: If the pose does not fit the skeleton.
        """
        poses = forward_kinematics(self.skeleton, self.skeleton.check_pose(q))
        if self.camera is None:
            self.camera = Camera(kind=self._kind)
            self.camera.frame(*self._renderer.bounds(poses), self.width / self.height, margin=1.25)
        picture = Picture(poses=poses, grid=self._grid, background=self._background)
        return self._renderer.render(self.camera, picture, self.width, self.height, self.theme, self._samples)

    def close(self) -> None:
        """Free what the pictures were drawn with."""
        self._renderer.dispose()


def still(
    skeleton: Skeleton,
    q: ArrayLike,
    width: int,
    height: int,
    theme: Theme | str = "dark",
    camera: Camera | None = None,
    samples: int = 4,
    grid: bool = True,
    background: bool = True,
    kind: str = "perspective",
) -> NDArray[np.uint8]:
    """Return one picture of a pose; arguments, result and errors as in :class:`Stills`."""
    stills = Stills(skeleton, width, height, theme, camera, samples, grid, background, kind)
    try:
        return stills.draw(q)
    finally:
        stills.close()
