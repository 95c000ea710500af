"""The lines inside ``define joint``: one function a keyword, each fills a draft of the joint."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.skeleton.dof import HINGE, SLIDE, Dof
from core.skeleton.scr.drafts import JointDraft, ObjectLine
from core.skeleton.scr.expression_lines import (
    USAGES,
    read_chart,
    read_coordinates,
    read_let,
    read_rotate,
    read_translate,
)
from core.skeleton.scr.lexer import STRING, WORD, Cursor, LineProblem, Token, choices
from core.skeleton.scr.ties import FOLLOW_USAGE, LOOP_USAGE, read_follow, read_loop
from core.skeleton.scr.types import TYPE_LINES, add_parts, read_frame, read_type, refuse_beside_type
from core.skeleton.scr.values import MOST_FRICTION, read_axis, read_length, read_limits, unit_axis

DEEPEST = 256  # groups in groups


def ball_dofs(axis: Array, cone: float, lo: float, hi: float) -> tuple[Dof, Dof, Dof]:
    """Return the three hinges that a ``ball`` line is short for: two across ``axis``, then one about it.

    Args:
        axis: Unit axis, shape (3,).
        cone: Limit of the two hinges across, [rad]; ``inf`` for none.
        lo: Lower limit of the twist, [rad].
        hi: Upper limit of the twist, [rad].
    """
    start = np.zeros(3)
    start[(int(np.argmax(np.abs(axis))) + 1) % 3] = 1.0
    across = unit_axis(start - (start @ axis) * axis)
    assert across is not None  # start is never along axis: it is the unit vector of another component
    other = unit_axis(np.cross(axis, across))
    assert other is not None
    return Dof(HINGE, across, -cone, cone), Dof(HINGE, other, -cone, cone), Dof(HINGE, axis, lo, hi)


def _dof(draft: JointDraft, cursor: Cursor, kind: str) -> None:
    refuse_beside_type(draft, cursor)
    axis = read_axis(cursor)
    lo, hi = read_limits(cursor, "degrees" if kind == HINGE else "m")
    label = ""
    if cursor.next is not None and cursor.next.kind == STRING:
        label = cursor.take().text.strip()
    cursor.end()
    dof = Dof(kind, axis, lo, hi)
    add_parts(draft, (dof,))
    draft.dofs.append(dof)
    draft.labels.append(label)


def _hinge(draft: JointDraft, cursor: Cursor) -> None:
    _dof(draft, cursor, HINGE)


def _slide(draft: JointDraft, cursor: Cursor) -> None:
    _dof(draft, cursor, SLIDE)


def _cone_angle(cursor: Cursor) -> float:
    token = cursor.next
    degrees = cursor.number("CONE")
    if not 0.0 < degrees <= 180.0:
        raise cursor.fail(f"the cone's half-angle {degrees:g} makes no sense; expected over 0, at most 180", token)
    return math.radians(degrees)


def _cone(draft: JointDraft, cursor: Cursor) -> None:
    draft.values["cone"] = _cone_angle(cursor)


def _ball(draft: JointDraft, cursor: Cursor) -> None:
    refuse_beside_type(draft, cursor)
    axis = read_axis(cursor)
    cone = _cone_angle(cursor) if cursor.next is not None else math.inf
    lo, hi = read_limits(cursor, "degrees")
    cursor.end()
    if math.isfinite(cone):
        draft.values["cone"] = cone
    dofs = ball_dofs(axis, cone, lo, hi)
    add_parts(draft, dofs)
    draft.dofs.extend(dofs)
    draft.labels.extend(("", "", ""))


def _offset(draft: JointDraft, cursor: Cursor) -> None:
    draft.values["offset"] = [read_length(cursor, letter) for letter in "xyz"]


def _tip(draft: JointDraft, cursor: Cursor) -> None:
    tip = [read_length(cursor, letter) for letter in "xyz"]
    cursor.end()
    draft.values["tips"] = (*draft.values.get("tips", ()), tip)


def _pivot(draft: JointDraft, cursor: Cursor) -> None:
    draft.values["pivot"] = [read_length(cursor, letter) for letter in "xyz"]


def _orientation(draft: JointDraft, cursor: Cursor) -> None:
    draft.values["orientation"] = [cursor.number(letter) for letter in "xyz"]


def _bounded(cursor: Cursor, what: str, lowest: float, highest: float = math.inf, over: bool = False) -> float:
    token = cursor.next
    value = cursor.number(what)
    if value < lowest or value > highest or (over and value == lowest):
        least = f"more than {lowest:g}" if over else f"{lowest:g} or more"
        wanted = least if highest == math.inf else f"a number from {lowest:g} to {highest:g}"
        raise cursor.fail(f"{what} {value:g} makes no sense; expected {wanted}", token)
    return value


def _scale(draft: JointDraft, cursor: Cursor) -> None:
    draft.values["scale"] = [_bounded(cursor, what, 0.0, over=True) for what in ("SX", "SY", "SZ")]


def _object(draft: JointDraft, cursor: Cursor) -> None:
    token = cursor.string("the object's file")
    mirrored = cursor.next is not None and cursor.next.kind == WORD and cursor.next.text.casefold() == "mirrored"
    if mirrored:
        cursor.take()
    cursor.end()
    draft.objects.append(ObjectLine(token, mirrored))


def _mass(draft: JointDraft, cursor: Cursor) -> None:
    draft.values["mass"] = _bounded(cursor, "mass", 0.0)


def _center(draft: JointDraft, cursor: Cursor) -> None:
    draft.values["center"] = [read_length(cursor, letter) for letter in "xyz"]


def _inertia(draft: JointDraft, cursor: Cursor) -> None:
    start = cursor.next
    xx, yy, zz = (cursor.number(what) for what in ("ixx", "iyy", "izz"))
    xy = xz = yz = 0.0
    if cursor.next is not None:
        xy, xz, yz = (cursor.number(what) for what in ("ixy", "ixz", "iyz"))
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    largest = float(np.abs(matrix).max())
    values = np.linalg.eigvalsh(matrix / largest) if largest > 0.0 else np.zeros(3)
    if values[0] <= 0.0:
        raise cursor.fail(
            "this inertia is not positive definite, no body has it; "
            "expected ixx, iyy, izz > 0 and products of inertia small enough beside them",
            start,
        )
    if values[2] > (values[0] + values[1]) * (1 + 1e-9) and start is not None:
        message = "no rigid body has this inertia: its largest principal moment exceeds the sum of the other two"
        draft.warnings.append(LineProblem(start.line, start.column, message))
    draft.values["inertia"] = matrix


def _mirror(draft: JointDraft, cursor: Cursor) -> None:
    draft.mirror = cursor.string("the counterpart's name")


def _weight(draft: JointDraft, cursor: Cursor) -> None:
    draft.values["weight"] = _bounded(cursor, "weight", 0.0, 1.0)


def _resistance(draft: JointDraft, cursor: Cursor) -> None:
    draft.values["resistance"] = _bounded(cursor, "resistance", 0.0, over=True)


def _stiffness(draft: JointDraft, cursor: Cursor) -> None:
    stiffness = _bounded(cursor, "stiffness", 0.0)
    token = cursor.take()
    if token.kind != WORD or token.text.casefold() != "rest":
        raise cursor.fail(f'{token} stands where "rest" should; expected {cursor.usage}', token)
    draft.values["stiffness"] = (stiffness, math.radians(cursor.number("the rest angle")))


def _damping(draft: JointDraft, cursor: Cursor) -> None:
    draft.values["damping"] = _bounded(cursor, "damping", 0.0)


def _viscous(draft: JointDraft, cursor: Cursor) -> None:
    draft.values["viscous"] = _bounded(cursor, "viscous", 0.0)


def _coulomb(draft: JointDraft, cursor: Cursor) -> None:
    friction = _bounded(cursor, "friction", 0.0)
    radius = height = None
    if cursor.next is not None:
        radius = _bounded(cursor, "radius", 0.0, over=True)
        height = _bounded(cursor, "height", 0.0, over=True)
    draft.values["coulomb"] = (friction, radius, height)


def _motor(draft: JointDraft, cursor: Cursor) -> None:
    draft.values["motor"] = cursor.number("BETA")


def _friction(draft: JointDraft, cursor: Cursor) -> None:
    draft.values["friction"] = _bounded(cursor, "friction", 0.0, MOST_FRICTION)


def _color(draft: JointDraft, cursor: Cursor) -> None:
    draft.values["color"] = tuple(_bounded(cursor, what, 0.0, 1.0) for what in ("red", "green", "blue"))


def _joint(draft: JointDraft, cursor: Cursor) -> None:
    token = cursor.next
    if token is None or token.kind != WORD or token.text.casefold() != "type":
        raise cursor.fail(
            '"joint" does not belong in a joint\'s definition; expected "end joint" before it, or "joint type NAME"',
            cursor.tokens[0],
        )
    cursor.take()
    draft.given.setdefault("joint type", token.line)
    read_type(draft, cursor)


class _Keyword(NamedTuple):
    read: Callable[[JointDraft, Cursor], None]
    usage: str
    repeats: bool = False


KEYWORDS: dict[str, _Keyword] = {
    "object": _Keyword(_object, 'object "FILE"', True),
    "offset": _Keyword(_offset, "offset x y z"),
    "tip": _Keyword(_tip, "tip x y z", True),
    "pivot": _Keyword(_pivot, "pivot x y z"),
    "orientation": _Keyword(_orientation, "orientation x y z"),
    "hinge": _Keyword(_hinge, 'hinge AXIS [LO HI] ["LABEL"]', True),
    "slide": _Keyword(_slide, 'slide AXIS [LO HI] ["LABEL"]', True),
    "ball": _Keyword(_ball, "ball AXIS [CONE [TWIST_LO TWIST_HI]]"),
    "cone": _Keyword(_cone, "cone ANGLE"),
    "scale": _Keyword(_scale, "scale SX SY SZ"),
    "mass": _Keyword(_mass, "mass M"),
    "center": _Keyword(_center, "center x y z"),
    "inertia": _Keyword(_inertia, "inertia ixx iyy izz [ixy ixz iyz]"),
    "mirror": _Keyword(_mirror, 'mirror "NAME"'),
    "weight": _Keyword(_weight, "weight W"),
    "resistance": _Keyword(_resistance, "resistance D"),
    "stiffness": _Keyword(_stiffness, "stiffness K rest R"),
    "damping": _Keyword(_damping, "damping D"),
    "viscous": _Keyword(_viscous, "viscous MU"),
    "coulomb": _Keyword(_coulomb, "coulomb MU [RADIUS HEIGHT]"),
    "motor": _Keyword(_motor, "motor BETA"),
    "friction": _Keyword(_friction, "friction MU"),
    "color": _Keyword(_color, "color r g b"),
    "joint": _Keyword(_joint, "joint type NAME", True),
    "loop": _Keyword(read_loop, LOOP_USAGE, True),
    "follow": _Keyword(read_follow, FOLLOW_USAGE, True),
    "frame": _Keyword(read_frame, "frame x y z [rx ry rz]", True),
    "coordinates": _Keyword(read_coordinates, USAGES["coordinates"], True),
    "let": _Keyword(read_let, USAGES["let"], True),
    "translate": _Keyword(read_translate, USAGES["translate"], True),
    "rotate": _Keyword(read_rotate, USAGES["rotate"], True),
    "chart": _Keyword(read_chart, USAGES["chart"], True),
}
_SPELLINGS = {"colour": "color", "centre": "center"}


def read_joint_line(draft: JointDraft, tokens: list[Token]) -> None:
    """Read one line inside ``define joint`` into the draft.

    Raises:
        LineProblem: If the line is not one of :data:`KEYWORDS`, or says what makes no sense; the draft stays as it was.
    """
    first = tokens[0]
    word = first.text.casefold()
    word = _SPELLINGS.get(word, word)
    if first.kind != WORD or word not in KEYWORDS:
        message = f"{first} is not a keyword here" if first.kind == WORD else f"{first} stands where a keyword should"
        raise LineProblem(first.line, first.column, f"{message}; {choices(first.text, [*KEYWORDS, 'end'])}")
    keyword = KEYWORDS[word]
    if word in TYPE_LINES and "joint type" in draft.given and draft.type is None:
        return  # part of the joint type that was refused already
    cursor = Cursor(tokens, keyword.usage)
    cursor.take()
    if not keyword.repeats:
        if word in draft.given:
            message = f'"{word}" is given twice, first on line {draft.given[word]}; expected it once in a joint'
            raise LineProblem(first.line, first.column, message)
        draft.given[word] = first.line
    try:
        keyword.read(draft, cursor)
        cursor.end()
    except LineProblem:
        if draft.type is not None:
            draft.type.damaged = True
        raise
