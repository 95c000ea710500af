"""The solver of locks."""

from __future__ import annotations

import math

from core.constraints.hold.packed import AIM, AXIS, CALL, CONE_ROW, DISTANCE, EQUATION, LOOK, PROJECT, ROTATION, Hold
from core.constraints.hold.pose_steps_kernel import NOW, drag, project, restore
from core.constraints.hold.rows_kernel import evaluate, world_axis, world_point
from core.kernels import F1, THREE, kernel
from core.kinematics.nodes_kernel import clamp_values


@kernel(internal=True)
def missing(h: Hold, e: int) -> THREE:
    """Return the way in the world that an entry misses; nothing for a function."""
    entry, C = h.entries[e], h.C[NOW]
    form, row, node = entry.form, entry.first, entry.node
    if form == AXIS or form == AIM:
        a, b, c = world_axis(h.R, h.base, node, h.basis, e, 0)
        x, y, z = world_axis(h.R, h.base, node, h.basis, e, 1)
        u, v = C[row], C[row + 1]
        return u * x - v * a, u * y - v * b, u * z - v * c
    if form == ROTATION:
        return -C[row], -C[row + 1], -C[row + 2]
    if form == DISTANCE:
        a, b, c = world_point(h.X, h.base, node, h.point, e)
        x, y, z = world_point(h.X, h.base, entry.other, h.other_point, e)
        a, b, c = a - x, b - y, c - z
        factor = -C[row] / max(math.sqrt(a * a + b * b + c * c), 1e-300)
        return factor * a, factor * b, factor * c
    x = y = z = 0.0
    if form == CALL or form == EQUATION:
        return x, y, z
    for i in range(row, row + entry.size):
        x -= C[i] * h.directions[i, 0]
        y -= C[i] * h.directions[i, 1]
        z -= C[i] * h.directions[i, 2]
    return x, y, z


@kernel(linked=True)
def report(h: Hold, out: F1, first: int, used: int) -> None:
    """Write what is left of the locks in pose ``NOW``.

    Args:
        h: The problem.
        out: Overwritten from ``first`` on: for each lock the way [m] and the rotation vector [rad] that are missing, in
            the world; then the lengths of all ways, of all rotation vectors; largest error of a hard row, of a goal,
            and ``used``.
        first: Number of pose values in front.
        used: Steps taken.
    """
    evaluate(h, NOW)
    C, locks = h.C[NOW], h.state.lock_count
    lengths, end = first + 6 * locks, first + 8 * locks
    for i in range(first, end + 3):
        out[i] = 0.0
    for e in range(len(h.entries)):
        entry = h.entries[e]
        row, size = entry.first, entry.size
        if entry.form == CONE_ROW:
            continue
        total = 0.0
        for i in range(row, row + size):
            if entry.inequality != 0:
                C[i] = max(C[i], 0.0)
            total += C[i] * C[i]
        length = math.sqrt(total)
        if e < h.state.first_soft:
            out[end] = max(out[end], length)
        unit = h.scale[row]
        length *= unit
        if entry.goal != 0:
            out[end + 1] = max(out[end + 1], length)
            continue
        part, lock = entry.angle, entry.owner
        at = lengths + part * locks + lock
        out[at] = math.sqrt(out[at] * out[at] + length * length)
        x, y, z = missing(h, e)
        at = first + 6 * lock + 3 * part
        out[at] += x * unit
        out[at + 1] += y * unit
        out[at + 2] += z * unit
    out[end + 2] = used


@kernel
def hold(
    h: Hold, q: F1, start: F1, out: F1, tolerance: float, most: int, most_drag: int, mode: int,
) -> None:  # fmt: skip
    """Solve a problem.

    Of all poses that keep the rows, that where ``sum pull (x - rest)^2 / K`` is least, at first order: nodes are drawn
    to ``start``, and by comfort to the middles of their ranges (Liegeois 1977, Automatic supervisory control of the
    configuration and behavior of multibody mechanisms).

    Args:
        h: The problem.
        q: Pose inside its limits, shape (nq,).
        start: Pose to be drawn to, shape (nq,); empty for none: a projection is drawn to ``q``, a drag to nothing.
        out: Overwritten: the pose, and what ``report`` writes, shape (nq + 8 locks + 3,).
        tolerance: [W].
        most: Most steps of a projection or restoration.
        most_drag: Most steps of a drag.
        mode: ``LOOK`` moves nothing, ``PROJECT`` or ``DRAG``.
    """
    x, before, rest = h.x[NOW], h.before, h.rest
    number, nq, used = len(x), len(q), 0
    for i in range(nq):
        out[i] = q[i]
    for k in range(number):
        x[k] = q[h.q_index[k]] / h.unit[k]
    if mode != LOOK:
        clamp_values(h.lower, h.upper, h.partner, h.cone, x)
        drawn = 1.0 if len(start) > 0 or mode == PROJECT else 0.0
        for k in range(number):
            before[k] = x[k]
            rest[k] = start[h.q_index[k]] / h.unit[k] if len(start) > 0 else x[k]
            pull = h.pull[k] = drawn + h.comfort[k]
            if h.comfort[k] > 0.0:  # the sum of two squares is again one
                rest[k] += h.comfort[k] / pull * (h.middle[k] - rest[k])
            h.least[k], h.most[k] = h.lower[k], h.upper[k]
        for b in range(len(h.bend)):
            k = h.bend[b, 0]
            if h.side[b, 0] > 0.0:
                h.least[k] = max(h.lower[k], min(0.0, min(x[k], rest[k])))
            else:
                h.most[k] = min(h.upper[k], max(0.0, max(x[k], rest[k])))
        for i in range(len(h.warm)):
            h.warm[i] = 0.0
        cost, worst = evaluate(h, NOW)
        if mode == PROJECT:
            cost, worst, used, _ = project(h, tolerance, most, cost, worst)
            if worst > tolerance and len(h.bend) > 0:
                # Past straight rather than not at all.
                for k in range(number):
                    h.least[k], h.most[k] = h.lower[k], h.upper[k]
                cost, worst = evaluate(h, NOW)
                _, _, more, _ = restore(h, NOW, tolerance, most, cost, worst, True)
                used += more
        else:
            cost, worst, used, _ = restore(h, NOW, tolerance, most, cost, worst, True)
            _, _, more, _ = drag(h, tolerance, most_drag, most, 1.0 - drawn, cost, worst)
            used += more
        for k in range(number):
            # Lengths come back from units of W: rounding must not carry them over a limit.
            i = h.q_index[k]
            if x[k] != before[k] and h.gain[k] > 0.0:
                out[i] = min(max(x[k] * h.unit[k], h.limits[0, i]), h.limits[1, i])
    report(h, out, nq, used)
