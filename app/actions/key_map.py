"""Which keys do what: read when the window opens, changed in the key map's window, kept as a small file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QWidget

from app.actions.group import WindowActions
from app.dialogs.manual_window import ManualWindow
from app.widgets.behaviour.keyed_tip import renew_tip
from app.words import keys_now
from app.words.key_choice import KeyChoice, read, write
from app.words.key_map import KeymapError

if TYPE_CHECKING:
    from app.dialogs.key_map_window import KeyMapWindow

FILE = "keys.json"
FILTER = "Keys (*.json)"
FIXED = frozenset({"cancel"})
"""Actions whose keys stay: Esc always leads out."""


class KeyMapActions(WindowActions):
    """Showing and changing the key map."""

    choice = KeyChoice()
    problem = ""
    """Why the person's own keys could not be read when the window opened."""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        return {"key_map": self.show}

    @property
    def path(self) -> Path | None:
        """The file of the person's keys, beside the settings; None while nothing is remembered."""
        settings = self._window.settings
        return None if settings is None else settings.path.parent / FILE

    def begin(self) -> None:
        """Read the person's keys, before the actions are made."""
        path, choice = self.path, KeyChoice()
        if path is not None and path.exists():
            try:
                choice, unknown = read(path)
                if unknown:
                    self.problem = f"{path.name} has keys for what this version has not: {', '.join(unknown)}"
            except (KeymapError, OSError) as error:
                self.problem = f"Your keys could not be read, so the usual ones apply. {error}"
        self.choice = choice
        keys_now.make_current(choice.rows())

    def connect(self) -> None:
        """Say what was wrong with the person's keys."""
        if self.problem:
            self._window.show_message("warning", self.problem)

    def show(self, words: str = "") -> None:
        """Show all keys and gestures, or those that some words find."""
        from app.dialogs.key_map_window import KeyMapWindow

        shown = self._shown()
        if shown is None:
            editable = set(self._window.action_table.names()) - FIXED
            shown = KeyMapWindow(self.choice, editable, self._window)
            shown.changed.connect(self.change)
            shown.import_wanted.connect(self.ask_import)
            shown.export_wanted.connect(self.ask_export)
        shown.search.setText(words)
        shown.show()
        shown.raise_()
        shown.activateWindow()

    def _shown(self) -> KeyMapWindow | None:
        from app.dialogs.key_map_window import KeyMapWindow

        return self._window.findChild(KeyMapWindow)

    def change(self, choice: KeyChoice) -> None:
        """Let other keys hold from now on, everywhere."""
        rows = choice.rows()
        self.choice = choice
        keys_now.make_current(rows)
        self._window.action_table.set_rows(rows)
        shown, manual = self._shown(), self._window.findChild(ManualWindow)
        if shown is not None:
            shown.show_choice(choice)
        if manual is not None:
            manual.keys_changed()
        for widget in self._window.findChildren(QWidget):
            renew_tip(widget)
            widget.update()  # some paint a key
        for panel in self._window.panels:
            panel.keys_changed()
        self._keep()

    def _keep(self) -> None:
        path = self.path
        if path is None:
            return
        try:
            if self.problem and path.exists():
                path.replace(path.with_suffix(".bad.json"))  # somebody may want to mend it
            self.problem = ""
            write(self.choice, path)
        except OSError as error:
            self._window.show_message("warning", f"The keys apply now, but could not be saved: {error}")

    # -- files ----------------------------------------------------------------------------------------------------

    def ask_import(self) -> None:
        """Ask for a file of keys and let them hold."""
        folder = str(self._window.files.own_folder())
        path, _ = QFileDialog.getOpenFileName(self._asking(), "Import keys", folder, FILTER)
        if path:
            self.import_from(Path(path))

    def import_from(self, path: Path) -> bool:
        """Let the keys of a file hold; return whether they do. The present ones stay if the file is bad."""
        try:
            choice, unknown = read(path)
        except (KeymapError, OSError) as error:
            self._tell("warning", f"No keys were imported. {error}")
            return False
        self.change(choice)
        left = f"; left out, since this version has no such action: {', '.join(unknown)}" if unknown else ""
        self._tell("info", f"The keys of {path.name} apply now{left}")
        return True

    def ask_export(self) -> None:
        """Ask for a name and write the keys that hold."""
        folder = self._window.files.own_folder() / FILE
        path, _ = QFileDialog.getSaveFileName(self._asking(), "Export keys", str(folder), FILTER)
        if path:
            self.export_to(Path(path))

    def export_to(self, path: Path) -> bool:
        """Write the keys that hold to a file; return whether that was done."""
        path = path if path.suffix else path.with_suffix(".json")
        try:
            write(self.choice, path)
        except OSError as error:
            self._tell("warning", f"The keys were not written. {error}")
            return False
        self._tell("info", f"The keys are in {path.name}")
        return True

    def _asking(self) -> QWidget:
        return self._shown() or self._window

    def _tell(self, level: str, text: str) -> None:
        """Say something where the person looks: in the key map if it is open."""
        shown = self._shown()
        if shown is not None:
            shown.tell(text, level)
        self._window.show_message(level, text)
