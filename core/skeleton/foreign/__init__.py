"""Object files of other programs: .obj, .stl, .ply and .glb.

Only the shape is taken: colours, textures, normals, materials and animations are left where they are, and no file is
opened that another one names.
"""

from collections.abc import Callable

from core.skeleton.foreign.assemble import Polygons, assembled
from core.skeleton.foreign.glb import read_glb
from core.skeleton.foreign.obj import read_obj
from core.skeleton.foreign.ply import read_ply
from core.skeleton.foreign.stl import read_stl

READERS: dict[str, Callable[[bytes, str], Polygons]] = {
    ".obj": read_obj,
    ".stl": read_stl,
    ".ply": read_ply,
    ".glb": read_glb,
}
"""The readers by suffix; each takes a file's bytes and its name for messages, and raises ``FormatError``."""

__all__ = ["READERS", "Polygons", "assembled"]
