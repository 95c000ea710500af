"""Fully implicit steps: Newton's method on the equations of motion at the end of a step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import scipy

from core.arrays import Array
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.constraints import Stack
    from core.dynamics.system import System

TOLERANCE = 1e-12
"""Newton's last step in coordinates [rad or length] over the largest of 1 and the coordinates themselves."""
STALLED = 1e-9
"""The same where steps no longer shrink: rounding is all that is left."""
_MOST = 60
_SLOW = 0.25
_SHORTEST = 1.0 / 64.0
_DELTA = 1e-6
_REDUNDANT = 1e-11
"""Part of the largest singular value under which rows say the same."""


def implicit_stage(
    system: System, t: float, start: tuple[float, Array], guess: Array, base: Array, base_rate: Array, c: float
) -> tuple[Array, Array, Array]:
    """Return coordinates, rates and accelerations that meet the equations of motion at the time ``t``.

    ``v = c (x - base)``, ``a = c (v - base_rate)`` and ``M(x) a + bias(x, v) = tau(x, v, t) + G^T lambda``: every
    backward difference formula and every stage of a diagonally implicit Runge-Kutta method is of this form. Constraints
    hold at the end of the stage; a gap of the start is closed as ``Stabilization.step`` says.

    Newton's method with a Jacobian by differences, which serves as long as the steps shrink well. A step after which
    the next one would not be shorter is taken in part only (the natural monotonicity test of Deuflhard).

    Args:
        system: What is simulated.
        t: Time at the end of the stage [s].
        start: Time [s] and coordinates where the step starts.
        guess: Where to start, shape (nq,).
        base: Shape (nq,).
        base_rate: Shape (nv,).
        c: One over the stage's length [1/s].

    Returns:
        ``x``, ``v`` and ``a``, new arrays.

    Raises:
        DynamicsError: If the state is not finite or Newton's method finds no solution; names the time.
    """
    x = guess.copy()
    if not len(x):
        return x, x.copy(), x.copy()
    if system.scene.constraints:
        return _held_stage(system, t, start, x, base, base_rate, c)
    r = _residual(system, t, x, base, base_rate, c)
    factor = None
    for _ in range(_MOST):
        fresh = factor is None
        if factor is None:
            factor = scipy.linalg.lu_factor(_jacobian(system, t, x, r, base, base_rate, c), check_finite=False)
            step = scipy.linalg.lu_solve(factor, r, check_finite=False)
        size = float(np.abs(step).max())
        part = 1.0
        while True:
            ahead = x - part * step
            r_ahead = _residual(system, t, ahead, base, base_rate, c)
            next_step = scipy.linalg.lu_solve(factor, r_ahead, check_finite=False)
            next_size = float(np.abs(next_step).max())
            limit = max(1.0, float(np.abs(ahead).max()))
            if next_size <= TOLERANCE * limit or (size <= STALLED * limit and next_size > 0.5 * size):
                x = ahead - next_step if next_size < size else ahead
                v = c * (x - base)
                return x, v, c * (v - base_rate)
            if next_size <= (1.0 - 0.25 * part) * size or not fresh or part < _SHORTEST:
                break
            part *= 0.5
        if next_size <= size or fresh:
            x, r, step = ahead, r_ahead, next_step
        if part < 1.0 or next_size > _SLOW * size:
            factor = None
    _refuse(t)


def _held_stage(
    system: System, t: float, start: tuple[float, Array], x: Array, base: Array, base_rate: Array, c: float
) -> tuple[Array, Array, Array]:
    """Return what ``implicit_stage`` does where constraints hold: the unknowns are coordinates and multipliers."""
    v = c * (x - base)
    first = constraint_rows(system, start[0], start[1], v)
    left = max(0.0, 1.0 - system.stabilization.step * (t - start[0])) * first.rows.gap
    multipliers = np.zeros(len(left))
    before, J = math.inf, np.zeros((0, 0))
    for turn in range(_MOST):
        v = c * (x - base)
        stack = constraint_rows(system, t, x, v)
        rows = stack.rows
        r = _residual(system, t, x, base, base_rate, c)
        if turn < 3 or turn % 5 == 0:
            J = _jacobian(system, t, x, r, base, base_rate, c)
        # Those that want a velocity only have ``c (x - base)`` in place of it.
        gap = np.where(stack.positional, rows.gap - left, (rows.G @ v - rows.velocity) / c)
        step, change = solve_with_rows(J, rows.G, r - rows.G.T @ multipliers, gap)
        x, multipliers = x - step, multipliers - change
        size = float(np.abs(step).max()) / max(1.0, float(np.abs(x).max()))
        if size <= TOLERANCE or (size <= STALLED and size > 0.5 * before):
            v = c * (x - base)
            return x, v, c * (v - base_rate)
        before = size
    _refuse(t)


def constraint_rows(system: System, t: float, x: Array, v: Array) -> Stack:
    """Return the rows of the constraints of the scene in a state."""
    from core.dynamics.constraints import Situation, stacked

    state = system.state(t, x, v)
    return stacked(system.scene.constraints, Situation(system.model, x, v, t, state.home))


def solve_with_rows(K: Array, G: Array, force: Array, gap: Array, G_start: Array | None = None) -> tuple[Array, Array]:
    """Return ``step`` and ``change`` with ``K step - G_start^T change = force`` and ``G step = gap``.

    Of redundant rows the least multipliers are taken.

    Args:
        K: Shape (n, n).
        G: Shape (m, n).
        force: Shape (n,).
        gap: Shape (m,).
        G_start: Rows along which the multipliers act, shape (m, n); ``G`` unless given.
    """
    n, m = len(K), len(G)
    # Equations of forces and of lengths in numbers of the same size, else what is redundant looks different.
    scale = float(np.abs(K).max())
    matrix = np.block([[K / scale, -(G if G_start is None else G_start).T], [G, np.zeros((m, m))]])
    found = np.linalg.lstsq(matrix, np.concatenate([force / scale, gap]), rcond=_REDUNDANT)[0]
    return found[:n], scale * found[n:]


def _refuse(t: float) -> NoReturn:
    raise DynamicsError(f"no solution was found for the implicit step to t = {t:g} s; take shorter steps")


def _residual(system: System, t: float, x: Array, base: Array, base_rate: Array, c: float) -> Array:
    """Return ``M a + bias - tau``, shape (nv,)."""
    v = c * (x - base)
    return system.residual(t, x, v, c * (v - base_rate))


def _jacobian(system: System, t: float, x: Array, r: Array, base: Array, base_rate: Array, c: float) -> Array:
    """Return the derivative of the residual by the coordinates, shape (nv, nv), by forward differences."""
    J = np.empty((len(r), len(x)))
    for k in range(len(x)):
        moved = x.copy()
        moved[k] += _DELTA * max(1.0, abs(x[k]))
        J[:, k] = (_residual(system, t, moved, base, base_rate, c) - r) / (moved[k] - x[k])
    return J
