"""The start and the limits that make a solver bend elbows and knees the way they bend."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core.arrays import Array
from core.ik import nodes_kernel
from core.ik.problem import Aims, Nodes, Work
from core.kernels import serving
from core.kinematics.bends import Bend

PAST_STRAIGHT = math.radians(6.0)
"""Bend of the line from the joint above over the hinge to the effector from where no help is needed."""
CURLED = math.radians(45.0)
"""Bend of the hinge from where no limb is straight, even to an effector off its axis."""


def may_be_straight(bends: Sequence[Bend], x: Array) -> bool:
    """Return whether any bend is so small that its limb may be straight, wherever the effector sits."""
    return any(bend.sign * x[bend.node] < CURLED for bend in bends)


def narrowed(bends: Sequence[Bend], x: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Return limits that keep bends from going further past straight than they are in ``x``, two of shape (K,)."""
    lower, upper = lower.copy(), upper.copy()
    for bend in bends:
        k = bend.node
        if bend.sign > 0.0:
            lower[k] = max(lower[k], min(0.0, x[k]))
        else:
            upper[k] = min(upper[k], max(0.0, x[k]))
    return lower, upper


def bent_start(bends: Sequence[Bend], nodes: Nodes, aims: Aims, x: Array, work: Work, tolerance: float) -> Array | None:
    """Return values with the bends that must shorten their limb bent the right way, shape (K,), or None.

    A limb must shorten if its goal lies nearer to the joint above the hinge than its effector does. Its bend is
    measured where it counts, between the line to the hinge and the line on to the effector, so that a foot that
    reaches forward is seen as the overextension it is. It grows by what a straight limb needs to get as much shorter,
    which vanishes with the pull, and to no more than 6 degrees past straight. The joint above turns against it, so
    that the effector points at the goal.

    Args:
        bends: The hinges.
        nodes: Degrees of freedom.
        aims: Goals.
        x: Values of the nodes, shape (K,).
        work: Scratch memory; holds the frames of ``x`` and, if anything is bent, other ones at the end.
        tolerance: Shortening that does not count, [W].
    """
    kernels = serving(nodes_kernel)
    out: Array | None = None
    for bend in bends:
        k = bend.node
        goal = _pulling_goal(aims, k)
        if nodes.weight[k] <= 0.0 or goal < 0:
            continue
        if out is not None:
            kernels.frames(nodes, aims, out, work)
        above = work.X[bend.above, :, 3].copy()
        amount = _missing_bend(work.X[k], bend.sign, above, work.P[goal], aims.target[goal], tolerance)
        value = min(max(float(x[k]) + bend.sign * amount, float(nodes.lower[k])), float(nodes.upper[k]))
        if amount == 0.0 or value == x[k]:
            continue
        out = x.copy() if out is None else out
        out[k] = value
        kernels.frames(nodes, aims, out, work)
        _aim(nodes, aims, bend, out, work, goal, above)
    return out


def _pulling_goal(aims: Aims, node: int) -> int:
    """Return the first goal with a position that the node moves, -1 if there is none."""
    for g in range(len(aims.node)):
        if aims.distal[g, node] != 0 and aims.weight[g, 0] > 0.0:
            return g
    return -1


def _missing_bend(frame: Array, sign: float, above: Array, effector: Array, target: Array, tolerance: float) -> float:
    """Return by how much a hinge with ``frame`` (3, 4) must bend before a solver may start, [rad], 0 or more."""
    reach, wanted = _length(effector - above), _length(target - above)
    before, after, axis = frame[:, 3] - above, effector - frame[:, 3], frame[:, 2]
    a, b = _length(before), _length(after)
    if wanted >= reach - tolerance or min(a, b) <= 1e-9 * max(a, b):
        return 0.0
    (u0, u1, u2), (v0, v1, v2), (z0, z1, z2) = before.tolist(), after.tolist(), axis.tolist()
    turned = z0 * (u1 * v2 - u2 * v1) + z1 * (u2 * v0 - u0 * v2) + z2 * (u0 * v1 - u1 * v0)
    now = sign * math.atan2(turned / _length(axis), u0 * v0 + u1 * v1 + u2 * v2)
    if now >= PAST_STRAIGHT:
        return 0.0
    growth = _bend_for(a, b, a + b - (reach - wanted))
    return max(0.0, min(min(_bend_for(a, b, wanted), PAST_STRAIGHT) - now, growth))


def _bend_for(a: float, b: float, reach: float) -> float:
    """Return the bend that makes a limb of segments ``a`` and ``b`` span ``reach`` (law of cosines), [rad]."""
    cosine = (reach * abs(reach) - a * a - b * b) / (2.0 * a * b)
    return math.acos(min(max(cosine, -1.0), 1.0))


def _aim(nodes: Nodes, aims: Aims, bend: Bend, x: Array, work: Work, goal: int, above: Array) -> None:
    """Turn the joint above a little, so that the effector points at the goal at first order; in place."""
    swing = bend.swing[nodes.weight[bend.swing] > 0.0]
    wanted, now = aims.target[goal] - above, work.P[goal] - above
    length = _length(wanted)
    if len(swing) == 0 or length == 0.0:
        return
    kernels = serving(nodes_kernel)
    kernels.columns(nodes, aims, work)
    J = work.J[6 * goal : 6 * goal + 3, swing]
    A = J.T @ J
    A[np.diag_indices_from(A)] += 1e-6 * np.trace(A) + 1e-300
    step = np.linalg.solve(A, J.T @ (wanted * (_length(now) / length) - now))
    largest = float(np.abs(step).max())
    x[swing] += step * min(1.0, PAST_STRAIGHT / largest) if largest > 0.0 else step
    kernels.clamp(nodes, x)


def _length(v: Array) -> float:
    return math.sqrt(float(v @ v))
