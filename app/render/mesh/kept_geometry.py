"""A figure's triangles kept on the disk: only the first start works out corner normals and occlusion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

import numpy as np

from app.render.mesh.geometry import VERTEX, Geometry, build_geometry
from core.array_cache import AnyArray, ArrayCache
from core.skeleton.segment import segment_mesh
from core.skeleton.skeleton import Skeleton
from core.skeleton.skin import bind_frames, segment_skin

_MAKERS = ("geometry", "surface", "normals", "coarse", "occlusion", "slopes", "rounding", "distinct", "kept_geometry")
_LEAST = 500  # triangles: fewer are built sooner than they are read


@cache
def store() -> ArrayCache:
    """Return where figures' triangles are kept."""
    here = Path(__file__).parent
    return ArrayCache("figures", [here / f"{name}.py" for name in _MAKERS], ("numpy", "scipy"))


def _decides(skeleton: Skeleton) -> Iterator[AnyArray | str]:
    """Yield all of a figure that its triangles are made from."""
    yield np.array([joint.parent for joint in skeleton.joints])
    yield bind_frames(skeleton)
    for i in range(len(skeleton.joints)):
        mesh = segment_mesh(skeleton, i)
        if mesh is None:
            yield "none"
            continue
        yield from (mesh.vertices, mesh.triangles)
        skin = segment_skin(skeleton, i)
        yield from ("rigid",) if skin is None else (skin.joints, skin.weights)


def kept_geometry(skeleton: Skeleton) -> Geometry:
    """Return the buffers of a figure, from the disk if they are there; else they are built and kept for the next time.

    Any thread may ask. What is kept has the same bits as what is built.
    """
    meshes = (segment_mesh(skeleton, i) for i in range(len(skeleton.joints)))
    if sum(len(mesh.triangles) for mesh in meshes if mesh is not None) < _LEAST:
        return build_geometry(skeleton)
    key = store().key(_decides(skeleton))
    found = store().load(key)
    if found is not None:
        return _geometry(found)
    made = build_geometry(skeleton)
    store().save(key, _arrays(made))
    return made


def _arrays(geometry: Geometry) -> dict[str, AnyArray]:
    arrays = {field.name: np.asarray(getattr(geometry, field.name)) for field in fields(geometry)}
    arrays["vertices"] = np.frombuffer(geometry.vertices.tobytes(), dtype=np.uint8)
    return arrays


def _geometry(arrays: dict[str, AnyArray]) -> Geometry:
    values = dict(arrays)
    values["vertices"] = arrays["vertices"].view(VERTEX)
    first, count = arrays["hull"].tolist()
    numbers = {
        "hull": (first, count), "influences": int(arrays["influences"]), "solid": bool(arrays["solid"]),
        "bulge": float(arrays["bulge"]),
    }  # fmt: skip
    return Geometry(**{**values, **numbers})  # type: ignore[arg-type]  # its own names and kinds
