"""The figure on the graphics side: one vertex buffer, one index buffer, and the matrix palette as a texture buffer."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from app.render.gl import GL
from app.render.mesh.geometry import VERTEX, Geometry
from app.render.vertex_arrays import filling

# (location, field, components, GL type, normalised, integer)
_LAYOUT = (
    (0, "position", 3, "GL_FLOAT", False, False),
    (1, "normal", 3, "GL_FLOAT", False, False),
    (2, "outward", 3, "GL_FLOAT", False, False),
    (3, "occlusion", 1, "GL_FLOAT", False, False),
    (4, "joints", 4, "GL_UNSIGNED_SHORT", False, True),
    (5, "weights", 4, "GL_UNSIGNED_SHORT", True, False),
)
_MOST_RUNS = 256
_SLOPES = 6  # location of the first gradient of a weight


class FigureBuffer:
    """Geometry uploaded once, and per picture the palette of all instances: the figure first, then its ghosts.

    Args:
        geometry: What to draw.
        n_joints: Joints of the skeleton; a palette row each.
        skewed: Whether joints scale differently along their axes.

    Attributes:
        words: Definitions for the shaders that draw it.
    """

    def __init__(self, geometry: Geometry, n_joints: int, skewed: bool = False):
        self.ranges, self.collars = geometry.ranges, geometry.collars
        self.hull, self.skin, self.n_joints = geometry.hull, geometry.skin.tolist(), n_joints
        self.solid = geometry.solid
        self.words: tuple[str, ...] = ("SOLID",) * geometry.solid
        if geometry.influences > 1:
            self.words += (f"INFLUENCES {geometry.influences}",)
        elif skewed:  # then a normal does not turn as a point does
            self.words += ("SKEWED",)
        self._extents = [geometry.extent(level) for level in (0, 1, 2)]
        self._uploaded: object = None
        self._runs: dict[tuple[frozenset[int], int, bool], list[tuple[int, int]]] = {}
        self.vertex_array = int(GL.glGenVertexArrays(1))
        self.buffers = [int(b) for b in GL.glGenBuffers(4)]
        self.texture = int(GL.glGenTextures(1))
        with filling(self.vertex_array):
            GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self.buffers[0])
            GL.glBufferData(GL.GL_ARRAY_BUFFER, max(geometry.vertices.nbytes, 1), geometry.vertices, GL.GL_STATIC_DRAW)
            for location, name, size, kind, normalised, integer in _LAYOUT:
                offset = ctypes.c_void_p(VERTEX.fields[name][1])  # type: ignore[index]  # it has fields
                GL.glEnableVertexAttribArray(location)
                if integer:
                    GL.glVertexAttribIPointer(location, size, getattr(GL, kind), VERTEX.itemsize, offset)
                else:
                    GL.glVertexAttribPointer(location, size, getattr(GL, kind), normalised, VERTEX.itemsize, offset)
            if geometry.influences > 1:
                GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self.buffers[3])
                GL.glBufferData(GL.GL_ARRAY_BUFFER, geometry.slopes.nbytes, geometry.slopes, GL.GL_STATIC_DRAW)
                for k in range(geometry.influences - 1):
                    GL.glEnableVertexAttribArray(_SLOPES + k)
                    GL.glVertexAttribPointer(_SLOPES + k, 3, GL.GL_FLOAT, False, 36, ctypes.c_void_p(12 * k))
            GL.glBindBuffer(GL.GL_ELEMENT_ARRAY_BUFFER, self.buffers[1])
            GL.glBufferData(
                GL.GL_ELEMENT_ARRAY_BUFFER, max(geometry.indices.nbytes, 1), geometry.indices, GL.GL_STATIC_DRAW
            )

    def instance(self, frames: NDArray[np.float64], colours: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the palette's rows of one instance, shape (n_joints, 4, 4).

        Args:
            frames: What takes vertices from the bind pose, shape (n_joints, 4, 4).
            colours: Shape (n_joints, 4).
        """
        rows = np.empty((self.n_joints, 4, 4), dtype=np.float32)
        rows[:, :3], rows[: len(colours), 3], rows[len(colours) :, 3] = frames[:, :3], colours, 0.0
        return rows

    def set_palette(self, rows: NDArray[np.float32]) -> None:
        """Upload where all instances are, and their colours, unless they are there already.

        Args:
            rows: See :meth:`instance`, shape (instances, n_joints, 4, 4).
        """
        content = rows.tobytes()
        if content == self._uploaded:  # the views show the same pose one after the other
            return
        self._uploaded = content
        GL.glBindBuffer(GL.GL_TEXTURE_BUFFER, self.buffers[2])
        GL.glBufferData(GL.GL_TEXTURE_BUFFER, rows.nbytes, rows, GL.GL_STREAM_DRAW)
        GL.glBindTexture(GL.GL_TEXTURE_BUFFER, self.texture)
        GL.glTexBuffer(GL.GL_TEXTURE_BUFFER, GL.GL_RGBA32F, self.buffers[2])

    def bind(self) -> None:
        """Make the buffers those of the next draw calls."""
        GL.glBindVertexArray(self.vertex_array)
        GL.glBindTexture(GL.GL_TEXTURE_BUFFER, self.texture)

    def draw(self, level: int = 0, instances: int = 1) -> None:
        """Draw all segments of so many instances, fine (level 0), coarse (1) or rounded (2), in one call."""
        first, end = self._extents[level]
        self._draw(first, end - first, instances)

    def draw_skin(self, level: int) -> None:
        """Draw what can be seen of all segments once, without the caps inside: bent far, a skin lets them through."""
        first, count = self.skin[level]
        self._draw(first, count, 1)

    def draw_hull(self) -> None:
        """Draw the coarse hulls of all segments, once; the winding of their triangles means nothing."""
        self._draw(*self.hull, 1, cull=False)

    def draw_joints(self, joints: Iterable[int], level: int = 0, collars: bool = False, instances: int = 1) -> None:
        """Draw the segments of some joints; neighbours in the buffer share a call.

        Args:
            joints: Which; those that are not there are left out.
            level: Fine (0) or coarse (1).
            collars: Whether to draw what touches them of segments that are one skin with them, too.
            instances: Of how many instances.
        """
        key = (frozenset(joints), level, collars)
        found = self._runs.get(key)
        if found is None:
            if len(self._runs) >= _MOST_RUNS:
                self._runs.clear()
            found = self._runs[key] = self._joined(*key)
        for first, count in found:
            self._draw(first, count, instances)

    def _joined(self, joints: frozenset[int], level: int, collars: bool) -> list[tuple[int, int]]:
        """Return first index and count of each call that draws the segments of some joints."""
        some = [joint for joint in sorted(joints) if 0 <= joint < self.ranges.shape[1]]
        runs: list[tuple[int, int]] = []
        for ranges in (self.ranges, self.collars)[: 2 if collars else 1]:
            for start, count in ranges[level, some].tolist():
                if runs and count and start == sum(runs[-1]):
                    runs[-1] = (runs[-1][0], runs[-1][1] + count)
                elif count:
                    runs.append((start, count))
        return runs

    def _draw(self, first: int, count: int, instances: int, cull: bool = True) -> None:
        if count <= 0 or instances <= 0:
            return
        if cull and self.solid:  # no one can see the inside: half of the triangles need not be drawn
            GL.glEnable(GL.GL_CULL_FACE)
        GL.glDrawElementsInstanced(GL.GL_TRIANGLES, count, GL.GL_UNSIGNED_INT, ctypes.c_void_p(4 * first), instances)
        GL.glDisable(GL.GL_CULL_FACE)

    def dispose(self) -> None:
        """Free the buffers."""
        if self.vertex_array:
            GL.glDeleteVertexArrays(1, [self.vertex_array])
            GL.glDeleteBuffers(len(self.buffers), self.buffers)
            GL.glDeleteTextures([self.texture])
            self.vertex_array = 0
