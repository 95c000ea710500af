"""Loops and followers of a figure that gets another root: loops stay with segments, followers with motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.arrays import Array
from core.skeleton.joint import Joint
from core.skeleton.structure import Structure
from core.skeleton.tie import Follow, Leader, Loop, Vector
from core.skeleton.ties import as_vector


def rehung(
    old: Structure,
    joints: Sequence[Joint],
    frames: Array,
    who: Mapping[int, tuple[int, ...]],
) -> list[Joint]:
    """Return the joints of a figure that was re-rooted with its ties: loops stay with segments, follows with motion.

    Args:
        old: The figure before.
        joints: The joints now, by the same names.
        frames: New frame of each old joint in its old one, shape (n, 4, 4).
        who: For each old joint the numbers of the old figure's degrees of freedom that it has now, -1 for a new one.
    """
    if not any(joint.loops or joint.follows for joint in old.joints):
        return list(joints)
    index = {joint.name: i for i, joint in enumerate(old.joints)}
    now = {k: (old.joints[i].name, place) for i, dofs in who.items() for place, k in enumerate(dofs) if k >= 0}
    follows: dict[str, list[Follow]] = {}
    for i, joint in enumerate(old.joints):
        for follow in joint.follows:
            leaders = [now.get(old.first_dof[index[each.joint]] + each.dof) for each in follow.leaders]
            own = now.get(old.first_dof[i] + follow.dof)
            if own is None or None in leaders:
                continue
            moved = tuple(
                Leader(each.name, *place) for each, place in zip(follow.leaders, leaders, strict=True) if place
            )
            follows.setdefault(own[0], []).append(Follow(own[1], follow.text, moved))
    found = []
    for joint in joints:
        A = frames[index[joint.name]]
        loops = tuple(
            Loop(
                loop.other,
                _in_frame(loop.point, A),
                _in_frame(loop.place, frames[index[loop.other]]),
                None if loop.axis is None else as_vector(A[:3, :3].T @ loop.axis),
            )
            for loop in old.joints[index[joint.name]].loops
        )
        found.append(replace(joint, loops=loops, follows=tuple(follows.get(joint.name, ()))))
    return found


def _in_frame(point: Vector, frame: Array) -> Vector:
    """Return a point in a new frame that is given in its old one, without what rounding leaves behind."""
    return as_vector(np.round((np.asarray(point) - frame[:3, 3]) @ frame[:3, :3], 15))
