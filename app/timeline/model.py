"""What all parts of the timeline share: it reads rows and keys from the document, and what the session says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    HybridChanged,
    KeysChanged,
    LocksChanged,
    PendingChanged,
    SelectionChanged,
    SequenceChanged,
    SessionChanged,
)
from app.document.content.key_selection import KeySelection
from app.timeline.key_view import KeyValues, KeyView, empty_table
from app.timeline.marks.times import TimeMarks
from app.timeline.retiming import Moves
from app.timeline.selected_keys import KeyDrag
from app.timeline.sheet.rows import Row, all_rows, shown_rows
from core.animation.key import Key
from core.animation.retiming import rippled_markers

if TYPE_CHECKING:
    from app.document.document import Document
    from app.document.marked_spans import MarkedSpan

LATE_MS = 120  # how long the timeline may lag behind a drag


class TimelineModel(KeyDrag):
    """Scale, rows and key selection.

    Attributes:
        marks: Beats and markers.
        flagged: Frames at which a lock cannot be held, and why.
        implausible: First and last frames at which the keyed motion is implausible, and what is.
        simulated: First and last frame that were simulated, or None.

    Signals:
        frame_changed(): The current frame is another one, and nothing else is.
    """

    frame_changed = Signal()

    def __init__(self, document: Document, parent: QObject | None = None):
        super().__init__(document, parent)
        self.marks = TimeMarks(document)
        self.flagged: tuple[MarkedSpan, ...] = ()
        self.implausible: tuple[tuple[int, int, str], ...] = ()
        self.simulated: tuple[float, float] | None = None
        self._all_rows: tuple[Row, ...] = ()
        self._values = KeyValues()
        self._late = QTimer(self, singleShot=True, interval=LATE_MS)
        self._late.timeout.connect(self._catch_up)
        document.changed.connect(self._take)
        self._read_rows()
        self._read_keys()

    @property
    def marked(self) -> tuple[MarkedSpan, ...]:
        """What the ruler marks: where locks cannot be held, and what somebody looks for."""
        return (*self.flagged, *self.document.session.view.marked)

    # -- what the document holds ----------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        name = change.name
        opened = isinstance(change, FileChanged) and name == "opened"
        if opened:  # keys of another file at the same frames are other keys
            self._forget_selection()
        if isinstance(change, FigureChanged) or opened:
            before = self._all_rows
            self._read_rows()
            self._unseen |= opened or len(before) != len(self._all_rows)
        if change.live and isinstance(change, (KeysChanged, PendingChanged)):
            if not self._late.isActive():  # a drag changes its key with every move of the mouse; now and then will do
                self._late.start()
            return
        if isinstance(change, SessionChanged):
            self._take_session(str(name), change.value)
            return
        if isinstance(change, (FigureChanged, FileChanged, KeysChanged, SequenceChanged)):
            self._read_keys()
        if isinstance(change, HybridChanged) or (isinstance(change, SequenceChanged) and name == "active"):
            self._keep_whole(fitted=isinstance(change, HybridChanged))
        if isinstance(change, SelectionChanged):
            self._show_rows()
        if isinstance(change, FrameChanged):
            self.frame_changed.emit()
        if isinstance(
            change,
            (FigureChanged, FileChanged, KeysChanged, SequenceChanged, PendingChanged, SelectionChanged, LocksChanged),
        ):
            self.touch()  # with the locks the range may end elsewhere

    def _keep_whole(self, fitted: bool) -> None:
        """Show everything where the range has become longer than what is in sight.

        Args:
            fitted: Whether only if everything was in sight before; what a person zoomed to stays then.
        """
        if (self._fitted or not fitted) and self.extent()[1] > self.visible()[1] + 0.5:
            self.fit()

    def _take_session(self, name: str, value: object) -> None:
        if name in ("open_rows", "rows_shown"):
            self._show_rows()
            self.touch()
        elif name == "auto_key":
            self.touch()
        elif name == "marked_spans":
            self.changed.emit()
        elif name == "selected_keys" and isinstance(value, KeySelection) and value is not self._selected:
            self._put_selection(value)

    def _show_moves(self, moves: Moves) -> None:
        sequence, whole = self.document.sequence, self.selected.whole
        self.marks.rippling = None
        if sequence is not None and sequence.markers and whole and moves.moved and (moves.rippled or moves.earlier):
            edge = (moves.last, moves.place(moves.last) - moves.last) if moves.rippled else None
            self.marks.rippling = rippled_markers(sequence, moves.mapping, edge, moves.earlier)
        super()._show_moves(moves)

    def _end_drag(self) -> None:
        self.marks.rippling = None
        super()._end_drag()

    def _catch_up(self) -> None:
        self._read_keys()
        self.touch()

    def _read_rows(self) -> None:
        skeleton = self.document.skeleton
        self._all_rows = () if skeleton is None else all_rows(skeleton)
        self._show_rows()

    def _show_rows(self) -> None:
        session, keyed = self.document.session, None
        if "keyed" in session.keys.rows_shown and len(self.table):
            keyed = np.any(self.table.keyed, axis=0)
        if keyed is not None and self._all_rows and len(keyed) != len(self._all_rows[0].channels):
            keyed = None  # the keys of a new figure are yet to be read
        self.rows = shown_rows(
            self._all_rows, session.keys.open_rows, session.keys.rows_shown, self.document.selection.joints, keyed
        )

    def _read_keys(self) -> None:
        self._end_drag()
        sequence = self.document.sequence
        before = self.table
        if sequence is None:
            self.table, channels = empty_table(), None
        else:
            self.table, channels = sequence.keys.table, sequence.channels
        keys: tuple[Key, ...] = () if sequence is None else sequence.keys
        if self.table is not before:
            chosen = self.selected
            self._chosen = np.zeros(self.table.keyed.shape, dtype=bool)
            if chosen and channels is not None:
                self._chosen = chosen.mask(self.table, channels)
            self._still = self.view = KeyView(self.table, channels, self._chosen, keys, self._values)
            if chosen:
                self._selected = None
                self.settle()
            if "keyed" in self.document.session.keys.rows_shown:
                self._show_rows()
        if self._unseen and sequence is not None:
            self.fit(quiet=True)

    @property
    def range(self) -> tuple[int, int]:
        """First and last frame that are played."""
        return self.document.model.played

    def extent(self) -> tuple[int, int, int]:
        """Return the first and the last frame of range and keys, and how many keys there are."""
        first, last = self.range
        if len(self.frames):
            first, last = min(first, int(self.frames[0])), max(last, int(self.frames[-1]))
        return first, last, len(self.frames)

    def fit_selected(self) -> None:
        """Show the selected keys as large as they can be; with none selected all."""
        rows = np.flatnonzero(self.is_selected())
        if len(rows):
            self.show_span(float(self.frames[rows[0]]), float(self.frames[rows[-1]]))
        else:
            self.fit()

    def toggle_row(self, row: Row) -> None:
        """Open a row, or close it."""
        if row.opens:
            self.document.session.keys.open_rows = self.document.session.keys.open_rows ^ {row.id}

    def open_all(self, opened: bool = True) -> None:
        """Open all rows, or all but the summary's closed."""
        ids = {row.id for row in self._all_rows if row.opens} if opened else {"summary"}
        self.document.session.keys.open_rows = ids
