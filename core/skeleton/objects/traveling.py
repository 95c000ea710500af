"""Which polygons of a figure are in memory only, and so have to travel with it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from core.errors import SkeletonError
from core.skeleton.joint import SegmentObject
from core.skeleton.mesh import Mesh
from core.skeleton.objects.pol import write_pol
from core.skeleton.rerooting.reframe import file_mesh
from core.skeleton.skeleton import Skeleton

_texts: WeakKeyDictionary[Mesh, str] = WeakKeyDictionary()


def pol_text(mesh: Mesh) -> str:
    """Return the text of a mesh's .pol file; kept as long as the mesh lives."""
    if mesh not in _texts:
        _texts[mesh] = write_pol(mesh)
    return _texts[mesh]


def same_mesh(a: Mesh | None, b: Mesh | None) -> bool:
    """Return whether two meshes are the same to the last bit, weights included."""
    if a is b or a is None or b is None:
        return a is b
    if not (np.array_equal(a.vertices, b.vertices) and np.array_equal(a.triangles, b.triangles)):
        return False
    if a.polygons != b.polygons or len(a.weights) != len(b.weights):
        return False
    return all(n == m and np.array_equal(x, y) for (n, x), (m, y) in zip(a.weights, b.weights, strict=True))


def object_files(s: Skeleton) -> dict[str, SegmentObject]:
    """Return one object for each file name that a figure's objects have, those whose polygons are there.

    Raises:
        SkeletonError: If two objects of one file name have different polygons.
    """
    found: dict[str, tuple[SegmentObject, str]] = {}
    for joint in s.joints:
        for part in joint.objects:
            if part.mesh is None:
                continue
            first, owner = found.setdefault(part.file, (part, joint.name))
            if first.mirrored and not part.mirrored:
                found[part.file] = (part, joint.name)
            if first.mirrored == part.mirrored:
                same = same_mesh(first.mesh, part.mesh)
            else:
                same = same_mesh(file_mesh(first), file_mesh(part))
            if not same:
                raise SkeletonError(
                    f'object "{part.file}" has other polygons at joint "{joint.name}" than at "{owner}"; '
                    "expected a file name of its own for each"
                )
    return {file: part for file, (part, _) in found.items()}


def traveling_objects(s: Skeleton) -> dict[str, SegmentObject]:
    """Return the objects, by file name, that would not be found again beside the figure's own file.

    Those are polygons that were made or changed in memory, and those whose file lies elsewhere or has gone.

    Raises:
        SkeletonError: As :func:`object_files`.
    """
    return {file: part for file, part in object_files(s).items() if not _is_beside(s, part)}


def _is_beside(s: Skeleton, part: SegmentObject) -> bool:
    if part.origin is None or s.source is None:
        return False
    try:
        return (Path(s.source).parent / part.file).resolve() == part.origin and part.origin.is_file()
    except (OSError, ValueError):
        return False


def traveling_texts(s: Skeleton, known: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the .pol texts of a figure's :func:`traveling_objects`, by file name.

    Args:
        s: The figure.
        known: Texts they were read from, which are kept as they are.

    Raises:
        SkeletonError: As :func:`object_files`.
    """
    texts = known or {}
    found: dict[str, str] = {}
    for file, part in traveling_objects(s).items():
        mesh = file_mesh(part)
        assert mesh is not None
        found[file] = texts[file] if file in texts else pol_text(mesh)
    return found
