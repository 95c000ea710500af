"""A cost made small under equations and bounds: quadratic programs one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
_BENT = 1e4
"""How much what leaves the equations counts where curvature is looked at: only along them it must be positive."""


class Minimum(NamedTuple):
    """What was found.

    Attributes:
        z: The unknowns.
        values: What there is.
        steps: How many steps it took.
        converged: Whether no step makes it better.
        promised: What the last step was expected to gain, as a share.
    """

    z: Array
    values: Values
    steps: int
    converged: bool
    promised: float = 0.0


class _Step(NamedTuple):
    step: Array
    equations: list[Array]
    bounds: list[Array]

    @property
    def price(self) -> float:
        """The largest one."""
        return max((float(np.abs(each).max(initial=0.0)) for each in (*self.equations, *self.bounds)), default=0.0)


class _Search:
    def __init__(self, program: Program):
        self.program, self.blocks = program, program.blocks
        self.motion = program.unknown < program.motion_size
        self.projected = False

    def hessian(self, z: Array, slopes: Slopes, now: Values, prices: tuple, damping: float):
        """Return blocks and diagonal."""
        diagonal = np.where(self.motion, 0.0, EVEN * EVEN)
        self.projected = False
        if self.program.links is None or now.missed > _CURVED or prices is None:
            return slopes.squares, diagonal + np.where(self.motion, damping, 1e-9), damping
        bent = [a + b for a, b in zip(slopes.squares, self.program.curvature(z, *prices), strict=True)]
        stiff = [_BENT * A.T @ A for A in slopes.equations]
        both = [a + b for a, b in zip(bent, stiff, strict=True)]
        d = damping
        for k in range(1):
            if is_convex(self.blocks, both, diagonal + np.where(self.motion, d, 0.1 * d)):
                return bent, diagonal + np.where(self.motion, d, 0.1 * d), d
            d = max(4.0 * d, 1e-4)
        self.projected = True
        return [_positive(each) for each in bent], diagonal + np.where(self.motion, damping, 1e-9), damping

    def step(self, z: Array, now: Values, slopes: Slopes, hessian, diagonal, prices) -> _Step:
        program, blocks = self.program, self.blocks
        y, p = ([np.zeros(len(e)) for e in now.equations], [np.zeros(len(e)) for e in now.bounds]) if prices is None else prices
        full = [h + _STIFF * A.T @ A for h, A in zip(hessian, slopes.equations, strict=True)]
        pull = [each + _STIFF * own for each, own in zip(y, now.equations, strict=True)]
        slope = slopes.cost + blocks.columns(slopes.equations, pull)
        low, high = program.low[program.unknown] - z[program.unknown], program.high[program.unknown] - z[program.unknown]
        answer = quadratic.solve(blocks, full, diagonal, slope, slopes.bounds, now.bounds, p, _STIFF, low, high)
        left = blocks.rows(slopes.equations, answer.step)
        y = [each + _STIFF * (own + more) for each, own, more in zip(y, now.equations, left, strict=True)]
        self.solved = answer.solved
        return _Step(answer.step, y, answer.bounds)


def _positive(block: Array) -> Array:
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
    report: Callable[[dict], None] | None = None,
) -> Minimum:
    """Return unknowns at which the cost is least, as equations and bounds allow."""
    z = np.clip(z, program.low, program.high)
    search = _Search(program)
    blocks = program.blocks
    now, weight, damping, calm = program.values(z), 1.0, 0.1, 0
    slopes = program.slopes(z)
    prices = None
    promised = np.inf
    steps = 0
    for steps in range(1, most + 1):
        if progress is not None:
            progress(0.98 * (1.0 - 1.0 / (1.0 + 0.1 * steps)))
        hessian, diagonal, used = search.hessian(z, slopes, now, prices, damping)
        found = search.step(z, now, slopes, hessian, diagonal, prices)
        step, price = found.step, found.price
        prices = (found.equations, found.bounds) if price < _DEAR else None
        share = min(1.0, _LONGEST / max(float(np.abs(step[search.motion]).max(initial=0.0)), 1e-300))
        step = step * share
        quad = float(slopes.cost @ step + 0.5 * step @ (blocks.product(hessian, step) + diagonal * step))
        fore = Values(
            0.0,
            [a + b for a, b in zip(now.equations, blocks.rows(slopes.equations, step), strict=True)],
            [a + b for a, b in zip(now.bounds, blocks.rows(slopes.bounds, step), strict=True)],
        )
        weight = max(1.5 * price, 0.3 * weight, 1e-3)
        before = now.cost + weight * now.off
        expected = -quad + weight * (now.off - fore.off)
        promised = expected / before
        if report is not None:
            report(dict(steps=steps, z=z, now=now, expected=expected, step=step, damping=damping, used=used, price=price, solved=search.solved, projected=search.projected, slopes=slopes, found=found, share=share, merit=before))
        if not np.isfinite(step).all() or expected < -1e-9 * before:
            damping = max(10.0 * damping, 1e-3)
            if damping > 1e8:
                break
            continue
        if now.missed <= _MET and expected <= tolerance * before:
            return Minimum(z, now, steps, damping <= _FREE, promised)

        def tried(step: Array) -> tuple[Array, Values]:
            place = z.copy()
            place[program.unknown] += step
            place = np.clip(place, program.low, program.high)
            return place, program.values(place)

        there, then = tried(step)
        gained = before - then.cost - weight * then.off
        if gained < 0.7 * expected and then.missed > _MET:
            other, values = _corrected(search, there, then, slopes, hessian, diagonal)
            if before - values.cost - weight * values.off > gained:
                there, then = other, values
                gained = before - then.cost - weight * then.off
        ratio = gained / max(expected, 1e-300)
        shorter = 1.0
        while gained < 1e-3 * shorter * expected and shorter > 0.02:
            shorter *= 0.4
            there, then = tried(shorter * step)
            gained = before - then.cost - weight * then.off
        if share < 0.7:
            damping = min(max(damping, used) / share, _DAMPING[1])
        elif ratio > 0.7:
            damping = max(used / 4.0, _DAMPING[0])
        elif ratio < 0.3:
            damping = min(max(used, 1e-4) * 2.5, _DAMPING[1])
        if gained <= 0.0:
            if damping >= _DAMPING[1]:
                break
            damping = min(max(damping, 1e-4) * 4.0, _DAMPING[1])
            continue
        calm = calm + 1 if gained <= tolerance * before and then.missed <= _MET else 0
        z, now = there, then
        slopes = program.slopes(z)
        if calm >= _CALM:
            return Minimum(z, now, steps, damping <= _FREE, promised)
    return Minimum(z, now, steps, False, promised)


def missed(values: Values) -> float:
    """Return what equations and bounds miss most."""
    return values.missed


def _corrected(search: _Search, z: Array, then: Values, slopes: Slopes, hessian, diagonal) -> tuple[Array, Values]:
    """Return unknowns near some at which equations and bounds hold that a step has bent away from."""
    program, blocks = search.program, search.blocks
    own = z[program.unknown]
    low, high = own - program.low[program.unknown], program.high[program.unknown] - own
    room = np.minimum(np.minimum(low, high), 1.0)
    barrier = diagonal + _BARRIER / (np.maximum(room, 0.0) ** 2 + 1e-12)
    factor = None
    broken = [each < _CLOSE for each in then.bounds]
    for _ in range(_CORRECTIONS):
        more = [each < 0.0 for each in then.bounds]
        if factor is None or any((m & ~b).any() for m, b in zip(more, broken, strict=True)):
            broken = [m | b for m, b in zip(more, broken, strict=True)]
            rows = [np.concatenate([A, G[b]]) for A, G, b in zip(slopes.equations, slopes.bounds, broken, strict=True)]
            full = [h + _STIFF * R.T @ R for h, R in zip(hessian, rows, strict=True)]
            try:
                factor = scipy.linalg.cholesky_banded(blocks.banded(full, barrier), overwrite_ab=True, lower=True, check_finite=False)
            except np.linalg.LinAlgError:
                break
        right = [
            np.concatenate([-_STIFF * e, -_STIFF * np.minimum(b[m], 0.0)])
            for e, b, m in zip(then.equations, then.bounds, broken, strict=True)
        ]
        step = scipy.linalg.cho_solve_banded((factor, True), blocks.columns(rows, right), check_finite=False)
        there = z.copy()
        there[program.unknown] += step
        there = np.clip(there, program.low, program.high)
        values = program.values(there)
        if not values.missed < then.missed:
            break
        z, then = there, values
        if then.missed <= _MET:
            break
    return z, then
