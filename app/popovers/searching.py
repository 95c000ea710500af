"""A board that looks for something beside the window, anew whenever what is asked for changes; Enter takes it."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QProgressBar, QWidget

from app.process.handler_guard import guarded
from app.widgets.frames.popover import Popover
from app.work.background import Background

PAUSE_MS = 250
"""How long what is asked for has to stay the same before the search begins, [ms]."""


class SearchPopover(Popover):
    """What such boards have in common; each says what is looked for, and what is done with it.

    Args:
        name: What it is called, for assistive tools.
        width: [px].
        parent: Parent widget.

    Attributes:
        progress: How far the search is.
    """

    def __init__(self, name: str, width: int, parent: QWidget | None = None):
        super().__init__(name, width, parent)
        self._wanted = False  # whether what is found is to be taken as soon as it is there
        self._work = Background(self)
        self._work.progressed.connect(self._progressed)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._look)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(4)

    def accept(self) -> None:
        """Take what was found; while the search goes on, as soon as it has ended."""
        raise NotImplementedError

    def _look(self) -> None:
        """Begin to look; what is under way is of no use any more."""
        raise NotImplementedError

    def _progressed(self, part: float) -> None:
        self.progress.setValue(round(100 * part))

    @property
    def _is_looking(self) -> bool:
        """Whether the search goes on, or is about to begin."""
        return self._work.busy or self._pause.isActive()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.accept()
        else:
            super().keyPressEvent(event)

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        self._pause.stop()
        self._work.cancel()
        self._wanted = False
        super().hideEvent(event)

    def stop(self) -> None:
        """End what goes on in the background; call before the window closes."""
        self._pause.stop()
        self._work.stop()
