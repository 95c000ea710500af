"""Solids that touch as meshes, to be drawn and to be written to files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.skeleton.mesh import Mesh
from core.skeleton.segment import capsule_mesh

if TYPE_CHECKING:
    from core.dynamics.contact.shapes import Shape


def shape_mesh(shape: Shape) -> Mesh:
    """Return what is drawn of a shape, in its frame."""
    points, faces = shape.polytope.points, shape.polytope.faces
    if len(points) <= 2:
        return capsule_mesh(points[0], points[-1], shape.radius)
    fans = [(face[0], face[k], face[k + 1]) for face in faces for k in range(1, len(face) - 1)]
    return Mesh(points, np.array(fans, dtype=np.int32), faces)
