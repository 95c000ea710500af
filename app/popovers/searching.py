"""A board that looks for something beside the window, anew whenever what is asked for changes; Enter takes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.document.content.records import own_copy
from app.document.document import Document
from app.process.handler_guard import guarded
from app.widgets.frames.popover import Popover
from app.widgets.frames.tool_button import ToolButton
from app.widgets.progress_line import ProgressLine
from app.work.background import Progress
from app.work.latest_work import LatestWork

if TYPE_CHECKING:
    from core.animation.sequence import Sequence

PAUSE_MS = 250
"""How long what is asked for has to stay the same before the search begins, [ms]."""

INSET = 6
"""How far texts are from the sides of the column, [px]."""

Found = TypeVar("Found")
"""What is found."""


class SearchPopover(Popover, Generic[Found]):
    """What such boards have in common; each says what is looked for, and what is done with it.

    Esc, or a press beside it, closes it and leaves the motion as it is. What was found is of no use once the motion has
    been edited.

    Args:
        document: The document.
        name: What it is called, for assistive tools.
        text: What is done while it looks, for a person.
        width: [px].
        parent: Parent widget.

    Attributes:
        found: What was found last; None as long as the search goes on.
        progress: How far the search is.
        cancel_button: Closes it.
        take_button: Takes what was found.
    """

    def __init__(self, document: Document, name: str, text: str, width: int, parent: QWidget | None = None):
        super().__init__(name, width, parent)
        self.document = document
        self.found: Found | None = None
        self._wanted = False  # whether what is found is to be taken as soon as it is there
        self._revision = 0
        self._work: LatestWork[Any] = LatestWork(
            text, PAUSE_MS, self._make, self._take, self._fail, self._ready, parent=self
        )
        self.progress = ProgressLine()
        self._work.progressed.connect(self.progress.show_part)

    # -- what each says ----------------------------------------------------------------------------------------------

    def search(self, sequence: Sequence) -> Callable[[Progress], Any]:
        """Return what is to be done in a thread with a sequence that is its own."""
        raise NotImplementedError

    def show_found(self, problem: str) -> None:
        """Say what was found; with nothing found yet, that it is looked for, or why it cannot be found."""
        raise NotImplementedError

    @property
    def worth(self) -> bool:
        """Whether there is anything in what was found to take."""
        raise NotImplementedError

    def keep(self, found: Found) -> None:
        """Take what was found, as one step."""
        raise NotImplementedError

    def outdated(self) -> str:
        """Return what is said where the motion has been edited since it was looked at."""
        raise NotImplementedError

    def _ready(self) -> bool:
        """Return whether the search can begin."""
        return True

    # -- what they have in common ------------------------------------------------------------------------------------

    def _add_progress(self) -> None:
        """Add the bar that shows how far the search is, as far in as texts."""
        line = QHBoxLayout()
        line.setContentsMargins(INSET, 0, INSET, 0)
        line.addWidget(self.progress)
        self.column.addLayout(line)

    def _add_buttons(self, leave: str, take: str, tip: str, *others: ToolButton) -> None:
        """Add the lowest row: other buttons on the left, Cancel, and the one that takes what was found.

        Args:
            leave: What Cancel does.
            take: Text of the button that takes it.
            tip: What that does.
            others: Buttons of its own.
        """
        line = QHBoxLayout()
        line.setContentsMargins(INSET, 0, 0, 0)
        line.setSpacing(6)
        for button in others:
            line.addWidget(button)
        self.cancel_button = ToolButton("", "Cancel", f"{leave} (Esc)", "raised")
        self.cancel_button.clicked.connect(self.hide)
        self.take_button = ToolButton("", take, f"{tip} (Enter)", "primary")
        self.take_button.clicked.connect(self.accept)
        line.addStretch(1)
        line.addWidget(self.cancel_button)
        line.addWidget(self.take_button)
        self.column.addLayout(line)

    def _open(self, corner: QPoint) -> None:
        """Begin to look, and open at a place on the screen, moved so that all of it is seen."""
        self._wanted, self._revision = False, self.document.revision
        self.look(at_once=True)
        self.adjustSize()
        self.place(corner.x(), corner.y())
        self.show()
        self.take_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def look(self, at_once: bool = False) -> None:
        """Look anew, once nothing has changed for a moment; what is under way is of no use any more."""
        self.found = None
        self._work.ask(at_once)
        self._show()

    def _make(self) -> Callable[[Progress], Any] | None:
        sequence = self.document.sequence
        if sequence is None:
            return None
        self._show()
        return self.search(own_copy(sequence))

    def _take(self, found: Any) -> None:
        self.found = found
        self._show()
        if self._wanted:
            self.accept()

    def _fail(self, problem: str) -> None:
        self._wanted = False
        self._show(problem[:1].upper() + problem[1:])

    def _show(self, problem: str = "") -> None:
        looking = self.found is None and not problem
        if looking:
            self.progress.setValue(0)
        self.progress.setVisible(looking)
        self.take_button.setEnabled(looking or (self.found is not None and self.worth))
        self.show_found(problem)

    def accept(self) -> None:
        """Take what was found; while the search goes on, as soon as it has ended."""
        found = self.found
        if found is None:
            self._wanted = self._work.busy
            return
        self._wanted = False
        if not self.worth:
            return
        self.hide()
        if self.document.revision == self._revision:
            self.keep(found)
        else:
            self.document.say("info", self.outdated())

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.accept()
        else:
            super().keyPressEvent(event)

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        self._work.cancel()
        self._wanted = False
        super().hideEvent(event)

    def stop(self) -> None:
        """End what goes on in the background; call before the window closes."""
        self._work.stop()
