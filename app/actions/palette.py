"""The command palette: everything that can be done, gathered from the menus, the panels, the key map and the manual."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence

from app.actions.group import WindowActions
from app.actions.why_not import why_not
from app.dialogs import manual_window
from app.dialogs.key_map_window import SCOPE_NAMES
from app.popovers.command_palette import Command, CommandPalette
from app.timeline.transport import TABS
from app.words.key_map import Row, shortcut_text

NAME = "command_palette"
REMEMBERED = 40
_SETTING = "palette/recent"
_PORTABLE = QKeySequence.SequenceFormat.PortableText


class PaletteActions(WindowActions):
    """Finding a command by words."""

    _palette: CommandPalette | None = None
    _recent: list[str] | None = None

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        return {NAME: self.open}

    @property
    def palette(self) -> CommandPalette:
        """The palette, which is made at its first use."""
        if self._palette is None:
            self._palette = CommandPalette(self._window)
            self._palette.chosen.connect(self._run, Qt.ConnectionType.QueuedConnection)
        return self._palette

    def open(self) -> None:
        """Show the palette."""
        self.palette.open(self.commands(), self.recent(), self._window.action_table[NAME].shortcuts())

    # -- what there is --------------------------------------------------------------------------------------------

    def commands(self) -> list[Command]:
        """Return everything that can be done, in the order of the menus."""
        rows = {row.action: row for row in self._window.action_table.rows if row.action}
        found: dict[str, Command] = {}
        for path, action in self._window.menu.entries():
            command = self._of_action(action, path, rows.get(action.objectName()))
            if command is not None:
                found.setdefault(command.name, command)
        for name in self._window.action_table.names():  # what no menu has
            if name not in found and name != "cancel":
                command = self._of_action(self._window.action_table[name], SCOPE_NAMES[rows[name].scope], rows[name])
                if command is not None:
                    found[name] = command
        found.pop(NAME, None)
        return [*found.values(), *self._places(), *self._pages(), *self._gestures()]

    def _of_action(self, action: QAction, path: str, row: Row | None) -> Command | None:
        """Return an entry of a menu as a command; None for a heading."""
        if row is None and not action.isEnabled():
            return None
        keys = [each.toString(_PORTABLE) for each in action.shortcuts()]
        text = action.text().partition("\t")[0].replace("&", "")
        return Command(
            name=f"{path} > {text}" if row is None else row.action,
            text=text,
            path=path,
            run=action.trigger,
            keys=tuple(shortcut_text(key) for key in keys),
            why_not="" if row is None else why_not(self._window, row.action),
            icon="" if row is None else row.icon,
            checked=action.isChecked() if action.isCheckable() else None,
            also="" if row is None else " ".join((row.text, *keys)),
            minor=row is None,
        )

    def _places(self) -> Iterator[Command]:
        """Yield the panels and the tabs of the timeline, to go to."""
        for panel in self._window.panels:
            go = partial(self._window.workbench.show_panel, panel)
            text = f"Go to the {panel.title} panel"
            yield Command(f"panel {panel.title}", text, "Panels", go, icon=panel.icon, minor=True)
        for tab, title in TABS:
            go = partial(self._window.timeline.show_tab, tab)
            yield Command(f"tab {tab}", f"Show {title} in the timeline", "Timeline", go, minor=True)

    def _pages(self) -> Iterator[Command]:
        """Yield the pages of the manual."""
        for page in manual_window.pages():
            title = manual_window.title_of(page)
            show = partial(self._window.edits.show_manual, page)
            yield Command(f"page {page}", title, "Help > Manual", show, icon="help", minor=True)

    def _gestures(self) -> Iterator[Command]:
        """Yield what is done with the mouse or in one place; it is shown in the key map."""
        for row in self._window.action_table.rows:
            if not row.action and row.keys:
                show = partial(self._window.key_map.show, row.text)
                keys = tuple(shortcut_text(key) for key in row.keys)
                yield Command(f"gesture {row.text}", row.text, SCOPE_NAMES[row.scope], show, keys, minor=True)

    # -- what was done --------------------------------------------------------------------------------------------

    def recent(self) -> list[str]:
        """Return the names of the commands used last, the last first."""
        if self._recent is None:
            kept = None if self._window.settings is None else self._window.settings.value(_SETTING)
            self._recent = [str(each) for each in kept] if isinstance(kept, list) else [str(kept)] if kept else []
        return self._recent

    def _run(self, command: Command) -> None:
        self._recent = [command.name, *(name for name in self.recent() if name != command.name)][:REMEMBERED]
        if self._window.settings is not None:
            self._window.settings.set_value(_SETTING, self._recent)
        command.run()
