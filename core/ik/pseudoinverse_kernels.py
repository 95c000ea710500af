"""Pseudoinverse of the Jacobian by its singular value decomposition, compiled."""

from __future__ import annotations

import math

import numba as nb

from core.ik.nodes_kernels import (
    AIMS,
    F0,
    F1,
    F2,
    I0,
    NODES,
    OPTIONS,
    PACKED,
    WORK,
    bounds,
    clamp,
    columns,
    errors,
    frames,
    record,
    record_start,
    unpack,
)
from core.ik.pseudoinverse_plain import (
    FIRST_THRESHOLD,
    HARDER,
    LARGEST_STEP,
    LEAST_THRESHOLD,
    MOST_THRESHOLD,
    NOTHING,
    NULL_THRESHOLD,
    SOFTER,
    STALL,
    STALL_STEPS,
)
from core.kinematics.inlining import INTERNAL
from core.kinematics.linking import linked
from core.kinematics.svd_kernels import orthogonalize
from core.kinematics.svd_plain import MOST_SWEEPS

GAIN, STEP, TRIAL = 0, 1, 2


@linked
@nb.njit(F0(AIMS, WORK, F2), **INTERNAL)
def decompose(aims, work, rows):  # type: ignore[no-untyped-def]
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


@nb.njit(nb.boolean(NODES, F1, WORK, F1), **INTERNAL)
def leave_out_pressed(nodes, x, work, dq):  # type: ignore[no-untyped-def]
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


@nb.njit(nb.void(NODES, AIMS, F1, WORK, F2, F0), **OPTIONS)
def step(nodes, aims, x, work, rows, threshold):  # type: ignore[no-untyped-def]
    """Write the step at ``x`` into ``work.s[STEP]``; see ``pseudoinverse_plain.step``."""
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


@linked
@nb.njit(nb.void(NODES, AIMS, F1, WORK, F2, F1, F1), **INTERNAL)
def null_step(nodes, aims, x, work, rows, gradient, out):  # type: ignore[no-untyped-def]
    """See ``pseudoinverse_plain.null_step``."""
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


call_step = linked(step)


@linked
@nb.njit(I0(NODES, AIMS, F1, WORK, F2, F0, I0), **INTERNAL)
def solve(nodes, aims, x, work, rows, tolerance, max_iterations):  # type: ignore[no-untyped-def]
    """See ``pseudoinverse_plain.solve``."""
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
        call_step(nodes, aims, x, work, rows, threshold)
        for k in range(len(x)):
            trial[k] = x[k] + dq[k]
        clamp(nodes, trial)
        frames(nodes, aims, trial, work)
        new_merit, new_worst = errors(aims, work)
        record(work, min(merit, new_merit))
        fresh = new_merit < merit
        if not fresh:
            threshold *= HARDER
            frames(nodes, aims, x, work)
            errors(aims, work)
            if threshold > MOST_THRESHOLD:
                return steps + 1
            continue
        for k in range(len(x)):
            x[k] = trial[k]
        slow = slow + 1 if math.sqrt(merit) - math.sqrt(new_merit) < STALL * tolerance else 0
        merit, worst = new_merit, new_worst
        threshold = max(threshold * SOFTER, LEAST_THRESHOLD)
        if slow == STALL_STEPS:
            return steps + 1
    return max_iterations


@nb.njit(I0(*PACKED, F2, F0, I0), **OPTIONS)
def run(ints, floats, lower, upper, weight, gain, x, trace, rows, tolerance, max_iterations):  # type: ignore[no-untyped-def]
    """See ``pseudoinverse_plain.run``."""
    nodes, aims, work = unpack(ints, floats, lower, upper, weight, gain, x, trace)
    return solve(nodes, aims, x, work, rows, tolerance, max_iterations)


@nb.njit(nb.void(*PACKED, F2, F1, F1), **OPTIONS)
def run_null_step(ints, floats, lower, upper, weight, gain, x, trace, rows, gradient, out):  # type: ignore[no-untyped-def]
    """See ``pseudoinverse_plain.run_null_step``."""
    nodes, aims, work = unpack(ints, floats, lower, upper, weight, gain, x, trace)
    null_step(nodes, aims, x, work, rows, gradient, out)
