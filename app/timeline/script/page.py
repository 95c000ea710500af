"""The Script tab: the locks of the sequence as a text, in step with their strips, and a line about what is wrong."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from app.document.changes import Change, FigureChanged, FileChanged, LocksChanged, SequenceChanged, SessionChanged
from app.look import icons, style
from app.process.handler_guard import guarded
from app.timeline.script.editor import ScriptEditor
from app.widgets.behaviour.base import Filled
from app.widgets.labels import hint_label
from app.widgets.layouts import column_layout, row_layout
from app.words.keys_now import key_of
from core.animation.script.completion import Completion, complete
from core.animation.script.names import FigureNames
from core.animation.script.text import ScriptProblem

if TYPE_CHECKING:
    from app.document.document import Document

PAUSE = 200
"""So long nothing must be typed before strips follow, [ms]."""
SIGN = 14
_BURST = 2.0  # seconds without a key after which typing is another undo step
_KINDS = (FileChanged, FigureChanged, SequenceChanged, LocksChanged)


class ProblemLine(QLabel):
    """Says what is wrong first, and goes there when it is clicked."""

    def __init__(self, page: ScriptPage):
        super().__init__()
        self._page = page
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._page.go_to_problem()


class ScriptPage(Filled):
    """Editor and status of the script of the active sequence.

    Args:
        document: The open document.
    """

    ground = "panel"

    def __init__(self, document: Document):
        super().__init__()
        self.document = document
        self.editor = ScriptEditor(self._complete)
        self._waiting = QTimer(self, singleShot=True, interval=PAUSE)
        self._waiting.timeout.connect(self.flush)
        self._typed: str | None = None
        self._gesture, self._last = 0, 0.0
        self._taking = False
        self._names: tuple[object, FigureNames] | None = None
        self.sign, self.status = QLabel(), ProblemLine(self)
        self.sign.setFixedSize(SIGN, SIGN)
        self.keys = hint_label("")
        self.show_keys()
        column = column_layout(self)
        column.addWidget(self.editor, 1)
        foot = Filled()
        foot.ground = "head"
        foot.setFixedHeight(26)
        row = row_layout(foot, (12, 0, 12, 0), 6)
        row.addWidget(self.sign)
        row.addWidget(self.status, 1)
        row.addWidget(self.keys)
        column.addWidget(foot)
        self.editor.edited.connect(self._take_typing)
        self.editor.left.connect(self.flush)
        self.editor.cursorPositionChanged.connect(self._follow_cursor)
        document.changed.connect(self._take)
        self.setAccessibleName("Script")

    # -- document to text ------------------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        if self._taking or not self.isVisible():
            return
        if isinstance(change, _KINDS):
            self.show_document()
        elif isinstance(change, SessionChanged) and change.name == "selected_lock":
            self._show_selected()

    def show_document(self) -> None:
        """Show the script of the document, unless something is typed that is not in it yet."""
        if self._typed is not None:
            return
        there = self.document.sequence is not None
        self.editor.setEnabled(there)
        self.editor.show_text(self.document.script.text if there else "")
        self._show_state()

    def _show_state(self) -> None:
        problems = self.document.script.problems()
        self.editor.show_problems(problems)
        self._show_selected()
        wrong = bool(problems)
        if wrong:
            first = self._nearest_problem() or problems[0]
            more = f"  ·  {len(problems) - 1} more" if len(problems) > 1 else ""
            text = f"Line {first.line}, column {first.column}: {first.message}{more}"
        else:
            count = sum(each is not None for each in self.document.script.script.strips)
            text = f"{count} lock{'s' * (count != 1)}" if count else "No locks: write one, or lock a part in a view"
        self.status.setText(text)
        self.status.setToolTip("\n".join(str(problem) for problem in problems[:12]))
        self.status.setProperty("warning", wrong)
        self.status.setProperty("hint", not wrong)
        self.status.style().unpolish(self.status)
        self.status.style().polish(self.status)
        self.status.setCursor(Qt.CursorShape.PointingHandCursor if wrong else Qt.CursorShape.ArrowCursor)
        self.sign.setVisible(wrong)
        self.keys.setVisible(not wrong)  # the line needs the room
        if wrong:
            self.sign.setPixmap(icons.pixmap("warn", style.color("warn").name(), SIGN, self.devicePixelRatioF()))

    def _nearest_problem(self) -> ScriptProblem | None:
        """Return what is wrong in the line of the cursor, else the first thing that is wrong; None if all is right."""
        problems = self.document.script.problems()
        line = self.editor.textCursor().blockNumber() + 1
        return next((each for each in problems if each.line == line), problems[0] if problems else None)

    def _show_selected(self) -> None:
        selected = self.document.session.locks.selected
        self.editor.mark_line(None if selected is None else self.document.script.place_of(selected))

    def show_keys(self) -> None:
        """Say which key completes a name."""
        key = key_of("complete_name", "")
        self.keys.setText(f"{key} completes" if key else "")

    def go_to_problem(self) -> None:
        """Put the cursor where something is wrong: what the line says."""
        problem = self._nearest_problem()
        if problem is not None:
            self.editor.setFocus(Qt.FocusReason.OtherFocusReason)
            self.editor.go_to(problem.start)

    # -- text to document ------------------------------------------------------------------------------------------

    def _take_typing(self, text: str) -> None:
        self._typed = text
        self._waiting.start()

    def flush(self) -> None:
        """Bring what was typed into the document."""
        self._waiting.stop()
        text, self._typed = self._typed, None
        if text is None or self.document.sequence is None:
            return
        now = time.monotonic()
        if now - self._last > _BURST or self._gesture == 0:
            self._gesture = self.document.gesture_id()
        self._last = now
        self._taking = True
        try:
            self.document.script.set_text(text, self._gesture)
        finally:
            self._taking = False
        if self.isVisible():
            self._show_state()

    def _follow_cursor(self) -> None:
        """Select the strip of the line that the cursor is in."""
        if self._typed is not None or not self.editor.hasFocus():
            return
        if self.document.script.problems():
            self._show_state()
        strip = self.document.script.strip_at(self.editor.place)
        if strip is not None and strip != self.document.session.locks.selected:
            self.document.session.locks.selected = strip

    def _complete(self, text: str, place: int) -> Completion:
        sequence = self.document.sequence
        if sequence is None:
            return Completion(place, ())
        others = {name: other.skeleton for name, other in self.document.script.companions.items()}
        return complete(text, place, FigureNames(sequence.skeleton, others))

    # -- events ----------------------------------------------------------------------------------------------------

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_document()

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        self.flush()
        super().hideEvent(event)
