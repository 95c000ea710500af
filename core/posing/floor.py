"""What a pose has below the floor or the ground."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.arrays import Array
from core.constraints.soles import part_vertices
from core.kinematics.forward import forward_kinematics
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import rest_frames
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import Ints

if TYPE_CHECKING:  # dynamics brings scipy in, which a window need not wait for
    from core.dynamics.contact.world import Floor
    from core.terrain import Terrain

DEEP = 0.01
"""From this depth on a part counts as below the floor, [m]; shoes and flesh give way so far."""
DIRECTIONS = 256
"""The points of a part that are looked at are the farthest ones in so many directions."""


class Sunk(NamedTuple):
    """A part below the floor.

    Attributes:
        joint: Its joint.
        depth: How far its lowest point is below, [m].
    """

    joint: int
    depth: float


class _Outline(NamedTuple):
    owner: Ints
    points: Array
    rest: float


@per_skeleton
def _outline(s: Skeleton) -> _Outline:
    """Return points around each part in its joint's frame, whose they are, and the lowest height at rest."""
    number = np.arange(DIRECTIONS) + 0.5
    rise, turn = 1.0 - 2.0 * number / DIRECTIONS, np.pi * (1.0 + np.sqrt(5.0)) * number
    level = np.sqrt(1.0 - rise * rise)
    around = np.stack([level * np.cos(turn), rise, level * np.sin(turn)])
    X, owners, found, lowest = rest_frames(s), [], [], 0.0
    for i in range(len(s.joints)):
        points = part_vertices(s, i, X)
        own = np.linalg.solve(X[i, :3, :3], (points[np.unique((points @ around).argmax(axis=0))] - X[i, :3, 3]).T).T
        owners.append(np.full(len(own), i))
        found.append(own)
        lowest = min(lowest, float(points[:, 1].min()))
    return _Outline(np.concatenate(owners), np.concatenate(found), lowest)


def parts_below_floor(
    s: Skeleton, q: Array, floor: Floor | None = None, *, ground: Terrain | None = None
) -> tuple[Sunk, ...]:
    """Return the parts of a figure that are more than a centimetre below the floor or the ground, the deepest first.

    A figure whose rest pose reaches below the world's floor, a hand for example, counts from there.

    Args:
        s: The figure.
        q: Pose, shape (nq,), [m] and [rad].
        floor: The floor; None for the world's, at height 0.
        ground: Takes its place where it has triangles; None for none.
    """
    owner, points, rest = _outline(s)
    X = forward_kinematics(s, q)[owner]
    places = np.einsum("kij,kj->ki", X[:, :3, :3], points) + X[:, :3, 3]
    height, normal = (0.0, np.array([0.0, 1.0, 0.0])) if floor is None else (floor.height, floor.normal)
    above = places @ normal - height * normal[1] - rest
    if ground is not None:
        heights, normals, there = ground.surface(places[:, [0, 2]])
        above = np.where(there, (places[:, 1] - heights) * normals[:, 1] - rest, above)
    lowest = np.full(len(s.joints), np.inf)
    np.minimum.at(lowest, owner, above)
    deep = np.flatnonzero(lowest < -DEEP)
    return tuple(Sunk(int(i), -float(lowest[i])) for i in deep[np.argsort(lowest[deep], kind="stable")])
