"""Offsets: what turns one pose into another, and the same change made to other poses.

An offset has the shape of a pose. Where a joint turns about three axes at right angles its three values are the angles
of one rotation, about axes that stay with what carries the joint: it comes after what the joint does already, so that
a head that is turned to the left by an offset turns to the left whichever way it looks. Everything else adds value by
value. Such offsets go through in-betweens unharmed: poses that all have the same offset have it between them, too.
"""

from __future__ import annotations

import numpy as np

from core.animation.curves.compound_joints import CompoundJoints
from core.arrays import Array, Ints
from core.skeleton import Skeleton
from core.skeleton.clamp import clamp_cones
from core.skeleton.following import followed, follows_of
from core.skeleton.per_skeleton import per_skeleton
from core.spatial import quaternion as quat
from core.spatial.three_axes import ThreeAxes

SQUARE = 1e-9
"""Cosines below this are those of right angles."""


class Turns:
    """The joints of a figure whose offsets are rotations: every rotation must be within reach of their angles.

    Attributes:
        columns: Where their three angles stand in a pose, shape (c, 3).
        axes: What turns angles into rotations and back.
        compounds: Their numbers among ``CompoundJoints``, shape (c,).
    """

    def __init__(self, columns: Ints, axes: ThreeAxes, compounds: Ints):
        self.columns, self.axes, self.compounds = columns, axes, compounds

    def __len__(self) -> int:
        return len(self.columns)

    def of(self, offset: Array) -> Turns:
        """Return those that an offset or one of many, shape (..., nq), turns at all."""
        if not len(self):
            return self
        moved = np.flatnonzero(offset[..., self.columns].any(axis=-1).reshape(-1, len(self)).any(axis=0))
        return (
            self
            if len(moved) == len(self)
            else Turns(self.columns[moved], self.axes.taken(moved), self.compounds[moved])
        )


@per_skeleton
def turns_of(skeleton: Skeleton) -> Turns:
    """Return the joints of a figure whose offsets are rotations."""
    joints = CompoundJoints(skeleton)
    e = joints.axes
    across = np.abs((e[:, :2] * e[:, 1:]).sum(axis=-1)).max(axis=-1, initial=0.0) < SQUARE
    return Turns(joints.columns[across], ThreeAxes(e[across]), np.flatnonzero(across))


def offset_between(skeleton: Skeleton, before: Array, after: Array) -> Array:
    """Return the offsets from some poses to others, shape (..., nq); exactly zero where a joint is the same in both.

    Args:
        skeleton: The figure.
        before: Poses, shape (..., nq), [m] and [rad].
        after: Poses, likewise.
    """
    found: Array = after - before
    turns = turns_of(skeleton).of(found)
    if len(turns):
        angles = found[..., turns.columns]
        start, end = (turns.axes.rotations(pose[..., turns.columns]) for pose in (before, after))
        turned = turns.axes.angles(quat.multiply(end, quat.conjugate(start)), angles)
        found[..., turns.columns] = np.where(angles.any(axis=-1, keepdims=True), turned, 0.0)
    return found


def scaled_offset(skeleton: Skeleton, offset: Array, weight: Array | float) -> Array:
    """Return offsets times weights, shape (..., nq).

    A rotation keeps its axis. One that turns by more than half a turn about one of its joint's axes is scaled angle
    by angle.

    Args:
        skeleton: The figure.
        offset: Offsets, shape (..., nq).
        weight: One number, or one for each value, shape (..., nq), the same within a joint.
    """
    weights = np.broadcast_to(np.asarray(weight, dtype=np.float64), np.broadcast_shapes(np.shape(weight), offset.shape))
    made: Array = weights * offset
    turns = turns_of(skeleton).of(offset)
    if len(turns):
        angles = np.broadcast_to(offset, made.shape)[..., turns.columns]
        share = weights[..., turns.columns][..., 0]
        turned = turns.axes.rotations(angles)
        turned = np.where(turned[..., :1] < 0.0, -turned, turned)
        arc = quat.exp(share[..., None] * quat.log(turned))
        plain = made[..., turns.columns]
        by_angle = (np.abs(angles) > np.pi).any(axis=-1) | (share == 1.0) | ~angles.any(axis=-1)
        made[..., turns.columns] = np.where(by_angle[..., None], plain, turns.axes.angles(arc, plain))
    return made


def with_offset(skeleton: Skeleton, poses: Array, offset: Array) -> Array:
    """Return poses with offsets made to them, limits not looked at, shape (..., nq).

    Args:
        skeleton: The figure.
        poses: Shape (..., nq), [m] and [rad].
        offset: Shape (..., nq) or (nq,). Where it is zero the pose stays as it is, bit for bit.
    """
    made: Array = np.where(offset == 0.0, poses, poses + offset)
    turns = turns_of(skeleton).of(offset)
    if len(turns):
        angles = np.broadcast_to(offset, made.shape)[..., turns.columns]
        old = np.broadcast_to(poses, made.shape)[..., turns.columns]
        turned = quat.multiply(turns.axes.rotations(angles), turns.axes.rotations(old))
        moved = angles.any(axis=-1, keepdims=True)
        made[..., turns.columns] = np.where(moved, turns.axes.angles(turned, old + angles), old)
    return made


def kept_inside(skeleton: Skeleton, made: Array, before: Array) -> Array:
    """Return poses inside the limits and cones of the figure, shape (..., nq), and what follows other joints followed.

    What was outside already, as in an imported motion, may stay as far outside, but goes no farther.

    Args:
        skeleton: The figure.
        made: Poses, shape (..., nq).
        before: Poses that they were made from, likewise; what is the same in both stays, bit for bit.
    """
    lo, hi = skeleton.limits[:, 0], skeleton.limits[:, 1]
    old, new = before[..., 3:], made[..., 3:]
    held = np.where(new == old, new, np.clip(new, np.minimum(lo, old), np.maximum(hi, old)))
    poses = clamp_cones(skeleton, np.concatenate([made[..., :3], held], axis=-1), before)
    return followed(skeleton, poses) if follows_of(skeleton) else poses
