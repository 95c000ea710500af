"""Which keys are selected in the timeline, where they are shown while dragged, what they snap to, and how they drop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from app.document.content.key_selection import NOTHING, KeySelection
from app.timeline.key_view import KeyView, dragged_table, empty_table
from app.timeline.retiming import Moves, Retiming
from app.timeline.sheet.rows import Row
from app.timeline.time_scale import TimeScale
from core.animation.sorted_keys import KeyTable
from core.arrays import Bools

if TYPE_CHECKING:
    from app.document.document import Document
    from app.timeline.model import TimelineModel

REACH = 6.0  # px


class Snap(NamedTuple):
    """Something a drag has snapped to.

    Attributes:
        frame: Where it is.
        what: What stands there.
    """

    frame: int
    what: str


class SnapPlaces:
    """The places worth snapping to during one drag, nearer ones first.

    Args:
        model: The timeline.
        standing: Frames of keys that do not move, ascending.
    """

    def __init__(self, model: TimelineModel, standing: NDArray[np.int64]):
        self._model = model
        self._marks = {marker.frame: f"marker {marker.name}".strip() for marker in model.marks.markers}
        marks = model.marks.snap_frames()
        self._beats = np.setdiff1d(marks, np.array(sorted(self._marks), dtype=np.int64))
        ends = np.array(model.range, dtype=np.int64)
        self._ends = set(ends.tolist())
        now = np.array([model.document.frame], dtype=np.int64)
        self._all = np.unique(np.concatenate([marks, ends, now, standing]))

    def near(self, frame: float) -> int | None:
        """Return the place nearest to a frame if the mouse is near enough to it."""
        if not len(self._all):
            return None
        i = int(np.searchsorted(self._all, frame))
        beside = self._all[max(i - 1, 0) : i + 1]
        place = int(beside[np.argmin(np.abs(beside - frame))])
        return place if abs(place - frame) * self._model.pixels <= REACH else None

    def best(self, edges: Iterable[int], by: float) -> tuple[int, Snap] | None:
        """Return the shift nearest to ``by`` at which one of some frames comes to a place, and which that is."""
        found = [(abs(place - edge - by), place - edge, place) for edge in edges
                 if (place := self.near(edge + by)) is not None]  # fmt: skip
        if not found:
            return None
        _, shift, place = min(found)
        return shift, self.snap_at(place)

    def snap_at(self, place: int) -> Snap:
        """Return a place with its name."""
        if place == self._model.document.frame:
            return Snap(place, "playhead")
        if place in self._marks:
            return Snap(place, self._marks[place])
        i = int(np.searchsorted(self._beats, place))
        if i < len(self._beats) and self._beats[i] == place:
            return Snap(place, "beat")
        return Snap(place, "end of the range" if place in self._ends else "key")


SNAP = 6.0


class KeyChoice(TimeScale):
    """The keys and which of them are selected.

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


class KeyDrag(KeyChoice):
    """The drag of the selected keys; nothing in the document changes until they are dropped.

    Attributes:
        moves: Where dragged keys are shown, or None.
        snap: What the drag has snapped to, or None.
    """

    def __init__(self, document: Document, parent: QObject | None = None):
        super().__init__(document, parent)
        self.moves: Moves | None = None
        self.snap: Snap | None = None
        self._retiming: Retiming | None = None
        self._stretched = False

    @property
    def retiming(self) -> Retiming | None:
        """What a drag of the selected keys takes along; None if none is selected."""
        if self._retiming is None and self._chosen.any():
            names, sequence = self.selected.channels, self.document.sequence
            assert sequence is not None
            following = np.array([names is None or name in names for name in sequence.channels.names])
            self._retiming = Retiming(self.table, self._chosen, following)
        return self._retiming

    @property
    def dragging(self) -> bool:
        """Whether keys are shown elsewhere than they are."""
        return self.moves is not None and self.moves.moved

    @property
    def shift(self) -> int:
        """Frames by which the first of the selected keys is shown elsewhere."""
        return 0 if self.moves is None else self.moves.place(self.moves.first) - self.moves.first

    def shifted(self) -> Mapping[int, int]:
        """Return old to new frame for the keys being dragged or spread."""
        return {} if self.moves is None else self.moves.mapping

    def whole_moves(self) -> Mapping[int, int]:
        """Return the same if whole keys are dragged, which take lock strips along; else nothing."""
        return self.shifted() if self.selected.whole else {}

    def shown_frames(self) -> NDArray[np.int64]:
        """Return the frame at which each key is shown, which during a drag is not where it is."""
        if self.moves is None:
            return self.frames
        shown = self.frames.copy()
        shown[np.searchsorted(shown, self.moves.old)] = self.moves.new
        return shown

    @property
    def selected_span(self) -> tuple[int, int] | None:
        """First and last frame at which selected keys are shown; None unless they are at two or more frames."""
        rows = np.flatnonzero(self.is_selected())
        if len(rows) < 2:
            return None
        first, last = int(self.frames[rows[0]]), int(self.frames[rows[-1]])
        return (first, last) if self.moves is None else (self.moves.place(first), self.moves.place(last))

    def set_shift(self, wanted: int, ripple: bool = False) -> None:
        """Show the selected keys moved by some frames, as near to ``wanted`` as they may go.

        Args:
            wanted: Number of frames.
            ripple: Whether later keys go along.
        """
        if self.retiming is not None:
            self._stretched = False
            self._show_moves(self.retiming.shifted(wanted, ripple))

    def set_scale(self, last: bool, wanted: int, ripple: bool = False) -> None:
        """Show the selected keys spread so that one end comes to a frame and the other stays.

        Keys stay at least a frame apart and off keys that stand.

        Args:
            last: Whether the last of them moves, or the first.
            wanted: Frame that it is to come to.
            ripple: Whether what lies beyond that end moves along.
        """
        moves = None if self.retiming is None else self.retiming.scaled(last, wanted, ripple)
        if moves is not None:
            self._stretched = True
            self._show_moves(moves)

    def _show_moves(self, moves: Moves) -> None:
        before = self.moves
        self.moves = moves
        same = before is not None and before.rippled == moves.rippled and np.array_equal(before.new, moves.new)
        if not same:
            table, chosen = dragged_table(self.table, self._chosen, moves.moving, moves.old, moves.new)
            self.view = KeyView(table, self._still.channels, chosen) if moves.moved else self._still
        self.touch()

    def drop(self) -> bool:
        """End the drag of keys: move them in the document, as one undo step; return whether there is one."""
        moves, selection, sequence = self.moves, self.selected, self.document.sequence
        self._end_drag()
        done = False
        if moves is not None and moves.moved and sequence is not None:
            count = len(selection)
            text = f"{'Stretch' if self._stretched else 'Move'} {'key' if count == 1 else f'{count} keys'}"
            which, mapping = selection, moves.mapping
            if moves.rippled:
                text += " and what follows"
            elif moves.earlier:
                text += " and what comes before"
            if moves.earlier:
                which = KeySelection.of_mask(self.table, sequence.channels, moves.moving)
            done = self.document.keys.move(which, mapping, text=text, ripple=moves.rippled, earlier=moves.earlier)
            if done:
                self.document.history.select_moved(selection, selection.moved(mapping))
        self.touch()
        return done

    def cancel(self) -> None:
        """Give up the drag of keys."""
        self._end_drag()
        self.touch()

    def _end_drag(self) -> None:
        self.moves = self.snap = self._retiming = None
        self.view = self._still

    def delete_selected(self) -> None:
        """Delete the selected keys as one undo step."""
        selection = self.selected
        if selection and self.document.keys.delete(selection):
            self.document.history.select_moved(selection, NOTHING)
