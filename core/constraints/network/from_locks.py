"""A network for the locks and goals of one figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from core.constraints.bind import bind_in
from core.constraints.lock import Lock
from core.constraints.network.constraints import LocationConstraint, OrientationConstraint
from core.constraints.network.constraints.base import Constraint
from core.constraints.network.jacobian import Ints
from core.constraints.network.network import Network
from core.constraints.network.options import Options
from core.constraints.places import Figures, Places
from core.errors import GoalError, JointError
from core.kinematics.goal import Goal
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
        options = Options(bound, places, helping_elements(s, lock.joints))
        for block in lock.rule.blocks(lock, network, options):
            network.add(block)
            if block.weight == 0.0:
                network.remove(block)
    elements = None if goal_elements is None else np.array(goal_elements, dtype=np.int64)
    for block in goal_blocks(network, goals, elements):
        network.add(block)
    return network, bound


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
            handle = network.point(joint, goal.point)
            blocks.append(LocationConstraint(handle, goal.position, weight=position, elements=elements, soft=True))
        if goal.rotation is not None:
            turned = network.orientation(joint)
            blocks.append(OrientationConstraint(turned, goal.rotation, weight=rotation, elements=elements, soft=True))
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
