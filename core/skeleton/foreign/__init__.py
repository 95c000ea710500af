"""Object files of other programs: .obj, .stl, .ply and .glb, read and tidied with trimesh.

Only the shape is taken: colours, textures, normals, materials and animations are left where they are, and no file is
opened that another one names. Before trimesh sees a file it is looked over, so that what its header announces cannot
ask for more memory than the file could fill; what trimesh takes wrongly is read here.
"""

from collections.abc import Callable

from core.skeleton.foreign.glb import read_glb
from core.skeleton.foreign.obj import read_obj
from core.skeleton.foreign.ply import read_ply
from core.skeleton.foreign.stl import read_stl
from core.skeleton.foreign.through_trimesh import Triangles, tidied
from core.skeleton.mesh import Mesh

READERS: dict[str, Callable[[bytes, str], Triangles]] = {
    ".obj": read_obj,
    ".stl": read_stl,
    ".ply": read_ply,
    ".glb": read_glb,
}
"""By suffix: a file's bytes and its name for messages to its triangles; raises ``FormatError``."""

__all__ = ["READERS", "read_foreign"]


def read_foreign(data: bytes, suffix: str, file: str) -> Mesh:
    """Return the mesh in a file of another program.

    Args:
        data: The whole file.
        suffix: One of ``READERS``.
        file: Its name, for messages.

    Raises:
        FormatError: If it cannot be read.
    """
    return tidied(READERS[suffix](data, file), file)
