"""Holding locks some of which are functions of the whole pose: projection onto them, and drags along them.

The method is that of ``pose_steps_kernel``; rows are called instead of read from two blocks, so that it runs in numpy.

Values are in units of the figure's size W; hard rows come before soft ones. Everything depends on its arguments only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from core.arrays import Array, Bools
from core.constraints.hold.packed import PROJECT
from core.constraints.hold.pose_steps_kernel import (
    BENDING,
    BETTER,
    CLOSE,
    HARDER,
    HARDNESS,
    LEFT,
    LONGEST_PULL,
    MOST_BEND,
    NEAR,
    NUDGE,
    PULLS,
    REFUSED,
    RESTORING,
    SETTLED,
    SHIN,
    SOFTER,
    SOFTEST,
    STALLED,
    STILL,
    TRUST,
    WORSE,
    WORTH_BENDING,
)
from core.constraints.hold.whole_pose_qp import solve

Values = Callable[[Array], tuple[Array, Callable[[], Array]]]
"""From values to C, shape (m,), and to what works out the Jacobian there, shape (m, n)."""


class Terms(NamedTuple):
    """What is held and what is wanted.

    Attributes:
        values: The rows.
        hard: How many rows are hard.
        parts: First row and number of rows of each entry, hard ones first.
        inequality: Rows that are ``C <= 0``, shape (m,).
        softness: R of the rows, of the soft ones only that counts, shape (m,).
        mask: 1 where a value may help a row, shape (m, n); None if all may.
        K: Mobility, shape (n,).
        lower: Limits, shape (n,).
        upper: Limits, shape (n,).
        clamp: Moves values inside all limits, in place.
        pull: How strongly each value is drawn to ``rest``, 1 for as strongly as K says, shape (n,).
        rest: Where the values are drawn to, shape (n,).
        warm: Multipliers of the last step that all rows took part in, where the next one starts, shape (m,).
        always: What keeps a drag's steps short where nothing draws the pose: 1 for putty, else 0.
        bends: Elbows and knees: their numbers, and those of the hinges above and below that fold with them or -1; and
            the sides they turn to.
    """

    values: Values
    hard: int
    parts: tuple[tuple[int, int], ...]
    inequality: Bools
    softness: Array
    mask: Array | None
    K: Array
    lower: Array
    upper: Array
    clamp: Callable[[Array], None]
    pull: Array
    rest: Array
    warm: Array
    always: float
    bends: tuple[tuple[tuple[int, ...], tuple[float, ...]], ...]


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
    off = np.where(T.inequality, np.maximum(C, 0.0), C)
    lengths = [float(off[a : a + n] @ off[a : a + n]) for a, n in T.parts if a < T.hard]
    return Point(x, C, jacobian, sum(lengths), math.sqrt(max(lengths, default=0.0)))


def stepped(T: Terms, p: Point, d: Array, K: Array, rows: int, factor: float) -> Array:
    """Return where a step from ``p`` leads: the first ``rows`` rows kept, ``d`` desired; limits hold.

    Args:
        T: What is held.
        p: Where to start.
        d: Desired step, shape (n,).
        K: Mobility in this step, shape (n,).
        rows: How many rows count.
        factor: How much softer than usual the hard rows are.
    """
    J, c = p.jacobian()[:rows], p.C[:rows].copy()
    for first, size in T.parts:
        if T.hard <= first < rows:
            length = math.sqrt(float(c[first : first + size] @ c[first : first + size]))
            if length > LONGEST_PULL:
                c[first : first + size] *= LONGEST_PULL / length
    masked = J if T.mask is None else J * T.mask[:rows]
    diagonal = float(np.einsum("ij,j,ij->", masked[: T.hard], K, masked[: T.hard])) / max(T.hard, 1)
    R = T.softness[:rows].copy()
    R[: T.hard] = factor * HARDNESS * (diagonal or 1.0)
    lower, upper = np.maximum(T.lower - p.x, -TRUST), np.minimum(T.upper - p.x, TRUST)
    multipliers = T.warm.copy() if rows > T.hard else np.zeros(rows)
    dq, _ = solve(masked, c, d, K, lower, upper, R, T.inequality[:rows], multipliers)
    if T.mask is not None:
        # What the others do to a row that only some may help comes on top of what these must do.
        for _ in range(2):
            more = c + (J - masked) @ dq
            dq, _ = solve(masked, more, d, K, lower, upper, R, T.inequality[:rows], multipliers)
    if rows > T.hard:
        T.warm[:] = multipliers
    x = p.x + dq
    T.clamp(x)
    return x


def restore(T: Terms, p: Point, tolerance: float, most: int) -> tuple[Point, int]:
    """Return the point nearest at first order where the hard rows hold, or a least-squares compromise; and the steps.

    Levenberg and Marquardt's method: the rows get softer until a step lessens their error.
    """
    factor, used, d = 1.0, 0, np.zeros_like(p.x)
    while p.worst > tolerance and used < most and factor < SOFTEST:
        used += 1
        new = at(T, stepped(T, p, d, T.K, T.hard, factor))
        if new.cost < p.cost:
            stalled = p.cost - new.cost <= STALLED * p.cost
            p, factor = new, max(1.0, HARDER * factor)
            if stalled:
                break
        else:
            factor *= SOFTER
    return p, used


def project(T: Terms, p: Point, tolerance: float, most: int) -> tuple[Point, int]:
    """Return a pose that holds the hard rows, near the pose it is drawn to, and the steps taken.

    Args:
        T: What is held.
        p: Where to start.
        tolerance: Largest error, [W] or [rad].
        most: Most steps.
    """
    if p.worst <= tolerance and np.array_equal(p.x, T.rest):
        return p, 0
    near = max(tolerance, NEAR)
    p, used = restore(T, p, near, most)
    if p.worst > near:
        return p, used
    found = p
    for _ in range(min(PULLS, most - used)):
        d = np.where(T.K > 0.0, T.rest - found.x, 0.0)
        new = at(T, stepped(T, found, d, T.K / T.pull, T.hard, 1.0))
        used += 1
        if new.worst > LEFT:
            break
        moved = float(np.abs(new.x - found.x).max(initial=0.0))
        found = new
        if moved <= STILL:
            break
    found, more = restore(T, found, tolerance, most - used)
    used += more
    if found.worst > tolerance:
        other, more = restore(T, p, tolerance, most - used)
        used += more
        found = other if other.worst < found.worst else found
    return found, used


def merit(T: Terms, p: Point) -> float:
    """Return what a drag lowers: errors of the soft rows, and how far the pose is from where it is drawn to."""
    soft = np.where(T.inequality, np.maximum(p.C, 0.0), p.C)[T.hard :]
    moves = T.K > 0.0
    away = np.where(moves, p.x - T.rest, 0.0)
    drawn = float(np.sum(T.pull * away * away / np.where(moves, T.K, 1.0)))
    return 0.5 * (float(np.sum(soft * soft / T.softness[T.hard :])) + drawn)


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
    close, enough = max(tolerance, CLOSE), min(restoring, RESTORING)
    used, nudged, damping, value, limit = 0, False, 0.0, merit(T, p), most
    while used < limit:
        used += 1
        new = _lead(T, p, T.always + damping, close, enough)
        moved = float(np.abs(new.x - p.x).max(initial=0.0))
        after = merit(T, new)
        kept = _as_held(new, p, close) and after < value
        done = moved <= STILL or (kept and value - after <= SETTLED * value) or (not kept and damping > REFUSED)
        if kept:
            p, value = new, after
            damping = 0.25 * damping if damping > 1e-2 else 0.0
        else:
            damping = max(1.0, 8.0 * damping)
        if done or not kept or used == limit:
            bent = None if nudged else _bent(T, p, value, close, enough)
            nudged = True
            if bent is not None:
                p, value, damping, limit = bent, merit(T, bent), 0.0, used + most
            elif done:
                break
    return restore(T, p, tolerance, restoring)[0], used


def _as_held(new: Point, old: Point, close: float) -> bool:
    """Return whether the hard rows hold, or locks that cannot be kept together are kept as well as before."""
    return new.worst <= close or (old.worst > close and new.cost <= WORSE * old.cost)


def _lead(T: Terms, p: Point, weight: float, close: float, restoring: int) -> Point:
    """Return the point that one step of a drag leads to, ``weight`` added to the pull, the hard rows restored."""
    whole = T.pull + weight
    d = np.where(T.K > 0.0, T.pull * (T.rest - p.x) / whole, 0.0)
    return _restored(T, p, d, T.K / whole, close, restoring)


def _restored(T: Terms, p: Point, d: Array, K: Array, close: float, restoring: int) -> Point:
    return restore(T, at(T, stepped(T, p, d, K, len(p.C), 1.0)), close, restoring)[0]


def _bent(T: Terms, p: Point, value: float, close: float, restoring: int) -> Point | None:
    """Return a better point with straight elbows and knees bent by about what is missing, if there is one."""
    straight = [fold for fold in T.bends if abs(p.x[fold[0][0]]) < NUDGE and T.K[fold[0][0]] > 0.0]
    if not straight or value <= WORTH_BENDING:
        return None
    x, lower, upper = (p.x if T.always else T.rest).copy(), T.lower.copy(), T.upper.copy()
    missing = float(np.abs(at(T, x).C[T.hard :]).max(initial=0.0))
    angle = min(MOST_BEND, max(NUDGE, 2.0 * math.sqrt(missing / SHIN)))
    for nodes, sides in straight:
        # The limits follow: the steepest way back may lead through straight.
        x[nodes[0]] = sides[0] * angle
        (lower if sides[0] > 0.0 else upper)[nodes[0]] = x[nodes[0]]
        for k, side in zip(nodes[1:], sides[1:], strict=True):
            if k >= 0 and T.K[k] > 0.0:
                x[k] += 0.5 * side * angle
    T.clamp(x)
    new = at(T, x)
    for _ in range(BENDING):
        new = _lead(T._replace(lower=lower, upper=upper), new, T.always, close, restoring)
    new = _lead(T, new, T.always, close, restoring)
    return new if _as_held(new, p, close) and merit(T, new) < BETTER * value else None


def run(T: Terms, x: Array, mode: int, tolerance: float, most: int, most_drag: int) -> tuple[Point, int]:
    """Return the point that holds, and the steps taken: a projection, or a drag from where the hard rows hold."""
    p = at(T, x)
    if mode == PROJECT:
        return project(T, p, tolerance, most)
    p, used = restore(T, p, tolerance, most)
    p, more = drag(T, p, tolerance, most_drag, most)
    return p, used + more
