"""How far joints may turn while a part is dragged: a figure follows its goal at a pace, it neither leaps nor shakes.

A solver may find a pose far from the one before although its goal hardly moved: on the other side of a limit, past a
singular pose, or after a goal that cannot be met. The pose goes there step by step then, as the pointer goes on or
rests.
A straight limb is another matter: one whose two parts have the length l and which is to be shorter by d bends by
``2 acos(1 - d / 2l)``, 7.8 degrees for 2 mm of a leg, whatever solves it. That much it may.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.ik import Goal, Result, solve
from core.ik.reach import Reach
from core.kinematics.bends import bending_side
from core.kinematics.chain import ancestry
from core.kinematics.forward import forward_kinematics
from core.skeleton.clamp import clamp_pose
from core.skeleton.dof import HINGE
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import segment_tip
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import Ints

PER_CENTIMETRE = math.radians(5.0)
"""Most that a joint turns for each centimetre that the pointer moves, [rad]."""
STRAIGHT = math.radians(25.0)
"""Bend under which a limb counts as straight."""
MARGIN = 0.99
"""Part of what is allowed that is used, for rounding."""
RESTING = math.radians(6.0)
"""Most that a joint turns from one picture to the next while the pointer rests and the figure catches up, [rad]."""
STILL = 1e-7
"""A pose that changes by less while it catches up has come to rest, [m] and [rad]."""
TRIES = 4
"""Times that a step is made shorter which locks have made longer again."""
_LEAST = 1e-3
"""Shortest step, as a part of the whole one, that is worth taking."""


class Limb(NamedTuple):
    """An elbow or a knee, which bends to one side; the next joint above it that moves, and the moving ones next below.

    ``tip`` is where its segment ends, in its frame, shape (3,), [m].
    """

    hinge: int
    above: int
    below: tuple[int, ...]
    tip: Array


class _Hinges(NamedTuple):
    parent: Ints
    columns: Ints
    owner: Ints
    limbs: tuple[Limb, ...]


@per_skeleton
def _hinges(s: Skeleton) -> _Hinges:
    """Return what the figure alone says: parents, the pose values that are angles, their joints, and the limbs."""
    moves = [bool(joint.dofs) for joint in s.joints]
    limbs = []
    for k, joint in enumerate(s.joints):
        bends = (dof.kind == HINGE and bending_side(dof.lo, dof.hi) != 0.0 for dof in joint.dofs)
        if len(joint.dofs) > 2 or joint.parent < 0 or not any(bends):
            continue
        above = next((i for i in ancestry(s, k)[1:] if moves[i]), None)
        if above is not None:
            below = tuple(i for i, other in enumerate(s.joints) if other.parent == k and moves[i])
            limbs.append(Limb(k, above, below, segment_tip(s, k)))
    angles = [d for d, dof in enumerate(s.all_dofs) if dof.kind == HINGE]
    parent = np.array([joint.parent for joint in s.joints], dtype=np.int64)
    owner = np.array([s.dof_joints[d] for d in angles], dtype=np.int64)
    return _Hinges(parent, 3 + np.array(angles, dtype=np.int64), owner, tuple(limbs))


def joint_turns(s: Skeleton, before: Array, after: Array) -> Array:
    """Return by how much each joint turns against its parent from one pose to another, shape (n,), [rad].

    For each joint it is the angle of its rotation or the largest change of its hinges, whichever is more.

    Args:
        s: The figure.
        before, after: Poses, shape (nq,).
    """
    hinges = _hinges(s)
    R = forward_kinematics(s, np.stack([before, after]))[:, :, :3, :3]
    R = R / np.maximum(np.linalg.norm(R, axis=2, keepdims=True), 1e-300)
    local = R.copy()
    inner = hinges.parent >= 0
    local[:, inner] = np.swapaxes(R[:, hinges.parent[inner]], 2, 3) @ R[:, inner]
    # |A - B| of two rotations is 2 sqrt(2) sin(angle / 2), which is exact for small angles too.
    # A joint that runs along a spline turns with its way, which is not what counts.
    apart = np.linalg.norm(local[0] - local[1], axis=(1, 2)) / math.sqrt(8.0)
    turns = np.zeros(len(s.joints))
    turns[hinges.owner] = 2.0 * np.arcsin(np.minimum(apart[hinges.owner], 1.0))
    np.maximum.at(turns, hinges.owner, np.abs(after - before)[hinges.columns])
    return np.asarray(turns)


def straight_limbs(s: Skeleton, q: Array) -> list[tuple[Limb, float, float]]:
    """Return the limbs that are within 25 degrees of straight, their bend, [rad], and mean length of part, [m]."""
    limbs, found = _hinges(s).limbs, []
    if not limbs:
        return []
    X = forward_kinematics(s, q)
    for limb in limbs:
        here = X[limb.hinge, :3, 3]
        end = X[limb.below[0], :3, 3] if limb.below else X[limb.hinge, :3, :3] @ limb.tip + here
        a, b = here - X[limb.above, :3, 3], end - here
        lengths = math.sqrt(float(a @ a)), math.sqrt(float(b @ b))
        if min(lengths) > 1e-9:
            bend = math.acos(min(max(float(a @ b) / (lengths[0] * lengths[1]), -1.0), 1.0))
            if bend < STRAIGHT:
                found.append((limb, bend, 0.5 * sum(lengths)))
    return found


def allowed_turns(s: Skeleton, q: Array, travel: float, rate: float = PER_CENTIMETRE) -> Array:
    """Return by how much each joint may turn while the pointer moves some distance, shape (n,), [rad].

    Args:
        s: The figure.
        q: The pose before, shape (nq,).
        travel: Of the pointer, at the depth of the part, [m].
        rate: For each centimetre of it, [rad].
    """
    allowed = np.full(len(s.joints), rate * 100.0 * travel)
    for limb, bend, length in straight_limbs(s, q):
        half = 0.5 * travel / length
        shorter = 2.0 * math.acos(max(math.cos(0.5 * bend) - half, -1.0)) - bend
        longer = bend - 2.0 * math.acos(min(math.cos(0.5 * bend) + half, 1.0))
        # As far as the limb is straight; what comes after is an ordinary joint's.
        more = max(min(shorter, STRAIGHT), longer)
        for k in (limb.hinge, limb.above, *limb.below):
            allowed[k] = max(allowed[k], rate * 100.0 * travel + more)
    return allowed


def pace_bounds(s: Skeleton, q: Array, allowed: Array) -> tuple[Array, Array]:
    """Return the bounds of pose values within which no joint turns too far, shape (nq,) each.

    A joint of n hinges turns by about the root of the sum of their squares.

    Args:
        s: The figure.
        q: The pose shown, shape (nq,).
        allowed: Most turn of each joint, shape (n,), [rad].
    """
    hinges, room = _hinges(s), np.full(s.nq, np.inf)
    number = np.bincount(hinges.owner, minlength=len(s.joints))
    room[hinges.columns] = MARGIN * allowed[hinges.owner] / np.sqrt(number[hinges.owner])
    return q - room, q + room


def paced(
    s: Skeleton, before: Array, after: Array, allowed: Array, hold: Callable[[Array], Array | None] | None = None
) -> tuple[Array, bool]:
    """Return a pose on the way from one to another that no joint turns too far for, and whether it falls short.

    Args:
        s: The figure.
        before: The pose shown, shape (nq,).
        after: The pose to go to, shape (nq,).
        allowed: Most turn of each joint, shape (n,), [rad]; see ``allowed_turns``.
        hold: Brings a pose onto the locks; returns None where that cannot be done.
    """
    turns = joint_turns(s, before, after)
    if not (turns > allowed).any():
        return after, False
    share = float(np.min(np.where(turns > allowed, MARGIN * allowed / np.maximum(turns, 1e-300), 1.0)))
    for _ in range(TRIES):
        if share < _LEAST:
            break
        pose = clamp_pose(s, before + share * (after - before))
        held = pose if hold is None else hold(pose)
        if held is not None:
            over = float(np.max(joint_turns(s, before, held) / np.maximum(allowed, 1e-12)))
            if over <= 1.0:
                return held, True
            share *= min(0.5, MARGIN / over)
        else:
            share *= 0.5
    return before, True


SPARE_STEPS = 8
"""Most iterations in an event that lower the second criterion: what is left of its way the next events go.

To the end of it at once the limb would swing from one lowest place to the next, which lie far apart.
"""


@dataclass
class Pace:
    """How far the figure may go now.

    Attributes:
        travel: How far the pointer has moved at the depth of the part since the last event, [m].
        lags: Whether the figure is on its way to the pose that the drag asks for: it catches up.
    """

    travel: float = 0.0
    lags: bool = False

    def limited(
        self,
        skeleton: Skeleton,
        before: Array,
        after: Array,
        hold: Callable[[Array], Array | None] | None,
        within: Callable[[tuple[Array, Array]], Array | None],
    ) -> Array:
        """Return the pose to show on the way from one to another, shape (nq,); uses up the travel.

        Args:
            skeleton: The figure.
            before: The pose shown, shape (nq,).
            after: The pose that the drag asks for, shape (nq,).
            hold: Brings a pose onto the locks, None where it cannot; None without locks.
            within: Solves anew within bounds of the pose; returns None where that leads no nearer.
        """
        travel, self.travel = self.travel, 0.0
        if travel > 0.0:
            allowed = allowed_turns(skeleton, before, travel)
        else:  # the pointer rests
            allowed = np.full(len(skeleton.joints), RESTING)
        self.lags = bool((joint_turns(skeleton, before, after) > allowed).any())
        if not self.lags:
            return after
        near = within(pace_bounds(skeleton, before, allowed))
        pose, _ = paced(skeleton, before, after if near is None else near, allowed, hold)
        if float(np.abs(pose - before).max(initial=0.0)) <= STILL:
            self.lags = False
        return pose


LEAP, LEAP_PER_TURN = math.radians(25.0), 4.0
"""Most that a joint may turn in one move, and that as a multiple of the goal's turn about the base of its chain."""
STEPS = 6
"""Most damped steps that are taken instead of a leap."""
FAIR_SHARE = 0.3
"""Share of what a leap gains that the steps must gain to be taken instead, whatever the leap gains."""
WORTH = 0.03
"""Share of the reach that a leap must come nearer than the steps to be taken all the same."""


def leaps(before: Array, after: Array, goal_before: Array | None, goal: Array, reach: Reach) -> bool:
    """Return whether a pose is far from the one before it although the goal hardly moved.

    Args:
        before: The pose shown now, shape (nq,).
        after: Another one, shape (nq,).
        goal_before: The goal of the last move, shape (3,), [m]; None at the first, when nothing is a leap.
        goal: The goal now, shape (3,), [m].
        reach: What the lengths of the chain allow.
    """
    if goal_before is None:
        return False
    away = max(float(np.linalg.norm(goal - reach.center)), 1e-9)
    turned = float(np.linalg.norm(goal - goal_before)) / away
    return float(np.abs(after[3:] - before[3:]).max(initial=0.0)) > max(LEAP, LEAP_PER_TURN * turned)


def steadied(skeleton: Skeleton, q: Array, goal: Goal, base: int, result: Result, reach: Reach) -> Result:
    """Return what to show instead of a leap that a solver made after a goal that it cannot reach.

    A few damped steps of least squares, none of which goes further from the goal, follow the goal without one. They
    are taken unless they get stuck where the leap comes much nearer: then the limb swings over, once.

    Args:
        skeleton: The figure.
        q: The pose shown now, shape (nq,).
        goal: The goal.
        base: First joint that moves.
        result: What the solver found.
        reach: What the lengths of the chain allow.
    """
    steps = _step(skeleton, q, goal, base)
    start = float(steps.errors[0])
    for _ in range(STEPS - 1):
        further = _step(skeleton, steps.q, goal, base)
        if not further.error < steps.error or float(np.abs(further.q[3:] - q[3:]).max()) > LEAP:
            break
        steps = further
    size = reach.outer if math.isfinite(reach.outer) else float(np.linalg.norm(goal.position - reach.center))
    if start - steps.error >= FAIR_SHARE * (start - result.error) or steps.error - result.error < WORTH * size:
        return steps
    return result


def _step(skeleton: Skeleton, q: Array, goal: Goal, base: int) -> Result:
    return solve(skeleton, q, goal, "damped_least_squares", base, max_iterations=1, nudge=False)
