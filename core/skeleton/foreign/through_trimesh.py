"""Reading by trimesh, kept from printing, from opening other files, and from letting its own exceptions out."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import FormatError, Problem
from core.skeleton.mesh import Mesh

Triangles = tuple[NDArray[np.float64], NDArray[np.int64]]
"""Vertices, shape (n, 3), [m], and triangles as vertex numbers, shape (m, 3)."""
_FARTHEST = 1e9  # [m]
NO_POLYGONS = "has no polygons; expected at least one"


class _NoOtherFiles:
    """A resolver that gives trimesh nothing: what a file names is not opened."""

    def get(self, name: str) -> bytes:
        raise FileNotFoundError(f"it names another file, {name[:60]!r}")

    __getitem__ = get

    def namespaced(self, namespace: str) -> _NoOtherFiles:
        return self

    def keys(self) -> tuple[str, ...]:
        return ()


def check_places(vertices: NDArray[np.float64], file: str) -> None:
    """Raise a ``FormatError`` if a vertex is not finite, or farther off than any figure."""
    if not (np.abs(vertices) <= _FARTHEST).all():
        raise FormatError(Problem(file, 0, 0, f"has a vertex that is not a finite length within {_FARTHEST:g} m"))


def read_triangles(data: bytes, kind: str, file: str) -> Triangles:
    """Return the triangles that trimesh finds in a file, all parts in one, where the file places them.

    Args:
        data: The whole file.
        kind: Suffix without the dot.
        file: Its name, for messages.

    Raises:
        FormatError: If trimesh cannot read it.
    """
    # Imported here: it takes longer to import than a figure takes to load, and few figures need it.
    import trimesh

    logging.getLogger("trimesh").setLevel(logging.CRITICAL)
    options: dict[str, Any] = {"skip_materials": True} if kind == "glb" else {}
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            # Older numpy only warns where a number breaks off.
            warnings.filterwarnings("error", message="string or file could not be read")
            resolver: Any = _NoOtherFiles()
            # process=False: checked first, tidied afterwards.
            scene: Any = trimesh.load_scene(
                io.BytesIO(data), file_type=kind, resolver=resolver, process=False, **options
            )
            mesh: Any = scene.to_mesh()
            vertices = np.asarray(mesh.vertices, dtype=np.float64).reshape(-1, 3)
            triangles = np.asarray(mesh.faces, dtype=np.int64).reshape(-1, 3)
    except (Exception, MemoryError) as error:
        reason = "".join(c if c.isprintable() else "?" for c in str(error).strip().split("\n")[0])[:120]
        message = f"is not a sound .{kind} file ({reason or type(error).__name__}); expected triangles or polygons"
        raise FormatError(Problem(file, 0, 0, message)) from None
    return vertices, triangles


def tidied(found: Triangles, file: str) -> Mesh:
    """Return triangles as a mesh.

    Vertices at the same place become one, whatever told them apart in the file (a normal, a texture); vertices that no
    triangle uses go, and triangles without area. A closed mesh that is inside out is turned.

    Args:
        found: What a file holds.
        file: Its name, for messages.

    Raises:
        FormatError: If there is no triangle, a corner that is not there, or a vertex that is not finite.
    """
    import trimesh

    vertices, triangles = found
    if not len(triangles):
        raise FormatError(Problem(file, 0, 0, NO_POLYGONS))
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        message = "has polygons with corners that are not there; expected vertex numbers in range"
        raise FormatError(Problem(file, 0, 0, message))
    check_places(vertices, file)
    tidy: Any = trimesh.Trimesh(vertices + 0.0, triangles, process=False)
    tidy.merge_vertices(merge_tex=True, merge_norm=True, digits_vertex=9)
    tidy.update_faces(tidy.nondegenerate_faces())
    tidy.remove_unreferenced_vertices()
    if not len(tidy.faces):
        raise FormatError(Problem(file, 0, 0, "has only polygons without area; expected at least one with an area"))
    if tidy.is_watertight and tidy.is_winding_consistent and tidy.volume < 0.0:
        tidy.invert()
    return Mesh(np.asarray(tidy.vertices), np.asarray(tidy.faces, dtype=np.int32))
