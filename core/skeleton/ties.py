"""What ties a figure's joints together beside its tree: loops that close, and degrees of freedom that follow others.

Both are part of a joint, ``Joint.loops`` and ``Joint.follows``, so that they go wherever it goes. A tie whose other
part or degree of freedom is gone is dropped with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.arrays import Array
from core.errors import ExpressionError
from core.symbolic import Evaluator, Expression, parse, symbol

if TYPE_CHECKING:
    from core.skeleton.joint import Joint
    from core.skeleton.structure import Structure

Vector = tuple[float, float, float]

_SIDE = np.diag([-1.0, 1.0, 1.0])


class Loop(NamedTuple):
    """A point of a joint's segment that stays at a point of another segment.

    Attributes:
        other: Name of the other joint.
        point: In the joint's own frame, [m].
        place: In the other joint's frame, [m].
        axis: Axis of the hinge between both, in the joint's own frame, of unit length; None for a ball.
    """

    other: str
    point: Vector
    place: Vector
    axis: Vector | None


class Leader(NamedTuple):
    """A degree of freedom that others follow.

    Attributes:
        name: What expressions call it.
        joint: Name of its joint.
        dof: Its number in the joint.
    """

    name: str
    joint: str
    dof: int


class Follow(NamedTuple):
    """A degree of freedom of a joint that is an expression of others.

    Attributes:
        dof: Its number in the joint.
        text: The expression, [rad] and [m].
        leaders: What it is an expression of.
    """

    dof: int
    text: str
    leaders: tuple[Leader, ...]


def expression_of(follow: Follow, symbols: Mapping[str, Expression] | None = None) -> Expression:
    """Return what a degree of freedom follows as an expression.

    Args:
        follow: The tie.
        symbols: What the leaders' names stand for; symbols of their own names unless given.

    Raises:
        ExpressionError: If the text is none.
    """
    names = [leader.name for leader in follow.leaders]
    known = {name: symbol(name) for name in names} if symbols is None else symbols
    return parse(follow.text, known, rest=dict.fromkeys(names, 0.0))


def fitting(joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """Return joints without the ties whose other part or degree of freedom is not there."""
    if not any(joint.loops or joint.follows for joint in joints):
        return tuple(joints)
    counts = {joint.name: len(joint.dofs) for joint in joints}
    found = []
    for joint in joints:
        loops = tuple(loop for loop in joint.loops if loop.other in counts and loop.other != joint.name)
        follows = tuple(
            follow
            for follow in joint.follows
            if follow.dof < len(joint.dofs) and all(each.dof < counts.get(each.joint, 0) for each in follow.leaders)
        )
        same = len(loops) == len(joint.loops) and len(follows) == len(joint.follows)
        found.append(joint if same else replace(joint, loops=loops, follows=follows))
    return tuple(found)


def renamed(joint: Joint, names: Mapping[str, str]) -> Joint:
    """Return a joint whose ties name others by new names; those that are not among ``names`` keep theirs."""
    if not joint.loops and not joint.follows:
        return joint
    return replace(
        joint,
        loops=tuple(loop._replace(other=names.get(loop.other, loop.other)) for loop in joint.loops),
        follows=_each_leader(
            joint.follows, lambda leader: leader._replace(joint=names.get(leader.joint, leader.joint))
        ),
    )


def renumbered(joint: Joint, changed: str, numbers: Mapping[int, int]) -> Joint:
    """Return a joint whose ties know the degrees of freedom of one joint by new numbers; those that are gone go.

    Args:
        joint: Any joint of the figure.
        changed: Name of the joint whose degrees of freedom are others now.
        numbers: Their new numbers by the old ones.
    """
    if not joint.follows:
        return joint
    own = joint.name == changed
    found = []
    for follow in joint.follows:
        if own and follow.dof not in numbers:
            continue
        if any(each.joint == changed and each.dof not in numbers for each in follow.leaders):
            continue
        leaders = tuple(
            each._replace(dof=numbers[each.dof]) if each.joint == changed else each for each in follow.leaders
        )
        found.append(follow._replace(dof=numbers[follow.dof] if own else follow.dof, leaders=leaders))
    return replace(joint, follows=tuple(found))


def reflected_ties(joint: Joint, counterparts: Mapping[str, str]) -> dict[str, tuple[Loop, ...] | tuple[Follow, ...]]:
    """Return the loops and follows of a joint's counterpart, as fields of ``Joint``.

    Args:
        joint: The joint.
        counterparts: Names of the other side by those of this one; a joint that is not among them has none, as one in
            the middle.
    """
    loops = tuple(
        Loop(
            counterparts.get(loop.other, loop.other),
            _vector(_SIDE @ loop.point),
            _vector(_SIDE @ loop.place),
            None if loop.axis is None else _vector(-_SIDE @ loop.axis),
        )
        for loop in joint.loops
    )
    follows = _each_leader(
        joint.follows, lambda leader: leader._replace(joint=counterparts.get(leader.joint, leader.joint))
    )
    return {"loops": loops, "follows": follows}


def rehung(
    old: Structure,
    joints: Sequence[Joint],
    frames: Array,
    who: Mapping[int, tuple[int, ...]],
) -> list[Joint]:
    """Return the joints of a figure that was re-rooted with its ties: loops stay with segments, follows with motion.

    Args:
        old: The figure before.
        joints: The joints now, by the same names.
        frames: New frame of each old joint in its old one, shape (n, 4, 4).
        who: For each old joint the numbers of the old figure's degrees of freedom that it has now, -1 for a new one.
    """
    if not any(joint.loops or joint.follows for joint in old.joints):
        return list(joints)
    index = {joint.name: i for i, joint in enumerate(old.joints)}
    now = {k: (old.joints[i].name, place) for i, dofs in who.items() for place, k in enumerate(dofs) if k >= 0}
    follows: dict[str, list[Follow]] = {}
    for i, joint in enumerate(old.joints):
        for follow in joint.follows:
            leaders = [now.get(old.first_dof[index[each.joint]] + each.dof) for each in follow.leaders]
            own = now.get(old.first_dof[i] + follow.dof)
            if own is None or None in leaders:
                continue
            moved = tuple(
                Leader(each.name, *place) for each, place in zip(follow.leaders, leaders, strict=True) if place
            )
            follows.setdefault(own[0], []).append(Follow(own[1], follow.text, moved))
    found = []
    for joint in joints:
        A = frames[index[joint.name]]
        loops = tuple(
            Loop(
                loop.other,
                _in_frame(loop.point, A),
                _in_frame(loop.place, frames[index[loop.other]]),
                None if loop.axis is None else _vector(A[:3, :3].T @ loop.axis),
            )
            for loop in old.joints[index[joint.name]].loops
        )
        found.append(replace(joint, loops=loops, follows=tuple(follows.get(joint.name, ()))))
    return found


def followed(skeleton: Structure, q: Array) -> Array:
    """Return a pose in which every degree of freedom that follows others is what they say, shape (nq,); new.

    Leaders that follow others themselves come first, whatever the order of the joints. Limits are not looked at.

    Args:
        skeleton: The figure.
        q: Pose, shape (nq,), [m] and [rad].
    """
    out = np.array(q, dtype=np.float64)
    for dof, leaders, evaluator in ordered_follows(skeleton):
        out[3 + dof] = evaluator.floats(out[[3 + k for k in leaders]].tolist())[0]
    return out


def ordered_follows(skeleton: Structure) -> list[tuple[int, list[int], Evaluator]]:
    """Return the degrees of freedom that follow others, leaders before followers: number, leaders' numbers, function.

    Those that follow each other in a circle are left out; files with such are refused.
    """
    index = {joint.name: i for i, joint in enumerate(skeleton.joints)}
    waiting: dict[int, tuple[list[int], Follow]] = {}
    for i, joint in enumerate(skeleton.joints):
        for follow in joint.follows:
            leaders = [skeleton.first_dof[index[each.joint]] + each.dof for each in follow.leaders]
            waiting[skeleton.first_dof[i] + follow.dof] = leaders, follow
    found = []
    while True:
        ready = [dof for dof, (leaders, _) in waiting.items() if not any(k in waiting for k in leaders)]
        if not ready:
            return found
        for dof in ready:
            leaders, follow = waiting.pop(dof)
            names = [symbol(each.name) for each in follow.leaders]
            found.append((dof, leaders, Evaluator([expression_of(follow)], names)))


def tie_problems(joint: Joint) -> Iterator[str]:
    """Yield what is wrong with the ties of a joint, as far as their numbers and texts say it."""
    for loop in joint.loops:
        if not np.isfinite([*loop.point, *loop.place, *(loop.axis or ())]).all():
            yield f'the loop with "{loop.other}" has a number that is not finite'
    for follow in joint.follows:
        try:
            expression_of(follow)
        except ExpressionError as error:
            yield f'what it follows, "{follow.text}": {error}'


def _each_leader(follows: tuple[Follow, ...], change: Callable[[Leader], Leader]) -> tuple[Follow, ...]:
    return tuple(follow._replace(leaders=tuple(map(change, follow.leaders))) for follow in follows)


def _in_frame(point: Vector, frame: Array) -> Vector:
    """Return a point in a new frame that is given in its old one, without what rounding leaves behind."""
    return _vector(np.round((np.asarray(point) - frame[:3, 3]) @ frame[:3, :3], 15))


def _vector(value: Array) -> Vector:
    x, y, z = (np.asarray(value) + 0.0).tolist()
    return x, y, z
