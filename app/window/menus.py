"""The menu bar: menus from the key map, the open file's name in the middle, at the right whether it is saved."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QDockWidget, QLabel, QMenu, QMenuBar, QWidget

from app.actions.table import ActionTable
from app.process.handler_guard import guarded
from app.timeline.sequence_choice import fill_sequences
from app.widgets.frames.menu import space_shortcuts
from app.words.key_map import LINES_MENU
from app.words.line_kinds import LINE_KINDS

if TYPE_CHECKING:
    from app.actions.figures import FigureActions
    from app.actions.files import FileActions
    from app.actions.locks import LockActions

MENUS = ("File", "Edit", "Figure", "Pose", "Locks", "Sequence", "Physics", "View", "Help")
SEPARATED = frozenset(
    {
        "import", "save", "library_open", "export_picture", "quit", "copy_pose", "cut_keys", "select_all",
        "delete_selected_keys", "select_all_keys", "end_earlier", "raise_selected", "ease_in_longer", "edit_lock",
        "add_strip", "tangents_auto", "tangents_joined", "steeper_tangents", "select_parent", "select_group",
        "select_side", "rename_figure", "retarget", "mode_pose", "add_joints", "remove_branch", "mirror_side",
        "reroot", "carry_children", "turn_mode", "nudge_left", "nudge_figure_left", "fine_steps", "reset_selection",
        "mirror_editing", "pose_between", "least_effort", "save_pose_to_library", "lock_cycle", "lock_plane",
        "lock_point_pair", "lock_feet_path", "put_down", "unlock", "solve_locks", "show_script", "set_key",
        "key_parts", "key_numbers", "full_turns", "reshape_keys", "add_layer", "play", "load_music",
        "previous_row_key", "go_to_frame", "previous_marker", "detect_beats", "previous_beat", "music_earlier",
        "remove_music", "play_rounds", "bake_walk", "merge_layer", "bake", "make_dynamic", "throw",
        "add_box", "add_moving_ball", LINE_KINDS[0].action, "show_inertia", "make_prop", "frame_selected",
        "turn_left", "pan_left", "key_camera", "camera_settings", "show_grid", "lights_usual",
        "light_settings", "keep_trail", "show_root_path", "motion_settings", "open_rows", "previous_row",
        "zoom_in_time", "curve_alone", "toggle_theme", "open_log",
    }
)  # fmt: skip
"""Actions that a line stands above: those before them in a menu are about something else."""


def ago(seconds: float) -> str:
    """Return a time span as a person says it: ``12 s``, ``3 min``, ``2 h``."""
    if seconds < 60:
        return f"{int(seconds)} s"
    return f"{int(seconds // 60)} min" if seconds < 3600 else f"{int(seconds // 3600)} h"


class MenuBar(QMenuBar):
    """Menus, title and save state in one row.

    Args:
        actions: The window's actions.
        files: Fills the menus of recent and bundled files.
        figures: Fills the menus of figures and props to add.
        locks: Fills the menu of what can be held.
        parent: Parent widget.
    """

    def __init__(
        self,
        actions: ActionTable,
        files: FileActions,
        figures: FigureActions,
        locks: LockActions,
        parent: QWidget | None = None,
    ):
        super().__init__(parent)
        self._menus: dict[str, QMenu] = {}
        for title in MENUS:
            menu = self.addMenu(title)
            menu.aboutToShow.connect(lambda menu=menu: space_shortcuts(menu))
            self._menus[title] = menu
            for inner, action in actions.entries(title):
                made = self._menus.get(f"{title}/{inner}", menu)  # that of the first one in it is before the whole menu
                if action.objectName() in SEPARATED and not made.isEmpty():
                    made.addSeparator()
                (self._inner(title, inner) if inner else menu).addAction(action)
                if action.objectName() == "put_down":
                    held = QMenu("Hold", menu)
                    menu.insertMenu(action, held)
                    held.aboutToShow.connect(lambda held=held: locks.fill_hold(held))
                if action.objectName() == "open":
                    files.recent_menu = menu.addMenu("Open recent")
                    files.recent_menu.aboutToShow.connect(files.fill_recent)
                    files.sample_menu = menu.addMenu("Open sample")
                    files.sample_menu.aboutToShow.connect(files.fill_samples)
                    for words, fill in (("Add figure", figures.fill_figures), ("Add prop", figures.fill_props)):
                        added = menu.addMenu(words)
                        added.aboutToShow.connect(lambda added=added, fill=fill: fill(added))
                elif action.objectName() == "save_to_library":
                    shown = menu.addMenu("Show sequence")
                    shown.aboutToShow.connect(lambda shown=shown: fill_sequences(shown, files.document))
                elif action.objectName() == "open_figure":
                    files.figure_menu = menu.addMenu("Start from")
                    files.figure_menu.aboutToShow.connect(files.fill_figures)
        self._title = QLabel(self)
        self._title.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._saved = QLabel(self)
        self._saved.setProperty("quiet", True)
        self._saved.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._saved.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._saved_at: float | None = None
        self._clock = QTimer(self, interval=5000)
        self._clock.timeout.connect(self._report_saved)

    def _inner(self, title: str, name: str) -> QMenu:
        """Return a menu in a menu; it is made where its first action stands."""
        found = self._menus.get(f"{title}/{name}")
        if found is None:
            found = self._menus[f"{title}/{name}"] = self._menus[title].addMenu(name)
            found.aboutToShow.connect(lambda: space_shortcuts(found))
            found.setToolTipsVisible(f"{title}/{name}" == LINES_MENU)
        return found

    def place_of(self, title: str) -> QRect:
        """Return where the title of a menu is in the window."""
        box = self.actionGeometry(self._menus[title].menuAction())
        return QRect(self.mapTo(self.window(), box.topLeft()), box.size())

    def submenu(self, title: str, name: str) -> QMenu | None:
        """Return a menu in a menu, or None if there is none."""
        return self._menus.get(f"{title}/{name}")

    def entries(self) -> Iterator[tuple[str, QAction]]:
        """Yield every entry with where it stands, such as ``Pose > Mirror``; those filled as they open are filled."""
        for menu in (self._menus[title] for title in MENUS):
            yield from self._entries_of(menu, menu.title())

    def _entries_of(self, menu: QMenu, path: str) -> Iterator[tuple[str, QAction]]:
        if menu not in self._menus.values():  # those of the key map are filled at once
            menu.aboutToShow.emit()
        for action in menu.actions():
            inner = action.menu()
            if isinstance(inner, QMenu):
                yield from self._entries_of(inner, f"{path} > {inner.title()}")
            elif not action.isSeparator() and action.text():
                yield path, action

    def add_docks(self, docks: Sequence[QDockWidget]) -> None:
        """Let the View menu show and hide docks."""
        panels = self._inner("View", "Panels")
        for dock in docks:
            panels.addAction(dock.toggleViewAction())

    def show_title(self, title: str) -> None:
        """Show the name of what is open."""
        self._title.setText(title)
        self._place()

    def note_saved(self) -> None:
        """Remember that the file was written now."""
        self._saved_at = time.monotonic()

    def forget_saved(self) -> None:
        """Forget when a file was written: another one is open."""
        self._saved_at = None

    def show_saved(self, is_saved: bool) -> None:
        """Show whether everything is in the file."""
        if not is_saved:
            self._clock.stop()
            self._saved.setText("")
        else:
            self._report_saved()
            self._clock.start()
        self._place()

    def _report_saved(self) -> None:
        text = "" if self._saved_at is None else f"Saved {ago(time.monotonic() - self._saved_at)} ago"
        self._saved.setText(text)
        self._place()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        menus = self._menus["Help"].menuAction()
        left = self.actionGeometry(menus).right() + 16
        self._saved.resize(128, self.height())
        self._saved.move(self.width() - 140, 0)
        width = min(self._title.sizeHint().width(), self.width() - left - 150)
        x = max(left, (self.width() - width) // 2)
        self._title.resize(max(0, min(width, self.width() - 140 - x)), self.height())
        self._title.move(QPoint(x, 0))
