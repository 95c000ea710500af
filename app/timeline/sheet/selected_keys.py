"""Which keys are selected in the timeline: channels at frames, as a mask over the table of keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from app.document.content.key_selection import NOTHING, KeySelection
from app.timeline.key_view import KeyView, empty_table
from app.timeline.sheet.rows import Row
from app.timeline.time_scale import TimeScale
from core.animation.key_table import KeyTable
from core.arrays import Bools

if TYPE_CHECKING:
    from app.document.document import Document

SNAP = 6.0


class KeyChoice(TimeScale):
    """The keys and which of them are selected.

    Args:
        document: The open document.
        parent: Qt parent.

    Attributes:
        rows: What stands under each other.
        table: All keys as arrays.
        view: The keys by row, as they are shown.
    """

    def __init__(self, document: Document, parent: QObject | None = None):
        super().__init__(parent)
        self.document = document
        self.rows: tuple[Row, ...] = ()
        self.table: KeyTable = empty_table()
        self.view = KeyView(self.table, None, self.table.keyed)
        self._still = self.view  # the keys as they are
        self._chosen: Bools = self.table.keyed  # which are selected, shape (n, c)
        self._selected: KeySelection | None = NOTHING  # the same by frame; None until it is asked for

    def _end_drag(self) -> None:
        raise NotImplementedError

    @property
    def frames(self) -> NDArray[np.int64]:
        """Frames of all keys, ascending."""
        return self.table.frames

    @property
    def selected(self) -> KeySelection:
        """The selected keys."""
        if self._selected is None:
            sequence = self.document.sequence
            self._selected = NOTHING
            if sequence is not None and len(self._chosen) and self._chosen.any():
                self._selected = KeySelection.of_mask(self.table, sequence.channels, self._chosen)
        return self._selected

    @property
    def chosen(self) -> Bools:
        """Which keys of which channels are selected, shape (n, c)."""
        return self._chosen

    def is_selected(self) -> Bools:
        """Return for each key whether something of it is selected."""
        return np.asarray(self._chosen.any(axis=1))

    def chosen_at(self, frame: int) -> bool:
        """Return whether something of the key at a frame is selected."""
        i = int(np.searchsorted(self.frames, frame))
        return i < len(self.frames) and int(self.frames[i]) == frame and bool(self._chosen[i].any())

    def set_chosen(self, chosen: Bools, settle: bool = True) -> None:
        """Select keys by a mask, shape (n, c); all parts of the window hear of it unless it may still change."""
        chosen = chosen & self.table.keyed
        if not np.array_equal(chosen, self._chosen):
            self._chosen, self._selected = chosen, None
            self._show_chosen()
        if settle:
            self.settle()

    def _show_chosen(self) -> None:
        self._end_drag()
        self._still = self.view = self._still.with_chosen(self._chosen)
        self.touch()

    def settle(self) -> None:
        """Let the rest of the window know what is selected."""
        self.document.session.keys.selected = self.selected

    def _put_selection(self, selection: KeySelection) -> None:
        sequence = self.document.sequence
        if sequence is not None and sequence.keys.table is self.table:
            self._chosen = selection.mask(self.table, sequence.channels)
        self._selected = selection
        self._show_chosen()

    def _forget_selection(self) -> None:
        self._chosen, self._selected = np.zeros(self.table.keyed.shape, dtype=bool), NOTHING
        self._end_drag()
        self.settle()

    def mask_of(self, frames: Iterable[int], row: Row | None = None) -> Bools:
        """Return what is keyed at some frames, in a row or in all channels, shape (n, c)."""
        wanted = np.fromiter(frames, dtype=np.int64)
        columns = np.ones(self.table.keyed.shape[1], dtype=bool)
        if row is not None and not row.summary:
            columns[:] = False
            columns[row.channels] = True
        return np.asarray(self.table.keyed & np.isin(self.frames, wanted)[:, None] & columns)

    def select(self, frames: Iterable[int], add: bool = False, row: Row | None = None) -> None:
        """Select keys by frame, whole or those of a row; with ``add`` on top of what is selected."""
        mask = self.mask_of(frames, row)
        self.set_chosen(mask | self._chosen if add else mask)

    def select_range(self, first: int, last: int, row: Row | None = None, add: bool = True) -> None:
        """Select all keys from one frame to another, whole or those of a row."""
        inside = self.frames[(self.frames >= min(first, last)) & (self.frames <= max(first, last))]
        self.select(inside.tolist(), add, row)

    def toggle(self, frame: int, row: Row | None = None) -> None:
        """Select a key, or take it out of the selection, whole or what a row has of it."""
        mask = self.mask_of([frame], row)
        every = bool((self._chosen & mask).sum() == mask.sum())
        self.set_chosen(self._chosen & ~mask if every else self._chosen | mask)

    def select_all(self) -> None:
        """Select all keys of the rows that are shown."""
        columns = np.zeros(self.table.keyed.shape[1], dtype=bool)
        for row in self.rows:
            if not row.summary or len(self.rows) == 1 or not self.document.session.keys.rows_shown:
                columns[row.channels] = True
        self.set_chosen(self.table.keyed & columns)

    def key_near(self, x: float, reach: float = SNAP, row: Row | None = None) -> int | None:
        """Return the frame of the key nearest to a place, if one lies within ``reach`` px; of a row if one is given."""
        frames = self.frames if row is None else self._still.track(row).frames
        if not len(frames):
            return None
        at = self.exact_frame(x)
        i = int(np.searchsorted(frames, at))
        beside = frames[max(i - 1, 0) : i + 1]
        nearest = int(beside[np.argmin(np.abs(beside - at))])
        return nearest if abs(nearest - at) * self.pixels <= reach else None
