"""What the actions do that make a sequence by rules: a walk, its ground, and keys of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QFileDialog

from app.actions.group import WindowActions
from app.document.changes import Change, FileChanged, SequenceChanged, SessionChanged
from app.document.content.walk_rules import know_ground
from app.files.opening import LARGE
from app.popovers.walk import WalkPopover
from app.tools.draw_way import WayTool
from app.work.background import Progress
from core.errors import CoreError
from core.skeleton.foreign import READERS
from core.terrain import Terrain, read_terrain

MARGIN = 12
FILTER = f"Meshes ({' '.join('*' + suffix for suffix in READERS)});;All files (*)"


class WalkActions(WindowActions):
    """Actions on the rules that the active sequence is made by."""

    popover: WalkPopover | None = None

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        return {
            "walk": self.open,
            "walk_ground": self.choose_ground,
            "walk_way": self.draw_way,
            "bake_walk": self.bake,
        }

    def connect(self) -> None:
        """Follow what makes sense."""
        self.document.changed.connect(self._take)
        self.show_state()

    def open(self) -> None:
        """Open the settings of the walk."""
        document = self.document
        if document.skeleton is None or document.sequence is None:
            document.say("info", "Open a figure first; then it can walk")
            return
        popover = self._made_popover()
        corner = self._window.area.mapToGlobal(QPoint(MARGIN, MARGIN))
        corner.setX(self._window.mapToGlobal(QPoint(MARGIN, 0)).x())  # over the panels: the figure is to be seen
        popover.open_at(corner)

    def _made_popover(self) -> WalkPopover:
        if self.popover is None:
            self.popover = WalkPopover(self.document, self._window)
            self.popover.ground_wanted.connect(self.choose_ground)
        return self.popover

    def choose_ground(self) -> None:
        """Ask for a mesh and let the figure walk on it."""
        folder = self._window.files.own_folder()
        path, _ = QFileDialog.getOpenFileName(self._window, "Ground", str(folder), FILTER)
        if not path or not self.read_ground(Path(path)):
            self.open()

    def read_ground(self, path: Path) -> bool:
        """Let the figure walk on a mesh from a file; a large one is read beside the window, with progress.

        Returns:
            Whether it is still being read; the settings of the walk open once it is there.
        """
        popover, document = self._made_popover(), self.document
        try:
            large = path.stat().st_size > LARGE
        except OSError:
            large = False
        if not large:
            popover.set_ground_file(path)
            return False
        figure = document.skeleton

        def read(progress: Progress) -> Terrain:
            ground = read_terrain(path, progress)
            know_ground(ground)
            return ground

        def take(ground: Terrain) -> None:
            if document.skeleton is figure:  # somebody may have gone on working while it was read
                self.open()
                popover.set_ground(ground)

        def refuse(error: Exception) -> None:
            if not isinstance(error, (CoreError, OSError)):
                raise error
            popover.refuse_ground(error)

        return self.run_beside(f"Reading {path.name}", read, take, refuse)

    def draw_way(self) -> None:
        """Let the mouse draw where the figure walks; again gives that up."""
        tools = self.document.session.tools
        tools.placing = None if tools.placing == WayTool.name else WayTool.name
        self._window.area.work_view.setFocus()
        self._window.area.work_view.refresh_status()

    def bake(self) -> None:
        """Let the walk be keys."""
        if self.document.walks.bake():
            self.document.say("info", "The walk is keys now, with the locks of its feet")

    def stop(self) -> None:
        """End what goes on in the background."""
        if self.popover is not None:
            self.popover.stop()

    def _take(self, change: Change) -> None:
        if isinstance(change, SequenceChanged | FileChanged) or (
            isinstance(change, SessionChanged) and change.name == "mode"
        ):
            self.show_state()

    def show_state(self) -> None:
        """Enable what makes sense now."""
        sequence = self.document.sequence
        posing = self.document.session.mode == "pose" and sequence is not None
        is_walk = sequence is not None and sequence.gait is not None
        self._window.action_table["bake_walk"].setEnabled(posing and is_walk)
