"""A network for the locks and goals of one figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from core.constraints.bind import bind_in
from core.constraints.lock import Lock
from core.constraints.network.constraint import Constraint
from core.constraints.network.handles.base import Handle
from core.constraints.network.jacobian import Ints
from core.constraints.network.network import Network
from core.constraints.places import Figures, Places
from core.constraints.residuals import (
    CENTER,
    ORIENTATION,
    OTHER_ORIENTATION,
    OTHER_POINT,
    POINT,
    POSE,
    OrientationResidual,
    PointResidual,
    Residual,
)
from core.errors import GoalError, JointError, LockError
from core.kinematics.goal import Goal
from core.skeleton.joined import Joined
from core.skeleton.skeleton import Skeleton


def network_of(
    s: Skeleton,
    q: Any,
    locks: Iterable[Lock] = (),
    goals: Iterable[Goal] = (),
    goal_elements: Sequence[int] | None = None,
    figures: Figures | None = None,
) -> tuple[Network, tuple[Lock, ...]]:
    """Return a network that holds locks of a figure, and the locks as they are bound.

    Args:
        s: The figure, the first of the network.
        q: Its pose, shape (nq,), [m] and [rad].
        locks: What is to hold; those of weight 0 are left out, those below 1 become springs.
        goals: Where parts are drawn to: springs.
        goal_elements: Pose values that may move for the goals; None is all.
        figures: Other figures that locks name; they stand still.

    Raises:
        LockError: If a lock names a joint or figure that is not there.
        GoalError: If a goal does.
        PoseError: If a pose does not fit.
    """
    places = Places(s, q, figures)
    bound = tuple(bind_in(lock, places) for lock in locks)
    network = Network()
    network.add_figure(s, q, "")
    for name in dict.fromkeys(lock.second[0] for lock in bound if lock.second is not None):
        if name is not None:
            network.add_figure(*places.figure(name), name=name).mobility[:] = 0.0
    for lock in bound:
        helping = helping_elements(s, lock.joints)
        for residual in lock.rule.residuals_at(lock, places, bound):
            handles = [_handle(network, part, lock) for part in residual.of]
            block = network.add(Constraint(residual, handles, helping, lock.weights[residual.angular]))
            if block.weight == 0.0:
                network.remove(block)
    elements = None if goal_elements is None else np.array(goal_elements, dtype=np.int64)
    for block in goal_blocks(network, goals, elements):
        network.add(block)
    return network, bound


def _handle(network: Network, part: str, lock: Lock) -> Handle:
    """Return the handle of what a lock's residual is a function of.

    Raises:
        LockError: If there is none.
    """
    if part == POINT:
        return network.point(lock.joint, lock.point)
    if part == ORIENTATION:
        return network.orientation(lock.joint)
    if part == CENTER:
        s = next(iter(network.state.figures.values())).skeleton
        return network.center_of_mass(joint=s.joint_index(lock.joint) if isinstance(s, Joined) else -1)
    if part == POSE:
        return network.pose()
    if part not in (OTHER_POINT, OTHER_ORIENTATION) or lock.second is None:
        raise LockError(f'{lock.kind} lock of joint "{lock.joint}": the network has no handle on its {part}')
    figure, joint, point = lock.second
    return network.point(joint, point, figure) if part == OTHER_POINT else network.orientation(joint, figure)


def goal_blocks(network: Network, goals: Iterable[Goal], elements: Ints | None) -> list[Constraint]:
    """Return the springs that draw parts of the first figure to their goals.

    Raises:
        GoalError: If the figure has no such joint.
    """
    blocks: list[Constraint] = []
    for goal in goals:
        try:
            joint = next(iter(network.state.figures.values())).skeleton.joint_index(goal.joint)
        except JointError as error:
            raise GoalError(str(error)) from None
        position, rotation = goal.weights
        if goal.position is not None:
            place: Residual = PointResidual(np.eye(3), goal.position)
            blocks.append(Constraint(place, [network.point(joint, goal.point)], elements, position, soft=True))
        if goal.rotation is not None:
            turn = OrientationResidual(goal.rotation)
            blocks.append(Constraint(turn, [network.orientation(joint)], elements, rotation, soft=True))
    return blocks


def helping_elements(s: Skeleton, joints: Iterable[int | str] | None) -> Ints | None:
    """Return the pose values of the joints that may help a lock, the root's place with the root; None for all."""
    if joints is None:
        return None
    found: list[int] = []
    for joint in joints:
        i = s.joint_index(joint)
        found += [0, 1, 2] if i == 0 else []
        found += range(3 + s.first_dof[i], 3 + s.first_dof[i + 1])
    return np.array(sorted(set(found)), dtype=np.int64)
