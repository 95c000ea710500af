"""Steps of the solver of locks. Values and errors lie in slots of the problem's blocks."""

from __future__ import annotations

import math

from core.constraints.hold.box_qp_kernel import box_qp
from core.constraints.hold.packed import (
    CONE,
    DESIRED,
    FIRST,
    FIRST_SOFT,
    FORMER,
    GAIN,
    HARD,
    HIGH,
    LAMBDA,
    LEAST,
    LOW,
    LOWER,
    MASKED,
    MOBILITY,
    MOST,
    PULL,
    REST,
    RIGHT,
    SIZE,
    SOFT,
    SOFTNESS,
    STATE,
    STEP,
    UNEVEN,
    UPPER,
    WARM,
    unpack,
)
from core.constraints.hold.rows_kernel import columns, evaluate
from core.kernels import F1, F2, I1, I2, PAIR, kernel
from core.kinematics.nodes_kernel import clamp_values

BENDING = 4
"""Steps in which what was bent may not straighten."""
WORTH_BENDING, BETTER = 1e-4, 0.99
"""Merit from which on bending is tried, and what part of it must remain at most."""
CLOSE = 1e-6
"""Error of the locks [W] between the steps of a drag; at the end they hold to the tolerance."""
HARDER, SOFTER = 0.05, 20.0
"""How R changes when a step is kept, and when it is refused."""
LEFT = 1e-2
"""Error of the locks [W] that a step toward that pose may leave."""
LONGEST_PULL = 0.3
"""Largest error of a goal that one step goes for, [rad] or [W]."""
MOST_BEND = 1.0
"""Most that they are bent, [rad]."""
NEAR = 1e-3
"""Error of the locks [W] from which on a projection looks for the nearest pose that holds."""
NUDGE = math.radians(3.0)
"""How far straight elbows and knees are bent at least to get them going."""
PULLS = 4
"""Most steps toward it."""
REFUSED = 1e4
"""Damping of a drag at which it is given up."""
RESTORING = 6
"""Most steps of a restoration inside a drag."""
STILL, SETTLED = 1e-5, 1e-5
"""Largest change of a value, and part of the merit, from which on more steps change nothing that matters."""
SHIN = 0.4
"""About the length of what a knee bends [W]: a bend of t shortens the leg by its part t^2 / 4."""
SOFTEST = 1e15
"""Most that R may grow by, until nothing helps any more."""
STALLED = 1e-9
"""Part of the error that a least-squares compromise must gain in a step to go on."""
TRUST = 0.25
"""Largest change of a value in one step, [rad] or [W]."""
WORSE = 1.0 + 1e-4
"""By what factor the squares of a compromise may grow in a step of a drag."""
HARDNESS = 1e-9
"""R of the hard rows, as a part of the mean diagonal of J K J'; one value for all, or the merit would be another norm
than the one that steps lessen, and steps would be refused for ever."""

NOW, NEW, TRIAL, KEPT = range(4)
"""Slots: the point that is worked on, where a step leads, what a restoration tries, a point to go back to."""

FOUND = tuple[float, float, int, bool]
"""Cost, largest error, steps taken, and whether the frames are those of the point."""


@kernel(inline=True)
def copy(vector: F2, values: F2, a: int, b: int) -> None:
    """Copy slot a to slot b."""
    for k in range(vector.shape[1]):
        vector[STATE + b, k] = vector[STATE + a, k]
    for i in range(values.shape[1]):
        values[b, i] = values[a, i]


@kernel(inline=True)
def apart(vector: F2, a: int, b: int) -> float:
    """Return the largest difference between the values of two slots."""
    largest = 0.0
    for k in range(vector.shape[1]):
        largest = max(largest, abs(vector[STATE + a, k] - vector[STATE + b, k]))
    return largest


@kernel(linked=True)
def step_to(ints: I1, floats: F1, slot: int, to: int, rows: int, factor: float) -> None:
    """Write where a step from ``slot`` leads into the slot ``to``; desired step and K lie in ``vector``; limits hold.

    Args:
        ints: Block of whole numbers.
        floats: Block of floating-point numbers.
        slot: Where to start; the Jacobian is that of its values.
        to: Slot that is written.
        rows: How many rows count.
        factor: How much softer than usual the hard rows are.
    """
    h = unpack(ints, floats)
    x, new, C = h.vector[STATE + slot], h.vector[STATE + to], h.values[slot]
    K, low, high, dq = h.vector[MOBILITY], h.vector[LOW], h.vector[HIGH], h.vector[STEP]
    c, R, lam, J = h.values[RIGHT], h.values[SOFTNESS], h.values[LAMBDA], h.J
    hard, masked = h.header[HARD], h.header[MASKED] != 0
    for k in range(len(x)):
        low[k] = max(h.vector[LEAST, k] - x[k], -TRUST)
        high[k] = min(h.vector[MOST, k] - x[k], TRUST)
    diagonal = 0.0
    for i in range(rows):
        c[i], R[i], lam[i] = C[i], h.row[SOFT, i], h.values[WARM, i] if rows > hard else 0.0
    for i in range(hard):
        for k in range(len(x)):
            diagonal += J[i, k] * J[i, k] * K[k]
    diagonal = diagonal / hard if diagonal > 0.0 else 1.0
    for i in range(hard):
        R[i] = factor * HARDNESS * diagonal
    for e in range(h.header[FIRST_SOFT], len(h.entry)):
        first, size = h.entry[e, FIRST], h.entry[e, SIZE]
        if first < rows:
            length = 0.0
            for i in range(first, first + size):
                length += c[i] * c[i]
            length = math.sqrt(length)
            if length > LONGEST_PULL:
                for i in range(first, first + size):
                    c[i] *= LONGEST_PULL / length
    box_qp(ints, floats, rows)
    if masked:
        # What the others do to a row that only some may help comes on top of what these must do.
        own = h.values[KEPT + 1]
        for i in range(rows):
            own[i] = c[i]
        for _ in range(2):
            for i in range(rows):
                total = own[i]
                for k in range(len(x)):
                    total += (h.T[i, k] - J[i, k]) * dq[k]
                c[i] = total
            box_qp(ints, floats, rows)
    if rows > hard:
        for i in range(rows):
            h.values[WARM, i] = lam[i]
    for k in range(len(x)):
        new[k] = x[k] + dq[k]
    clamp_values(h.vector[LEAST], h.vector[MOST], h.partner, h.node[CONE], new)


@kernel(linked=True)
def restore(
    ints: I1, floats: F1, slot: int, tolerance: float, most: int, cost: float, worst: float, fresh: bool,
) -> FOUND:  # fmt: skip
    """Bring a slot to the point nearest at first order where the hard rows hold, or to a least-squares compromise.

    Levenberg and Marquardt's method: the rows get softer until a step lessens their error.

    Args:
        ints: Block of whole numbers.
        floats: Block of floating-point numbers.
        slot: Where the point lies, before and after.
        tolerance: Largest error, [W] or [rad].
        most: Most steps.
        cost: Sum of squares of the hard rows there.
        worst: Their largest error there.
        fresh: Whether the frames are those of the slot.

    Returns:
        Cost and largest error, the steps taken, and whether the frames are those of the slot.
    """
    h = unpack(ints, floats)
    factor, used, jacobian = 1.0, 0, False
    while worst > tolerance and used < most and factor < SOFTEST:
        used += 1
        if not jacobian:
            if not fresh:
                evaluate(ints, floats, slot)
            columns(ints, floats, slot)
            jacobian = True
        for k in range(h.vector.shape[1]):
            h.vector[DESIRED, k] = 0.0
            h.vector[MOBILITY, k] = h.node[GAIN, k]
        step_to(ints, floats, slot, TRIAL, h.header[HARD], factor)
        new_cost, new_worst = evaluate(ints, floats, TRIAL)
        fresh = False
        if new_cost < cost:
            stalled = cost - new_cost <= STALLED * cost
            copy(h.vector, h.values, TRIAL, slot)
            cost, worst, factor = new_cost, new_worst, max(1.0, HARDER * factor)
            jacobian, fresh = False, True
            if stalled:
                break
        else:
            factor *= SOFTER
    return cost, worst, used, fresh


@kernel(linked=True)
def project(ints: I1, floats: F1, tolerance: float, most: int, cost: float, worst: float) -> FOUND:
    """Bring slot ``NOW`` to a pose that holds the hard rows, near the pose it is drawn to; see ``restore``."""
    h = unpack(ints, floats)
    x, rest, pull = h.vector[STATE + NOW], h.vector[REST], h.vector[PULL]
    if worst <= tolerance:
        away = 0.0
        for k in range(len(x)):
            away = max(away, abs(x[k] - rest[k]))
        if away == 0.0:
            return cost, worst, 0, True
    near = max(tolerance, NEAR)
    cost, worst, used, fresh = restore(ints, floats, NOW, near, most, cost, worst, True)
    if worst > near:
        return cost, worst, used, fresh
    kept_cost, kept_worst = cost, worst
    copy(h.vector, h.values, NOW, KEPT)
    for _ in range(min(PULLS, most - used)):
        if not fresh:
            evaluate(ints, floats, NOW)
        columns(ints, floats, NOW)
        for k in range(len(x)):
            h.vector[DESIRED, k] = rest[k] - x[k] if h.node[GAIN, k] > 0.0 else 0.0
            h.vector[MOBILITY, k] = h.node[GAIN, k] / pull[k]
        step_to(ints, floats, NOW, NEW, h.header[HARD], 1.0)
        new_cost, new_worst = evaluate(ints, floats, NEW)
        fresh = False
        used += 1
        if new_worst > LEFT:
            break
        moved = apart(h.vector, NEW, NOW)
        copy(h.vector, h.values, NEW, NOW)
        cost, worst, fresh = new_cost, new_worst, True
        if moved <= STILL:
            break
    cost, worst, more, fresh = restore(ints, floats, NOW, tolerance, most - used, cost, worst, fresh)
    used += more
    if worst > tolerance:
        copy(h.vector, h.values, KEPT, NEW)
        kept_cost, kept_worst, more, _ = restore(
            ints, floats, NEW, tolerance, most - used, kept_cost, kept_worst, False
        )
        used += more
        fresh = False
        if kept_worst < worst:
            copy(h.vector, h.values, NEW, NOW)
            cost, worst = kept_cost, kept_worst
    return cost, worst, used, fresh


@kernel(inline=True)
def merit(header: I1, node: F2, row: F2, vector: F2, values: F2, slot: int) -> float:
    """Return what a drag lowers: errors of the soft rows, and how far the pose is from where it is drawn to."""
    x, C, total = vector[STATE + slot], values[slot], 0.0
    for i in range(header[HARD], len(C)):
        c = max(C[i], 0.0) if row[UNEVEN, i] != 0.0 else C[i]
        total += c * c / row[SOFT, i]
    for k in range(len(x)):
        if node[GAIN, k] > 0.0:
            away = x[k] - vector[REST, k]
            total += vector[PULL, k] * away * away / node[GAIN, k]
    return 0.5 * total


@kernel(linked=True)
def lead(ints: I1, floats: F1, slot: int, weight: float, close: float, restoring: int, fresh: bool) -> PAIR:
    """One step of a drag from a slot to ``NEW``, the hard rows restored; return cost and largest error there.

    ``weight`` is added to the pull of every value.
    """
    h = unpack(ints, floats)
    x, d, K = h.vector[STATE + slot], h.vector[DESIRED], h.vector[MOBILITY]
    if not fresh:
        evaluate(ints, floats, slot)
    columns(ints, floats, slot)
    for k in range(len(x)):
        gain, pull = h.node[GAIN, k], h.vector[PULL, k]
        d[k] = pull * (h.vector[REST, k] - x[k]) / (pull + weight) if gain > 0.0 else 0.0
        K[k] = gain / (pull + weight)
    step_to(ints, floats, slot, NEW, len(h.row[SOFT]), 1.0)
    cost, worst = evaluate(ints, floats, NEW)
    cost, worst, _, _ = restore(ints, floats, NEW, close, restoring, cost, worst, True)
    return cost, worst


@kernel(inline=True)
def may_bend(node: F2, vector: F2, bends: I2) -> bool:
    """Return whether there is a straight elbow or knee."""
    for b in range(len(bends)):
        if abs(vector[STATE + NOW, bends[b, 0]]) < NUDGE and node[GAIN, bends[b, 0]] > 0.0:
            return True
    return False


@kernel(inline=True)
def bend(header: I1, node: F2, vector: F2, values: F2, bends: I2, side: F2, begin: bool) -> None:
    """Bend what is straight in ``NOW`` in slot ``NEW``, limits with it; or give the limits back.

    How far, the errors in ``NEW`` say.
    """
    off = 0.0
    for i in range(header[HARD], values.shape[1]):
        off = max(off, abs(values[NEW, i]))
    angle = min(MOST_BEND, max(NUDGE, 2.0 * math.sqrt(off / SHIN)))
    for b in range(len(bends)):
        k = bends[b, 0]
        if abs(vector[STATE + NOW, k]) < NUDGE and node[GAIN, k] > 0.0:
            if side[b, 0] > 0.0:
                limit = vector[LEAST, k]
                vector[LEAST, k] = angle if begin else vector[FORMER, k]
            else:
                limit = vector[MOST, k]
                vector[MOST, k] = -angle if begin else vector[FORMER, k]
            vector[FORMER, k] = limit
            if begin:
                vector[STATE + NEW, k] = side[b, 0] * angle
                for j in range(1, 3):
                    other = bends[b, j]
                    if other >= 0 and node[GAIN, other] > 0.0:
                        vector[STATE + NEW, other] += 0.5 * side[b, j] * angle


@kernel(linked=True)
def drag(
    ints: I1, floats: F1, tolerance: float, most: int, restoring: int, always: float, cost: float, worst: float,
) -> FOUND:  # fmt: skip
    """Meet the soft rows as well as the hard ones let them, in slot ``NOW``; see ``restore``.

    Each step goes for the soft rows along the hard ones, which are then restored alone; it is kept if they hold and
    the merit falls (Levenberg and Marquardt). ``restoring`` is the most steps of each restoration; ``always`` keeps
    steps short where nothing draws the pose: 1 for putty, else 0.
    """
    h = unpack(ints, floats)
    close, enough = max(tolerance, CLOSE), min(restoring, RESTORING)
    used, nudged, damping, value = 0, False, 0.0, merit(h.header, h.node, h.row, h.vector, h.values, NOW)
    fresh, limit = False, most
    while used < limit:
        used += 1
        new_cost, new_worst = lead(ints, floats, NOW, always + damping, close, enough, fresh)
        fresh = False
        moved, after = apart(h.vector, NEW, NOW), merit(h.header, h.node, h.row, h.vector, h.values, NEW)
        as_held = new_worst <= close or (worst > close and new_cost <= WORSE * cost)
        kept = as_held and after < value
        done = moved <= STILL or (kept and value - after <= SETTLED * value) or (not kept and damping > REFUSED)
        if kept:
            copy(h.vector, h.values, NEW, NOW)
            cost, worst, value = new_cost, new_worst, after
            damping = 0.25 * damping if damping > 1e-2 else 0.0
        else:
            damping = max(1.0, 8.0 * damping)
        if done or not kept or used == limit:
            bent = not nudged and value > WORTH_BENDING and may_bend(h.node, h.vector, h.bend)
            nudged = True
            if bent:
                for k in range(h.vector.shape[1]):
                    h.vector[STATE + NEW, k] = h.vector[STATE + NOW if always > 0.0 else REST, k]
                evaluate(ints, floats, NEW)
                bend(h.header, h.node, h.vector, h.values, h.bend, h.side, True)
                clamp_values(h.node[LOWER], h.node[UPPER], h.partner, h.node[CONE], h.vector[STATE + NEW])
                evaluate(ints, floats, NEW)
                for i in range(BENDING + 1):
                    if i == BENDING:
                        bend(h.header, h.node, h.vector, h.values, h.bend, h.side, False)
                    copy(h.vector, h.values, NEW, KEPT)
                    new_cost, new_worst = lead(ints, floats, KEPT, always, close, enough, False)
                after = merit(h.header, h.node, h.row, h.vector, h.values, NEW)
                bent = new_worst <= close or (worst > close and new_cost <= WORSE * cost)
                bent = bent and after < BETTER * value
            if bent:
                copy(h.vector, h.values, NEW, NOW)
                cost, worst, value, damping, limit = new_cost, new_worst, after, 0.0, used + most
            elif done:
                break
    cost, worst, _, fresh = restore(ints, floats, NOW, tolerance, restoring, cost, worst, False)
    return cost, worst, used, fresh
