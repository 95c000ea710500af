"""Damped least squares."""

from __future__ import annotations

import math

from core.ik.nodes_kernel import bounds, columns, errors, frames, record_start, try_step
from core.ik.packed import Aims, Nodes, Work, unpack
from core.kernels import F1, F2, I1, kernel
from core.kinematics.cholesky_kernel import LEAST_PIVOT, solve_positive

FIRST_DAMPING = 1e-3
HARDER, SOFTER = 8.0, 0.125
LARGEST_STEP = 0.5
LEAST_DAMPING = 1e-9
MOST_DAMPING = 1e9
STALL = 1e-3
STALL_STEPS = 3

GAIN, STEP, TRIAL = 0, 1, 2


@kernel(internal=True)
def solve_three(B: F2, gain: F1, y: F1, damping: float) -> None:
    """What ``solve_rows`` does, for the three rows of a single goal: everything stays in registers."""
    a00 = a10 = a11 = a20 = a21 = a22 = 0.0
    for k in range(B.shape[1]):
        b0, b1, b2 = B[0, k], B[1, k], B[2, k]
        t0, t1, t2 = gain[k] * b0, gain[k] * b1, gain[k] * b2
        a00 += t0 * b0
        a10 += t1 * b0
        a11 += t1 * b1
        a20 += t2 * b0
        a21 += t2 * b1
        a22 += t2 * b2
    shift = damping * ((a00 + a11 + a22) / 3.0) + LEAST_PIVOT
    d0 = 1.0 / math.sqrt(max(a00 + shift, LEAST_PIVOT))
    a10 *= d0
    a20 *= d0
    d1 = 1.0 / math.sqrt(max(a11 + shift - a10 * a10, LEAST_PIVOT))
    a21 = (a21 - a20 * a10) * d1
    d2 = 1.0 / math.sqrt(max(a22 + shift - a20 * a20 - a21 * a21, LEAST_PIVOT))
    y0 = y[0] * d0
    y1 = (y[1] - a10 * y0) * d1
    y2 = (y[2] - a20 * y0 - a21 * y1) * d2 * d2
    y1 = (y1 - a21 * y2) * d1
    y[0], y[1], y[2] = (y0 - a10 * y1 - a20 * y2) * d0, y1, y2


@kernel(linked=True)
def solve_rows(B: F2, A: F2, gain: F1, y: F1, damping: float, m: int) -> None:
    """Solve ``(B K B^T + l^2 I) z = y`` for the leading m rows, in place; ``l^2`` is ``damping`` times their mean."""
    for i in range(m):
        for j in range(i + 1):
            A[i, j] = 0.0
    for k in range(B.shape[1]):
        for i in range(m):
            t = B[i, k] * gain[k]
            for j in range(i + 1):
                A[i, j] += t * B[j, k]
    trace = 0.0
    for i in range(m):
        trace += A[i, i]
    shift = damping * (trace / m) + LEAST_PIVOT
    for i in range(m):
        A[i, i] += shift
    solve_positive(A, y, m)


@kernel(inline=True)
def gather(aims: Aims, work: Work) -> int:
    """Write the rows of the Jacobian that count, times the roots of their weights, into ``work.B``; return how many."""
    J, B, m = work.J, work.B, 0
    for g in range(len(aims.node)):
        for part in range(2):
            if aims.weight[g, part] > 0.0:
                w, first = math.sqrt(aims.weight[g, part]), 6 * g + 3 * part
                for i in range(3):
                    for k in range(J.shape[1]):
                        B[m + i, k] = w * J[first + i, k]
                m += 3
    return m


@kernel(inline=True)
def gather_errors(aims: Aims, work: Work) -> None:
    """Write the errors that count, times the roots of their weights, into ``work.y``."""
    E, y, m = work.E, work.y, 0
    for g in range(len(aims.node)):
        for part in range(2):
            if aims.weight[g, part] > 0.0:
                w, first = math.sqrt(aims.weight[g, part]), 6 * g + 3 * part
                for i in range(3):
                    y[m + i] = w * E[first + i]
                m += 3


@kernel(inline=True)
def damped_step(nodes: Nodes, aims: Aims, x: F1, work: Work, damping: float, m: int) -> None:
    """Write the damped step at ``x``, see ``solve``, into ``work.s[STEP]``; m rows from ``gather``."""
    B, A, y, gain, dq = work.B, work.A, work.y, work.s[GAIN], work.s[STEP]
    number = len(x)
    for k in range(number):
        gain[k] = nodes.gain[k]
    pressed = True
    largest = 0.0
    while pressed:
        gather_errors(aims, work)
        if m == 3:
            solve_three(B, gain, y, damping)
        else:
            solve_rows(B, A, gain, y, damping, m)
        pressed = False
        largest = 0.0
        for k in range(number):
            total = 0.0
            for r in range(m):
                total += B[r, k] * y[r]
            dq[k] = gain[k] * total
            largest = max(largest, abs(dq[k]))
        for k in range(number):
            if dq[k] != 0.0:
                lower, upper = bounds(nodes, k, x)
                if (dq[k] < 0.0 and x[k] <= lower) or (dq[k] > 0.0 and x[k] >= upper):
                    gain[k] = 0.0
                    pressed = True
    if largest > LARGEST_STEP:
        for k in range(number):
            dq[k] *= LARGEST_STEP / largest


@kernel(linked=True)
def solve(nodes: Nodes, aims: Aims, x: F1, work: Work, tolerance: float, max_iterations: int) -> int:
    """Take damped Gauss-Newton steps that lower the merit until the goals are met or no step helps.

    ``dq = K J^T (J K J^T + l^2 I)^-1 e`` over the nodes that are not pressed against a limit, scaled so that no node
    moves more than 0.5 rad, then clamped. A step that does not lower the merit is taken back and damped harder.

    Args:
        nodes: Degrees of freedom; ``gain`` is K.
        aims: Goals.
        x: Values of the nodes inside their limits, shape (K,), changed in place.
        work: Scratch memory; holds frames and errors at the end.
        tolerance: [W].
        max_iterations: Most steps, taken back or not.

    Returns:
        Number of steps.
    """
    frames(nodes, aims, x, work)
    merit, worst = errors(aims, work)
    record_start(work, merit)
    dq, trial = work.s[STEP], work.s[TRIAL]
    damping, slow, fresh, m = FIRST_DAMPING, 0, True, 0
    for steps in range(max_iterations):
        if worst <= tolerance:
            return steps
        if fresh:
            columns(nodes, aims, work)
            m = gather(aims, work)
        damped_step(nodes, aims, x, work, damping, m)
        new_merit, new_worst = try_step(nodes, aims, x, work, dq, trial, merit)
        fresh = new_merit < merit
        if not fresh:
            damping *= HARDER
            if damping > MOST_DAMPING:
                return steps + 1
            continue
        slow = slow + 1 if math.sqrt(merit) - math.sqrt(new_merit) < STALL * tolerance else 0
        merit, worst = new_merit, new_worst
        damping = max(damping * SOFTER, LEAST_DAMPING)
        if slow == STALL_STEPS:
            return steps + 1
    return max_iterations


@kernel
def run(
    ints: I1, floats: F1, lower: F1, upper: F1, weight: F1, gain: F1, x: F1, trace: F1, tolerance: float,
    max_iterations: int,
) -> int:  # fmt: skip
    """``solve`` a packed problem: ``problem.packed_arguments``, then tolerance and most iterations."""
    nodes, aims, work = unpack(ints, floats, lower, upper, weight, gain, trace)
    return solve(nodes, aims, x, work, tolerance, max_iterations)
