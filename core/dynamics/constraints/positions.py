"""Coordinates that meet constraints: loops closed at the start, and drift taken back on the way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.arrays import Array
from core.dynamics.arrays import finite_array
from core.dynamics.constraints.base import Constraint
from core.dynamics.constraints.half_solved import HalfSolved
from core.dynamics.constraints.least_motion import least_motion
from core.dynamics.constraints.situation import Situation
from core.dynamics.constraints.stacking import Stack, stacked
from core.dynamics.structure import chosen as chosen_bodies
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

_LARGEST_MOVE = 0.5
_NUDGES = 4


def stabilized_coordinates(
    model: Multibody,
    x: ArrayLike,
    constraints: Iterable[Constraint],
    t: float = 0.0,
    *,
    metric: Literal["mass", "plain"] = "mass",
    home: Multibody | None = None,
    tolerance: float = 1e-10,
    max_corrections: int = 20,
) -> Array:
    """Return the coordinates near ``x`` that meet the constraints, shape (nq,); new: what drift has opened is closed.

    Each correction is the least move, measured by the mass matrix or by its components, that closes the gaps as far as
    the rows say. Bounds that are passed are drawn back, the others are not passed.

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,), near to such ones; from further away use ``assemble``.
        constraints: Of any kind; those that want a velocity only do not count.
        t: Time [s].
        metric: What "least" means: ``"mass"`` moves heavy bodies less.
        home: The model in whose charts coordinates of joints are meant; ``model`` unless given.
        tolerance: Gap that may stay, in the constraints' units.
        max_corrections: How many corrections at most; one does for the drift of a step.

    Raises:
        DynamicsError: If a gap does not close; names the constraint.

    Source: Cline & Pai (2003), named in Sueda 1.12.
    """
    start = finite_array(x, (model.nq,), "x")
    search = _Search(model, tuple(constraints), t, home, metric, np.ones(model.nv, dtype=bool))
    found, stack = search.run(start, tolerance, max_corrections)
    search.refuse(stack, tolerance)
    return found


def assemble(
    model: Multibody,
    x: ArrayLike,
    constraints: Iterable[Constraint],
    t: float = 0.0,
    *,
    fixed: ArrayLike | Iterable[int | str] = (),
    home: Multibody | None = None,
    tolerance: float = 1e-10,
    max_corrections: int = 200,
) -> Array:
    """Return coordinates that meet the constraints, from a guess, shape (nq,); new: closes loops before they move.

    Damped least squares on the coordinates; where that comes to a stand, as a straight chain that must bend does,
    it sets out again from a place beside the guess. The same guess always gives the same result.

    Args:
        model: The bodies.
        x: Guess, shape (nq,): which of several solutions is found depends on it.
        constraints: Of any kind; those that want a velocity only do not count.
        t: Time [s].
        fixed: Bodies whose joints keep their coordinates: indices or names, or a truth value for each body.
        home: The model in whose charts coordinates of joints are meant; ``model`` unless given.
        tolerance: Gap that may stay, in the constraints' units.
        max_corrections: How many steps at most from each start.

    Raises:
        DynamicsError: If a gap does not close; names the constraint and what is left, as in
            ``loop between "rod" and "crank" cannot close: 0.12 left``.
    """
    guess = finite_array(x, (model.nq,), "x")
    free = np.ones(model.nv, dtype=bool)
    for i in np.flatnonzero(chosen_bodies(model, fixed)):
        free[model.first[i] : model.first[i + 1]] = False
    search = _Search(model, tuple(constraints), t, home, "plain", free)
    best: tuple[Array, Stack] | None = None
    for attempt in range(1 + _NUDGES):
        # Irrational steps: no symmetry of the guess survives them.
        nudge = attempt * 0.02 * np.sin((1.0 + attempt) * np.sqrt(2.0 + np.arange(model.nq))) * free
        found, stack = search.run(guess + nudge, tolerance, max_corrections)
        if _worst(stack)[1] <= tolerance:
            return found
        if best is None or _merit(stack) < _merit(best[1]):
            best = found, stack
    assert best is not None
    search.refuse(best[1], tolerance)
    return best[0]


class _Search:
    """Damped Gauss-Newton steps that close gaps."""

    def __init__(
        self,
        model: Multibody,
        constraints: tuple[Constraint, ...],
        t: float,
        home: Multibody | None,
        metric: str,
        free: NDArray[np.bool_],
    ) -> None:
        if metric not in ("mass", "plain"):
            raise DynamicsError(f'metric is {metric!r}; it must be "mass" or "plain"')
        self.model = model
        self.constraints = tuple(constraint for constraint in constraints if constraint.positional)
        self.t = t
        self.home = home
        self.metric = metric
        self.free = free

    def run(self, x: Array, tolerance: float, max_corrections: int) -> tuple[Array, Stack]:
        """Return where the search ends, and the rows there."""
        x = x.copy()
        stack = self._rows(x)
        damping = 0.0
        for _ in range(max_corrections):
            if _worst(stack)[1] <= tolerance:
                break
            move = self._move(x, stack, damping)
            largest = np.abs(move).max(initial=0.0)
            if not largest > 1e-15 * (1.0 + np.abs(x).max(initial=0.0)):
                break
            move *= min(1.0, _LARGEST_MOVE * max(1.0, np.abs(x[self.free]).max(initial=0.0)) / largest)
            after = self._rows(x + move)
            if _merit(after) < _merit(stack):
                x, stack = x + move, after
                damping = 0.0 if damping < 1e-12 else 0.1 * damping
            elif damping > 1e8:
                break
            else:
                damping = max(1e-8, 10.0 * damping)
        return x, stack

    def refuse(self, stack: Stack, tolerance: float) -> None:
        """Refuse rows with a gap.

        Raises:
            DynamicsError: If a gap is above the tolerance; names the constraint of the greatest.
        """
        row, left = _worst(stack)
        if left <= tolerance:
            return
        constraint = self.constraints[int(stack.owner[row])]
        left = float(np.linalg.norm(_gaps(stack)[stack.owner == stack.owner[row]]))
        raise DynamicsError(f"{constraint.describe(self.model)} {constraint.failure}: {left:.3g} left")

    def _rows(self, x: Array) -> Stack:
        return stacked(self.constraints, Situation(self.model, x, np.zeros(self.model.nv), self.t, self.home))

    def _move(self, x: Array, stack: Stack, damping: float) -> Array:
        """Return the step: the least one that closes all gaps, or a damped one."""
        G = stack.rows.G[:, self.free]
        half = None
        if self.metric == "mass":
            half = HalfSolved.of(self.model.mass_matrix(x)[np.ix_(self.free, self.free)])
            G = half.forth(G.T).T
        move = None
        if damping == 0.0:
            least = least_motion(G, -stack.rows.gap, stack.equality, 1e-8)
            move = least.y
        else:
            open_rows = stack.equality | (stack.rows.gap < 0.0)
            B, r = G[open_rows], -stack.rows.gap[open_rows]
            U, s, Vt = np.linalg.svd(B, full_matrices=False)
            move = Vt.T @ (s / (s * s + damping * max(s[0], 1e-300) ** 2) * (U.T @ r))
        if half is not None:
            move = half.back(move)
        full = np.zeros(self.model.nv)
        full[self.free] = move
        return full


def _gaps(stack: Stack) -> Array:
    """Return what is open: all of a gap of an equation, of a bound's what is negative."""
    return np.where(stack.equality, stack.rows.gap, np.minimum(stack.rows.gap, 0.0))


def _merit(stack: Stack) -> float:
    gaps = _gaps(stack)
    return float(gaps @ gaps)


def _worst(stack: Stack) -> tuple[int, float]:
    gaps = np.abs(_gaps(stack))
    return (int(np.argmax(gaps)), float(gaps.max())) if len(gaps) else (0, 0.0)
