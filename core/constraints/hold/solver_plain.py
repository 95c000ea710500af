"""The solver of locks on the packed blocks of a problem, with numpy."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from core.constraints.hold import rows_plain
from core.constraints.hold.packed import (
    CONE,
    CONE_ROW,
    FIRST,
    FIRST_SOFT,
    FORM,
    GAIN,
    GOAL,
    HARD,
    INEQUALITY,
    LOCKS,
    LOWER,
    MASKED,
    MIDDLE,
    MORE,
    OWNER,
    SCALE,
    SIZE,
    SOFT,
    STATE,
    UNEVEN,
    UNIT,
    UPPER,
    Hold,
    views,
)
from core.constraints.hold.rows import AIM, AXIS, DISTANCE, ROTATION
from core.constraints.hold.steps_plain import LOOK, PROJECT, Terms, restore, run
from core.kinematics.nodes_plain import clamp_values
from core.skeleton.skeleton import Array
from core.skeleton.tree import Ints


def hold(
    ints: Ints,
    floats: Array,
    q: Array,
    start: Array,
    out: Array,
    tolerance: float,
    most: int,
    most_drag: int,
    mode: int,
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
    h = views(ints, floats)
    node = h.node
    out[: len(q)] = q
    x = q[h.q_index] / node[UNIT]
    if mode == LOOK:
        h.vector[STATE] = x
        report(ints, floats, out[len(q) :], 0)
        return

    def values(x: Array) -> tuple[Array, Callable[[], Array]]:
        h.vector[STATE] = x
        rows_plain.evaluate(ints, floats, 0)
        C = h.values[0].copy()

        def jacobian() -> Array:
            h.vector[STATE] = x
            rows_plain.evaluate(ints, floats, 0)
            rows_plain.columns(ints, floats, 0)
            return (h.T if h.header[MASKED] else h.J).copy()

        return C, jacobian

    def clamp(x: Array) -> None:
        clamp_values(node[LOWER], node[UPPER], h.partner, node[CONE], x)

    clamp(x)
    rest = start[h.q_index] / node[UNIT] if len(start) else x.copy()
    pull = node[MORE] + (1.0 if len(start) or mode == PROJECT else 0.0)
    comfort = node[MORE] / np.where(pull > 0.0, pull, 1.0)
    rest = rest + comfort * (node[MIDDLE] - rest)
    lower, upper = node[LOWER].copy(), node[UPPER].copy()
    for k, side in zip(h.bend[:, 0], h.side[:, 0], strict=True):
        if side > 0.0:
            lower[k] = max(lower[k], min(0.0, x[k], rest[k]))
        else:
            upper[k] = min(upper[k], max(0.0, x[k], rest[k]))
    T = Terms(
        values=values,
        hard=int(h.header[HARD]),
        parts=tuple((int(entry[FIRST]), int(entry[SIZE])) for entry in h.entry),
        inequality=h.row[UNEVEN] != 0.0,
        softness=h.row[SOFT].copy(),
        mask=h.mask if h.header[MASKED] else None,
        K=node[GAIN].copy(),
        lower=lower,
        upper=upper,
        clamp=clamp,
        pull=pull,
        rest=rest,
        warm=np.zeros(len(h.row[SOFT])),
        always=0.0 if len(start) else 1.0,
        bends=tuple(zip(map(tuple, h.bend.tolist()), map(tuple, h.side.tolist()), strict=True)),
    )
    p, used = run(T, x.copy(), mode, tolerance, most, most_drag)
    if mode == PROJECT and p.worst > tolerance and len(h.bend):
        # Past straight rather than not at all.
        p, more = restore(T._replace(lower=node[LOWER], upper=node[UPPER]), p, tolerance, most)
        used += more
    h.vector[STATE] = p.x
    if used:
        # Lengths come back from units of W: rounding must not carry them over a limit.
        lower, upper = h.limits[0, h.q_index], h.limits[1, h.q_index]
        moved = np.clip(p.x * node[UNIT], lower, upper)
        out[h.q_index] = np.where((T.K > 0.0) & (p.x != x), moved, q[h.q_index])
    report(ints, floats, out[len(q) :], used)


def report(ints: Ints, floats: Array, out: Array, used: int) -> None:
    """Write what is left of the locks in slot 0.

    Args:
        ints: Block of whole numbers.
        floats: Block of floating-point numbers.
        out: Overwritten: for each lock the way [m] and the rotation vector [rad] that are missing, in the world; then
            the lengths of all ways, of all rotation vectors; largest error of a hard row, of a goal, and ``used``.
        used: Steps taken.
    """
    h = views(ints, floats)
    rows_plain.evaluate(ints, floats, 0)
    locks = int(h.header[LOCKS])
    errors, lengths = out[: 6 * locks].reshape(locks, 6), out[6 * locks : 8 * locks].reshape(2, locks)
    out[:] = 0.0
    for e, entry in enumerate(h.entry):
        if entry[FORM] == CONE_ROW:
            continue
        rows = slice(entry[FIRST], entry[FIRST] + entry[SIZE])
        C = np.maximum(h.values[0, rows], 0.0) if entry[INEQUALITY] else h.values[0, rows]
        length = math.sqrt(float(C @ C))
        if e < h.header[FIRST_SOFT]:
            out[8 * locks] = max(out[8 * locks], length)
        length *= h.row[SCALE, entry[FIRST]]
        if entry[GOAL]:
            out[8 * locks + 1] = max(out[8 * locks + 1], length)
            continue
        part = int(entry[FORM] in (ROTATION, AXIS, AIM))
        lengths[part, entry[OWNER]] = math.hypot(lengths[part, entry[OWNER]], length)
        errors[entry[OWNER], 3 * part : 3 * part + 3] += _missing(h, e, C) * h.row[SCALE, entry[FIRST]]
    out[8 * locks + 2] = used


def _missing(h: Hold, e: int, C: Array) -> Array:
    """Return the way in the world that an entry misses."""
    form = h.entry[e, FORM]
    if form in (AXIS, AIM):
        # The rows say where the direction lies, told along the columns of the basis; the axis must turn there.
        basis = rows_plain.turned(h, e)
        return np.asarray(C[0] * basis[:, 1] - C[1] * basis[:, 0])
    if form == ROTATION:
        return -C
    if form == DISTANCE:
        first, second = rows_plain.points(h, e)
        length = math.sqrt(float((first - second) @ (first - second)))
        return -C[0] * (first - second) / (length or 1.0)
    rows = slice(h.entry[e, FIRST], h.entry[e, FIRST] + h.entry[e, SIZE])
    return np.asarray(-C @ h.directions[rows])
