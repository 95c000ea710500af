"""Which keys are selected: some channels at some frames. Immutable, with the algebra of sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from core.animation.channels import Channels
from core.animation.key_parts import Names
from core.arrays import Bools

if TYPE_CHECKING:
    from core.animation.sequence import Sequence
    from core.animation.sorted_keys import KeyTable

ALL: Names = None
"""Every channel that the key at a frame holds."""


class KeySelection:
    """A set of (frame, channel), kept by frame. Unions, intersections and differences are ``|``, ``&``, ``-``, ``^``.

    Args:
        parts: Names of channels by frame, or ``ALL``; a frame without names is left out.
        every: Names of all channels of the figure; only with them can some channels be taken out of ``ALL``.

    Attributes:
        parts: Names of channels by frame, ``ALL`` where every channel that is keyed there is selected; read-only.
        every: Names of all channels, or None if they are not known.
    """

    __slots__ = ("_frames", "every", "parts")

    def __init__(self, parts: Mapping[int, Iterable[str] | None] = MappingProxyType({}), every: Names = None):
        self.every = every
        kept: dict[int, Names] = {}
        seen: dict[int, Names] = {}
        for frame, names in parts.items():
            if names is None:
                kept[frame] = ALL
                continue
            found = seen.get(id(names), 0) if isinstance(names, frozenset) else 0
            if found == 0:
                own = frozenset([names] if isinstance(names, str) else names)
                found = ALL if every is not None and own >= every else own
                if isinstance(names, frozenset):
                    seen[id(names)] = found
            if found is None or found:
                kept[frame] = found  # type: ignore[assignment]
        self.parts: Mapping[int, Names] = MappingProxyType(kept)
        self._frames: tuple[int, ...] | None = None

    # -- making --------------------------------------------------------------------------------------------------

    @classmethod
    def of_frames(cls, frames: Iterable[int], every: Names = None) -> KeySelection:
        """Return the selection of whole keys."""
        return cls(dict.fromkeys(frames, ALL), every)

    @classmethod
    def of_mask(cls, table: KeyTable, channels: Channels, mask: Bools) -> KeySelection:
        """Return the selection of what is keyed under a mask.

        Args:
            table: All keys of the sequence.
            channels: Channels of the figure.
            mask: Shape (n, c), or what broadcasts to it.
        """
        chosen = table.keyed & mask
        rows = np.flatnonzero(chosen.any(axis=1))
        whole = (chosen[rows] == table.keyed[rows]).all(axis=1)
        parts: dict[int, Names] = dict.fromkeys(table.frames[rows[whole]].tolist(), ALL)
        some = rows[~whole]
        if len(some):
            patterns, number = np.unique(np.packbits(chosen[some], axis=1), axis=0, return_inverse=True)
            bits = np.unpackbits(patterns, axis=1, count=len(channels)).astype(bool)
            sets = [frozenset(np.array(channels.names, dtype=object)[row].tolist()) for row in bits]
            parts.update(zip(table.frames[some].tolist(), (sets[k] for k in number.ravel().tolist()), strict=True))
        return cls(parts, channels.all)

    # -- asking --------------------------------------------------------------------------------------------------

    @property
    def frames(self) -> tuple[int, ...]:
        """Frames at which something is selected, ascending."""
        if self._frames is None:
            self._frames = tuple(sorted(self.parts))
        return self._frames

    @property
    def whole(self) -> bool:
        """Whether wherever something is selected all of the key is."""
        return all(names is None for names in self.parts.values())

    @property
    def channels(self) -> Names:
        """Names of the channels that are selected anywhere; ``ALL`` if somewhere all are."""
        found: set[str] = set()
        for names in self.parts.values():
            if names is None:
                return ALL
            found |= names
        return frozenset(found)

    def __bool__(self) -> bool:
        return bool(self.parts)

    def __len__(self) -> int:
        """Return the number of frames at which something is selected."""
        return len(self.parts)

    def __iter__(self) -> Iterator[int]:
        return iter(self.frames)

    def __contains__(self, item: object) -> bool:
        """Return whether a (frame, channel) is selected, or something at a frame."""
        if isinstance(item, tuple):
            frame, channel = item
            if frame not in self.parts:
                return False
            names = self.parts[frame]
            return names is None or channel in names
        return item in self.parts

    def mask(self, table: KeyTable, channels: Channels) -> Bools:
        """Return which keys of a table are selected, shape (n, c), for drawing."""
        result = np.zeros(table.keyed.shape, dtype=bool)
        if not self.parts or not len(table):
            return result
        frames = np.fromiter(self.parts, dtype=np.int64, count=len(self.parts))
        rows = np.searchsorted(table.frames, frames)
        there = (rows < len(table)) & (table.frames[np.minimum(rows, len(table) - 1)] == frames)
        columns: dict[Names, Bools] = {}
        numbers: list[int] = []
        for names in self.parts.values():
            if names not in columns:
                columns[names] = np.array([names is None or name in names for name in channels.names])
            numbers.append(list(columns).index(names) if len(columns) > 1 else 0)
        kinds = np.array(list(columns.values()))
        rows, chosen = rows[there], np.array(numbers)[there]
        result[rows] = table.keyed[rows] & kinds[chosen]
        return result

    def within(self, sequence: Sequence) -> KeySelection:
        """Return what of the selection is keyed in a sequence."""
        return KeySelection.of_mask(
            sequence.keys.table, sequence.channels, self.mask(sequence.keys.table, sequence.channels)
        )

    # -- changing ------------------------------------------------------------------------------------------------

    def only(self, names: Iterable[str]) -> KeySelection:
        """Return what of the selection belongs to some channels."""
        return self & KeySelection(dict.fromkeys(self.parts, frozenset(names)), self.every)

    def moved(self, place: Mapping[int, int] | Callable[[int], int]) -> KeySelection:
        """Return the selection at other frames: by a mapping, frames that are not in it stay, or by a function."""
        found: dict[int, Names] = {}
        for frame, names in self.parts.items():
            new = place(frame) if callable(place) else place.get(frame, frame)
            there = found.get(new, frozenset())
            found[new] = ALL if names is None or there is None else names | there
        return KeySelection(found, self.every)

    def _known(self, other: KeySelection) -> Names:
        return self.every if self.every is not None else other.every

    def __or__(self, other: KeySelection) -> KeySelection:
        found = dict(self.parts)
        for frame, names in other.parts.items():
            mine = found.get(frame, frozenset())
            found[frame] = ALL if mine is None or names is None else mine | names
        return KeySelection(found, self._known(other))

    def __and__(self, other: KeySelection) -> KeySelection:
        found: dict[int, Names] = {}
        for frame, mine in self.parts.items():
            if frame in other.parts:
                names = other.parts[frame]
                found[frame] = mine if names is None else names if mine is None else mine & names
        return KeySelection(found, self._known(other))

    def __sub__(self, other: KeySelection) -> KeySelection:
        every = self._known(other)
        found = dict(self.parts)
        for frame in found.keys() & other.parts.keys():
            mine, names = found[frame], other.parts[frame]
            if names is None:
                del found[frame]
                continue
            if mine is None:
                if every is None:
                    raise ValueError("channels can be taken out of whole keys only if all channels are known")
                mine = every
            found[frame] = mine - names
        return KeySelection(found, every)

    def __xor__(self, other: KeySelection) -> KeySelection:
        return (self - other) | (other - self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeySelection) and dict(self.parts) == dict(other.parts)

    def __hash__(self) -> int:
        return hash(frozenset(self.parts.items()))

    def __repr__(self) -> str:
        return f"KeySelection({len(self.parts)} frames{'' if self.whole else ', some channels'})"


NOTHING = KeySelection()
"""The selection of no key."""
