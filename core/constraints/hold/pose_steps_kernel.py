"""Steps of the solver of locks, between poses that the problem's memory has room for."""

from __future__ import annotations

import math

from core.constraints.hold.box_qp_kernel import box_qp
from core.constraints.hold.packed import Hold
from core.constraints.hold.rows_kernel import columns, evaluate
from core.kernels import PAIR, kernel
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
"""Poses: the one that is worked on, where a step leads, what a restoration tries, one to go back to."""

FOUND = tuple[float, float, int, bool]
"""Cost, largest error, steps taken, and whether the frames are those of the point."""


@kernel(inline=True)
def copy(h: Hold, a: int, b: int) -> None:
    """Copy pose a to pose b."""
    x, C = h.x, h.C
    for k in range(x.shape[1]):
        x[b, k] = x[a, k]
    for i in range(C.shape[1]):
        C[b, i] = C[a, i]


@kernel(inline=True)
def apart(h: Hold, a: int, b: int) -> float:
    """Return the largest difference between the values of two poses."""
    x, largest = h.x, 0.0
    for k in range(x.shape[1]):
        largest = max(largest, abs(x[a, k] - x[b, k]))
    return largest


@kernel(linked=True, python=True)
def step_to(h: Hold, pose: int, to: int, rows: int, factor: float) -> None:
    """Write where a step from ``pose`` leads into the pose ``to``; ``desired`` and ``mobility`` are given; limits hold.

    Args:
        h: The problem.
        pose: Where to start; the Jacobian is that of its values.
        to: Pose that is written.
        rows: How many rows count.
        factor: How much softer than usual the hard rows are.
    """
    x, new, C = h.x[pose], h.x[to], h.C[pose]
    K, low, high, dq = h.mobility, h.low, h.high, h.step
    c, R, lam, J = h.right_side, h.softness, h.multiplier, h.J
    hard, masked = h.state.hard_count, h.state.mask_count != 0
    for k in range(len(x)):
        low[k] = max(h.least[k] - x[k], -TRUST)
        high[k] = min(h.most[k] - x[k], TRUST)
    diagonal = 0.0
    for i in range(rows):
        c[i], R[i], lam[i] = C[i], h.soft[i], h.warm[i] if rows > hard else 0.0
    for i in range(hard):
        for k in range(len(x)):
            diagonal += J[i, k] * J[i, k] * K[k]
    diagonal = diagonal / hard if diagonal > 0.0 else 1.0
    for i in range(hard):
        R[i] = factor * HARDNESS * diagonal
    for e in range(h.state.first_soft, len(h.entries)):
        first, size = h.entries[e].first, h.entries[e].size
        if first < rows:
            length = 0.0
            for i in range(first, first + size):
                length += c[i] * c[i]
            length = math.sqrt(length)
            if length > LONGEST_PULL:
                for i in range(first, first + size):
                    c[i] *= LONGEST_PULL / length
    box_qp(h, rows)
    if masked:
        # What the others do to a row that only some may help comes on top of what these must do.
        own, J, T = h.own, h.J, h.T
        for i in range(rows):
            own[i] = c[i]
        for _ in range(2):
            for i in range(rows):
                total = own[i]
                for k in range(len(x)):
                    total += (T[i, k] - J[i, k]) * dq[k]
                c[i] = total
            box_qp(h, rows)
    if rows > hard:
        for i in range(rows):
            h.warm[i] = lam[i]
    for k in range(len(x)):
        new[k] = x[k] + dq[k]
    clamp_values(h.least, h.most, h.partner, h.cone, new)


@kernel(linked=True)
def restore(
    h: Hold, pose: int, tolerance: float, most: int, cost: float, worst: float, fresh: bool,
) -> FOUND:  # fmt: skip
    """Bring a pose to the point nearest at first order where the hard rows hold, or to a least-squares compromise.

    Levenberg and Marquardt's method: the rows get softer until a step lessens their error.

    Args:
        h: The problem.
        pose: Where the point lies, before and after.
        tolerance: Largest error, [W] or [rad].
        most: Most steps.
        cost: Sum of squares of the hard rows there.
        worst: Their largest error there.
        fresh: Whether the frames are those of the pose.

    Returns:
        Cost and largest error, the steps taken, and whether the frames are those of the pose.
    """
    factor, used, jacobian = 1.0, 0, False
    while worst > tolerance and used < most and factor < SOFTEST:
        used += 1
        if not jacobian:
            if not fresh:
                evaluate(h, pose)
            columns(h, pose)
            jacobian = True
        for k in range(len(h.gain)):
            h.desired[k] = 0.0
            h.mobility[k] = h.gain[k]
        step_to(h, pose, TRIAL, h.state.hard_count, factor)
        new_cost, new_worst = evaluate(h, TRIAL)
        fresh = False
        if new_cost < cost:
            stalled = cost - new_cost <= STALLED * cost
            copy(h, TRIAL, pose)
            cost, worst, factor = new_cost, new_worst, max(1.0, HARDER * factor)
            jacobian, fresh = False, True
            if stalled:
                break
        else:
            factor *= SOFTER
    return cost, worst, used, fresh


@kernel(linked=True)
def project(h: Hold, tolerance: float, most: int, cost: float, worst: float) -> FOUND:
    """Bring pose ``NOW`` to a pose that holds the hard rows, near the pose it is drawn to; see ``restore``."""
    x, rest, pull = h.x[NOW], h.rest, h.pull
    if worst <= tolerance:
        away = 0.0
        for k in range(len(x)):
            away = max(away, abs(x[k] - rest[k]))
        if away == 0.0:
            return cost, worst, 0, True
    near = max(tolerance, NEAR)
    cost, worst, used, fresh = restore(h, NOW, near, most, cost, worst, True)
    if worst > near:
        return cost, worst, used, fresh
    kept_cost, kept_worst = cost, worst
    copy(h, NOW, KEPT)
    for _ in range(min(PULLS, most - used)):
        if not fresh:
            evaluate(h, NOW)
        columns(h, NOW)
        for k in range(len(x)):
            h.desired[k] = rest[k] - x[k] if h.gain[k] > 0.0 else 0.0
            h.mobility[k] = h.gain[k] / pull[k]
        step_to(h, NOW, NEW, h.state.hard_count, 1.0)
        new_cost, new_worst = evaluate(h, NEW)
        fresh = False
        used += 1
        if new_worst > LEFT:
            break
        moved = apart(h, NEW, NOW)
        copy(h, NEW, NOW)
        cost, worst, fresh = new_cost, new_worst, True
        if moved <= STILL:
            break
    cost, worst, more, fresh = restore(h, NOW, tolerance, most - used, cost, worst, fresh)
    used += more
    if worst > tolerance:
        copy(h, KEPT, NEW)
        kept_cost, kept_worst, more, _ = restore(h, NEW, tolerance, most - used, kept_cost, kept_worst, False)
        used += more
        fresh = False
        if kept_worst < worst:
            copy(h, NEW, NOW)
            cost, worst = kept_cost, kept_worst
    return cost, worst, used, fresh


@kernel(inline=True)
def merit(h: Hold, pose: int) -> float:
    """Return what a drag lowers: errors of the soft rows, and how far the pose is from where it is drawn to."""
    x, C, total = h.x[pose], h.C[pose], 0.0
    for i in range(h.state.hard_count, len(C)):
        c = max(C[i], 0.0) if h.uneven[i] != 0.0 else C[i]
        total += c * c / h.soft[i]
    for k in range(len(x)):
        if h.gain[k] > 0.0:
            away = x[k] - h.rest[k]
            total += h.pull[k] * away * away / h.gain[k]
    return 0.5 * total


@kernel(linked=True)
def lead(h: Hold, pose: int, weight: float, close: float, restoring: int, fresh: bool) -> PAIR:
    """One step of a drag from a pose to ``NEW``, the hard rows restored; return cost and largest error there.

    ``weight`` is added to the pull of every value.
    """
    x, d, K = h.x[pose], h.desired, h.mobility
    if not fresh:
        evaluate(h, pose)
    columns(h, pose)
    for k in range(len(x)):
        gain, pull = h.gain[k], h.pull[k]
        d[k] = pull * (h.rest[k] - x[k]) / (pull + weight) if gain > 0.0 else 0.0
        K[k] = gain / (pull + weight)
    step_to(h, pose, NEW, len(h.soft), 1.0)
    cost, worst = evaluate(h, NEW)
    cost, worst, _, _ = restore(h, NEW, close, restoring, cost, worst, True)
    return cost, worst


@kernel(inline=True)
def may_bend(h: Hold) -> bool:
    """Return whether there is a straight elbow or knee."""
    for b in range(len(h.bend)):
        k = h.bend[b, 0]
        if abs(h.x[NOW, k]) < NUDGE and h.gain[k] > 0.0:
            return True
    return False


@kernel(inline=True)
def bend(h: Hold, begin: bool) -> None:
    """Bend what is straight in ``NOW`` in pose ``NEW``, limits with it; or give the limits back.

    How far, the errors in ``NEW`` say.
    """
    bends, side, off = h.bend, h.side, 0.0
    for i in range(h.state.hard_count, len(h.soft)):
        off = max(off, abs(h.C[NEW, i]))
    angle = min(MOST_BEND, max(NUDGE, 2.0 * math.sqrt(off / SHIN)))
    for b in range(len(bends)):
        k = bends[b, 0]
        if abs(h.x[NOW, k]) < NUDGE and h.gain[k] > 0.0:
            if side[b, 0] > 0.0:
                limit = h.least[k]
                h.least[k] = angle if begin else h.former[k]
            else:
                limit = h.most[k]
                h.most[k] = -angle if begin else h.former[k]
            h.former[k] = limit
            if begin:
                h.x[NEW, k] = side[b, 0] * angle
                for j in range(1, 3):
                    other = bends[b, j]
                    if other >= 0 and h.gain[other] > 0.0:
                        h.x[NEW, other] += 0.5 * side[b, j] * angle


@kernel(linked=True)
def drag(
    h: Hold, tolerance: float, most: int, restoring: int, always: float, cost: float, worst: float,
) -> FOUND:  # fmt: skip
    """Meet the soft rows as well as the hard ones let them, in pose ``NOW``; see ``restore``.

    Each step goes for the soft rows along the hard ones, which are then restored alone; it is kept if they hold and
    the merit falls (Levenberg and Marquardt). ``restoring`` is the most steps of each restoration; ``always`` keeps
    steps short where nothing draws the pose: 1 for putty, else 0.
    """
    close, enough = max(tolerance, CLOSE), min(restoring, RESTORING)
    used, nudged, damping, value = 0, False, 0.0, merit(h, NOW)
    fresh, limit = False, most
    while used < limit:
        used += 1
        new_cost, new_worst = lead(h, NOW, always + damping, close, enough, fresh)
        fresh = False
        moved, after = apart(h, NEW, NOW), merit(h, NEW)
        as_held = new_worst <= close or (worst > close and new_cost <= WORSE * cost)
        kept = as_held and after < value
        done = moved <= STILL or (kept and value - after <= SETTLED * value) or (not kept and damping > REFUSED)
        if kept:
            copy(h, NEW, NOW)
            cost, worst, value = new_cost, new_worst, after
            damping = 0.25 * damping if damping > 1e-2 else 0.0
        else:
            damping = max(1.0, 8.0 * damping)
        if done or not kept or used == limit:
            bent = not nudged and value > WORTH_BENDING and may_bend(h)
            nudged = True
            if bent:
                for k in range(len(h.gain)):
                    h.x[NEW, k] = h.x[NOW, k] if always > 0.0 else h.rest[k]
                evaluate(h, NEW)
                bend(h, True)
                clamp_values(h.lower, h.upper, h.partner, h.cone, h.x[NEW])
                evaluate(h, NEW)
                for i in range(BENDING + 1):
                    if i == BENDING:
                        bend(h, False)
                    copy(h, NEW, KEPT)
                    new_cost, new_worst = lead(h, KEPT, always, close, enough, False)
                after = merit(h, NEW)
                bent = new_worst <= close or (worst > close and new_cost <= WORSE * cost)
                bent = bent and after < BETTER * value
            if bent:
                copy(h, NEW, NOW)
                cost, worst, value, damping, limit = new_cost, new_worst, after, 0.0, used + most
            elif done:
                break
    cost, worst, _, fresh = restore(h, NOW, tolerance, restoring, cost, worst, False)
    return cost, worst, used, fresh
