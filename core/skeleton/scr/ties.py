"""Lines of a .scr file that tie joints together beside the tree: ``loop`` and ``follow``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.errors import ExpressionError
from core.skeleton.joint import Joint, dof_letters
from core.skeleton.scr.drafts import FollowLine, JointDraft, LoopLine
from core.skeleton.scr.lexer import NUMBER, STRING, WORD, Cursor, LineProblem, Token, choices, shortened
from core.skeleton.scr.values import read_axis, read_length
from core.skeleton.tie import Follow, Leader, Loop, expression_of
from core.symbolic.parsing import check_name

LOOP_USAGE = 'loop "JOINT" x y z to x y z [hinge AXIS]'
FOLLOW_USAGE = 'follow DOF "EXPRESSION" [NAME "JOINT" DOF ...]'

Ties = tuple[tuple[Loop, ...], tuple[Follow, ...]]


def read_loop(draft: JointDraft, cursor: Cursor) -> None:
    """Read a ``loop`` line.

    Raises:
        LineProblem: If it is none.
    """
    other = cursor.string("the other joint's name")
    point = [read_length(cursor, letter) for letter in "xyz"]
    _word(cursor, "to")
    place = [read_length(cursor, letter) for letter in "xyz"]
    axis = None
    if cursor.next is not None:
        _word(cursor, "hinge")
        axis = read_axis(cursor).tolist()
    cursor.end()
    if other.text == draft.name.text:
        raise cursor.fail(f"joint {other} cannot close a loop with itself; expected another joint", other)
    made = Loop(other.text, _three(point), _three(place), None if axis is None else _three(axis))
    draft.loops.append(LoopLine(other, made))


def read_follow(draft: JointDraft, cursor: Cursor) -> None:
    """Read a ``follow`` line.

    Raises:
        LineProblem: If it is none.
    """
    dof = _letter(cursor)
    text = cursor.string("the expression")
    leaders: list[tuple[Token, Token, Token]] = []
    while cursor.next is not None:
        name = cursor.take()
        if name.kind != WORD:
            raise cursor.fail(f"{name} is not a name; expected {cursor.usage}", name)
        try:
            check_name(name.text)
        except ExpressionError as error:
            raise cursor.fail(f"{name} cannot be a name here: {error}", name) from None
        if any(name.text == known.text for known, _, _ in leaders):
            raise cursor.fail(f"{name} is named twice; expected names that differ", name)
        leaders.append((name, cursor.string("the leader's joint"), _letter(cursor)))
    draft.follows.append(FollowLine(dof, text, tuple(leaders)))


def resolved_ties(
    drafts: Mapping[str, JointDraft], joints: Sequence[Joint], problems: list[LineProblem]
) -> dict[str, Ties]:
    """Return the ties of every joint that has some, by its name, and report what they name that is not there."""
    by_name = {joint.name: joint for joint in joints}
    found: dict[str, Ties] = {}
    at: dict[tuple[str, int], Token] = {}
    for name, draft in drafts.items():
        if name not in by_name or not (draft.loops or draft.follows):
            continue
        loops = tuple(line.loop for line in draft.loops if _joint(line.other, by_name, problems) is not None)
        follows = []
        for line in draft.follows:
            follow = _follow(line, by_name[name], by_name, problems)
            if follow is None:
                continue
            before = at.get((name, follow.dof))
            if before is not None:
                message = f"{line.dof} follows others already, by line {before.line}; expected one line for each"
                problems.append(LineProblem(line.dof.line, line.dof.column, message))
                continue
            at[name, follow.dof] = line.dof
            follows.append(follow)
        found[name] = loops, tuple(follows)
    _report_circles(found, at, problems)
    return found


def _follow(line: FollowLine, joint: Joint, by_name: Mapping[str, Joint], problems: list[LineProblem]) -> Follow | None:
    """Return what a ``follow`` line says; None if something is wrong with it, which is reported."""
    dof = _dof(line.dof, joint, problems)
    leaders = []
    for name, token, letter in line.leaders:
        other = _joint(token, by_name, problems)
        k = None if other is None else _dof(letter, other, problems)
        if k is not None:
            leaders.append(Leader(name.text, token.text, k))
    if dof is None or len(leaders) < len(line.leaders):
        return None
    follow = Follow(dof, line.text.text, tuple(leaders))
    try:
        expression_of(follow)
    except ExpressionError as error:
        column = line.text.column + 1 + (error.position or 0)
        problems.append(LineProblem(line.text.line, column, f"{error}"))
        return None
    return follow


def _report_circles(
    found: Mapping[str, Ties], at: Mapping[tuple[str, int], Token], problems: list[LineProblem]
) -> None:
    """Report degrees of freedom that follow themselves by way of others, each circle once."""
    left = {
        (name, each.dof): [(leader.joint, leader.dof) for leader in each.leaders]
        for name, (_, follows) in found.items()
        for each in follows
    }
    while left:
        ready = [place for place, leaders in left.items() if not any(leader in left for leader in leaders)]
        for place in ready:
            del left[place]
        if ready or not left:
            continue
        way = [next(iter(left))]
        while way.count(way[-1]) < 2:
            way.append(next(leader for leader in left[way[-1]] if leader in left))
        way = way[way.index(way[-1]) :]
        token = at[way[0]]
        path = " -> ".join(f'"{shortened(name)}"' for name, _ in (*way[:8], *way[-1:] * (len(way) > 8)))
        message = f"{token} follows itself: {path}; expected leaders that do not follow it"
        problems.append(LineProblem(token.line, token.column, message))
        for place in set(way):
            del left[place]


def _joint(token: Token, by_name: Mapping[str, Joint], problems: list[LineProblem]) -> Joint | None:
    if token.text in by_name:
        return by_name[token.text]
    message = f"joint {token} is placed nowhere; {choices(token.text, by_name)}"
    problems.append(LineProblem(token.line, token.column, message))
    return None


def _dof(token: Token, joint: Joint, problems: list[LineProblem]) -> int | None:
    letters = dof_letters(joint)
    wanted = token.text.replace("\N{MINUS SIGN}", "-")
    same = [k for k, letter in enumerate(letters) if letter == wanted]
    same = same or [k for k, letter in enumerate(letters) if letter.casefold() == wanted.casefold()]
    if same:
        return same[0]
    has = f"expected {', '.join(letters)}" if letters else "it has none"
    message = f'joint "{joint.name}" has no degree of freedom {token}; {has}'
    problems.append(LineProblem(token.line, token.column, message))
    return None


def _letter(cursor: Cursor) -> Token:
    token = cursor.take()
    if token.kind not in (WORD, NUMBER, STRING):
        raise cursor.fail(f"{token} is no degree of freedom; expected {cursor.usage}", token)
    return token


def _word(cursor: Cursor, word: str) -> None:
    token = cursor.take()
    if token.kind != WORD or token.text.casefold() != word:
        raise cursor.fail(f'{token} stands where "{word}" should; expected {cursor.usage}', token)


def _three(values: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = values
    return float(x), float(y), float(z)
