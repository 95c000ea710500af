"""An edit of one figure brings along those that locks tie to it: what is held in two hands, a partner in a dance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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


def with_partners(system: System, name: str, q: Array, comfort: float = 0.0) -> Array:
    """Return the joined pose after one of several figures that are solved together was edited, locks held.

    What was edited stays so if the others can follow: with the limbs by which locks hold them first; where these do not
    reach with their spines, hips and knees while their feet stay where they stand; and by steps along the ground last.
    Only a figure that is moved as a whole takes others off the
    ground. Where the others cannot follow, the limbs or the prop that were edited come back as far as the locks ask
    for. Each of these begins with what the one before has come to, so that a spine leans for no more than what an arm
    lacks. So a box that two hands hold goes with either of them or with the hips, and hands go with the box. The pose
    depends on the one before the edit and on the edit alone.

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
    options: dict[str, Any] = {"max_iterations": MOST_STEPS, "comfort": comfort}

    def solved(
        start: Array, free: Bools, feet: Sequence[Lock] = (), root_weight: float = ROOT_WEIGHT
    ) -> tuple[Array, bool]:
        fixed = sorted({*system.fixed, *np.flatnonzero(~free).tolist()})
        locks = (*system.locks, *feet)
        result = solve_locks(J, start, locks, fixed=fixed, root_weight=root_weight, **options)
        return np.asarray(result.q), not missed(locks, result)

    if changed.any():
        parts = _Parts(system, member)
        for limb in parts.own_limbs:  # all of it: an elbow that the edit leaves straight is not to be bent
            changed[limb] |= changed[limb].any()
        edited = [bool(changed[limb].all()) for limb in parts.own_limbs]
        found = False
        if (parts.props & ~changed).any() and (not any(edited) or all(edited)):  # it goes with what holds it
            pose, found = solved(pose, parts.props & ~changed)
        if not found:
            pose, found = solved(pose, parts.limbs & ~changed)
        if not found:
            whole = bool(changed[root].any()) and not is_prop(J.members[member])
            pose, found = _with_bodies(system, parts, pose, changed, whole, solved)
        if found:
            return pose
    return solved(pose, np.ones(J.nq, dtype=bool))[0]


def _with_bodies(
    system: System, parts: _Parts, pose: Array, changed: Bools, whole: bool, solved: Callable[..., tuple[Array, bool]]
) -> tuple[Array, bool]:
    """Return what is found where limbs alone do not reach, and whether it holds the locks.

    Args:
        system: The figures.
        parts: What gives way in them.
        pose: What the limbs come to, shape (nq,).
        changed: What was edited, shape (nq,).
        whole: Whether the edited figure was moved as a whole.
        solved: Solves for the locks, from a pose and with what is free.
    """
    feet, found = parts.feet, False
    bodies = (parts.limbs | parts.spines | parts.standing) & ~changed
    if parts.others.any():
        pose, found = solved(parts.with_knees_bent(pose, bodies), bodies, feet, STANDING)
    if parts.others.any() and not found:
        stepped, found = solved(pose, (parts.limbs | parts.spines | parts.steps) & ~changed)
        if not found and whole:
            stepped, found = solved(stepped, (parts.limbs | parts.others) & ~changed)
        if found:
            return stepped, found
    if not found:
        pose, found = solved(pose, bodies | parts.limbs, feet, STANDING)
    return pose, found


class _Parts:
    """Which values of a joined pose give way to an edit of one of the figures, booleans of shape (nq,) each.

    Args:
        system: The figures, in the pose before the edit.
        member: Which one is edited.

    Attributes:
        limbs: The limbs that locks hold, and props as a whole.
        own_limbs: Places of the values of each such limb of the figure that is edited.
        props: All of each prop.
        others: All of the other figures but props.
        spines: What their limbs hang on, without their roots.
        standing: All of those that stand on the ground.
        steps: Places on the ground of all of them.
        feet: Locks that keep where they are the feet on which they stand.
    """

    def __init__(self, system: System, member: int):
        J, self._system = system.joined, system
        self.limbs, self.props, self.others, self.spines, self.standing, self.steps = np.zeros((6, J.nq), dtype=bool)
        self.own_limbs: list[list[int]] = []
        self.feet: list[Lock] = []
        self._soles: list[int] = []
        held: set[int] = set()
        for lock in system.locks:
            held.add(J.joint_index(lock.joint))
            for joint in (lock.joint, *(() if lock.second is None else (lock.second[1],))):
                self._hang(*J.member_of(J.joint_index(joint)), member)
        for k, (figure, own) in enumerate(zip(J.members, J.columns, strict=True)):
            self.props[own] = is_prop(figure)
            if k != member and not is_prop(figure) and system.names[k] not in system.leaders:
                self.others[own] = True
                self.steps[[own.start, own.start + 2]] = True
                self._stand(k, held)
        self.limbs |= self.props
        for root, figure in zip(J.roots, J.members, strict=True):
            self.limbs[root] &= is_prop(figure)
            self.spines[root] = False
        self.spines &= self.others

    def _hang(self, member: int, joint: int, edited: int) -> None:
        """Take up the limb and the spine above a joint of a member, -1 for its place, by which a lock holds it."""
        J = self._system.joined
        if member < 0 or joint < 0 or is_prop(J.members[member]):
            return
        first, figure = J.columns[member].start, J.members[member]
        limb, spine = ([first + k for k in drag_chain(figure, joint, mode).dofs] for mode in ("limb", "body"))
        self.limbs[limb], self.spines[spine] = True, True
        if member == edited:
            self.own_limbs.append(limb)

    def _stand(self, member: int, held: set[int]) -> None:
        """Take up a member if it stands on the ground, and what keeps its feet there; those that are held are."""
        J = self._system.joined
        figure, q = J.members[member], J.split(self._system.pose)[member]
        frames = forward_kinematics(figure, q)
        low = lowest_parts(figure, frames)
        if min(float(part_vertices(figure, i, frames)[:, 1].min()) for i in low) > AT_GROUND:
            return
        self.standing[J.columns[member]] = True
        for i in low:
            if not {*ancestry(figure, i)[1:]} & {*low}:  # a foot carries its toes
                self._soles.append(J.joint(member, i))
                if self._soles[-1] not in held:
                    self.feet.append(Lock(self._soles[-1], "pose", target=frames[i]))

    def with_knees_bent(self, pose: Array, free: Bools) -> Array:
        """Return a pose with straight legs bent a little where they are free: from straight no step would bend them."""
        J, bent = self._system.joined, np.array(pose)
        for fold in find_folds(J, self._soles):
            first = fold.values[0]
            if abs(pose[first]) >= NUDGE or not free[first]:
                continue
            bent[first] = fold.sides[0] * NUDGE
            for k, side in zip(fold.values[1:], fold.sides[1:], strict=True):
                if k >= 0 and free[k]:
                    bent[k] += 0.5 * side * NUDGE
        return clamp_pose(J, bent)
