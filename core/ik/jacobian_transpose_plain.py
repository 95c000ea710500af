"""Jacobian transpose with numpy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.ik.nodes_plain import bounds, clamp, columns, errors, frames, record, record_start, unpack
from core.ik.packed import Aims, Nodes, Work
from core.skeleton.skeleton import Array

STEP_ERROR = 0.25
"""Error of a step that is still good, [rad]: the way is a pull's way, not the figure's true motion."""
SAFETY = 0.9
LEAST_CHANGE, MOST_CHANGE = 0.2, 3.0
LEAST_STEP = 1e-12
LARGEST_MOVE = 1.0
STALL_STEPS = 8
STALL = 1e-2
MOST_STAGES = 32
DAMPING = 0.2
"""What a step leaves of the motions that are too fast for it, at most."""

FREE, HERE, STAGE, BEFORE, NOW, TRIAL = 0, 1, 2, 3, 4, 5
"""Rows of ``work.s``: 1 where a node may move, velocities at the start of a step and of a stage, way to the last two
stages, and values there."""


def _chebyshev(stages: int) -> tuple[float, float, float]:
    """Return w_0, w_1 and the largest h rho of a damped Chebyshev method, P(z) = T_s(w_0 - w_1 z) / T_s(w_0)."""
    w_0 = math.cosh(math.acosh(1.0 / DAMPING) / stages)
    polynomial = np.polynomial.Chebyshev.basis(stages)
    w_1 = float(polynomial(w_0) / polynomial.deriv()(w_0))
    return w_0, w_1, (w_0 + 1.0) / w_1


STAGES = np.array([(0.0, 0.0, 0.0), *(_chebyshev(stages) for stages in range(1, MOST_STAGES + 1))])
"""w_0, w_1 and the largest h rho of each number of stages, shape (MOST_STAGES + 1, 3)."""


def solve(nodes: Nodes, aims: Aims, x: Array, work: Work, tolerance: float, max_iterations: int) -> int:
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
    free, here = work.s[FREE], work.s[HERE]
    merit, worst = pull(nodes, aims, x, work, here)
    record_start(work, merit)
    rho = fastest_rate(nodes, aims, work)
    h = 1.0 / rho if rho > 0.0 else 0.0
    steps, accepted, mark, fresh = 0, 0, math.sqrt(merit), True
    while steps < max_iterations and worst > tolerance and h > 0.0:
        if fresh:
            hold(nodes, x, here, free)
            here *= free
        fastest = float(np.abs(here).max(initial=0.0))
        if fastest == 0.0 or h * fastest < LEAST_STEP:
            break
        steps += 1
        h = min(h, LARGEST_MOVE / fastest, STAGES[MOST_STAGES, 2] / rho)
        stages = int(np.searchsorted(STAGES[:, 2], h * rho))
        trial, new_merit, new_worst, off = step(nodes, aims, x, work, h, min(stages, MOST_STAGES))
        change = SAFETY * math.sqrt(STEP_ERROR / off) if off > 0.0 else MOST_CHANGE
        fresh = off <= STEP_ERROR and new_merit <= merit
        record(work, new_merit if fresh else merit)
        if not fresh:
            h *= max(LEAST_CHANGE, min(0.5, change))
            continue
        x[:] = trial
        here[:] = work.s[STAGE]
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


def step(nodes: Nodes, aims: Aims, x: Array, work: Work, h: float, stages: int) -> tuple[Array, float, float, float]:
    """Return the values after a step of length ``h``, clamped, their errors, and the error of the step [rad].

    The velocity there is in ``work.s[STAGE]``. Nodes that are held stay.
    """
    free, here, velocity = work.s[FREE], work.s[HERE], work.s[STAGE]
    w_0, w_1, _ = STAGES[stages]
    # Ways instead of values: a node that is held stays to the last bit.
    before, now = np.zeros(len(x)), h * w_1 / w_0 * here
    T_before, T_now = 1.0, w_0
    for _ in range(stages - 1):
        pull(nodes, aims, x + now, work, velocity)
        T_before, T_now = T_now, 2.0 * w_0 * T_now - T_before
        kept, pulled = 2.0 * w_0 * T_before / T_now, 2.0 * w_1 * T_before / T_now
        before, now = now, kept * now + (1.0 - kept) * before + h * pulled * free * velocity
    trial = x + now
    clamp(nodes, trial)
    merit, worst = pull(nodes, aims, trial, work, velocity)
    return trial, merit, worst, 0.5 * h * float(np.abs(free * velocity - here).max())


def pull(nodes: Nodes, aims: Aims, x: Array, work: Work, out: Array) -> tuple[float, float]:
    """Write ``qdot = K J^T F`` at ``x`` into ``out``; return ``errors``."""
    frames(nodes, aims, x, work)
    result = errors(aims, work)
    columns(nodes, aims, work)
    out[:] = nodes.gain * (work.J.T @ (work.E * np.repeat(aims.weight[:, :2], 3, axis=1).ravel()))
    return result


def hold(nodes: Nodes, x: Array, velocity: Array, free: Array) -> None:
    """Write 0 into ``free`` for nodes that would be pressed against a limit, 1 for the others."""
    for k in range(len(x)):
        lower, upper = bounds(nodes, k, x)
        free[k] = 0.0 if (velocity[k] > 0.0 and x[k] >= upper) or (velocity[k] < 0.0 and x[k] <= lower) else 1.0


def fastest_rate(nodes: Nodes, aims: Aims, work: Work) -> float:
    """Return the trace of ``K J^T J``: no motion ends at a faster rate."""
    weights = np.repeat(aims.weight[:, :2], 3, axis=1).ravel()
    return float(weights @ (work.J * work.J) @ nodes.gain)


def run(*arguments: Any) -> int:
    """``solve`` a packed problem: ``problem.packed_arguments``, then tolerance and most iterations."""
    *packed, tolerance, max_iterations = arguments
    nodes, aims, work = unpack(*packed)
    return solve(nodes, aims, packed[6], work, tolerance, max_iterations)
