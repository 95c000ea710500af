"""An edit of one figure brings along those that locks tie to it: what is held in two hands, a partner in a dance."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.animation.ensemble import System
from core.animation.locks.holding import ROOT_WEIGHT
from core.arrays import Array
from core.constraints.hold.bent_start import find_folds
from core.constraints.hold.pose_steps_kernel import NUDGE
from core.constraints.lock import Lock
from core.constraints.soles import part_vertices
from core.constraints.solve_locks import solve_locks
from core.constraints.support import lowest_parts
from core.kinematics import forward_kinematics
from core.kinematics.chain import ancestry, drag_chain
from core.posing.pose_edit import MOST_STEPS, missed
from core.skeleton.clamp import clamp_pose
from core.skeleton.joined import is_prop

Bools = NDArray[np.bool_]

AT_GROUND = 0.05
"""How high the lowest part of a figure may be that stands on the ground, [m]."""
STANDING = 0.1
"""Weight of the roots of figures whose feet stay where they stand: hips go along with a spine that leans."""


class Footing(NamedTuple):
    """How figures stand on the ground.

    Attributes:
        standing: Which values of the joined pose are of one that stands, booleans of shape (nq,).
        soles: Joints of the joined figure that it stands on.
        feet: Locks that keep these where they are, but for those that are locked anyway.
    """

    standing: Bools
    soles: tuple[int, ...]
    feet: tuple[Lock, ...]


class Partners:
    """Edits of one of several figures that are solved together, and what gives way to them in the others.

    What was edited stays so if the others can follow: with the limbs by which locks hold them first; where these do not
    reach with their spines, hips and knees while their feet stay where they stand; and by steps along the ground last.
    Only a figure that is moved as a whole takes others off the
    ground. Where the others cannot follow, the limbs or the prop that were edited come back as far as the locks ask
    for. Each of these begins with what the one before has come to, so that a spine leans for no more than what an arm
    lacks. So a box that two hands hold goes with either of them or with the hips, and hands go with the box. The pose
    depends on the one before the edit and on the edit alone.

    Args:
        system: The figures, in the pose before the edit.
        name: Which one is edited.

    Raises:
        ValueError: If the figure is none of them.
    """

    # All masks are of the joined pose, booleans of shape (nq,).

    def __init__(self, system: System, name: str):
        J, self._system = system.joined, system
        self._member = system.names.index(name)
        self._limbs, self._spines = np.zeros((2, J.nq), dtype=bool)  # what locks hold, and what that hangs on
        self._props, self._others, self._steps = np.zeros((3, J.nq), dtype=bool)  # others but props, and their places
        self._own_limbs: list[list[int]] = []
        for lock in system.locks:
            others = lock.rule.joints_in(lock.target) if lock.second is None else (lock.second[1],)
            for joint in dict.fromkeys((lock.joint, *others)):
                self._hang(*J.member_of(J.joint_index(joint)))
        for k, (figure, own, root) in enumerate(zip(J.members, J.columns, J.roots, strict=True)):
            self._limbs[root] = self._spines[root] = False
            self._props[own] = is_prop(figure)
            if self._follows(k):
                self._others[own] = True
                self._steps[[own.start, own.start + 2]] = True
        self._limbs |= self._props
        self._spines &= self._others

    def _follows(self, member: int) -> bool:
        """Return whether a member is a figure that may follow with all of its body."""
        system = self._system
        prop = is_prop(system.joined.members[member])
        return member != self._member and not prop and system.names[member] not in system.leaders

    def _hang(self, member: int, joint: int) -> None:
        """Take up the limb and the spine above a joint of a member, -1 for its place, by which a lock holds it."""
        J = self._system.joined
        if member < 0 or joint < 0 or is_prop(J.members[member]):
            return
        first, figure = J.columns[member].start, J.members[member]
        limb, spine = ([first + k for k in drag_chain(figure, joint, mode).dofs] for mode in ("limb", "body"))
        self._limbs[limb], self._spines[spine] = True, True
        if member == self._member:
            self._own_limbs.append(limb)

    @cached_property
    def _footing(self) -> Footing:
        system, J = self._system, self._system.joined
        standing, soles, feet = np.zeros(J.nq, dtype=bool), [], []
        held = {J.joint_index(lock.joint) for lock in system.locks}
        for k, (figure, q) in enumerate(zip(J.members, J.split(system.pose), strict=True)):
            if not self._follows(k):
                continue
            frames = forward_kinematics(figure, q)
            low = lowest_parts(figure, frames)
            if min(float(part_vertices(figure, i, frames)[:, 1].min()) for i in low) > AT_GROUND:
                continue
            standing[J.columns[k]] = True
            for i in low:
                if not {*ancestry(figure, i)[1:]} & {*low}:  # a foot carries its toes
                    soles.append(J.joint(k, i))
                    if soles[-1] not in held:
                        feet.append(Lock(soles[-1], "pose", target=frames[i]))
        return Footing(standing, tuple(soles), tuple(feet))

    def posed(self, q: Array, comfort: float = 0.0) -> Array:
        """Return the joined pose after an edit, shape (nq of the joined figure,).

        Args:
            q: The pose of the edited figure after it, shape (nq of the figure,), [m] and [rad].
            comfort: As for ``solve_locks``.
        """
        J, system = self._system.joined, self._system
        pose = np.array(system.pose)
        pose[J.columns[self._member]] = q
        changed, root = pose != system.pose, J.roots[self._member]
        changed[root] = changed[root].any()  # what is moved to a place is not to slip along another axis
        if changed.any():
            for limb in self._own_limbs:  # all of it: an elbow that the edit leaves straight is not to be bent
                changed[limb] |= changed[limb].any()
            edited, found = [bool(changed[limb].all()) for limb in self._own_limbs], False
            if (self._props & ~changed).any() and (not any(edited) or all(edited)):  # it goes with what holds it
                pose, found = self._solved(pose, self._props & ~changed, comfort)
            if not found:
                pose, found = self._solved(pose, self._limbs & ~changed, comfort)
            if not found:
                pose, found = self._with_bodies(pose, changed, comfort)
            if found:
                return pose
        return self._solved(pose, np.ones(J.nq, dtype=bool), comfort)[0]

    def _with_bodies(self, pose: Array, changed: Bools, comfort: float) -> tuple[Array, bool]:
        """Return what is found where limbs alone do not reach, and whether it holds the locks.

        Args:
            pose: What the limbs come to, shape (nq,).
            changed: What was edited, shape (nq,).
            comfort: As for ``solve_locks``.
        """
        J, (standing, _, feet) = self._system.joined, self._footing
        bodies = (self._limbs | self._spines | standing) & ~changed
        if self._others.any():
            pose, found = self._solved(self._with_knees_bent(pose, bodies), bodies, comfort, feet)
            if found:
                return pose, found
            stepped, found = self._solved(pose, (self._limbs | self._spines | self._steps) & ~changed, comfort)
            if not found and changed[J.roots[self._member]].any() and not is_prop(J.members[self._member]):
                stepped, found = self._solved(stepped, (self._limbs | self._others) & ~changed, comfort)
            if found:
                return stepped, found
        return self._solved(pose, bodies | self._limbs, comfort, feet)

    def _solved(self, start: Array, free: Bools, comfort: float, feet: Sequence[Lock] = ()) -> tuple[Array, bool]:
        """Return the pose nearest to one that holds the locks with what is free, and whether it does."""
        locks, root_weight = (*self._system.locks, *feet), STANDING if feet else ROOT_WEIGHT
        fixed = sorted({*self._system.fixed, *np.flatnonzero(~free).tolist()})
        options: dict[str, Any] = {"root_weight": root_weight, "max_iterations": MOST_STEPS, "comfort": comfort}
        result = solve_locks(self._system.joined, start, locks, fixed=fixed, **options)
        return np.asarray(result.q), not missed(locks, result)

    def _with_knees_bent(self, pose: Array, free: Bools) -> Array:
        """Return a pose with straight legs bent a little where they are free: from straight no step would bend them."""
        J, bent = self._system.joined, np.array(pose)
        for fold in find_folds(J, self._footing.soles):
            first = fold.values[0]
            if abs(pose[first]) >= NUDGE or not free[first]:
                continue
            bent[first] = fold.sides[0] * NUDGE
            for k, side in zip(fold.values[1:], fold.sides[1:], strict=True):
                if k >= 0 and free[k]:
                    bent[k] += 0.5 * side * NUDGE
        return clamp_pose(J, bent)
