"""What is known of a joint and of its type while their lines are being read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from core.joints import JointModel
from core.skeleton.dof import Dof
from core.skeleton.scr.lexer import LineProblem, Token


class ObjectLine(NamedTuple):
    """An ``object`` line: the file's token and whether its polygons are reflected in x = 0."""

    token: Token
    mirrored: bool


@dataclass
class TypeDraft:
    """A joint type while its lines are being read.

    Attributes:
        token: Where its name stands.
        kind: The type.
        model: It, once it is known.
        parts: Joints that a composite one is made of; of splines, whose frames are still to come, their drafts.
        spline: The last part, if it is a spline.
        basis: That of a spline.
        reversed: Whether it is a spline seen from the part that it carries.
        closed: Whether a spline curve is.
        grid: Rows and columns of a spline surface.
        frames: Numbers of the control frames: place and angles, [m] and [deg].
        limits: Limits of a spline's coordinates; None for those of the spline.
        limits_at: Where they stand.
        labels: Labels of a spline's coordinates.
        damaged: Whether one of its lines was refused, so that what is missing now has been reported.
        refused_spline: Whether the last type that was refused inside of it is a spline, whose frames have no home then.
    """

    token: Token
    kind: type[JointModel]
    model: JointModel | None = None
    parts: list[JointModel | TypeDraft] = field(default_factory=list)
    spline: TypeDraft | None = None
    basis: str = "b-spline"
    reversed: bool = False
    closed: bool = True
    grid: tuple[int, int] = (0, 0)
    frames: list[list[float]] = field(default_factory=list)
    limits: list[tuple[float, float]] | None = None
    limits_at: Token | None = None
    labels: list[str] = field(default_factory=list)
    damaged: bool = False
    refused_spline: bool = False


@dataclass
class JointDraft:
    """A joint's definition while its lines are being read.

    Attributes:
        name: The token with its name.
        values: Keyword arguments for :class:`~core.skeleton.skeleton.Joint`, apart from the lists below.
        given: Line of each keyword that may stand only once.
        dofs: Degrees of freedom so far.
        labels: Their labels.
        objects: Its ``object`` lines.
        type: Its ``joint type``.
        mirror: The token that names its counterpart.
        warnings: What is odd but can be lived with.
    """

    name: Token
    values: dict[str, Any] = field(default_factory=dict)
    given: dict[str, int] = field(default_factory=dict)
    dofs: list[Dof] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    objects: list[ObjectLine] = field(default_factory=list)
    type: TypeDraft | None = None
    mirror: Token | None = None
    warnings: list[LineProblem] = field(default_factory=list)
