"""What locks, and the limits that they press joints against, take away from a drag, by the forces of constraint."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Array, Bools
from core.constraints.hold.mobility import mobility, pose_units
from core.constraints.hold.row_values import row_values
from core.constraints.hold.rows import rows_of_locks
from core.constraints.lock import Lock
from core.constraints.places import Figures, Places
from core.posing.hindrance import NONE, Hindrance, limit_side, stop_at
from core.skeleton.skeleton import Skeleton

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
        blocks, owners = [], []
        for lock in self._locks:
            rows = [entry for entry in rows_of_locks([lock], places)[1] if entry.weight >= 1.0]
            if rows:
                blocks.append(row_values(rows, places)[1] * self._root)
                owners.append(lock)
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
