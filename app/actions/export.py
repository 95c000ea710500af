"""What the actions do that write pictures and movies: ask, then draw in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QFileDialog

from app.export.child import render_in_child
from app.export_dialog import ExportDialog, Wishes
from core.animation import Key, Sequence
from core.errors import CoreError
from core.formats import FigureRecord, Project

if TYPE_CHECKING:
    from app.background import Progress
    from app.main_window import MainWindow


class ExportActions:
    """Actions that write pictures and movies.

    Args:
        window: The window, whose document they show.
    """

    def __init__(self, window: MainWindow):
        self._window = window
        self._wishes = Wishes()
        self._folder: Path | None = None  # of the last export, which was one of the document from
        self._beside: Path | None = None

    def picture(self) -> None:
        """Ask how, and write the pose that is shown as a picture."""
        sequence = self._shown()
        if sequence is not None:
            self._export(Sequence(sequence.skeleton, sequence.fps, sequence.name, keys=[Key(0, self._pose())]), False)

    def movie(self) -> None:
        """Ask how, and write the active sequence as a movie."""
        sequence = self._shown()
        if sequence is not None:
            self._export(sequence, True)

    def _shown(self) -> Sequence | None:
        """Return a copy of what is shown, which stays as it is while the person goes on working."""
        document = self._window.document
        shown = document.sequence
        if document.skeleton is None:
            return None
        if shown is None:
            return Sequence(document.skeleton, name=document.skeleton.name)
        first, last = shown.range
        end = None if shown.ends_with_last_key else last
        return Sequence(shown.skeleton, shown.fps, shown.name, first, end, loop=shown.loop, keys=shown.keys)

    def _pose(self) -> object:
        return self._window.document.pose

    def _export(self, sequence: Sequence, movie: bool) -> None:
        window = self._window
        if window.background.busy:
            window.tell("warning", "Other work is under way; wait for it or cancel it")
            return
        camera = window.area.host.cameras[window.area.kind]
        theme = window.document.session.theme
        dialog = ExportDialog(sequence, self._wishes, theme, camera.copy(), movie, window)
        if dialog.exec() != QDialog.DialogCode.Accepted:
            return
        target = self._ask_path(dialog)
        if target is not None:
            self.begin(sequence, target, dialog.words())

    def _ask_path(self, dialog: ExportDialog) -> Path | None:
        document, suffix = self._window.document, dialog.suffix
        suggested = self._window.files.suggested_path(suffix, dialog.sequence.name or "picture")
        if self._folder is not None and self._beside == document.origin:
            suggested = self._folder / suggested.name
        kind = f"{suffix[1:].upper()} files (*{suffix})"
        chosen, _ = QFileDialog.getSaveFileName(self._window, dialog.windowTitle(), str(suggested), kind)
        if not chosen:
            return None
        target = Path(chosen)
        if target.suffix.lower() != suffix:
            target = target.with_name(target.name + suffix)
        self._folder, self._beside = target.parent, document.origin
        return target

    def begin(self, sequence: Sequence, target: Path, words: list[str]) -> bool:
        """Begin to write a file in the background; the window says when it is there.

        Args:
            sequence: What is drawn.
            target: The file.
            words: How, as words of the command line.

        Returns:
            False if other work is under way.
        """
        window = self._window
        figures = window.document.model.figures
        figure = next((each for each in figures if each.skeleton is sequence.skeleton), None)
        records = []
        if figure is not None:
            records.append(FigureRecord(figure.name, figure.scr, figure.source, figure.extra, figure.objects))
        project = Project([sequence.skeleton], [sequence], figure_records=records)

        def draw(progress: Progress) -> str:
            return render_in_child(project, target, words, progress)

        def done(told: str) -> None:
            window.tell("info", f"{target.name} written: {told}")

        def failed(error: Exception) -> None:
            if not isinstance(error, (CoreError, OSError)):
                raise error
            window.tell("error", f"{target.name} was not written: {str(error).splitlines()[0]}", str(error))

        return window.background.run(f"Drawing {target.name}", draw, done, failed)
