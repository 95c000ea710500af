"""Pseudoinverse of the Jacobian with numpy, by its singular value decomposition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.ik.nodes_plain import bounds, clamp, columns, errors, frames, record, record_start, unpack
from core.ik.packed import Aims, Nodes, Work
from core.skeleton.skeleton import Array

LARGEST_STEP = 0.5
FIRST_THRESHOLD = 0.03
LEAST_THRESHOLD = 1e-4
MOST_THRESHOLD = 1e6
HARDER, SOFTER = 4.0, 0.5
NULL_THRESHOLD = 1e-3
STALL_STEPS = 3
STALL = 1e-3
NOTHING = 1e-300


def solve(
    nodes: Nodes, aims: Aims, x: Array, work: Work, rows: Array, tolerance: float, max_iterations: int
) -> int:  # fmt: skip
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
    threshold, slow, fresh = FIRST_THRESHOLD, 0, True
    for steps in range(max_iterations):
        if worst <= tolerance:
            return steps
        if fresh:
            columns(nodes, aims, work)
        trial = x + step(nodes, aims, x, work, rows, threshold)
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
        x[:] = trial
        slow = slow + 1 if math.sqrt(merit) - math.sqrt(new_merit) < STALL * tolerance else 0
        merit, worst = new_merit, new_worst
        threshold = max(threshold * SOFTER, LEAST_THRESHOLD)
        if slow == STALL_STEPS:
            return steps + 1
    return max_iterations


def step(nodes: Nodes, aims: Aims, x: Array, work: Work, rows: Array, threshold: float) -> Array:
    """Return the step toward the goals at ``x``, shape (K,); new. Uses ``work.E`` and ``work.J``.

    ``dq = sum_k s_k / max(s_k, t)^2 v_k u_k^T e``, t the threshold times the largest singular value: the pseudoinverse
    where the chain can move freely; below, the damping ``l^2 = (1 - (s / t)^2) t^2`` grows from 0, so that the step
    stays below ``|e| / t`` and dies away with the singular value. Nodes pressed against a limit are left out; what is
    left is scaled so that no node moves more than 0.5 rad.
    """
    e = (np.sqrt(np.repeat(aims.weight[:, :2], 3, axis=1).ravel()) * work.E)[_busy(aims)]
    gain = nodes.gain.copy()
    while True:
        U, s, V = _decomposed(aims, work, gain)
        floor = (threshold * s.max(initial=0.0)) ** 2 + NOTHING
        dq = np.sqrt(gain) * (V.T @ (s / np.maximum(s * s, floor) * (U.T @ e)))
        if not _leave_out_pressed(nodes, x, dq, gain):
            break
    largest = float(np.abs(dq).max(initial=0.0))
    return np.asarray(dq * (LARGEST_STEP / largest) if largest > LARGEST_STEP else dq)


def null_step(nodes: Nodes, aims: Aims, x: Array, work: Work, rows: Array, gradient: Array, out: Array) -> None:
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
    gain = nodes.gain.copy()
    while True:
        _, s, V = _decomposed(aims, work, gain)
        floor = (NULL_THRESHOLD * s.max(initial=0.0)) ** 2 + NOTHING
        slope = np.sqrt(gain) * gradient
        out[:] = -np.sqrt(gain) * (slope - V.T @ (s * s / np.maximum(s * s, floor) * (V @ slope)))
        if not _leave_out_pressed(nodes, x, out, gain):
            break


def run(*arguments: Any) -> int:
    """Unpack a problem (``problem.packed_arguments``) and ``solve`` it; what comes last is as there."""
    *packed, rows, tolerance, max_iterations = arguments
    nodes, aims, work = unpack(*packed)
    return solve(nodes, aims, packed[6], work, rows, tolerance, max_iterations)


def run_null_step(*arguments: Any) -> None:
    """Unpack a problem and work out its ``null_step``; what comes last is as there."""
    *packed, rows, gradient, out = arguments
    nodes, aims, work = unpack(*packed)
    null_step(nodes, aims, packed[6], work, rows, gradient, out)


def _busy(aims: Aims) -> NDArray[np.bool_]:
    """Return which rows belong to a goal, shape (6 G,)."""
    return np.repeat(aims.weight[:, :2] > 0.0, 3, axis=1).ravel()


def _decomposed(aims: Aims, work: Work, gain: Array) -> tuple[Array, Array, Array]:
    """Return U, singular values and V^T of ``sqrt(w) J sqrt(K)``."""
    w = np.sqrt(np.repeat(aims.weight[:, :2], 3, axis=1).ravel())
    return np.linalg.svd(((w[:, None] * work.J) * np.sqrt(gain))[_busy(aims)], full_matrices=False)


def _leave_out_pressed(nodes: Nodes, x: Array, dq: Array, gain: Array) -> bool:
    """Set the gain of nodes to 0 that ``dq`` presses against a limit; return whether there were any."""
    pressed = False
    for k in range(len(x)):
        if gain[k] > 0.0:
            lower, upper = bounds(nodes, k, x)
            if (dq[k] < 0.0 and x[k] <= lower) or (dq[k] > 0.0 and x[k] >= upper):
                gain[k] = 0.0
                pressed = True
    return pressed
