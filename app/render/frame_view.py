"""What every part of a frame needs to know."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.look.theme import Theme
from app.render.camera import Camera
from app.render.drawn_figure import DrawnFigure
from app.render.picture import Picture

Array = NDArray[np.float64]


class FrameView:
    """One frame: camera, content, size and colours, and what follows from them.

    Attributes:
        camera_key: The camera's values; equal only for cameras that show the same.
        begun: Programs that have what is the same for all that they draw in this frame.
        eye: The eye and 1, or for parallel views the direction to it and 0: what the shaders take.
        view_projection: World to clip, upside down: the framebuffer's first row is the top of the picture.
    """

    def __init__(
        self,
        camera: Camera,
        picture: Picture,
        width: int,
        height: int,
        theme: Theme,
        samples: int,
        view_projection: Array,
    ):
        self.camera, self.picture, self.width, self.height = camera, picture, width, height
        self.theme, self.samples, self.view_projection = theme, samples, view_projection
        self.begun: set[object] = set()
        self.camera_key = tuple(tuple(v) if isinstance(v, list) else v for v in camera.to_json().values())
        self._from, self._back = camera.eye, camera.basis[2]
        away = self._back if camera.orthographic else self._from
        self.eye = np.array([*away.tolist(), 0.0 if camera.orthographic else 1.0])

    def pixel_size(self, figure: DrawnFigure, poses: Array) -> float:
        """Return how many metres a pixel covers where the figure is nearest to the eye."""
        depth = (self._from - figure.spheres(poses)[0]) @ self._back
        return self._pixel_size_at(float(depth.min()))

    def least_pixel_size(self, figure: DrawnFigure, poses: Array) -> float:
        """Return what ``pixel_size`` is at least, for figures beside the one that matters: quicker to tell."""
        return self._pixel_size_at(float((self._from - poses[0, :3, 3]) @ self._back) - figure.reach)

    def _pixel_size_at(self, depth: float) -> float:
        nearest = self._from - max(depth, 0.05) * self._back
        return self.camera.pixel_size(self.height, nearest)

    def bounds(self, centers: Array, radii: Array) -> tuple[int, int, int, int]:
        """Return x, y, width, height of the pixels that spheres may touch."""
        pixels = self.camera.project(centers, self.width, self.height)
        near = self.camera.near_far()[0]
        if not self.camera.orthographic and bool((pixels[:, 2] < radii + near).any()):
            return 0, 0, self.width, self.height
        size = self.camera.pixel_size(self.height)
        scale = np.ones(len(radii)) if self.camera.orthographic else self.camera.distance / (pixels[:, 2] - radii)
        reach = (1.1 * radii * scale / size + 3.0)[:, None]
        low = np.clip(np.floor((pixels[:, :2] - reach).min(axis=0)), 0, (self.width, self.height)).astype(int)
        high = np.clip(np.ceil((pixels[:, :2] + reach).max(axis=0)), 0, (self.width, self.height)).astype(int)
        return int(low[0]), int(low[1]), int(max(high[0] - low[0], 0)), int(max(high[1] - low[1], 0))
