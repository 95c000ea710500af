"""Sums of squares under equations and bounds: quadratic programs one after the other, each solved by clarabel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy

from core.arrays import Array, Ints
from core.preview.least_energy.program import Program, Values

_STIFF = 1e7
"""How much what is left of equations counts in a quadratic program: so no such program is without a solution."""
_NEAR = 0.6
"""Bounds farther off than this take no part in a step."""
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


class _Step(NamedTuple):
    """A step, the prices of equations and bounds, and which bounds took part."""

    step: Array
    prices: tuple[Array, Array]
    close: Ints

    @property
    def price(self) -> float:
        """The largest one."""
        return float(max(np.abs(each).max(initial=0.0) for each in self.prices))


def minimum(
    program: Program,
    z: Array,
    *,
    most: int = 100,
    tolerance: float = 1e-7,
    progress: Callable[[float], None] | None = None,
) -> Minimum:
    """Return unknowns at which half the sum of squares of residuals is least, as equations and bounds allow.

    The Hessian is that of Gauss and Newton, damped as by Levenberg and Marquardt; the merit is the sum with what
    equations and bounds miss, weighted by their prices. A step that does not lower it is corrected for the bend of the
    equations, then shortened.

    Args:
        program: The program.
        z: Where to start, shape (size,).
        most: Most steps.
        tolerance: What a step must promise, as a share of the merit, to be worth another one.
        progress: Told what is done, 0 to 1; may raise ``Cancelled``.

    Source: Nocedal and Wright (2006), Numerical Optimization, sections 10.3, 18.3 and 18.4.
    """
    z = np.clip(z, program.low, program.high)
    now, weight, damping, calm = program.values(z), 1.0, 0.1, 0
    jacobians = program.jacobians(z)
    squares = program.squares(jacobians[0])
    prices = nothing = np.zeros(len(now.equations)), np.zeros(len(now.bounds))
    start, best, steps = max(missed(now), 1e-3), 0.0, 0
    for steps in range(1, most + 1):
        if progress is not None:
            done = np.log(start / max(missed(now), _MET)) / np.log(start / _MET)
            best = max(best, 0.5 * min(float(done), 1.0) + 0.5 * (1.0 - 1.0 / (1.0 + 0.1 * steps)))
            progress(0.98 * best)
        hessian = _damped(program, squares, damping)
        found = _step(program, z, now, jacobians, hessian, prices)
        step, price = found.step, found.price
        prices = found.prices if price < _DEAR else nothing
        share = min(1.0, _LONGEST / max(float(np.abs(step[: program.motion_size]).max(initial=0.0)), 1e-300))
        step = step * share
        foretold = _foretold(now, jacobians, step, found.close)
        if missed(foretold) <= max(_MET, (1.0 - 0.5 * share) * missed(now)) and price < _DEAR:
            weight = max(1.5 * price, 0.3 * weight, 1e-3)
        before = _merit(now, weight)
        expected = before - _merit(foretold, weight)
        if not np.isfinite(step).all() or expected < -1e-9 * before:  # the program was solved too roughly
            damping = max(10.0 * damping, 1e-3)
            continue
        if missed(now) <= _MET and expected <= tolerance * before:
            return Minimum(z, now, steps, damping <= _FREE)
        tried, then = _tried(program, z, step)
        gained = before - _merit(then, weight)
        if gained < 0.7 * expected and missed(then) > _MET:
            other, values = _corrected(program, z, tried, then, jacobians, hessian)
            if before - _merit(values, weight) > gained:
                tried, then, gained = other, values, before - _merit(values, weight)
        ratio = gained / max(expected, 1e-300)
        shorter = 1.0
        while gained < 1e-3 * shorter * expected and shorter > 0.02:
            shorter *= 0.4
            tried, then = _tried(program, z, shorter * step)
            gained = before - _merit(then, weight)
        if share < 0.7:  # the same step, whole: damped instead of cut short
            damping = min(damping / share, _DAMPING[1])
        elif ratio > 0.7:
            damping = max(damping / 4.0, _DAMPING[0])
        elif ratio < 0.3:
            damping = min(damping * 2.5, _DAMPING[1])
        if gained <= 0.0:
            if damping >= _DAMPING[1]:
                break
            damping = min(damping * 4.0, _DAMPING[1])
            continue
        calm = calm + 1 if gained <= tolerance * before and missed(then) <= _MET else 0
        z, now = tried, then
        jacobians = program.jacobians(z)
        squares = program.squares(jacobians[0])
        if calm >= _CALM:
            return Minimum(z, now, steps, damping <= _FREE)
    return Minimum(z, now, steps, False)


def missed(values: Values) -> float:
    """Return what equations and bounds miss most."""
    return float(max(np.abs(values.equations).max(initial=0.0), -values.bounds.min(initial=0.0)))


def _merit(values: Values, weight: float) -> float:
    off = np.abs(values.equations).sum() - np.minimum(values.bounds, 0.0).sum()
    return float(0.5 * values.residuals @ values.residuals + weight * off)


def _foretold(now: Values, jacobians: tuple[Any, Any, Any], step: Array, close: Ints) -> Values:
    """Return what a step would lead to if all were linear, but of bounds that took no part: those stay."""
    values = Values(*(value + J @ step for value, J in zip(now, jacobians, strict=True)))
    bounds = now.bounds.copy()
    bounds[close] = values.bounds[close]
    return values._replace(bounds=bounds)


def _tried(program: Program, z: Array, step: Array) -> tuple[Array, Values]:
    place = np.clip(z + step, program.low, program.high)
    return place, program.values(place)


def _damped(program: Program, squares: Any, damping: float) -> Any:
    """Return the upper triangle of the Hessian with damping, the same for all unknowns of the motion.

    Damped by their own size, light limbs whirl before the heavy ones have moved.
    """
    motion = program.unknown < program.motion_size
    return squares + scipy.sparse.diags_array(np.where(motion, damping, 1e-9))


def _corrected(
    program: Program, start: Array, z: Array, then: Values, jacobians: tuple[Any, Any, Any], hessian: Any
) -> tuple[Array, Values]:
    """Return unknowns near some at which equations and bounds hold that a step from ``start`` has bent away from.

    Near is what the Hessian calls so: where nothing else is gained, the sum of squares grows least.
    """
    inside = (z[program.unknown] > program.low[program.unknown]) & (z[program.unknown] < program.high[program.unknown])
    own = program.unknown[inside]
    n = len(own)
    room = np.minimum(np.minimum(z[own] - program.low[own], program.high[own] - z[own]), 1.0)  # not beyond bounds
    some = scipy.sparse.triu(hessian, 1, format="csc")
    stiff = (some + some.T + scipy.sparse.diags_array(hessian.diagonal())).tocsr()[inside][:, inside]
    stiff = stiff + scipy.sparse.diags_array(_BARRIER / (room * room + 1e-9))
    equations, bounds = jacobians[1][:, own], jacobians[2].tocsr()[:, own]
    broken = then.bounds < _CLOSE
    solve: Any = None
    for _ in range(_CORRECTIONS):
        if solve is None or (then.bounds[~broken] < 0.0).any():
            broken |= then.bounds < 0.0
            rows = scipy.sparse.vstack([equations, bounds[np.flatnonzero(broken)]])
            soft = -1e-9 * scipy.sparse.eye_array(rows.shape[0])
            matrix = scipy.sparse.block_array([[stiff, rows.T], [rows, soft]], format="csc")
            solve = scipy.sparse.linalg.splu(matrix).solve
        right = np.concatenate([np.zeros(n), -then.equations, -np.minimum(then.bounds[broken], 0.0)])
        step = np.zeros(program.size)
        step[own] = solve(right)[:n]
        there, values = _tried(program, z, step)
        if not missed(values) < missed(then):
            break
        z, then = there, values
        if missed(then) <= _MET:
            break
    return z, then


def _step(
    program: Program,
    z: Array,
    now: Values,
    jacobians: tuple[Any, Any, Any],
    hessian: Any,
    prices: tuple[Array, Array],
) -> _Step:
    """Return the step of a quadratic program, and the prices of its equations and bounds.

    Its unknowns are the step and what equations and bounds are left to miss, which costs the prices of the step before
    and its square: nothing in the end.
    """
    import clarabel

    sparse, own = scipy.sparse, program.unknown
    J, A, G = (matrix[:, own] for matrix in jacobians)
    close = np.flatnonzero(now.bounds < _NEAR)
    G = G.tocsr()[close]
    low, high = program.low[own] - z[own], program.high[own] - z[own]
    lower, upper = np.flatnonzero(low > -_NEAR), np.flatnonzero(high < _NEAR)
    n, ne, ng = len(own), A.shape[0], G.shape[0]
    eye = sparse.eye_array
    each = eye(n, format="csr")
    rows = (
        sparse.block_array(
            [
                [A, -eye(ne), None],
                [-G, None, -eye(ng)],
                [each[upper], None, None],
                [-each[lower], None, None],
            ],
            format="csc",
        )
        if ne + ng + len(upper) + len(lower)
        else sparse.csc_array((0, n))
    )
    right = np.concatenate([-now.equations, now.bounds[close], high[upper], -low[lower]])
    cost = sparse.block_diag([hessian, sparse.diags_array(np.full(ne + ng, _STIFF))], format="csc")
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    slope = np.concatenate([J.T @ now.residuals, prices[0], prices[1][close]])
    cones = [clarabel.ZeroConeT(ne), clarabel.NonnegativeConeT(len(right) - ne)]
    solver = clarabel.DefaultSolver(sparse.csc_matrix(cost), slope, sparse.csc_matrix(rows), right, cones, settings)
    answer = solver.solve()
    step = np.zeros(program.size)
    step[own] = np.asarray(answer.x)[:n]
    paid, dear = np.asarray(answer.z), np.zeros(len(now.bounds))
    dear[close] = paid[ne : ne + ng]
    return _Step(step, (paid[:ne], dear), close)
