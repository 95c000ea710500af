"""What a sequence keeps of its sound: the file, when it starts, and its beats, which are edited by hand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.audio.sound import AudioError

LATEST = 36_000.0
"""Times and offsets go up to ten hours, [s]."""
LOUDEST = 4.0
MOST_BEATS = 50_000
NEAREST = 0.01
"""Two beats are at least this far apart, [s]."""
BARS = (1, 2, 3, 4, 5, 6, 7, 8, 12)
_MEMBERS = ("file", "offset", "gain", "beats", "tempo", "bar", "downbeat")


@dataclass(frozen=True)
class AudioRecord:
    """A sound that goes with a sequence. Every edit returns another record.

    Attributes:
        file: Where the sound lies: an absolute path, ``"skeletons:..."``, or in a file one relative to it.
        offset: When it starts, [s] after frame 0; negative if its beginning is not heard.
        gain: Factor of its loudness.
        beats: When its beats are, ascending, [s] after its start.
        tempo: Beats a minute as found or tapped, or None.
        bar: Beats in a bar.
        downbeat: Index of a beat that begins one.
        extra: Members of the file's record that this version does not know.
    """

    file: str
    offset: float = 0.0
    gain: float = 1.0
    beats: tuple[float, ...] = ()
    tempo: float | None = None
    bar: int = 4
    downbeat: int = 0
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.file, str) or not self.file or "\0" in self.file:
            raise AudioError(f"file {self.file!r} is not the file of a sound; expected its path")
        _check("offset", self.offset, -LATEST, LATEST, "s")
        _check("gain", self.gain, 0.0, LOUDEST, "")
        if self.tempo is not None:
            _check("tempo", self.tempo, 1.0, 1000.0, "beats a minute")
        if self.bar not in BARS or isinstance(self.bar, bool):
            raise AudioError(f"bar {self.bar!r} is not possible; a bar has {', '.join(map(str, BARS))} beats")
        if not isinstance(self.downbeat, int) or isinstance(self.downbeat, bool) or self.downbeat < 0:
            raise AudioError(f"downbeat {self.downbeat!r} is not a beat; expected the index of one, from 0 on")
        beats = tuple(_check(f"beats[{i}]", beat, 0.0, LATEST, "s") for i, beat in enumerate(self.beats))
        if len(beats) > MOST_BEATS:
            raise AudioError(f"beats has {len(beats)} of them; there can be {MOST_BEATS}")
        for i, (before, beat) in enumerate(pairwise(beats)):
            if beat <= before:
                raise AudioError(f"beats[{i + 1}] {beat:g} s is not after the beat before, {before:g} s")
        object.__setattr__(self, "beats", beats)
        object.__setattr__(self, "offset", float(self.offset))
        object.__setattr__(self, "gain", float(self.gain))

    # -- as a plain record ---------------------------------------------------------------------------------------

    @classmethod
    def of(cls, record: object) -> AudioRecord:
        """Return what a file's record says.

        Raises:
            AudioError: If it is no record of a sound; names the member and what would be right.
        """
        if not isinstance(record, Mapping):
            raise AudioError(f"{record!r:.80} is not a record of a sound; expected an object with its file")
        if "file" not in record:
            raise AudioError("file is missing; expected the path of a sound")
        beats = record.get("beats", ())
        if not isinstance(beats, (list, tuple)):
            raise AudioError(f"beats {beats!r:.80} is not a list of times")
        values = {name: record[name] for name in _MEMBERS if name in record and name != "beats"}
        extra = {name: value for name, value in record.items() if name not in _MEMBERS}
        return cls(**values, beats=tuple(beats), extra=extra)

    def to_record(self) -> dict[str, Any]:
        """Return it as a file's record; equal sounds, equal records."""
        record: dict[str, Any] = {"file": self.file, "offset": self.offset, "gain": self.gain}
        record |= {"beats": list(self.beats), "tempo": self.tempo, "bar": self.bar, "downbeat": self.downbeat}
        return {**record, **self.extra}

    # -- beats ---------------------------------------------------------------------------------------------------

    def frames(self, fps: float) -> Array:
        """Return where the beats are, shape (n,), as frame numbers, whole or not."""
        return (np.array(self.beats, dtype=np.float64) + self.offset) * fps

    def downbeats(self) -> NDArray[np.bool_]:
        """Return for each beat whether it begins a bar, shape (n,)."""
        return (np.arange(len(self.beats)) - self.downbeat) % self.bar == 0

    def nearest(self, time: float, within: float = math.inf) -> int | None:
        """Return the index of the beat nearest to a time after the sound's start, [s]; None if none is so near."""
        if not self.beats:
            return None
        away = np.abs(np.array(self.beats) - time)
        i = int(away.argmin())
        return i if away[i] <= within else None

    def with_beats(self, beats: Iterable[float], tempo: float | None, downbeat: int = 0) -> AudioRecord:
        """Return it with other beats, to a tenth of a millisecond; what two stand nearer than ``NEAREST`` is one."""
        kept: list[float] = []
        for beat in sorted(round(float(beat), 4) for beat in beats):
            if not kept or beat - kept[-1] >= NEAREST:
                kept.append(beat)
        return replace(self, beats=tuple(kept), tempo=None if tempo is None else round(tempo, 2), downbeat=downbeat)

    def added(self, time: float) -> AudioRecord:
        """Return it with one beat more.

        Raises:
            AudioError: If the time is before the sound's start, or a beat is there already.
        """
        near = self.nearest(time, NEAREST)
        if near is not None:
            raise AudioError(f"there is already a beat at {self.beats[near]:.3f} s; the new one must be elsewhere")
        if time < 0.0:
            raise AudioError(f"a beat at {time:.3f} s would be before the music starts; beats are from 0 s on")
        place = sum(beat < time for beat in self.beats)
        beats = (*self.beats[:place], round(time, 4), *self.beats[place:])
        # The bars stay on the beats that they began with; those after the new one count on from the one before.
        return replace(self, beats=beats, downbeat=self.downbeat + (place <= self.downbeat and len(self.beats) > 0))

    def removed(self, index: int) -> AudioRecord:
        """Return it without a beat."""
        beats = (*self.beats[:index], *self.beats[index + 1 :])
        return replace(self, beats=beats, downbeat=max(0, self.downbeat - (index < self.downbeat)))

    def moved(self, index: int, time: float) -> AudioRecord:
        """Return it with a beat moved to a time, as far as its neighbors let it, [s] after the sound's start."""
        low = self.beats[index - 1] + NEAREST if index > 0 else 0.0
        high = self.beats[index + 1] - NEAREST if index + 1 < len(self.beats) else LATEST
        place = round(min(max(time, low), max(high, low)), 4)
        return replace(self, beats=(*self.beats[:index], place, *self.beats[index + 1 :]))

    def shifted(self, seconds: float) -> AudioRecord:
        """Return it with all beats moved along the sound; those that would come before its start are dropped."""
        moved = [round(beat + seconds, 4) for beat in self.beats]
        gone = sum(beat < 0.0 for beat in moved)
        return replace(self, beats=tuple(moved[gone:]), downbeat=(self.downbeat - gone) % self.bar)

    def doubled(self) -> AudioRecord:
        """Return it with a beat more in the middle of every two: double the tempo."""
        between = [round((a + b) / 2.0, 4) for a, b in pairwise(self.beats) if b - a >= 2.0 * NEAREST]
        tempo = None if self.tempo is None else min(round(2.0 * self.tempo, 2), 1000.0)
        return replace(self, beats=tuple(sorted((*self.beats, *between))), tempo=tempo, downbeat=2 * self.downbeat)

    def halved(self) -> AudioRecord:
        """Return it with every second beat only, the beginnings of bars among them: half the tempo."""
        first = self.downbeat % 2
        tempo = None if self.tempo is None else max(round(self.tempo / 2.0, 2), 1.0)
        return replace(self, beats=self.beats[first::2], tempo=tempo, downbeat=(self.downbeat - first) // 2)


def _check(name: str, value: Any, low: float, high: float, unit: str) -> float:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not low <= value <= high:
        valid = f"a number from {low:g} to {high:g} {unit}".rstrip()
        raise AudioError(f"{name} {value!r:.40} is not possible; expected {valid}")
    return float(value)
