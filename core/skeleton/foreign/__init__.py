"""Object files of other programs: .obj, .stl, .ply and .glb, read by trimesh.

Only the shape is taken: colours, textures, normals, materials and animations are left where they are, and no file is
opened that another one names. Before trimesh sees a file it is looked over, so that what its header announces cannot
ask for more memory than the file could fill, and what trimesh takes wrongly is put into a form that it takes rightly.
"""

from collections.abc import Callable

from core.skeleton.foreign.glb import looked_over_glb
from core.skeleton.foreign.obj import plain_obj
from core.skeleton.foreign.ply import plain_ply
from core.skeleton.foreign.stl import looked_over_stl
from core.skeleton.foreign.through_trimesh import read_mesh
from core.skeleton.mesh import Mesh

PREPARED: dict[str, Callable[[bytes, str], bytes]] = {
    ".obj": plain_obj,
    ".stl": looked_over_stl,
    ".ply": plain_ply,
    ".glb": looked_over_glb,
}
"""By suffix: a file's bytes and its name for messages to what trimesh is given; raises ``FormatError``."""

__all__ = ["PREPARED", "read_foreign"]


def read_foreign(data: bytes, suffix: str, file: str) -> Mesh:
    """Return the mesh in a file of another program.

    Args:
        data: The whole file.
        suffix: One of ``PREPARED``.
        file: Its name, for messages.

    Raises:
        FormatError: If it cannot be read.
    """
    return read_mesh(PREPARED[suffix](data, file), suffix.removeprefix("."), file)
