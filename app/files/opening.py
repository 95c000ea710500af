"""Opening files from the window: large ones beside it, those of other programs as ``import_flow`` has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.document.files import model_files
from app.document.files.model_files import content_of
from app.files.import_flow import Imports
from app.work.background import BUSY
from core.errors import CoreError, Problem
from core.formats import format_of

if TYPE_CHECKING:
    from app.document.content.model import Model
    from app.files.file_window import FileWindow
    from app.work.background import Progress

LARGE = 200_000  # bytes; what is smaller is open before a line about it could be read
DRAWN_MS = 60  # the first picture of what was opened is under way by then, and takes its time with a new figure

Read = tuple["Model", tuple[Problem, ...], str | None]
Result = TypeVar("Result")


class Opening:
    """Opens files in place of what is open.

    Args:
        window: The window.
    """

    def __init__(self, window: FileWindow):
        self._window = window
        self.imports = Imports(window, self)

    def open(self, path: Path, then: Callable[[], object] | None = None, ask: bool = False) -> bool:
        """Open a file; a large one is read in the background and comes when it is there.

        Args:
            path: The file.
            then: Called once it is open.
            ask: Whether it is asked how a file of another program is read, also where there is no doubt.

        Returns:
            Whether it is open, being read, or asked about.
        """
        window = self._window
        if path.suffix.lower() not in model_files.OWN:
            return self.imports.open(path, None, then, ask=ask)
        if not self._ready(path):
            return False
        if not self._large(path):
            with self.waiting(path):
                good = window.document.files.open(path)
            if good and then is not None:
                then()
            return good

        def read(progress: Progress) -> Read:
            content = content_of(path)
            return (*model_files.read_model(path, progress=progress), content)

        return self._beside(path, read, partial(self._take, path, then))

    def run(self, path: Path, read: Callable[[Progress | None], Result], done: Callable[[Result], object]) -> bool:
        """Read a file of another program, a large one in the background; return whether it is read, or being read.

        Args:
            path: The file.
            read: Reads it; takes a function to report progress, or None.
            done: Takes what was read.
        """
        if not self._ready(path):
            return False
        if self._large(path):
            return self._beside(path, read, done)
        with self.waiting(path):
            try:
                found = read(None)
            except Exception as error:
                self._refuse(path, error)
                return False
            done(found)
        return True

    def _ready(self, path: Path) -> bool:
        window = self._window
        window.player.pause()
        window.errors.clear()
        if window.background.busy:
            window.show_message("warning", f"{path.name} was not opened. {BUSY}")
            return False
        return True

    @staticmethod
    def _large(path: Path) -> bool:
        try:
            format = format_of(path)
            apart = format is not None and format.load_apart is not None  # such a process takes a while to begin
            return path.stat().st_size > (0 if apart else LARGE)
        except OSError:
            return False

    def _beside(self, path: Path, read: Callable[[Progress], Result], done: Callable[[Result], object]) -> bool:
        begun = self._window.document.revision

        def take(found: Result) -> None:
            # Somebody may have gone on working while the file was read.
            if self._window.document.revision == begun or self._window.files.may_discard():
                done(found)

        return self._window.background.run(f"Reading {path.name}", read, take, partial(self._refuse, path))

    def _take(self, path: Path, then: Callable[[], object] | None, read: Read) -> None:
        with self.waiting(path):
            model, warnings, content = read
            self._window.document.files.adopt(model, warnings, path, content)
        if then is not None:
            then()

    @contextmanager
    def waiting(self, path: Path) -> Iterator[None]:
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
            application = QApplication.instance()
            assert application is not None
            QTimer.singleShot(DRAWN_MS, status, over)
            QTimer.singleShot(DRAWN_MS, application, QApplication.restoreOverrideCursor)

    def _refuse(self, path: Path, error: Exception) -> None:
        if not isinstance(error, (CoreError, OSError)):
            raise error
        self._window.document.files.refuse(path, error)
