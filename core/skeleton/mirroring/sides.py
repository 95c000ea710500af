"""Left and right of a pose: values of one side carried over to the other."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from core.arrays import Array, Ints
from core.skeleton.mirroring.mirror import name_side
from core.skeleton.mirroring.pose_mirror import pose_mirror
from core.skeleton.skeleton import Skeleton


def counterpart(skeleton: Skeleton, joint: int) -> int:
    """Return the index of the joint on the other side; the joint's own in the middle."""
    return pose_mirror(skeleton).counterparts[joint]


def paired(skeleton: Skeleton, joints: Iterable[int]) -> tuple[int, ...]:
    """Return the joints among some that have a counterpart, in their order."""
    others = pose_mirror(skeleton).counterparts
    return tuple(joint for joint in joints if others[joint] != joint)


def with_counterparts(skeleton: Skeleton, joints: Iterable[int]) -> tuple[int, ...]:
    """Return joints and their counterparts, each once, in their order."""
    others = pose_mirror(skeleton).counterparts
    return tuple(dict.fromkeys(each for joint in joints for each in (joint, others[joint])))


def side_of(skeleton: Skeleton, joint: int) -> str:
    """Return ``"left"``, ``"right"``, or ``""`` for a joint in the middle.

    Of a pair the names decide; where they do not, the places at rest do: the figure's left is +x.
    """
    other = counterpart(skeleton, joint)
    if other == joint:
        return ""
    names = name_side(skeleton.joints[joint].name), name_side(skeleton.joints[other].name)
    if all(names) and names[0] != names[1]:
        return names[0]
    places = [_rest_x(skeleton, each) for each in (joint, other)]
    if places[0] == places[1]:
        return "left" if joint < other else "right"
    return "left" if places[0] > places[1] else "right"


def _rest_x(skeleton: Skeleton, joint: int) -> float:
    """Return about where a joint stands at rest, along x, [m]: fixed turns of its parents are passed over."""
    x = 0.0
    while joint >= 0:
        x += float(skeleton.joints[joint].offset[0])
        joint = skeleton.joints[joint].parent
    return x


def on_side(skeleton: Skeleton, side: str) -> tuple[int, ...]:
    """Return the joints of a side, ``"left"`` or ``"right"``; ``""`` stands for the middle."""
    return tuple(i for i in range(len(skeleton.joints)) if side_of(skeleton, i) == side)


def columns_of(skeleton: Skeleton, joints: Iterable[int], place: bool = False) -> Ints:
    """Return the places in a pose of all values of joints, ascending.

    Args:
        skeleton: The figure.
        joints: Indices.
        place: Whether the root's place is among them if the root is among the joints.
    """
    chosen = set(joints)
    found = [0, 1, 2] if place and 0 in chosen else []
    for joint in sorted(chosen):
        found += range(3 + skeleton.first_dof[joint], 3 + skeleton.first_dof[joint + 1])
    return np.array(found, dtype=np.intp)


def other_columns(skeleton: Skeleton, columns: Iterable[int]) -> Ints:
    """Return the places in a pose that take their mirrored values from some places, ascending; of pairs only."""
    mirror = pose_mirror(skeleton)
    wanted = np.zeros(skeleton.nq, dtype=bool)
    wanted[list(columns)] = True
    owners = np.concatenate([[0, 0, 0], np.array(skeleton.dof_joints, dtype=np.intp)])
    in_pair = np.asarray(mirror.counterparts)[owners] != owners
    in_pair[:3] = False
    return np.flatnonzero(wanted[mirror.columns] & in_pair)


def mirrored_over(skeleton: Skeleton, q: Array, columns: Iterable[int]) -> Array:
    """Return a pose whose other side does what some values do, shape (nq,); a new array.

    Args:
        skeleton: The figure.
        q: Pose, shape (nq,), [m] and [rad].
        columns: Places in the pose to carry over; those in the middle stay as they are.
    """
    others = other_columns(skeleton, columns)
    made = np.array(q, dtype=np.float64)
    made[others] = pose_mirror(skeleton).convert(q)[others]
    return made
