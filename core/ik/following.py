"""Inverse kinematics of figures whose degrees of freedom follow others: all that lead move, the others go with them.

Whatever solver is chosen: those move one degree of freedom apart from the others, which is not how such a figure moves.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from core.arrays import Array, Ints
from core.errors import GoalError, JointError
from core.ik.goal import Goal, Result
from core.ik.problem import build, pose_limits, release
from core.kinematics import forward_kinematics
from core.kinematics.jacobian import point_jacobian
from core.skeleton.clamp import clamp_pose
from core.skeleton.extent import figure_height
from core.skeleton.following import followed, following_dofs, following_rates, follows_of
from core.skeleton.skeleton import Skeleton
from core.spatial import so3

MOST_STEPS = 100
_DAMPING, _LESS, _MORE, _HIGHEST = 1e-3, 0.3, 4.0, 1e8
_STALLED = 1e-9
_LONGEST = 0.5
"""No value changes by more in a step, [rad], or as a share of the figure's height."""


class _Errors(NamedTuple):
    """How far goals are from being met.

    Attributes:
        rows: All errors, weighted, lengths in the figure's heights, shape (k,).
        jacobian: Their rates with the pose, shape (k, nq).
        error: As ``Result.error`` has it, [m].
        worst: Largest error of a position, or of a rotation times the figure's height, [m].
    """

    rows: Array
    jacobian: Array
    error: float
    worst: float


def moves_followers(s: Skeleton, goals: tuple[Goal, ...]) -> bool:
    """Return whether a degree of freedom that follows others moves the part of one of some goals."""
    following = following_dofs(s)
    if not following:
        return False
    for goal in goals:
        joint = s.joint_index(goal.joint)
        while joint >= 0:
            if any(dof in following for dof in range(s.first_dof[joint], s.first_dof[joint + 1])):
                return True
            joint = s.joints[joint].parent
    return False


def solve_following(
    s: Skeleton,
    pose: Array,
    goals: tuple[Goal, ...],
    base: int | None,
    tolerance: float,
    most: int,
    weights: Array | None,
    bounds: tuple[Array, Array] | None,
) -> Result:
    """Return the pose in which goals are met, found by damped least squares over the values that lead.

    Where a part of the chain follows a degree of freedom that is not in the chain, that moves too. What follows is not
    stopped by limits of its own; what leads is by its.

    Args:
        s: The figure.
        pose: Pose to start from, shape (nq,).
        goals: What is to be met.
        base: First joint that moves, ``problem.WORLD``, or None for all without the root's place.
        tolerance: What counts as met, [m].
        most: Most steps.
        weights: Responsiveness of each pose value, shape (nq,), or None.
        bounds: Least and largest value of each pose value, shape (nq,) each, or None.

    Raises:
        GoalError: If a goal's joint does not hang below the base.

    Source: Levenberg and Marquardt; Welman (1993) section 4.3.
    """
    q = followed(s, clamp_pose(s, pose))
    size = max(figure_height(s), 1e-6)
    lower, upper, _ = pose_limits(s)
    if bounds is not None:
        lower, upper = np.maximum(lower, bounds[0]), np.minimum(upper, bounds[1])
    moving = _moving(s, q, goals, base)
    ease = np.array([1.0] * 3 + [s.joints[joint].weight / s.joints[joint].resistance for joint in s.dof_joints])
    if weights is not None:
        ease = ease * weights
    moving = moving[ease[moving] > 0.0]
    scale = np.sqrt(ease[moving])
    now = _errors(s, q, goals, size)
    errors, damping, steps = [now.error], _DAMPING, 0
    blocked: tuple[int, ...] = ()
    while now.worst > tolerance and steps < most and damping < _HIGHEST:
        J = (now.jacobian @ following_rates(s, q))[:, moving] * scale
        gradient = J.T @ now.rows
        x = q[moving]
        stopped = ((x <= lower[moving]) & (gradient < 0.0)) | ((x >= upper[moving]) & (gradient > 0.0))
        blocked = tuple(int(k) - 3 for k in moving[stopped & (np.abs(gradient) > 1e-6)] if k >= 3)
        free = ~stopped
        if not free.any() or np.abs(gradient[free]).max() < _STALLED:
            break
        A = J[:, free].T @ J[:, free]
        step = np.zeros(len(moving))
        step[free] = np.linalg.solve(A + damping * np.eye(len(A)), gradient[free])
        step *= scale
        step *= min(1.0, _LONGEST / max(float(np.abs(step).max()), 1e-12))
        tried = q.copy()
        tried[moving] = np.clip(x + step, lower[moving], upper[moving])
        tried = followed(s, clamp_pose(s, tried))
        found = _errors(s, tried, goals, size)
        steps += 1
        if found.error < now.error:
            q, now, damping = tried, found, max(damping * _LESS, 1e-12)
        else:
            damping *= _MORE
        errors.append(min(errors[-1], now.error))
    met = now.worst <= tolerance
    reason = "reached" if met else "iterations" if steps >= most else "limits" if blocked else "stalled"
    return Result(q, now.error, steps, met, np.array(errors), reason, () if met else blocked)


def _moving(s: Skeleton, q: Array, goals: tuple[Goal, ...], base: int | None) -> Ints:
    """Return the places in the pose that may be changed for goals: none that follows others, shape (k,)."""
    try:
        problem = build(s, q, goals, base, None)
    except JointError as error:
        raise GoalError(str(error)) from None
    columns = set(problem.structure.q_index.tolist())
    release(problem)
    for dof, leaders, _ in reversed(follows_of(s)):
        if 3 + dof in columns:
            columns.discard(3 + dof)
            columns.update(3 + k for k in leaders)
    return np.array(sorted(columns - {3 + dof for dof in following_dofs(s)}), dtype=np.intp)


def _errors(s: Skeleton, q: Array, goals: tuple[Goal, ...], size: float) -> _Errors:
    """Return how far a pose is from goals."""
    X = forward_kinematics(s, q)
    rows, jacobians, squares, worst = [], [], 0.0, 0.0
    for goal in goals:
        joint = s.joint_index(goal.joint)
        J = point_jacobian(s, q, joint, goal.point)
        for target, weight, which in ((goal.position, goal.weights[0], 0), (goal.rotation, goal.weights[1], 1)):
            if target is None or weight <= 0.0:
                continue
            if which == 0:
                off = (np.asarray(target) - X[joint, :3, :3] @ goal.point - X[joint, :3, 3]) / size
            else:
                off = so3.log(np.asarray(target) @ X[joint, :3, :3].T)
            root = math.sqrt(weight)
            rows.append(root * off)
            jacobians.append(root * J[3 * which : 3 * which + 3] / (size if which == 0 else 1.0))
            far = size * float(np.linalg.norm(off))
            squares += weight * far * far
            worst = max(worst, far)
    if not rows:
        return _Errors(np.zeros(0), np.zeros((0, len(q))), 0.0, 0.0)
    return _Errors(np.concatenate(rows), np.concatenate(jacobians), math.sqrt(squares), worst)
