"""The joint types of ``core.joints`` as rows of degrees of freedom, which is what poses, keys and solvers work on.

Types made of hinges and slides are exactly these; a spherical joint is three hinges about x, y and z, a free one these
and three slides, since angles are what people pose, key and limit. Dynamics takes the type itself. A joint keeps its
type as long as its degrees of freedom are the type's own: an edit that turns an axis or adds a hinge makes it a plain
row of hinges and slides. All others, as splines and screws, have coordinates of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeGuard

import numpy as np

from core.joints import (
    Composite,
    Free,
    FreeRotationFirst,
    JointModel,
    Mirrored,
    Spherical,
    Step,
)
from core.joints.base import HINGE, SLIDE
from core.skeleton.dof import COORDINATE, Dof

_UNITS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_TURNS = tuple(Step(HINGE, axis) for axis in _UNITS)
_SLIDES = tuple(Step(SLIDE, axis) for axis in _UNITS)


def is_general(model: JointModel | None) -> TypeGuard[JointModel]:
    """Return whether a joint type has coordinates of its own, which are neither hinges nor slides."""
    return model is not None and type_steps(model) is None


def type_steps(model: JointModel) -> tuple[Step, ...] | None:
    """Return the hinges and slides that a joint type is posed by; None if it is posed by coordinates of its own."""
    if model.steps is not None:
        return model.steps
    if isinstance(model, Spherical):
        return _TURNS
    if isinstance(model, Free):
        return _SLIDES + _TURNS
    if isinstance(model, FreeRotationFirst):
        return _TURNS + _SLIDES
    if isinstance(model, Composite):
        steps: tuple[Step, ...] = ()
        for part in model.joints:
            own = type_steps(part)
            if own is None:
                return None
            steps += own
        return steps
    return None


def type_dofs(model: JointModel, limits: Sequence[tuple[float, float]] | None = None) -> tuple[Dof, ...]:
    """Return the degrees of freedom of a joint type.

    Args:
        model: The type.
        limits: Lower and upper limit of each, [rad], [m] or plain numbers; None for none. Coordinates that end
            somewhere, as those of open splines do, have that for their limits, whatever is asked for beyond it.
    """
    bounds = list(limits) if limits is not None else [(-math.inf, math.inf)] * model.n
    steps = type_steps(model)
    if steps is None:
        domain = model.domain
        # Outside of the spline there is nothing; limits that lie there alone end at its end.
        bounds = [
            (min(max(lo, least), most), min(max(hi, least), most))
            for (lo, hi), (least, most) in zip(bounds, domain, strict=True)
        ]
        return tuple(Dof(COORDINATE, np.array(_UNITS[k % 3]), lo, hi) for k, (lo, hi) in enumerate(bounds))
    return tuple(Dof(step.kind, np.array(step.axis), lo, hi) for step, (lo, hi) in zip(steps, bounds, strict=True))


def type_period(model: JointModel | None) -> float | None:
    """Return after how much the coordinate of a closed curve is back where it began; None for all other types."""
    return None if model is None else model.period


def fits(model: JointModel, dofs: Sequence[Dof]) -> bool:
    """Return whether degrees of freedom are those of a joint type, whatever their limits."""
    own = type_dofs(model)
    return len(own) == len(dofs) and all(
        a.kind == b.kind and np.array_equal(a.axis, b.axis) for a, b in zip(own, dofs, strict=True)
    )


def reflected(model: JointModel) -> JointModel:
    """Return the joint type whose motion at each value is the reflection in x = 0 of ``model``'s, if there is one.

    Types with coordinates of their own are; those made of hinges and slides come back as they are, and may not fit the
    reflected degrees of freedom.
    """
    return model.reflected() or Mirrored(model) if is_general(model) else model
