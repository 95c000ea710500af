"""Jacobian transpose."""

from __future__ import annotations

import math

import numpy as np

from core.ik.nodes_kernel import bounds, columns, errors, frames, record, record_start
from core.ik.packed import Aims, Nodes, Work, unpack
from core.kernels import F1, I1, PAIR, kernel
from core.kinematics.nodes_kernel import clamp_values

FREE, HERE, STAGE, BEFORE, NOW, TRIAL = 0, 1, 2, 3, 4, 5
"""Rows of ``work.s``: 1 where a node may move, velocities at the start of a step and of a stage, way to the last two
stages, and values there."""
LARGEST_MOVE = 1.0
LEAST_CHANGE, MOST_CHANGE = 0.2, 3.0
LEAST_STEP = 1e-12
MOST_STAGES = 32
SAFETY = 0.9
STALL = 1e-2
STALL_STEPS = 8
STEP_ERROR = 0.25
"""Error of a step that is still good, [rad]: the way is a pull's way, not the figure's true motion."""
DAMPING = 0.2
"""What a step leaves of the motions that are too fast for it, at most."""


def _series(x: float, c: list[float]) -> float:
    """Return a Chebyshev series at ``x`` (Clenshaw); numpy's own would be loaded at each start of the editor."""
    low, high = [0.0, *c][-2:]
    for k in range(3, len(c) + 1):
        low, high = c[-k] - high, low + high * (2.0 * x)
    return low + high * x if len(c) > 1 else c[0]


def _chebyshev(stages: int) -> tuple[float, float, float]:
    """Return w_0, w_1 and the largest h rho of a damped Chebyshev method, P(z) = T_s(w_0 - w_1 z) / T_s(w_0)."""
    w_0 = math.cosh(math.acosh(1.0 / DAMPING) / stages)
    # T_s' = 2 s (T_(s-1) + T_(s-3) + ...), the last term half if it is T_0.
    slope = [(2.0 if k else 1.0) * stages * float((stages - k) % 2) for k in range(stages)]
    w_1 = _series(w_0, [0.0] * stages + [1.0]) / _series(w_0, slope)
    return w_0, w_1, (w_0 + 1.0) / w_1


STAGES = np.array([(0.0, 0.0, 0.0), *(_chebyshev(stages) for stages in range(1, MOST_STAGES + 1))])
"""w_0, w_1 and the largest h rho of each number of stages, shape (MOST_STAGES + 1, 3)."""


@kernel(inline=True)
def pull(nodes: Nodes, aims: Aims, x: F1, work: Work, out: F1) -> PAIR:
    """Write ``qdot = K J^T F`` at ``x`` into ``out``; return ``errors``."""
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


@kernel(inline=True)
def fastest_rate(nodes: Nodes, aims: Aims, work: Work) -> float:
    """Return the trace of ``K J^T J``: no motion ends at a faster rate."""
    J, gain, total = work.J, nodes.gain, 0.0
    for g in range(len(aims.node)):
        for part in range(2):
            w, first = aims.weight[g, part], 6 * g + 3 * part
            if w > 0.0:
                for k in range(len(gain)):
                    total += w * gain[k] * (J[first, k] ** 2 + J[first + 1, k] ** 2 + J[first + 2, k] ** 2)
    return total


@kernel(linked=True)
def solve(nodes: Nodes, aims: Aims, x: F1, work: Work, tolerance: float, max_iterations: int) -> int:
    """Let the goals pull: integrate ``qdot = K J^T F`` until they are met or nothing moves any more.

    ``F = [pull; twist]``, so the merit falls along the exact motion. That motion is stiff: across an arm it ends long
    before it does along it, and an ordinary explicit method creeps for the sake of what has ended. Each step is
    therefore one of a Runge-Kutta-Chebyshev method of order 1, whose steps may be some 0.8 s^2 / rho long with s
    stages; rho bounds the fastest rate. Steps adapt to the error, limits are kept by clamping after the step.

    Args:
        nodes: Degrees of freedom; ``gain`` is K.
        aims: Goals.
        x: Values of the nodes inside their limits, shape (K,), changed in place.
        work: Scratch memory; holds frames and errors at the end.
        tolerance: [W].
        max_iterations: Most steps, taken back or not.

    Returns:
        Number of steps.

    Source: Welman (1993) eqs. 4.4, 4.10; van der Houwen and Sommeijer (1980), Z. Angew. Math. Mech. 60.
    """
    # In one piece: a step of the method and what decides about it share all their numbers.
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


@kernel
def run(
    ints: I1, floats: F1, lower: F1, upper: F1, weight: F1, gain: F1, x: F1, trace: F1, tolerance: float,
    max_iterations: int,
) -> int:  # fmt: skip
    """``solve`` a packed problem: ``problem.packed_arguments``, then tolerance and most iterations."""
    nodes, aims, work = unpack(ints, floats, lower, upper, weight, gain, trace)
    return solve(nodes, aims, x, work, tolerance, max_iterations)
