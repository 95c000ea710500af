"""Holding locks, with numpy: projection onto them, and drags along them.

Values are in units of the figure's size W; hard rows come before soft ones. Everything depends on its arguments only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from core.constraints.box_qp import Bools, box_qp
from core.skeleton.skeleton import Array

SOFTNESS = 1e-9
"""R of the hard rows, as a part of the mean diagonal of J K J'; one value for all, or the merit would be another norm
than the one that steps lessen, and steps would be refused for ever."""
SOFTEST = 1e6
DRAG_SOFTNESS = 1e-4
"""R of a goal of weight 1: what its error costs beside leaving the start pose."""
TRUST = 0.25
"""Largest change of a value in one step, [rad] or [W]."""
LONGEST_PULL = 0.3
"""Largest error of a goal that one step goes for, [rad] or [W]."""
NEAR = 1e-3
"""Error of the locks [W] from which on a projection looks for the nearest pose that holds."""
PULLS = 4
NUDGE = math.radians(3.0)
STALLED = 1e-9

Values = Callable[[Array], tuple[Array, Callable[[], Array]]]
"""From values to C, shape (m,), and to what works out the Jacobian there, shape (m, n)."""


class Terms(NamedTuple):
    """What is held and what is wanted.

    Attributes:
        values: The rows.
        hard: How many rows are hard.
        inequality: Rows that are ``C <= 0``, shape (m,).
        softness: R of the soft rows, shape (m - hard,).
        mask: 1 where a value may help a row, shape (m, n); None if all may.
        group: For each soft row the first row of its goal, and how many there are; what a pull is measured by.
        K: Willingness, shape (n,).
        lower: Limits, shape (n,).
        upper: Limits, shape (n,).
        clamp: Moves values inside all limits, in place.
        pull: How strongly each value is drawn to ``rest``, 1 for as strongly as K says, shape (n,).
        rest: Where the values are drawn to, shape (n,).
        bends: Elbows and knees: their numbers and the side they bend to.
    """

    values: Values
    hard: int
    inequality: Bools
    softness: Array
    mask: Array | None
    group: tuple[tuple[int, int], ...]
    K: Array
    lower: Array
    upper: Array
    clamp: Callable[[Array], None]
    pull: Array
    rest: Array
    bends: tuple[tuple[int, float], ...]


class Point(NamedTuple):
    """Values, what the rows have there, and how well the hard ones hold: sum of squares and largest error."""

    x: Array
    C: Array
    jacobian: Callable[[], Array]
    cost: float
    worst: float


def at(T: Terms, x: Array) -> Point:
    """Return the point of values ``x``."""
    C, jacobian = T.values(x)
    hard = C[: T.hard]
    off = np.where(T.inequality[: T.hard], np.maximum(hard, 0.0), hard)
    return Point(x, C, jacobian, float(off @ off), float(np.abs(off).max(initial=0.0)))


def step(T: Terms, p: Point, d: Array, K: Array, rows: int, factor: float) -> Array:
    """Return where a step from ``p`` leads: the first ``rows`` rows kept, ``d`` desired; limits hold.

    Args:
        T: What is held.
        p: Where to start.
        d: Desired step, shape (n,).
        K: Willingness in this step, shape (n,).
        rows: How many rows count.
        factor: How much softer than usual the hard rows are.
    """
    J = p.jacobian()[:rows]
    c = p.C[:rows].copy()
    for first, size in T.group:
        length = math.sqrt(float(c[first : first + size] @ c[first : first + size])) if first < rows else 0.0
        if length > LONGEST_PULL:
            c[first : first + size] *= LONGEST_PULL / length
    masked = J if T.mask is None else J * T.mask[:rows]
    diagonal = float(np.einsum("ij,j,ij->", masked[: T.hard], K, masked[: T.hard])) / max(T.hard, 1)
    R = np.concatenate([np.full(T.hard, factor * SOFTNESS * (diagonal or 1.0)), T.softness])[:rows]
    lower, upper = np.maximum(T.lower - p.x, -TRUST), np.minimum(T.upper - p.x, TRUST)
    multipliers = np.zeros(rows)
    dq = box_qp(masked, c, d, K, lower, upper, R, T.inequality[:rows], multipliers)
    if T.mask is not None:
        # What the others do to a row that only some may help comes on top of what these must do.
        for _ in range(2):
            dq = box_qp(masked, c + (J - masked) @ dq, d, K, lower, upper, R, T.inequality[:rows], multipliers)
    x = p.x + dq
    T.clamp(x)
    return x


def restore(T: Terms, p: Point, tolerance: float, most: int) -> tuple[Point, int]:
    """Return the point nearest at first order where the hard rows hold, or a least-squares compromise; and the steps.

    Levenberg and Marquardt's method: the rows get softer until a step lessens their error.
    """
    factor, used = 1.0, 0
    while p.worst > tolerance and used < most and factor < SOFTEST / SOFTNESS:
        used += 1
        new = at(T, step(T, p, np.zeros_like(p.x), T.K, T.hard, factor))
        if new.cost < p.cost:
            stalled = p.cost - new.cost <= STALLED * p.cost
            p, factor = new, max(1.0, 0.05 * factor)
            if stalled:
                break
        else:
            factor *= 20.0
    return p, used


def project(T: Terms, x: Array, rest: Array, tolerance: float, most: int) -> tuple[Point, int]:
    """Return a pose that holds the hard rows, near ``rest``, and the steps taken.

    Args:
        T: What is held.
        x: Where to start; not changed.
        rest: The pose to stay near, shape (n,).
        tolerance: Largest error, [W] or [rad].
        most: Most steps.
    """
    p = at(T, x.copy())
    if p.worst <= tolerance and np.array_equal(x, rest):
        return p, 0
    p, used = restore(T, p, max(tolerance, NEAR), most)
    if p.worst > max(tolerance, NEAR):
        return p, used
    found, pulls = p, 0
    while pulls < PULLS and used + pulls < most:
        pulls += 1
        new = at(T, step(T, found, rest - found.x, T.K, T.hard, 1.0))
        if new.worst > 10.0 * NEAR:
            break
        moved = float(np.abs(new.x - found.x).max(initial=0.0))
        found = new
        if moved <= 1e-3 * tolerance or (moved <= 1e-6 and new.worst <= tolerance):
            break
    held, more = restore(T, found, tolerance, most - used - pulls)
    used += pulls + more
    if held.worst > tolerance:
        other, more = restore(T, p, tolerance, max(most - used, 0))
        used += more
        held = other if other.worst < held.worst else held
    return held, used


def merit(T: Terms, p: Point) -> float:
    """Return what a drag lowers: errors of the soft rows, and how far the pose is from where it is drawn to."""
    soft = p.C[T.hard :]
    soft = np.where(T.inequality[T.hard :], np.maximum(soft, 0.0), soft)
    away = np.where(T.K > 0.0, p.x - T.rest, 0.0)
    drawn = float(np.sum(T.pull * away * away / np.where(T.K > 0.0, T.K, 1.0)))
    return 0.5 * (float(np.sum(soft * soft / T.softness)) + drawn)


def drag(T: Terms, p: Point, tolerance: float, most: int, restoring: int) -> tuple[Point, int]:
    """Return where the soft rows are met as well as the hard ones let them, and the steps taken.

    Each step goes for the soft rows along the hard ones, which are then restored alone; it is kept if they hold and
    the merit falls (Levenberg and Marquardt).

    Args:
        T: What is held and wanted.
        p: Where the hard rows hold as well as they can.
        tolerance: Largest error of the hard rows.
        most: Most steps.
        restoring: Most steps of each restoration.
    """
    used, nudged, damping = 0, False, 0.0
    value = merit(T, p)
    always = 0.0 if T.pull.any() else 1.0
    while used < most:
        used += 1
        weight = T.pull + always + damping
        new = _dragged(T, p, T.pull * (T.rest - p.x) / weight, T.K / weight, tolerance, restoring)
        moved = float(np.abs(new.x - p.x).max(initial=0.0))
        after = merit(T, new)
        kept = new.worst <= max(tolerance, p.worst) and after < value
        if kept:
            fallen, p, value = value - after, new, after
            damping = 0.25 * damping if damping > 1e-3 else 0.0
        if (kept and fallen <= 1e-9 * value) or moved <= 1e-9 or (not kept and damping > 1e6):
            if nudged:
                break
            nudged = True
            bent = _bent(T, p, value, tolerance, restoring)
            if bent is None:
                break
            p, value, damping = bent, merit(T, bent), 0.0
        elif not kept:
            damping = max(1.0, 8.0 * damping)
    return p, used


def _dragged(T: Terms, p: Point, d: Array, K: Array, tolerance: float, restoring: int) -> Point:
    new = at(T, step(T, p, d, K, len(p.C), 1.0))
    return restore(T, new, max(tolerance, p.worst), restoring)[0]


def _bent(T: Terms, p: Point, value: float, tolerance: float, restoring: int) -> Point | None:
    """Return a better point with straight elbows and knees bent a little, if there is one."""
    straight = [(k, side) for k, side in T.bends if abs(p.x[k]) < NUDGE and T.K[k] > 0.0 and T.lower[k] < T.upper[k]]
    soft = float(np.abs(p.C[T.hard :]).max(initial=0.0))
    if not straight or soft <= tolerance:
        return None
    d = np.zeros_like(p.x)
    for k, side in straight:
        d[k] = side * NUDGE - p.x[k]
    new = _dragged(T, p, d, T.K, tolerance, restoring)
    for _ in range(2):
        weight = T.pull + (0.0 if T.pull.any() else 1.0)
        new = _dragged(T, new, T.pull * (T.rest - new.x) / weight, T.K / weight, tolerance, restoring)
    return new if new.worst <= max(tolerance, p.worst) and merit(T, new) < value else None
