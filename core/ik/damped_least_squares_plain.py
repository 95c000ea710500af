"""Damped least squares with numpy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.ik.nodes_plain import bounds, clamp, columns, errors, frames, record, record_start, unpack
from core.ik.packed import Aims, Nodes, Work
from core.skeleton.skeleton import Array

LARGEST_STEP = 0.5
FIRST_DAMPING = 1e-3
LEAST_DAMPING = 1e-9
MOST_DAMPING = 1e9
HARDER, SOFTER = 8.0, 0.125
STALL_STEPS = 3
STALL = 1e-3


def solve(nodes: Nodes, aims: Aims, x: Array, work: Work, tolerance: float, max_iterations: int) -> int:
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
    damping, slow, fresh = FIRST_DAMPING, 0, True
    for steps in range(max_iterations):
        if worst <= tolerance:
            return steps
        if fresh:
            columns(nodes, aims, work)
        trial = x + damped_step(nodes, aims, x, work, damping)
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
        x[:] = trial
        slow = slow + 1 if math.sqrt(merit) - math.sqrt(new_merit) < STALL * tolerance else 0
        merit, worst = new_merit, new_worst
        damping = max(damping * SOFTER, LEAST_DAMPING)
        if slow == STALL_STEPS:
            return steps + 1
    return max_iterations


def damped_step(nodes: Nodes, aims: Aims, x: Array, work: Work, damping: float) -> Array:
    """Return the step at ``x``, shape (K,); new. Uses ``work.E`` and ``work.J``."""
    w = np.sqrt(np.repeat(aims.weight[:, :2], 3, axis=1).ravel())
    rows = w > 0.0
    e = (w * work.E)[rows]
    J = (w[:, None] * work.J)[rows]
    limits = [bounds(nodes, k, x) for k in range(len(x))]
    gain = nodes.gain.copy()
    while True:
        scaled = J * gain
        A = scaled @ J.T
        # The damping is measured against the matrix, so that it means the same at every size of figure and error.
        A[np.diag_indices_from(A)] += damping * (np.trace(A) / len(A)) + 1e-300
        dq = scaled.T @ np.linalg.solve(A, e)
        pressed = [
            k
            for k, (lower, upper) in enumerate(limits)
            if gain[k] > 0.0 and ((dq[k] < 0.0 and x[k] <= lower) or (dq[k] > 0.0 and x[k] >= upper))
        ]
        if not pressed:
            break
        gain[pressed] = 0.0
    largest = float(np.abs(dq).max(initial=0.0))
    return np.asarray(dq * (LARGEST_STEP / largest) if largest > LARGEST_STEP else dq)


def run(*arguments: Any) -> int:
    """``solve`` a packed problem: ``problem.packed_arguments``, then tolerance and most iterations."""
    *packed, tolerance, max_iterations = arguments
    nodes, aims, work = unpack(*packed)
    return solve(nodes, aims, packed[6], work, tolerance, max_iterations)
