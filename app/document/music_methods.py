"""The part of ``Document`` that edits what stands along the frames beside keys: the music and markers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.document import edits
from app.document.commands import Command
from core.animation.marker import Marker
from core.audio import AudioRecord
from core.errors import SequenceError

if TYPE_CHECKING:
    from app.document.model import Model


class MusicMethods:
    """Edits of music and markers. Each returns whether it was possible; if not, ``message`` has said why."""

    if TYPE_CHECKING:
        model: Model

        def _do(self, text: str, make: Callable[[], list[Command]], gesture: int | None = None) -> bool: ...

    # -- music -----------------------------------------------------------------------------------------------------

    @property
    def audio(self) -> AudioRecord | None:
        """The music of the sequence that is shown, or None."""
        sequence = self.model.sequence
        return None if sequence is None or sequence.audio is None else AudioRecord.of(sequence.audio)

    def set_audio(
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
            return edits.sequence_change(self.model, "audio", plain)

        return self._do(text, make, gesture)

    # -- markers ---------------------------------------------------------------------------------------------------

    def set_markers(self, markers: Iterable[Marker], gesture: int | None = None, text: str = "Set markers") -> bool:
        """Set all markers of the sequence; two at one frame are refused.

        Args:
            markers: The markers, in any order.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
            text: Name of the step.
        """
        chosen = tuple(sorted(markers, key=lambda marker: marker.frame))
        return self._do(text, lambda: edits.sequence_change(self.model, "markers", chosen), gesture)

    def add_marker(self, frame: int, name: str = "") -> bool:
        """Put a marker at a frame that has none."""

        def make() -> list[Command]:
            return edits.sequence_change(self.model, "markers", (*self._markers(), Marker(frame, name)))

        return self._do(f"Add marker at frame {frame}", make)

    def remove_marker(self, frame: int) -> bool:
        """Take the marker at a frame away."""
        return self._edit_marker(frame, "Remove marker", lambda marker: ())

    def rename_marker(self, frame: int, name: str) -> bool:
        """Give the marker at a frame another name."""
        return self._edit_marker(frame, "Rename marker", lambda marker: (replace(marker, name=name.strip()),))

    def move_marker(self, frame: int, to: int) -> bool:
        """Move the marker at a frame to one that has none."""
        return self._edit_marker(frame, "Move marker", lambda marker: (replace(marker, frame=to),))

    def _markers(self) -> tuple[Marker, ...]:
        return edits.need_figure(self.model)[1].markers

    def _edit_marker(self, frame: int, text: str, edit: Callable[[Marker], tuple[Marker, ...]]) -> bool:
        def make() -> list[Command]:
            markers = self._markers()
            if not any(marker.frame == frame for marker in markers):
                raise SequenceError(f"there is no marker at frame {frame}")
            changed = [new for marker in markers for new in (edit(marker) if marker.frame == frame else (marker,))]
            return edits.sequence_change(self.model, "markers", tuple(changed))

        return self._do(text, make)
