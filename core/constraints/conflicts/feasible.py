"""Which locks can be held together, found out by trying: a local solver from several poses, and what is known kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from core.arrays import Array
from core.constraints.balance import supports_of
from core.constraints.lock import Lock
from core.constraints.places import Figures, Places
from core.constraints.solve_locks import LockResult, LockSolver
from core.errors import Cancelled
from core.skeleton.clamp import clamp_pose
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import pack

TOLERANCE = 1e-6
"""Largest residual that counts as held, [m]; angles are times the figure's size."""
MOST = 60
"""Steps after which a set of locks counts as one that cannot be held from where they began."""
FEW = 12
"""Steps for a lock that is to be held besides others that are; it is only left away if they do not suffice."""
_LOWER = 0.1


class Trials:
    """Tries which of some locks can be held together.

    Sets of locks are written as numbers with one bit a lock. What one pose holds, it holds in part too: every pose
    that is found answers for all sets of what it holds, so that few sets need a solver.

    Args:
        s: The figure.
        q: The pose to start from, shape (nq,).
        locks: Bound locks. What is soft of them yields and is left away.
        figures: Other figures that they name.
        cancelled: Asked before every solve; ``Cancelled`` is raised once it returns True.
    """

    def __init__(
        self,
        s: Skeleton,
        q: Array,
        locks: Sequence[Lock],
        figures: Figures | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ):
        self.skeleton, self.figures, self._cancelled = s, figures, cancelled
        self.q = clamp_pose(s, np.array(q))
        self.locks = tuple(_hard(lock) for lock in _with_supports(locks, Places(s, self.q, figures)))
        self.hard = sum(1 << i for i, lock in enumerate(self.locks) if max(lock.weights) >= 1.0)
        self.poses: list[tuple[int, Array]] = []
        self.solves = 0
        self._whole = LockSolver(s, self.locks, tolerance=TOLERANCE, figures=figures, q=self.q)
        self._size = pack(s).size or 1.0
        self._refused: dict[int, LockResult] = {}
        self._solvers: dict[tuple[int, int], LockSolver] = {}
        self.poses.append((self.held(self._whole.residuals(self.q)), self.q))

    def solve(self, mask: int, start: Array, most: int = MOST) -> LockResult:
        """Return what the solver makes of a set of locks from a pose; residuals and errors are of all locks.

        Raises:
            Cancelled: If the search was given up.
        """
        if self._cancelled():
            raise Cancelled
        self.solves += 1
        pose = self._solver(mask, most).project(start).q
        result = self._whole.residuals(pose)
        found = self.held(result)
        if self.known(found) is None:
            self.poses.append((found, pose))
        return result

    def _solver(self, mask: int, most: int) -> LockSolver:
        """Return the solver for a set; what makes it ready costs as much as to solve, so it is kept."""
        if (mask, most) not in self._solvers:
            chosen = [lock for i, lock in enumerate(self.locks) if mask >> i & 1]
            self._solvers[mask, most] = LockSolver(
                self.skeleton, chosen, tolerance=TOLERANCE, max_iterations=most, figures=self.figures, q=self.q
            )
        return self._solvers[mask, most]

    def held(self, result: LockResult) -> int:
        """Return the set of locks that a result holds."""
        angles = np.nan_to_num(result.angle_residuals) * self._size
        fits = np.maximum(np.nan_to_num(result.position_residuals), angles) <= TOLERANCE
        return sum(1 << i for i in np.flatnonzero(fits).tolist())

    def known(self, mask: int) -> Array | None:
        """Return a pose that was found to hold a set of locks, or None."""
        for found, pose in self.poses:
            if mask & ~found == 0:
                return pose
        return None

    def feasible(self, mask: int) -> bool:
        """Return whether a set of locks can be held, as far as the solver finds out.

        It is tried from the pose itself, also lower down, from the pose found that holds most of the set, from the rest
        pose and from the middle of all ranges, where the figure stands. No is no proof.
        """
        if self.known(mask) is not None:
            return True
        if mask in self._refused:
            return False
        first: LockResult | None = None
        for seed in self._seeds(mask):
            result = self.solve(mask, seed)
            first = first or result
            if self.held(result) & mask == mask:
                return True
        assert first is not None
        self._refused[mask] = first
        return False

    def compromise(self, mask: int) -> LockResult:
        """Return what the solver makes of a set from the pose itself; kept if it was refused."""
        return self._refused.get(mask) or self.solve(mask, self.q)

    def grow(self, mask: int, order: Sequence[int]) -> int:
        """Return a large set that can be held and holds ``mask``, which can: locks added one after the other.

        Args:
            mask: A set that is known to be held by some pose.
            order: Which lock is tried when.
        """
        held, pose = max((each for each in self.poses if mask & ~each[0] == 0), key=lambda each: each[0].bit_count())
        for i in order:
            if held >> i & 1 or not self.hard >> i & 1 or held | 1 << i == self.hard:
                continue  # all together were tried before anything else
            more = self.known(held | 1 << i)
            if more is None:
                result = self.solve(held | 1 << i, pose, FEW)
                now = self.held(result)
                if held & ~now == 0 and now >> i & 1:
                    held, pose = now, result.q
            else:
                pose = more
                held = next(found for found, each in self.poses if each is more)
        return held

    def _seeds(self, mask: int) -> list[Array]:
        s = self.skeleton
        best = max(self.poses, key=lambda each: (each[0] & mask).bit_count())
        seeds = [self.q] if best[1] is self.q else [self.q, best[1]]
        root = 3 + s.first_dof[1]
        rest = s.rest_pose()
        middle = rest.copy()
        limits = s.limits
        counts = np.isfinite(limits).all(axis=1)
        middle[3:][counts] = limits[counts].mean(axis=1)
        for pose in (rest, middle):
            pose[:root] = self.q[:root]
            seeds.append(pose)
        lower = self.q.copy()
        lower[1] -= _LOWER * self._size  # legs that are stretched may bend
        return [*seeds, lower]


def _hard(lock: Lock) -> Lock:
    """Return what of a lock is held hard, the rest with weight 0."""
    if isinstance(lock.weight, tuple):
        return replace(lock, weight=tuple(1.0 if weight >= 1.0 else 0.0 for weight in lock.weight))
    return lock if lock.weight >= 1.0 else replace(lock, weight=0.0)


def _with_supports(locks: Sequence[Lock], places: Places) -> list[Lock]:
    """Return the locks; balance above what bears the figure now, also while other locks are left away."""
    found = []
    for lock in locks:
        if lock.kind == "balance" and lock.other is None:
            lock = replace(lock, other=supports_of(lock, locks, places))
        found.append(lock)
    return found
