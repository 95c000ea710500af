"""Where to start from when straight elbows and knees keep locks from being held.

A straight limb cannot get shorter at first order: no step toward its lock bends it, or one bends it the wrong way. So
it is bent by about what is missing, to the side that its limits allow, and with it the joints above and below by half.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.constraints.hold.packing import find_base
from core.constraints.hold.pose_steps_kernel import MOST_BEND, NUDGE, SHIN
from core.constraints.lock import Lock
from core.kinematics.chain import ancestry
from core.skeleton.clamp import clamp_pose
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import pack


class Fold(NamedTuple):
    """An elbow or a knee and what folds with it.

    Attributes:
        values: Pose values of the hinge itself, and of those above and below it or -1.
        sides: To which sides they turn, 1 or -1; 0 for one that is not there.
    """

    values: tuple[int, int, int]
    sides: tuple[float, float, float]


def find_folds(s: Skeleton, joints: Iterable[int]) -> tuple[Fold, ...]:
    """Return the elbows and knees above some joints."""
    base = find_base(s, tuple(sorted({*joints})), pack(s).size or 1.0)
    found = []
    for nodes, sides in base.folds:
        first, above, below = (int(base.chain.q_index[k]) if k >= 0 else -1 for k in nodes)
        found.append(Fold((first, above, below), (sides[0], sides[1], sides[2])))
    return tuple(found)


def unheld_joints(s: Skeleton, locks: Sequence[Lock], residuals: Array, tolerance: float) -> tuple[int, ...]:
    """Return the joints whose hard locks have more than a tolerance left, [m] or [rad], both of pairs."""
    found: set[int] = set()
    for lock, residual in zip(locks, residuals, strict=True):
        if lock.hard and residual > tolerance:
            found.add(s.joint_index(lock.joint))
            if lock.second is not None and lock.second[0] is None:
                found.add(s.joint_index(lock.second[1]))
    return tuple(sorted(found))


def movable(s: Skeleton, locks: Iterable[Lock], fixed: Sequence[int]) -> Array:
    """Return which pose values may move for the sake of some lock, as booleans of shape (nq,)."""
    free = np.zeros(s.nq, dtype=bool)
    for lock in locks:
        if lock.joints is None:
            free[:] = True
            break
        for joint in lock.joints:
            i = s.joint_index(joint)
            free[3 + s.first_dof[i] : 3 + s.first_dof[i + 1]] = True
    free[list(fixed)] = False
    return free


def bent_start(
    s: Skeleton, pose: Array, joints: Sequence[int], missing: float, locks: Iterable[Lock], fixed: Sequence[int] = ()
) -> Array | None:
    """Return a pose with the straight elbows and knees above some joints bent; None if there are none.

    Args:
        s: The figure.
        pose: Shape (nq,), [m] and [rad].
        joints: Whose limbs.
        missing: By how much locks are off, [W] or [rad].
        locks: What is to hold: what no lock lets help stays as it is.
        fixed: ``q`` indices that nothing may move.
    """
    above = {joint for each in joints for joint in (each, *ancestry(s, each))}
    free, bent = movable(s, locks, fixed), pose.copy()
    angle = min(MOST_BEND, max(NUDGE, 2.0 * math.sqrt(missing / SHIN)))
    for fold in find_folds(s, joints):
        first = fold.values[0]
        if abs(pose[first]) >= NUDGE or not free[first] or s.dof_joints[first - 3] not in above:
            continue
        bent[first] = fold.sides[0] * angle
        for k, side in zip(fold.values[1:], fold.sides[1:], strict=True):
            if k >= 0 and free[k]:
                bent[k] += 0.5 * side * angle
    return None if np.array_equal(bent, pose) else clamp_pose(s, bent)
