"""Ways of feet that keep out of the floor and of each other, where feet of another size would not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from core.animation.contacts.feet import Foot
from core.animation.retargeting.legs import hip_above
from core.arrays import Array
from core.constraints.soles import height, part_vertices
from core.kinematics import forward_kinematics
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import rest_frames
from core.skeleton.skeleton import Skeleton

_TOUCHES, _WIDEST = 1e-3, 0.03  # [m]: less is no harm; of the height: farther feet are not put apart at a time
_AT_ONCE = 64
_DIRECTIONS = 256
_SMOOTH = 0.05  # [s]: so fast a foot gives way, and comes back


@per_skeleton
def _hulls(s: Skeleton) -> dict[int, Array]:
    """Return a place for the corners of the hull of each part, which are worked out when they are first needed."""
    return {}


def _corners(s: Skeleton, joint: int) -> Array:
    """Return the corners of the convex hull of what is drawn of a part, in its joint's frame, shape (k, 3), [m]."""
    hulls = _hulls(s)
    if joint not in hulls:
        frames = rest_frames(s)
        points = (part_vertices(s, joint, frames) - frames[joint, :3, 3]) @ np.linalg.inv(frames[joint, :3, :3]).T
        try:
            points = points[scipy.spatial.ConvexHull(points).vertices]
        except (scipy.spatial.QhullError, ValueError):
            pass
        hulls[joint] = points
    return hulls[joint]


def corners(s: Skeleton, foot: Foot, X: Array) -> Array:
    """Return where the corners of a foot's hull, and of its toes', are, shape (m, k, 3), [m].

    Args:
        s: The figure.
        foot: The foot.
        X: World frames of all joints, shape (m, n, 4, 4).
    """
    parts = [foot.joint] if foot.toes is None else [foot.joint, foot.toes]
    return np.concatenate(
        [np.einsum("mij,kj->mki", X[:, i, :3, :3], _corners(s, i)) + X[:, i, None, :3, 3] for i in parts], axis=1
    )


def _depths(s: Skeleton, foot: Foot, X: Array) -> Array:
    """Return how deep a foot is in the floor, y = 0, shape (m,), [m]; 0 where it is above."""
    return np.asarray(np.maximum(-corners(s, foot, X)[:, :, 1].min(axis=1), 0.0))


def overlaps(s: Skeleton, left: Foot, right: Foot, X: Array) -> Array:
    """Return how far two feet, their hulls, would have to move to be apart, shape (m,), [m]; 0 where they are.

    Args:
        s: The figure.
        left: One foot.
        right: The other one.
        X: World frames of all joints, shape (m, n, 4, 4).
    """
    found = np.zeros(len(X))
    for start in range(0, len(X), _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        a, b = corners(s, left, X[rows]), corners(s, right, X[rows])
        near = np.all((a.min(axis=1) < b.max(axis=1)) & (b.min(axis=1) < a.max(axis=1)), axis=1)
        if near.any():
            pa, pb = a[near] @ _SPHERE.T, b[near] @ _SPHERE.T
            gaps = np.maximum(pb.min(axis=1) - pa.max(axis=1), pa.min(axis=1) - pb.max(axis=1)).max(axis=1)
            found[start + np.flatnonzero(near)] = np.maximum(-gaps, 0.0)
    return found


def _eased(values: Array, rate: float) -> Array:
    """Return what is nowhere less than values that are not negative, and goes up and down evenly, shape (m,).

    Args:
        values: Shape (m,).
        rate: How many there are a second, [1/s].
    """
    reach = max(round(3.0 * _SMOOTH * rate), 1)
    widest = scipy.ndimage.maximum_filter1d(values, 2 * reach + 1)
    return np.asarray(scipy.ndimage.gaussian_filter1d(widest, _SMOOTH * rate, truncate=3.0))


def cleared(
    s: Skeleton,
    feet: tuple[Foot, ...],
    poses: Array,
    flat: Sequence[Sequence[int]],
    ways: list[Array],
    rate: float,
) -> bool:
    """Take ways of feet out of the floor and of each other, in place; return whether any had to be.

    Args:
        s: The figure.
        feet: Its feet.
        poses: Its poses, shape (m, nq).
        flat: For each foot the rows at which it stands, where the floor is where the foot is.
        ways: For each foot where its held point is to be, shape (m, 3), [m]; changed.
        rate: How many poses there are a second, [1/s].
    """
    X, found = frames_of_poses(s, poses), False
    for foot, way, stands in zip(feet, ways, flat, strict=True):
        deep = _depths(s, foot, X)
        deep[list(stands)] = 0.0
        if deep.max() > _TOUCHES:
            way[:, 1] += _eased(deep, rate)
            found = True
    return put_apart(s, feet, X, ways) or found


def put_apart(s: Skeleton, feet: tuple[Foot, ...], X: Array, ways: list[Array]) -> bool:
    """Take ways of two feet out of each other, in place; return whether they had to be.

    Args:
        s: The figure.
        feet: Its feet.
        X: World frames of all joints, shape (m, n, 4, 4).
        ways: For each foot where its held point is to be, shape (m, 3), [m]; changed.
    """
    if len(feet) != 2:
        return False
    apart = float(overlaps(s, feet[0], feet[1], X).max())
    if apart <= _TOUCHES:
        return False
    side = X[:, hip_above(s, feet[0].joint), :3, 3] - X[:, hip_above(s, feet[1].joint), :3, 3]
    side[:, 1] = 0.0
    side *= 0.5 * min(apart + _TOUCHES, _WIDEST * height(s)) / np.linalg.norm(side, axis=1)[:, None]
    ways[0] += side
    ways[1] -= side
    return True


def frames_of_poses(s: Skeleton, poses: Array) -> Array:
    """Return world frames of all joints in poses of shape (m, nq), shape (m, n, 4, 4)."""
    rows = range(0, len(poses), _AT_ONCE)
    return np.concatenate([forward_kinematics(s, poses[start : start + _AT_ONCE]) for start in rows])


def _evenly(number: int) -> Array:
    """Return unit vectors evenly over half a sphere, shape (number, 3): a spiral from the side to the top."""
    k = np.arange(number) + 0.5
    y, turn = k / number, k * np.pi * (3.0 - np.sqrt(5.0))
    r = np.sqrt(1.0 - y * y)
    return np.stack([r * np.cos(turn), y, r * np.sin(turn)], axis=1)


_LEVEL = np.linspace(0.0, np.pi, 64, endpoint=False)
_SPHERE = np.concatenate([_evenly(_DIRECTIONS), np.stack([np.cos(_LEVEL), 0.0 * _LEVEL, np.sin(_LEVEL)], axis=1)])
