"""Describing a vertex array without disturbing what is drawn with meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from app.render.gl import GL


@contextmanager
def filling(vertex_array: int) -> Iterator[None]:
    """Bind a vertex array to describe it, and then the one again that was bound before.

    Buffers are made in the middle of a picture, when something new is in it, and a draw call without a vertex array is
    an error.
    """
    before = int(GL.glGetIntegerv(GL.GL_VERTEX_ARRAY_BINDING))
    GL.glBindVertexArray(vertex_array)
    try:
        yield
    finally:
        GL.glBindVertexArray(before)
