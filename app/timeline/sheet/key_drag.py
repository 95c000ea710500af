"""Keys on their way: where dragged keys are shown, and what becomes of them when they are dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from app.document.content.key_selection import NOTHING, KeySelection
from app.timeline.key_view import KeyView, dragged_table
from app.timeline.retiming import Moves, Retiming
from app.timeline.sheet.selected_keys import KeyChoice

if TYPE_CHECKING:
    from app.document.document import Document


class Snap(NamedTuple):
    """Something a drag has snapped to.

    Attributes:
        frame: Where it is.
        what: What stands there.
    """

    frame: int
    what: str


class KeyDrag(KeyChoice):
    """The drag of the selected keys; nothing in the document changes until they are dropped.

    Args:
        document: The open document.
        parent: Qt parent.

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
