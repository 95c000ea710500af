"""What the actions that open, save, export and drop files do."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QStandardPaths
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox

from app.actions.export import ExportActions
from app.actions.group import WindowActions
from app.actions.motion import write_trails
from app.actions.scene_view import write_scene
from app.document.files.model_files import OWN, read_figure, read_model
from app.document.files.recent import RecentFiles
from app.files.file_watch import FileWatch
from app.files.opening import Opening
from app.library import gallery_items
from app.library.gallery import Gallery
from app.library.gallery_tile import PICTURE
from app.library.icons import LibraryIcons
from app.widgets.frames.menu import add_action
from core.errors import CoreError
from core.formats import FORMATS, PAGE_SUFFIX
from core.formats.bundled import bundled_folder

if TYPE_CHECKING:
    from app.actions.editor_window import EditorWindow
    from app.document.content.model import Model
    from app.document.content.records import Figure
    from app.work.background import Progress
    from core.errors import Problem
    from core.formats import Project
    from core.skeleton import Skeleton

READABLE = tuple(suffix for known in FORMATS for suffix in known.suffixes)
OPEN_FILTER = f"Sequences and figures ({' '.join('*' + suffix for suffix in READABLE)});;All files (*)"
FOREIGN = tuple(known for known in FORMATS if known.suffixes[0] not in OWN)
IMPORT_FILTER = ";;".join(
    [f"Motion of other programs ({' '.join('*' + suffix for known in FOREIGN for suffix in known.suffixes)})"]
    + [f"{known.name} ({' '.join('*' + suffix for suffix in known.suffixes)})" for known in FOREIGN]
)
FIGURE_FILTER = "Figures (*.scr);;" + OPEN_FILTER
WRITABLE = (*(suffix for known in FOREIGN for suffix in known.suffixes), PAGE_SUFFIX)
SAVE_FILTER = ";;".join(f"{known.name} ({' '.join('*' + s for s in known.suffixes)})" for known in FORMATS)


def dropped_files(data: QMimeData) -> list[Path]:
    """Return the readable files among what is being dropped."""
    paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    return [path for path in paths if path.suffix.lower() in READABLE]


def _shows_something(folder: Path) -> bool:
    """Return whether a dialog that opens files shows anything in a folder: one that can be read, or a folder."""
    try:
        with os.scandir(folder) as found:
            return any(
                not each.name.startswith(".") and (each.is_dir() or Path(each.name).suffix.lower() in READABLE)
                for each in found
            )
    except OSError:
        return False


class FileActions(WindowActions):
    """Actions on files.

    Attributes:
        recent_menu: "Open recent", filled as it opens.
        sample_menu: "Open sample".
        figure_menu: "Start from".
        gallery: What the empty work area shows.
    """

    recent_menu: QMenu
    sample_menu: QMenu
    figure_menu: QMenu
    gallery: Gallery

    def __init__(self, window: EditorWindow):
        super().__init__(window)
        self.recent = RecentFiles(window.settings) if window.settings is not None else None
        self.document.files.recent = self.recent
        self._opening = Opening(window)
        self._exports = ExportActions(window)
        self.watch = FileWatch(window)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        return {
            "new": self.new,
            "open": self.open,
            "import": self.import_motion,
            "import_settings": self.import_settings,
            "open_figure": self.open_figure,
            "save": self.save,
            "save_as": self.save_as,
            **self._exports.handlers(),
            "quit": self._window.close,
        }

    # -- opening --------------------------------------------------------------------------------------------------

    def make_gallery(self) -> Gallery:
        """Return what the empty work area shows; it is filled whenever it comes on screen."""
        pictures = LibraryIcons(self.document, None, self._window, size=PICTURE, stills=True)
        self.gallery = Gallery(pictures, self._window)
        self.gallery.chosen.connect(self._begin_with)
        self.gallery.open_requested.connect(self.open)
        self.gallery.wanted.connect(self.fill_gallery)
        return self.gallery

    def fill_gallery(self) -> None:
        """Offer the files there are now."""
        recent = self.recent.paths if self.recent is not None else ()
        own = tuple(path for path in recent if not self._is_bundled(path))
        self.gallery.show_items(gallery_items.items(own, self._window.library.panel.library.bundled_menus()))

    def _begin_with(self, item: gallery_items.Item) -> None:
        if item.section == gallery_items.SCENES:
            self.open_scene(item.entry.path)
        else:
            self.open_path(item.entry.path)

    def new(self) -> None:
        """Start over with an empty document: the gallery shows what to begin with."""
        if self.may_discard():
            self._window.errors.clear()  # a question about what was open would be about nothing
            self.document.files.new()
            self.gallery.begin()

    def open(self) -> None:
        """Ask for a file and open it."""
        path, _ = QFileDialog.getOpenFileName(self._window, "Open", self._folder(), OPEN_FILTER)
        if path:
            self.open_path(Path(path))

    def import_motion(self) -> None:
        """Ask for a file of another program and how it is read, and open it."""
        path, _ = QFileDialog.getOpenFileName(self._window, "Import", self._folder(), IMPORT_FILTER)
        if path and self.may_discard():
            self._opening.open(Path(path), ask=True)

    def import_settings(self) -> None:
        """Ask again how the motion file that is open is to be read."""
        if self._opening.imports.changeable:
            self._opening.imports.change()
        else:
            text = "The open document was not imported from a motion file of another program"
            self._window.show_message("info", text)

    def open_figure(self) -> None:
        """Ask for a figure and bring it into the open document."""
        path, _ = QFileDialog.getOpenFileName(self._window, "Open figure", str(bundled_folder()), FIGURE_FILTER)
        if path:
            self.read_figure(Path(path), self.document.files.take_figure)

    def read_figure(self, path: Path, take: Callable[[Path, Figure, tuple[Problem, ...]], object]) -> None:
        """Read the figure of a file, beside the window if another program wrote it: that takes a while for some.

        Args:
            path: The file.
            take: Called with the path, the figure and what was odd about the file.
        """

        def work(progress: Progress) -> tuple[Figure, tuple[Problem, ...]]:
            return read_figure(path, progress)

        def done(read: tuple[Figure, tuple[Problem, ...]]) -> None:
            take(path, *read)

        def failed(error: Exception) -> None:
            self.document.files.refuse(path, error)

        if path.suffix.lower() not in OWN:
            self.run_beside(f"Reading {path.name}", work, done, failed)
            return
        try:
            done(read_figure(path))
        except (CoreError, OSError) as error:
            failed(error)

    def open_path(self, path: Path, then: Callable[[], object] | None = None) -> bool:
        """Open a file in place of what is open, after asking about unsaved work.

        Args:
            path: The file.
            then: Called once it is open; not if it cannot be opened.

        Returns:
            Whether it is open, or being read.
        """
        return self.may_discard() and self._opening.open(path, then=then)

    def reopen(self, path: Path, then: Callable[[], object]) -> bool:
        """Open a file that is open already as it is now; what was changed here is lost."""
        return self._opening.open(path, then=then)

    def _folder(self) -> str:
        """Return where a dialog that opens files begins: beside the file that is open, or the last one, else at home.

        What comes with the program is in the gallery; its folders hold parts that mean nothing to a person. Nor is a
        folder proposed that would look empty in the dialog.
        """
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        folders = (self.own_folder(), Path(documents), Path.home())
        return str(next((folder for folder in folders if _shows_something(folder)), Path.home()))

    def read(self, path: Path, progress: Progress) -> Model:
        """Return what is in a file, read as files of its source were before; called beside the window."""
        if path.suffix.lower() in OWN:
            return read_model(path, progress=progress)[0]
        return self._opening.imports.read(path, progress=progress).model

    def own_folder(self) -> Path:
        """Return where the person's next file belongs: beside what is open, else where the last one was, else home.

        What comes with the program is not written over by chance: its folders are left out.
        """
        origin = self.document.files.origin
        recent = self.recent.paths if self.recent is not None else ()
        known = ([origin] if origin is not None else []) + list(recent)
        folders = (path.resolve().parent for path in known if not self._is_bundled(path))
        return next((folder for folder in folders if folder.is_dir()), Path.home())

    def suggested_path(self, suffix: str, otherwise: str) -> Path:
        """Return where a file of a kind may go, by the name of what is open, or another if that has none."""
        origin = self.document.files.origin
        return self.own_folder() / f"{origin.stem if origin is not None else otherwise}{suffix}"

    def fill_recent(self) -> None:
        """Fill "Open recent" with the files there are now."""
        self.recent_menu.clear()
        paths = self.recent.paths if self.recent is not None else ()
        for path in paths:
            entry = add_action(self.recent_menu, f"{path.name}   {path.parent.name}", partial(self.open_path, path))
            entry.setToolTip(str(path))
        if paths and self.recent is not None:
            self.recent_menu.addSeparator()
            self.recent_menu.addAction("Clear this list").triggered.connect(self.recent.clear)
        else:
            self.recent_menu.addAction("Nothing opened yet").setEnabled(False)

    def fill_samples(self) -> None:
        """Fill "Open sample" with the bundled sequences, a heading for each menu, and with the scenes of physics."""
        self.sample_menu.clear()
        for menu in self._window.library.panel.library.bundled_menus():
            if not self.sample_menu.isEmpty():
                self.sample_menu.addSeparator()
            self.sample_menu.addAction(menu.name).setEnabled(False)
            for entry in menu.entries:
                add_action(self.sample_menu, entry.title, partial(self.open_path, entry.path))
        self.sample_menu.addSeparator()
        self.sample_menu.addAction("Physics scenes").setEnabled(False)
        for path in sorted((bundled_folder() / "scenes").glob("*.seq")):
            add_action(self.sample_menu, path.stem.capitalize(), partial(self.open_scene, path))

    def open_scene(self, path: Path) -> bool:
        """Open a scene to simulate it: the window goes to physics mode, at the first frame."""

        def show() -> None:
            self.document.set_frame(0)
            self.document.session.mode = "physics"

        return self.open_path(path, then=show)

    def fill_figures(self) -> None:
        """Fill "Start from" with the bundled figures."""
        self.figure_menu.clear()
        for path in sorted(bundled_folder().glob("*.scr")):
            add_action(self.figure_menu, path.stem.capitalize(), partial(self.open_path, path))

    # -- saving ---------------------------------------------------------------------------------------------------

    def shown_project(self) -> Project | None:
        """Return a copy of what is shown, which stays as it is while the person goes on working."""
        return self._exports.shown_project()

    def keep_view(self) -> None:
        """Put cameras, layout of the views and kept trails where the file keeps them."""
        self.document.model.view["views"] = self._window.area.view_state()
        write_trails(self.document)
        write_scene(self.document)

    def save(self) -> bool:
        """Save to the document's file; ask for one if it has none."""
        path = self.document.files.path
        entry = self._window.library.panel.library.entry(path)
        if entry is not None and not entry.own:
            return self._window.library.save()  # what comes with the program, or is shared, is only read
        if path is None or self._is_bundled(path):
            return self.save_as()
        return self.watch.may_save() and self._write(over=False)

    def save_over(self) -> bool:
        """Save the document to its file, whatever another program has written there."""
        return self._write(over=True)

    def _write(self, over: bool) -> bool:
        self.keep_view()
        good = self.document.files.save(over=over)
        if not good:
            self.watch.offer_save_as()
        return self.saved(good)

    def save_as(self) -> bool:
        """Ask for a file and save to it."""
        start = str(self.suggested_path(".seq", "Untitled"))
        path, chosen = QFileDialog.getSaveFileName(self._window, "Save as", start, SAVE_FILTER)
        if not path:
            return False
        target = Path(path)
        if not target.suffix:
            target = target.with_suffix(next((k.suffixes[0] for k in FORMATS if chosen.startswith(k.name)), ".seq"))
            if target.exists():  # the dialog has asked about the name without it
                over = ("Replace", f"Replace {target}", lambda: self._write_to(target))
                other = ("Save as…", "Choose another name", self.save_as)
                self._window.ask(f"There is already a {target.name} in {target.parent.name}", [over, other])
                return False
        return self._write_to(target)

    def _write_to(self, target: Path) -> bool:
        """Save to a file; one for another program is only begun, and the document stays unsaved by it."""
        if target.suffix.lower() in WRITABLE:
            self._exports.save_as(target)
            return False
        self.keep_view()
        return self.saved(self.document.files.save(target))

    def note_export(self, figure: Skeleton | None, unit: float) -> None:
        """Remember that a figure was written for other programs, in a unit and with y up."""
        self._opening.imports.note_export(figure, unit)

    @staticmethod
    def _is_bundled(path: Path) -> bool:
        return path.resolve().is_relative_to(bundled_folder().resolve())

    def saved(self, good: bool) -> bool:
        """Note when the document was saved, if it was; return whether it was."""
        if good and not self.document.modified:
            self._window.menu.note_saved()
            self._window.menu.show_saved(self.document.files.path is not None)
        return good

    def may_discard(self) -> bool:
        """Ask what to do with unsaved work; return whether to go on."""
        if not self.document.modified or not self._window.remember:
            return True
        box = QMessageBox(self._window)
        box.setWindowTitle("Unsaved changes")
        name = self.document.files.path.name if self.document.files.path else "this sequence"
        figure = self.document.files.figure_saved
        if figure is not None:
            box.setInformativeText(f"{figure.name} contains only the figure.")
        box.setText(f"Save the changes to {name}{' too' if figure is not None else ''}?")
        buttons = QMessageBox.StandardButton
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.setDefaultButton(buttons.Save)
        answer = box.exec()
        box.deleteLater()
        if answer == buttons.Save:
            return self.save()
        return answer == buttons.Discard
