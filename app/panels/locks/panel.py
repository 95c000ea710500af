"""The locks panel: what is held at this frame and how well, what is in the way, and how it is held."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    KeysChanged,
    LocksChanged,
    PhysicsChanged,
    PoseChanged,
    SequenceChanged,
    SessionChanged,
)
from app.document.edits.lock_states import is_off
from app.document.locks.lock_fixes import apply_fix
from app.panels.locks.conflict_rows import ConflictRows, step_text
from app.panels.locks.editor import LockEditor
from app.panels.locks.lock_list import ColumnHeads, LockList
from app.panels.locks.menus import add_menu, panel_menu, row_menu, without_end
from app.panels.locks.row_texts import ALWAYS, lines_of
from app.panels.locks.solving import LockSolving
from app.process.handler_guard import guarded
from app.widgets.frames.dock import Panel
from app.widgets.frames.empty_state import EmptyState
from app.widgets.frames.menu import pop_up
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import WholeLabel, hint_label
from app.widgets.layouts import column_layout
from app.words.lock_summary_words import summary_lines
from app.words.lock_words import select_and_lock
from app.work.throttle import Throttle

if TYPE_CHECKING:
    from app.document.document import Document

NO_FIGURE = "Open a figure to lock its parts"
LOOKING = "Finding what is in the way…"
LATE_MS = 66  # while a part is dragged or the sequence plays the rows follow this often: nobody reads faster
LOW = 620  # in a panel lower than this how locks are held is folded until a person opens it, [px]


class LocksPanel(Panel):
    """A row for each lock, an editor under the chosen one, what conflicts say, and how locks are held."""

    title = "Locks"
    icon = "lock"
    area = "right"
    stretch = 2

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(document, parent)
        self.document = document
        self._opened = ""
        self._low = False
        column = column_layout(self)
        self.heads = ColumnHeads()
        self.list = LockList()
        self.empty = EmptyState(select_and_lock(), "lock")
        self.empty.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.solving = LockSolving(document)
        self.solving.solve_wanted.connect(document.locks.solve_now)
        column.addWidget(self.heads)
        column.addWidget(self.list, 1)
        column.addWidget(self.empty, 1)
        self.held = hint_label()
        self.held.setWordWrap(True)
        self.held.setContentsMargins(12, 4, 12, 6)
        self.held.hide()
        column.addWidget(self.held)
        self.summary = WholeLabel()
        self.summary.setContentsMargins(12, 4, 12, 6)
        column.addWidget(self.summary)
        self.looking = hint_label(LOOKING)
        self.looking.setContentsMargins(12, 4, 12, 6)
        self.looking.setVisible(False)
        column.addWidget(self.looking)
        column.addWidget(self.solving)
        self.conflict_rows = ConflictRows(self.list.column)
        self.conflict_rows.hide()
        self.conflict_rows.fix_wanted.connect(self._fix)
        self.note = hint_label()
        self._add_button = ToolButton("plus", "", "Lock the selected part", size=(26, 24))
        self._add_button.clicked.connect(self._add)
        self._more_button = ToolButton("more", "", "More for locks", size=(26, 24))
        self._more_button.clicked.connect(self._more)
        self._connect_list()
        self._follow = Throttle(self.refresh, LATE_MS, self)
        document.changed.connect(self._on_change)
        self._show_summary()
        self.refresh()

    @cached_property
    def editor(self) -> LockEditor:
        """What edits the open lock; there is none before the first is opened."""
        editor = LockEditor(self.document, self.list.column)
        editor.hide()
        editor.closed.connect(lambda: self.open_editor(""))
        editor.helpers.unfolded.connect(lambda: self.list.reveal(editor.helpers, editor.helpers.presets))
        return editor

    def _connect_list(self) -> None:
        session = self.document.session
        self.list.chosen.connect(self.choose)
        self.list.opened.connect(self.flip_editor)
        self.list.removed.connect(self.remove)
        self.list.hovered.connect(self._hover)
        self.list.menu_wanted.connect(lambda key, at: pop_up(row_menu(self, key), at))
        self.list.show_selected(session.locks.selected or "")

    def title_note(self) -> QWidget | None:
        return self.note

    def title_buttons(self) -> Sequence[QWidget]:
        return (self._add_button, self._more_button)

    def first_focus(self) -> QWidget | None:
        return self.list.first_focus() or self.solving.first_focus()

    # -- following the document ----------------------------------------------------------------------------------

    def _on_change(self, change: Change) -> None:
        name = change.name
        if isinstance(change, (PoseChanged, LocksChanged, FrameChanged)):
            running = self.document.session.playback.playing or self.document.physics.running
            self._follow.wish(hurry=not (change.live or running or self.document.gesture))
        elif isinstance(change, PhysicsChanged) and name in ("sample", "mode"):
            self._follow.wish(hurry=not self.document.physics.running)
        elif isinstance(change, (FileChanged, FigureChanged, SequenceChanged, KeysChanged)):
            self._follow.wish(hurry=not change.live)
        elif isinstance(change, SessionChanged) and name == "selected_lock":
            self._show_selected()
        elif isinstance(change, SessionChanged) and name == "hovered_lock":
            self.list.show_lit(self.document.session.locks.hovered or "")
        elif isinstance(change, SessionChanged) and name == "lock_summary":
            self._show_summary()
        elif isinstance(change, SessionChanged) and name == "looking":
            self.looking.setVisible(self.document.session.locks.looking)
        elif isinstance(change, SessionChanged) and name == "conflict":
            self._show_conflict()

    def _where(self) -> str:
        """Return which frame is shown, and of a round after or before the keys which of theirs it repeats."""
        sequence, frame = self.document.sequence, self.document.frame
        if sequence is None:
            return ""
        cycled, here = sequence.cycled, np.array([float(frame)])
        if cycled is None or not cycled.beyond(here)[0]:
            return f"at frame {frame}"
        return f"at frame {frame}, repeats {cycled.inside(here)[0][0]:.0f}"

    def keys_changed(self) -> None:
        self.refresh()

    def refresh(self) -> None:
        """Show the locks as they are now."""
        document = self.document
        lines = lines_of(document)
        known = {line.key for line in lines}
        self.list.show_lines(lines)
        self.note.setText(self._where())
        self.solving.setVisible(document.physics.mode != "physics")
        holders = document.grips.holders
        if holders and not lines:
            self.empty.set_text(f"Held by {holders}")
        else:
            self.empty.set_text(select_and_lock() if document.skeleton is not None else NO_FIGURE)
        self.held.setText(f"Held by {holders}")
        self.held.setVisible(bool(holders and lines))
        for button in (self._add_button, self._more_button):
            button.setEnabled(document.skeleton is not None)
        for part, shown in ((self.heads, bool(lines)), (self.list, bool(lines)), (self.empty, not lines)):
            part.setVisible(shown)
        if self._opened and self._opened not in known:
            self._opened = ""
        if self._opened:
            self.editor.show_lock(self._opened)
        self._place()

    def _show_summary(self) -> None:
        found, skeleton = self.document.session.locks.summary, self.document.skeleton
        lines = summary_lines(found, skeleton) if found is not None and skeleton is not None else []
        self.summary.say("\n".join(lines))
        self.summary.setVisible(bool(lines))

    def _show_selected(self) -> None:
        chosen = self.document.session.locks.selected or ""
        if self._opened and chosen and chosen != self._opened:
            self.open_editor(chosen)  # the editor stays open, for the lock that is selected
        self.list.show_selected(chosen)

    def _show_conflict(self) -> None:
        found, skeleton = self.document.session.locks.conflict, self.document.skeleton
        if found is not None and skeleton is not None:
            self.conflict_rows.show_conflict(found, skeleton)
        self.refresh()

    def _place(self) -> None:
        """Put editor and conflict under the rows they belong to."""
        under: dict[str, list[QWidget]] = {}
        found = self.document.session.locks.conflict
        if found is not None:
            keys = [key for key in self.list.rows if key in found.keys]
            if keys:
                under[keys[-1]] = [self.conflict_rows]
        if self._opened in self.list.rows:
            under.setdefault(self._opened, []).append(self.editor)
        for key, row in self.list.rows.items():
            row.set_open(key == self._opened)
        self.list.place_under(under)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        low = self.height() < LOW
        if low != self._low:  # what a person opens or closes stays so until the room is another
            self._low = low
            self.solving.set_open(not low)

    # -- what the rows ask for -----------------------------------------------------------------------------------

    def choose(self, key: str) -> None:
        """Select a lock."""
        self.document.session.locks.selected = key or None

    def _hover(self, key: str, inside: bool) -> None:
        session = self.document.session
        if inside:
            session.locks.hovered = key
        elif session.locks.hovered == key:
            session.locks.hovered = None

    def flip_editor(self, key: str) -> None:
        """Open a row's editor, or close it."""
        self.open_editor("" if key == self._opened else key)

    def open_editor(self, key: str) -> None:
        """Open the editor of a lock; "" closes it."""
        if key.startswith(ALWAYS):
            key = self.document.locks.turn_into_strip(int(key.removeprefix(ALWAYS)))
            self.document.say("info", "This lock held at all times; it is now a strip from frame 0, to be edited")
        before, self._opened = self._opened, key
        if key:
            self.editor.show_lock(key)
            self.choose(key)
        self._place()
        if key and key in self.list.rows:
            self.list.reveal(self.editor, self.list.rows[key])
        elif before in self.list.rows and self.editor.isAncestorOf(self.focusWidget() or self):
            self.list.rows[before].setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def opened(self) -> str:
        """Id of the lock whose editor is open, or ""."""
        return self._opened

    def remove(self, key: str) -> None:
        """Remove a lock."""
        if key.startswith(ALWAYS):
            self.document.locks.remove_always(int(key.removeprefix(ALWAYS)))
        else:
            self.document.locks.remove(key)

    def end_all(self) -> None:
        """End the locks that hold now at this frame."""
        frame = self.document.frame
        acting = {strip.id for strip, lock, factor in self.document.locks.now() if strip and not is_off(lock, factor)}
        strips = [without_end(strip, frame) if strip.id in acting else strip for strip in self.document.locks.strips]
        self.document.locks.set(strips, f"End all locks at frame {frame}")

    def flip_elsewhere(self) -> None:
        """Show the locks of other frames, or hide them."""
        self.list.elsewhere.setChecked(not self.list.elsewhere.isChecked())

    def _fix(self, number: int) -> None:
        found = self.document.session.locks.conflict
        if found is not None:
            fix = found.fixes[number]
            apply_fix(self.document, found.ids, fix, step_text(fix))

    # -- the buttons of the title --------------------------------------------------------------------------------

    def _add(self) -> None:
        menu = add_menu(self, self.document, self.choose)
        pop_up(menu, self._add_button.mapToGlobal(self._add_button.rect().bottomLeft()))

    def _more(self) -> None:
        pop_up(panel_menu(self), self._more_button.mapToGlobal(self._more_button.rect().bottomLeft()))
