"""Steps of inverse kinematics by dense linear algebra: damped least squares, pseudoinverse, its null space."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from core.ik import nodes_kernel
from core.ik.problem import Problem

Array = NDArray[np.float64]
LONGEST = 0.5  # [rad]


def _weighted(p: Problem) -> tuple[Array, Array]:
    """Jacobian and errors of the rows that goals have, times the roots of their weights."""
    w = np.sqrt(np.repeat(p.aims.weight[:, :2], 3, axis=1).ravel())
    return (w[:, None] * p.work.J)[w > 0.0], (w * p.work.E)[w > 0.0]


def _inside(p: Problem, step: Callable[[Array], Array]) -> Array:
    """What a step of gains is when nodes that it presses against their limits have none."""
    gain = p.nodes.gain.copy()
    while True:
        dq = step(gain)
        bounds = np.array([nodes_kernel.bounds(p.nodes, k, p.x) for k in range(len(p.x))]).reshape(-1, 2)
        out = ((dq < 0.0) & (p.x <= bounds[:, 0])) | ((dq > 0.0) & (p.x >= bounds[:, 1]))
        if not (out & (gain > 0.0)).any():
            return dq
        gain[out] = 0.0


def _short(dq: Array) -> Array:
    return dq * min(1.0, LONGEST / max(np.abs(dq).max(initial=0.0), 1e-300))


def damped_step(p: Problem, damping: float) -> Array:
    """``dq = K J' (J K J' + l^2 I)^-1 e``, l^2 the damping times the mean diagonal of ``J K J'``."""
    J, e = _weighted(p)

    def step(gain: Array) -> Array:
        A = J * gain @ J.T
        A += (damping * np.trace(A) / len(A) + 1e-300) * np.eye(len(A))
        return np.asarray((J * gain).T @ np.linalg.solve(A, e))

    return _short(_inside(p, step))


def _svd(p: Problem, gain: Array, threshold: float) -> tuple[Array, Array, Array, Array, Array]:
    J, e = _weighted(p)
    U, s, V = np.linalg.svd(J * np.sqrt(gain), full_matrices=False)
    return U, s, V, np.maximum(s * s, (threshold * s.max(initial=0.0)) ** 2 + 1e-300), e


def pseudoinverse_step(p: Problem, threshold: float) -> Array:
    """``dq = sum_k s_k / max(s_k, t)^2 v_k u_k' e`` in the metric of K, t the threshold times the largest s."""

    def step(gain: Array) -> Array:
        U, s, V, floor, e = _svd(p, gain, threshold)
        return np.sqrt(gain) * (V.T @ (s / floor * (U.T @ e)))

    return _short(_inside(p, step))


def null_step(p: Problem, gradient: Array, threshold: float) -> Array:
    """``-(I - J^+ J) grad H`` in the metric of K."""

    def step(gain: Array) -> Array:
        _, s, V, floor, _ = _svd(p, gain, threshold)
        slope = np.sqrt(gain) * gradient
        return -np.sqrt(gain) * (slope - V.T @ (s * s / floor * (V @ slope)))

    return _inside(p, step)


def pull(p: Problem) -> Array:
    """``K J' F`` with the goals' errors for F, as springs of their weights pull."""
    return np.asarray(p.nodes.gain * (p.work.J.T @ (np.repeat(p.aims.weight[:, :2], 3, axis=1).ravel() * p.work.E)))
