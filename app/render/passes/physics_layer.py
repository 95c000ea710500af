"""Draws the signs of physics over a frame: all shapes in one call, all lines in another."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from app.render.colors import srgb
from app.render.frame_view import FrameView
from app.render.gl import GL
from app.render.physics_picture import LINE_WIDTH, SHAPE_WIDTH, PhysicsPicture
from app.render.programs import Program
from app.render.vertex_arrays import filling

_SMALL = 0.7
"""Widths in small views, as a share."""


class _Instances:
    """A buffer of rows that are the attributes of one instance each, four floats an attribute."""

    def __init__(self, width: int):
        self._kept: NDArray[np.float32] | None = None
        self.vertex_array = int(GL.glGenVertexArrays(1))
        self.buffer = int(GL.glGenBuffers(1))
        with filling(self.vertex_array):
            GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self.buffer)
            for k in range(width // 4):
                GL.glEnableVertexAttribArray(k)
                GL.glVertexAttribPointer(k, 4, GL.GL_FLOAT, False, 4 * width, ctypes.c_void_p(16 * k))
                GL.glVertexAttribDivisor(k, 1)

    def draw(self, rows: NDArray[np.float32]) -> None:
        """Upload the rows unless they are there already, and draw a square for each."""
        if rows is not self._kept:  # the views show the same one after the other
            GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self.buffer)
            GL.glBufferData(GL.GL_ARRAY_BUFFER, rows.nbytes, rows, GL.GL_STREAM_DRAW)
            self._kept = rows
        GL.glBindVertexArray(self.vertex_array)
        GL.glDrawArraysInstanced(GL.GL_TRIANGLE_STRIP, 0, 4, len(rows))

    def dispose(self) -> None:
        GL.glDeleteVertexArrays(1, [self.vertex_array])
        GL.glDeleteBuffers(1, [self.buffer])


class PhysicsLayer:
    """The programs and buffers for signs; the context must be current for everything."""

    def __init__(self) -> None:
        self._shapes = Program("physics_shape.vert", "physics_shape.frag")
        self._lines = Program("physics_line.vert", "physics_line.frag")
        self._shape_rows, self._line_rows = _Instances(SHAPE_WIDTH), _Instances(LINE_WIDTH)

    def draw(self, view: FrameView, picture: PhysicsPicture) -> None:
        """Draw over the frame that is bound."""
        small = view.picture.small
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFunc(GL.GL_ONE, GL.GL_ONE_MINUS_SRC_ALPHA)
        for program, buffer, rows in (
            (self._shapes, self._shape_rows, picture.shapes),
            (self._lines, self._line_rows, picture.lines),
        ):
            if len(rows):
                program.use()
                program.set(
                    view_projection=view.view_projection, eye=view.eye, half_size=(0.5 * view.width, 0.5 * view.height),
                    pixel=float(view.picture.scale * (_SMALL if small else 1.0)), quiet=float(small),
                    halo=srgb(view.theme, "halo"),
                )  # fmt: skip
                buffer.draw(rows)
        GL.glDisable(GL.GL_BLEND)
        GL.glBindVertexArray(0)

    def dispose(self) -> None:
        """Free programs and buffers."""
        for part in (self._shapes, self._lines, self._shape_rows, self._line_rows):
            part.dispose()
