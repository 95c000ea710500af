"""The trunk's least step that keeps limbs short of straight, with plain Python; see ``soft_reach.py``."""

from __future__ import annotations

import math

import numpy as np

from core.skeleton.tree import Array

PULL, PUSH = 1e6, 1e2
"""Weights of limbs that would be too long, and of limbs that were straight at their keys, against 1 for the step."""

STEPS = 30
SETTLED = 1e-15


def allowed(distance: float, length: float, soft: float, scale: float) -> float:
    """Return how far apart the ends of a limb shall be where the interpolated pose has them ``distance`` apart.

    With ``y`` the distance past ``soft`` in units of the margin ``m = length - soft``, it is
    ``length - m exp(-y) r^2``, ``r`` going over from 1 at ``y = 0`` to ``scale`` where the limb is left as long as it
    is: so the slope is continuous, and a limb that is as straight as at its keys stays so.

    Args:
        distance: [m].
        length: Of the straight limb, [m].
        soft: Where the limit begins to be felt, [m].
        scale: From 0 to 1; 1 for the limit as such.
    """
    margin = length - soft
    y = (distance - soft) / margin
    if y <= 0.0:
        return distance
    square = scale * scale
    factor = square
    if square < 1.0:
        fixed = 1.0  # where 1 - y = square exp(-y)
        for _ in range(STEPS):
            e = square * math.exp(-fixed)
            slope = e - 1.0
            if slope > -1e-9:
                break
            step = (1.0 - fixed - e) / slope
            fixed -= step
            if abs(step) < 1e-14:
                break
        u = y / fixed if fixed > 1e-9 else 1.0
        if u < 1.0:
            factor = 1.0 - (1.0 - square) * u * u * (3.0 - 2.0 * u)
    return length - margin * math.exp(-y) * factor


def steps(ways: Array, lengths: Array, softs: Array, scales: Array, out: Array) -> None:
    """Put the trunk's least steps into ``out``.

    Args:
        ways: From base to goal of each limb in each pose, shape (m, k, 3), [m].
        lengths: Of the straight limbs, shape (k,), [m].
        softs: Where each limit begins to be felt, shape (k,), [m].
        scales: As in ``allowed``, shape (m, k); negative where a limb does not count in a pose.
        out: Shape (m, 3), [m].
    """
    for i in range(len(ways)):
        out[i] = 0.0
        distances = np.sqrt((ways[i] ** 2).sum(axis=1))
        counts = scales[i] >= 0.0
        stretched = counts & (distances > softs)
        if not stretched.any():
            continue
        wanted = softs.copy()
        start, H = np.zeros(3), np.eye(3)
        for j in np.flatnonzero(stretched):
            wanted[j] = allowed(distances[j], lengths[j], softs[j], scales[i, j])
            if wanted[j] > distances[j]:
                u = ways[i, j] / distances[j]
                H += PUSH * np.outer(u, u)
                start -= PUSH * (wanted[j] - distances[j]) * u
        begin = np.asarray(np.linalg.solve(H, start), dtype=np.float64)
        out[i] = _least(ways[i][counts], wanted[counts], begin)


def _least(ways: Array, wanted: Array, start: Array) -> Array:
    """Return the step nearest to ``start`` after which no limb is longer than wanted."""

    def energy(t: Array) -> tuple[float, Array, Array]:
        left = ways - t
        distances = np.sqrt((left**2).sum(axis=1))
        error = np.maximum(distances - wanted, 0.0)
        u = left / distances[:, None]
        bent = PULL * error / distances
        gradient = t - start - (PULL * error) @ u
        along = np.where(error > 0.0, PULL - bent, 0.0)
        H = np.eye(3) * (1.0 + bent.sum()) + np.einsum("j,ja,jb->ab", along, u, u)
        return 0.5 * float((t - start) @ (t - start)) + 0.5 * PULL * float(error @ error), gradient, H

    t = start
    value, gradient, H = energy(t)
    for _ in range(STEPS):
        step, part = np.linalg.solve(H, gradient), 1.0
        while True:
            new = t - part * step
            found = energy(new)
            if found[0] <= value or part < 1e-6:
                break
            part *= 0.5
        t, (value, gradient, H) = new, found
        if float(np.abs(part * step).max()) <= SETTLED:
            break
    return t
