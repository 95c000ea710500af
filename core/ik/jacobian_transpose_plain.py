"""Jacobian transpose with numpy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.ik.nodes_plain import bounds, clamp, columns, errors, frames, record, record_start, unpack
from core.ik.packed import Aims, Nodes, Work
from core.skeleton.skeleton import Array

STEP_ERROR = 2e-2
SAFETY = 0.9
LEAST_CHANGE, MOST_CHANGE = 0.2, 1.5
LEAST_STEP = 1e-12
LARGEST_MOVE = 0.5
STALL_STEPS = 8
STALL = 1e-2


def solve(nodes: Nodes, aims: Aims, x: Array, work: Work, tolerance: float, max_iterations: int) -> int:
    """Let the goals pull: integrate ``qdot = K J^T F`` until they are met or nothing moves any more.

    ``F = [pull; twist]``, so the merit falls along the exact motion. Bogacki and Shampine's Runge-Kutta pair of orders
    3 and 2 with adaptive steps; limits by clamping after the step.

    Args:
        nodes: Degrees of freedom; ``gain`` is K.
        aims: Goals.
        x: Values of the nodes inside their limits, shape (K,), changed in place.
        work: Scratch memory; holds frames and errors at the end.
        tolerance: [W].
        max_iterations: Most steps, taken back or not.

    Returns:
        Number of steps.

    Source: Welman (1993) eqs. 4.4, 4.10.
    """
    merit, worst = velocity(nodes, aims, x, work, work.s[0])
    norm = float(nodes.gain @ np.sum(work.J * work.J, axis=0))
    h = 1.0 / norm if norm > 0.0 else 0.0
    record_start(work, merit)
    mark = math.sqrt(merit)
    accepted = 0
    for steps in range(max_iterations):
        if worst <= tolerance or h == 0.0:
            return steps
        k1 = work.s[0]
        fastest = float(np.abs(k1).max(initial=0.0))
        if fastest == 0.0 or h * fastest < LEAST_STEP:
            return steps
        h = min(h, LARGEST_MOVE / fastest)
        velocity(nodes, aims, x + 0.5 * h * k1, work, work.s[1])
        velocity(nodes, aims, x + 0.75 * h * work.s[1], work, work.s[2])
        trial = x + h * (2.0 * k1 + 3.0 * work.s[1] + 4.0 * work.s[2]) / 9.0
        clamp(nodes, trial)
        new_merit, new_worst = velocity(nodes, aims, trial, work, work.s[3])
        off = h * float(np.abs(-5.0 * k1 / 72.0 + work.s[1] / 12.0 + work.s[2] / 9.0 - work.s[3] / 8.0).max())
        change = SAFETY * (STEP_ERROR / off) ** (1.0 / 3.0) if off > 0.0 else MOST_CHANGE
        rejected = off > STEP_ERROR or new_merit > merit
        record(work, merit if rejected else new_merit)
        if rejected:
            h *= max(LEAST_CHANGE, min(0.5, change))
            frames(nodes, aims, x, work)
            errors(aims, work)
            continue
        x[:] = trial
        work.s[0] = work.s[3]
        merit, worst = new_merit, new_worst
        h *= min(MOST_CHANGE, max(LEAST_CHANGE, change))
        accepted += 1
        if accepted % STALL_STEPS == 0:
            if mark - math.sqrt(merit) < STALL * tolerance:
                return steps + 1
            mark = math.sqrt(merit)
    return max_iterations


def velocity(nodes: Nodes, aims: Aims, x: Array, work: Work, out: Array) -> tuple[float, float]:
    """Write ``qdot = K J^T F`` at ``x`` into ``out``, 0 for nodes pressed against a limit; return ``errors``."""
    frames(nodes, aims, x, work)
    result = errors(aims, work)
    columns(nodes, aims, work)
    force = work.E * np.repeat(aims.weight[:, :2], 3, axis=1).ravel()
    out[:] = nodes.gain * (work.J.T @ force)
    for k in range(len(x)):
        lower, upper = bounds(nodes, k, x)
        if (out[k] > 0.0 and x[k] >= upper) or (out[k] < 0.0 and x[k] <= lower):
            out[k] = 0.0
    return result


def run(*arguments: Any) -> int:
    """``solve`` a packed problem: ``problem.packed_arguments``, then tolerance and most iterations."""
    *packed, tolerance, max_iterations = arguments
    nodes, aims, work = unpack(*packed)
    return solve(nodes, aims, packed[6], work, tolerance, max_iterations)
