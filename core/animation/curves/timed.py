"""The part of a sequence that has to do with time beside its keys: timing curves, the root's speed, markers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from core.animation.channels import Channels
from core.animation.curves.timing import SpeedCurve, TimingCurve
from core.animation.marker import Marker, Markers, checked_markers, moved_markers
from core.errors import SequenceError

WHOLE_FIGURE = "*"
"""Instead of a channel's name: the timing of all of them."""

Timings = Mapping[str, TimingCurve]
Place = Callable[[int], float | None]
"""Where a frame goes; None if it is taken away."""


class TimedMotion:
    """What a sequence knows about time beside its keys; mixed into ``Sequence``."""

    name: str

    @property
    def channels(self) -> Channels:
        """The channels of the figure."""
        raise NotImplementedError

    def _no_timings(self) -> None:
        """Begin without any; for the constructor."""
        self._timings: Timings = MappingProxyType({})
        self._root_speed: SpeedCurve | None = None
        self._markers: Markers = ()

    def _timings_changed(self) -> None:
        """Forget what was worked out with other timings."""
        raise NotImplementedError

    @property
    def timings(self) -> Timings:
        """Timing curves by the channel's name, ``"*"`` for the whole figure; assign a mapping to change them.

        Raises:
            SequenceError: On assigning a name that is no channel, or what is no ``TimingCurve``.
        """
        return self._timings

    @timings.setter
    def timings(self, timings: Timings) -> None:
        for name, curve in timings.items():
            if name != WHOLE_FIGURE and name not in self.channels:
                known = ", ".join(channel for channel in self.channels if channel)
                raise SequenceError(
                    f'sequence "{self.name}": there is no channel "{name}" to time; '
                    f'valid are {known}, "" for the place of the root, "*" for the whole figure'
                )
            if not isinstance(curve, TimingCurve):
                raise SequenceError(f'sequence "{self.name}": the timing of "{name}" is {curve!r}, no TimingCurve')
        self._timings = MappingProxyType({name: timings[name] for name in sorted(timings)})
        self._timings_changed()

    @property
    def root_speed(self) -> SpeedCurve | None:
        """How fast the root travels its path, by arc length between the curve's ends; None for as it is keyed.

        Raises:
            SequenceError: On assigning anything but a ``SpeedCurve`` or None.
        """
        return self._root_speed

    @root_speed.setter
    def root_speed(self, curve: SpeedCurve | None) -> None:
        if curve is not None and not isinstance(curve, SpeedCurve):
            raise SequenceError(f'sequence "{self.name}": the speed of the root is {curve!r}, no SpeedCurve')
        self._root_speed = curve
        self._timings_changed()

    @property
    def markers(self) -> Markers:
        """Named frames, sorted; assign others to change them.

        Raises:
            SequenceError: On assigning what is no marker, or two at one frame.
        """
        return self._markers

    @markers.setter
    def markers(self, markers: Iterable[Marker]) -> None:
        self._markers = checked_markers(markers)

    @property
    def timed(self) -> bool:
        """Whether frames are not simply those of the keys: a timing curve or a speed of the root."""
        return bool(self._timings) or self._root_speed is not None


def retimed_values(sequence: TimedMotion, place: Place) -> dict[str, Any]:
    """Return timings, root speed and markers of a sequence whose frames go elsewhere, all of them together.

    Args:
        sequence: The sequence; it does not change.
        place: Where each frame goes, whole or not; frames keep their order. Markers go to the nearest one.
    """
    timings = {name: curve for name, old in sequence.timings.items() if (curve := _timing(old, place)) is not None}
    speed = None if sequence.root_speed is None else shifted_speed(sequence.root_speed, place)

    def nearest(frame: int) -> int | None:
        there = place(frame)
        return None if there is None else round(there)

    return {"timings": timings, "root_speed": speed, "markers": moved_markers(sequence.markers, nearest)}


def _moved(frame: float, place: Place) -> float | None:
    """Return where a frame goes, whole or not: what lies between two whole ones stays between them."""
    whole = int(frame // 1)
    there = place(whole)
    if there is None or frame == whole:
        return there
    after = place(whole + 1)
    return None if after is None else there + (frame - whole) * (after - there)


def _ascending(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return points without those that do not come after the one before."""
    kept: list[tuple[float, float]] = []
    for point in points:
        if not kept or point[0] > kept[-1][0]:
            kept.append(point)
    return kept


def _timing(curve: TimingCurve, place: Place) -> TimingCurve | None:
    points = []
    for frame, at in curve.points:
        there, path = _moved(frame, place), _moved(at, place)
        if there is not None and path is not None:
            points.append((there, path))
    points = _ascending(points)
    if len(points) < 2:
        return None
    # Where an end was taken away, the curve ends with the frame that is now its last.
    first, last = points[0][0], points[-1][0]
    held = [(frame, min(max(at, first), last)) for frame, at in points]
    held[0], held[-1] = (first, first), (last, last)
    return TimingCurve(tuple(held))


def shifted_speed(curve: SpeedCurve, place: Place) -> SpeedCurve | None:
    """Return a speed curve whose frames go elsewhere; None if too little is left of it."""
    points = _ascending([(there, s) for frame, s in curve.points if (there := _moved(frame, place)) is not None])
    return SpeedCurve(tuple(points)) if len(points) > 1 and any(speed > 0.0 for _, speed in points) else None
