"""Faults of captured motion: spikes, where a joint leaves its way for a few frames, and dropouts, where it stands still
and then leaps to where it should be; found from the clip itself, and filled.

A spike is found by what the samples on either side of it say: on the straight way between these, all samples of the
spike are far off, compared with how far off as many samples lie in the half second before and after, and it is left and
come to in one step each. So a quick motion is no spike, and a quiet one may have a small one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from core.animation.channels import channels_of
from core.animation.cleaning.samples import Samples
from core.animation.cleaning.signals import Signal
from core.animation.curves.tangents import cubic, hermite
from core.animation.key import Key
from core.animation.sequence import Sequence
from core.arrays import Array, Bools
from core.errors import SequenceError

SPIKE, DROPOUT = "spike", "dropout"

_LONGEST_SPIKE = 0.1  # [s]
_ABRUPT = 0.5  # of how far it is off: a spike leaves and comes back in steps of at least that
_AROUND = 0.5  # [s]: what is usual is looked for within so long before and after
_USUAL = 75.0  # percentile of how far samples are off in that time: a spike itself is among them
_TIMES = 8.0  # a spike is so many times farther off than usual
_SMALLEST = np.radians(2.0), 0.01  # [rad], [m]: less cannot be seen
_STILL = 3  # frames: a channel that stays exactly where it is for fewer may just rest
_SHORTEST_DROPOUT = 0.04  # [s]
_LONGEST_DROPOUT = 2.0  # [s]: what is still for longer rests
_NEVER_STRAIGHT = np.zeros(1, dtype=np.bool_)
_MOVES = 0.8  # of the steps of a clip: a channel that stands still more often is a keyed one


class Fault(NamedTuple):
    """A few frames at which a channel is not where it should be.

    Attributes:
        kind: ``SPIKE`` or ``DROPOUT``.
        channel: Name of the channel.
        first: First frame that is wrong.
        last: Last frame that is.
        size: How far off it is, [rad], or [m] of the root's place.
    """

    kind: str
    channel: str
    first: int
    last: int
    size: float


@dataclass(frozen=True)
class FaultOptions:
    """What counts as a fault; None for what is found from the clip or usual.

    Attributes:
        times: So many times farther off than usual a spike is.
        angle: Faults of joints are larger, [rad].
        distance: Faults of the root's place are larger, [m].

    Raises:
        SequenceError: If a number is not positive.
    """

    times: float = _TIMES
    angle: float = float(_SMALLEST[0])
    distance: float = _SMALLEST[1]

    def __post_init__(self) -> None:
        for name, unit in (("times", "times what is usual"), ("angle", "rad"), ("distance", "m")):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0.0):
                raise SequenceError(f"faults: {name} is {value!r}; it must be more than 0 {unit}")


def find_faults(
    sequence: Sequence,
    first: int,
    last: int,
    channels: frozenset[str] | None = None,
    options: FaultOptions | None = None,
) -> list[Fault]:
    """Return the spikes and dropouts of a stretch, by their first frames.

    Args:
        sequence: The sequence; it does not change.
        first: First frame.
        last: Last frame.
        channels: Names of the channels that are looked at; None for all.
        options: What counts as one.

    Raises:
        SequenceError: If the range is not valid or too short, or there are no keys.
        JointError: If the figure has no such channel.
    """
    samples, options = Samples.of(sequence, first, last, channels), options or FaultOptions()
    names, found = channels_of(sequence.skeleton).names, []
    for signal in samples.signals:
        smallest = options.distance if signal.channel == 0 else options.angle
        for kind, a, b, size in (
            *_dropouts(signal, sequence.fps, smallest, options.times),
            *_spikes(signal, sequence.fps, smallest, options.times),
        ):
            found.append(Fault(kind, names[signal.channel], samples.first + a, samples.first + b, size))
    return sorted(found, key=lambda fault: (fault.first, fault.last, fault.channel))


def without_faults(sequence: Sequence, faults: Iterable[Fault]) -> tuple[Key, ...]:
    """Return a sequence's keys with faults filled by a curve that leaves and arrives as the motion around them does.

    Args:
        sequence: The sequence; it does not change.
        faults: Which, as from ``find_faults``; those that meet are filled as one.

    Raises:
        SequenceError: If a fault reaches to an end of the motion: nothing says where it came from or went.
        JointError: If the figure has no such channel.
    """
    chosen = list(faults)
    if not chosen:
        return tuple(sequence.keys)
    keyed = sequence.keys[0].frame, sequence.keys[-1].frame
    channels = channels_of(sequence.skeleton)
    samples = Samples.of(sequence, *keyed, channels.checked({fault.channel for fault in chosen}))
    wrong: dict[int, Bools] = {}
    for fault in chosen:
        if fault.first <= keyed[0] or fault.last >= keyed[1]:
            raise SequenceError(
                f'the {fault.kind} of "{fault.channel or "position"}" at frames {fault.first} to {fault.last} reaches '
                f"to an end of the motion, {keyed[0]} to {keyed[1]}; cut these frames off instead"
            )
        mask = wrong.setdefault(channels.index(fault.channel), np.zeros(len(samples.poses), dtype=bool))
        mask[fault.first - samples.first : fault.last - samples.first + 1] = True

    # A recording may leave the limits; what is filled may be as far outside as the straight way between the ends is.
    bounds, rows = samples.poses.copy(), np.arange(len(samples.poses))
    for channel, mask in wrong.items():
        for column in channels.columns[channel].tolist():
            bounds[mask, column] = np.interp(rows[mask], rows[~mask], samples.poses[~mask, column])
    return samples.keys(samples.changed(lambda signal: _filled(signal, wrong[signal.channel]), bounds))


# -- spikes ----------------------------------------------------------------------------------------------------------


def _spikes(signal: Signal, rate: float, smallest: float, times: float) -> list[tuple[str, int, int, float]]:
    """Return spikes of a signal as kind, first and last sample, and how far off they are."""
    taken, found = np.zeros(len(signal.values), dtype=bool), []
    steps = signal.apart(signal.values[1:], signal.values[:-1])
    # The longest first: the edges of a long spike look like short ones that are half as far off.
    for length in range(max(round(_LONGEST_SPIKE * rate), 1), 0, -1):
        off = _off(signal, length)
        if not len(off):
            continue
        window = min(2 * round(_AROUND * rate) + 1, len(off))
        usual = scipy.ndimage.percentile_filter(off, _USUAL, size=window, mode="nearest")
        above = np.flatnonzero(off > np.maximum(smallest, times * usual))
        for start in above[np.argsort(-off[above], kind="stable")].tolist():
            # A toe that bends and is straight again a moment later does so in many small steps.
            if min(steps[start], steps[start + length]) < _ABRUPT * off[start]:
                continue
            # The samples beside it belong to the motion: no spike, whole or in part, may be among them.
            if taken[start : start + length + 2].any():
                continue
            taken[start + 1 : start + length + 1] = True
            found.append((SPIKE, start + 1, start + length, float(off[start])))
    return found


def _off(signal: Signal, length: int) -> Array:
    """Return how far runs of samples are off the straight way between the two beside them: their nearest sample's.

    Returns:
        Shape (m - length - 1,): at i that of the samples i + 1 to i + length.
    """
    x = signal.values
    count = len(x) - length - 1
    if count <= 0:
        return np.empty(0)
    off = np.full(count, np.inf)
    for k in range(1, length + 1):
        share = k / (length + 1)
        way = signal.unit((1.0 - share) * x[:count] + share * x[length + 1 :])
        np.minimum(off, signal.apart(way, x[k : k + count]), out=off)
    return off


# -- dropouts --------------------------------------------------------------------------------------------------------


def _dropouts(signal: Signal, rate: float, smallest: float, times: float) -> list[tuple[str, int, int, float]]:
    """Return dropouts of a signal: it keeps a value to the last bit, and then leaps."""
    x = signal.values
    steps = signal.apart(x[1:], x[:-1])
    still = (x[1:] == x[:-1]).all(axis=1)
    if still.mean() > 1.0 - _MOVES:
        return []
    usual = float(np.percentile(steps[~still], _USUAL))
    found, start = [], 0
    while start < len(still):
        if not still[start]:
            start += 1
            continue
        end = start
        while end + 1 < len(still) and still[end + 1]:
            end += 1
        # Samples start + 1 to end + 1 repeat sample start; the leap comes after them.
        length = end - start + 1
        if (
            length + 1 >= _STILL
            and _SHORTEST_DROPOUT * rate <= length <= _LONGEST_DROPOUT * rate
            and end + 1 < len(steps)
            and steps[end + 1] > max(smallest, min(times, 0.5 * (length + 1)) * usual)
        ):
            found.append((DROPOUT, start + 1, end + 1, float(steps[end + 1])))
        start = end + 1
    return found


# -- filling ---------------------------------------------------------------------------------------------------------


def _filled(signal: Signal, wrong: Bools) -> Array:
    """Return a signal with runs of samples replaced by cubics that go on as the samples around them do."""
    x, made = signal.values, np.array(signal.values)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], wrong, [False])).astype(np.int8)))
    for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        start, end = a - 1, b
        length = end - start
        # The slope of one step beside it, if that sample is right, too; else that of the chord.
        chord = (x[end] - x[start]) / length
        leaves = x[start] - x[start - 1] if start > 0 and not wrong[start - 1] else chord
        comes = x[end + 1] - x[end] if end + 1 < len(x) and not wrong[end + 1] else chord
        u = (np.arange(a, b) - start)[:, None] / length
        way = hermite(x[start], x[end], length * leaves, length * comes, _NEVER_STRAIGHT)
        made[a:b] = signal.unit(cubic(way, u))
    return made
