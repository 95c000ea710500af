"""Cyclic-coordinate descent with numpy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.ik import ball_plain as ball
from core.ik.along_plain import run_along, weights
from core.ik.nodes_plain import bounds, clamp, errors, frames, record, record_start, unpack
from core.ik.packed import Aims, Nodes, Work
from core.kinematics.cones import NO_CONE
from core.skeleton.skeleton import Array
from core.skeleton.tree import KIND_CURVE, KIND_HINGE
from core.spatial import so3

TWO_PI = 2.0 * math.pi
NEGLIGIBLE = 1e-12
"""Amplitude of the objective, against the terms it is made of, under which no angle is better than another."""
CLIMBS = 16
ALIKE = 2
"""Sweeps in a row before the rest of the series is guessed: what meets its goal quickly is never guessed."""
LEAST_RATIO = 0.3
LONGEST = 1e3
"""Most steps that are added at once."""
STALL_SWEEPS = 8
STALL = 1e-2


def solve(nodes: Nodes, aims: Aims, x: Array, work: Work, tolerance: float, max_iterations: int) -> int:
    """Sweep from the tips to the base until the goals are met, nothing moves any more or ``max_iterations``.

    Near a stretched pose sweeps follow each other like a geometric series. After two that do, the rest of the series
    is added at once, as far as the limits allow, and taken back if the merit would not fall.

    Args:
        nodes: Degrees of freedom.
        aims: Goals.
        x: Values of the nodes inside their limits, shape (K,), changed in place.
        work: Scratch memory; holds frames and errors at the end.
        tolerance: [W].
        max_iterations: Most sweeps.

    Returns:
        Number of sweeps.
    """
    frames(nodes, aims, x, work)
    merit, worst = errors(aims, work)
    record_start(work, merit)
    mark = math.sqrt(merit)
    way, alike = np.zeros(len(x)), 0
    for sweeps in range(max_iterations):
        if worst <= tolerance:
            return sweeps
        before = x.copy()
        sweep(nodes, aims, x, work)
        frames(nodes, aims, x, work)
        merit, worst = errors(aims, work)
        step = x - before
        if worst > tolerance and alike >= ALIKE:
            trial = x + series(float(way @ step), float(way @ way)) * step
            clamp(nodes, trial)
            here = descended(aims, work)
            frames(nodes, aims, trial, work)
            result = errors(aims, work)
            if descended(aims, work) < here:
                x[:], (merit, worst), alike = trial, result, -1
            else:
                frames(nodes, aims, x, work)
                errors(aims, work)
        way, alike = step, alike + 1
        record(work, merit)
        if not step.any() and alike > 0:
            return sweeps + 1
        if sweeps % STALL_SWEEPS == STALL_SWEEPS - 1:
            if mark - math.sqrt(merit) < STALL * tolerance:
                return sweeps + 1
            mark = math.sqrt(merit)
    return max_iterations


def series(along: float, square: float) -> float:
    """Return how many more times the last step is to be taken, told from the step before it.

    If each step is r times the one before, what is left after it is r / (1 - r) times the step (Aitken).

    Args:
        along: Product of the last two steps.
        square: Square of the first of them.
    """
    if not along > LEAST_RATIO * square:
        return 0.0
    return along / (square - along) if square - along > square / LONGEST else LONGEST


def descended(aims: Aims, work: Work) -> float:
    """Return what sweeps lower: ``sum w_p |P_d - P_c|^2 + w_o L^2 sum_j (1 - u_jd . u_jc)``; after ``errors``."""
    total = 0.0
    for g in range(len(aims.node)):
        w_p, w_o = weights(aims.weight[g])
        e = work.E[6 * g : 6 * g + 3]
        total += w_p * float(e @ e)
        if w_o > 0.0:
            total += 2.0 * w_o * (3.0 - float(np.sum(aims.wanted[g] * work.O[g])))
    return total


def sweep(nodes: Nodes, aims: Aims, x: Array, work: Work) -> None:
    """Visit every node once, tips first, each time with the values that are best for the goals distal to it.

    Every child comes before its parent, whatever branch it is on, so that a joint is chosen for all its goals after
    all of its subtrees are done (5.4). A ball joint is turned at once if its limits allow.

    The merit ``sum w L^2 (w_p/2 |P_d - P_c|^2 + sum_j (1 - u_jd . u_jc))`` never rises: ``w_p = 2 / L^2`` is held
    fixed (``(k / W^2)(1 + r)`` with W the chain's reach and r at 1) where the thesis lets r change from joint to joint.
    The factor L^2 weighs several goals against each other as the error that is reported does.
    Needs ``frames``; keeps ``work.P`` and ``work.O`` up to date, not the frames.

    Source: Welman (1993) eqs. 4.18-4.24, 5.8.
    """
    k = len(x)
    while k > 0:
        k -= 1
        if nodes.ball[k] and not nodes.affine[0] and turn_ball(nodes, aims, k, x, work):
            k -= 2
            continue
        if nodes.weight[k] <= 0.0:
            continue
        lower, upper = bounds(nodes, k, x)
        if nodes.kind[k] >= KIND_CURVE:
            x[k] = run_along(nodes, aims, k, x, work, lower, upper)
            continue
        if nodes.kind[k] == KIND_HINGE:
            step = turn_affine(nodes, aims, k, work, lower - x[k], upper - x[k]) if nodes.affine[0] else (
                turn(nodes, aims, k, work, x[k], lower, upper)
            )  # fmt: skip
        else:
            step = shift(nodes, aims, k, work)
        new = min(max(x[k] + step, lower), upper)
        move(nodes, aims, k, work, new - x[k])
        x[k] = new


def turn_ball(nodes: Nodes, aims: Aims, k: int, x: Array, work: Work) -> bool:
    """Turn the ball joint that ends at node ``k`` by the one rotation that is best for all goals distal to it.

    The rotation maximises the sum of 4.18 over the goals; responsiveness scales its angle. For one position it is the
    shortest arc.

    Returns:
        Whether that was done: not if its hinges differ in responsiveness, if no rotation is better than all others, or
        if the hinges' limits forbid it.
    """
    own = [k - 2, k - 1, k]
    weight = nodes.weight[k]
    if weight <= 0.0 or (nodes.weight[own] != weight).any():
        return False
    joint, B, arms = work.X[k, :, 3], np.zeros((3, 3)), []
    for g in np.flatnonzero(aims.distal[:, k]):
        w_p, w_o = weights(aims.weight[g])
        if w_p > 0.0:
            arms.append((work.P[g] - joint, aims.target[g] - joint))
            B += w_p * np.outer(arms[-1][1], arms[-1][0])
        if w_o > 0.0:
            arms += [(work.O[g], aims.wanted[g])] * 2
            B += w_o * aims.wanted[g] @ work.O[g].T
    if not arms:
        return True
    found, vector = ball.arc(*arms[0]) if len(arms) == 1 else ball.best_rotation(B)
    if not found:
        return False
    spin = so3.exp(weight * vector)
    if not float(np.sum((spin - np.eye(3)) * B)) > 0.0:
        return True
    D = work.R[k - 2].T @ spin @ work.R[k]
    new = x[own] + ball.three_angles(nodes.fixed, k, D, x[own])
    if (new < nodes.lower[own]).any() or (new > nodes.upper[own]).any():
        return False
    for i in range(3):
        other = nodes.partner[own[i]] - (k - 2)
        if nodes.cone[own[i]] != NO_CONE and math.cos(new[i]) * math.cos(new[other]) < nodes.cone[own[i]]:
            return False
    x[own] = new
    for g in np.flatnonzero(aims.distal[:, k]):
        work.P[g] = joint + spin @ (work.P[g] - joint)
        work.O[g] = spin @ work.O[g]
    return True


def turn(nodes: Nodes, aims: Aims, k: int, work: Work, value: float, lower: float, upper: float) -> float:
    """Return by how much hinge ``k`` should turn, eqs. 4.20-4.23, summed over the goals distal to it (5.8)."""
    axis, joint = work.R[k, :, 2], work.X[k, :, 3]
    k1 = k2 = k3 = scale = 0.0
    for g in np.flatnonzero(aims.distal[:, k]):
        w_p, w_o = weights(aims.weight[g])
        if w_p > 0.0:
            current, desired = work.P[g] - joint, aims.target[g] - joint
            k1 += w_p * float(desired @ axis) * float(current @ axis)
            k2 += w_p * float(desired @ current)
            k3 += w_p * float(axis @ np.cross(current, desired))
            scale += w_p * float(current @ current + desired @ desired)
        if w_o > 0.0:
            current, desired = work.O[g], aims.wanted[g]
            k1 += w_o * float((axis @ desired) @ (axis @ current))
            k2 += w_o * float(np.sum(desired * current))
            k3 += w_o * float(axis @ np.cross(current, desired, axis=0).sum(axis=1))
            scale += w_o
    if math.hypot(k3, k2 - k1) <= NEGLIGIBLE * scale:
        return 0.0
    return choose(math.atan2(k3, k2 - k1), nodes.weight[k], value, lower, upper)


def choose(best: float, weight: float, value: float, lower: float, upper: float) -> float:
    """Return the turn toward ``best`` that the limits allow.

    With full responsiveness: ``best`` itself, the short way or else the long way round, else the limit nearest to it
    on the circle, which is best because the objective is one sinusoid. With less, a part of the way, clamped.
    """
    if weight < 1.0:
        return min(max(weight * best, lower - value), upper - value)
    if lower <= value + best <= upper:
        return best
    other = best - math.copysign(TWO_PI, best)
    if lower <= value + other <= upper:
        return other
    to_lower = abs(math.remainder(lower - value - best, TWO_PI)) if math.isfinite(lower) else math.inf
    to_upper = abs(math.remainder(upper - value - best, TWO_PI)) if math.isfinite(upper) else math.inf
    return (lower if to_lower < to_upper else upper) - value


def turn_affine(nodes: Nodes, aims: Aims, k: int, work: Work, least: float, most: float) -> float:
    """Return by how much hinge ``k`` should turn below a scaled joint.

    There the point moves on an ellipse and the objective has a second harmonic,
    ``g(a) = C1 cos a + S1 sin a + C2 cos 2a + S2 sin 2a``. It is climbed with steps ``g' / H``, ``H`` a bound of
    ``|g''|``, none of which can lower it.
    """
    linear, joint = work.X[k, :, :3], work.X[k, :, 3]
    axis = work.R[k, :, 2]
    C1 = S1 = C2 = S2 = scale = 0.0
    for g in np.flatnonzero(aims.distal[:, k]):
        w_p, w_o = weights(aims.weight[g])
        if w_p > 0.0:
            arm = np.linalg.solve(linear, work.P[g] - joint)
            U = linear @ np.array([arm[0], arm[1], 0.0])
            V = linear @ np.array([-arm[1], arm[0], 0.0])
            rest = aims.target[g] - joint - linear[:, 2] * arm[2]
            C1 += w_p * float(rest @ U)
            S1 += w_p * float(rest @ V)
            C2 -= 0.25 * w_p * float(U @ U - V @ V)
            S2 -= 0.5 * w_p * float(U @ V)
            scale += w_p * float(rest @ rest + U @ U + V @ V)
        if w_o > 0.0:
            current, desired = work.O[g], aims.wanted[g]
            C1 += w_o * float(np.sum(desired * current) - (axis @ desired) @ (axis @ current))
            S1 += w_o * float(axis @ np.cross(current, desired, axis=0).sum(axis=1))
            scale += w_o
    steepest = math.hypot(C1, S1) + 4.0 * math.hypot(C2, S2)
    if steepest <= NEGLIGIBLE * scale:
        return 0.0

    def height(a: float) -> float:
        return C1 * math.cos(a) + S1 * math.sin(a) + C2 * math.cos(2.0 * a) + S2 * math.sin(2.0 * a)

    a = min(max(math.atan2(S1, C1), least), most)
    if height(a) < height(0.0):
        a = 0.0
    for _ in range(CLIMBS):
        rise = S1 * math.cos(a) - C1 * math.sin(a) + 2.0 * (S2 * math.cos(2.0 * a) - C2 * math.sin(2.0 * a))
        a = min(max(a + rise / steepest, least), most)
    part = min(max(nodes.weight[k] * a, least), most)
    return part if height(part) >= height(0.0) else 0.0


def shift(nodes: Nodes, aims: Aims, k: int, work: Work) -> float:
    """Return by how much slide ``k`` should move, eq. 4.24, for several goals their weighted mean."""
    axis = work.X[k, :, 2]
    along = total = 0.0
    for g in np.flatnonzero(aims.distal[:, k]):
        w_p, _ = weights(aims.weight[g])
        if w_p > 0.0:
            along += w_p * float((aims.target[g] - work.P[g]) @ axis)
            total += w_p * float(axis @ axis)
    return float(nodes.weight[k]) * along / total if total > 0.0 else 0.0


def move(nodes: Nodes, aims: Aims, k: int, work: Work, step: float) -> None:
    """Carry the end-effectors along when node ``k`` moves by ``step``."""
    if step == 0.0:
        return
    linear, joint, axis = work.X[k, :, :3], work.X[k, :, 3], work.R[k, :, 2]
    for g in np.flatnonzero(aims.distal[:, k]):
        if nodes.kind[k] != KIND_HINGE:
            work.P[g] += linear[:, 2] * step
            continue
        spin = so3.axis_rotation(axis, step)
        if aims.weight[g, 1] > 0.0:
            work.O[g] = spin @ work.O[g]
        if nodes.affine[0]:
            arm = np.linalg.solve(linear, work.P[g] - joint)
            work.P[g] = joint + linear @ (so3.axis_rotation("z", step) @ arm)
        else:
            work.P[g] = joint + spin @ (work.P[g] - joint)


def run(*arguments: Any) -> int:
    """``solve`` a packed problem: ``problem.packed_arguments``, then tolerance and most iterations."""
    *packed, tolerance, max_iterations = arguments
    nodes, aims, work = unpack(*packed)
    return solve(nodes, aims, packed[6], work, tolerance, max_iterations)
