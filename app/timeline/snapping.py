"""What dragged keys snap to: the playhead, markers, beats, keys that stand, the ends of the range."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.timeline.sheet.key_drag import Snap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.timeline.model import TimelineModel

REACH = 6.0  # px


class SnapPlaces:
    """The places worth snapping to during one drag, nearer ones first.

    Args:
        model: The timeline.
        standing: Frames of keys that do not move, ascending.
    """

    def __init__(self, model: TimelineModel, standing: NDArray[np.int64]):
        self._model = model
        self._marks = {marker.frame: f"marker {marker.name}".strip() for marker in model.marks.markers}
        marks = model.marks.snap_frames()
        self._beats = np.setdiff1d(marks, np.array(sorted(self._marks), dtype=np.int64))
        ends = np.array(model.range, dtype=np.int64)
        self._ends = set(ends.tolist())
        now = np.array([model.document.frame], dtype=np.int64)
        self._all = np.unique(np.concatenate([marks, ends, now, standing]))

    def near(self, frame: float) -> int | None:
        """Return the place nearest to a frame if the mouse is near enough to it."""
        if not len(self._all):
            return None
        i = int(np.searchsorted(self._all, frame))
        beside = self._all[max(i - 1, 0) : i + 1]
        place = int(beside[np.argmin(np.abs(beside - frame))])
        return place if abs(place - frame) * self._model.pixels <= REACH else None

    def best(self, edges: Iterable[int], by: float) -> tuple[int, Snap] | None:
        """Return the shift nearest to ``by`` at which one of some frames comes to a place, and which that is."""
        found = [(abs(place - edge - by), place - edge, place) for edge in edges
                 if (place := self.near(edge + by)) is not None]  # fmt: skip
        if not found:
            return None
        _, shift, place = min(found)
        return shift, self.snap_at(place)

    def snap_at(self, place: int) -> Snap:
        """Return a place with its name."""
        if place == self._model.document.frame:
            return Snap(place, "playhead")
        if place in self._marks:
            return Snap(place, self._marks[place])
        i = int(np.searchsorted(self._beats, place))
        if i < len(self._beats) and self._beats[i] == place:
            return Snap(place, "beat")
        return Snap(place, "end of the range" if place in self._ends else "key")
