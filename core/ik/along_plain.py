"""One coordinate of a spline in cyclic descent, with numpy."""

from __future__ import annotations

import numpy as np

from core.ik.packed import Aims, Nodes, Work
from core.kinematics.splines_plain import motion_of
from core.skeleton.skeleton import Array

RUNS, HALVINGS, FARTHEST = 3, 8, 1.0
"""Steps along a spline in a sweep, how often one is halved, and its most: about W or one radian."""


def weights(goal: Array) -> tuple[float, float]:
    """Return a goal's weights of position and orientation, ``w_p`` and ``w_o`` of eq. 4.18 times ``w L^2 / 2``.

    Args:
        goal: Its row of ``Aims.weight``, shape (3,).
    """
    at_position, at_rotation, reach = goal.tolist()
    return at_position, 0.5 * at_rotation * reach * reach


def run_along(nodes: Nodes, aims: Aims, k: int, x: Array, work: Work, lower: float, upper: float) -> float:
    """Return the value of a coordinate that is better for the goals distal to it; carries the end-effectors along.

    Gauss-Newton steps on the merit of ``sweep`` along the true motion, each halved until the merit falls; one that
    cannot is not taken, so that it is never worse. Responsiveness shortens the steps.
    """
    goals = np.flatnonzero(aims.distal[:, k]).tolist()
    linear, origin, rotation = work.X[k, :, :3], work.X[k, :, 3], work.R[k]
    points = [np.linalg.solve(linear, work.P[g] - origin) for g in goals]
    turns = [rotation.T @ work.O[g] for g in goals]

    def look(value: float) -> tuple[float, float, float, Array]:
        """Return merit, pull and squared speed at a value, and the motion that leads there."""
        D, S = motion_of(nodes.kind, nodes.spline, nodes.splines, k, x, value)
        merit = pull = square = 0.0
        for g, point, own in zip(goals, points, turns, strict=True):
            w_p, w_o = weights(aims.weight[g])
            if w_p > 0.0:
                place = D[:3, :3] @ point + D[:3, 3]
                e, speed = aims.target[g] - origin - linear @ place, linear @ (S[3:] + np.cross(S[:3], place))
                merit += w_p * float(e @ e)
                pull += w_p * float(e @ speed)
                square += w_p * float(speed @ speed)
            if w_o > 0.0:
                O, spin = rotation @ D[:3, :3] @ own, rotation @ S[:3]  # noqa: E741 - the thesis' name
                merit += 2.0 * w_o * (3.0 - float(np.sum(aims.wanted[g] * O)))
                pull += w_o * float(spin @ np.cross(O, aims.wanted[g], axis=0).sum(axis=1))
                square += 2.0 * w_o * float(spin @ spin)
        return merit, pull, square, D

    value = float(x[k])
    start, pull, square, D = look(value)
    merit = start
    for _ in range(RUNS):
        if square <= 0.0:
            break
        trial = min(max(value + min(max(pull / square, -FARTHEST), FARTHEST), lower), upper)
        for _ in range(HALVINGS):
            found = look(trial)
            if found[0] < merit:
                break
            trial = value + 0.5 * (trial - value)
        if not found[0] < merit:
            break
        value = trial
        merit, pull, square, D = found
    if nodes.weight[k] < 1.0:
        value = min(max(float(x[k]) + float(nodes.weight[k]) * (value - float(x[k])), lower), upper)
        merit, _, _, D = look(value)
    if not merit < start:
        return float(x[k])
    for g, point, own in zip(goals, points, turns, strict=True):
        work.P[g] = origin + linear @ (D[:3, :3] @ point + D[:3, 3])
        if aims.weight[g, 1] > 0.0:
            work.O[g] = rotation @ D[:3, :3] @ own
    return value
