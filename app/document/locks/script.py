"""The part of a document that edits the locks of its sequence as a text: the constraint script."""

from __future__ import annotations

from app.document.base import DocumentBase
from app.document.commands.base import Command
from app.document.commands.sequence_commands import SetSequenceValue, SetStrips
from app.document.edits import edits
from core.animation.script.making import Made, make_strips, meaning, paths_of
from core.animation.script.reading import read_script
from core.animation.script.script import Script, apply_script
from core.animation.script.text import ScriptProblem
from core.animation.script.written import written_script
from core.animation.sequence import Sequence


class ScriptEdits:
    """The script of the active sequence. A sequence without one has its strips as a text all the same.

    Args:
        document: The document.
    """

    def __init__(self, document: DocumentBase):
        self._document = document
        self._checked: tuple[object, Made] | None = None

    @property
    def script(self) -> Script:
        """The script of the active sequence, or one made of its strips; empty without a figure."""
        sequence = self._document.model.sequence
        return Script() if sequence is None else written_script(sequence, self.companions)

    @property
    def companions(self) -> dict[str, Sequence]:
        """Sequences of the other figures, by the names that locks have for these."""
        model = self._document.model
        return {} if model.sequence is None else model.companions_of(model.sequence_index)

    @property
    def text(self) -> str:
        """Its text."""
        return self.script.text

    @property
    def kept(self) -> bool:
        """Whether the sequence has a script of its own, which files keep."""
        sequence = self._document.model.sequence
        return sequence is not None and sequence.script is not None

    def problems(self) -> tuple[ScriptProblem, ...]:
        """Return what is wrong with the text, by place."""
        made = self._made()
        return () if made is None else made.problems

    def _made(self) -> Made | None:
        """Return what the text comes to; worked out once for each text."""
        sequence = self._document.model.sequence
        if sequence is None:
            return None
        script = self.script
        companions = self.companions
        names = tuple((name, other.skeleton) for name, other in companions.items())
        key = (script, sequence.skeleton, names)
        if self._checked is None or self._checked[0] != key:
            strips = {strip.id: strip for strip in sequence.locks.strips}
            reading = read_script(script.text)
            paths = paths_of(reading)
            kept = [strips.get(id) if id is not None else None for id in script.strips]
            meant = [None if e.statement is None else meaning(e.statement, paths) for e in reading.entries]
            self._checked = key, make_strips(sequence, script.text, kept, meant, companions)
        return self._checked[1]

    def strip_at(self, position: int) -> str | None:
        """Return the id of the strip whose line a place of the text is in, or None."""
        script = self.script
        for entry, id in zip(read_script(script.text).entries, script.strips, strict=False):
            if entry.start <= position <= entry.end:
                return id
        return None

    def place_of(self, strip_id: str) -> tuple[int, int] | None:
        """Return where the line of a strip begins and ends in the text; None if it has none."""
        script = self.script
        for entry, id in zip(read_script(script.text).entries, script.strips, strict=False):
            if id == strip_id:
                return entry.start, entry.end
        return None

    def set_text(self, text: str, gesture: int | None = None) -> bool:
        """Put another text in the place of the script; its strips come along, as one step.

        A line that is not understood leaves its strip as it was. A text without anything in it is no script.

        Args:
            text: The text.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.

        Returns:
            Whether it was possible.
        """
        model = self._document.model

        def make() -> list[Command]:
            skeleton, sequence = edits.need_figure(model)
            applied = apply_script(sequence, text, self.script, others=self.companions)
            index, before = model.sequence_index, tuple(sequence.locks.strips)
            record = applied.script.to_json() if text.strip() else None
            if record == sequence.script and applied.strips == before:
                return []
            # Both, always: keystrokes of one gesture become one step then.
            return [
                SetStrips(index, before, applied.strips, skeleton),
                SetSequenceValue(index, "script", sequence.script, record),
            ]

        return self._document.do("Edit script", make, gesture)
