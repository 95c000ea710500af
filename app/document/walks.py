"""The part of a document that makes the active sequence by rules: a walk, its ground, its footprints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.document.commands.base import Command
from app.document.content.walk_rules import rules_in
from app.document.edits import edits, walk_edits
from app.document.edits.walk_edits import Made, made_by
from app.document.gestures.live_gesture import LiveGesture
from core.gait.ground_path import path_of
from core.gait.procedural import Rules
from core.gait.table import is_quickly_checked
from core.terrain import Terrain

if TYPE_CHECKING:
    from app.document.base import DocumentBase


MOST_AT_ONCE, MOST_ON_TERRAIN = 10, 6
"""A walk of more steps is made beside the window: with the pose that is shown anew no more stay below 0.1 s."""


_STEP = 0.6  # [m]: about as long is a step


class WalkGesture(LiveGesture):
    """A live edit of the rules of the active sequence. See ``LiveGesture``.

    Attributes:
        made: What was made and shown last; None before.
    """

    def __init__(self, document: DocumentBase, text: str):
        super().__init__(document, text)
        self.made: Made | None = None

    def show(self, rules: Rules) -> bool:
        """Show what rules make; return whether that is possible. It takes some 4 ms a step of the figure."""
        made: list[Made] = []

        def make() -> list[Command]:
            _, sequence = edits.need_figure(self.document.model)
            made.append(made_by(sequence, rules))
            return walk_edits.put_changes(self.document.model, made[0])

        return self._took(self._show(make), made)

    def show_made(self, made: Made) -> bool:
        """Show what was made elsewhere of the same figure; return whether that is possible."""
        return self._took(self._show(lambda: walk_edits.put_changes(self.document.model, made)), [made])

    def _took(self, done: bool, made: list[Made]) -> bool:
        if done and made:
            self.made = made[0]
        return done


class Walks:
    """The rules that the active sequence is made by, if it is. Each edit returns whether it was possible."""

    def __init__(self, document: DocumentBase):
        self._document = document
        self._read: tuple[object, Rules | None] = (None, None)

    @property
    def rules(self) -> Rules | None:
        """The rules; None if the sequence is key-framed, or without a figure."""
        sequence = self._document.model.sequence
        record = None if sequence is None else sequence.gait
        if record is not self._read[0]:
            self._read = record, None if sequence is None else rules_in(sequence)
        return self._read[1]

    def is_made_at_once(self, rules: Rules) -> bool:
        """Return whether rules make the active sequence so quickly that nobody waits for it."""
        sequence, manner = self._document.model.sequence, rules.manner
        if sequence is not None and not is_quickly_checked(sequence.skeleton, manner, sequence.fps):
            return False
        steps = float(manner.steps)
        if manner.path:
            steps = path_of(manner.path).length / (manner.step_length or _STEP)
        return steps <= (MOST_ON_TERRAIN if isinstance(rules.ground, Terrain) else MOST_AT_ONCE)

    def begin(self, text: str) -> WalkGesture:
        """Begin to change the rules by hand: ``show`` as often as they do, then ``commit`` or ``cancel``."""
        return WalkGesture(self._document, text)

    def set(self, rules: Rules, text: str = "Change walk") -> bool:
        """Make the sequence by rules, in place of its keys, as one step."""
        model = self._document.model

        def make() -> list[Command]:
            _, sequence = edits.need_figure(model)
            return walk_edits.put_changes(model, made_by(sequence, rules))

        return self._document.do(text, make)

    def put(self, made: Made, text: str = "Change walk") -> bool:
        """Put in what rules have made elsewhere of the same figure, as one step."""
        return self._document.do(text, lambda: walk_edits.put_changes(self._document.model, made))

    def bake(self) -> bool:
        """Let the sequence be key-framed, with the keys and strips that it has."""
        return self._document.do("Bake walk", lambda: walk_edits.baked(self._document.model))
