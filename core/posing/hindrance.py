"""Why a part that is dragged is not at its goal: out of reach, stopped by limits, held by locks, or straight."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

import numpy as np

from core.arrays import Array, Bools
from core.constraints.hold.mobility import mobility, pose_units
from core.constraints.hold.row_values import row_values
from core.constraints.hold.rows import rows_of_locks
from core.constraints.lock import Lock
from core.constraints.places import Figures, Places
from core.ik import Result
from core.ik.reach import Reach
from core.kinematics import point_jacobian
from core.skeleton.skeleton import Skeleton

MOST_NAMED = 2
_BEYOND = (1.5e-3, 5e-4)
"""Share of the reach that the goal must lie beyond it to be called out of reach, and to stay called so."""
_HELD_UP = (1e-2, 5e-3)
"""Share of the reach that limits must keep the part from its goal by to be named, and to stay named."""
_HELD_INSIDE = (6e-2, 4e-2)
"""The same for a goal out of reach: a stretched limb whose last bit the limits keep back needs no more said."""
_AT_LIMIT = 5e-3
"""Share of its range within which a degree of freedom that was named as stopped still counts as at its limit."""


@dataclass(frozen=True)
class Stop:
    """A degree of freedom that the goal presses against its limit.

    Attributes:
        dof: Its number; ``q`` index is 3 more.
        side: -1 at its lower limit, 1 at its upper, 0 where something else holds it, such as a cone.
        value: Where it is stopped, [rad], [m] or a plain number.
    """

    dof: int
    side: int
    value: float


@dataclass(frozen=True)
class Hindrance:
    """Why a part is not at its goal.

    Attributes:
        reason: ``"out_of_reach"``, ``"limits"``, ``"straight"``, ``"locks"``, or "" if nothing hinders.
        stops: What is stopped, at most two; of a goal out of reach what keeps the part from the edge of it.
        beyond: By how much the goal lies beyond reach, from the sphere's nearest point on, for ``"out_of_reach"``,
            [m], else 0. Where limits hold the part inside the sphere it is further from its goal than that.
        center: Middle of the sphere that the part cannot leave, or enter, shape (3,), [m]; None unless out of reach,
            and for a part that runs along a spline, which has none.
        radius: Radius of that sphere, [m].
        inside: Whether the goal lies too close: inside a sphere that the part cannot enter.
        locks: The locks that hold the part back, in the order of the figure's joints; with ``"limits"`` they need
            the limits for it.
        distance: How far the part is from its goal, [m]; 0 if nothing hinders.
        unfinished: With no reason: whether the solver had too few steps.
    """

    reason: str = ""
    stops: tuple[Stop, ...] = ()
    beyond: float = 0.0
    center: tuple[float, float, float] | None = None
    radius: float = 0.0
    inside: bool = False
    locks: tuple[Lock, ...] = ()
    distance: float = 0.0
    unfinished: bool = False


NONE = Hindrance()


class HindranceWatch:
    """Follows one drag and finds why its part is not at its goal, without flicker.

    The reason changes only when another is clearly the case: between two that are about as true lies a band in which
    the last one stays, and a degree of freedom stays named while it is at its limit.

    Args:
        skeleton: The figure.
        joint: The dragged joint.
        point: The end-effector in its frame, shape (3,), [m].
        reach: What the lengths of the chain allow.

    Attributes:
        reach: What the lengths of the chain allow.
    """

    def __init__(self, skeleton: Skeleton, joint: int, point: Array, reach: Reach):
        self._skeleton, self._joint, self._point = skeleton, joint, point
        self.reach = reach
        self._span = max(reach.outer, 1e-9) if math.isfinite(reach.outer) else 1.0
        self._reason = ""
        self._named: tuple[int, ...] = ()

    def carry(self, moved: Array) -> None:
        """Take note that the figure was moved as a whole, by (3,), [m]."""
        self.reach = self.reach._replace(center=self.reach.center + moved)

    def look_while_moving(self, result: Result, shown: Array, goal: Array, effector: Array) -> Hindrance:
        """Do as ``look`` for a figure that may lag behind what was found: no limit stops it before it is there.

        Args:
            result: What the solver found.
            shown: The pose shown, shape (nq,).
            goal: Where the end-effector should be, world, shape (3,), [m].
            effector: Where it is, shape (3,), [m].
        """
        if not np.array_equal(result.q, shown):
            there = [dof for dof in result.blocked if limit_side(self._skeleton, shown, dof) != 0]
            if result.converged or (result.reason == "limits" and not there and not result.short):
                return NONE
            result = replace(result, q=shown, blocked=tuple(there))
        return self.look(result, goal, effector)

    def look(self, result: Result, goal: Array, effector: Array) -> Hindrance:
        """Take note of a solve; return what hinders the part.

        Args:
            result: What the solver found.
            goal: Where the end-effector should be, world, shape (3,), [m].
            effector: Where it is, shape (3,), [m].
        """
        missing = goal - effector
        distance = float(np.linalg.norm(missing))
        self._reason = reason = self._reason_for(result, distance)
        if self._holds(result, distance):
            self._named = self._choose(result.q, result.blocked, missing)
        else:
            self._named = ()
        stops = tuple(stop_at(self._skeleton, result.q, dof) for dof in self._named)
        if reason == "out_of_reach":
            x, y, z = self.reach.center.tolist()
            inside = float(np.linalg.norm(goal - self.reach.center)) < self.reach.inner
            radius = self.reach.inner if inside else self.reach.outer
            center = (x, y, z) if math.isfinite(radius) else None
            return Hindrance(reason, stops, result.short, center, radius if center else 0.0, inside, distance=distance)
        if reason:
            return Hindrance(reason, stops if reason == "limits" else (), distance=distance)
        return Hindrance(distance=distance, unfinished=True) if self._is_approaching(result, distance) else NONE

    def _reason_for(self, result: Result, distance: float) -> str:
        if result.converged:
            return ""
        if self._is_approaching(result, distance):
            return ""
        if result.short > _BEYOND[self._reason == "out_of_reach"] * self._span:
            return "out_of_reach"  # whichever way the limb came there: one place, one explanation
        if self._holds(result, distance):
            return "limits"
        return "straight" if result.reason == "straight" else ""

    def _is_approaching(self, result: Result, distance: float) -> bool:
        """Return whether the solver had too few steps to get clearly nearer to where it could."""
        late = result.reason == "iterations" and not self._named  # what holds the part stays named while it does
        return late and distance - result.short > _HELD_UP[0] * self._span

    def _holds(self, result: Result, distance: float) -> bool:
        """Return whether limits keep the part from the place that is nearest to its goal within reach."""
        again = bool(self._named)
        if result.converged or not result.blocked:
            return False
        if not again and result.reason not in ("limits", "out_of_reach"):
            return False  # the solver is still on its way
        least = _HELD_INSIDE if self._reason == "out_of_reach" else _HELD_UP
        return distance - result.short > least[again] * self._span

    def _choose(self, q: Array, blocked: Sequence[int], missing: Array) -> tuple[int, ...]:
        """Return the degrees of freedom to name: those named before first, then those that would help most."""
        kept = [dof for dof in self._named if dof in blocked or self._is_near(q, dof)]
        if len(kept) < MOST_NAMED:
            J = point_jacobian(self._skeleton, q, self._joint, self._point)[:3]
            helps = {dof: abs(float(J[:, 3 + dof] @ missing)) for dof in blocked if dof not in kept}
            kept += sorted(helps, key=lambda dof: (-helps[dof], dof))
        return tuple(kept[:MOST_NAMED])

    def _is_near(self, q: Array, dof: int) -> bool:
        return limit_side(self._skeleton, q, dof) != 0


def stop_at(skeleton: Skeleton, q: Array, dof: int) -> Stop:
    """Return a degree of freedom with the limit that it is at, or with its value where something else holds it."""
    chosen = skeleton.all_dofs[dof]
    side = limit_side(skeleton, q, dof)
    return Stop(dof, side, float(q[3 + dof]) if side == 0 else float(chosen.lo if side < 0 else chosen.hi))


def limit_side(skeleton: Skeleton, q: Array, dof: int, share: float = _AT_LIMIT) -> int:
    """Return at which limit a degree of freedom is, within a share of its range: -1, 1, or 0 for neither."""
    lo, hi, value = float(skeleton.all_dofs[dof].lo), float(skeleton.all_dofs[dof].hi), float(q[3 + dof])
    room = share * min(hi - lo, 2.0 * math.pi)
    below, above = value - lo, hi - value
    if min(below, above) > room:
        return 0
    return -1 if below <= above else 1


SHARE = 0.7
"""Share of what the goal wants that must be taken away for that to be named: else the part is still on its way."""
ALONE = 0.1
"""Share that locks may leave over, by rounding or as steps not taken yet: more is limits' work if these halve it."""
AT_LIMIT = 1e-6
"""Share of its range within which a degree of freedom is at its limit."""
ROUNDS = 8
"""Most looks for the limits that press and do not pull."""
PRESSING = 0.3
"""Least force of a limit to be named, as a part of the greatest one."""
EVERY = 4
"""Events from one look to the next."""


class Blame(NamedTuple):
    """What keeps a part from its goal.

    Attributes:
        locks: The locks, in the order of the figure's joints.
        limits: Degrees of freedom whose limits they need for it, at most two.
    """

    locks: tuple[Lock, ...] = ()
    limits: tuple[int, ...] = ()


class LockHindrance:
    """Finds through a drag which locks hold the part back, and which limits help them to.

    Args:
        skeleton: The figure.
        locks: The locks that hold.
        figures: Other figures that they name.
    """

    def __init__(self, skeleton: Skeleton, locks: Sequence[Lock], figures: Figures | None):
        self._skeleton, self._locks, self._figures = skeleton, locks, figures
        self._unit = pose_units(skeleton)
        self._root = self._unit * np.sqrt(mobility(skeleton))
        self._blame, self._age = Blame(), EVERY

    @property
    def named(self) -> bool:
        """Whether something is named now."""
        return bool(self._blame.locks)

    def forget(self) -> Hindrance:
        """Take note that nothing holds the part back; return that."""
        self._blame, self._age = Blame(), EVERY
        return NONE

    def look(self, q: Array, force: Callable[[], Array], distance: float) -> Hindrance:
        """Take note of where a drag is; return what hinders the part.

        Args:
            q: The pose, shape (nq,).
            force: Returns what the goals want of each value of the pose: their merit's slope downward, shape (nq,).
            distance: From the part to its goal, [m].
        """
        # What they are changes slowly, and asking takes longer than the rest.
        self._age += 1
        if self._age >= EVERY:
            self._age = 0
            self._blame = self.blame(q, force())
        locks, limits = self._blame
        if not locks:
            return NONE
        stops = tuple(stop_at(self._skeleton, q, dof) for dof in limits)
        return Hindrance("limits" if stops else "locks", stops, locks=locks, distance=distance)

    def blame(self, q: Array, force: Array) -> Blame:
        """Return what takes away what the goals want.

        Where a drag has come to rest, that is balanced by the locks and by limits (Welman 1993, eq. 5.4: the forces of
        constraint); the part of each follows from its multipliers. Limits that press are named only if the locks alone
        would not do.

        Args:
            q: The pose, shape (nq,).
            force: What the goals want, shape (nq,), see ``look``.
        """
        skeleton, g = self._skeleton, force * self._root
        places = Places(skeleton, q, self._figures)
        rows = [entry for entry in rows_of_locks(self._locks, places)[1] if entry.weight >= 1.0]
        blocks, owners = [], []
        for number, group in groupby(rows, key=lambda entry: entry.lock):
            blocks.append(row_values(list(group), places)[1] * self._root)
            owners.append(self._locks[number])
        if not blocks:
            return Blame()
        J = np.concatenate(blocks)
        moves = (np.abs(J).max(axis=0) > 1e-12) | (np.abs(g) > 1e-12)
        sides = np.zeros(len(q))
        for k in np.flatnonzero(moves[3:]).tolist():
            sides[3 + k] = limit_side(skeleton, q, k, AT_LIMIT)
        free = sides * g <= 0.0  # what the goal itself presses against a limit is found by what watches the chain
        g = g * free
        size = float(np.linalg.norm(g))
        if size < 1e-12:
            return Blame()
        pressed = np.zeros(len(q), dtype=bool)
        multipliers, rest = _balance(J, g, free)
        alone = float(np.linalg.norm(rest[free])) / size
        if alone > ALONE:
            found, left, by = self._with_limits(J, g, free, sides)
            helped = float(np.linalg.norm(left[free & ~by])) / size
            if helped <= 0.5 * alone:
                multipliers, rest, pressed, alone = found, left, by, helped
            if alone > math.sqrt(1.0 - SHARE * SHARE):
                return Blame()
        shares, at = [], 0
        for block in blocks:
            mine = block.T @ multipliers[at : at + len(block)]
            at += len(block)
            shares.append(float(mine @ g) / size**2)
        most = max(shares)
        chosen = [lock for lock, share in zip(owners, shares, strict=True) if share >= max(0.5 * most, 0.1)]
        strength = np.where(pressed, np.abs(rest), 0.0)
        strong = np.flatnonzero(strength >= PRESSING * max(float(strength.max()), 1e-12)).tolist()
        strong = sorted(sorted(strong, key=lambda k: (k - 3 not in self._blame.limits, -strength[k]))[:2])
        by_joint = sorted(chosen, key=lambda lock: skeleton.joint_index(lock.joint))
        return Blame(tuple(by_joint), tuple(k - 3 for k in strong))

    @staticmethod
    def _with_limits(J: Array, g: Array, free: Bools, sides: Array) -> tuple[Array, Array, Bools]:
        """Return multipliers, what they leave, and which limits press: those that would have to pull are let go."""
        pressed = free & (sides != 0)
        for _ in range(ROUNDS):
            multipliers, rest = _balance(J, g, free & ~pressed)
            pulling = pressed & (sides * rest < 0.0)
            if not pulling.any():
                break
            pressed &= ~pulling
        return multipliers, rest, pressed


def _balance(J: Array, g: Array, free: Bools) -> tuple[Array, Array]:
    """Return the multipliers that balance ``g`` best on free values, and what they leave of it on all of them."""
    multipliers = np.linalg.lstsq(J[:, free].T, g[free], rcond=1e-6)[0]
    return np.asarray(multipliers), np.asarray(g - J.T @ multipliers)
