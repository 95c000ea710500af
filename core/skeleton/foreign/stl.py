"""STL, binary or text, through trimesh."""

from __future__ import annotations

from core.skeleton.foreign.assemble import Polygons
from core.skeleton.foreign.through_trimesh import loaded


def read_stl(data: bytes, file: str) -> Polygons:
    """Return the triangles of an .stl file.

    Args:
        data: The whole file.
        file: Its name, for messages.

    Raises:
        FormatError: If it is not sound; a binary file whose count does not agree with its length is none.
    """
    return loaded(data, "stl", file)
