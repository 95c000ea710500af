"""What of a part looks: the axis that an aim lock points at its goal, and the joints that turn for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.arrays import Array
from core.constraints.lock import Lock
from core.kinematics.chain import ancestry
from core.skeleton.segment import rest_frames, segment_tip
from core.skeleton.skeleton import Skeleton

AXES = ("forward", "up", "along")
"""Axes of a part that have names: where the figure faces, up, from the part's joint to its end."""

_SHORT = 0.25  # a part on one side that is shorter than this share of the one before it is an eye or ear, no limb
_BACK = -0.5  # a part in the middle whose end lies farther back than this (cosine) is a tail


def named_axis(s: Skeleton, joint: int | str, name: str) -> Array:
    """Return a named axis of a part, a unit vector in its frame, shape (3,).

    Args:
        s: The figure.
        joint: The part, index or name.
        name: ``"forward"`` is the world's z at rest, the way every figure faces; ``"up"`` the world's y at rest;
            ``"along"`` from the part's joint to its end, forward where the part has no length.

    Raises:
        JointError: If the figure has no such joint.
        ValueError: If there is no axis of this name.
    """
    if name not in AXES:
        raise ValueError(f'a part has no axis "{name}"; it has {", ".join(AXES)}')
    i = s.joint_index(joint)
    if name == "along":
        tip = segment_tip(s, i)
        length = float(np.linalg.norm(tip))
        if length > 1e-9:
            return np.asarray(tip / length)
    # Rows of the frame are the world's axes in it.
    axis = rest_frames(s)[i, :3, :3][1 if name == "up" else 2]
    return np.asarray(axis / np.linalg.norm(axis))


def natural_axis(s: Skeleton, joint: int | str) -> str:
    """Return the name of the axis with which a part aims by nature.

    Parts in the figure's middle (head, neck, trunk) and short ones at its sides (eyes) look forward. Limbs and their
    parts point along themselves; so do tails, and all parts of a figure without sides, such as a robot's arm.

    Args:
        s: The figure.
        joint: The part, index or name.

    Raises:
        JointError: If the figure has no such joint.
    """
    i = s.joint_index(joint)
    sided = {k for pair in s.mirror_pairs for k in pair if pair[0] != pair[1]}
    tip = segment_tip(s, i)
    length = float(np.linalg.norm(tip))
    if not sided:
        return "along"
    if i in sided:
        parent = s.joints[i].parent
        if parent >= 0 and parent not in sided and not s.children[i]:
            before = max(float(np.linalg.norm(segment_tip(s, parent))), float(np.linalg.norm(s.joints[i].offset)))
            return "forward" if length < _SHORT * before else "along"
        return "along"
    return "along" if any(_points_back(s, k) for k in ancestry(s, i)) else "forward"


def _points_back(s: Skeleton, i: int) -> bool:
    """Return whether a part begins a tail: it moves on what comes before it, and its end lies behind."""
    tip = segment_tip(s, i)
    length = float(np.linalg.norm(tip))
    if s.joints[i].parent < 0 or not s.joints[i].dofs or length <= 1e-9:
        return False
    return float(tip @ named_axis(s, i, "forward")) < _BACK * length


def aiming_joints(s: Skeleton, joint: int | str) -> tuple[str, ...]:
    """Return the joints that turn to let a part aim: itself and those above it, without the root.

    What is aimed at does not come to meet the look: joints that only carry the other part are not among them, and
    the figure stays where it is.

    Args:
        s: The figure.
        joint: The part that aims, index or name.

    Raises:
        JointError: If the figure has no such joint.
    """
    chain = [i for i in ancestry(s, s.joint_index(joint)) if s.joints[i].dofs and s.joints[i].parent >= 0]
    sided = {k for pair in s.mirror_pairs for k in pair if pair[0] != pair[1]}
    limb = [i for i in chain if i in sided]
    return tuple(s.joints[i].name for i in sorted(limb or chain))


def free_of_other(lock: Lock, s: Skeleton) -> Lock:
    """Return an aim lock that only joints may keep which do not carry what is aimed at; as it is if none is left."""
    second = lock.second
    if lock.joints is None or second is None or second[0] is not None:
        return lock
    carry = set(ancestry(s, s.joint_index(second[1])))
    left = tuple(joint for joint in lock.joints if s.joint_index(joint) not in carry)
    return replace(lock, joints=left) if left else lock
