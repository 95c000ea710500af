"""The lines of a .scr file in turn: blocks are opened and closed, joints placed, definitions gathered and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.skeleton.joint import Group
from core.skeleton.scr.lexer import (
    NUMBER,
    STRING,
    WORD,
    Cursor,
    LineProblem,
    Token,
    choices,
    nearest,
    shortened,
    tokenize,
)
from core.skeleton.scr.lines import DEEPEST, JointDraft, read_joint_line
from core.skeleton.scr.types import finish_type


class Placement(NamedTuple):
    """A joint in the hierarchy: the token with its name, and the index of its parent (-1 for the root)."""

    name: Token
    parent: int


def _guess(name: str, valid: Sequence[str]) -> str:
    near = nearest(name, valid)
    return f', did you mean "{shortened(near)}"?' if near else ""


def check_placements(
    placements: Sequence[Placement],
    drafts: dict[str, JointDraft],
    skeleton: Token | None,
    problems: list[LineProblem],
) -> None:
    """Report joints placed twice, defined but never placed, and a skeleton without joints."""
    first: dict[str, Token] = {}
    for placement in placements:
        token = placement.name
        if token.text in first:
            message = f"joint {token} is placed twice, first on line {first[token.text].line}; expected each joint once"
            problems.append(LineProblem(token.line, token.column, message))
        else:
            first[token.text] = token
    if skeleton is None and drafts and not any("skeleton" in problem.message for problem in problems):
        token = next(iter(drafts.values())).name
        problems.append(
            LineProblem(token.line, 1, 'there is no skeleton in this file; expected define skeleton "NAME"')
        )
    if skeleton is None:
        return
    if not placements and not problems:
        message = f'skeleton {skeleton} has no joints; expected at least one line joint "NAME"'
        problems.append(LineProblem(skeleton.line, skeleton.column, message))
    for name, draft in drafts.items():
        if name not in first:
            guess = _guess(name, [other for other in first if other not in drafts]) if len(problems) < 20 else ""
            message = f"joint {draft.name} is defined but never placed{guess}; expected a line for it in the skeleton"
            problems.append(LineProblem(draft.name.line, draft.name.column, message))


def check_mirrors(
    placements: Sequence[Placement], drafts: dict[str, JointDraft], problems: list[LineProblem]
) -> dict[str, str]:
    """Report counterparts that do not fit, and return which joints are made by reflection.

    Returns:
        Name of each joint without a definition that is some joint's counterpart -> name of that joint.
    """
    placed = {placement.name.text for placement in placements}
    claims: dict[str, JointDraft] = {}
    in_cycle: set[str] = set()
    cleared: set[str] = set()
    for name, draft in drafts.items():
        token = draft.mirror
        if token is None or name in in_cycle:
            continue

        def report(message: str, at: Token = token) -> None:
            problems.append(LineProblem(at.line, at.column, message))

        if token.text == name:
            report(f"joint {token} cannot be its own counterpart; expected another joint, or no mirror line")
            continue
        if token.text not in placed:
            if placed:
                guess = _guess(token.text, sorted(placed)) if len(problems) < 20 else ""
                report(f"counterpart {token} is placed nowhere{guess}; expected the name of a joint of the skeleton")
            continue
        cycle = _cycle(name, drafts, cleared)
        if len(cycle) > 2:
            in_cycle.update(cycle)
            path = " -> ".join(
                f'"{shortened(part)}"' for part in (*cycle[:8], *(("...",) if len(cycle) > 8 else ()), name)
            )
            report(f"the mirror lines go round in a circle: {path}; expected pairs of joints")
            continue
        other = drafts.get(token.text)
        if other is not None and other.mirror is not None and other.mirror.text != name:
            report(f"the counterpart of {token} is {other.mirror}, not {draft.name}; expected pairs of joints")
        elif token.text in claims:
            other_name = claims[token.text].name
            report(f"{token} is the counterpart of {other_name} (line {other_name.line}); expected pairs of joints")
        else:
            claims[token.text] = draft
    return {name: draft.name.text for name, draft in claims.items() if name not in drafts}


def _cycle(start: str, drafts: dict[str, JointDraft], cleared: set[str]) -> tuple[str, ...]:
    """Return the joints from ``start`` along the mirror lines back to it, or () if they do not lead back.

    Args:
        start: Where to begin.
        drafts: All definitions.
        cleared: Joints that are known to lead into no new circle; gets those on the way.
    """
    path = [start]
    seen = {start}
    at = start
    while True:
        mirror = drafts[at].mirror if at in drafts else None
        if mirror is not None and mirror.text == start:
            cleared.update(path)
            return tuple(path)
        if mirror is None or mirror.text in cleared or mirror.text in seen:
            # A walk into a circle that it is not part of clears only itself, the circle is still to be reported.
            cleared.update(path if mirror is None or mirror.text in cleared else path[: path.index(mirror.text)])
            return ()
        at = mirror.text
        seen.add(at)
        path.append(at)


_MOST_PROBLEMS = 10_000
_BLOCKS = ("skeleton", "joint")


@dataclass
class _Level:
    """A skeleton or group that is open."""

    opener: Token
    name: str
    previous: int
    items: list[int | Group] = field(default_factory=list)


@dataclass
class Parser:
    """What has been read so far; it goes on after a bad line.

    Attributes:
        problems: What is wrong, in the order it was found.
        name: The token with the skeleton's name.
        layout: The hierarchy, once the skeleton is closed.
        placements: The joints of the hierarchy, in file order.
        drafts: The definitions, by name.
    """

    problems: list[LineProblem] = field(default_factory=list)
    name: Token | None = None
    levels: list[_Level] = field(default_factory=list)
    layout: list[int | Group] = field(default_factory=list)
    placements: list[Placement] = field(default_factory=list)
    drafts: dict[str, JointDraft] = field(default_factory=dict)
    draft: JointDraft | None = None
    draft_opener: Token | None = None
    skipping: bool = False
    too_deep: bool = False

    def parse(self, text: str) -> None:
        """Read a whole file.

        Raises:
            LineProblem: If there is no skeleton in it at all.
        """
        for tokens in tokenize(text, self.problems):
            try:
                self.line(tokens)
            except LineProblem as problem:
                self.problems.append(problem)
            if len(self.problems) >= _MOST_PROBLEMS:
                self.problems.append(LineProblem(tokens[0].line + 1, 1, "too many problems; the rest was not read"))
                return
        self.close_all(None)
        if self.name is None and not self.problems:
            raise LineProblem(1, 1, 'there is no skeleton in this file; expected define skeleton "NAME"')

    def line(self, tokens: list[Token]) -> None:
        """Read one line: open or close a block, or fill the one that is open."""
        first = tokens[0]
        word = first.text.casefold() if first.kind == WORD else ""
        if word == "define":
            self.close_all(first)
            self.skipping = False
            self.define(tokens)
        elif word == "end":
            self.end(tokens)
        elif self.skipping:
            return
        elif self.draft is not None:
            read_joint_line(self.draft, tokens)
        elif self.levels:
            self.place(tokens, word)
        else:
            self.skipping = True  # one message for all the lines up to the next definition
            wanted = 'expected define skeleton "NAME" or define joint "NAME" before it'
            raise LineProblem(first.line, first.column, f"{first} stands outside every definition; {wanted}")

    # -- blocks --------------------------------------------------------------------------------------------------

    def define(self, tokens: list[Token]) -> None:
        """Open a skeleton's or a joint's block."""
        cursor = Cursor(tokens, 'define skeleton "NAME" or define joint "NAME"')
        cursor.take()
        kind = cursor.next
        word = kind.text.casefold() if kind is not None and kind.kind == WORD else ""
        if kind is None or word not in _BLOCKS:
            self.skipping = True
            if kind is None:
                cursor.take()
            raise cursor.fail(f"{kind} cannot be defined; {choices(word, _BLOCKS)}")
        cursor.take()
        cursor.usage = f'define {word} "NAME"'
        name = self.name_of(cursor, f"the {word}'s name")
        if word == "skeleton":
            if self.name is not None:
                self.skipping = True
                message = f"a second skeleton, the first is on line {self.name.line}; expected one skeleton in a file"
                raise LineProblem(tokens[0].line, tokens[0].column, message)
            self.name = name
            self.levels.append(_Level(tokens[0], name.text, -1))
        else:
            # A draft of a second definition is read too, so that its own problems are reported, and then dropped.
            self.draft, self.draft_opener = JointDraft(name), tokens[0]
            if name.text in self.drafts:
                first = self.drafts[name.text].name.line
                message = f"joint {name} is defined twice, first on line {first}; expected names that differ"
                raise LineProblem(name.line, name.column, message)
            self.drafts[name.text] = self.draft
        cursor.end()

    def name_of(self, cursor: Cursor, what: str) -> Token:
        """Return the name that comes next; one without quotes is reported but taken, so that no more errors follow."""
        token = cursor.next
        if token is not None and token.kind in (WORD, NUMBER):
            problem = cursor.fail(f"{token} is not in quotes; expected {what} in quotes: {cursor.usage}")
            self.problems.append(problem)
            cursor.at = len(cursor.tokens)
            return token._replace(kind=STRING)
        return cursor.string(what)

    def end(self, tokens: list[Token]) -> None:
        """Close the block that is open, or say what should stand there."""
        cursor = Cursor(tokens, "end skeleton, end group or end joint")
        cursor.take()
        if self.skipping:
            return
        wanted = (
            "joint"
            if self.draft is not None
            else "group"
            if len(self.levels) > 1
            else "skeleton"
            if self.levels
            else ""
        )
        if not wanted:
            raise LineProblem(
                tokens[0].line, tokens[0].column, '"end" without anything open; expected "define" before it'
            )
        kind = cursor.next
        word = kind.text.casefold() if kind is not None else ""
        if kind is not None and kind.kind == WORD and word == wanted:
            cursor.take()
            self.close(None)
            cursor.end()
        elif word == "skeleton" and self.levels:
            while len(self.levels) > 1:
                self.close(tokens[0])
            self.close(None)
        else:
            opener = self.draft_opener if self.draft is not None else self.levels[-1].opener
            line = opener.line if opener is not None else 0
            found = f'"end {shortened(word)}"' if word else '"end" alone'
            message = f'{found} does not close what is open; expected "end {wanted}" for the {wanted} of line {line}'
            if word in ("joint", "group", "skeleton"):
                self.problems.append(LineProblem(tokens[0].line, tokens[0].column, message))
            else:
                # Most likely a slip in the word: take it for the right one.
                self.close(None)
                raise LineProblem(tokens[0].line, tokens[0].column, message)

    def close(self, before: Token | None) -> None:
        """Close the innermost block; with ``before``, report that its end is missing before that line."""
        opener = self.draft_opener if self.draft is not None else self.levels[-1].opener
        kind = "joint" if self.draft is not None else "group" if len(self.levels) > 1 else "skeleton"
        if before is not None and opener is not None:
            where = f"before line {before.line}" if before.line else "before the end of the file"
            message = f'this {kind} is never closed; expected "end {kind}" {where}'
            self.problems.append(LineProblem(opener.line, opener.column, message))
        if self.draft is not None:
            self.problems.extend(finish_type(self.draft))
            self.draft = self.draft_opener = None
            return
        level = self.levels.pop()
        if self.levels:
            self.levels[-1].items.append(Group(level.name, tuple(level.items)))
        else:
            self.layout = level.items

    def close_all(self, before: Token | None) -> None:
        """Close all blocks, each with a problem."""
        while self.draft is not None or self.levels:
            self.close(before or Token(WORD, "", 0.0, 0, 0))

    # -- hierarchy -----------------------------------------------------------------------------------------------

    def place(self, tokens: list[Token], word: str) -> None:
        """Read a line of the hierarchy: a joint or the start of a group."""
        first = tokens[0]
        level = self.levels[-1]
        if word not in ("joint", "group"):
            raise LineProblem(
                first.line,
                first.column,
                f"{first} is not a keyword here; {choices(first.text, ('joint', 'group', 'end'))}",
            )
        cursor = Cursor(tokens, f'{word} "NAME"')
        cursor.take()
        if word == "group":
            # The level is opened even if its name is bad, or "end group" would be one too many.
            self.levels.append(_Level(first, "", level.previous))
            if len(self.levels) - 1 > DEEPEST and not self.too_deep:
                self.too_deep = True
                message = f"groups are nested more than {DEEPEST} deep; expected at most {DEEPEST}"
                self.problems.append(LineProblem(first.line, first.column, message))
            self.levels[-1].name = self.name_of(cursor, "the group's name").text
            cursor.end()
            return
        name = self.name_of(cursor, "the joint's name")
        index = len(self.placements)
        if level.previous < 0 and self.placements:
            message = (
                f"joint {name} would be a second root, {self.placements[0].name} is the first; "
                "expected the root to come before the groups"
            )
            raise LineProblem(name.line, name.column, message)
        self.placements.append(Placement(name, level.previous))
        level.previous = index
        level.items.append(index)
        cursor.end()
