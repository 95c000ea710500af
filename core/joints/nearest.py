"""Coordinates of a pose by least squares, for joints that have no closed form."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from core.arrays import Array
from core.joints.base import JointModel
from core.spatial import se3

_ITERATIONS = 60
_GLANCE = 10
_HOPEFUL = 1.2
_EXACT = 1e-13
_WITHIN_REACH = 1e-8
_REACHED = 1e-10
_SETTLED = 1e-12
_LEAST_DAMPING = 1e-14
_MOST_DAMPING = 1e12


def mismatch(joint: JointModel, q: Array, X: Array, length: float = 1.0) -> Array:
    """Return the twist ``log(Q(q)^-1 X)`` with its linear part divided by ``length``, shape (6,)."""
    twist = se3.log(se3.inverse(joint.transform(q)) @ X)
    twist[3:] /= length
    return twist


def descend(
    joint: JointModel, q: Array, X: Array, length: float = 1.0, iterations: int = _ITERATIONS
) -> tuple[Array, float]:
    """Return the coordinates of a local minimum of ``|mismatch|`` downhill of ``q``, and the minimum.

    Gauss and Newton's steps on ``log(Q^-1 X)``, whose derivative by ``q`` is ``-J_l^-1 S``; damped after Levenberg and
    Marquardt where a step would not bring it nearer, so that singular poses of the joint do no harm.

    Args:
        joint: The joint.
        q: Coordinates to begin at, shape (n,).
        X: Pose wanted, shape (4, 4).
        length: Length that counts as much as a radian, [m].
        iterations: Most steps to take.
    """
    scale = np.array([1.0, 1.0, 1.0, 1.0 / length, 1.0 / length, 1.0 / length])[:, None]
    error = mismatch(joint, q, X, length)
    square = float(error @ error)
    damping = 1e-8
    for _ in range(iterations):
        if square < _EXACT * _EXACT:
            break
        twist = error / scale[:, 0]
        J = scale * (se3.inverse_left_jacobian(twist) @ joint.subspace(q))
        gradient = J.T @ error
        H = J.T @ J
        weights = np.maximum(np.diagonal(H), 1e-12 * max(float(np.diagonal(H).max(initial=0.0)), 1e-12))
        while damping < _MOST_DAMPING:
            step = np.linalg.solve(H + damping * np.diag(weights), gradient)
            trial = q + step
            there = mismatch(joint, trial, X, length)
            found = float(there @ there)
            if found < square:
                break
            damping *= 8.0
        else:
            break
        # Out of reach the steps grow short by a factor each; within reach they double the digits.
        done = square - found <= _SETTLED * square and found > _WITHIN_REACH * _WITHIN_REACH
        q, error, square = trial, there, found
        damping = max(0.1 * damping, _LEAST_DAMPING)
        if done:
            break
    return q, float(np.sqrt(square))


def nearest(joint: JointModel, X: Array, starts: Iterable[Array], near: Array, length: float = 1.0) -> Array:
    """Return the coordinates of least ``|mismatch|`` found from several starts; of equally good ones the nearest.

    Args:
        joint: The joint.
        X: Pose wanted, shape (4, 4).
        starts: Coordinates to begin at, shape (n,) each; if the first lead to the pose itself, the others are left out.
        near: Coordinates that say which of several solutions is meant, shape (n,).
        length: Length that counts as much as a radian, [m].
    """
    found: list[tuple[Array, float]] = []
    for start in starts:
        q, off = descend(joint, np.array(start, dtype=np.float64), X, length, _GLANCE)
        if off < _REACHED and not found:
            return q
        found.append((q, off))
    least = min((off for _, off in found if math.isfinite(off)), default=math.nan)
    found = [descend(joint, q, X, length) for q, off in found if off <= _HOPEFUL * least + _REACHED]
    if not found:
        return np.full(joint.n, np.nan)  # X or all starts are no numbers
    least = min(off for _, off in found)
    good = [q for q, off in found if off <= least + 1e-9]
    return min(good, key=lambda q: float(np.linalg.norm(q - near)))


def refined(joint: JointModel, q: Array, X: Array) -> tuple[Array, float]:
    """Return coordinates that give a pose to the last digits, of such as almost do, and what remains.

    Args:
        joint: The joint.
        q: Coordinates near those of the pose, shape (n,).
        X: The pose, shape (4, 4).
    """
    q = np.array(q, dtype=np.float64)
    error = mismatch(joint, q, X)
    for _ in range(3):
        trial = q + np.linalg.lstsq(se3.inverse_left_jacobian(error) @ joint.subspace(q), error, rcond=None)[0]
        left = mismatch(joint, trial, X)
        if not left @ left < error @ error:
            break
        q, error = trial, left
    return q, float(np.linalg.norm(error))
