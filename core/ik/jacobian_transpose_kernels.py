"""Jacobian transpose, compiled."""

from __future__ import annotations

import math

import numba as nb

from core.ik.jacobian_transpose_plain import (
    BEFORE,
    FREE,
    HERE,
    LARGEST_MOVE,
    LEAST_CHANGE,
    LEAST_STEP,
    MOST_CHANGE,
    MOST_STAGES,
    NOW,
    SAFETY,
    STAGE,
    STAGES,
    STALL,
    STALL_STEPS,
    STEP_ERROR,
    TRIAL,
)
from core.ik.nodes_kernels import (
    AIMS,
    F0,
    F1,
    I0,
    INLINE,
    NODES,
    OPTIONS,
    PACKED,
    PAIR,
    WORK,
    bounds,
    clamp_values,
    columns,
    errors,
    frames,
    record,
    record_start,
    unpack,
)
from core.kinematics.inlining import INTERNAL
from core.kinematics.linking import linked


@nb.njit(PAIR(NODES, AIMS, F1, WORK, F1), **INLINE)
def pull(nodes, aims, x, work, out):  # type: ignore[no-untyped-def]
    """See ``jacobian_transpose_plain.pull``."""
    frames(nodes, aims, x, work)
    merit, worst = errors(aims, work)
    columns(nodes, aims, work)
    J, E, gain = work.J, work.E, nodes.gain
    for k in range(len(x)):
        out[k] = 0.0
    for g in range(len(aims.node)):
        for part in range(2):
            w, first = aims.weight[g, part], 6 * g + 3 * part
            if w > 0.0:
                for k in range(len(x)):
                    out[k] += w * (
                        J[first, k] * E[first] + J[first + 1, k] * E[first + 1] + J[first + 2, k] * E[first + 2]
                    )
    for k in range(len(x)):
        out[k] *= gain[k]
    return merit, worst


@nb.njit(F0(NODES, AIMS, WORK), **INLINE)
def fastest_rate(nodes, aims, work):  # type: ignore[no-untyped-def]
    """See ``jacobian_transpose_plain.fastest_rate``."""
    J, gain, total = work.J, nodes.gain, 0.0
    for g in range(len(aims.node)):
        for part in range(2):
            w, first = aims.weight[g, part], 6 * g + 3 * part
            if w > 0.0:
                for k in range(len(gain)):
                    total += w * gain[k] * (J[first, k] ** 2 + J[first + 1, k] ** 2 + J[first + 2, k] ** 2)
    return total


@linked
@nb.njit(I0(NODES, AIMS, F1, WORK, F0, I0), **INTERNAL)
def solve(nodes, aims, x, work, tolerance, max_iterations):  # type: ignore[no-untyped-def]
    """See ``jacobian_transpose_plain.solve``."""
    free, here, velocity, before, now = work.s[FREE], work.s[HERE], work.s[STAGE], work.s[BEFORE], work.s[NOW]
    trial = work.s[TRIAL]
    n = len(x)
    merit, worst = pull(nodes, aims, x, work, here)
    record_start(work, merit)
    rho = fastest_rate(nodes, aims, work)
    h = 1.0 / rho if rho > 0.0 else 0.0
    steps, accepted, mark, fresh = 0, 0, math.sqrt(merit), True
    while steps < max_iterations and worst > tolerance and h > 0.0:
        fastest = 0.0
        for k in range(n):
            if fresh:
                lower, upper = bounds(nodes, k, x)
                free[k] = 0.0 if (here[k] > 0.0 and x[k] >= upper) or (here[k] < 0.0 and x[k] <= lower) else 1.0
                here[k] *= free[k]
            fastest = max(fastest, abs(here[k]))
        if fastest == 0.0 or h * fastest < LEAST_STEP:
            break
        steps += 1
        h = min(h, LARGEST_MOVE / fastest, STAGES[MOST_STAGES, 2] / rho)
        stages = 1
        while stages < MOST_STAGES and STAGES[stages, 2] < h * rho:
            stages += 1
        w_0, w_1 = STAGES[stages, 0], STAGES[stages, 1]
        T_before, T_now = 1.0, w_0
        new_merit = new_worst = 0.0
        for stage in range(stages):
            if stage == 0:
                for k in range(n):
                    before[k], now[k] = 0.0, h * w_1 / w_0 * here[k]
            else:
                T_before, T_now = T_now, 2.0 * w_0 * T_now - T_before
                kept, pulled = 2.0 * w_0 * T_before / T_now, h * 2.0 * w_1 * T_before / T_now
                for k in range(n):
                    following = kept * now[k] + (1.0 - kept) * before[k] + pulled * free[k] * velocity[k]
                    before[k], now[k] = now[k], following
            for k in range(n):
                trial[k] = x[k] + now[k]
            if stage == stages - 1:
                clamp_values(nodes.lower, nodes.upper, nodes.partner, nodes.cone, trial)
            new_merit, new_worst = pull(nodes, aims, trial, work, velocity)
        off = 0.0
        for k in range(n):
            off = max(off, abs(free[k] * velocity[k] - here[k]))
        off *= 0.5 * h
        change = SAFETY * math.sqrt(STEP_ERROR / off) if off > 0.0 else MOST_CHANGE
        fresh = off <= STEP_ERROR and new_merit <= merit
        record(work, new_merit if fresh else merit)
        if not fresh:
            h *= max(LEAST_CHANGE, min(0.5, change))
            continue
        for k in range(n):
            x[k], here[k] = trial[k], velocity[k]
        rho = fastest_rate(nodes, aims, work)
        merit, worst = new_merit, new_worst
        h *= min(MOST_CHANGE, max(LEAST_CHANGE, change))
        accepted += 1
        if accepted % STALL_STEPS == 0:
            if mark - math.sqrt(merit) < STALL * tolerance:
                break
            mark = math.sqrt(merit)
    if not fresh:
        frames(nodes, aims, x, work)
        errors(aims, work)
    return steps


@nb.njit(I0(*PACKED, F0, I0), **OPTIONS)
def run(ints, floats, lower, upper, weight, gain, x, trace, tolerance, max_iterations):  # type: ignore[no-untyped-def]
    """See ``jacobian_transpose_plain.run``."""
    nodes, aims, work = unpack(ints, floats, lower, upper, weight, gain, x, trace)
    return solve(nodes, aims, x, work, tolerance, max_iterations)
