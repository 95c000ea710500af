"""Left and right of a pose: poses seen in a mirror, and values of one side carried over to the other.

Reflection in x = 0 takes a hinge about ``a`` to one about ``-M a`` and a slide along ``a`` to one along ``M a``, with
the same value (``core.skeleton.mirroring.mirror``). A figure whose sides are alike so takes the reflected pose when
each joint takes its counterpart's values, negated where its axis runs the other way; a joint without a counterpart is
its own.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array, Ints
from core.joints import Composite, JointModel, Mirrored
from core.skeleton.joint_type import reflected as reflected_type
from core.skeleton.mirroring.mirror import name_side, reflect_dof
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.skeleton import Skeleton


def _reflect(one: JointModel, other: JointModel | None) -> bool:
    """Return whether two joints are each other's reflection, but for rounding."""
    return other is not None and (_alike(one, reflected_type(other)) or _alike(reflected_type(one), other))


def _alike(one: JointModel, other: JointModel) -> bool:
    if type(one) is not type(other) or one.n != other.n:
        return False
    if isinstance(one, Mirrored) and isinstance(other, Mirrored):
        return _alike(one.joint, other.joint)
    if isinstance(one, Composite) and isinstance(other, Composite):
        return len(one.joints) == len(other.joints) and all(map(_alike, one.joints, other.joints))
    if one.evaluation is None or one.evaluation is not other.evaluation:
        return one == other
    a, b = one.constants, other.constants
    return len(a) == len(b) and bool(np.allclose(a, b, rtol=0.0, atol=1e-9))


class PoseMirror:
    """Takes poses of a figure to those it has in a mirror at x = 0. ``pose_mirror`` gives it.

    The reflection is exact for figures whose sides are alike; where an axis has none across from it that is parallel,
    the value comes from the one that is nearest to it.

    Attributes:
        columns: For each value of a mirrored pose the number of the value it comes from, shape (nq,).
        factors: What that is multiplied with, 1 or -1, shape (nq,).
        counterparts: For each joint the number of its counterpart; its own if it has none.
        exact: Whether every axis has a parallel one across from it, and every spline its reflection.
    """

    def __init__(self, skeleton: Skeleton):
        self.columns: NDArray[np.intp] = np.arange(skeleton.nq)
        self.factors: Array = np.ones(skeleton.nq)
        self.factors[0] = -1.0
        pairs = skeleton.mirror_pairs
        other = {**dict(pairs), **{b: a for a, b in pairs}}
        self.counterparts: tuple[int, ...] = tuple(other.get(i, i) for i in range(len(skeleton.joints)))
        self.exact = True
        for i, joint in enumerate(skeleton.joints):
            source = self.counterparts[i]
            free = list(range(len(skeleton.joints[source].dofs)))
            if joint.curved is not None and not _reflect(joint.curved, skeleton.joints[source].curved):
                self.exact = False  # a way that is not the other one's reflection keeps its value
            reflected = [reflect_dof(dof) for dof in skeleton.joints[source].dofs]
            for k, dof in enumerate(joint.dofs):
                # Of axes that are equally near, the one at the same place in the row.
                alike = [n for n in free if reflected[n].kind == dof.kind]
                if not alike:
                    self.exact = False
                    continue
                cosines = {n: float(reflected[n].axis @ dof.axis) for n in alike}
                best = max(alike, key=lambda n: (round(abs(cosines[n]), 9), n == k))
                self.exact &= abs(cosines[best]) > 1.0 - 1e-9
                free.remove(best)
                place = 3 + skeleton.first_dof[i] + k
                self.columns[place] = 3 + skeleton.first_dof[source] + best
                self.factors[place] = 1.0 if cosines[best] > 0.0 else -1.0
        self.columns.setflags(write=False)
        self.factors.setflags(write=False)

    def convert(self, q: Array) -> Array:
        """Return mirrored poses, new; shape (nq,) or (m, nq). Twice mirrored is the pose itself, bit for bit.

        Limits are not looked at: those of the two sides may differ.
        """
        mirrored: Array = np.asarray(q, dtype=np.float64)[..., self.columns] * self.factors
        return mirrored


@per_skeleton
def pose_mirror(skeleton: Skeleton) -> PoseMirror:
    """Return what mirrors poses of a figure; kept as long as the figure lives."""
    return PoseMirror(skeleton)


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
