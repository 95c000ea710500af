"""Opening files from the window: large ones beside it, and the question that a file without a unit leaves open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.document import files
from app.widgets.quantity import length_text
from core.animation.standing import standing_height
from core.errors import CoreError, Problem

if TYPE_CHECKING:
    from app.background import Progress
    from app.document.model import Model
    from app.main_window import MainWindow

LARGE = 200_000  # bytes; what is smaller is open before a line about it could be read
DRAWN_MS = 60  # the first picture of what was opened is under way by then, and takes its time with a new figure
PERSON = 1.7  # [m]
UNITS = ((1.0, "metres"), (0.1, "decimetres"), (0.01, "centimetres"), (0.001, "millimetres"), (0.0254, "inches"))

Read = tuple["Model", tuple[Problem, ...]]


class Opening:
    """Opens files in place of what is open.

    Args:
        window: The window.
    """

    def __init__(self, window: MainWindow):
        self._window = window

    def open(self, path: Path, unit: float | None = None, then: Callable[[], object] | None = None) -> bool:
        """Open a file; a large one is read in the background and comes when it is there.

        Args:
            path: The file.
            unit: Metres in one of its units; None takes what the file says or its size suggests.
            then: Called once it is open.

        Returns:
            Whether it is open, or being read.
        """
        window = self._window
        window.player.pause()
        window.errors.close_message()
        if window.background.busy:
            window.tell("warning", f"{path.name} was not opened: other work is under way; wait for it or cancel it")
            return False
        try:
            large = path.stat().st_size > LARGE
        except OSError:
            large = False
        if not large:
            with self._waiting(path):
                good = window.document.open(path, unit=unit)
            if not good:
                return False
            self._opened(path, unit, then)
            return True

        def read(progress: Progress) -> Read:
            return files.read_model(path, unit=unit, progress=progress)

        begun = window.document.stack.index()
        done = partial(self._take, path, unit, then, begun)
        failed = partial(self._refuse, path)
        return window.background.run(f"Reading {path.name}", read, done, failed)

    def _take(self, path: Path, unit: float | None, then: Callable[[], object] | None, begun: int, read: Read) -> None:
        # Somebody may have gone on working while the file was read.
        if self._window.document.stack.index() != begun and not self._window.files.may_discard():
            return
        with self._waiting(path):
            self._window.document.adopt(*read, path)
        self._opened(path, unit, then)

    @contextmanager
    def _waiting(self, path: Path) -> Iterator[None]:
        """Say at once that a file is being opened, until it is drawn: a figure seen first takes a second or two."""
        status, text = self._window.status, f"Opening {path.name}…"
        status.show_message("info", text)
        status.repaint()
        QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)

        def over() -> None:
            if status.state.text == text:
                status.drop_message()

        try:
            yield
        finally:
            QTimer.singleShot(DRAWN_MS, status, over)
            QTimer.singleShot(DRAWN_MS, QApplication.instance(), QApplication.restoreOverrideCursor)

    def _opened(self, path: Path, unit: float | None, then: Callable[[], object] | None) -> None:
        self._ask_unit(path, unit)
        if then is not None:
            then()

    def _refuse(self, path: Path, error: Exception) -> None:
        if not isinstance(error, (CoreError, OSError)):
            raise error
        self._window.document.refuse(path, error)

    def _ask_unit(self, path: Path, unit: float | None) -> None:
        """Ask how large a figure is meant to be, if its file does not say and no guess is likely."""
        model = self._window.document.model
        skeleton = model.skeleton
        if unit is not None or model.unit_guess != "doubtful" or skeleton is None:
            return
        height = standing_height(skeleton, model.sequences)
        in_file = height / model.unit
        choices = [
            (length_text(in_file * metres), f"Lengths in the file are {name}", partial(self._reopen, path, metres))
            for metres, name in UNITS
        ]
        tip = "Scale it to the height of a person"
        choices.append((f"{length_text(PERSON)} like a person", tip, partial(self._reopen, path, PERSON / in_file)))
        self._window.ask(f"{path.name} does not say its unit. How large is the figure?", choices)

    def _reopen(self, path: Path, unit: float) -> None:
        if self._window.files.may_discard():
            self.open(path, unit)
