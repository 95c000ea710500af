"""Reading by trimesh, kept from printing, from opening other files, and from letting its own exceptions out."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from typing import Any

import numpy as np

from core.errors import FormatError, Problem
from core.skeleton.foreign.assemble import Polygons


class _NoOtherFiles:
    """A resolver that gives trimesh nothing: what a file names is not opened."""

    def get(self, name: str) -> bytes:
        raise FileNotFoundError(f"it names another file, {name[:60]!r}")

    __getitem__ = get

    def namespaced(self, namespace: str) -> _NoOtherFiles:
        return self

    def keys(self) -> tuple[str, ...]:
        return ()


def loaded(data: bytes, kind: str, file: str) -> Polygons:
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
            # Older numpy only warns where a number breaks off.
            warnings.filterwarnings("error", message="string or file could not be read")
            # process=False: no merging or reordering.
            resolver: Any = _NoOtherFiles()
            scene: Any = trimesh.load_scene(
                io.BytesIO(data), file_type=kind, resolver=resolver, process=False, **options
            )
            mesh: Any = scene.to_mesh()
            return Polygons.of_triangles(mesh.vertices, mesh.faces)
    except (Exception, MemoryError) as error:
        reason = "".join(c if c.isprintable() else "?" for c in str(error).strip().split("\n")[0])[:120]
        message = f"is not a sound .{kind} file ({reason or type(error).__name__}); expected triangles or polygons"
        raise FormatError(Problem(file, 0, 0, message)) from None
