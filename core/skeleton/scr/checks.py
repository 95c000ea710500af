"""What only shows when hierarchy and definitions of a .scr file are laid side by side: names and counterparts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from core.skeleton.scr.drafts import JointDraft
from core.skeleton.scr.lexer import LineProblem, Token, nearest, shortened


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
