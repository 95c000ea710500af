"""The underside of a part: what it stands on."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from core.arrays import Array
from core.skeleton.extent import figure_height
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import capsule_mesh, rest_frames, segment_capsule
from core.skeleton.skeleton import Skeleton
from core.skeleton.skin import skinned_vertices

BAND = 0.01
"""Vertices at most this far above the lowest one belong to the underside, [m]."""
_SMALL = 0.02  # of a figure's height: the band of figures much smaller than a person
_STEEP = 0.5  # a capsule whose axis rises by more than this stands on its end


class Sole(NamedTuple):
    """The underside of a part in the rest pose.

    Attributes:
        outline: Its convex outline in the joint's frame, counter-clockwise seen from above, shape (k, 3), [m].
        heights: How far each of these points lies above the lowest in the rest pose, shape (k,), [m].
        down: Where down is in the joint's frame in the rest pose, unit, shape (3,).
        rest: The joint's world frame in the rest pose, shape (4, 4).
        rest_inverse: Its inverse, shape (4, 4).
    """

    outline: Array
    heights: Array
    down: Array
    rest: Array
    rest_inverse: Array


_soles: WeakKeyDictionary[Skeleton, dict[int, Sole]] = WeakKeyDictionary()


@per_skeleton
def height(s: Skeleton) -> float:
    """Return how tall the figure stands in its rest pose, kept as long as it lives, [m]."""
    return figure_height(s)


def band(s: Skeleton) -> float:
    """Return how far above its lowest point a part still touches the ground, [m]."""
    return min(BAND, _SMALL * height(s))


def part_vertices(s: Skeleton, joint: int, frames: Array) -> Array:
    """Return what is drawn of a part in the world, shape (k, 3), [m]; its capsule where nothing is drawn.

    Args:
        s: The figure.
        joint: Index of the part's joint.
        frames: World frames of all joints, shape (n, 4, 4).
    """
    points = skinned_vertices(s, joint, frames)
    if len(points):
        return points
    X = frames[joint]
    return np.asarray(capsule_mesh(*segment_capsule(s, joint)).vertices @ X[:3, :3].T + X[:3, 3])


def sole(s: Skeleton, joint: int | str) -> Sole:
    """Return the underside of a part in the rest pose; kept as long as the skeleton lives.

    Of a mesh: the vertices within 1 cm of the lowest one. Of a capsule, which stands for a foot as a line from the
    ankle to the toes: what lies within 1 cm of its lower side, although that side slopes.

    Raises:
        JointError: If there is no such joint.
    """
    i = s.joint_index(joint)
    known = _soles.setdefault(s, {})
    if i not in known:
        known[i] = _made(s, i)
    return known[i]


def sole_outline(s: Skeleton, joint: int | str) -> Array:
    """Return the true outline of the underside of a part, seen from above in the rest pose.

    Args:
        s: The figure.
        joint: Index or name.

    Returns:
        Corners of its convex hull in the joint's frame, counter-clockwise seen from above, shape (k, 3), [m]; kept,
        read-only.

    Raises:
        JointError: If there is no such joint.
    """
    return sole(s, joint).outline


def _made(s: Skeleton, i: int) -> Sole:
    frames = rest_frames(s)
    points = part_vertices(s, i, frames)
    drawn = any(part.mesh is not None for part in s.joints[i].objects)
    depth = points[:, 1]
    if not drawn:
        start, end, _ = segment_capsule(s, i)
        axis = frames[i, :3, :3] @ (end - start)
        length = float(np.linalg.norm(axis))
        if length > 0.0 and abs(axis[1]) <= _STEEP * length:
            axis /= length
            up = np.array([0.0, 1.0, 0.0]) - axis[1] * axis
            depth = points @ (up / np.linalg.norm(up))
    lower = points[depth <= depth.min() + band(s)]
    # x to the left of z seen from above, so the order is counter-clockwise there.
    corners = lower[hull(lower[:, [2, 0]])]
    inverse = np.linalg.inv(frames[i])
    outline = np.ascontiguousarray(corners @ inverse[:3, :3].T + inverse[:3, 3])
    heights = corners[:, 1] - corners[:, 1].min()
    down = -(frames[i, :3, :3].T @ np.array([0.0, 1.0, 0.0]))
    down /= np.linalg.norm(down)
    rest = frames[i].copy()
    for array in (outline, heights, down, rest, inverse):
        array.setflags(write=False)
    return Sole(outline, heights, down, rest, inverse)


def hull(points: Array) -> list[int]:
    """Return which of some points in a plane are the corners of their convex hull, counter-clockwise.

    Points on an edge are no corners; equal points count once.

    Args:
        points: Shape (k, 2).

    Source: Andrew (1979), Another efficient algorithm for convex hulls in two dimensions.
    """
    order = np.lexsort((points[:, 1], points[:, 0])).tolist()
    x, y = points[:, 0].tolist(), points[:, 1].tolist()
    spread = float(np.ptp(points, axis=0).max(initial=0.0)) if len(points) else 0.0
    slack = 1e-12 * spread * spread

    def half(indices: list[int]) -> list[int]:
        chain: list[int] = []
        for c in indices:
            while len(chain) >= 2:
                a, b = chain[-2], chain[-1]
                if (x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a]) > slack:
                    break
                chain.pop()
            chain.append(c)
        return chain

    lower, upper = half(order), half(order[::-1])
    corners = lower[:-1] + upper[:-1]
    if len(corners) == 2 and abs(x[corners[0]] - x[corners[1]]) + abs(y[corners[0]] - y[corners[1]]) == 0.0:
        return corners[:1]
    return corners or order[:1]
