"""The part of a document that edits sequences, their values, markers and music; each edit is one undo step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from app.document.base import DocumentBase
from app.document.commands.base import Command
from app.document.edits import edits
from core.animation.curves.timing_curves import SpeedCurve, TimingCurve
from core.animation.marker import Marker
from core.animation.new_sequence import new_sequence
from core.animation.sequence import Sequence
from core.audio import AudioRecord
from core.errors import SequenceError
from core.kinematics import forward_kinematics

_JUMP = 1e-3
"""How far parts may be apart where rounds meet before it is said, [m]."""


class Markers:
    """Markers at frames. Each edit returns whether it was possible; if not, ``message`` has said why."""

    def __init__(self, document: DocumentBase):
        self._document = document

    def set(self, markers: Iterable[Marker], gesture: int | None = None, text: str = "Set markers") -> bool:
        """Set all markers of the sequence; two at one frame are refused.

        Args:
            markers: The markers, in any order.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
            text: Name of the step.
        """
        chosen = tuple(sorted(markers, key=lambda marker: marker.frame))
        return self._document.do(text, lambda: edits.sequence_change(self._document.model, "markers", chosen), gesture)

    def add(self, frame: int, name: str = "") -> bool:
        """Put a marker at a frame that has none."""

        def make() -> list[Command]:
            return edits.sequence_change(self._document.model, "markers", (*self._markers(), Marker(frame, name)))

        return self._document.do(f"Add marker at frame {frame}", make)

    def remove(self, frame: int) -> bool:
        """Take the marker at a frame away."""
        return self._edit_marker(frame, "Remove marker", lambda marker: ())

    def rename(self, frame: int, name: str) -> bool:
        """Give the marker at a frame another name."""
        return self._edit_marker(frame, "Rename marker", lambda marker: (replace(marker, name=name.strip()),))

    def move(self, frame: int, to: int) -> bool:
        """Move the marker at a frame to one that has none."""
        return self._edit_marker(frame, "Move marker", lambda marker: (replace(marker, frame=to),))

    def _markers(self) -> tuple[Marker, ...]:
        return edits.need_figure(self._document.model)[1].markers

    def _edit_marker(self, frame: int, text: str, edit: Callable[[Marker], tuple[Marker, ...]]) -> bool:
        def make() -> list[Command]:
            markers = self._markers()
            if not any(marker.frame == frame for marker in markers):
                raise SequenceError(f"there is no marker at frame {frame}")
            changed = [new for marker in markers for new in (edit(marker) if marker.frame == frame else (marker,))]
            return edits.sequence_change(self._document.model, "markers", tuple(changed))

        return self._document.do(text, make)


class Music:
    """The music. An edit returns whether it was possible; if not, ``message`` has said why."""

    def __init__(self, document: DocumentBase):
        self._document = document

    @property
    def record(self) -> AudioRecord | None:
        """The music of the sequence that is shown, or None."""
        sequence = self._document.model.sequence
        return None if sequence is None or sequence.audio is None else AudioRecord.of(sequence.audio)

    def set(
        self, record: AudioRecord | Mapping[str, Any] | None, gesture: int | None = None, text: str = "Set music"
    ) -> bool:
        """Set the music that goes with the sequence, or what is known about it; None takes it away.

        Args:
            record: The record, as ``.seq`` files keep it but for the path of the file, which is absolute.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
            text: Name of the step.
        """

        def make() -> list[Command]:
            checked = record if record is None or isinstance(record, AudioRecord) else AudioRecord.of(record)
            plain = None if checked is None else checked.to_record()
            return edits.sequence_change(self._document.model, "audio", plain)

        return self._document.do(text, make, gesture)


class Sequences:
    """Sequences and their values. Each edit returns whether it was possible; if not, ``message`` has said why."""

    def __init__(self, document: DocumentBase):
        self._document = document

    @property
    def all(self) -> tuple[Sequence, ...]:
        """All sequences of all figures."""
        return tuple(self._document.model.sequences)

    def _set_value(self, name: str, value: object, text: str, gesture: int | None = None) -> bool:
        return self._document.do(text, lambda: edits.sequence_change(self._document.model, name, value), gesture)

    def set_fps(self, fps: float, gesture: int | None = None) -> bool:
        """Set the frames a second of all figures; keys stay on their frames."""
        return self._set_clock("fps", fps, "Set frames per second", gesture)

    def set_range(self, first: int, last: int | None = None, gesture: int | None = None) -> bool:
        """Set the range that plays, of all figures; ``last`` None lets it end at the last key."""
        return self._set_clock("range", (first, last), "Set range", gesture)

    def _set_clock(self, name: str, value: object, text: str, gesture: int | None) -> bool:
        return self._document.do(text, lambda: edits.clock_changes(self._document.model, name, value), gesture)

    def rename(self, name: str) -> bool:
        """Rename the sequence."""
        return self._set_value("name", name, "Rename sequence")

    def set_menu(self, menu: str | None) -> bool:
        """Set the library menu the sequence is kept in."""
        return self._set_value("menu", menu, "Set menu")

    def set_loop(self, loop: bool) -> bool:
        """Set whether the sequence is made to play round and round."""
        return self._set_value("loop", loop, "Set loop")

    def set_cycles(self, before: str | None = None, after: str | None = None) -> bool:
        """Set what is before the first key and after the last one, of ``core.animation.cycles.CYCLES``; None stays.

        A message says how far parts jump where the rounds do not meet.
        """

        def make() -> list[Command]:
            _, sequence = edits.need_figure(self._document.model)
            old = sequence.cycles
            return edits.sequence_change(self._document.model, "cycles", (before or old[0], after or old[1]))

        done = self._document.do("Set cycles", make)
        sequence = self._document.model.sequence
        if done and sequence is not None and sequence.cycled is not None:
            skeleton = sequence.skeleton
            jump = sequence.cycled.jump(lambda poses: forward_kinematics(skeleton, poses)[..., :3, 3])
            if jump > _JUMP:
                far = f"{100.0 * jump:.1f} cm" if jump >= 0.01 else f"{1000.0 * jump:.1f} mm"
                self._document.say("warning", f"The rounds do not meet: parts jump by {far} from one to the next")
        return done

    def play_rounds(self, rounds: int) -> bool:
        """Let the range begin at the first key and end after so many rounds of the keys."""
        sequence = self._document.model.sequence
        if sequence is None or len(sequence.keys) < 2:
            self._document.say("info", "There is nothing to repeat: key two poses first")
            return False
        first, last = sequence.keys[0].frame, sequence.keys[-1].frame
        return self.set_range(first, first + rounds * (last - first))

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
                self._document.model, sequence if sequence is not None else new_sequence(skeleton, name)
            )

        return self._document.do("Add sequence", make)

    def show(self, index: int) -> bool:
        """Show sequence number ``index`` and make its figure active."""
        return self._document.do("Show sequence", lambda: edits.show_sequence(self._document.model, index))
