"""What the actions about several figures and props do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QFileDialog, QMenu

from app.actions.files import FIGURE_FILTER
from app.actions.group import WindowActions
from app.actions.scene_view import read_scene
from app.document.changes import Change, FigureChanged, FileChanged, PhysicsChanged
from app.panels.scene.panel import ScenePanel
from app.widgets.frames.menu import add_action, pop_up
from core.errors import CoreError
from core.formats.bundled import bundled_folder
from core.skeleton.building import props
from core.skeleton.joined import is_prop
from core.skeleton.objects.loading import SUFFIXES, load_object

if TYPE_CHECKING:
    from core.skeleton import Skeleton

PROPS: tuple[tuple[str, str, Callable[[], Skeleton]], ...] = (
    ("Box", "cube", lambda: props.box((0.4, 0.3, 0.3))),
    ("Ball", "ball-shape", lambda: props.ball(0.11)),
    ("Capsule", "limb", lambda: props.capsule(0.02, 1.2)),
)
"""Props to begin with: a crate that takes two hands, a football, a staff."""
MESHES = f"Meshes ({' '.join('*' + suffix for suffix in SUFFIXES)});;All files (*)"


class FigureActions(WindowActions):
    """Actions on the figures of the document as wholes."""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        figures = self.document.figures
        return {
            "next_figure": partial(self.step, 1),
            "duplicate_figure": lambda: figures.duplicate(self.document.model.active.figure),
            "remove_figure": lambda: figures.remove(self.document.model.active.figure),
            "make_prop": self.make_prop,
            "make_body": self.make_body,
        }

    def connect(self) -> None:
        """Let the panel's buttons open the menus, and follow what can be done."""
        panel = next(panel for panel in self._window.panels if isinstance(panel, ScenePanel))
        panel.figures_wanted.connect(partial(self._open, self.fill_figures))
        panel.props_wanted.connect(partial(self._open, self.fill_props))
        self.document.changed.connect(self._take)
        self.show_state()

    def _take(self, change: Change) -> None:
        if isinstance(change, FileChanged) and change.name == "opened":
            read_scene(self.document)
        if isinstance(change, (FigureChanged, FileChanged, PhysicsChanged)):
            self.show_state()

    def show_state(self) -> None:
        """Show which of the actions make sense now."""
        actions, model, physics = self._window.action_table, self.document.model, self.document.physics
        several = len(model.figures) > 1
        for name, possible in (
            ("next_figure", several),
            ("duplicate_figure", bool(model.figures)),
            ("remove_figure", several),
            ("make_prop", physics.picked is not None and physics.picked[0] == "rigid_bodies"),
            ("make_body", several and model.skeleton is not None and is_prop(model.skeleton)),
        ):
            actions[name].setEnabled(possible)

    # -- adding ---------------------------------------------------------------------------------------------------

    def _open(self, fill: Callable[[QMenu], None], place: QPoint) -> None:
        menu = QMenu(self._window)
        fill(menu)
        pop_up(menu, place)

    def fill_figures(self, menu: QMenu) -> None:
        """Fill a menu with the figures that can be put beside those of the document."""
        menu.clear()
        for path in sorted(bundled_folder().glob("*.scr")):
            add_action(menu, path.stem.capitalize(), partial(self.document.files.add_figure, path))
        menu.addSeparator()
        add_action(menu, "From a file…", self.ask_figure)

    def fill_props(self, menu: QMenu) -> None:
        """Fill a menu with the props that can be put into the scene."""
        menu.clear()
        for name, icon, make in PROPS:
            add_action(menu, name, partial(self._add_prop, name, make), icon=icon)
        menu.addSeparator()
        add_action(menu, "Mesh from a file…", self.ask_mesh)

    def _add_prop(self, name: str, make: Callable[[], Skeleton]) -> bool:
        return self.document.figures.add(make(), f"Add {name.lower()}", beside=True)

    def ask_figure(self) -> None:
        """Ask for a file and put its figure beside those of the document."""
        path, _ = QFileDialog.getOpenFileName(self._window, "Add figure", str(bundled_folder()), FIGURE_FILTER)
        if path:
            self._window.files.read_figure(Path(path), self.document.files.put_beside)

    def ask_mesh(self) -> None:
        """Ask for a file with polygons and make a prop of it."""
        path, _ = QFileDialog.getOpenFileName(self._window, "Add a prop", "", MESHES)
        if path:
            self.add_mesh(Path(path))

    def add_mesh(self, path: Path) -> bool:
        """Make a prop of a file's polygons, which then travel with the document."""
        try:
            skeleton = props.of_mesh(load_object(path, path.name), path.stem)
        except CoreError as error:
            self.document.say("error", str(error).partition("\n")[0], str(error))
            return False
        return self.document.figures.add(skeleton, f"Add {path.name}", beside=True)

    # -- what is there --------------------------------------------------------------------------------------------

    def step(self, by: int) -> None:
        """Edit the next figure of the document, after the last one the first."""
        count, now = len(self.document.model.figures), self.document.model.active.figure
        if count > 1:
            self.document.figures.show((now + by) % count)
            self.document.say("info", f"{self.document.model.figures[(now + by) % count].skeleton.name} is edited now")

    def make_prop(self) -> bool:
        """Make the rigid body that was clicked in Physics mode a prop: a figure that can be keyed."""
        picked = self.document.physics.picked
        if picked is None or picked[0] != "rigid_bodies":
            self.document.say("info", "Click a box, ball or capsule that moves freely, in Physics mode, first")
            return False
        from app.physics.prop_edits import body_to_prop

        done = body_to_prop(self.document, picked[1])
        if done:
            self.document.physics.unpick()
        return done

    def make_body(self) -> bool:
        """Make the prop that is edited a rigid body, which only forces move."""
        from app.physics.prop_edits import prop_to_body

        return prop_to_body(self.document)
