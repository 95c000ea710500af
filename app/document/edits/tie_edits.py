"""Edits of what ties a figure's joints beside its tree: loops that close, degrees of freedom that follow others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from app.document.edits.joint_edits import Edit
from core.errors import ExpressionError, SkeletonError
from core.skeleton import Joint, Skeleton
from core.skeleton.building.builder import SkeletonBuilder
from core.skeleton.dof import HINGE
from core.skeleton.segment import rest_frames, segment_tip
from core.skeleton.tie import Follow, Leader, Loop, Vector, expression_of

LEADER = "u"
"""What expressions call the one degree of freedom that is followed."""


def ratio_text(ratio: float) -> str:
    """Return the expression of a degree of freedom that is so many times another one."""
    return LEADER if ratio == 1.0 else f"{ratio:g}*{LEADER}"


def read_rule(text: str) -> str:
    """Return the expression that somebody typed: a plain number is a ratio.

    Raises:
        SkeletonError: If it is no expression of the leader.
    """
    try:
        ratio = float(text.replace(",", "."))
    except ValueError:
        try:
            expression_of(Follow(0, text, (Leader(LEADER, "", 0),)))
        except ExpressionError as error:
            raise SkeletonError(f'"{text}": {error}; expected a ratio, or an expression of {LEADER}') from None
        return text
    if not math.isfinite(ratio):
        raise SkeletonError(f'"{text}" is no ratio; expected a finite number')
    return ratio_text(ratio)


def with_follow(name: str, dof: int, text: str, leader: str, leader_dof: int) -> Edit:
    """Let a degree of freedom of a joint follow another one.

    Args:
        name: The joint.
        dof: Which of its degrees of freedom.
        text: What it is then: a ratio, or an expression of ``u``, the leader's value, [rad] and [m].
        leader: The leader's joint.
        leader_dof: Which of its degrees of freedom.
    """

    def edit(builder: SkeletonBuilder) -> None:
        rule = read_rule(text)
        follow = Follow(dof, rule, (Leader(LEADER, leader, leader_dof),))
        joint = builder.joint(name)
        others = tuple(each for each in joint.follows if each.dof != dof)
        builder.set(name, follows=tuple(sorted((*others, follow), key=lambda each: each.dof)))
        _refuse_circles([builder.joint(each) for each in builder.joint_names], name)

    return edit


def with_rule(name: str, dof: int, text: str) -> Edit:
    """Change what a degree of freedom that follows is of those it follows."""

    def edit(builder: SkeletonBuilder) -> None:
        joint = builder.joint(name)
        follow = next(each for each in joint.follows if each.dof == dof)
        names = [each.name for each in follow.leaders]
        if len(names) == 1 and names[0] == LEADER:
            changed = follow._replace(text=read_rule(text))
        else:
            changed = follow._replace(text=text)
            try:
                expression_of(changed)
            except ExpressionError as error:
                raise SkeletonError(f'"{text}": {error}; expected an expression of {", ".join(names)}') from None
        builder.set(name, follows=tuple(changed if each is follow else each for each in joint.follows))

    return edit


def without_follow(name: str, dof: int) -> Edit:
    """Let a degree of freedom be free."""

    def edit(builder: SkeletonBuilder) -> None:
        builder.set(name, follows=tuple(each for each in builder.joint(name).follows if each.dof != dof))

    return edit


def _refuse_circles(joints: list[Joint], name: str) -> None:
    """Raise a SkeletonError if degrees of freedom follow each other in a circle."""
    waiting = {(joint.name, each.dof): each for joint in joints for each in joint.follows}
    while waiting:
        ready = [
            place
            for place, each in waiting.items()
            if not any((leader.joint, leader.dof) in waiting for leader in each.leaders)
        ]
        if not ready:
            raise SkeletonError(f'"{name}" would follow itself; choose one that does not follow it')
        for place in ready:
            del waiting[place]


def closed_loop(skeleton: Skeleton, joint: str, other: str) -> Loop:
    """Return a loop that is closed at rest: the end of a joint's segment stays where it is in another one's.

    Of a joint with one hinge alone it is a hinge about the same axis, else a ball.
    """
    i, k = skeleton.joint_index(joint), skeleton.joint_index(other)
    frames, own = rest_frames(skeleton), skeleton.joints[i]
    tip = segment_tip(skeleton, i)
    place = np.linalg.solve(frames[k], frames[i] @ np.append(tip, 1.0))[:3]
    dofs = own.dofs
    axis = _vector(dofs[0].axis) if len(dofs) == 1 and dofs[0].kind == HINGE and own.curved is None else None
    return Loop(other, _vector(tip), _vector(place), axis)


def with_loop(name: str, other: str) -> Edit:
    """Close a loop from the end of a joint's segment to another joint's segment."""

    def edit(builder: SkeletonBuilder) -> None:
        loop = closed_loop(builder.build(), name, other)
        builder.set(name, loops=(*builder.joint(name).loops, loop))

    return edit


def with_loop_values(name: str, number: int, **values: Any) -> Edit:
    """Change a loop of a joint: ``other``, ``point``, ``place`` or ``axis``, as in ``core.skeleton.tie.Loop``."""

    def edit(builder: SkeletonBuilder) -> None:
        loops = list(builder.joint(name).loops)
        loops[number] = loops[number]._replace(**values)
        builder.set(name, loops=tuple(loops))

    return edit


def without_loop(name: str, number: int) -> Edit:
    """Open a loop."""

    def edit(builder: SkeletonBuilder) -> None:
        loops = builder.joint(name).loops
        builder.set(name, loops=(*loops[:number], *loops[number + 1 :]))

    return edit


def gap(skeleton: Skeleton, joint: str, loop: Loop) -> float:
    """Return how far the two points of a loop are apart at rest, [m]."""
    frames = rest_frames(skeleton)
    X, Y = frames[skeleton.joint_index(joint)], frames[skeleton.joint_index(loop.other)]
    ends = X[:3, :3] @ loop.point + X[:3, 3], Y[:3, :3] @ loop.place + Y[:3, 3]
    return float(np.linalg.norm(ends[1] - ends[0]))


def _vector(values: object) -> Vector:
    x, y, z = (round(float(value), 6) + 0.0 for value in np.asarray(values))
    return x, y, z
