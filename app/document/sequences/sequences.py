"""The part of a document that edits sequences and their values; each edit is one undo step."""

from __future__ import annotations

from app.document.base import DocumentBase
from app.document.commands.registry import Command
from app.document.edits import edits
from core.animation.curves.timing_curves import SpeedCurve, TimingCurve
from core.animation.sequence import Sequence


class Sequences:
    """Sequences and their values. Each edit returns whether it was possible; if not, ``message`` has said why.

    Args:
        document: The document.
    """

    def __init__(self, document: DocumentBase):
        self._document = document

    @property
    def all(self) -> tuple[Sequence, ...]:
        """All sequences of all figures."""
        return tuple(self._document.model.sequences)

    def _set_value(self, name: str, value: object, text: str, gesture: int | None = None) -> bool:
        return self._document.do(text, lambda: edits.sequence_change(self._document.model, name, value), gesture)

    def set_fps(self, fps: float, gesture: int | None = None) -> bool:
        """Set the frames a second; keys stay on their frames."""
        return self._set_value("fps", fps, "Set frames per second", gesture)

    def set_range(self, first: int, last: int | None = None, gesture: int | None = None) -> bool:
        """Set the range that plays; ``last`` None lets it end at the last key."""
        return self._set_value("range", (first, last), "Set range", gesture)

    def rename(self, name: str) -> bool:
        """Rename the sequence."""
        return self._set_value("name", name, "Rename sequence")

    def set_menu(self, menu: str | None) -> bool:
        """Set the library menu the sequence is kept in."""
        return self._set_value("menu", menu, "Set menu")

    def set_loop(self, loop: bool) -> bool:
        """Set whether the sequence is made to play round and round."""
        return self._set_value("loop", loop, "Set loop")

    def set_timing(self, channel: str, curve: TimingCurve | None, gesture: int | None = None) -> bool:
        """Set which frame of a channel's path is taken when, beside the path; None takes the curve away.

        Args:
            channel: Name of the channel, ``""`` for the root's place, ``"*"`` for the whole figure.
            curve: The curve.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
        """

        def make() -> list[Command]:
            _, sequence = edits.need_figure(self._document.model)
            timings = {name: old for name, old in sequence.timing.curves.items() if name != channel}
            if curve is not None:
                timings[channel] = curve
            return edits.sequence_change(self._document.model, "timings", timings)

        return self._document.do("Set timing" if curve is not None else "Clear timing", make, gesture)

    def set_root_speed(self, curve: SpeedCurve | None, gesture: int | None = None) -> bool:
        """Set how fast the root travels its path; None lets it travel as it is keyed."""
        text = "Set speed of the root" if curve is not None else "Clear speed of the root"
        return self._set_value("root_speed", curve, text, gesture)

    def add(self, sequence: Sequence | None = None, name: str = "Untitled") -> bool:
        """Add a copy of a sequence of the active figure, or an empty one, and show it."""

        def make() -> list[Command]:
            skeleton, _ = edits.need_figure(self._document.model)
            return edits.add_sequence(
                self._document.model, sequence if sequence is not None else Sequence(skeleton, name=name)
            )

        return self._document.do("Add sequence", make)

    def show(self, index: int) -> bool:
        """Show sequence number ``index`` and make its figure active."""
        return self._document.do("Show sequence", lambda: edits.show_sequence(self._document.model, index))
