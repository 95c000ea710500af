"""Curves that are kept to compare others with: drawn dashed behind them, and exchanged with them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.timeline.curves.samples import CurveSamples
from core.animation import editing
from core.animation.channels import channels_of
from core.animation.key import Key
from core.animation.key_parts import every_channel, held, part_of
from core.animation.sequence import Sequence

if TYPE_CHECKING:
    from app.timeline.curves.rows import CurveRow
    from core.arrays import Array
    from core.skeleton import Skeleton


class KeptCurves:
    """The motion as it was when it was kept.

    Args:
        sequence: The motion; a copy of its keys is kept, without locks.
    """

    def __init__(self, sequence: Sequence):
        self.sequence = Sequence(sequence.skeleton, fps=sequence.fps, loop=sequence.loop, keys=sequence.keys)
        self.sequence.timing.curves = sequence.timing.curves
        self.sequence.timing.root_speed = sequence.timing.root_speed
        self.sequence.cycles = sequence.cycles
        self._samples = CurveSamples()

    def belongs_to(self, skeleton: Skeleton | None) -> bool:
        """Return whether it is of a figure."""
        return self.sequence.skeleton is skeleton

    def curve(self, row: CurveRow, first: float, last: float, pixels: float) -> tuple[Array, Array]:
        """Return frames and values of a row's curve, each of shape (m,), in the unit on screen.

        Args:
            row: The curve.
            first: Frame at the left edge.
            last: Frame at the right edge.
            pixels: Width of a frame, [px].
        """
        self._samples.show(self.sequence, 0, first, last, pixels)
        return self._samples.frames, self._samples.values(row)


def with_channels_of(keys: Iterable[Key], kept: Sequence, names: frozenset[str]) -> tuple[Key, ...]:
    """Return keys with some channels as another sequence of the figure has them, at its frames."""
    channels = channels_of(kept.skeleton)
    now = tuple(keys)
    parts = every_channel((key.frame for key in now if held(key, channels, names)), names)
    rest = editing.removed(now, parts, channels) if parts else now
    own = (part_of(key, channels, names) for key in kept.keys)
    return editing.together((*rest, *(key for key in own if key is not None)), channels, "taking the kept curves")
