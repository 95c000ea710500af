"""Markers: named frames of a sequence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from core.animation.key import check_frame
from core.errors import SequenceError

_COLOR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True)
class Marker:
    """A frame with a name. Immutable.

    Attributes:
        frame: Whole number from 0 on.
        name: What it is called; may be empty.
        color: ``"#rrggbb"``, or None for the theme's own.

    Raises:
        SequenceError: If a value is not valid.
    """

    frame: int
    name: str = ""
    color: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", check_frame(self.frame))
        if not isinstance(self.name, str):
            raise SequenceError(f"the name of the marker at frame {self.frame} is {self.name!r}; it must be text")
        if self.color is not None and not (isinstance(self.color, str) and _COLOR.fullmatch(self.color)):
            raise SequenceError(
                f'the color of the marker at frame {self.frame} is {self.color!r}; it must be like "#3fa0ff", or None'
            )


Markers = tuple[Marker, ...]


def checked_markers(markers: Iterable[object]) -> Markers:
    """Return markers sorted by frame.

    Raises:
        SequenceError: If one is no marker, or two have the same frame.
    """
    found: dict[int, Marker] = {}
    for marker in markers:
        if not isinstance(marker, Marker):
            raise SequenceError(f"{marker!r} is not a marker")
        if marker.frame in found:
            raise SequenceError(f"two markers stand at frame {marker.frame}; a frame holds one")
        found[marker.frame] = marker
    return tuple(found[frame] for frame in sorted(found))


def moved_markers(markers: Markers, place: Callable[[int], int | None]) -> Markers:
    """Return markers at the frames that ``place`` gives from their old ones; None drops one.

    Where two would share a frame, the one that was later goes to the next that is free: none is lost.
    """
    found: dict[int, Marker] = {}
    for marker in sorted(markers, key=lambda each: each.frame):
        frame = place(marker.frame)
        while frame is not None and frame in found:
            frame += 1
        if frame is not None:
            found[frame] = replace(marker, frame=frame)
    return tuple(found[frame] for frame in sorted(found))


def marker_to_json(marker: Marker) -> dict[str, Any]:
    """Return the record of a marker."""
    record: dict[str, Any] = {"frame": marker.frame, "name": marker.name}
    return record if marker.color is None else {**record, "color": marker.color}


def marker_from_json(record: Any) -> Marker:
    """Return the marker of a record.

    Raises:
        SequenceError: If it is no record of one, or a value is not valid.
    """
    if not isinstance(record, dict) or "frame" not in record:
        raise SequenceError("is not a record of a marker; it must be an object with frame and name")
    return Marker(record["frame"], record.get("name", ""), record.get("color"))
