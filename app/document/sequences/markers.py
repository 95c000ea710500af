"""The part of a document that edits the markers of the sequence that is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from app.document.base import DocumentBase
from app.document.commands.registry import Command
from app.document.edits import edits
from core.animation.marker import Marker
from core.errors import SequenceError


class Markers:
    """Markers at frames. Each edit returns whether it was possible; if not, ``message`` has said why.

    Args:
        document: The document.
    """

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
