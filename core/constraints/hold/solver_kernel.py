"""The solver of locks on the packed blocks of a problem."""

from __future__ import annotations

import math

from core.constraints.hold.packed import (
    AIM,
    AXIS,
    CONE,
    CONE_ROW,
    DISTANCE,
    FIRST,
    FIRST_SOFT,
    FORM,
    GAIN,
    GOAL,
    INEQUALITY,
    LEAST,
    LOCKS,
    LOOK,
    LOWER,
    MIDDLE,
    MORE,
    MOST,
    NODE,
    OTHER,
    OWNER,
    PROJECT,
    PULL,
    REST,
    ROTATION,
    SCALE,
    SIZE,
    STATE,
    UNIT,
    UPPER,
    WARM,
    unpack,
)
from core.constraints.hold.pose_steps_kernel import KEPT, NOW, drag, project, restore
from core.constraints.hold.rows_kernel import evaluate, world_axis, world_point
from core.kernels import F1, I1, THREE, kernel
from core.kinematics.nodes_kernel import clamp_values


@kernel(internal=True)
def missing(ints: I1, floats: F1, e: int) -> THREE:
    """Return the way in the world that an entry misses."""
    h = unpack(ints, floats)
    form, row, node, C = h.entry[e, FORM], h.entry[e, FIRST], h.entry[e, NODE], h.values[NOW]
    if form == AXIS or form == AIM:
        a, b, c = world_axis(h.R, h.base, node, h.basis, e, 0)
        x, y, z = world_axis(h.R, h.base, node, h.basis, e, 1)
        u, v = C[row], C[row + 1]
        return u * x - v * a, u * y - v * b, u * z - v * c
    if form == ROTATION:
        return -C[row], -C[row + 1], -C[row + 2]
    if form == DISTANCE:
        a, b, c = world_point(h.X, h.base, node, h.point, e)
        x, y, z = world_point(h.X, h.base, h.entry[e, OTHER], h.other_point, e)
        a, b, c = a - x, b - y, c - z
        factor = -C[row] / max(math.sqrt(a * a + b * b + c * c), 1e-300)
        return factor * a, factor * b, factor * c
    x = y = z = 0.0
    for i in range(row, row + h.entry[e, SIZE]):
        x -= C[i] * h.directions[i, 0]
        y -= C[i] * h.directions[i, 1]
        z -= C[i] * h.directions[i, 2]
    return x, y, z


@kernel(linked=True)
def report(ints: I1, floats: F1, out: F1, first: int, used: int) -> None:
    """Write what is left of the locks in slot ``NOW``.

    Args:
        ints: Block of whole numbers.
        floats: Block of floating-point numbers.
        out: Overwritten from ``first`` on: for each lock the way [m] and the rotation vector [rad] that are missing, in
            the world; then the lengths of all ways, of all rotation vectors; largest error of a hard row, of a goal,
            and ``used``.
        first: Number of pose values in front.
        used: Steps taken.
    """
    h = unpack(ints, floats)
    evaluate(ints, floats, NOW)
    C, locks = h.values[NOW], h.header[LOCKS]
    lengths, end = first + 6 * locks, first + 8 * locks
    for i in range(first, end + 3):
        out[i] = 0.0
    for e in range(len(h.entry)):
        form, row, size = h.entry[e, FORM], h.entry[e, FIRST], h.entry[e, SIZE]
        if form == CONE_ROW:
            continue
        total = 0.0
        for i in range(row, row + size):
            if h.entry[e, INEQUALITY] != 0:
                C[i] = max(C[i], 0.0)
            total += C[i] * C[i]
        length = math.sqrt(total)
        if e < h.header[FIRST_SOFT]:
            out[end] = max(out[end], length)
        unit = h.row[SCALE, row]
        length *= unit
        if h.entry[e, GOAL] != 0:
            out[end + 1] = max(out[end + 1], length)
            continue
        part = 1 if form == ROTATION or form == AXIS or form == AIM else 0
        lock = h.entry[e, OWNER]
        at = lengths + part * locks + lock
        out[at] = math.sqrt(out[at] * out[at] + length * length)
        x, y, z = missing(ints, floats, e)
        at = first + 6 * lock + 3 * part
        out[at] += x * unit
        out[at + 1] += y * unit
        out[at + 2] += z * unit
    out[end + 2] = used


@kernel
def hold(
    ints: I1, floats: F1, q: F1, start: F1, out: F1, tolerance: float, most: int, most_drag: int, mode: int,
) -> None:  # fmt: skip
    """Solve the problem that lies in two blocks.

    Args:
        ints: Block of whole numbers.
        floats: Block of floating-point numbers.
        q: Pose inside its limits, shape (nq,).
        start: Pose to be drawn to, shape (nq,); empty for none: a projection is drawn to ``q``, a drag to nothing.
        out: Overwritten: the pose, and what ``report`` writes, shape (nq + 8 locks + 3,).
        tolerance: [W].
        most: Most steps of a projection or restoration.
        most_drag: Most steps of a drag.
        mode: ``LOOK`` moves nothing, ``PROJECT`` or ``DRAG``.
    """
    h = unpack(ints, floats)
    x, before, rest = h.vector[STATE + NOW], h.vector[STATE + KEPT + 1], h.vector[REST]
    number, nq, used = len(x), len(q), 0
    for i in range(nq):
        out[i] = q[i]
    for k in range(number):
        x[k] = q[h.q_index[k]] / h.node[UNIT, k]
    if mode != LOOK:
        clamp_values(h.node[LOWER], h.node[UPPER], h.partner, h.node[CONE], x)
        drawn = 1.0 if len(start) > 0 or mode == PROJECT else 0.0
        for k in range(number):
            before[k] = x[k]
            rest[k] = start[h.q_index[k]] / h.node[UNIT, k] if len(start) > 0 else x[k]
            pull = h.vector[PULL, k] = drawn + h.node[MORE, k]
            if h.node[MORE, k] > 0.0:
                rest[k] += h.node[MORE, k] / pull * (h.node[MIDDLE, k] - rest[k])
            h.vector[LEAST, k], h.vector[MOST, k] = h.node[LOWER, k], h.node[UPPER, k]
        for b in range(len(h.bend)):
            k = h.bend[b, 0]
            if h.side[b, 0] > 0.0:
                h.vector[LEAST, k] = max(h.node[LOWER, k], min(0.0, min(x[k], rest[k])))
            else:
                h.vector[MOST, k] = min(h.node[UPPER, k], max(0.0, max(x[k], rest[k])))
        for i in range(h.values.shape[1]):
            h.values[WARM, i] = 0.0
        cost, worst = evaluate(ints, floats, NOW)
        if mode == PROJECT:
            cost, worst, used, _ = project(ints, floats, tolerance, most, cost, worst)
            if worst > tolerance and len(h.bend) > 0:
                # Past straight rather than not at all.
                for k in range(number):
                    h.vector[LEAST, k], h.vector[MOST, k] = h.node[LOWER, k], h.node[UPPER, k]
                cost, worst = evaluate(ints, floats, NOW)
                _, _, more, _ = restore(ints, floats, NOW, tolerance, most, cost, worst, True)
                used += more
        else:
            cost, worst, used, _ = restore(ints, floats, NOW, tolerance, most, cost, worst, True)
            _, _, more, _ = drag(ints, floats, tolerance, most_drag, most, 1.0 - drawn, cost, worst)
            used += more
        for k in range(number):
            # Lengths come back from units of W: rounding must not carry them over a limit.
            i = h.q_index[k]
            if x[k] != before[k] and h.node[GAIN, k] > 0.0:
                out[i] = min(max(x[k] * h.node[UNIT, k], h.limits[0, i]), h.limits[1, i])
    report(ints, floats, out, nq, used)
