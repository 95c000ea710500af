"""Parameters of joint types as values that can be looked at and changed, those of the parts of a joint too."""

from __future__ import annotations

from typing import Any, NamedTuple

from core.joints.base import JointModel
from core.joints.composite import Composite
from core.joints.geometry import Shape
from core.joints.transformed import Transformed

POINTS = ("points", "grid")
"""Parameters that are control points, as files give them: they are no single values."""


class Parameter(NamedTuple):
    """One parameter of a joint or of a part of it.

    Attributes:
        path: Numbers of the parts that lead to the one it belongs to; empty for the joint itself.
        attribute: Its name; that of a curve's or surface's own parameter behind the curve's or surface's:
            ``"first ring"``.
        what: ``"axis"``, ``"point"``, [m], ``"length"``, [m], ``"angle"``, [rad], ``"number"``, ``"curve"``,
            ``"surface"`` or ``"word a b"``, one of these.
        value: What it is: three numbers of an axis or a point, else one, a word, or a ``core.joints.geometry.Shape``.
    """

    path: tuple[int, ...]
    attribute: str
    what: str
    value: Any


def parts_of(model: JointModel) -> tuple[JointModel, ...]:
    """Return the joints that a joint is made of."""
    if isinstance(model, Composite):
        return model.joints
    return (model.joint,) if isinstance(model, Transformed) else ()


def parameters_of(model: JointModel, path: tuple[int, ...] = ()) -> tuple[Parameter, ...]:
    """Return the parameters of a joint and of its parts, in the order in which files write them.

    Args:
        model: The joint.
        path: What leads to it.
    """
    own: list[Parameter] = []
    for attribute, what in model.parameters:
        value = getattr(model, attribute)
        own.append(Parameter(path, attribute, _kind(what), value))
        if isinstance(value, Shape):
            own += [
                Parameter(path, f"{attribute} {inner}", _kind(each), getattr(value, inner))
                for inner, each in value.parameters
                if each not in POINTS
            ]
    for i, part in enumerate(parts_of(model)):
        own += parameters_of(part, (*path, i))
    return tuple(own)


def _kind(what: str) -> str:
    """Return what a parameter is, whether or not it may be left out."""
    kind = what.partition(" after ")[0]
    return "word x y z" if kind == "letter" else kind


def with_parameter(model: JointModel, path: tuple[int, ...], attribute: str, value: object) -> JointModel:
    """Return a joint with another value of a parameter.

    Args:
        model: The joint.
        path: Numbers of the parts that lead to the one it belongs to.
        attribute: The parameter.
        value: What it becomes.

    Raises:
        JointError: If the value cannot be.
    """
    if path:
        parts = list(parts_of(model))
        parts[path[0]] = with_parameter(parts[path[0]], path[1:], attribute, value)
        return type(model)(*parts)
    attribute, _, inner = attribute.partition(" ")
    if inner:
        shape = getattr(model, attribute)
        value = type(shape)(*(value if name == inner else getattr(shape, name) for name, _ in shape.parameters))
    return type(model)(*(value if name == attribute else getattr(model, name) for name, _ in model.parameters))
