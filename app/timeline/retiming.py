"""Where keys go while they are dragged: as near to what is wanted as they may, without any two that merge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.animation.key import MAX_FRAME
from core.animation.sorted_keys import KeyTable
from core.arrays import Bools

Ints = NDArray[np.int64]

MOST_TRIED = 200_000
"""How far back a shift looks for a place without a collision, frames."""
_TRIED_WHOLE = 24
_PROBES = 8


class Moves(NamedTuple):
    """Keys at other frames.

    Attributes:
        old: Their frames, ascending, each once, shape (m,).
        new: Where each of them goes, ascending, shape (m,).
        moving: Which channels of which keys go, shape (n, c).
        first: First frame of the selected keys among them, as they are.
        last: Last one.
        rippled: Whether later keys go along with the last of the selected.
        earlier: Whether those before go along with the first of them.
    """

    old: Ints
    new: Ints
    moving: Bools
    first: int
    last: int
    rippled: bool = False
    earlier: bool = False

    @property
    def moved(self) -> bool:
        """Whether anything is elsewhere."""
        return bool((self.old != self.new).any())

    @property
    def mapping(self) -> dict[int, int]:
        """New frames by old ones."""
        return dict(zip(self.old.tolist(), self.new.tolist(), strict=True))

    def place(self, frame: int) -> int:
        """Return where a frame that moves is shown."""
        i = int(np.searchsorted(self.old, frame))
        return int(self.new[i]) if i < len(self.old) and self.old[i] == frame else frame


def spread(old: Ints, last: bool, wanted: int) -> Ints:
    """Return frames spread so that one end comes to a frame and the other stays; they keep at least a frame apart.

    Args:
        old: Frames, ascending, two or more.
        last: Whether the last of them moves, or the first.
        wanted: Frame that it is to come to; nearer than the keys have room it comes as near as it can.
    """
    if not last:
        return (-spread(-old[::-1], True, -wanted))[::-1]
    count, start, span = len(old), int(old[0]), int(old[-1] - old[0])
    reach = max(wanted - start, count - 1)
    steps = np.arange(count)
    new = np.floor((old - start) * (reach / span) + 0.5).astype(np.int64)
    new = np.maximum.accumulate(new - steps) + steps  # one frame apart from the one before
    return start + np.minimum(new, reach - (count - 1) + steps)


class Retiming:
    """The keys that a drag takes along, and where they may go.

    Args:
        table: All keys.
        chosen: Which are selected, shape (n, c); something is.
        following: Which channels of later keys go along if the rest ripples, shape (c,).
    """

    def __init__(self, table: KeyTable, chosen: Bools, following: Bools):
        self.table, self.chosen = table, chosen
        rows = np.flatnonzero(chosen.any(axis=1))
        self.frames: Ints = table.frames[rows]
        self.first, self.last = int(self.frames[0]), int(self.frames[-1])
        self._following = following
        self._rest: dict[str, tuple[Bools, Ints, Ints]] = {}

    def _sets(self, rest: str) -> tuple[Bools, Ints, Ints]:
        """Return what moves, shape (n, c), the numbers of its keys, and their frames.

        Args:
            rest: What moves along with the selection: "" nothing, "later" or "earlier" keys.
        """
        if rest not in self._rest:
            moving, table = self.chosen, self.table
            if rest:
                beyond = table.frames > self.last if rest == "later" else table.frames < self.first
                moving = moving | (table.keyed & self._following & beyond[:, None])
            rows = np.flatnonzero(moving.any(axis=1))
            self._rest[rest] = moving, rows, table.frames[rows]
        return self._rest[rest]

    def _clashes(self, new: Ints, rows: Ints, moving: Bools) -> bool:
        """Return whether anything that moves would land on the same channel of a key that stands."""
        table = self.table
        at = np.searchsorted(table.frames, new)
        at[at == len(table)] = 0
        hit = table.frames[at] == new
        if not hit.any():
            return False
        at, rows = at[hit], rows[hit]
        return bool((table.keyed[at] & ~moving[at] & moving[rows]).any())

    # -- sliding --------------------------------------------------------------------------------------------------

    def shifted(self, wanted: int, ripple: bool = False) -> Moves:
        """Return the keys moved by some frames, as near to ``wanted`` as they may go; past a key they may go."""
        rest = "later" if ripple else ""
        moving, rows, old = self._sets(rest)
        wanted = int(np.clip(wanted, -int(old[0]), MAX_FRAME - int(old[-1])))
        shift = next((by for by in self._candidates(wanted, moving, rows, old).tolist()
                      if not self._clashes(old + by, rows, moving)), 0)  # fmt: skip
        return Moves(old, old + shift, moving, self.first, self.last, ripple)

    def _candidates(self, wanted: int, moving: Bools, rows: Ints, old: Ints) -> Ints:
        """Return shifts from the wanted one back to none, without those at which one of a few keys would clash."""
        sign = 1 if wanted > 0 else -1
        shifts = wanted - sign * np.arange(min(abs(wanted), MOST_TRIED))
        table = self.table
        for k in np.unique(np.linspace(0, len(rows) - 1, _PROBES).astype(int)):
            if not len(shifts):
                break
            own = moving[rows[k]]
            span = slice(*np.searchsorted(table.frames, (old[k] + shifts.min(), old[k] + shifts.max() + 1)))
            standing = (table.keyed[span][:, own] & ~moving[span][:, own]).any(axis=1)
            shifts = shifts[~np.isin(shifts + old[k], table.frames[span][standing])]
        return shifts[:_TRIED_WHOLE]

    # -- spreading ------------------------------------------------------------------------------------------------

    def scaled(self, last: bool, wanted: int, ripple: bool = False) -> Moves | None:
        """Return the keys spread so that one end comes as near to a frame as may be, and the other stays.

        Keys stay at least a frame apart, and keep off those that stand.

        Args:
            last: Whether the last of them moves, or the first.
            wanted: Frame that it is to come to.
            ripple: Whether what lies beyond that end moves along with it.

        Returns:
            None if fewer than two keys are selected, or there is no room at all.
        """
        if len(self.frames) < 2:
            return None
        moving, rows, old = self._sets(("later" if last else "earlier") if ripple else "")
        end, least = (self.last if last else self.first), len(self.frames) - 1
        if last:
            beyond = int(old[-1]) - self.last
            wanted = int(np.clip(wanted, self.first + least, MAX_FRAME - beyond))
        else:
            beyond = self.first - int(old[0])
            wanted = int(np.clip(wanted, beyond, self.last - least))
        step = 1 if end > wanted else -1
        places = np.array(range(wanted, end + step, step)[:MOST_TRIED])
        table, tip = self.table, moving[rows[np.searchsorted(old, end)]]
        standing = (table.keyed[:, tip] & ~moving[:, tip]).any(axis=1)
        for place in places[~np.isin(places, table.frames[standing])][:_TRIED_WHOLE].tolist():
            new = old + (place - end)
            inside = (old >= self.first) & (old <= self.last)
            new[inside] = spread(self.frames, last, place)
            if not self._clashes(new, rows, moving):
                return Moves(old, new, moving, self.first, self.last, ripple and last, ripple and not last)
        return None
