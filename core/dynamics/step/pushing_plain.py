"""What is far inside something else, or far over a limit, is pushed out, in numpy.

Such pushes contradict each other where a body is caught between two others: as rows that must hold they would have no
answer, or one that is faster than any sense. So they act beforehand, each as through a damper: they ask for a speed and
take what all of them together allow. The rows themselves then only ask that nothing comes nearer, which rest would do,
so that the quadratic program has an answer with no more energy than before. Those of what is buried ask for nothing: in
the midst of something every way out would be barred.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.dynamics.step import slots as at
from core.dynamics.step.memory import Memory

Array = NDArray[np.float64]

SWEEPS = 12
"""Sweeps over all that is pushed."""
YIELDS = 2.0
"""How much a push yields in a whole step, as a part of how easily what it pushes moves: a third of the speed that is
missing comes in one. In shorter parts of a step it yields the more, as a damper does, so that parts do not matter."""


NOTHING = -1e9
"""Speed that every motion has more of, [m/s]."""
STIFF = 0.05
"""A push yields as if its contact moved along the normal no less easily than by this part of how it moves across."""


def is_far(m: Memory, i: int) -> bool:
    """Return whether a row is of something far where it must not be."""
    kind, of = int(m.row_kind[i]), int(m.row_of[i])
    if kind == at.CONTACT_KIND:
        return bool(m.contact[of, at.CONTACT_GAP] < -at.FAR_IN)
    if kind == at.LOCK_ROW:
        return False
    if kind == at.BALL_ROW:
        ball, j = m.balls[of // 6], (of % 6) // 2
        angle = ball[at.BALL_ANGLES + j]
        gap = angle - ball[at.BALL_LOW + j] if of % 2 == 0 else ball[at.BALL_HIGH + j] - angle
    else:
        x, low, high = m.vectors[[at.X, at.LOW, at.HIGH], of]
        gap = x - low if kind == at.LOW_ROW else high - x
    return bool(gap < -at.FAR_OVER)


def is_buried(m: Memory, i: int) -> bool:
    """Return whether a row is of a contact deep in something that has more than one side."""
    contact = m.contact[int(m.row_of[i])]
    own = m.row_kind[i] == at.CONTACT_KIND and contact[at.CONTACT_OTHER] >= 0.0
    return bool(own and contact[at.CONTACT_GAP] < -at.BURIED)


def push_out(m: Memory, W: Array, speeds: Array, h: float) -> Array:
    """Push out what is far in; afterwards its rows only ask that it gets no farther.

    Projected Gauss-Seidel on ``(W W^T + E) p >= b - W y``, with E diagonal, which has an answer whatever the rows are.

    Args:
        m: The memory; the impulses are kept in ``PUSHED``.
        W: Half-solved rows, shape (m, n).
        speeds: Of the rows without it, shape (m,); changed to those with it.
        h: Length of the substep, [s].

    Returns:
        What it adds to y, shape (n,).
    """
    y = np.zeros(W.shape[1])
    base, pushed = m.row_values[at.BASE], m.row_values[at.PUSHED]
    pushed[: len(W)] = 0.0
    m.numbers[at.PUSH_WORK] = 0.0
    yields = YIELDS * float(m.numbers[at.STEP]) / h
    pushes: list[tuple[int, Array, float, float]] = []
    i = 0
    while i < len(W):
        count = rows_of(m, i)
        if base[i] > 0.0 and is_far(m, i):
            last = min(count, 2)  # the normal of a pyramid is half the sum of two opposite rows
            w, speed = W[i : i + last].mean(axis=0), float(speeds[i : i + last].mean())
            along = across = float(w @ w)
            if last == 2:
                mu = float(m.contact[int(m.row_of[i]), at.CONTACT_FRICTION])
                across = max((0.5 * float(W[i] @ W[i] + W[i + 1] @ W[i + 1]) - along) / mu**2, 0.0)
            # What a push straight at a pivot turns must not slide away under it faster than it may come out.
            base[i] *= math.sqrt(along / across) if along < across else 1.0
            pushes.append((i, w, speed, yields * max(along, STIFF * across)))
        i += count
    if not pushes:
        return y
    for _ in range(SWEEPS):
        for i, w, speed, soft in pushes:
            if soft <= 1e-300:
                continue
            change = (base[i] - speed - w @ y - soft * pushed[i]) / (w @ w + soft)
            change = max(change, -pushed[i])
            pushed[i] += change
            y += change * w
    for i, *_ in pushes:
        m.numbers[at.PUSH_WORK] += pushed[i] * base[i]
        base[i : i + rows_of(m, i)] = NOTHING if is_buried(m, i) else 0.0
    speeds += W @ y
    return y


def rows_of(m: Memory, i: int) -> int:
    """Return how many rows begin at a row for one contact or limit."""
    if m.row_kind[i] != at.CONTACT_KIND:
        return 1
    return int(m.contact_state[int(m.row_of[i]), at.CONTACT_ROWS])


def tell_pushes(m: Memory) -> None:
    """Add the impulses of pushes to the multipliers of their rows."""
    for i in range(int(m.head[at.ROWS])):
        push = m.row_values[at.PUSHED, i]
        if push > 0.0:
            last = min(rows_of(m, i), 2)
            m.row_values[at.MULTIPLIER, i : i + last] += push / last


def allowed_work(m: Memory) -> float:
    """Return the work of locks, and of what pushes out what is far where it must not be, [J]."""
    count = int(m.head[at.ROWS])
    locks = m.row_kind[:count] == at.LOCK_ROW
    work = (m.row_values[at.MULTIPLIER, :count] * m.row_values[at.BASE, :count])[locks]
    return float(np.maximum(work, 0.0).sum()) + float(m.numbers[at.PUSH_WORK])
