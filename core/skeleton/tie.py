"""What ties a figure's joints together beside its tree: loops that close, and degrees of freedom that follow others.

Both are part of a joint, ``Joint.loops`` and ``Joint.follows``, so that they go wherever it goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from core.symbolic import Expression, parse, symbol

Vector = tuple[float, float, float]


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
