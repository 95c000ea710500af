"""Positions of joints as expressions, of hinges and slides too."""

from __future__ import annotations

from collections.abc import Sequence

from core.joints.base import SLIDE, JointModel
from core.joints.geometry.vectors import IDENTITY, ORIGIN, add, pose, product, rotated, scale, turn
from core.symbolic import Expression


def expressions_of(
    joint: JointModel, q: Sequence[Expression], constants: Sequence[Expression]
) -> Sequence[Expression] | None:
    """Return what ``JointModel.expressions`` does; of joints that are made of hinges and slides, what these do.

    Args:
        joint: The joint.
        q: Coordinates, n symbols.
        constants: Symbols that stand for the joint's ``constants``, in their order.
    """
    if joint.steps is None:
        return joint.expressions(q, constants)
    R, p = IDENTITY, ORIGIN
    for k, (step, value) in enumerate(zip(joint.steps, q, strict=True)):
        x, y, z = constants[4 * k + 2 : 4 * k + 5]
        if step.kind == SLIDE:
            p = add(p, rotated(R, scale(value, (x, y, z))))
        else:
            R = product(R, turn((x, y, z), value))
    return pose(R, p)
