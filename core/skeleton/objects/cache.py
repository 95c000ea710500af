"""Objects of .pol files kept on the disk as arrays: reading the text anew took half of opening a figure."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from core.array_cache import AnyArray, ArrayCache
from core.skeleton.mesh import Mesh
from core.skeleton.objects.pol import read_pol

_MAKERS = ("objects/cache", "scr/lexer", "mesh", "objects/pol", "objects/pol_weights", "objects/triangulate")
_LEAST = 2 << 10  # characters: what is smaller is read as quickly as found
_SMALL = 32 << 10  # characters: as of ``read_pol``, what is larger does not stay in memory


@lru_cache(maxsize=1)
def store() -> ArrayCache:
    """Return where the objects are kept."""
    here = Path(__file__).parents[1]
    return ArrayCache("objects", [here / f"{name}.py" for name in _MAKERS])


def kept_pol(text: str, file: str) -> Mesh:
    """Return the mesh of a .pol file's text, from the disk if it is there; the same, bit for bit, as ``read_pol``.

    Args:
        text: The whole file.
        file: Its name, for messages.

    Raises:
        FormatError: Listing every problem with its line and column.
    """
    if len(text) < _LEAST:
        return read_pol(text, file)
    return (_found_and_kept if len(text) <= _SMALL else _found)(text, file)


def _found(text: str, file: str) -> Mesh:
    key = store().key([text])
    found = store().load(key)
    if found is not None:
        return _mesh(found)
    mesh = read_pol(text, file)
    store().save(key, _arrays(mesh))
    return mesh


_found_and_kept = lru_cache(maxsize=512)(_found)


def _arrays(mesh: Mesh) -> dict[str, AnyArray]:
    """Return a mesh as arrays; names of joints as UTF-8, in order."""
    names = "\n".join(name for name, _ in mesh.weights).encode()  # a line of the file each, so none holds a line's end
    return {
        "vertices": mesh.vertices,
        "triangles": mesh.triangles,
        "sizes": np.array([len(polygon) for polygon in mesh.polygons], dtype=np.int64),
        "corners": np.array([corner for polygon in mesh.polygons for corner in polygon], dtype=np.int64),
        "names": np.frombuffer(names, dtype=np.uint8),
        "weights": np.array([values for _, values in mesh.weights], dtype=np.float64),
    }


def _mesh(arrays: dict[str, AnyArray]) -> Mesh:
    ends, corners = np.cumsum(arrays["sizes"]).tolist(), arrays["corners"].tolist()
    polygons = tuple(tuple(corners[a:b]) for a, b in pairwise([0, *ends]))
    names = arrays["names"].tobytes().decode().split("\n") if len(arrays["weights"]) else []
    weights = tuple(zip(names, arrays["weights"], strict=True))
    return Mesh(arrays["vertices"], arrays["triangles"], polygons, weights)
