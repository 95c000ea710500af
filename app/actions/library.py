"""What the library panel asks for: opening, inserting, saving, and keeping order among one's own sequences."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFile, QProcess, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from app.actions.group import WindowActions
from app.actions.library_parts import SavingParts
from app.actions.putting_in import PuttingIn
from app.dialogs.library_dialog import LibraryDialog
from app.document.changes import Change, SessionChanged
from app.document.files import model_files
from app.document.library_edits import name_sequence
from app.panels.library.panel import LibraryPanel
from app.panels.library.tile import LibraryTile
from core.errors import CoreError
from core.formats.library import MENUS, Entry, LibraryError, checked_name, safe_name, titled

if TYPE_CHECKING:
    from app.actions.editor_window import EditorWindow
    from core.animation import Sequence

CLOSED, SHARED = "library/closed", "library/shared"
CHOICE = "Choose a menu, or type the name of a new one"


class LibraryActions(WindowActions):
    """Actions on the library of sequences.

    Attributes:
        putting: Puts sequences of it into the open one.
        saving: Saves poses and figures in it.
    """

    def __init__(self, window: EditorWindow):
        super().__init__(window)
        self.putting = PuttingIn(window)
        self.saving = SavingParts(self.document, lambda: self.panel, self.write_alone)
        self._last_menu = ""

    def handlers(self) -> dict[str, Callable[[], object]]:
        return {
            "save_to_library": self.save,
            "save_pose_to_library": self.saving.pose,
            "save_figure_to_library": self.saving.figure,
            "reduce_motion": self.flip_motion,
            **self.putting.handlers(),
            "library_open": partial(self.do_with_chosen, "open"),
            "library_insert": partial(self.do_with_chosen, "insert"),
            "library_flip": self.flip_through,
            "library_remove": partial(self.do_with_chosen, "remove"),
        }

    @property
    def panel(self) -> LibraryPanel:
        """The library panel."""
        return next(panel for panel in self._window.panels if isinstance(panel, LibraryPanel))

    def connect(self) -> None:
        """Let the panel's menus and icons do what is asked for, and remember which menus are closed."""
        panel, settings = self.panel, self._window.settings
        panel.wanted.connect(self.do)
        if settings is not None:
            folders = settings.value(SHARED, [])
            texts = [folders] if isinstance(folders, str) else folders if isinstance(folders, list) else []
            panel.library.shared = tuple(Path(str(text)) for text in texts if text)
            panel.rescan()
            kept = settings.value(CLOSED)
            names = [kept] if isinstance(kept, str) else kept
            if isinstance(names, list):
                panel.set_closed([str(name) for name in names if name])
            panel.closed_changed.connect(lambda: settings.set_value(CLOSED, list(panel.closed)))
        self.document.changed.connect(self._take)
        self.putting.connect()
        self._show_motion()

    def stop(self) -> None:
        """End what goes on in the background."""
        self.panel.icons.stop()

    def _take(self, change: Change) -> None:
        if isinstance(change, SessionChanged) and change.name == "reduced_motion":
            self._show_motion()

    def _show_motion(self) -> None:
        reduced = self.document.session.view.reduced_motion
        self._window.action_table["reduce_motion"].setChecked(reduced)
        self._window.area.set_reduced_motion(reduced)

    def do_with_chosen(self, what: str) -> None:
        """Do something with the icon that had the keyboard last."""
        tile = self._chosen()
        if tile is not None:
            self.do(what, tile.entry)

    def flip_through(self) -> None:
        """Show the key poses of the icon that had the keyboard last, one after the other."""
        tile = self._chosen()
        if tile is not None:
            self._window.workbench.show_panel(self.panel)
            tile.flip()

    def _chosen(self) -> LibraryTile | None:
        tile = self.panel.chosen
        if tile is None:
            self.tell("Go to an icon of the library first, with Tab and the arrow keys")
        return tile

    def do(self, what: str, of: object) -> None:
        """Do what the panel asks for; see ``LibraryPanel.wanted``."""
        putting = self.putting
        acts: dict[str, Callable[..., object]] = {
            "open": self.open, "activate": lambda entry: putting.activate(entry, self.open), "apply": putting.apply,
            "apply_flipped": putting.apply_flipped, "add_figure": putting.add_figure,
            "insert": putting.insert, "blend": putting.blend, "blend_over": putting.blend_over,
            "add": putting.add, "use": putting.use,
            "rename": self.rename, "move": self.move, "duplicate": self.duplicate, "remove": self.remove,
            "reveal": self.reveal, "save": self.save, "share": self.share, "unshare": self.unshare,
            "save_pose": lambda _menu: self.saving.pose(), "save_figure": lambda _menu: self.saving.figure(),
            "new_menu": self.new_menu, "rename_menu": self.rename_menu, "remove_menu": self.remove_menu,
            "reveal_menu": self.reveal_menu,
        }  # fmt: skip
        arguments = of if isinstance(of, tuple) else (of,)
        try:
            acts[what](*arguments)
        except LibraryError as error:
            text = str(error)
            self._window.show_message("warning", text[:1].upper() + text[1:])
            self.panel.rescan()

    def flip_motion(self) -> None:
        """Let nothing move by itself, or let it again."""
        session = self.document.session
        session.view.reduced_motion = not session.view.reduced_motion

    # -- into the document -------------------------------------------------------------------------------------------

    def open(self, entry: Entry) -> None:
        """Open a sequence for editing, after asking about unsaved work; one that is known to be broken says why."""
        icon = self.panel.icon_of(entry)
        if icon is not None and icon.problem:
            self._window.show_message("warning", icon.problem)
            return
        self._window.files.open_path(entry.path)

    # -- saving ------------------------------------------------------------------------------------------------------

    def save(self, menu: str = "") -> bool:
        """Ask for name and menu, and save the open sequence there.

        Returns:
            Whether it was saved.
        """
        sequence = self.document.sequence
        if sequence is None or self.document.skeleton is None:
            self._window.show_message("info", "There is no sequence to save; open a figure first")
            return False
        library = self.panel.library
        here = library.entry(self.document.files.origin)
        name = here.title if here is not None else safe_name(sequence.name)
        if name == "Untitled" and self.document.files.origin is not None:
            name = safe_name(self.document.files.origin.stem)
        there = here.menu if here is not None and not here.shared else ""
        kept = sequence.menu if here is None or not here.shared else ""
        wanted = menu or there or kept or self._last_menu or MENUS[2]
        menus = self.panel.menu_names()

        def check(name: str, menu: str) -> str:
            checked_name(menu, "menu")
            if library.taken(menu, name):
                place = library.place(menu, name)
                same = here is not None and place == here.path
                return "Replaces the sequence it was opened from" if same else f"Replaces your {place.stem} in {menu}"
            if here is not None and not here.own and (menu, name.casefold()) == (here.menu, here.name.casefold()):
                return f"{here.title} comes with the program and is not changed; your copy is shown in its place"
            return CHOICE if menu in menus else f"Creates the menu {menu}"

        dialog = LibraryDialog("Save to library", "Save", name, menus, wanted, check, self._window)
        return bool(dialog.exec()) and self.save_as(dialog.name, dialog.menu)

    def save_as(self, name: str, menu: str) -> bool:
        """Save the open sequence with its figure under a name in a menu.

        A document with this sequence alone becomes that file; of one with more, the file is a copy of what is shown.
        """
        document, panel = self.document, self.panel
        try:
            path = panel.library.prepare(menu, name)
        except LibraryError as error:
            self._window.show_message("warning", str(error))
            return False
        if path == document.files.path and not self._window.files.watch.may_save():
            return False  # it has been asked what to do about the one that another program saved there
        self._last_menu = menu
        alone = len(document.model.figures) == 1 and len(document.model.sequences) == 1
        if alone:
            name_sequence(document, path.stem[:1].upper() + path.stem[1:], path.parent.name)
            self._window.files.keep_view()
            good = self._window.files.saved(document.files.save(path))
        else:
            good = self._write_copy(path)
        if good:
            panel.reveal(path)
        return good

    def _write_copy(self, path: Path) -> bool:
        """Write the sequence that is shown, with its figure, to a file of its own; the document keeps its own."""
        from app.document.content.records import sequence_for

        model = self.document.model
        sequence = model.sequence
        assert sequence is not None
        copy = sequence_for(sequence, model.figures[model.active.figure].skeleton)
        copy.name, copy.menu = titled(path.stem), path.parent.name
        if not self.write_alone(copy, path):
            return False
        text = f"{copy.name} saved to the library as a copy; the document contains more than it"
        self._window.show_message("info", text)
        return True

    def write_alone(self, sequence: Sequence, path: Path) -> bool:
        """Write a sequence of the active figure, with the figure, to a file of its own; return whether it was."""
        from app.document.content.model import Model

        model = self.document.model
        alone = Model.of([model.figures[model.active.figure]], [sequence])
        alone.unit = model.unit
        try:
            model_files.write_model(alone, path)
        except (CoreError, OSError) as error:
            self.document.say("error", model_files.one_line(error, path), model_files.all_lines(error))
            return False
        return True

    # -- keeping order -----------------------------------------------------------------------------------------------

    def rename(self, entry: Entry) -> None:
        """Ask for another name of a sequence."""
        library = self.panel.library

        def check(name: str, _menu: str) -> str:
            place = library.beside(entry, name)
            if place.exists() and place != entry.path:
                raise LibraryError(f'there is already a "{place.stem}" in {place.parent.name}')
            whose = "is in a shared folder" if entry.shared else "comes with the program"
            return "" if entry.own else f"{entry.title} {whose} and is not changed; the copy is yours"

        title, go = ("Rename", "Rename") if entry.own else ("Copy under another name", "Copy")
        start = entry.title if entry.own else library.free_name(entry.menu, entry.title)
        dialog = LibraryDialog(title, go, start, None, "", check, self._window)
        if dialog.exec():
            self._changed(entry, library.rename(entry, dialog.name))

    def move(self, entry: Entry, menu: str | None) -> None:
        """Bring a sequence into another menu, None for one to be named."""
        if menu is None:
            menu = self._asked_menu("New menu", "Make", "")
        if menu:
            path = self.panel.library.move(entry, menu)
            self._changed(entry, path)
            if not entry.own:
                whose = "is in a shared folder" if entry.shared else "comes with the program"
                text = f"{entry.title} {whose} and stays; your copy is in {menu}"
                self._window.show_message("info", text)

    def duplicate(self, entry: Entry) -> None:
        """Copy a sequence beside itself."""
        self.panel.reveal(self.panel.library.duplicate(entry))

    def _changed(self, entry: Entry, path: Path) -> None:
        """Show a file at its new place; if it is the one that is open, the document follows."""
        if entry.own:
            self.panel.icons.forget_moved(entry.path, path)
            self.document.files.follow(entry.path, path)
        self.panel.reveal(path)

    def remove(self, entry: Entry) -> None:
        """Move a sequence of one's own to the trash."""
        if not entry.own:
            whose = "is in a shared folder" if entry.shared else "comes with the program"
            raise LibraryError(f"{entry.title} {whose} and cannot be removed")
        if not QFile.moveToTrash(str(entry.path)):
            raise LibraryError(f"{entry.title} could not be moved to the trash; it is still in {entry.path.parent}")
        self.panel.rescan()
        self._window.show_message("info", f"{entry.title} moved to the trash")

    def new_menu(self, _of: str = "") -> None:
        """Ask for the name of a menu, and make it."""
        name = self._asked_menu("New menu", "Make", "")
        if name:
            self.panel.library.add_menu(name)
            self.panel.rescan()

    def rename_menu(self, menu: str) -> None:
        """Ask for another name of a menu."""
        name = self._asked_menu("Rename menu", "Rename", menu)
        if name and name != menu:
            origin = self.document.files.origin
            inside = self.panel.library.entry(origin)
            self.panel.library.rename_menu(menu, name)
            if inside is not None and inside.own and inside.menu == menu:
                self.document.files.follow(inside.path, inside.path.parent.parent / name / inside.path.name)
            self.panel.rescan()

    def remove_menu(self, menu: str) -> None:
        """Remove an empty menu."""
        self.panel.library.remove_menu(menu)
        self.panel.rescan()

    def _asked_menu(self, title: str, go: str, name: str) -> str:
        taken = {each.casefold() for each in self.panel.menu_names()} - {name.casefold()}

        def check(typed: str, _menu: str) -> str:
            if checked_name(typed, "menu").casefold() in taken:
                raise LibraryError(f'there is already a menu "{typed}"')
            return ""

        dialog = LibraryDialog(title, go, name, None, "", check, self._window)
        return dialog.name if dialog.exec() else ""

    def share(self, _of: str = "") -> None:
        """Ask for a folder anywhere, and show what is in it as well, only to read."""
        title = "Add a shared folder to the library"
        chosen = QFileDialog.getExistingDirectory(self._window, title, str(self._window.files.own_folder()))
        if chosen:
            self.panel.library.share(Path(chosen))
            self._keep_shared()

    def unshare(self, folder: Path) -> None:
        """Show a shared folder no longer; what is in it stays there."""
        library = self.panel.library
        library.shared = tuple(each for each in library.shared if each != folder)
        self._keep_shared()
        self._window.show_message("info", f"{folder.name} is no longer shown; the folder itself is as it was")

    def _keep_shared(self) -> None:
        if self._window.settings is not None:
            self._window.settings.set_value(SHARED, [str(folder) for folder in self.panel.library.shared])
        self.panel.rescan()

    def reveal(self, entry: Entry) -> None:
        """Show a sequence's file in the file manager."""
        self._show_folder(entry.path.parent, entry.path)

    def reveal_menu(self, menu: str) -> None:
        """Show the folder of a menu in the file manager, that of one's own library if there is none."""
        library = self.panel.library
        about = self.panel.menu_named(menu)
        if about is None:
            library.own.mkdir(parents=True, exist_ok=True)
            self._show_folder(library.own)
        else:
            self._show_folder(about.folder or (library.own if about.own else library.bundled) / menu)

    def _show_folder(self, folder: Path, path: Path | None = None) -> None:
        from sys import platform

        if path is not None and platform == "win32":
            QProcess.startDetached("explorer", ["/select,", str(path)])
        elif path is not None and platform == "darwin":
            QProcess.startDetached("open", ["-R", str(path)])
        elif not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self._window.show_message("info", f"It is in {folder}")
