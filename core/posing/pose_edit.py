"""What an edit of a pose brings along: the other side in mirror editing, and the locks that hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.bind import bind_in
from core.constraints.counterpart import with_mirror_images
from core.constraints.lock import Lock
from core.constraints.lock_result import HELD, HELD_TURN, LockResult
from core.constraints.places import Figures, Places
from core.constraints.solve_locks import solve_locks
from core.ik.root_under_locks import root_goal
from core.kinematics import forward_kinematics
from core.kinematics.chain import ancestry
from core.kinematics.goal import Goal
from core.skeleton.clamp import clamp_joint
from core.skeleton.following import followed, follows_of
from core.skeleton.mirroring.mirror import reflect_vector
from core.skeleton.mirroring.pose_mirror import counterpart, other_columns, pose_mirror
from core.skeleton.skeleton import Skeleton

HOLD = "hold"
"""The method of ``solve_locks`` that takes goals of different weights."""
MOST_STEPS = 40
"""Most steps of an edit under locks."""


@dataclass(frozen=True, eq=False)
class HeldLocks:
    """Which locks hold a pose while it is edited, and how.

    Attributes:
        locks: The locks.
        figures: Other figures that they name: (skeleton, pose) by name.
        method: Of ``solve_locks``: ``"hold"``, ``"lagrange"`` or ``"ccd"``.
        comfort: How strongly joints that locks leave free keep to the middle of their range, 0 to 1.
        iterations: Most iterations on locks in one event of a drag; None for as many as it takes.
        firm: Whether a drag stays near the pose at press and comes back to it; else it goes on from where it has come.
    """

    locks: Sequence[Lock] = ()
    figures: Figures = field(default_factory=dict)
    method: str = HOLD
    comfort: float = 0.0
    iterations: int | None = None
    firm: bool = True

    @classmethod
    def of(cls, locks: Sequence[Lock] | HeldLocks, skeleton: Skeleton, q: Array) -> HeldLocks | None:
        """Return how locks are held, each bound to what it has in a pose if it has no target; None for no locks.

        Args:
            locks: The locks, or also how they are held.
            skeleton: The figure.
            q: Pose, shape (nq,).

        Raises:
            LockError: If a lock names what is not there.
        """
        holding = locks if isinstance(locks, HeldLocks) else cls(locks)
        if not holding.locks:
            return None
        if all(lock.bound for lock in holding.locks):
            return holding
        places = Places(skeleton, q, holding.figures)
        return replace(holding, locks=[lock if lock.bound else bind_in(lock, places) for lock in holding.locks])

    def with_mirror_images(self, skeleton: Skeleton, q: Array) -> list[Lock]:
        """Return the locks that also hold in mirror editing: those between two sides the other way round as well.

        Args:
            q: A pose that holds them, shape (nq,).
            skeleton: The figure.
        """
        return with_mirror_images(self.locks, Places(skeleton, q, self.figures))


def edited_pose(
    skeleton: Skeleton,
    before: Array,
    q: object,
    holding: HeldLocks | None = None,
    *,
    mirror: bool = False,
    edited: Iterable[int] | None = None,
    fixed: Iterable[int] | None = None,
    hold: bool = True,
    near: Array | None = None,
) -> Array:
    """Return a pose with what an edit brings along: its other side in mirror editing, then all locks held.

    Degrees of freedom that follow others are what these say, whatever the edit made of them.

    Args:
        skeleton: The figure.
        before: The pose before the edit, shape (nq,).
        q: The pose after it, shape (nq,), [m] and [rad].
        holding: The locks; None for none.
        mirror: Whether what is posed on one side happens on the other as well.
        edited: Places in the pose that the edit is about, which mirror editing carries over to the other side; None
            for those that change, of poses that are yet to be brought onto the locks.
        fixed: Places in the pose that were edited and stay so if the locks allow it; None for those that differ
            from the pose before.
        hold: False for a pose that holds the locks already, or is meant not to.
        near: A pose that holds the locks, by which mirror editing finds those that hold both ways; None for
            ``before``.

    Raises:
        PoseError: If the pose does not fit the figure.
    """
    pose = _following(skeleton, skeleton.check_pose(q))
    others: list[int] = []
    if mirror and (hold or edited is not None):
        pose, others = both_sides(skeleton, before, pose, edited)
        pose = _following(skeleton, pose)
    if holding is None or not holding.locks or not (hold or others):
        return pose
    chosen = fixed if fixed is not None else None if hold else edited
    kept = changed_values(before, pose) if chosen is None else chosen
    locks = holding.with_mirror_images(skeleton, before if near is None else near) if mirror else None
    return _following(
        skeleton, held_pose(skeleton, pose, holding, sorted({*(int(i) for i in kept), *others}), locks=locks)
    )


def _following(skeleton: Skeleton, pose: Array) -> Array:
    return followed(skeleton, pose) if follows_of(skeleton) else pose


def held_pose(
    skeleton: Skeleton,
    pose: Array,
    holding: HeldLocks,
    fixed: Iterable[int] = (),
    start: Array | None = None,
    locks: Sequence[Lock] | None = None,
) -> Array:
    """Return a pose projected onto locks.

    What was edited stays as edited if the locks can be held so, and with it the root where and as it is: a lock takes
    its limb first, the root's place next, its tilt last. Where they cannot, everything gives way: locks are kept before
    edits. Where they cannot be held at all the pose is the nearest compromise.

    Args:
        skeleton: The figure.
        pose: Shape (nq,), [m] and [rad].
        holding: The locks and how they are held.
        fixed: Places in the pose that were edited.
        start: Pose to stay near, shape (nq,); None for ``pose`` itself.
        locks: What holds instead of the locks of ``holding``.
    """
    locks = holding.locks if locks is None else locks
    options: dict[str, Any] = {"method": holding.method, "comfort": holding.comfort, "figures": holding.figures}
    kept = sorted({int(i) for i in fixed})
    near = pose if start is None else start
    goal: dict[str, Any] = {"goals": root_goal(skeleton, pose), "start": near, "max_iterations": MOST_STEPS}
    firm = holding.method == HOLD and skeleton.first_dof[1] > 0
    tries: list[dict[str, Any]] = []
    if kept and len(kept) < skeleton.nq:
        tries = [{"fixed": kept, **goal}, {"fixed": kept, "start": start}]
    for how in [*tries, goal] if firm else tries[1:]:
        result = solve_locks(skeleton, pose, locks, **how, **options)
        if not missed(locks, result):
            return np.asarray(result.q)
    return np.asarray(solve_locks(skeleton, pose, locks, start=start, **options).q)


def missed(locks: Sequence[Lock], result: LockResult) -> list[int]:
    """Return which of the hard locks are off in a result of ``solve_locks``, by their place in ``locks``."""
    rows = zip(locks, result.position_residuals, result.angle_residuals, strict=True)
    return [
        i
        for i, (lock, place, turn) in enumerate(rows)
        if (place > HELD and lock.weights[0] >= 1.0) or (turn > HELD_TURN and lock.weights[1] >= 1.0)
    ]


def changed_values(before: Array, after: Array) -> list[int]:
    """Return the places in which a pose differs from the one before."""
    return np.flatnonzero(before != after).tolist()


# -- the other side ----------------------------------------------------------------------------------------------------


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
    chosen = changed_values(before, q) if edited is None else [int(i) for i in edited]
    others = np.setdiff1d(other_columns(skeleton, chosen), chosen)
    if not len(others):
        return q, []
    made = np.array(q, dtype=np.float64)
    made[others] = pose_mirror(skeleton).convert(q)[others]
    return inside_limits(skeleton, made, others), others.tolist()


def mirrored_goal(skeleton: Skeleton, q: Array, goal: Goal) -> Goal | None:
    """Return the goal that the part on the other side has while a part is dragged to a place; None in the middle.

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


def inside_limits(skeleton: Skeleton, q: Array, columns: Iterable[int]) -> Array:
    """Return a pose with the joints that own some places brought inside their limits, shape (nq,).

    The limits of the two sides may differ.
    """
    for joint in sorted({skeleton.dof_joints[column - 3] for column in columns if column >= 3}):
        q = clamp_joint(skeleton, q, joint)
    return q
