"""Targets that depend on themselves in a circle, through parts of one figure or of several.

Two parts that are each where the other is say nothing, and a person who wrote that did not mean it: such statements are
refused, and the circle is named. Between figures a circle counts only if an expression is part of it; parts of two
figures that hold each other, as hands do, are solved together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from core.animation.script.expressions import Number, read_number, tokens_between
from core.animation.script.names import FigureNames
from core.animation.script.reading import Reading, Statement, read_script
from core.animation.script.text import ScriptError, line_tokens, quoted
from core.animation.script.written import written_script
from core.animation.sequence import Sequence as Motion

_FOLLOWING = ("point_pair", "carry")
"""Kinds whose part comes to where the other one is."""
_MOST_EDGES = 100  # with more of them in circles their frames are not asked for

Part = tuple[str | None, str]
"""A figure, None for the one whose script it is, and a joint of it."""


class Edge(NamedTuple):
    """That the target of one part depends on another, from a frame to a frame.

    Attributes:
        statement: What says so; None in the script of another figure.
        part: The part.
        on: The other one.
        said: How the part is called.
        said_on: How the other one is called.
        first: Frame on the clock of the script's figure.
        last: Likewise, None for ever.
        computed: Whether an expression names the other one.
    """

    statement: Statement | None
    part: Part
    on: Part
    said: str
    said_on: str
    first: float
    last: float | None
    computed: bool

    def holds(self, frame: float) -> bool:
        return self.first <= frame and (self.last is None or frame <= self.last)


class Scripted(NamedTuple):
    """A script and whose it is, as the one that is looked at names it.

    Attributes:
        figure: Its figure; None for the one that is looked at.
        motion: The sequence.
        reading: The script.
        names: What it may name.
        aliases: What the figures that it may name are called in the one that is looked at, None for that itself.
    """

    figure: str | None
    motion: Motion
    reading: Reading
    names: FigureNames
    aliases: Mapping[str, str | None]


def circles(own: Scripted, companions: Mapping[str, Motion]) -> list[tuple[Statement, ScriptError]]:
    """Return the statements whose targets depend on themselves in a circle, each with an error that names it.

    Args:
        own: The script.
        companions: Sequences of other figures by name, in whose scripts circles may go on.
    """
    edges = _edges(own, 1.0)
    waiting = [edge.on[0] for edge in edges]
    seen: set[str | None] = {None}
    while waiting:
        name = waiting.pop(0)
        if name in seen or name is None or name not in companions:
            continue
        seen.add(name)
        found = _edges(_of_companion(name, own, companions), own.motion.fps / companions[name].fps)
        edges += found
        waiting += [edge.on[0] for edge in found]
    edges = _in_circles(edges)
    made: list[tuple[Statement, ScriptError]] = []
    refused: set[int] = set()
    known: dict[tuple[Part, Part], list[Edge] | None] = {}
    for edge in edges:
        if edge.statement is None or edge.statement.start in refused:
            continue
        ends = edge.part, edge.on
        if ends not in known or len(edges) <= _MOST_EDGES:
            known[ends] = _circle(edges, edge)
        circle = known[ends]
        if circle is None or not _is_refused(circle):
            continue
        token = edge.statement.part
        assert token is not None
        parts = [circle[0].said, *(each.said_on for each in circle)]
        named = " → ".join(quoted(each) for each in parts)
        message = f"targets go in a circle: {named}; expected one of them to be without the other"
        made.append((edge.statement, ScriptError(message, token.start, token.end)))
        refused.add(edge.statement.start)
    return made


def _is_refused(circle: list[Edge]) -> bool:
    return any(edge.computed for edge in circle) or all(edge.part[0] is None for edge in circle)


def _of_companion(name: str, own: Scripted, companions: Mapping[str, Motion]) -> Scripted:
    """Return the script of another figure, which may be made of its strips."""
    motion = companions[name]
    theirs = dict(motion.companions)
    if not any(each is own.motion for each in theirs.values()):
        theirs = {each: other for each, other in companions.items() if each != name}
        theirs[own.motion.skeleton.name] = own.motion
    aliases: dict[str, str | None] = {}
    for each, other in theirs.items():
        aliases[each] = None if other is own.motion else next((n for n, m in companions.items() if m is other), each)
    reading = read_script(written_script(motion, theirs).text)
    names = FigureNames(motion.skeleton, {each: other.skeleton for each, other in theirs.items()})
    return Scripted(name, motion, reading, names, aliases)


def _edges(script: Scripted, ratio: float) -> list[Edge]:
    found: list[Edge] = []
    for entry in script.reading.entries:
        if entry.statement is not None and entry.statement.part is not None:
            found += _of_statement(script, entry.statement, ratio)
    return found


def _of_statement(script: Scripted, statement: Statement, ratio: float) -> list[Edge]:
    """Return on which parts the target of a statement depends; nothing where something of it is wrong."""
    names, part, text = script.names, statement.part, script.reading.text
    assert part is not None
    said: list[tuple[str, bool]] = []
    try:
        if statement.targets:
            tokens = line_tokens(text, statement.start, statement.end)[0]
        for clause in statement.targets.values():
            for a, b in clause.spans:
                number: Number = read_number(text, tokens_between(tokens, a, b), a, b, names)
                said += [(name, True) for name in number.parts]
        if statement.other is not None and statement.kind is not None and statement.kind.name in _FOLLOWING:
            said.append((statement.other.text, False))
        here = names.place(part, own=True).named.joint
    except ScriptError:
        return []
    span = statement.clauses.get("from")
    first, last = (0.0, None) if span is None else (float(span.values[0]) * ratio, None)
    if span is not None and len(span.values) > 1:
        last = float(span.values[1]) * ratio
    before = "" if script.figure is None else f"{script.figure}."
    made = []
    for name, computed in said:
        place = names.known(name)
        if place is None:
            continue
        figure = script.figure if place.figure is None else script.aliases.get(place.figure, place.figure)
        called = place.name if figure is None else f"{figure}.{place.name}"
        made.append(
            Edge(
                statement if script.figure is None else None, (script.figure, here), (figure, place.named.joint),
                before + part.text, called, first, last, computed,
            )
        )  # fmt: skip
    return made


def _in_circles(edges: list[Edge]) -> list[Edge]:
    """Return the edges that may lie in a circle: neither their ends nor their beginnings are loose."""
    while True:
        parts, on = {edge.part for edge in edges}, {edge.on for edge in edges}
        kept = [edge for edge in edges if edge.on in parts and edge.part in on]
        if len(kept) == len(edges):
            return kept
        edges = kept


def _circle(edges: list[Edge], first: Edge) -> list[Edge] | None:
    """Return the edges of a circle that one begins; None if there is none.

    All of a circle must hold at one frame; it does at one at which one of its edges begins.
    """
    if len(edges) > _MOST_EDGES:
        return _way_round(edges, first)
    for frame in sorted({edge.first for edge in edges if first.holds(edge.first)}):
        found = _way_round([edge for edge in edges if edge.holds(frame)], first)
        if found is not None:
            return found
    return None


def _way_round(edges: list[Edge], first: Edge) -> list[Edge] | None:
    by_part: dict[Part, list[Edge]] = {}
    for edge in edges:
        by_part.setdefault(edge.part, []).append(edge)
    way: dict[Part, tuple[Edge, Part | None]] = {first.on: (first, None)}
    waiting = [first.on]
    while waiting:
        here: Part | None = waiting.pop(0)
        if here == first.part:
            found: list[Edge] = []
            while here is not None:
                edge, here = way[here]
                found.append(edge)
            return found[::-1]
        for edge in by_part.get(here, ()) if here is not None else ():
            if edge.on not in way:
                way[edge.on] = edge, here
                waiting.append(edge.on)
    return None
