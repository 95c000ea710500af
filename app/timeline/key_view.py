"""Keys as the rows of the dope sheet show them: arrays by row, worked out when they are first asked for."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.timeline.sheet.rows import Row
from core.animation.channels import Channels
from core.animation.key import Key
from core.animation.shape import AUTO, CENTRIPETAL, INTERPOLATIONS, LINEAR, STEPPED
from core.animation.sorted_keys import NOT_KEYED, KeyTable
from core.arrays import Bools, Ints

MIXED = len(INTERPOLATIONS)
"""Kind of a mark that stands for channels which go on in different ways."""
_FLAT = [INTERPOLATIONS.index(kind) for kind in (AUTO, LINEAR, STEPPED, CENTRIPETAL)]
NONE, SOME, EVERY = range(3)
"""How much of what a mark stands for is selected."""

Bytes = NDArray[np.int8]
Floats = NDArray[np.float64]


class KeyValues:
    """Poses of all keys as one array, kept from change to change: only those that changed are read again."""

    def __init__(self) -> None:
        self._keys: tuple[Key, ...] = ()
        self._values: Floats = np.empty((0, 0))

    def of(self, keys: tuple[Key, ...]) -> Floats:
        """Return the poses, shape (n, nq)."""
        if keys is self._keys:
            return self._values
        old, width = self._keys, len(keys[0].q) if keys else 0
        if len(old) == len(keys) and width == self._values.shape[1]:
            fresh = [i for i, (a, b) in enumerate(zip(old, keys, strict=True)) if a is not b]
            if 2 * len(fresh) < len(keys):
                if fresh:
                    self._values[fresh] = [keys[i].q for i in fresh]
                self._keys = keys
                return self._values
        self._keys = keys
        self._values = np.array([key.q for key in keys]) if keys else np.empty((0, 0))
        return self._values


class Track:
    """The keys of one row.

    Attributes:
        index: Which keys of the view they are, ascending, shape (k,).
        frames: Their frames, shape (k,); rows with the same keys share the array.
        kinds: How the spans that begin there are filled, index into ``INTERPOLATIONS`` or ``MIXED``, shape (k,).
        chosen: How much of each is selected, ``NONE``, ``SOME`` or ``EVERY``, shape (k,); None if nothing is.
    """

    __slots__ = ("chosen", "frames", "index", "kinds")

    def __init__(self, index: Ints, frames: NDArray[np.int64], kinds: Bytes, chosen: Bytes | None):
        self.index, self.frames, self.kinds, self.chosen = index, frames, kinds, chosen


class KeyView:
    """Keys by row.

    Args:
        table: Keys as arrays.
        channels: Channels of the figure.
        chosen: Which are selected, shape (n, c).
        keys: The keys themselves, for what holds still between them; None while they are dragged.
        values: Reads their poses.
    """

    def __init__(
        self,
        table: KeyTable,
        channels: Channels | None,
        chosen: Bools,
        keys: tuple[Key, ...] | None = None,
        values: KeyValues | None = None,
    ):
        self.table, self.channels, self.chosen = table, channels, chosen
        self._keys, self._values = keys, values
        self._patterns: dict[bytes, tuple[Ints, NDArray[np.int64]]] = {}
        self._plain: dict[str, tuple[Ints, NDArray[np.int64], Bytes]] = {}
        self._tracks: dict[str, Track] = {}
        self._holds: dict[str, Bools] = {}

    def with_chosen(self, chosen: Bools) -> KeyView:
        """Return the same keys with others selected."""
        view = KeyView(self.table, self.channels, chosen, self._keys, self._values)
        view._patterns, view._plain, view._holds = self._patterns, self._plain, self._holds
        vars(view).update({name: vars(self)[name] for name in ("whole", "one_kind") if name in vars(self)})
        return view

    @cached_property
    def whole(self) -> bool:
        """Whether every key holds every channel."""
        return bool(self.table.keyed.all())

    @cached_property
    def one_kind(self) -> bool:
        """Whether all channels of each key go on in the same way."""
        interp = self.table.interp
        return self.whole and bool((interp == interp[:, :1]).all())

    @cached_property
    def any_chosen(self) -> bool:
        """Whether anything is selected."""
        return bool(self.chosen.any())

    def track(self, row: Row) -> Track:
        """Return the keys of a row."""
        found = self._tracks.get(row.id)
        if found is None:
            index, frames, kinds = self._keyed(row)
            found = self._tracks[row.id] = Track(index, frames, kinds, self._chosen_of(row, index))
        return found

    def _keyed(self, row: Row) -> tuple[Ints, NDArray[np.int64], Bytes]:
        found = self._plain.get(row.id)
        if found is None:
            table, own = self.table, row.channels
            if self.whole:
                index, frames = self._shared(None)
            else:
                index, frames = self._shared(table.keyed[:, own].any(axis=1))
            found = self._plain[row.id] = index, frames, self._kinds(own, index)
        return found

    def _shared(self, flags: Bools | None) -> tuple[Ints, NDArray[np.int64]]:
        """Return the keys under flags and their frames; rows with the same flags share them."""
        table = self.table
        pattern = b"" if flags is None or flags.all() else np.packbits(flags).tobytes()
        if pattern not in self._patterns:
            index = np.arange(len(table)) if not pattern or flags is None else np.flatnonzero(flags)
            frames = table.frames if not pattern else table.frames[index]
            self._patterns[pattern] = index, frames
        return self._patterns[pattern]

    def _kinds(self, own: Ints, index: Ints) -> Bytes:
        interp = self.table.interp
        if self.one_kind or len(own) == 1:
            column = interp[:, own[0]]
            return column if len(index) == len(column) else column[index]
        part = interp[np.ix_(index, own)] if len(index) < len(interp) else interp[:, own]
        high = part.max(axis=1)
        low = np.where(part == NOT_KEYED, high[:, None], part).min(axis=1)
        return np.where(low == high, high, np.int8(MIXED))

    def _chosen_of(self, row: Row, index: Ints) -> Bytes | None:
        if not self.any_chosen:
            return None
        own, every = row.channels, len(index) == len(self.chosen)
        if len(own) == 1:
            column = self.chosen[:, own[0]] if every else self.chosen[index, own[0]]
            return np.where(column, np.int8(EVERY), np.int8(NONE)) if column.any() else None
        part = self.chosen if len(own) == self.chosen.shape[1] else self.chosen[:, own]
        count = np.count_nonzero(part, axis=1)
        count = count if every else count[index]
        if not count.any():
            return None
        keyed = self.table.keyed if len(own) == self.chosen.shape[1] else self.table.keyed[:, own]
        most = len(own) if self.whole else np.count_nonzero(keyed, axis=1)[index]
        return np.where(count == 0, np.int8(NONE), np.where(count == most, np.int8(EVERY), np.int8(SOME)))

    def holds(self, row: Row) -> Bools | None:
        """Return for each key of a row but the last whether the row holds still until the next; None in a drag."""
        if self._keys is None or self._values is None or self.channels is None:
            return None
        found = self._holds.get(row.id)
        if found is None:
            found = self._holds[row.id] = self._held(row)
        return found

    def _held(self, row: Row) -> Bools:
        assert self.channels is not None and self._keys is not None and self._values is not None
        index, values = self._keyed(row)[0], self._values.of(self._keys)
        columns = self.channels.columns
        if self.whole:
            own = np.concatenate([columns[number] for number in row.channels])
            part = values if len(own) == values.shape[1] else values[:, own]
            return _still(part, self._kinds(np.asarray(row.channels, dtype=np.intp), index))
        still = np.ones(max(len(index) - 1, 0), dtype=bool)
        for number in row.channels:
            keyed = np.flatnonzero(self.table.keyed[:, number])
            if len(keyed) < 2:
                continue
            same = _still(values[np.ix_(keyed, columns[number])], self.table.interp[keyed, number])
            # A span of the row lies inside one of the channel; before its first key and after its last it stands.
            span = np.searchsorted(keyed, index[:-1], side="right") - 1
            inside = (span >= 0) & (span < len(same))
            still &= ~inside | same[np.clip(span, 0, len(same) - 1)]
        return still


def _still(values: Floats, kinds: Bytes) -> Bools:
    """Return whether values hold still from each key to the next.

    Equal keys are not enough: a spline that comes from elsewhere swings between them.

    Args:
        values: Of the keys, shape (k, n).
        kinds: How the spans that begin there are filled, shape (k,).
    """
    same = (values[1:] == values[:-1]).all(axis=1)
    before, after = np.append(True, same[:-1]), np.append(same[1:], True)
    return np.asarray(same & (np.isin(kinds[:-1], _FLAT) | (before & after)))


def empty_table(channels: int = 0) -> KeyTable:
    """Return the table of no keys."""
    none = np.empty((0, channels), dtype=bool)
    return KeyTable(np.empty(0, dtype=np.int64), none, np.empty((0, channels), dtype=np.int8))


def dragged_table(
    table: KeyTable, chosen: Bools, moving: Bools, old: NDArray[np.int64], new: NDArray[np.int64]
) -> tuple[KeyTable, Bools]:
    """Return how keys stand while some of their channels are at other frames, and which are selected there.

    Args:
        table: The keys as they are.
        chosen: Which are selected, shape (n, c).
        moving: Which move, shape (n, c).
        old: Frames of those that move, ascending, each once.
        new: Where each of them is shown.
    """
    rows = np.searchsorted(table.frames, old)
    if len(rows) == len(table) and bool((moving == table.keyed).all()):
        return KeyTable(new, table.keyed, table.interp), chosen
    staying = table.keyed & ~moving
    left = staying.any(axis=1)
    frames = np.concatenate([table.frames[left], new])
    order = np.argsort(frames, kind="stable")
    keyed = np.concatenate([staying[left], moving[rows]])[order]
    interp = np.concatenate([table.interp[left], table.interp[rows]])[order]
    selected = np.concatenate([chosen[left] & staying[left], chosen[rows] & moving[rows]])[order]
    return KeyTable(frames[order], keyed, np.where(keyed, interp, np.int8(NOT_KEYED))), selected
