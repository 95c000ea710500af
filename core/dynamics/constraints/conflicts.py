"""What is said of constraints that cannot hold together."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.dynamics.constraints.dual import Solved
from core.dynamics.constraints.stacking import Stack
from core.errors import DynamicsError

_CONFLICT_ABOVE = 1e-3
"""Part of what a row wants by which it may be missed: less is the drift of rows that say the same."""
_ROUNDING = 1e-9
"""The same for parts of the row that happen to cancel, or to be zero but for rounding."""
_NOTHING = 1e-12
"""The same, of the greatest row, for rows that are nothing but rounding."""
_CLOSED = 1e-6
"""Gap under which a constraint is as good as closed."""


def refuse_conflicts(stack: Stack, solved: Solved, wanted: Array, motion: Array, pull: float, what: str) -> None:
    """Refuse rows that contradict each other.

    What the nearest motion misses has a share in exactly those rows that take part in a contradiction.

    Args:
        stack: The rows.
        solved: By how much each is missed, and more.
        wanted: How much each wants, shape (m,).
        motion: The rates or accelerations that were found, shape (nv,).
        pull: What a gap of one unit adds to what a row wants: gaps that are hardly there contradict nothing.
        what: What they contradict each other about.

    Raises:
        DynamicsError: If some do; names the constraints.
    """
    G = np.abs(stack.rows.G)
    size = np.abs(wanted) + G @ np.abs(motion)
    rounding = solved.size + np.linalg.norm(G, axis=1) * np.linalg.norm(motion)
    allowed = _CONFLICT_ABOVE * size + _ROUNDING * rounding + _NOTHING * rounding.max(initial=0.0) + _CLOSED * pull
    missed = solved.missed
    if not (np.abs(missed) > allowed).any():
        return
    part = np.abs(missed) > 1e-6 * np.abs(missed).max()
    worst = int(np.argmax(np.abs(missed)))
    if not stack.equality[worst] and stack.equality.any():
        # Equations are met before bounds are looked at: those that hold the bound's own direction are in the way.
        shares = np.linalg.lstsq(stack.rows.G[stack.equality].T, stack.rows.G[worst], rcond=1e-9)[0]
        part[np.flatnonzero(stack.equality)[np.abs(shares) > 1e-6 * np.abs(shares).max()]] = True
    owners = np.unique(stack.owner[part])
    miss = f"missed by {abs(missed[worst]):.3g}"
    if len(owners) > 1:
        raise DynamicsError(f"constraints ask for {what} that contradict each other ({miss}): {stack.names(part)}")
    constraint = stack.constraints[int(owners[0])]
    raise DynamicsError(
        f"{constraint.describe(stack.model)} {constraint.failure}: it asks for {what} that the joints do not allow "
        f"({miss})"
    )
