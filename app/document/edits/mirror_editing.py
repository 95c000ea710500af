"""Mirror editing: what is posed on one side happens on the other as well."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from app.document.content.model import Array
from app.document.edits.holding import changed_values
from core.kinematics import forward_kinematics
from core.kinematics.chain import ancestry
from core.kinematics.goal import Goal
from core.skeleton import Skeleton
from core.skeleton.clamp import clamp_joint
from core.skeleton.mirroring.mirror import reflect_vector
from core.skeleton.mirroring.pose_mirror import pose_mirror
from core.skeleton.mirroring.sides import counterpart, other_columns


def both_sides(
    skeleton: Skeleton, before: Array, q: Array, edited: Iterable[int] | None = None
) -> tuple[Array, list[int]]:
    """Return a pose whose other side does what an edit did on one, and the places that were set there.

    What was edited on both sides stays as it is, and so does what has no other side.

    Args:
        skeleton: The figure.
        before: The pose before the edit, shape (nq,).
        q: The pose after it, shape (nq,), [m] and [rad].
        edited: Places in the pose that the edit is about, whether they changed or not; None for those that did.
    """
    chosen = np.flatnonzero(before != q).tolist() if edited is None else [int(i) for i in edited]
    others = np.setdiff1d(other_columns(skeleton, chosen), chosen)
    if not len(others):
        return q, []
    made = np.array(q, dtype=np.float64)
    made[others] = pose_mirror(skeleton).convert(q)[others]
    return inside_limits(skeleton, made, others), others.tolist()


def mirrored_goal(skeleton: Skeleton, q: Array, goal: Goal) -> Goal | None:
    """Return the goal that the part on the other side has while a part is led to a place; None in the middle.

    It is mirrored in the frame of the joint above both parts, however the figure stands and turns.

    Args:
        skeleton: The figure.
        q: The pose, shape (nq,).
        goal: The goal of a place.
    """
    joint = skeleton.joint_index(goal.joint)
    other = counterpart(skeleton, joint)
    if other == joint or goal.position is None:
        return None
    above = set(ancestry(skeleton, other))
    X = forward_kinematics(skeleton, q)[next(k for k in ancestry(skeleton, joint) if k in above)]
    local = np.linalg.solve(X[:3, :3], goal.position - X[:3, 3])
    place = X[:3, :3] @ reflect_vector(local) + X[:3, 3]
    return Goal(other, point=reflect_vector(goal.point), position=place)


def edited_values(
    before: Array, q: Array, fixed: Iterable[int] | None, edited: Iterable[int] | None, others: Iterable[int]
) -> list[int]:
    """Return the places in a pose that were edited, those of the other side among them.

    Args:
        before: The pose before the edit, shape (nq,).
        q: The pose after it.
        fixed: Places that whoever edits names as edited, or None.
        edited: Places that the edit is about, where others changed only to hold the locks; or None.
        others: Places that mirror editing set.
    """
    named = fixed if fixed is not None else edited
    chosen = changed_values(before, q) if named is None else named
    return sorted({*(int(i) for i in chosen), *others})


def inside_limits(skeleton: Skeleton, q: Array, columns: Iterable[int]) -> Array:
    """Return a pose with the joints that own some places brought inside their limits, shape (nq,).

    The limits of the two sides may differ.
    """
    for joint in sorted({skeleton.dof_joints[column - 3] for column in columns if column >= 3}):
        q = clamp_joint(skeleton, q, joint)
    return q
