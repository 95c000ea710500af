"""Joints whose loops and followers go along with an edit: renamed, renumbered, reflected, or dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.arrays import Array
from core.errors import ExpressionError
from core.skeleton.joint import Joint
from core.skeleton.tie import Follow, Leader, Loop, Vector, expression_of

_SIDE = np.diag([-1.0, 1.0, 1.0])


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
            as_vector(_SIDE @ loop.point),
            as_vector(_SIDE @ loop.place),
            None if loop.axis is None else as_vector(-_SIDE @ loop.axis),
        )
        for loop in joint.loops
    )
    follows = _each_leader(
        joint.follows, lambda leader: leader._replace(joint=counterparts.get(leader.joint, leader.joint))
    )
    return {"loops": loops, "follows": follows}


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


def as_vector(value: Array) -> Vector:
    """Return three numbers as a tuple of a tie, without negative zeros."""
    x, y, z = (np.asarray(value) + 0.0).tolist()
    return x, y, z
