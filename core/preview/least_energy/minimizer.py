"""A cost made small under equations and bounds: quadratic programs one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy

from core.arrays import Array
from core.preview.least_energy import quadratic
from core.preview.least_energy.program import EVEN, Program, Slopes, Values
from core.preview.least_energy.quadratic import is_convex

_STIFF = 1e7
"""How much what is left of equations counts in a quadratic program: so no such program is without a solution."""
_LONGEST = 0.6
"""Farthest that an unknown goes in a step."""
_DAMPING = 1e-9, 1e4
_FREE = 0.1
"""With more damping than this a step promises little anyway, and that says nothing of a minimum."""
_CALM = 4
"""So many steps one after the other that gain hardly anything are the end."""
_CORRECTIONS = 6
_BARRIER = 1e-3
"""How much unknowns count in a correction besides, over the square of their room: so that none leaves its bounds."""
_DEAR = 1e4
"""Prices from which on it is the equations that disagree, not what they cost."""
_CLOSE = 1e-3
_MET = 5e-7
"""What equations and bounds may miss in the end."""
_CURVED = 1e-3
"""What they may miss for curvature to count: prices say little before."""
_TRIED = (1e-5, 1e-4, 1e-3, 1e-2, 5e-2)
"""Dampings with which the Hessian may be convex as it is."""
_PAID = 1e-5
"""Bounds of a higher price hold."""
_BENT = 1e4
"""How much what leaves the equations counts where curvature is looked at: only along them it must be positive."""


class Minimum(NamedTuple):
    """What was found.

    Attributes:
        z: The unknowns.
        values: What there is.
        steps: How many steps it took.
        converged: Whether no step makes it better.
    """

    z: Array
    values: Values
    steps: int
    converged: bool


_Prices = tuple[list[Array], list[Array]]


class _Hessian(NamedTuple):
    """A convex Hessian.

    Attributes:
        blocks: Of each interval.
        diagonal: What there is besides.
        damping: How much it is damped.
        projected: Whether its blocks were made convex one by one.
    """

    blocks: list[Array]
    diagonal: Array
    damping: float
    projected: bool


class _Step(NamedTuple):
    """A step, the prices of equations and bounds of each interval, and whether its quadratic program was solved."""

    step: Array
    equations: list[Array]
    bounds: list[Array]
    solved: bool

    @property
    def price(self) -> float:
        """The largest one."""
        return max((float(np.abs(each).max(initial=0.0)) for each in (*self.equations, *self.bounds)), default=0.0)


class Stage(NamedTuple):
    """A step of the search, for those who watch it.

    Attributes:
        steps: How many there have been.
        z: The unknowns before it.
        values: What there is there.
        expected: How much the merit is to fall, as a share of it.
    """

    steps: int
    z: Array
    values: Values
    expected: float


class _Search:
    """Hessians and steps of a program."""

    def __init__(self, program: Program):
        self.program, self.blocks = program, program.blocks
        self.motion = program.unknown < program.motion_size

    def hessian(
        self, z: Array, slopes: Slopes, now: Values, prices: _Prices | None, damping: float, project: bool = False
    ) -> _Hessian:
        """Return a convex Hessian.

        It is that of the Lagrangian where that is convex along the equations and the bounds that hold, damped as
        little as that takes; else the same with each block made convex. Far from the equations, where prices say
        little, it is that of Gauss and Newton.
        """
        diagonal = np.where(self.motion, 0.0, EVEN * EVEN)
        damped = diagonal + np.where(self.motion, damping, 1e-9)
        if self.program.links is None or now.missed > _CURVED or prices is None:
            return _Hessian(slopes.squares, damped, damping, False)
        bent = [a + b for a, b in zip(slopes.squares, self.program.curvature(z, *prices), strict=True)]
        stiff = [
            _BENT * (A.T @ A + G[p > _PAID].T @ G[p > _PAID])
            for A, G, p in zip(slopes.equations, slopes.bounds, prices[1], strict=True)
        ]
        both = [a + b for a, b in zip(bent, stiff, strict=True)]
        own = self.program.unknown
        at_bounds = (z[own] < self.program.low[own] + 1e-6) | (z[own] > self.program.high[own] - 1e-6)
        if not project:
            for d in (damping, *_TRIED):
                if d >= damping and is_convex(self.blocks, both, diagonal + d + 1e6 * at_bounds):
                    return _Hessian(bent, diagonal + d, d, False)
        return _Hessian([_positive(each) for each in bent], damped, damping, True)

    def step(self, z: Array, now: Values, slopes: Slopes, hessian: _Hessian, prices: _Prices | None) -> _Step:
        """Return the step of a quadratic program, and the prices of its equations and bounds.

        What equations and bounds are left to miss costs the prices of the step before and its square: nothing in the
        end.
        """
        program, blocks = self.program, self.blocks
        y, p = prices or ([np.zeros(len(e)) for e in now.equations], [np.zeros(len(e)) for e in now.bounds])
        full = [h + _STIFF * A.T @ A for h, A in zip(hessian.blocks, slopes.equations, strict=True)]
        pull = [each + _STIFF * own for each, own in zip(y, now.equations, strict=True)]
        slope = slopes.cost + blocks.columns(slopes.equations, pull)
        own = program.unknown
        low, high = program.low[own] - z[own], program.high[own] - z[own]
        answer = quadratic.solve(blocks, full, hessian.diagonal, slope, slopes.bounds, now.bounds, p, _STIFF, low, high)
        left = blocks.rows(slopes.equations, answer.step)
        y = [each + _STIFF * (own + more) for each, own, more in zip(y, now.equations, left, strict=True)]
        return _Step(answer.step, y, answer.bounds, answer.solved)


def _positive(block: Array) -> Array:
    """Return the convex matrix next to a symmetric one."""
    values, vectors = scipy.linalg.eigh(0.5 * (block + block.T), check_finite=False)
    bad = values < 0.0
    if not bad.any():
        return block
    own = vectors[:, bad]
    return np.asarray(block - (own * values[bad]) @ own.T)


def minimum(
    program: Program,
    z: Array,
    *,
    most: int = 100,
    tolerance: float = 1e-7,
    progress: Callable[[float], None] | None = None,
    watch: Callable[[Stage], None] | None = None,
) -> Minimum:
    """Return unknowns at which the cost is least, as equations and bounds allow.

    Newton's steps on the Lagrangian, each a quadratic program; the merit is the cost with what equations and bounds
    miss, weighted by their prices. A step that does not lower it is corrected for the bend of the equations, then
    shortened; one that lowers it by more than it promised is lengthened.

    Args:
        program: The program.
        z: Where to start, shape (size,).
        most: Most steps.
        tolerance: What a step must promise, as a share of the merit, to be worth another one.
        progress: Told what is done, 0 to 1; may raise ``Cancelled``.
        watch: Told of each step.

    Source: Nocedal and Wright (2006), Numerical Optimization, sections 18.3 and 18.4.
    """
    # In one piece: each branch decides how the one step goes on.
    z = np.clip(z, program.low, program.high)
    search = _Search(program)
    blocks = program.blocks
    now, weight, damping, calm = program.values(z), 1.0, 0.1, 0
    slopes = program.slopes(z)
    prices: _Prices | None = None
    steps = 0
    for steps in range(1, most + 1):
        if progress is not None:
            progress(0.98 * (1.0 - 1.0 / (1.0 + 0.1 * steps)))
        hessian = search.hessian(z, slopes, now, prices, damping)
        found = search.step(z, now, slopes, hessian, prices)
        if not found.solved and not hessian.projected and prices is not None:
            hessian = search.hessian(z, slopes, now, prices, damping, True)
            found = search.step(z, now, slopes, hessian, prices)
        step, price = found.step, found.price
        prices = (found.equations, found.bounds) if price < _DEAR else None
        share = min(1.0, _LONGEST / max(float(np.abs(step[search.motion]).max(initial=0.0)), 1e-300))
        step = step * share
        quad = float(slopes.cost @ step + 0.5 * step @ (blocks.product(hessian.blocks, step) + hessian.diagonal * step))
        fore = Values(
            0.0,
            [a + b for a, b in zip(now.equations, blocks.rows(slopes.equations, step), strict=True)],
            [a + b for a, b in zip(now.bounds, blocks.rows(slopes.bounds, step), strict=True)],
        )
        weight = max(1.5 * price, 0.3 * weight, 1e-3)
        before = now.cost + weight * now.off
        expected = -quad + weight * (now.off - fore.off)
        if watch is not None:
            watch(Stage(steps, z, now, expected / before))
        if not np.isfinite(step).all() or expected < -1e-9 * before:
            damping = max(10.0 * damping, 1e-3)
            if damping > 1e8:
                break
            continue
        if now.missed <= _MET and expected <= tolerance * before:
            return Minimum(z, now, steps, damping <= _FREE)
        there, then = _tried(program, z, step)
        gained = before - then.cost - weight * then.off
        if gained < 0.7 * expected and then.missed > _MET:
            other, values = _corrected(search, there, then, slopes, hessian)
            if before - values.cost - weight * values.off > gained:
                there, then = other, values
                gained = before - then.cost - weight * then.off
        ratio = gained / max(expected, 1e-300)
        while (
            ratio > 1.2 and hessian.projected and _LONGEST > 1.5 * float(np.abs(step[search.motion]).max(initial=0.0))
        ):
            step = 1.8 * step  # the Hessian was made convex: it says less than there is to gain
            farther, values = _tried(program, z, step)
            if values.missed > _MET:
                farther, values = _corrected(search, farther, values, slopes, hessian)
            more = before - values.cost - weight * values.off
            if not more > 1.05 * gained:
                break
            there, then, gained = farther, values, more
        shorter = 1.0
        while gained < 1e-3 * shorter * expected and shorter > 0.02:
            shorter *= 0.4
            there, then = _tried(program, z, shorter * step)
            gained = before - then.cost - weight * then.off
        if share < 0.7:
            damping = min(max(damping, hessian.damping) / share, _DAMPING[1])
        elif ratio > 0.7:
            damping = max(hessian.damping / 4.0, _DAMPING[0])
        elif ratio < 0.3:
            damping = min(max(hessian.damping, 1e-4) * 2.5, _DAMPING[1])
        if gained <= 0.0:
            if damping >= _DAMPING[1]:
                break
            damping = min(max(damping, 1e-4) * 4.0, _DAMPING[1])
            continue
        calm = calm + 1 if gained <= tolerance * before and then.missed <= _MET else 0
        z, now = there, then
        slopes = program.slopes(z)
        if calm >= _CALM:
            return Minimum(z, now, steps, damping <= _FREE)
    return Minimum(z, now, steps, False)


def _tried(program: Program, z: Array, step: Array) -> tuple[Array, Values]:
    place = z.copy()
    place[program.unknown] += step
    place = np.clip(place, program.low, program.high)
    return place, program.values(place)


def _corrected(search: _Search, z: Array, then: Values, slopes: Slopes, hessian: _Hessian) -> tuple[Array, Values]:
    """Return unknowns near some at which equations and bounds hold that a step has bent away from."""
    program, blocks = search.program, search.blocks
    own = z[program.unknown]
    low, high = own - program.low[program.unknown], program.high[program.unknown] - own
    room = np.minimum(np.minimum(low, high), 1.0)
    barrier = hessian.diagonal + _BARRIER / (np.maximum(room, 0.0) ** 2 + 1e-12)
    factor: Array | None = None
    rows: list[Array] = []
    broken = [each < _CLOSE for each in then.bounds]
    for _ in range(_CORRECTIONS):
        more = [each < 0.0 for each in then.bounds]
        if factor is None or any((m & ~b).any() for m, b in zip(more, broken, strict=True)):
            broken = [m | b for m, b in zip(more, broken, strict=True)]
            rows = [np.concatenate([A, G[b]]) for A, G, b in zip(slopes.equations, slopes.bounds, broken, strict=True)]
            full = [h + _STIFF * R.T @ R for h, R in zip(hessian.blocks, rows, strict=True)]
            try:
                factor = scipy.linalg.cholesky_banded(
                    blocks.banded(full, barrier), overwrite_ab=True, lower=True, check_finite=False
                )
            except np.linalg.LinAlgError:
                break
        right = [
            np.concatenate([-_STIFF * e, -_STIFF * np.minimum(b[m], 0.0)])
            for e, b, m in zip(then.equations, then.bounds, broken, strict=True)
        ]
        step = scipy.linalg.cho_solve_banded((factor, True), blocks.columns(rows, right), check_finite=False)
        there, values = _tried(program, z, step)
        if not values.missed < then.missed:
            break
        z, then = there, values
        if then.missed <= _MET:
            break
    return z, then
