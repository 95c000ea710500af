"""How far a chain reaches: the ball that a point of it cannot leave."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from core.arrays import Array
from core.errors import GoalError, JointError
from core.ik import nodes_kernel
from core.ik.diagnosis import reach
from core.ik.goal import Goal
from core.ik.problem import build
from core.kernels import serving
from core.skeleton.skeleton import Skeleton


class Reach(NamedTuple):
    """What a point of a chain can get to by the lengths of its segments, whatever the limits of its hinges.

    Attributes:
        center: The first joint of the chain that moves the point, world, shape (3,), [m].
        inner: Radius of the hole that a chain with one long segment leaves around it, 0 without, [m].
        outer: Radius of the ball that the point cannot leave, infinite if a slide has no limit, [m].
    """

    center: Array
    inner: float
    outer: float


def chain_reach(s: Skeleton, q: Any, joint: int | str, point: Any = (0.0, 0.0, 0.0), base: int | str = 0) -> Reach:
    """Return the ball in which a goal has to lie for ``solve`` to meet it.

    ``Result.short`` is the distance from it.

    Args:
        s: The figure.
        q: Pose inside its limits, shape (nq,), [m] and [rad].
        joint: Index or name of the joint that carries the point.
        point: The end-effector in the joint's frame, shape (3,), [m].
        base: Index or name of the joint whose own degrees of freedom are the first to move.

    Raises:
        JointError: If a joint does not exist.
        GoalError: If ``joint`` does not hang below ``base``, or ``point`` is no point.
        PoseError: If ``q`` has the wrong shape or holds NaN or infinity.
    """
    goal = Goal(s.joint_index(joint), point=point, position=(0.0, 0.0, 0.0))
    pose = np.array(s.check_pose(q), dtype=np.float64)
    try:
        problem = build(s, pose, (goal,), s.joint_index(base), None)
    except JointError as error:
        raise GoalError(str(error)) from None
    serving(nodes_kernel).frames(problem.nodes, problem.aims, problem.x, problem.work)
    center, inner, outer = reach(problem, 0)
    return Reach(np.asarray(center) * problem.size, inner * problem.size, outer * problem.size)
