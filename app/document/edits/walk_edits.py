"""Sequences that are made by rules: from rules to the commands that put what they make in, and what ends them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from app.document.commands.base import Command
from app.document.commands.sequence_commands import SetGaitManner, SetKeys, SetSequenceValue, SetStrips
from app.document.content.records import sequence_value
from app.document.edits import edits
from core.animation.locks.strip import STRIP_MARK
from core.animation.sequence import Sequence
from core.gait.procedural import Rules, kept_range, make
from core.gait.walk import Walk

if TYPE_CHECKING:
    from app.document.content.model import Model
    from core.animation.key import Key
    from core.animation.locks.strip import LockStrip

RULES_MEMBER = "manner"
"""The member of the record that says how the figure moves; the others say on what."""


class Made(NamedTuple):
    """What rules have made.

    Attributes:
        rules: The rules.
        keys: Its keys.
        strips: Its own lock strips.
        span: First and last frame.
        record: The record of the rules.
        walk: What was made, with its footsteps and how far feet miss their places.
    """

    rules: Rules
    keys: tuple[Key, ...]
    strips: tuple[LockStrip, ...]
    span: list[int]
    record: dict[str, Any]
    walk: Walk


def made_by(sequence: Sequence, rules: Rules) -> Made:
    """Return what rules make of a sequence's figure at its frames a second; it is not changed.

    Raises:
        core.errors.CoreError: If the figure cannot move like that.
    """
    trial = Sequence(sequence.skeleton, sequence.fps)
    walk = make(trial, rules)
    return Made(rules, trial.keys, tuple(trial.locks.strips), list(trial.range), trial.gait, walk)


def put_changes(model: Model, made: Made) -> list[Command]:
    """Return what puts what rules made in place of the active sequence's keys and of strips made before.

    A range that was set by hand stays.
    """
    _, sequence = edits.need_figure(model)
    index = model.sequence_index
    own = [strip for strip in sequence.locks.strips if not strip.id.startswith(STRIP_MARK)]
    commands = edits.key_changes(model, made.keys)
    strips = (*own, *made.strips)
    if strips != tuple(sequence.locks.strips):
        commands += edits.strips_put(model, index, strips)
    before = sequence_value(sequence, "range")
    if before != made.span and kept_range(sequence) is None:
        commands.append(SetSequenceValue(index, "range", before, made.span))
    return [*commands, *_record_changes(index, sequence.gait, made.record), *edits.drop_pending(model)]


def _record_changes(index: int, before: Any, after: dict[str, Any]) -> list[Command]:
    """Return what changes the record; ground, which may be large, is written only where it is another."""
    if before is None or _beside_rules(before) != _beside_rules(after):
        return [SetSequenceValue(index, "gait", before, after)]
    old, new = before[RULES_MEMBER], after[RULES_MEMBER]
    return [] if old == new else [SetGaitManner(index, old, new)]


def _beside_rules(record: Any) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != RULES_MEMBER}


def baked(model: Model) -> list[Command]:
    """Return what makes the active sequence a key-framed one; nothing if it is that already."""
    _, sequence = edits.need_figure(model)
    if sequence.gait is None:
        return []
    return [SetSequenceValue(model.sequence_index, "gait", sequence.gait, None)]


def baked_by(model: Model, commands: Iterable[Command]) -> list[Command]:
    """Return what makes sequences key-framed whose keys or own strips an edit changes, other than by their rules.

    Without it the edit would be lost as soon as the sequence is made anew.

    Args:
        model: The document's content, before the edit or after it.
        commands: The commands of the edit.
    """
    edited: dict[int, None] = {}
    ruled: set[int] = set()
    for command in commands:
        if isinstance(command, SetKeys) or (isinstance(command, SetStrips) and _changes_own(command)):
            edited[command.sequence] = None
        elif isinstance(command, SetGaitManner) or (isinstance(command, SetSequenceValue) and command.name == "gait"):
            ruled.add(command.sequence)
    found: list[Command] = []
    for index in edited:
        if index not in ruled and index < len(model.sequences) and model.sequences[index].gait is not None:
            found.append(SetSequenceValue(index, "gait", model.sequences[index].gait, None))
    return found


def _changes_own(command: SetStrips) -> bool:
    """Return whether strips that belong to a walk change."""
    before, after = (
        {strip.id: strip for strip in strips if strip.id.startswith(STRIP_MARK)}
        for strips in (command.before, command.after)
    )
    return before != after
