"""What the library panel asks for: opening, inserting, saving, and keeping order among one's own sequences."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFile, QMimeData, QPoint, QProcess, Qt, QUrl
from PySide6.QtGui import QDesktopServices

from app.actions.group import WindowActions
from app.dialogs.library_dialog import LibraryDialog
from app.document.changes import Change, SessionChanged
from app.document.files import model_files
from app.document.library_edits import insert_sequence, join_for, keep_join, name_sequence, use_sequence
from app.files.opening import LARGE
from app.panels.library.menu import carried_path
from app.panels.library.panel import LibraryPanel
from app.panels.library.tile import LibraryTile
from app.timeline.time_scale import NAMES_WIDTH
from core.animation import Sequence
from core.animation.joining.put_in import APPEND, INSERT, REPLACE, PutIn
from core.errors import CoreError
from core.formats.library import MENUS, Entry, LibraryError, checked_name, safe_name

if TYPE_CHECKING:
    from app.actions.editor_window import EditorWindow

CLOSED = "library/closed"
_PLAIN = Qt.KeyboardModifier.NoModifier
DROPS = {
    "insert": "Insert at frame {frame}   Ctrl: blend in   Shift: blend over",
    "blend": "Blend in at frame {frame}, the rest goes on after it",
    "blend_over": "Blend in over what is there from frame {frame}",
}
"""What dropping a sequence on the timeline does."""

CHOICE = "Choose a menu, or type the name of a new one"


def way_by_keys(keys: Qt.KeyboardModifier) -> str:
    """Return what dropping a sequence does while keys are down: Ctrl blends it in, Shift over what is there."""
    if keys & Qt.KeyboardModifier.ShiftModifier:
        return "blend_over"
    return "blend" if keys & Qt.KeyboardModifier.ControlModifier else "insert"


class LibraryActions(WindowActions):
    """Actions on the library of sequences."""

    def __init__(self, window: EditorWindow):
        super().__init__(window)
        self._last_menu = ""

    def handlers(self) -> dict[str, Callable[[], object]]:
        return {
            "save_to_library": self.save,
            "library_open": partial(self.do_with_chosen, "open"),
            "library_insert": partial(self.do_with_chosen, "insert"),
            "library_flip": self.flip_through,
            "library_remove": partial(self.do_with_chosen, "remove"),
            "reduce_motion": self.flip_motion,
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
            kept = settings.value(CLOSED)
            names = [kept] if isinstance(kept, str) else kept
            if isinstance(names, list):
                panel.set_closed([str(name) for name in names if name])
            panel.closed_changed.connect(lambda: settings.set_value(CLOSED, list(panel.closed)))
        self.document.changed.connect(self._take)
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
        acts: dict[str, Callable[..., object]] = {
            "open": self.open, "insert": self.insert, "blend": self.blend,
            "blend_over": self.blend_over, "add": self.add, "use": self.use, "rename": self.rename, "move": self.move,
            "duplicate": self.duplicate, "remove": self.remove, "reveal": self.reveal, "save": self.save,
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
        icon = self.panel.icons.icon(entry, self.panel.devicePixelRatioF())
        if icon is not None and icon.problem:
            self._window.show_message("warning", icon.problem)
            return
        self._window.files.open_path(entry.path)

    def insert(self, entry: Entry, frame: int | None = None) -> None:
        """Put a sequence's keys into the open one, at the playhead or another frame."""

        def put(sequence: Sequence) -> None:
            at, timeline = insert_sequence(self.document, sequence, frame), self._window.timeline.model
            if at is None:
                return
            first, last = timeline.visible()
            if not first <= at <= last:
                timeline.fit()

        self._with_sequence(entry, put)

    def blend(self, entry: Entry, frame: int | None = None, way: str = INSERT, frames: int | None = None) -> None:
        """Blend a sequence into the open one, at the playhead or another frame; what follows goes on after it."""

        document, timeline = self.document, self._window.timeline.model

        def put(sequence: Sequence) -> None:
            join = join_for(document, sequence, frame, way, frames)
            into, index = document.sequence, document.stack.index()
            if join is None:
                return

            def done(made: PutIn) -> None:
                if document.sequence is not into or document.stack.index() != index:
                    document.say("info", f"The motion was edited meanwhile; {sequence.name} was not blended in")
                elif keep_join(document, sequence.name, made):
                    first, last = timeline.visible()
                    if not (first <= made.first and made.last <= last):
                        timeline.fit()

            def failed(error: Exception) -> None:
                if not isinstance(error, CoreError):
                    raise error
                document.refuse_edit(error)

            # The seam is looked for beside the window: it takes a moment.
            if not self._window.background.run(f"Blending in {sequence.name}", lambda _progress: join(), done, failed):
                document.say("info", "Another job is still running; blend in when it is done")

        self._with_sequence(entry, put)

    def blend_over(self, entry: Entry, frame: int | None = None) -> None:
        """Blend a sequence in in the place of as much of the open one."""
        self.blend(entry, frame, REPLACE)

    def add(self, entry: Entry) -> None:
        """Blend a sequence into the end of the open one."""
        self.blend(entry, None, APPEND)

    def use(self, entry: Entry) -> None:
        """Let the open figure move as a sequence does: it gets a copy of it."""
        self._with_sequence(entry, lambda sequence: use_sequence(self.document, sequence))

    def _with_sequence(self, entry: Entry, do: Callable[[Sequence], object]) -> None:
        """Read a sequence, a large file in the background, and do something with it."""
        path, window = entry.path, self._window
        window.player.pause()

        def take(sequence: Sequence | None) -> None:
            if sequence is None:
                window.show_message("warning", f"{path.name} holds no sequence")
            else:
                do(sequence)

        def read(_progress: object = None) -> Sequence | None:
            return model_files.read_model(path)[0].sequence

        def refuse(error: Exception) -> None:
            if not isinstance(error, (CoreError, OSError)):
                raise error
            self.document.files.refuse(path, error)

        if entry.stamp[0] > LARGE:
            if not window.background.run(f"Reading {path.name}", read, take, refuse):
                busy = "another job is running; wait for it or cancel it"
                window.show_message("warning", f"{path.name} was not read: {busy}")
            return
        try:
            take(read())
        except (CoreError, OSError) as error:
            refuse(error)

    def take_drop(self, data: QMimeData, at: QPoint, keys: Qt.KeyboardModifier = _PLAIN) -> bool:
        """Take a sequence that was dragged onto the window; on the timeline, at the frame it was dropped on.

        Args:
            data: What was dropped.
            at: Where, in the window's coordinates.
            keys: Ctrl or Shift, which say how it is put in; see ``way_by_keys``.

        Returns:
            Whether it was a sequence of the library.
        """
        self.show_drop(None)
        entry = self.carried(data)
        if entry is None:
            return False
        self.do(way_by_keys(keys), (entry, self._frame_under(at)))
        return True

    def show_drop(self, data: QMimeData | None, at: QPoint | None = None, keys: Qt.KeyboardModifier = _PLAIN) -> None:
        """Show on the timeline where what is dragged would come and what would happen; None for nothing dragged."""
        frame = None if data is None or at is None or self.carried(data) is None else self._frame_under(at)
        self._window.timeline.show_drop(frame, "" if frame is None else DROPS[way_by_keys(keys)].format(frame=frame))

    def _frame_under(self, at: QPoint) -> int | None:
        """Return the frame under a place of the window; None where it is not on the tracks of the timeline."""
        timeline = self._window.timeline
        place = timeline.strip.mapFrom(self._window, at)
        if not timeline.rect().contains(timeline.mapFrom(self._window, at)) or place.x() < NAMES_WIDTH:
            return None
        return max(0, timeline.model.frame_at(place.x() - NAMES_WIDTH))

    def carried(self, data: QMimeData) -> Entry | None:
        """Return the sequence of the library that is being dragged, or None if it is something else."""
        return self.panel.library.entry(carried_path(data))

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
        wanted = menu or (here.menu if here is not None else "") or sequence.menu or self._last_menu or MENUS[2]
        menus = self.panel.menu_names()

        def check(name: str, menu: str) -> str:
            checked_name(menu, "menu")
            if library.taken(menu, name):
                there = library.place(menu, name)
                same = here is not None and there == here.path
                return "Replaces the sequence it was opened from" if same else f"Replaces your {there.stem} in {menu}"
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
        from app.document.content.model import Model
        from app.document.content.records import sequence_for

        model = self.document.model
        figure, sequence = model.figures[model.active.figure], model.sequence
        assert sequence is not None
        copy = sequence_for(sequence, figure.skeleton)
        copy.name, copy.menu = path.stem[:1].upper() + path.stem[1:], path.parent.name
        alone = Model.of([figure], [copy])
        alone.unit = model.unit
        try:
            model_files.write_model(alone, path)
        except (CoreError, OSError) as error:
            self.document.say("error", model_files.one_line(error, path), model_files.all_lines(error))
            return False
        text = f"{copy.name} saved to the library as a copy; the document holds more than it"
        self._window.show_message("info", text)
        return True

    # -- keeping order -----------------------------------------------------------------------------------------------

    def rename(self, entry: Entry) -> None:
        """Ask for another name of a sequence."""
        library = self.panel.library

        def check(name: str, _menu: str) -> str:
            place = library.beside(entry, name)
            if place.exists() and place != entry.path:
                raise LibraryError(f'there is already a "{place.stem}" in {place.parent.name}')
            return "" if entry.own else f"{entry.title} comes with the program and is not changed; the copy is yours"

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
                text = f"{entry.title} comes with the program and stays; your copy is in {menu}"
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
            raise LibraryError(f"{entry.title} comes with the program and cannot be removed")
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
            self._show_folder((library.own if about.own else library.bundled) / menu)

    def _show_folder(self, folder: Path, path: Path | None = None) -> None:
        from sys import platform

        if path is not None and platform == "win32":
            QProcess.startDetached("explorer", ["/select,", str(path)])
        elif path is not None and platform == "darwin":
            QProcess.startDetached("open", ["-R", str(path)])
        elif not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self._window.show_message("info", f"It is in {folder}")
