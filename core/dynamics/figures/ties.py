"""What a figure's file ties together beside its tree, for a model of it: loops and coordinates that follow others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.dynamics.body_names import WORLD, body_of_coordinate
from core.dynamics.constraints import Constraint, FollowingCoordinate, LoopClosure
from core.dynamics.hyper import ExpressionMap, HyperReduction
from core.errors import DynamicsError
from core.skeleton.following import ordered_follows
from core.skeleton.tie import Follow, Loop, expression_of
from core.symbolic import Expression, symbol

if TYPE_CHECKING:
    from core.dynamics.figures.figure import Figure
    from core.dynamics.multibody import Multibody


def figure_ties(model: Multibody, first: int = 0) -> tuple[Constraint, ...]:
    """Return the loops of a figure and what its degrees of freedom follow, as constraints.

    Args:
        model: Made by ``Multibody.from_skeleton``.
        first: Number that the model's first body has in the model that the constraints are for.

    Raises:
        DynamicsError: If a model has no figure, or one of the degrees of freedom is no coordinate of it.
    """
    figure = _figure(model)
    found: list[Constraint] = []
    for i, joint in enumerate(figure.skeleton.joints):
        found += [_loop(figure, i, loop, first) for loop in joint.loops]
        found += [_follow(model, figure, i, follow, first) for follow in joint.follows]
    return tuple(found)


def figure_reduction(model: Multibody) -> HyperReduction:
    """Return a figure's model in the coordinates that follow no others.

    Args:
        model: Made by ``Multibody.from_skeleton``.

    Raises:
        DynamicsError: If one of the degrees of freedom is no coordinate of the model, some follow each other in a
            circle, or its loops remain, which no map has.

    Source: Sueda 2.6.
    """
    figure = _figure(model)
    s = figure.skeleton
    if any(joint.loops for joint in s.joints):
        raise DynamicsError(f'figure "{s.name}" has loops, which are no function; expected constraints for it')
    outputs: list[Expression] = [symbol(f"x{k}") for k in range(model.nq)]
    ordered = ordered_follows(s)
    if len(ordered) < len({(joint.name, follow.dof) for joint in s.joints for follow in joint.follows}):
        raise DynamicsError(f'figure "{s.name}": degrees of freedom follow each other in a circle')
    kept = dict.fromkeys(range(model.nq))
    for dof, leaders, follow in ordered:
        symbols = {each.name: outputs[_coordinate(figure, k)] for each, k in zip(follow.leaders, leaders, strict=True)}
        own = _coordinate(figure, dof)
        outputs[own] = expression_of(follow, symbols)
        del kept[own]
    return HyperReduction(model, ExpressionMap(tuple(f"x{k}" for k in kept), outputs))


def _figure(model: Multibody) -> Figure:
    if model.figure is None:
        raise DynamicsError("the model is of no figure; expected one made by Multibody.from_skeleton")
    return model.figure


def _loop(figure: Figure, joint: int, loop: Loop, first: int) -> LoopClosure:
    """Return a loop between the bodies that carry two joints' segments."""
    other = figure.skeleton.joint_index(loop.other)
    ends = []
    for i, point in ((joint, loop.point), (other, loop.place)):
        if figure.inside[i]:
            name = figure.skeleton.joints[i].name
            raise DynamicsError(f'joint "{name}" is inside of a ball joint, where no loop can be closed')
        X = figure.X_BJ[i]
        body = int(figure.joint_body[i])
        ends.append((WORLD if body < 0 else body + first, X[:3, :3] @ point + X[:3, 3]))
    axis = None if loop.axis is None else figure.X_BJ[joint][:3, :3] @ np.asarray(loop.axis)
    return LoopClosure(*ends[0], *ends[1], axis=axis)


def _follow(model: Multibody, figure: Figure, joint: int, follow: Follow, first: int) -> FollowingCoordinate:
    """Return the constraint that a degree of freedom follows others."""
    s = figure.skeleton
    own = _place(model, _coordinate(figure, s.first_dof[joint] + follow.dof), first)
    leaders = {
        each.name: _place(model, _coordinate(figure, s.first_dof[s.joint_index(each.joint)] + each.dof), first)
        for each in follow.leaders
    }
    return FollowingCoordinate(own, follow.text, leaders)


def _coordinate(figure: Figure, dof: int) -> int:
    """Return which coordinate of the model a degree of freedom of the figure is."""
    found = figure.hinges.get(3 + dof)
    if found is None:
        why = "is held in it" if dof in figure.held else "is part of a ball joint there"
        raise DynamicsError(
            f'"{figure.skeleton.dof_names[dof]}" follows or is followed, but is no coordinate of the model: it {why}; '
            "expected a joint with other degrees of freedom"
        )
    return found


def _place(model: Multibody, k: int, first: int) -> tuple[int, int]:
    body = body_of_coordinate(model, k)
    return body + first, k - int(model.first[body])
