"""When a sequence shows what: timing curves by channel, and the speed of the root along its path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from core.animation.channels import channels_of
from core.animation.curves.timing_curves import WHOLE_FIGURE, SpeedCurve, TimingCurve, Timings
from core.errors import SequenceError
from core.skeleton import Skeleton


class Timing:
    """Which moment of the motion through the keys is shown when.

    Args:
        skeleton: The figure.
        where: Gives what messages call the sequence.
        changed: Called after every change.
    """

    __slots__ = ("_changed", "_curves", "_root_speed", "_skeleton", "_where")

    def __init__(self, skeleton: Skeleton, where: Callable[[], str], changed: Callable[[], None]):
        self._skeleton, self._where, self._changed = skeleton, where, changed
        self._curves: Timings = MappingProxyType({})
        self._root_speed: SpeedCurve | None = None

    @property
    def curves(self) -> Timings:
        """Timing curves by the channel's name, ``"*"`` for the whole figure; assign a mapping to change them.

        Raises:
            SequenceError: On assigning a name that is no channel, or what is no ``TimingCurve``.
        """
        return self._curves

    @curves.setter
    def curves(self, curves: Mapping[str, TimingCurve]) -> None:
        channels = channels_of(self._skeleton)
        for name, curve in curves.items():
            if name != WHOLE_FIGURE and name not in channels:
                known = ", ".join(channel for channel in channels if channel)
                raise SequenceError(
                    f'{self._where()}: there is no channel "{name}" to time; '
                    f'valid are {known}, "" for the place of the root, "*" for the whole figure'
                )
            if not isinstance(curve, TimingCurve):
                raise SequenceError(f'{self._where()}: the timing of "{name}" is {curve!r}, no TimingCurve')
        self._curves = MappingProxyType({name: curves[name] for name in sorted(curves)})
        self._changed()

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
            raise SequenceError(f"{self._where()}: the speed of the root is {curve!r}, no SpeedCurve")
        self._root_speed = curve
        self._changed()

    @property
    def in_use(self) -> bool:
        """Whether frames are not simply those of the keys: a timing curve or a speed of the root."""
        return bool(self._curves) or self._root_speed is not None
