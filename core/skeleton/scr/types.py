"""The lines of a joint's type: ``joint type NAME ...``, and what follows it where one line is not enough.

A type is written in the words of ``core.joints``, its limits and labels behind it. The control frames of splines and
the parts of a composite joint are lines of their own; only at the end of the joint is it known whether there are
enough.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from core.errors import JointError
from core.joints import (
    Composite,
    ExpressionJoint,
    Fixed,
    JointModel,
    Mirrored,
    Prismatic,
    Revolute,
    SphericalEuler,
    SplineCurve,
    SplineSurface,
    joint_types,
)
from core.joints.splines import BASES
from core.skeleton.control_frames import curve_from_controls, surface_from_controls
from core.skeleton.dof import ANGLE, COORDINATE, HINGE, LENGTH, Dof
from core.skeleton.dof import NUMBER as PLAIN_NUMBER
from core.skeleton.joint_type import is_general, type_dofs, type_steps
from core.skeleton.scr.drafts import JointDraft, TypeDraft
from core.skeleton.scr.expression_lines import finish_written
from core.skeleton.scr.lexer import NUMBER, STRING, WORD, Cursor, LineProblem, Token, choices
from core.skeleton.scr.parameters import read_parameters, usage
from core.skeleton.scr.values import FARTHEST, read_length, read_limits

TYPE_LINES = ("frame", "coordinates", "let", "translate", "rotate")
"""Keywords that mean nothing without the type they belong to."""
_COORDINATES = {SplineCurve: [(-math.inf, math.inf)], SplineSurface: [(-math.inf, math.inf)] * 2, ExpressionJoint: []}
"""Types with lines of their own: limits of the coordinates that the first line tells of."""
_WITH_LINES = tuple(_COORDINATES)
_UNITS = {ANGLE: "degrees", LENGTH: "m", PLAIN_NUMBER: ""}
MOST_FRAMES = 4096

_USAGES = {
    Fixed: "",
    Revolute: 'AXIS [LO HI] ["LABEL"]',
    Prismatic: 'AXIS [LO HI] ["LABEL"]',
    SphericalEuler: "ORDER [LO HI LO HI LO HI]",
    SplineCurve: '[BASIS] [open or closed] [LO HI] ["LABEL"], then frame lines',
    SplineSurface: "[BASIS] ROWS COLUMNS [LO HI LO HI], then ROWS times COLUMNS frame lines",
    Composite: ", then hinge, slide and joint type lines",
    ExpressionJoint: ", then coordinates, let, translate and rotate lines",
    Mirrored: "NAME ..., a type that has coordinates of its own",
}


def _name(cursor: Cursor) -> tuple[Token, str]:
    """Take the words that name a type, as many as make the longest name; return where they stand and the name."""
    token = cursor.take()
    words: list[str] = []
    found = 0
    types = joint_types()
    for later in [token, *cursor.tokens[cursor.at :]]:
        if later.kind != WORD:
            break
        words.append(later.text.casefold())
        if " ".join(words) in types:
            found = len(words)
    name = " ".join(words[:found])
    if not found:
        tried = " ".join(words[:3]) or token.text
        wanted = choices(tried, types)
        raise cursor.fail(f"{token} is not a joint type; {wanted}", token)
    cursor.at += found - 1
    return token, name


def _labels(cursor: Cursor, number: int) -> list[str]:
    """Take the labels that come next and fill up with none."""
    labels: list[str] = []
    while len(labels) < number and cursor.next is not None and cursor.next.kind == STRING:
        labels.append(cursor.take().text.strip())
    return labels + [""] * (number - len(labels))


def _all_limits(cursor: Cursor, units: list[str]) -> list[tuple[float, float]]:
    """Take the limits of all degrees of freedom, or none."""
    if cursor.next is None or cursor.next.kind != NUMBER:
        return [(-math.inf, math.inf)] * len(units)
    found = []
    for unit in units:
        if cursor.next is None or cursor.next.kind != NUMBER:
            cursor.number("LO")  # says what is missing
        found.append(read_limits(cursor, unit))
    return found


def _whole(cursor: Cursor, what: str) -> int:
    token = cursor.next
    value = cursor.number(what)
    if not (value == int(value) and 4 <= value <= MOST_FRAMES):
        raise cursor.fail(f"{token} {what} cannot be; expected a whole number from 4 to {MOST_FRAMES}", token)
    return int(value)


def read_type(draft: JointDraft, cursor: Cursor) -> None:
    """Read a line ``joint type NAME ...`` behind its first two words.

    Raises:
        LineProblem: If there is no such type, or it does not fit what the joint has already.
    """
    token, name = _name(cursor)
    kind = joint_types()[name]
    cursor.usage = f"joint type {name} {_USAGES.get(kind) or usage(kind)}".rstrip()
    composite = draft.type is not None and draft.type.kind is Composite
    if draft.type is not None and not composite:
        first = draft.type.token.line
        raise cursor.fail(f"a second joint type, the first is on line {first}; expected one in a joint", token)
    if composite and draft.type is not None:
        draft.type.open_part, draft.type.refused_part = None, kind in _WITH_LINES
    if composite and kind is Composite:
        raise cursor.fail(f"{name} cannot be part of a composite joint; expected its parts in the same one", token)
    if draft.dofs and not composite:
        message = f'joint type "{name}" stands behind hinges or slides; expected "joint type composite" before them'
        raise cursor.fail(message, token)
    typed = TypeDraft(token, kind)
    if kind is Composite:
        cursor.end()
    elif kind is SplineCurve:
        _read_curve(typed, cursor)
    elif kind is SplineSurface:
        _read_surface(typed, cursor)
    elif kind is ExpressionJoint:
        cursor.end()
    else:
        typed.model = model = _model(kind, cursor, composite)
        steps = type_steps(model)
        if steps is not None:
            units = ["degrees" if step.kind == HINGE else "m" for step in steps]
        else:
            units = [_UNITS[unit] for unit in model.units]
        start = cursor.next
        limits = _all_limits(cursor, units)
        if start is not None and start.kind == NUMBER and steps is None:
            problem = _limits_problem(model, TypeDraft(token, kind, limits=limits, limits_at=start))
            if problem is not None:
                raise problem
        labels = _labels(cursor, len(units))
        cursor.end()
        draft.dofs.extend(type_dofs(typed.model, limits))
        draft.labels.extend(labels)
    if composite and draft.type is not None:
        draft.type.parts.append(typed.model or typed)
        if typed.model is None:
            draft.type.open_part, draft.type.refused_part = typed, False
            draft.labels.extend([*typed.labels, "", ""][: len(_COORDINATES[kind])])
            draft.dofs.extend(
                Dof(COORDINATE, np.eye(3)[k], *limits) for k, limits in enumerate(typed.limits or _COORDINATES[kind])
            )
    else:
        draft.type = typed


def _model(kind: type[JointModel], cursor: Cursor, part: bool = False) -> JointModel:
    if kind is SphericalEuler:
        order = cursor.take()
        try:
            return SphericalEuler(order.text)
        except JointError as error:
            message = str(error).partition("; ")[2].lower()  # as files spell them
            raise cursor.fail(f"{order} is not an order of Euler angles; {message}", order) from None
    if kind is Mirrored:
        token, name = _name(cursor)
        other = joint_types()[name]
        if other in (Mirrored, Composite, *_WITH_LINES):
            raise cursor.fail(f"{name} cannot be written mirrored; expected a type of one line", token)
        model = _model(other, cursor)
        if not part and not is_general(model):
            raise cursor.fail(f"{name} has no mirrored form; expected a type with coordinates of its own", token)
        return Mirrored(model)
    return read_parameters(cursor, kind) if kind.parameters else kind()


def _read_basis(typed: TypeDraft, cursor: Cursor) -> None:
    word = cursor.next
    if word is not None and word.kind == WORD and word.text.casefold() in BASES:
        typed.basis = cursor.take().text.casefold()


def _read_curve(typed: TypeDraft, cursor: Cursor) -> None:
    _read_basis(typed, cursor)
    word = cursor.next
    if word is not None and word.kind == WORD:
        if word.text.casefold() not in ("open", "closed"):
            raise cursor.fail(f"{word} is not a kind of curve; expected open or closed, or a basis: {', '.join(BASES)}")
        typed.closed = cursor.take().text.casefold() == "closed"
    _read_coordinates(typed, cursor, 1)


def _read_surface(typed: TypeDraft, cursor: Cursor) -> None:
    _read_basis(typed, cursor)
    start = cursor.next
    typed.grid = _whole(cursor, "rows"), _whole(cursor, "columns")
    if typed.grid[0] * typed.grid[1] > MOST_FRAMES:
        rows, columns = typed.grid
        raise cursor.fail(f"{rows} times {columns} frames are too many; expected at most {MOST_FRAMES}", start)
    _read_coordinates(typed, cursor, 2)


def _read_coordinates(typed: TypeDraft, cursor: Cursor, number: int) -> None:
    if cursor.next is not None and cursor.next.kind == NUMBER:
        typed.limits_at = cursor.next
        typed.limits = _all_limits(cursor, [""] * number)
    typed.labels = _labels(cursor, number)
    cursor.end()


def read_frame(draft: JointDraft, cursor: Cursor) -> None:
    """Read a line ``frame x y z [rx ry rz]``: a control frame of the spline.

    Raises:
        LineProblem: If the joint is no spline, or the numbers are none.
    """
    typed = draft.type
    if typed is not None and typed.refused_part:
        cursor.at = len(cursor.tokens)  # the type itself has been reported
        return
    if typed is not None and typed.open_part is not None:
        typed = typed.open_part
    if typed is None or typed.kind not in (SplineCurve, SplineSurface):
        message = (
            '"frame" does not belong here; expected "joint type spline curve" or "joint type spline surface" before it'
        )
        raise cursor.fail(message, cursor.tokens[0])
    numbers = [read_length(cursor, letter) for letter in "xyz"]
    if cursor.next is not None:
        for what in ("rx", "ry", "rz"):
            token = cursor.next
            numbers.append(cursor.number(what))
            if abs(numbers[-1]) > FARTHEST:
                raise cursor.fail(f"{token} degrees are out of range; expected {what} within {FARTHEST:g}", token)
    else:
        numbers += [0.0, 0.0, 0.0]
    cursor.end()
    if len(typed.frames) >= MOST_FRAMES:
        raise cursor.fail(f"one frame too many; expected at most {MOST_FRAMES}", cursor.tokens[0])
    typed.frames.append(numbers)


def refuse_beside_type(draft: JointDraft, cursor: Cursor) -> None:
    """Check that a hinge, slide or ball may stand in this joint.

    Raises:
        LineProblem: If the joint has a type that has its own degrees of freedom.
    """
    if draft.type is not None and draft.type.kind is not Composite:
        name, line = draft.type.kind.type_name, draft.type.token.line
        raise cursor.fail(
            f'this joint is of the type "{name}" (line {line}), which has its own degrees of freedom; '
            f'expected "joint type composite" there, and the parts after it',
            cursor.tokens[0],
        )


def add_parts(draft: JointDraft, dofs: tuple[Dof, ...]) -> None:
    """Make hinges and slides parts of the composite joint that they stand in."""
    if draft.type is not None:
        draft.type.open_part, draft.type.refused_part = None, False
        for dof in dofs:
            axis = tuple(dof.axis.tolist())
            draft.type.parts.append(Revolute(axis) if dof.kind == HINGE else Prismatic(axis))


def finish_type(draft: JointDraft) -> Iterator[LineProblem]:
    """Make the joint's type and the coordinates of its spline, at the end of the joint; yield what is wrong with it."""
    typed = draft.type
    if typed is None or typed.damaged:
        return
    drafts = [*(part for part in typed.parts if isinstance(part, TypeDraft)), typed]
    for each in drafts:
        try:
            model = _finished(each)
        except LineProblem as at_its_line:
            yield at_its_line
            return
        except JointError as error:
            yield LineProblem(each.token.line, each.token.column, str(error))
            return
        problem = _limits_problem(model, each) if each.limits is not None else None
        if problem is not None:
            yield problem
            return
    if isinstance(model, SplineCurve | SplineSurface):
        draft.dofs, draft.labels = list(type_dofs(model, typed.limits)), typed.labels
        draft.values["controls"] = typed.frames
    elif is_general(model) and typed.kind in (Composite, ExpressionJoint):
        draft.dofs = list(type_dofs(model, [(dof.lo, dof.hi) for dof in draft.dofs]))
        splines = [part.frames for part in typed.parts if isinstance(part, TypeDraft)]
        if splines:
            draft.values["controls"] = [frame for frames in splines for frame in frames]
    draft.values["type"] = model


def _finished(typed: TypeDraft) -> JointModel:
    if typed.kind is Composite:
        if not typed.parts:
            raise JointError("a composite joint has no parts; expected hinge, slide or joint type lines after it")
        return Composite(*(_finished(part) if isinstance(part, TypeDraft) else part for part in typed.parts))
    if typed.kind is ExpressionJoint:
        return finish_written(typed)
    if typed.kind is SplineCurve:
        return curve_from_controls(np.array(typed.frames).reshape(-1, 6), typed.closed, typed.basis)
    if typed.kind is SplineSurface:
        rows, columns = typed.grid
        if len(typed.frames) != rows * columns:
            raise JointError(
                f"a spline surface of {rows} rows and {columns} columns has {len(typed.frames)} frame lines; "
                f"expected {rows * columns}"
            )
        return surface_from_controls(np.array(typed.frames), rows, columns, typed.basis)
    assert typed.model is not None
    return typed.model


def _limits_problem(model: JointModel, typed: TypeDraft) -> LineProblem | None:
    for dof, (lo, hi) in zip(type_dofs(model), typed.limits or (), strict=True):
        outside = (math.isfinite(lo) and not dof.lo <= lo <= dof.hi) or (
            math.isfinite(hi) and not dof.lo <= hi <= dof.hi
        )
        if outside and typed.limits_at is not None:
            message = (
                f"limits {lo:g} and {hi:g} lie outside the {model.type_name}, which runs from {dof.lo:g} to {dof.hi:g}"
            )
            return LineProblem(typed.limits_at.line, typed.limits_at.column, f"{message}; expected limits inside it")
    return None
