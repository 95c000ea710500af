"""Moving a pose inside the limits of its figure, true cones included."""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array
from core.skeleton.dof import HINGE
from core.skeleton.joint import Joint
from core.skeleton.structure import Structure

_STEPS = 60
_SQUARE = 1e-9


def cone_hinges(joint: Joint) -> tuple[int, int] | None:
    """Return which two hinges of a joint swing inside its cone, as numbers of its degrees of freedom.

    Those across the axis of its ``ball`` line: they stand before a third hinge (behind it where the joint has been
    turned round by re-rooting), all three at right angles, and have the cone as their limits. In a joint that was
    written otherwise they are the first two hinges. None if it has no cone, or one that is no bound.
    """
    if joint.cone is None or joint.cone >= math.pi:
        return None
    for shift in (0, 1):
        for k in range(len(joint.dofs) - 2):
            a, b, c = joint.dofs[k : k + 3]
            swings = (a, b) if shift == 0 else (b, c)
            across = all(dof.hi == -dof.lo == joint.cone for dof in swings) and a.kind == b.kind == c.kind == HINGE
            if across and max(abs(float(x.axis @ y.axis)) for x, y in ((a, b), (b, c), (c, a))) < _SQUARE:
                return k + shift, k + shift + 1
    hinges = [k for k, dof in enumerate(joint.dofs) if dof.kind == HINGE]
    return (hinges[0], hinges[1]) if len(hinges) > 1 else None


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
    for i, joint in enumerate(s.joints):
        swings = cone_hinges(joint)
        if swings is None or joint.cone is None:
            continue
        at = [3 + s.first_dof[i] + k for k in swings]
        least = math.cos(joint.cone)
        a, b = pose[at]
        if math.cos(a) * math.cos(b) >= least and max(abs(a), abs(b)) <= math.pi:
            continue
        low, high = 0.0, 1.0
        for _ in range(_STEPS):
            middle = 0.5 * (low + high)
            inside = math.cos(middle * a) * math.cos(middle * b) >= least
            low, high = (middle, high) if inside else (low, middle)
        pose[at] = np.clip(low * pose[at], s.limits[np.array(at) - 3, 0], s.limits[np.array(at) - 3, 1])
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
