"""What is far inside something else, or far over a limit, is pushed out.

Such pushes contradict each other where a body is caught between two others: as rows that must hold they would have no
answer, or one that is faster than any sense. So they act beforehand, each as through a damper: they ask for a speed and
take what all of them together allow. The rows themselves then only ask that nothing comes nearer, which rest would do,
so that the quadratic program has an answer with no more energy than before. Those of what is buried ask for nothing: in
the midst of something every way out would be barred.
"""

from __future__ import annotations

import math

from core.dynamics.engine.memory import APPLIED_ROW, BALL_ROW, CONE_ROW, CONTACT_ROW, LOCK_ROW, LOW_ROW, Memory
from core.kernels import kernel

SWEEPS = 12
"""Sweeps over all that is pushed."""
YIELDS = 2.0
"""How much a push yields in a whole step, as a part of how easily what it pushes moves: a third of the speed that is
missing comes in one. In shorter parts of a step it yields the more, as a damper does, so that parts do not matter."""
NOTHING = -1e9
"""Speed that every motion has more of, [m/s]."""
STIFF = 0.05
"""A push yields as if its contact moved along the normal no less easily than by this part of how it moves across."""
TINY = 1e-300
"""What yields so little cannot move at all."""
FAR_IN, FAR_OVER, BURIED = 0.002, 0.15, 0.02
"""What is deeper inside than this, [m], or farther over a limit, [rad], is pushed out, if need be at the cost of
energy; what is buried, deeper still and not in the floor, may even get in farther at one side to come out elsewhere."""


@kernel(internal=True)
def is_far(memory: Memory, i: int) -> bool:
    """Return whether a row is of something far where it must not be."""
    high, low, x = memory.high, memory.low, memory.x
    kind, of = memory.row_kind[i], memory.row_of[i]
    if kind == CONTACT_ROW:
        return memory.contacts[of].gap < -FAR_IN
    if kind == LOCK_ROW or kind == APPLIED_ROW:
        return False
    if kind == CONE_ROW:
        gap = memory.cones[of].limit - memory.cones[of].swing
    elif kind == BALL_ROW:
        ball, j = memory.balls[of // 6], (of % 6) // 2
        angle = ball.angles[j]
        gap = angle - ball.low[j] if of % 2 == 0 else ball.high[j] - angle
    else:
        gap = x[of] - low[of] if kind == LOW_ROW else high[of] - x[of]
    return gap < -FAR_OVER


@kernel(internal=True)
def is_buried(memory: Memory, i: int) -> bool:
    """Return whether a row is of a contact deep in something that has more than one side."""
    if memory.row_kind[i] != CONTACT_ROW:
        return False
    contact = memory.contacts[memory.row_of[i]]
    return contact.other >= 0.0 and contact.gap < -BURIED


@kernel(internal=True)
def rows_of(memory: Memory, i: int) -> int:
    """Return how many rows begin at a row for one contact or limit."""
    if memory.row_kind[i] != CONTACT_ROW:
        return 1
    return memory.contact_states[memory.row_of[i]].row_count


@kernel(linked=True)
def push_out(memory: Memory, h: float) -> bool:
    """Push out what is far in, by an impulse in ``push``; afterwards its rows only ask that it gets no farther.

    Return whether anything is.
    """
    state = memory.state
    pushed, row_bound, row_speed = memory.pushed, memory.row_bound, memory.row_speed
    n, m = state.node_count, state.row_count
    rows = memory.rows
    y = memory.push
    asks = memory.row_right_side  # how much the rows that push yield: the program writes here afterwards
    state.push_work = 0.0
    far = False
    i = 0
    while i < m:
        count = rows_of(memory, i)
        for j in range(i, i + count):
            pushed[j] = asks[j] = 0.0
        if row_bound[i] > 0.0 and is_far(memory, i):
            asks[i], far = 1.0, True
        i += count
    if not far:
        return False
    for k in range(n):
        y[k] = 0.0
    yields = YIELDS * state.step / h
    contact = memory.contacts
    for i in range(m):
        if asks[i] == 0.0:
            continue
        last = min(rows_of(memory, i), 2)
        along, own = 0.0, 0.0
        for k in range(n):
            w = 0.5 * (rows[i, k] + rows[i + last - 1, k])
            along += w * w
            own += 0.5 * (rows[i, k] * rows[i, k] + rows[i + last - 1, k] * rows[i + last - 1, k])
        across = along
        if last == 2:
            mu = contact[memory.row_of[i]].friction
            across = max((own - along) / (mu * mu), 0.0)
        if along < across:
            row_bound[i] *= math.sqrt(along / across)
        asks[i] = max(yields * max(along, STIFF * across), TINY)
    for _ in range(SWEEPS):
        for i in range(m):
            soft = asks[i]
            if soft <= TINY:
                continue
            other = i + min(rows_of(memory, i), 2) - 1  # half the sum of both is the normal of a pyramid
            squared = along = 0.0
            for k in range(n):
                w = 0.5 * (rows[i, k] + rows[other, k])
                squared += w * w
                along += w * y[k]
            missing = row_bound[i] - 0.5 * (row_speed[i] + row_speed[other]) - along
            change = (missing - soft * pushed[i]) / (squared + soft)
            change = max(change, -pushed[i])
            pushed[i] += change
            for k in range(n):
                y[k] += change * 0.5 * (rows[i, k] + rows[other, k])
    for i in range(m):
        if asks[i] != 0.0:
            state.push_work += pushed[i] * row_bound[i]
            base = NOTHING if is_buried(memory, i) else 0.0
            for j in range(i, i + rows_of(memory, i)):
                row_bound[j] = base
        for k in range(n):
            row_speed[i] += rows[i, k] * y[k]
    return True


@kernel(linked=True)
def add_pushes(memory: Memory) -> None:
    """Add the impulses of pushes to the answer, and to the multipliers of their rows."""
    multiplier, push, pushed, y = memory.multiplier, memory.push, memory.pushed, memory.y
    state = memory.state
    n = state.node_count
    for k in range(n):
        y[k] += push[k]
    for i in range(state.row_count):
        own = pushed[i]
        if own > 0.0:
            last = min(rows_of(memory, i), 2)
            for j in range(i, i + last):
                multiplier[j] += own / last


@kernel(linked=True)
def allowed_work(memory: Memory) -> float:
    """Return the work of locks, and of what pushes out what is far where it must not be, [J]."""
    state = memory.state
    multiplier, row_bound = memory.multiplier, memory.row_bound
    total = state.push_work
    for i in range(state.row_count):
        if memory.row_kind[i] == LOCK_ROW:
            total += max(multiplier[i] * row_bound[i], 0.0)
    return total
