"""The lines of an expression joint: ``coordinates``, ``let``, ``translate`` and ``rotate``, then all of it together."""

from __future__ import annotations

import numpy as np

from core.errors import ExpressionError, JointError
from core.joints import ExpressionJoint
from core.joints.base import ANGLE, LENGTH, NUMBER
from core.joints.expression import MOST_LETS, MOST_MOVES, UNITS, Rotate, Translate
from core.joints.expression_checks import fault
from core.skeleton.dof import COORDINATE, Dof
from core.skeleton.scr.drafts import JointDraft, TypeDraft, WrittenDraft
from core.skeleton.scr.lexer import STRING, WORD, Cursor, LineProblem, Token
from core.skeleton.scr.values import read_axis, read_limits
from core.symbolic.parsing import set_apart

USAGES = {
    "coordinates": 'coordinates NAME [deg or m] [LO HI] ["LABEL"] ...',
    "let": "let NAME EXPRESSION",
    "translate": "translate EXPRESSION EXPRESSION EXPRESSION",
    "rotate": "rotate AXIS EXPRESSION",
}
MEASURES = {"deg": ANGLE, "m": LENGTH}


def read_coordinates(draft: JointDraft, cursor: Cursor) -> None:
    """Read a line ``coordinates NAME [deg or m] [LO HI] ["LABEL"] ...``.

    Raises:
        LineProblem: If the joint is no expression joint, or the line names what cannot be named.
    """
    own = _own(draft, cursor)
    if own is None:
        return
    if cursor.next is None:
        raise cursor.fail(f"no coordinate is named; expected {cursor.usage}")
    while cursor.next is not None:
        token = cursor.take()
        if token.kind != WORD:
            raise cursor.fail(f"{token} is no name; expected {cursor.usage}", token)
        try:
            own.scope.add_coordinate(token.text)
        except ExpressionError as error:
            raise cursor.fail(error.reason, token) from None
        measure = NUMBER
        if cursor.next is not None and cursor.next.kind == WORD and cursor.next.text in UNITS:
            unit = cursor.take()
            if unit.text not in MEASURES:
                raise cursor.fail(f"coordinates have no unit {unit}; expected deg, m or none for a plain number", unit)
            measure = MEASURES[unit.text]
        limits = read_limits(cursor, {ANGLE: "degrees", LENGTH: "m", NUMBER: ""}[measure])
        label = cursor.take().text.strip() if cursor.next is not None and cursor.next.kind == STRING else ""
        own.measures.append(measure)
        own.limits.append(limits)
        own.names_at.append(token)
        draft.dofs.append(Dof(COORDINATE, np.eye(3)[0], *limits))
        draft.labels.append(label)
    own.unsure = False


def read_let(draft: JointDraft, cursor: Cursor) -> None:
    """Read a line ``let NAME EXPRESSION``.

    Raises:
        LineProblem: If the joint is no expression joint, or the line is none of its.
    """
    own = _own(draft, cursor)
    if own is None:
        return
    name = cursor.take()
    if name.kind != WORD:
        raise cursor.fail(f"{name} is no name; expected {cursor.usage}", name)
    if len(own.lets) >= MOST_LETS:
        raise cursor.fail(f"one let line too many; expected at most {MOST_LETS} in a joint", cursor.tokens[0])
    text = _rest(cursor)
    try:
        own.scope.let(name.text, text)
    except ExpressionError as error:
        raise _problem(cursor, error, name) from None
    own.lets.append((name.text, _tidy(text)))
    own.unsure = False


def read_translate(draft: JointDraft, cursor: Cursor) -> None:
    """Read a line ``translate E E E``.

    Raises:
        LineProblem: If the joint is no expression joint, or the line is none of its.
    """
    own = _own(draft, cursor)
    if own is None:
        return
    _check_room(own, cursor)
    text = _rest(cursor)
    try:
        places = set_apart(text, 3)
        pieces = [text[start:end] for start, end in places]
        for (start, _), piece in zip(places, pieces, strict=True):
            own.scope.read(" " * start + piece)
    except ExpressionError as error:
        raise _problem(cursor, error) from None
    first, second, third = map(_tidy, pieces)
    own.moves.append(Translate((first, second, third)))
    line = cursor.tokens[0].line
    own.texts_at.append(
        [(line, start + 1 + len(piece) - len(piece.lstrip())) for (start, _), piece in zip(places, pieces, strict=True)]
    )


def read_rotate(draft: JointDraft, cursor: Cursor) -> None:
    """Read a line ``rotate AXIS E``.

    Raises:
        LineProblem: If the joint is no expression joint, or the line is none of its.
    """
    own = _own(draft, cursor)
    if own is None:
        return
    _check_room(own, cursor)
    x, y, z = read_axis(cursor).tolist()
    first = cursor.next
    text = _rest(cursor)
    try:
        own.scope.read(text)
    except ExpressionError as error:
        raise _problem(cursor, error) from None
    assert first is not None  # nothing is no expression
    own.moves.append(Rotate((x, y, z), _tidy(text)))
    own.texts_at.append([(first.line, first.column)])


def finish_written(typed: TypeDraft) -> ExpressionJoint:
    """Return the joint that the lines make.

    Raises:
        LineProblem: If it cannot be used, at what is to blame.
    """
    own = typed.written

    def problem(line: int, column: int, message: str) -> LineProblem:
        return LineProblem(line, column, message)

    if not own.names_at:
        message = f"an expression joint has no coordinates; expected a line {USAGES['coordinates']} after it"
        raise problem(typed.token.line, typed.token.column, message)
    if not own.moves:
        raise problem(
            typed.token.line, typed.token.column,
            f"an expression joint moves nothing; expected lines {USAGES['translate']} or {USAGES['rotate']} after it",
        )  # fmt: skip
    try:
        model = ExpressionJoint(tuple(own.scope.coordinates), tuple(own.measures), tuple(own.moves), tuple(own.lets))
    except JointError as error:
        raise problem(typed.token.line, typed.token.column, str(error)) from None
    found = fault(model, own.limits)
    if found is not None:
        if found.part == "coordinate":
            token = own.names_at[found.number]
            raise problem(token.line, token.column, found.message)
        raise problem(*own.texts_at[found.number][found.text], found.message)
    return model


def _own(draft: JointDraft, cursor: Cursor) -> WrittenDraft | None:
    """Return the lines of the expression joint that a line belongs to; None where it, or a name, was refused."""
    typed = draft.type
    refused = typed is not None and typed.refused_part
    if typed is not None and typed.open_part is not None:
        typed = typed.open_part
    if refused or (typed is not None and typed.written.unsure):
        cursor.at = len(cursor.tokens)
        return None
    if typed is None or typed.kind is not ExpressionJoint:
        word = cursor.tokens[0].text.casefold()
        raise cursor.fail(
            f'"{word}" does not belong here; expected "joint type expression" before it', cursor.tokens[0]
        )
    naming = cursor.tokens[0].text.casefold() in ("coordinates", "let")
    typed.written.unsure = naming  # until the line has been read
    return typed.written


def _check_room(own: WrittenDraft, cursor: Cursor) -> None:
    if len(own.moves) >= MOST_MOVES:
        own.unsure = True  # one message for all that are too many
        message = f"one translation or rotation too many; expected at most {MOST_MOVES} in a joint"
        raise cursor.fail(message, cursor.tokens[0])


def _rest(cursor: Cursor) -> str:
    """Take the rest of the line; return it with blanks before it, so that each character stands in its column."""
    last = cursor.tokens[cursor.at - 1]
    text = " " * (last.column - 1 + len(last.text))
    for token in cursor.tokens[cursor.at :]:
        if token.kind == STRING:
            raise cursor.fail(f"{token} in quotes is no expression; expected {cursor.usage}", token)
        text = text.ljust(token.column - 1) + token.text
    cursor.at = len(cursor.tokens)
    return text


def _tidy(text: str) -> str:
    return " ".join(text.split())


def _problem(cursor: Cursor, error: ExpressionError, at: Token | None = None) -> LineProblem:
    first = cursor.tokens[0]
    if error.position is None:
        return cursor.fail(error.reason, at or first)
    return LineProblem(first.line, error.position + 1, error.reason)
