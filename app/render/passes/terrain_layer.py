"""Ground that is not level: its triangles in the floor's colours, lit by the key light, with grid and shadow."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from app.render.colors import srgb
from app.render.frame_view import FrameView
from app.render.gl import GL
from app.render.mesh.terrain_mesh import terrain_mesh
from app.render.passes.backdrop import studio_floor
from app.render.programs import Program
from app.render.vertex_arrays import filling
from core.terrain import Terrain

_GRID_REACH = 9.0  # how far from where the camera looks the grid is seen, [m]

_APART = 0.2  # how far its colours are from the floor's, towards that of the grid


class TerrainLayer:
    """Draws a terrain, and keeps what was uploaded of the last; the context must be current for everything."""

    def __init__(self) -> None:
        self._program = Program("terrain.vert", "terrain.frag")
        self._terrain: Terrain | None = None
        self._count = 0
        self._vertex_array, self._buffers = int(GL.glGenVertexArrays(1)), [int(b) for b in GL.glGenBuffers(2)]
        with filling(self._vertex_array):
            GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._buffers[0])
            for k in range(2):
                GL.glEnableVertexAttribArray(k)
                GL.glVertexAttribPointer(k, 3, GL.GL_FLOAT, False, 24, ctypes.c_void_p(12 * k))

    def draw(self, view: FrameView, terrain: Terrain, shadow: Mapping[str, ArrayLike]) -> None:
        """Draw it into the bound frame, with depth.

        Args:
            view: The frame.
            terrain: What.
            shadow: Uniforms of the shadow that lies on it; its picture is in texture unit 1 then. Empty for none.
        """
        if terrain is not self._terrain:
            rows, triangles = terrain_mesh(terrain)
            with filling(self._vertex_array):
                GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._buffers[0])
                GL.glBufferData(GL.GL_ARRAY_BUFFER, rows.nbytes, rows, GL.GL_STATIC_DRAW)
                GL.glBindBuffer(GL.GL_ELEMENT_ARRAY_BUFFER, self._buffers[1])
                GL.glBufferData(GL.GL_ELEMENT_ARRAY_BUFFER, triangles.nbytes, triangles, GL.GL_STATIC_DRAW)
            self._terrain, self._count = terrain, triangles.size
        camera, picture = view.camera, view.picture
        grid, near, far = (srgb(view.theme, token) for token in ("grid", "ground_near", "ground_far"))
        if camera.kind not in ("front", "side"):  # there it stands before the sky, and is dark against it
            near, far = near + _APART * (grid - near), far + _APART * (grid - far)
        if picture.background and picture.backdrop == "studio":
            near = far = np.array(studio_floor(view.theme))
        self._program.use()
        self._program.set(
            view_projection=view.view_projection, eye=view.eye, key=picture.lights.direction,
            ground_near=near, ground_far=far, grid_colour=grid,
            flat_ground=float(camera.orthographic), reach=_GRID_REACH,
            grid=float(picture.grid and picture.backdrop == "stage"),
            least=14.0 if camera.orthographic else 2.0, focus=(camera.target[0], camera.target[2]),
            **(shadow or {"density": 0.0}),
        )  # fmt: skip
        GL.glBindVertexArray(self._vertex_array)
        GL.glEnable(GL.GL_DEPTH_TEST)
        GL.glDrawElements(GL.GL_TRIANGLES, self._count, GL.GL_UNSIGNED_INT, ctypes.c_void_p(0))
        GL.glDisable(GL.GL_DEPTH_TEST)

    def dispose(self) -> None:
        """Free program and buffers."""
        self._program.dispose()
        GL.glDeleteVertexArrays(1, [self._vertex_array])
        GL.glDeleteBuffers(2, self._buffers)
