"""What a figure's file ties together beside its tree, for a model of it: loops and coordinates that follow others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.dynamics.body_names import WORLD, body_of_coordinate
from core.dynamics.constraints import Constraint, FollowingCoordinate, LoopClosure
from core.dynamics.hyper import ExpressionMap, HyperReduction
from core.errors import DynamicsError
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
        found += [_loop(model, figure, i, loop, first) for loop in joint.loops]
        found += [_follow(model, figure, i, follow, first) for follow in joint.follows]
    return tuple(found)


def figure_reduction(model: Multibody) -> HyperReduction:
    """Return a figure's model in the coordinates that follow no others.

    Args:
        model: Made by ``Multibody.from_skeleton``.

    Raises:
        DynamicsError: If one of the degrees of freedom is no coordinate of the model, or its loops remain, which no map
            has.

    Source: Sueda 2.6.
    """
    figure = _figure(model)
    s = figure.skeleton
    if any(joint.loops for joint in s.joints):
        raise DynamicsError(f'figure "{s.name}" has loops, which are no function; expected constraints for it')
    own = tuple(symbol(f"x{k}") for k in range(model.nq))
    outputs: list[Expression] = list(own)
    waiting = {
        _coordinate(model, figure, i, follow.dof): (i, follow) for i, j in enumerate(s.joints) for follow in j.follows
    }
    kept = [k for k in range(model.nq) if k not in waiting]
    done = set(kept)
    while waiting:
        leaders = {
            k: [_coordinate(model, figure, s.joint_index(each.joint), each.dof) for each in follow.leaders]
            for k, (_, follow) in waiting.items()
        }
        ready = [k for k in waiting if done.issuperset(leaders[k])]
        if not ready:
            raise DynamicsError(f'figure "{s.name}": degrees of freedom follow each other in a circle')
        for k in ready:
            follow = waiting.pop(k)[1]
            symbols = {each.name: outputs[c] for each, c in zip(follow.leaders, leaders[k], strict=True)}
            outputs[k] = expression_of(follow, symbols)
        done.update(ready)
    return HyperReduction(model, ExpressionMap(tuple(f"x{k}" for k in kept), outputs))


def _figure(model: Multibody) -> Figure:
    if model.figure is None:
        raise DynamicsError("the model is of no figure; expected one made by Multibody.from_skeleton")
    return model.figure


def _loop(model: Multibody, figure: Figure, joint: int, loop: Loop, first: int) -> LoopClosure:
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
    own = _place(model, _coordinate(model, figure, joint, follow.dof), first)
    leaders = {
        each.name: _place(model, _coordinate(model, figure, s.joint_index(each.joint), each.dof), first)
        for each in follow.leaders
    }
    return FollowingCoordinate(own, follow.text, leaders)


def _coordinate(model: Multibody, figure: Figure, joint: int, dof: int) -> int:
    """Return which coordinate of the model a degree of freedom of a joint is."""
    s = figure.skeleton
    number = s.first_dof[joint] + dof
    found = figure.hinges.get(3 + number)
    if found is None:
        why = "is held in it" if number in figure.held else "is part of a ball joint there"
        raise DynamicsError(
            f'"{s.dof_names[number]}" follows or is followed, but is no coordinate of the model: it {why}; '
            "expected a joint with other degrees of freedom"
        )
    return found


def _place(model: Multibody, k: int, first: int) -> tuple[int, int]:
    body = body_of_coordinate(model, k)
    return body + first, k - int(model.first[body])
