"""Pseudoinverse of the Jacobian by its singular value decomposition."""

from __future__ import annotations

import math

from core.ik.nodes_kernel import bounds, columns, errors, frames, record_start, try_step
from core.ik.packed import Aims, Nodes, Work, unpack
from core.kernels import F1, F2, I1, kernel
from core.kinematics.svd_kernel import MOST_SWEEPS, orthogonalize

FIRST_THRESHOLD = 0.03
HARDER, SOFTER = 4.0, 0.5
LARGEST_STEP = 0.5
LEAST_THRESHOLD = 1e-4
MOST_THRESHOLD = 1e6
NOTHING = 1e-300
NULL_THRESHOLD = 1e-3
STALL = 1e-3
STALL_STEPS = 3

GAIN, STEP, TRIAL = 0, 1, 2


@kernel(linked=True)
def decompose(aims: Aims, work: Work, rows: F2) -> float:
    """Write ``[S V^T | U^T | s^2]`` of ``sqrt(w) J sqrt(K)`` into ``rows``, K in ``work.s[GAIN]``; return the largest.

    ``sqrt(w) e`` of the same rows goes into ``work.y``.
    """
    J, gain = work.J, work.s[GAIN]
    number, m = J.shape[1], len(rows)
    i = 0
    for r in range(len(work.E)):
        w = math.sqrt(aims.weight[r // 6, (r % 6) // 3])
        if w == 0.0:
            continue
        for k in range(number):
            rows[i, k] = w * J[r, k] * math.sqrt(gain[k])
        for k in range(number, number + m + 1):
            rows[i, k] = 0.0
        rows[i, number + i] = 1.0
        work.y[i] = w * work.E[r]
        i += 1
    orthogonalize(rows, m, number, MOST_SWEEPS)
    largest = 0.0
    for i in range(m):
        total = 0.0
        for k in range(number):
            total += rows[i, k] * rows[i, k]
        rows[i, number + m] = total
        largest = max(largest, total)
    return largest


@kernel(internal=True)
def leave_out_pressed(nodes: Nodes, x: F1, work: Work, dq: F1) -> bool:
    """Set the gain of nodes to 0 that ``dq`` presses against a limit; return whether there were any."""
    gain = work.s[GAIN]
    pressed = False
    for k in range(len(x)):
        if gain[k] > 0.0 and dq[k] != 0.0:
            lower, upper = bounds(nodes, k, x)
            if (dq[k] < 0.0 and x[k] <= lower) or (dq[k] > 0.0 and x[k] >= upper):
                gain[k] = 0.0
                pressed = True
    return pressed


@kernel(linked=True, python=True)
def step(nodes: Nodes, aims: Aims, x: F1, work: Work, rows: F2, threshold: float) -> None:
    """Write the step toward the goals at ``x`` into ``work.s[STEP]``; uses ``work.E`` and ``work.J``.

    ``dq = sum_k s_k / max(s_k, t)^2 v_k u_k^T e``, t the threshold times the largest singular value: the pseudoinverse
    where the chain can move freely; below, the damping ``l^2 = (1 - (s / t)^2) t^2`` grows from 0, so that the step
    stays below ``|e| / t`` and dies away with the singular value. Nodes pressed against a limit are left out; what is
    left is scaled so that no node moves more than 0.5 rad.
    """
    gain, dq, y = work.s[GAIN], work.s[STEP], work.y
    number, m = len(x), len(rows)
    for k in range(number):
        gain[k] = nodes.gain[k]
    while True:
        floor = threshold * threshold * decompose(aims, work, rows) + NOTHING
        for k in range(number):
            dq[k] = 0.0
        for i in range(m):
            along = 0.0
            for r in range(m):
                along += rows[i, number + r] * y[r]
            along /= max(rows[i, number + m], floor)
            for k in range(number):
                dq[k] += along * rows[i, k]
        for k in range(number):
            dq[k] *= math.sqrt(gain[k])
        if not leave_out_pressed(nodes, x, work, dq):
            break
    largest = 0.0
    for k in range(number):
        largest = max(largest, abs(dq[k]))
    if largest > LARGEST_STEP:
        for k in range(number):
            dq[k] *= LARGEST_STEP / largest


@kernel(linked=True)
def null_step(nodes: Nodes, aims: Aims, x: F1, work: Work, rows: F2, gradient: F1, out: F1) -> None:
    """Write ``-(I - J^+ J) grad H`` at ``x`` into ``out``, without nodes pressed against a limit; any length.

    Args:
        nodes: Degrees of freedom.
        aims: Goals.
        x: Values of the nodes, shape (K,).
        work: Scratch memory; holds the frames of ``x``.
        rows: As for ``solve``.
        gradient: grad H, shape (K,).
        out: Shape (K,), overwritten.

    Source: Welman (1993) eq. 3.8, with the sign that makes H fall.
    """
    columns(nodes, aims, work)
    gain = work.s[GAIN]
    number, m = len(x), len(rows)
    for k in range(number):
        gain[k] = nodes.gain[k]
    while True:
        floor = NULL_THRESHOLD * NULL_THRESHOLD * decompose(aims, work, rows) + NOTHING
        for k in range(number):
            out[k] = math.sqrt(gain[k]) * gradient[k]
        for i in range(m):
            along = 0.0
            for k in range(number):
                along += rows[i, k] * math.sqrt(gain[k]) * gradient[k]
            along /= max(rows[i, number + m], floor)
            for k in range(number):
                out[k] -= along * rows[i, k]
        for k in range(number):
            out[k] *= -math.sqrt(gain[k])
        if not leave_out_pressed(nodes, x, work, out):
            break


@kernel(linked=True)
def solve(nodes: Nodes, aims: Aims, x: F1, work: Work, rows: F2, tolerance: float, max_iterations: int) -> int:
    """Take steps ``dq = J^+ e`` that lower the merit until the goals are met or no step helps.

    Singular values below a threshold are damped, see ``step``. A step that does not lower the merit is taken back and
    the threshold raised, which ends in short steps down the slope; it sinks again with every step that helps.

    Args:
        nodes: Degrees of freedom; ``gain`` is K, the metric in which a step is the shortest one.
        aims: Goals.
        x: Values of the nodes inside their limits, shape (K,), changed in place.
        work: Scratch memory; holds frames and errors at the end.
        rows: Scratch memory of the decomposition, shape (m, K + m + 1), m the rows of goals that are not free.
        tolerance: [W].
        max_iterations: Most steps, taken back or not.

    Returns:
        Number of steps.

    Source: Welman (1993) eq. 3.7; Maciejewski and Klein (1988) for the damping.
    """
    frames(nodes, aims, x, work)
    merit, worst = errors(aims, work)
    record_start(work, merit)
    dq, trial = work.s[STEP], work.s[TRIAL]
    threshold, slow, fresh = FIRST_THRESHOLD, 0, True
    for steps in range(max_iterations):
        if worst <= tolerance:
            return steps
        if fresh:
            columns(nodes, aims, work)
        step(nodes, aims, x, work, rows, threshold)
        new_merit, new_worst = try_step(nodes, aims, x, work, dq, trial, merit)
        fresh = new_merit < merit
        if not fresh:
            threshold *= HARDER
            if threshold > MOST_THRESHOLD:
                return steps + 1
            continue
        slow = slow + 1 if math.sqrt(merit) - math.sqrt(new_merit) < STALL * tolerance else 0
        merit, worst = new_merit, new_worst
        threshold = max(threshold * SOFTER, LEAST_THRESHOLD)
        if slow == STALL_STEPS:
            return steps + 1
    return max_iterations


@kernel
def run(
    ints: I1, floats: F1, lower: F1, upper: F1, weight: F1, gain: F1, x: F1, trace: F1, rows: F2, tolerance: float,
    max_iterations: int,
) -> int:  # fmt: skip
    """Unpack a problem (``problem.packed_arguments``) and ``solve`` it; what comes last is as there."""
    nodes, aims, work = unpack(ints, floats, lower, upper, weight, gain, trace)
    return solve(nodes, aims, x, work, rows, tolerance, max_iterations)


@kernel
def run_null_step(
    ints: I1, floats: F1, lower: F1, upper: F1, weight: F1, gain: F1, x: F1, trace: F1, rows: F2, gradient: F1,
    out: F1,
) -> None:  # fmt: skip
    """Unpack a problem and work out its ``null_step``; what comes last is as there."""
    nodes, aims, work = unpack(ints, floats, lower, upper, weight, gain, trace)
    null_step(nodes, aims, x, work, rows, gradient, out)
