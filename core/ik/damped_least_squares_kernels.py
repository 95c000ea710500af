"""Damped least squares, compiled."""

from __future__ import annotations

import math

import numba as nb

from core.ik.damped_least_squares_plain import (
    FIRST_DAMPING,
    HARDER,
    LARGEST_STEP,
    LEAST_DAMPING,
    MOST_DAMPING,
    SOFTER,
    STALL,
    STALL_STEPS,
)
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

GAIN, STEP, TRIAL = 0, 1, 2


@nb.njit(nb.void(F2, F1, I0), **OPTIONS)
def solve_positive(A, y, m):  # type: ignore[no-untyped-def]
    """Solve ``A z = y`` for the leading m x m block by Cholesky, in place: ``A`` becomes its factor, ``y`` is z."""
    for i in range(m):
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            A[i, j] = math.sqrt(max(total, 1e-300)) if i == j else total / A[j, j]
    for i in range(m):
        total = y[i]
        for k in range(i):
            total -= A[i, k] * y[k]
        y[i] = total / A[i, i]
    for i in range(m - 1, -1, -1):
        total = y[i]
        for k in range(i + 1, m):
            total -= A[k, i] * y[k]
        y[i] = total / A[i, i]


@nb.njit(nb.void(AIMS, WORK, F0), **OPTIONS)
def solve_rows(aims, work, damping):  # type: ignore[no-untyped-def]
    """Write ``sqrt(w) (J K J^T + l^2 I)^-1 sqrt(w) e`` of the goals' rows into ``work.y``, 0 for free rows."""
    J, A, y, gain = work.J, work.A, work.y, work.s[GAIN]
    m, trace = 0, 0.0
    number = J.shape[1]
    for r in range(len(work.E)):
        w = math.sqrt(aims.weight[r // 6, (r % 6) // 3])
        if w == 0.0:
            continue
        y[m] = w * work.E[r]
        n = 0
        for c in range(r + 1):
            v = math.sqrt(aims.weight[c // 6, (c % 6) // 3])
            if v == 0.0:
                continue
            total = 0.0
            for k in range(number):
                total += J[r, k] * gain[k] * J[c, k]
            A[m, n] = w * v * total
            n += 1
        trace += A[m, m]
        m += 1
    shift = damping * (trace / m) + 1e-300
    for i in range(m):
        A[i, i] += shift
    solve_positive(A, y, m)
    for r in range(len(work.E) - 1, -1, -1):
        w = math.sqrt(aims.weight[r // 6, (r % 6) // 3])
        if w > 0.0:
            m -= 1
            y[r] = w * y[m]
        else:
            y[r] = 0.0


@nb.njit(nb.void(NODES, AIMS, F1, WORK, F0), **OPTIONS)
def damped_step(nodes, aims, x, work, damping):  # type: ignore[no-untyped-def]
    """Write the step at ``x`` into ``work.s[STEP]``; see ``damped_least_squares_plain.damped_step``."""
    J, y, gain, dq = work.J, work.y, work.s[GAIN], work.s[STEP]
    for k in range(len(x)):
        gain[k] = nodes.gain[k]
    while True:
        solve_rows(aims, work, damping)
        pressed = False
        largest = 0.0
        for k in range(len(x)):
            total = 0.0
            for r in range(len(work.E)):
                total += J[r, k] * y[r]
            dq[k] = gain[k] * total
        for k in range(len(x)):
            largest = max(largest, abs(dq[k]))
            if gain[k] > 0.0:
                lower, upper = bounds(nodes, k, x)
                if (dq[k] < 0.0 and x[k] <= lower) or (dq[k] > 0.0 and x[k] >= upper):
                    gain[k] = 0.0
                    pressed = True
        if not pressed:
            break
    if largest > LARGEST_STEP:
        for k in range(len(x)):
            dq[k] *= LARGEST_STEP / largest


@nb.njit(I0(NODES, AIMS, F1, WORK, F0, I0), **OPTIONS)
def solve(nodes, aims, x, work, tolerance, max_iterations):  # type: ignore[no-untyped-def]
    """See ``damped_least_squares_plain.solve``."""
    frames(nodes, aims, x, work)
    merit, worst = errors(aims, work)
    record_start(work, merit)
    dq, trial = work.s[STEP], work.s[TRIAL]
    damping, slow, fresh = FIRST_DAMPING, 0, True
    for steps in range(max_iterations):
        if worst <= tolerance:
            return steps
        if fresh:
            columns(nodes, aims, work)
        damped_step(nodes, aims, x, work, damping)
        for k in range(len(x)):
            trial[k] = x[k] + dq[k]
        clamp(nodes, trial)
        frames(nodes, aims, trial, work)
        new_merit, new_worst = errors(aims, work)
        record(work, min(merit, new_merit))
        fresh = new_merit < merit
        if not fresh:
            damping *= HARDER
            frames(nodes, aims, x, work)
            errors(aims, work)
            if damping > MOST_DAMPING:
                return steps + 1
            continue
        for k in range(len(x)):
            x[k] = trial[k]
        slow = slow + 1 if math.sqrt(merit) - math.sqrt(new_merit) < STALL * tolerance else 0
        merit, worst = new_merit, new_worst
        damping = max(damping * SOFTER, LEAST_DAMPING)
        if slow == STALL_STEPS:
            return steps + 1
    return max_iterations


@nb.njit(I0(*PACKED, F0, I0), **OPTIONS)
def run(ints, floats, lower, upper, weight, gain, x, trace, tolerance, max_iterations):  # type: ignore[no-untyped-def]
    """See ``damped_least_squares_plain.run``."""
    nodes, aims, work = unpack(ints, floats, lower, upper, weight, gain, x, trace)
    return solve(nodes, aims, x, work, tolerance, max_iterations)
