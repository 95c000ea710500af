"""What is known of a joint and of its type while their lines are being read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from core.joints import JointModel
from core.joints.expression import Rotate, Scope, Translate
from core.skeleton.dof import Dof
from core.skeleton.scr.lexer import LineProblem, Token
from core.skeleton.tie import Loop


class ObjectLine(NamedTuple):
    """An ``object`` line: the file's token and whether its polygons are reflected in x = 0."""

    token: Token
    mirrored: bool


class LoopLine(NamedTuple):
    """A ``loop`` line: the token that names the other joint, and what it says."""

    other: Token
    loop: Loop


class FollowLine(NamedTuple):
    """A ``follow`` line: tokens of the degree of freedom, of the expression, and of each leader."""

    dof: Token
    text: Token
    leaders: tuple[tuple[Token, Token, Token], ...]


@dataclass
class WrittenDraft:
    """The lines of an expression joint while they are being read.

    Attributes:
        scope: What later lines may name.
        measures: What each coordinate measures.
        limits: Their limits.
        names_at: Where their names stand.
        lets: Names and texts of the ``let`` lines.
        moves: The translations and rotations.
        texts_at: Where the texts of each stand, line and column.
        charts: Moves and places of the texts of each chart before the last one.
        charts_at: Where the other charts begin.
        unsure: Whether a line that names something was refused, so that later ones may name what is not known.
    """

    scope: Scope = field(default_factory=Scope)
    measures: list[str] = field(default_factory=list)
    limits: list[tuple[float, float]] = field(default_factory=list)
    names_at: list[Token] = field(default_factory=list)
    lets: list[tuple[str, str]] = field(default_factory=list)
    moves: list[Translate | Rotate] = field(default_factory=list)
    texts_at: list[list[tuple[int, int]]] = field(default_factory=list)
    charts: list[tuple[list[Translate | Rotate], list[list[tuple[int, int]]]]] = field(default_factory=list)
    charts_at: list[Token] = field(default_factory=list)
    unsure: bool = False


@dataclass
class TypeDraft:
    """A joint type while its lines are being read.

    Attributes:
        token: Where its name stands.
        kind: The type.
        model: It, once it is known.
        parts: Joints that a composite one is made of; of those whose lines are still to come, their drafts.
        open_part: The last part, if lines of its own follow: of a spline or an expression joint.
        basis: That of a spline.
        reversed: Whether a spline or an expression joint is seen from the part that it carries.
        closed: Whether a spline curve is.
        grid: Rows and columns of a spline surface.
        frames: Numbers of the control frames: place and angles, [m] and [deg].
        limits: Limits of a spline's coordinates; None for those of the spline.
        limits_at: Where they stand.
        labels: Labels of a spline's coordinates.
        damaged: Whether one of its lines was refused, so that what is missing now has been reported.
        refused_part: Whether the last type that was refused inside of it has lines of its own, which have no home then.
        written: What the lines of an expression joint say.
    """

    token: Token
    kind: type[JointModel]
    model: JointModel | None = None
    parts: list[JointModel | TypeDraft] = field(default_factory=list)
    open_part: TypeDraft | None = None
    basis: str = "b-spline"
    reversed: bool = False
    closed: bool = True
    grid: tuple[int, int] = (0, 0)
    frames: list[list[float]] = field(default_factory=list)
    limits: list[tuple[float, float]] | None = None
    limits_at: Token | None = None
    labels: list[str] = field(default_factory=list)
    damaged: bool = False
    refused_part: bool = False
    written: WrittenDraft = field(default_factory=lambda: WrittenDraft())


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
        loops: Its ``loop`` lines.
        follows: Its ``follow`` lines.
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
    loops: list[LoopLine] = field(default_factory=list)
    follows: list[FollowLine] = field(default_factory=list)
    warnings: list[LineProblem] = field(default_factory=list)
