"""Moving a pose inside the limits of its figure, true cones included."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.skeleton.cones import cones_of
from core.skeleton.structure import Structure


def clamp_pose(s: Structure, q: Array) -> Array:
    """Return the pose inside all limits that is nearest value by value, shape (nq,); a new array.

    Two hinges with a cone, angles ``a`` and ``b`` with ``cos a cos b < cos cone``, are turned back on their way from
    zero until the cone holds.

    Args:
        s: The figure.
        q: Pose, shape (nq,), [m] and [rad].

    Raises:
        PoseError: If the pose does not fit the figure.
    """
    pose = np.array(s.check_pose(q))
    pose[3:] = np.clip(pose[3:], s.limits[:, 0], s.limits[:, 1])
    cones = cones_of(s)
    if len(cones):
        cones.hold(pose)
        at = cones.columns
        pose[at] = np.clip(pose[at], s.limits[at - 3, 0], s.limits[at - 3, 1])
    return pose


def clamp_joint(s: Structure, q: Array, joint: int) -> Array:
    """Return the pose with one joint inside its limits and its cone, all other values as they are; a new array.

    Args:
        s: The figure.
        q: Pose, shape (nq,), [m] and [rad].
        joint: Index of the joint that was edited.

    Raises:
        PoseError: If the pose does not fit the figure.
    """
    pose = np.array(s.check_pose(q))
    own = slice(3 + s.first_dof[joint], 3 + s.first_dof[joint + 1])
    pose[own] = clamp_pose(s, pose)[own]
    return pose


def clamp_cones(s: Structure, q: Array, before: Array | None = None) -> Array:
    """Return poses inside the cones of their joints, shape (..., nq); limits of single values are not looked at.

    Args:
        s: The figure.
        q: Poses, shape (..., nq); it comes back itself if nothing was outside.
        before: Poses they were made from, likewise: a joint that was outside its cone there may stay as far outside,
            but goes no farther; of a swing whose one angle alone changed the other stays. None: all come inside.
    """
    cones = cones_of(s)
    if not len(cones):
        return q
    least = None if before is None else np.minimum(cones.cosines, cones.swing_cosines(before))
    outside = cones.allowed(q, least) < 1.0
    if not outside.any():
        return q
    held = np.array(q)
    if before is not None:
        same = (q == before)[..., cones.columns]
        reaches = cones.reaches(held, least)
        angles = held[..., cones.columns]
        alone = outside[..., None] & ~same & same[..., ::-1]
        held[..., cones.columns] = np.where(alone, np.clip(angles, -reaches, reaches), angles)
    cones.hold(held, least)
    return held
