"""Which parts may slide and sink in while they are led back to their keys.

Keys know no contact: soles stand a little in the floor, and the way back to a key may lead a foot over the ground that
friction would hold. So a part that is led slides without friction, and may be as deep in the floor as its key is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.dynamics.contact.shapes import Geometry
from core.dynamics.contact.world import Floor

Array = NDArray[np.float64]


def depths(geometries: list[Geometry], poses: Array, floor: Floor | None) -> Array:
    """Return how deep each body is in the floor, 0 if it is not, shape (nb,), [m].

    Args:
        geometries: What the bodies carry.
        poses: Poses of the bodies, shape (nb, 4, 4).
        floor: The floor.
    """
    found = np.zeros(len(poses))
    if floor is None:
        return found
    for geometry in geometries:
        if geometry.body < 0:
            continue
        X = poses[geometry.body] @ geometry.X_BS
        points = geometry.shape.polytope.points @ X[:3, :3].T + X[:3, 3]
        lowest = float((points @ floor.normal).min()) - geometry.shape.radius - floor.offset
        found[geometry.body] = max(found[geometry.body], -lowest)
    return found
