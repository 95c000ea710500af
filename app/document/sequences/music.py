"""The part of a document that edits the music of the sequence that is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.document.base import DocumentBase
from app.document.commands.registry import Command
from app.document.edits import edits
from core.audio import AudioRecord


class Music:
    """The music. An edit returns whether it was possible; if not, ``message`` has said why.

    Args:
        document: The document.
    """

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
