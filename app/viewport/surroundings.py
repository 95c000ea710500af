"""Sky, ground, grid and the shadow on the ground: what is behind everything else in a picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.viewport.backdrop import Backdrop
from app.viewport.figure_buffer import FigureBuffer
from app.viewport.floor_plane import FloorPlane
from app.viewport.frame_view import FrameView
from app.viewport.gl import GL
from app.viewport.ground import GROUND
from app.viewport.programs import Program
from app.viewport.shadow import Shadow, ground_patch
from app.viewport.targets import Target, TargetStore

Array = NDArray[np.float64]

_DENSITY = {"dark": 0.66, "light": 0.42}


class Surroundings:
    """Draws them, and keeps those of cameras that rest; the context must be current for everything."""

    def __init__(self) -> None:
        self._layers = TargetStore(10, depth=False)
        self._backdrop, self._shadow = Backdrop(), Shadow()
        self._floor: FloorPlane | None = None

    @staticmethod
    def shadowed(view: FrameView) -> bool:
        """Return whether the figure's shadow on the ground is seen."""
        ground, camera = view.picture.ground, view.camera
        if ground is None or not view.picture.background or camera.kind not in ("perspective", "top"):
            return False
        return bool(camera.eye @ ground.normal > ground.level)

    def cast(
        self, view: FrameView, figure: FigureBuffer, program: Program, key: object, spheres: tuple[Array, Array]
    ) -> None:
        """Make the shadow ready, unless it is that of ``key`` already.

        Args:
            view: The frame; its picture has the ground.
            figure: Its palette's first instance casts the shadow.
            program: Of ``shadow_cast``, for this figure.
            key: Identifies figure and pose.
            spheres: Round the segments: centres (k, 3) and radii (k,), [m].
        """
        plane = (view.picture.ground or GROUND).plane
        self._shadow.update((key, plane.tobytes()), figure, program, ground_patch(*spheres, plane), plane)

    def fill(self, view: FrameView, frame: Target, shadow: bool) -> None:
        """Fill the frame with what is behind, and clear depth and stencil.

        Args:
            view: What is seen.
            frame: Where to draw.
            shadow: Whether there is a shadow to be drawn.
        """
        if not view.picture.background:
            frame.bind()
            GL.glClearColor(0.0, 0.0, 0.0, 0.0)
            GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT | GL.GL_STENCIL_BUFFER_BIT)
            return
        ground = view.picture.ground or GROUND
        key = (view.camera_key, view.width, view.height, view.theme.name, view.picture.grid, ground.plane.tobytes())
        layer = self._layers.get(key)
        if layer is None:
            layer = self._layers.add(key, view.width, view.height, 0)
            layer.bind()
            camera = view.camera
            if not ground.usual:  # the same surroundings as seen from a place as much lower
                camera = camera.copy()
                camera.shift((0.0, -ground.level / float(ground.normal[1]), 0.0))
            grid = view.picture.grid and not ground.tilted
            self._backdrop.draw(camera, view.width, view.height, view.theme, grid)
            if ground.tilted:
                self._floor = self._floor or FloorPlane()
                self._floor.draw(view, ground)
        layer.copy_to(frame)
        frame.bind()
        GL.glClear(GL.GL_DEPTH_BUFFER_BIT | GL.GL_STENCIL_BUFFER_BIT)
        if shadow and self.shadowed(view):
            density = _DENSITY[view.theme.name] * (0.4 if view.camera.kind == "top" else 1.0)
            self._shadow.draw(view.view_projection, density)

    def dispose(self) -> None:
        """Free everything."""
        for thing in (self._layers, self._backdrop, self._shadow, *((self._floor,) if self._floor else ())):
            thing.dispose()
