"""A stretch of a sequence filtered: its keys take the filtered motion, and it joins what is before and after it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core.animation.channels import channels_of
from core.animation.cleaning.filters import Butterworth, Filter
from core.animation.cleaning.samples import Samples, checked_stretch
from core.animation.cleaning.signals import Signal
from core.animation.key import Key
from core.animation.sequence import Sequence
from core.arrays import Array

_JOINS = 1.0  # windows, or periods of the cutoff: within so long of a seam the motion goes over into the filtered one


def filtered(
    sequence: Sequence,
    first: int,
    last: int,
    filter: Filter | Mapping[str, Filter],
    channels: frozenset[str] | None = None,
) -> tuple[Key, ...]:
    """Return a sequence's keys with a stretch of the motion filtered.

    The motion is sampled at every frame, so that sparse keys count by the curve between them. Where keys go on before
    or after the stretch, the filter sees them, and the motion goes over into the filtered one gradually: no seam
    jumps.

    Args:
        sequence: The sequence; it does not change.
        first: First frame.
        last: Last frame.
        filter: The filter, or one for each of some channels, by their names; others stay as they are then.
        channels: Names of the channels; None for all.

    Raises:
        SequenceError: If the range is not valid or too short, or there are no keys.
        JointError: If the figure has no such channel.
    """
    first, last = checked_stretch(sequence, first, last)
    every = channels_of(sequence.skeleton)
    filters = dict.fromkeys(every.names, filter) if not isinstance(filter, Mapping) else dict(filter)
    every.checked(filters)
    if not filters:
        return tuple(sequence.keys)
    names = frozenset(filters) if channels is None else channels & frozenset(filters)
    keyed = sequence.keys[0].frame, sequence.keys[-1].frame
    seams = keyed[0] < first, keyed[1] > last
    reach = max(round(max(map(_joining, filters.values())) * sequence.fps), 1)
    around = Samples.of(
        sequence,
        max(first - 3 * reach, keyed[0]) if seams[0] else first,
        min(last + 3 * reach, keyed[1]) if seams[1] else last,
        names,
    )
    frames = np.arange(around.first, around.last + 1)
    share = np.ones(len(frames))
    if seams[0]:
        share = np.minimum(share, _smooth((frames - first) / reach))
    if seams[1]:
        share = np.minimum(share, _smooth((last - frames) / reach))

    def change(signal: Signal) -> Array:
        values = signal.unit(filters[every.names[signal.channel]](signal.values, sequence.fps))
        mixed = signal.unit(signal.values + share[:, None] * (values - signal.values))
        return np.where(share[:, None] > 0.0, mixed, signal.values)

    return around.keys(around.changed(change))


def _joining(filter: Filter) -> float:
    """Return how long the motion takes to go over into the filtered one, [s]."""
    return _JOINS * (1.0 / filter.cutoff if isinstance(filter, Butterworth) else filter.window)


def _smooth(u: Array) -> Array:
    u = np.clip(u, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))
