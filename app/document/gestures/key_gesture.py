"""An edit of keys by hand: dragged keys, edges of a range, tangents and values of curves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from app.document.commands.base import Command
from app.document.content.key_selection import KeySelection
from app.document.edits import edits, key_edits
from app.document.gestures.live_gesture import LiveGesture
from core.animation import editing
from core.animation.key import Key
from core.animation.sequence import Sequence

if TYPE_CHECKING:
    from app.document.base import DocumentBase


class KeyGesture(LiveGesture):
    """A live edit of the active sequence's keys, and of what follows them. See ``LiveGesture``.

    Each call that shows something stands alone: it is given the keys at press, calls do not add up. Each returns
    whether that is possible; if not, what was shown before stays and ``problem`` says why.

    Args:
        document: The document, which has a figure.
        text: What the undo step is called.

    Attributes:
        before: The keys at press.
    """

    def __init__(self, document: DocumentBase, text: str):
        super().__init__(document, text)
        _, sequence = edits.need_figure(document.model)
        self.before: tuple[Key, ...] = sequence.keys

    def set_keys(self, keys: Iterable[Key]) -> bool:
        """Show other keys, all of them, in any order."""
        wanted = tuple(keys)

        def make(sequence: Sequence) -> Mapping[str, Any]:
            trial = Sequence(sequence.skeleton)
            known = {key.frame: key for key in sequence.keys}
            trial.set_keys(key for key in wanted if known.get(key.frame) is not key)
            return {"keys": editing.sorted_keys(wanted)}

        return self.set_values(make)

    def move_keys(self, which: KeySelection, mapping: Mapping[int, int], ripple: bool = False) -> bool:
        """Show keys moved from old frames to new ones; see ``Keys.move``."""
        moves = {old: new for old, new in mapping.items() if old in which}
        return self.set_values(lambda s: key_edits.moved_keys(s, moves, which.parts, "moving", ripple))

    def set_shape(self, which: KeySelection, **values: Any) -> bool:
        """Show keys with values of their shapes changed; see ``Keys.set_shape``."""
        return self.set_values(lambda s: {"keys": key_edits.shaped(s, which.parts, values)})

    def set_values(self, make: Callable[[Sequence], Mapping[str, Any]]) -> bool:
        """Show other values of the sequence.

        Args:
            make: Returns them from the sequence as it was at press, by name: ``"keys"``, ``"strips"`` and any of
                ``SEQUENCE_VALUES``; checks what it is given.
        """

        def commands() -> list[Command]:
            _, sequence = edits.need_figure(self.document.model)
            return edits.sequence_values(self.document.model, make(sequence))

        return self._show(commands)
