"""The bodies of a scene as what limbs keep away from while a figure is posed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from core.ik.criteria import Solid

if TYPE_CHECKING:  # dynamics brings scipy in, which a window need not wait for
    from core.dynamics.contact.shapes import Geometry
    from core.dynamics.contact.world import Floor

Things = list[Any]
"""What ``core.ik.solve(secondary=("obstacles", ...))`` takes."""

NEAR_FLOOR = 0.01
"""Distance from the floor from where a segment keeps away, as a part of the figure's size: feet stand on it."""


def scene_obstacles(geometries: Iterable[Geometry], floor: Floor | None = None) -> Things:
    """Return what a limb keeps away from.

    Args:
        geometries: Shapes, their poses in the world: balls, capsules as balls in a row, boxes and hulls by their faces.
        floor: The floor; None for none.
    """
    found: Things = []
    for geometry in geometries:
        shape, X = geometry.shape, geometry.X_BS
        points = shape.polytope.points @ X[:3, :3].T + X[:3, 3]
        if shape.polytope.is_solid:
            normals = shape.polytope.normals @ X[:3, :3].T
            corners = points[[face[0] for face in shape.polytope.faces]]
            found.append(Solid(normals, (normals * corners).sum(axis=1) + shape.radius))
            continue
        length = float(np.linalg.norm(points[-1] - points[0]))
        apart = max(shape.radius, 0.05 * length, 1e-6)
        for share in np.linspace(0.0, 1.0, math.ceil(length / apart) + 1) if len(points) > 1 else [0.0]:
            found.append((points[0] + share * (points[-1] - points[0]), shape.radius))
    if floor is not None:
        n = np.asarray(floor.normal)
        found.append(Solid(n[None], np.array([floor.height * n[1]]), NEAR_FLOOR))
    return found
