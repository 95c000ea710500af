"""An edit of one figure brings along those that locks tie to it: what is held in two hands, a partner in a dance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.animation.ensemble import System
from core.animation.locks.holding import ROOT_WEIGHT
from core.arrays import Array
from core.constraints.lock import Lock
from core.constraints.soles import part_vertices
from core.constraints.solve_locks import solve_locks
from core.constraints.support import lowest_parts
from core.kinematics import forward_kinematics
from core.kinematics.chain import ancestry, drag_chain
from core.posing.pose_edit import MOST_STEPS, missed
from core.skeleton.joined import is_prop

Bools = NDArray[np.bool_]

AT_GROUND = 0.05
"""How high the lowest part of a figure may be that stands on the ground, [m]."""


def with_partners(system: System, name: str, q: Array, comfort: float = 0.0) -> Array:
    """Return the joined pose after one of several figures that are solved together was edited, locks held.

    What was edited stays so if the others can follow: with the limbs by which locks hold them first, with their spines
    where these do not reach, with their feet where they stand next, and by steps along the ground last. A figure leaves
    the ground only after one that was moved as a whole. Where the others cannot follow, the limbs that were edited come
    back as far as the locks ask for. Each of these begins with what the one before has come to, so that a spine leans
    by no more than what an arm lacks. So a box that two hands hold goes with either of them or with the hips, and hands
    go with the box. The pose depends on the one before the edit and on the edit alone.

    Args:
        system: The figures, in the pose before the edit.
        name: Which one was edited.
        q: Its pose after the edit, shape (nq of the figure,), [m] and [rad].
        comfort: As for ``solve_locks``.

    Returns:
        Shape (nq of the joined figure,).

    Raises:
        ValueError: If the figure is none of them.
    """
    J, member = system.joined, system.names.index(name)
    pose = np.array(system.pose)
    pose[J.columns[member]] = q
    changed, root = pose != system.pose, J.roots[member]
    changed[root] = changed[root].any()  # what is moved to a place is not to slip along another axis
    options: dict[str, Any] = {"root_weight": ROOT_WEIGHT, "max_iterations": MOST_STEPS, "comfort": comfort}

    def solved(start: Array, free: Bools, feet: Sequence[Lock] = ()) -> tuple[Array, bool]:
        fixed = sorted({*system.fixed, *np.flatnonzero(~free).tolist()})
        result = solve_locks(J, start, (*system.locks, *feet), fixed=fixed, **options)
        return np.asarray(result.q), not missed((*system.locks, *feet), result)

    if changed.any():
        parts = _Parts(system, member)
        for limb in parts.of_edited:  # all of it, so that an elbow that stays straight is not bent
            changed[limb] |= changed[limb].any()
        free, found = parts.limbs & ~changed, False
        pose, found = solved(pose, free)
        if not found:
            free |= parts.spines & ~changed
            pose, found = solved(pose, free)
        if not found:
            feet = parts.feet()
            free |= parts.others
            pose, found = solved(pose, free, feet)
            if not found:
                stepped, found = solved(pose, (parts.limbs | parts.spines | parts.steps) & ~changed)
                if not found and changed[root].any():
                    stepped, found = solved(stepped, free)
                if found:
                    pose = stepped
            if not found:
                pose, found = solved(pose, free | (parts.limbs & ~parts.roots), feet)
        if found:
            return pose
    return np.asarray(solve_locks(J, pose, system.locks, fixed=system.fixed, **options).q)


class _Parts:
    """Which values of a joined pose give way to an edit of one of the figures, booleans of shape (nq,) each.

    Attributes:
        limbs: The limbs that locks hold, and props as a whole.
        of_edited: Places of the values of each limb of the figure that was edited.
        spines: What these hang on, without the roots, in figures that were not edited.
        others: All of the figures that were not edited.
        steps: Their places on the ground.
        roots: The place and the root of each figure that is no prop.
    """

    def __init__(self, system: System, member: int):
        J = system.joined
        self._system, self._member = system, member
        self.limbs, self.spines, self.others, self.steps, self.roots = np.zeros((5, J.nq), dtype=bool)
        self.of_edited: list[list[int]] = []
        self._held: set[int] = set()
        for k, (figure, own, root) in enumerate(zip(J.members, J.columns, J.roots, strict=True)):
            if k != member:
                self.others[own] = True
                self.steps[[own.start, own.start + 2]] = True
            self.roots[root] = not is_prop(figure)
        for lock in system.locks:
            self._held.add(J.joint_index(lock.joint))
            for joint in (lock.joint, *(() if lock.second is None else (lock.second[1],))):
                self._free(*J.member_of(J.joint_index(joint)))
        self.limbs &= ~self.roots
        self.spines &= ~self.roots & self.others

    def _free(self, member: int, joint: int) -> None:
        """Let a limb give way that a lock holds by a joint of a member, -1 for its place."""
        J = self._system.joined
        if member < 0:
            return
        figure, own = J.members[member], J.columns[member]
        if is_prop(figure) or joint < 0:
            self.limbs[own] |= is_prop(figure)
            return
        limb = [own.start + k for k in drag_chain(figure, joint, "limb").dofs]
        if member == self._member:
            self.of_edited.append(limb)
        self.limbs[limb] = True
        self.spines[[own.start + k for k in drag_chain(figure, joint, "body").dofs]] = True

    def feet(self) -> list[Lock]:
        """Return locks that keep where they are the feet of the figures that stand and were not edited."""
        J, found = self._system.joined, []
        for k, (figure, q) in enumerate(zip(J.members, J.split(self._system.pose), strict=True)):
            if k == self._member or is_prop(figure) or self._system.names[k] in self._system.leaders:
                continue
            frames = forward_kinematics(figure, q)
            low = lowest_parts(figure, frames)
            if min(float(part_vertices(figure, i, frames)[:, 1].min()) for i in low) > AT_GROUND:
                continue
            for i in low:
                if J.joint(k, i) not in self._held and not {*ancestry(figure, i)[1:]} & {*low}:
                    found.append(Lock(J.joint(k, i), "pose", target=frames[i]))
        return found
