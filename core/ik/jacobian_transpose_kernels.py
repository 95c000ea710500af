"""Jacobian transpose, compiled."""

from __future__ import annotations

import math

import numba as nb

from core.ik.jacobian_transpose_plain import (
    LARGEST_MOVE,
    LEAST_CHANGE,
    LEAST_STEP,
    MOST_CHANGE,
    SAFETY,
    STALL,
    STALL_STEPS,
    STEP_ERROR,
)
from core.ik.nodes_kernels import (
    AIMS,
    F0,
    F1,
    I0,
    NODES,
    OPTIONS,
    PACKED,
    PAIR,
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

TRIAL = 4


@nb.njit(PAIR(NODES, AIMS, F1, WORK, F1), **OPTIONS)
def velocity(nodes, aims, x, work, out):  # type: ignore[no-untyped-def]
    """See ``jacobian_transpose_plain.velocity``."""
    frames(nodes, aims, x, work)
    merit, worst = errors(aims, work)
    columns(nodes, aims, work)
    J, E = work.J, work.E
    for k in range(len(x)):
        out[k] = 0.0
    for g in range(len(aims.node)):
        for i in range(6):
            w = aims.weight[g, i // 3]
            if w > 0.0:
                force = w * E[6 * g + i]
                for k in range(len(x)):
                    out[k] += J[6 * g + i, k] * force
    for k in range(len(x)):
        out[k] *= nodes.gain[k]
        lower, upper = bounds(nodes, k, x)
        if (out[k] > 0.0 and x[k] >= upper) or (out[k] < 0.0 and x[k] <= lower):
            out[k] = 0.0
    return merit, worst


@nb.njit(I0(NODES, AIMS, F1, WORK, F0, I0), **OPTIONS)
def solve(nodes, aims, x, work, tolerance, max_iterations):  # type: ignore[no-untyped-def]
    """See ``jacobian_transpose_plain.solve``."""
    k1, k2, k3, k4, trial = work.s[0], work.s[1], work.s[2], work.s[3], work.s[TRIAL]
    n = len(x)
    merit, worst = velocity(nodes, aims, x, work, k1)
    norm = 0.0
    for k in range(n):
        for r in range(len(work.E)):
            norm += nodes.gain[k] * work.J[r, k] * work.J[r, k]
    h = 1.0 / norm if norm > 0.0 else 0.0
    record_start(work, merit)
    mark = math.sqrt(merit)
    accepted = 0
    for steps in range(max_iterations):
        if worst <= tolerance or h == 0.0:
            return steps
        fastest = 0.0
        for k in range(n):
            fastest = max(fastest, abs(k1[k]))
        if fastest == 0.0 or h * fastest < LEAST_STEP:
            return steps
        h = min(h, LARGEST_MOVE / fastest)
        for k in range(n):
            trial[k] = x[k] + 0.5 * h * k1[k]
        velocity(nodes, aims, trial, work, k2)
        for k in range(n):
            trial[k] = x[k] + 0.75 * h * k2[k]
        velocity(nodes, aims, trial, work, k3)
        for k in range(n):
            trial[k] = x[k] + h * (2.0 * k1[k] + 3.0 * k2[k] + 4.0 * k3[k]) / 9.0
        clamp(nodes, trial)
        new_merit, new_worst = velocity(nodes, aims, trial, work, k4)
        off = 0.0
        for k in range(n):
            off = max(off, abs(-5.0 * k1[k] / 72.0 + k2[k] / 12.0 + k3[k] / 9.0 - k4[k] / 8.0))
        off *= h
        change = SAFETY * (STEP_ERROR / off) ** (1.0 / 3.0) if off > 0.0 else MOST_CHANGE
        rejected = off > STEP_ERROR or new_merit > merit
        record(work, merit if rejected else new_merit)
        if rejected:
            h *= max(LEAST_CHANGE, min(0.5, change))
            frames(nodes, aims, x, work)
            errors(aims, work)
            continue
        for k in range(n):
            x[k] = trial[k]
            k1[k] = k4[k]
        merit, worst = new_merit, new_worst
        h *= min(MOST_CHANGE, max(LEAST_CHANGE, change))
        accepted += 1
        if accepted % STALL_STEPS == 0:
            if mark - math.sqrt(merit) < STALL * tolerance:
                return steps + 1
            mark = math.sqrt(merit)
    return max_iterations


@nb.njit(I0(*PACKED, F0, I0), **OPTIONS)
def run(ints, floats, lower, upper, weight, gain, x, trace, tolerance, max_iterations):  # type: ignore[no-untyped-def]
    """See ``jacobian_transpose_plain.run``."""
    nodes, aims, work = unpack(ints, floats, lower, upper, weight, gain, x, trace)
    return solve(nodes, aims, x, work, tolerance, max_iterations)
