"""What the root keeps while locks hold: nobody asked it to turn.

Two feet locked and the pelvis let down as far as the ankles go: a turn of the pelvis by 50 degrees would buy 5 mm more.
So the root's rotation is a goal beside those that were given: a lock takes its limb first, the root's place next, its
tilt last, and the last millimetres of a goal never cost a turn that is seen.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.arrays import Array
from core.kinematics.forward import forward_kinematics
from core.kinematics.goal import Goal
from core.skeleton.skeleton import Skeleton

UPRIGHT = 0.3
"""Weight of the root's rotation beside a goal of the root itself: rather short of the goal than turned."""
UPRIGHT_BODY = 3e-4
"""The same where another part has the goal and the root may turn for it: it bends down, but does not lean back by 30
degrees for a hand that reaches up."""
PLACE, TURN = 0.3, 1.0
"""Weights of the root's place and rotation after an edit of the pose: it moves before it tilts."""


def upright_goal(s: Skeleton, q: Array, goals: Sequence[Goal]) -> Goal | None:
    """Return the goal of the root's rotation in a pose, beside some goals; None if one of them is about it already.

    Args:
        s: The figure.
        q: The pose whose root stays as it is turned, shape (nq,).
        goals: The goals.
    """
    if not s.first_dof[1]:
        return None
    at_root = [goal for goal in goals if s.joint_index(goal.joint) == 0]
    if any(goal.rotation is not None or goal.point.any() for goal in at_root):
        return None
    rotation = forward_kinematics(s, q)[0, :3, :3]
    return Goal.at_frame(0, rotation, weight=UPRIGHT if at_root else UPRIGHT_BODY)


def root_goal(s: Skeleton, q: Array) -> Goal:
    """Return the goal that keeps the root where and as it is in a pose, shape (nq,)."""
    X = forward_kinematics(s, q)[0]
    return Goal.at_frame(0, X[:3, :3], X[:3, 3], (PLACE, TURN))
