"""Frees a limb that is caught in a local minimum at its limits: the solver is restarted from other poses.

A solver goes downhill from the pose shown. Dragged round its base a limb can end folded against its limits, where
every path to the goal goes uphill at first: an arm dragged once round its shoulder does not come down again.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from core.arrays import Array
from core.ik import Goal, Result, solve
from core.ik.reach import Reach
from core.skeleton.clamp import clamp_pose
from core.skeleton.skeleton import Skeleton

WORTH = 0.05
"""Share of the reach that another pose must come nearer for the limb to go there."""
STRIDE = math.radians(25.0)
"""Most that a joint turns in one event on the way to it."""
MOST = 30
"""Most iterations from each pose; to be as good as that takes fewer."""
MOVED = 0.01
"""Share of the reach that the goal must move before another pose is sought again where there was none."""


class LimitEscape:
    """Watches the solves of one drag, and moves the limb to a pose that comes much nearer, a stride an event.

    Such poses are sought from the pose at press and from the one shown with the blocked joints, or the whole chain,
    at rest.

    Args:
        skeleton: The figure.
        press: Pose at press, shape (nq,).
        base: First joint that moves.
        dofs: Indices into the pose of what the chain can move.
        reach: What the lengths of the chain allow.
    """

    def __init__(self, skeleton: Skeleton, press: Array, base: int, dofs: tuple[int, ...], reach: Reach):
        self._skeleton, self._press, self._base, self._dofs = skeleton, press, base, np.array(dofs, dtype=np.int64)
        self._outer = reach.outer
        self._center = np.asarray(reach.center)
        self._found: Array | None = None
        self._in_vain: Array | None = None

    @property
    def active(self) -> bool:
        """Whether the limb is on its way to another pose."""
        return self._found is not None

    def follow(self, q: Array, goal: Goal, result: Result, options: dict[str, Any]) -> Result | None:
        """Return the next stride, or None if the solver's own result is to be shown.

        Args:
            q: The pose shown now, shape (nq,).
            goal: The goal.
            result: What the solver found from there.
            options: Keywords of ``solve``.
        """
        found = self._better(q, goal, result, options)
        if found is None:
            self._found = None
            return None
        change = found.q - q
        farthest = float(np.abs(change[3:]).max(initial=0.0))
        if farthest <= STRIDE:
            self._found = None
            return found
        self._found = found.q
        stride = clamp_pose(self._skeleton, q + change * (STRIDE / farthest))
        there = solve(self._skeleton, stride, goal, base=self._base, max_iterations=0, nudge=False)
        return dataclasses.replace(there, reason="stalled", blocked=(), iterations=found.iterations)

    def _better(self, q: Array, goal: Goal, result: Result, options: dict[str, Any]) -> Result | None:
        size = self._outer if math.isfinite(self._outer) else float(np.linalg.norm(goal.position - self._center))
        needed = result.error - WORTH * size
        if result.converged or needed < result.short:
            return None
        if self._found is not None:
            starts = [self._found]
        elif not result.blocked or result.reason not in ("limits", "out_of_reach"):
            return None
        elif self._in_vain is not None and float(np.linalg.norm(goal.position - self._in_vain)) < MOVED * size:
            return None
        else:
            starts = self._starts(q, result)
        restart = {key: value for key, value in options.items() if key in ("tolerance", "nudge")}
        restart["max_iterations"] = min(options.get("max_iterations") or MOST, MOST)
        for start in starts:
            start[:3] = q[:3]
            found = solve(self._skeleton, start, goal, base=self._base, **restart)
            if found.error < needed:
                self._in_vain = None
                return found
        self._in_vain = np.array(goal.position)
        return None

    def _starts(self, q: Array, result: Result) -> list[Array]:
        """Return the poses to try from, the most natural one first."""
        rest, press = self._skeleton.rest_pose(), q.copy()
        press[self._dofs] = self._press[self._dofs]
        eased, loose = result.q.copy(), q.copy()
        blocked = 3 + np.array(result.blocked)
        eased[blocked], loose[self._dofs] = rest[blocked], rest[self._dofs]
        return [press, eased, loose]
