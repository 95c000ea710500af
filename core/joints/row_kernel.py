"""Joints made of others as kernels call them: rows of hinges and slides, joints in a row, reflections and inverses.

See ``core.joints.base.JointModel.evaluation`` for what is written.
"""

from __future__ import annotations

import math

from core.joints.pose_kernel import carried, inverse, product
from core.joints.spline_kernel import bracket, put_pose, put_twist
from core.kernels import EXACT, P1, behind, call_slot, kernel, local


@kernel(internal=True, fastmath=EXACT)
def append(out: P1, part: P1, before: int, own: int, total: int, order: int) -> None:
    """Put a joint behind those before it, of which ``out`` holds Q, S and dS/dq, each as wide as for all of them.

    Args:
        out: Of the joints together, ``total`` coordinates.
        part: Of the joint that comes behind.
        before: How many coordinates come before its own.
        own: How many it has.
        total: How many there are in the end.
        order: 0, 1 or 2: what is written.
    """
    Q = (
        part[0], part[1], part[2], part[3], part[4], part[5], part[6], part[7], part[8], part[9], part[10], part[11],
    )  # fmt: skip
    put_pose(
        out, product(
            (
                out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], out[8], out[9], out[10], out[11],
            ), Q,
        ),
    )  # fmt: skip
    if order < 1:
        return
    back = inverse(Q)
    for i in range(before):
        at = 12 + 6 * i
        S = (out[at], out[at + 1], out[at + 2], out[at + 3], out[at + 4], out[at + 5])
        put_twist(out, at, carried(back, S))
    for i in range(6 * own):
        out[12 + 6 * before + i] = part[12 + i]
    if order < 2:
        return
    grid = 12 + 6 * total
    for i in range(before):
        for k in range(before):
            at = grid + 6 * (i * total + k)
            S = (out[at], out[at + 1], out[at + 2], out[at + 3], out[at + 4], out[at + 5])
            put_twist(out, at, carried(back, S))
    for i in range(own):
        for k in range(before + own):
            at = grid + 6 * ((before + i) * total + k)
            for n in range(6):
                out[at + n] = part[12 + 6 * own + 6 * (i * own + k - before) + n] if k >= before else 0.0
    for i in range(before):
        for k in range(own):
            s, t, at = 12 + 6 * i, 12 + 6 * k, grid + 6 * (i * total + before + k)
            S = (out[s], out[s + 1], out[s + 2], out[s + 3], out[s + 4], out[s + 5])
            T = (part[t], part[t + 1], part[t + 2], part[t + 3], part[t + 4], part[t + 5])
            put_twist(out, at, bracket(S, T))


@kernel(internal=True, fastmath=EXACT)
def stand(out: P1, count: int) -> None:
    """Write the pose where nothing has moved, and zeros behind it, ``count`` numbers."""
    for i in range(count):
        out[i] = 1.0 if i == 0 or i == 5 or i == 10 else 0.0


@kernel(pointers=True, fastmath=EXACT)
def steps(q: P1, constants: P1, out: P1, order: int) -> None:
    """Hinges and slides in a row. ``constants``: how many; of each whether it is a slide, and its axis."""
    n = int(constants[0])
    own = local(24)
    stand(out, 12)
    for i in range(n):
        at = 1 + 4 * i
        x, y, z = constants[at + 1], constants[at + 2], constants[at + 3]
        for k in range(24):
            own[k] = 0.0
        if constants[at] != 0.0:
            own[0] = own[5] = own[10] = 1.0
            own[3], own[7], own[11] = q[i] * x, q[i] * y, q[i] * z
            own[15], own[16], own[17] = x, y, z
        else:
            c, s, half = math.cos(q[i]), math.sin(q[i]), math.sin(0.5 * q[i])
            h = 2.0 * half * half
            own[0], own[1], own[2] = c + h * x * x, h * x * y - s * z, h * x * z + s * y
            own[4], own[5], own[6] = h * x * y + s * z, c + h * y * y, h * y * z - s * x
            own[8], own[9], own[10] = h * x * z - s * y, h * y * z + s * x, c + h * z * z
            own[12], own[13], own[14] = x, y, z
        append(out, behind(own, 0), i, 1, n, order)


@kernel(pointers=True, fastmath=EXACT)
def row(q: P1, constants: P1, out: P1, order: int) -> None:
    """Joints in a row.

    ``constants``: how many joints and coordinates; of each joint its slot, how many coordinates it has, how many
    constants, and these.
    """
    joints, total = int(constants[0]), int(constants[1])
    own = local(264)
    stand(out, 12)
    at, before = 2, 0
    for _ in range(joints):
        n = int(constants[at + 1])
        call_slot(constants[at], behind(q, before), behind(constants, at + 3), own, order)
        append(out, behind(own, 0), before, n, total, order)
        before += n
        at += 3 + int(constants[at + 2])


@kernel(pointers=True, fastmath=EXACT)
def mirrored(q: P1, constants: P1, out: P1, order: int) -> None:
    """The reflection in x = 0 of a joint. ``constants``: its slot, how many coordinates it has, its constants."""
    n = int(constants[1])
    call_slot(constants[0], q, behind(constants, 2), out, order)
    out[1], out[2], out[3], out[4], out[8] = -out[1], -out[2], -out[3], -out[4], -out[8]
    twists = 0 if order < 1 else n if order < 2 else n + n * n
    for i in range(twists):
        at = 12 + 6 * i
        out[at + 1], out[at + 2], out[at + 3] = -out[at + 1], -out[at + 2], -out[at + 3]


@kernel(pointers=True, fastmath=EXACT)
def backwards(q: P1, constants: P1, out: P1, order: int) -> None:
    """A joint seen from its child. ``constants``: its slot, how many coordinates it has, its constants."""
    n = int(constants[1])
    call_slot(constants[0], q, behind(constants, 2), out, order)
    Q = (
        out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], out[8], out[9], out[10], out[11],
    )  # fmt: skip
    put_pose(out, inverse(Q))
    if order >= 2:
        for i in range(n):
            for k in range(n):
                s, t, at = 12 + 6 * i, 12 + 6 * k, 12 + 6 * n + 6 * (i * n + k)
                S = (out[s], out[s + 1], out[s + 2], out[s + 3], out[s + 4], out[s + 5])
                T = (out[t], out[t + 1], out[t + 2], out[t + 3], out[t + 4], out[t + 5])
                a, b, c, d, e, f = bracket(T, S)
                D = (
                    -a - out[at], -b - out[at + 1], -c - out[at + 2],
                    -d - out[at + 3], -e - out[at + 4], -f - out[at + 5],
                )  # fmt: skip
                put_twist(out, at, carried(Q, D))
    if order >= 1:
        for i in range(n):
            at = 12 + 6 * i
            put_twist(
                out, at, carried(
                    Q, (-out[at], -out[at + 1], -out[at + 2], -out[at + 3], -out[at + 4], -out[at + 5]),
                ),
            )  # fmt: skip
