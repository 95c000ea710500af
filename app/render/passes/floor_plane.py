"""A floor that is not level: drawn over the surroundings as a square that fades away, with the grid on it."""

from __future__ import annotations

import numpy as np

from app.render.colors import srgb
from app.render.frame_view import FrameView
from app.render.gl import GL
from app.render.ground import Ground
from app.render.programs import Program

REACH = 8.0  # half the square, [m]


class FloorPlane:
    """Draws the floor into the bound target; the context must be current for everything."""

    def __init__(self) -> None:
        self._program = Program("floor.vert", "floor.frag")

    def draw(self, view: FrameView, ground: Ground) -> None:
        """Draw the floor, grid lines along the level and the steepest direction of the world's x and z."""
        n = ground.normal
        across = np.array([1.0, 0.0, 0.0]) - n[0] * n
        across /= np.linalg.norm(across)
        along = np.cross(across, n)
        origin = np.array([0.0, ground.level / n[1], 0.0])
        target = ground.below(np.asarray(view.camera.target)) - origin
        self._program.use()
        self._program.set(
            view_projection=view.view_projection, origin=origin, across=across, along=along, reach=REACH,
            focus=(float(target @ across), float(target @ along)), grid=float(view.picture.grid),
            least=14.0 if view.camera.orthographic else 2.0,
            grid_colour=srgb(view.theme, "grid"), ground_near=srgb(view.theme, "ground_near"),
        )  # fmt: skip
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFuncSeparate(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA, GL.GL_ONE, GL.GL_ONE_MINUS_SRC_ALPHA)
        GL.glDrawArrays(GL.GL_TRIANGLE_STRIP, 0, 4)
        GL.glDisable(GL.GL_BLEND)

    def dispose(self) -> None:
        """Free the program."""
        self._program.dispose()
