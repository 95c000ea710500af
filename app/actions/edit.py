"""What the actions of the Edit, Pose, Sequence and View menus do."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial

import numpy as np
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMenu, QMessageBox, QWidget

from app.actions.control_points import ControlActions
from app.actions.group import WindowActions
from app.actions.keys import in_timeline
from app.actions.motion import MotionActions
from app.document.session import DRAG_MODES
from app.process.log import log_path
from app.system import places
from app.timeline.marks.times import next_frame
from app.widgets.behaviour.focus_chain import focus_chain
from app.widgets.frames.dock import Panel
from app.widgets.frames.menu import space_shortcuts
from core import __version__

ZOOM = 1.2
TURN = 37.5  # px, 15 degrees
DIRECTIONS = {"left": (-1, 0), "right": (1, 0), "up": (0, 1), "down": (0, -1)}
VIEWS = ("front", "side", "top", "perspective")
_IN_VIEWS = frozenset({"select_parent", "select_child", *(f"nudge_{name}" for name in DIRECTIONS)})
OVERLAYS = {"show_grid": "grid", "show_ghosts": "ghosts", "show_trail": "trail", "show_com": "com",
            "show_silhouette": "silhouette", "show_ellipsoid": "ellipsoid", "follow_figure": "follow",
            "show_root_path": "root_path", "show_com_path": "com_path", "show_footprints": "footprints",
            "show_control_points": "control_points", "show_safe_frame": "safe_frame",
            "show_studio": "studio", "show_walk_prints": "walk_prints"}  # fmt: skip


class EditActions(WindowActions):
    """Actions on the open document; each is one call on it."""

    @cached_property
    def controls(self) -> ControlActions:
        """The actions on control points."""
        return ControlActions(self._window)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        window, document = self._window, self.document
        made: dict[str, Callable[[], object]] = {
            "undo": lambda: self.step(document.history.undo, "Undone", document.stack.undoText()),
            "redo": lambda: self.step(document.history.redo, "Redone", document.stack.redoText()),
            "select_all": self.select_all,
            "select_none": lambda: document.selection.set(()),
            "turn_mode": self.change_turn_mode,
            "turn_axes": self.change_turn_axes,
            "cycle_drag_mode": self.cycle_drag_mode,
            "reset_selection": self.reset_selection,
            "reset_pose": self.reset_pose,
            "delete_key": document.keys.delete,
            "auto_key": lambda: self.flip("auto_key"),
            "keys_together": lambda: self.flip("keys_together"),
            "add_layer": document.layers.add,
            "zero_layer_key": lambda: self._on_layer(lambda id: document.layers.set_key(id, zero=True)),
            "merge_layer": lambda: self._on_layer(document.layers.merge_down),
            "flatten_layers": document.layers.flatten,
            "leave_layer": lambda: document.layers.activate(None),
            "play": self.play,
            "loop": lambda: self.flip("loop"),
            "first_frame": lambda: self.go(self._range()[0]),
            "last_frame": lambda: self.go(self._range()[1]),
            "step_back": lambda: self.go(document.frame - 1),
            "step_forward": lambda: self.go(document.frame + 1),
            "previous_key": lambda: self.go_to_key(-1),
            "next_key": lambda: self.go_to_key(1),
            "frame_selected": lambda: self.show_all(selected=True),
            "frame_all": self.show_all,
            "zoom_in": lambda: window.area.zoom(ZOOM),
            "zoom_out": lambda: window.area.zoom(1.0 / ZOOM),
            "turn_left": lambda: window.area.turn(-TURN, 0.0),
            "turn_right": lambda: window.area.turn(TURN, 0.0),
            "turn_up": lambda: window.area.turn(0.0, -TURN),
            "turn_down": lambda: window.area.turn(0.0, TURN),
            "toggle_theme": self.toggle_theme,
            "reset_layout": window.reset_layout,
            "next_region": self.next_region,
            "manual": self.show_manual,
            "first_steps": window.show_first_steps,
            "open_log": self.open_log,
            "add_to_applications": self.add_to_applications,
            "about": self.show_about,
        }
        for name, (right, up) in DIRECTIONS.items():
            made[f"nudge_{name}"] = partial(self._nudge, right, up)
            made[f"nudge_figure_{name}"] = partial(self._nudge, right, up, whole=True)
            made[f"pan_{name}"] = partial(self._pan, -TURN * right, TURN * up)
        for number in range(3):
            made[f"turn_{number + 1}_on"] = partial(self._turn, number, 1)
            made[f"turn_{number + 1}_back"] = partial(self._turn, number, -1)
        made["fine_steps"] = self._say_steps
        for name in ("parent", "child"):
            made[f"select_{name}"] = partial(self._step_selection, name == "parent")
        for tool in ("select", "drag", "rotate"):
            made[f"tool_{tool}"] = partial(self.set_tool, tool)
        for kind in VIEWS:
            made[f"view_{kind}"] = partial(self._show_view, kind)
        for action, overlay in OVERLAYS.items():
            made[action] = partial(self.flip_overlay, overlay)
        return made | MotionActions(window).handlers() | self.controls.handlers()

    def connect(self) -> None:
        """Bind the keys that mean something else in the timeline; arrows alone mean parts in the views only."""
        window = self._window
        self.bind_keys("view", lambda action: (window.area,) if action in _IN_VIEWS else window.posing_regions())

    # -- session --------------------------------------------------------------------------------------------------

    def flip(self, name: str) -> None:
        """Turn a switch of the session."""
        session = self.document.session
        session.set(name, not session.get(name))

    def _on_layer(self, do: Callable[[str], object]) -> None:
        """Do something with the layer that edits of the pose go to, by its id."""
        layer = self.document.layers.active
        if layer is None:
            self.document.say("info", "No layer is active; click the name of one in the timeline first")
        else:
            do(layer.id)

    def flip_overlay(self, name: str) -> None:
        """Show or hide an overlay."""
        overlays = self.document.session.view.overlays
        overlays[name] = not overlays[name]

    def _show_view(self, kind: str) -> None:
        self._window.area.show_view(kind)

    def _nudge(self, right: int, up: int, whole: bool = False) -> None:
        self._window.area.nudge(right, up, self.fine_steps, whole)

    def _turn(self, number: int, direction: int) -> None:
        self.tell(self._window.area.turn_part(number, direction, self.fine_steps))

    def _say_steps(self) -> None:
        fine, usual = "1 mm, turns by 1.5°, values by a tenth of a step", "1 cm, turns by 15°, values by a step"
        self.tell(f"Nudges go by {fine if self.fine_steps else usual}")

    def _pan(self, right: float, down: float) -> None:
        self._window.area.pan(right, down)

    def _step_selection(self, up: bool) -> None:
        self._window.area.step_selection(up)

    def set_tool(self, tool: str) -> None:
        """Make another tool the active one."""
        self.document.session.tools.placing = None
        self.document.session.tools.tool = tool
        self._window.toolbar.show_session()

    def change_turn_mode(self) -> None:
        """Let the rings turn the part instead of its joint, or the other way round; activates the tool first."""
        session = self.document.session
        if session.tools.tool == "rotate" or session.tools.turn_mode == "joint":
            session.tools.turn_mode = "joint" if session.tools.turn_mode == "chain" else "chain"
        self.set_tool("rotate")
        self._window.show_turning()

    def change_turn_axes(self) -> None:
        """Let the rings go about the world's axes instead of the part's own, or the other way round."""
        session = self.document.session
        session.tools.turn_axes = "part" if session.tools.turn_axes == "world" else "world"
        self._window.show_turning()

    def toggle_theme(self) -> None:
        """Change between dark and light."""
        session = self.document.session
        session.view.theme = "light" if session.view.theme == "dark" else "dark"

    def cycle_drag_mode(self) -> None:
        """Go to the next drag mode; "up to" only once a joint has been chosen for it."""
        session = self.document.session
        modes = [mode for mode in DRAG_MODES if mode != "up_to" or session.tools.chain_base is not None]
        session.tools.drag_mode = modes[(modes.index(session.tools.drag_mode) + 1) % len(modes)]

    # -- selection and pose ---------------------------------------------------------------------------------------

    def step(self, go: Callable[[], None], did: str, name: str) -> None:
        """Go a step through the history, and say which; during a gesture that is given up instead."""
        at, frame = self.document.stack.index(), self.document.frame
        go()
        if self.document.stack.index() != at:
            moved = "" if self.document.frame == frame else f" · at frame {self.document.frame}"
            self._window.status.answer(f"{did}: {name[:1].lower()}{name[1:]}{moved}")
            self._window.timeline.model.reveal(self.document.frame)

    def select_all(self) -> None:
        """Select all strips, curves or keys if the timeline has the keyboard there, else every part that can be seen.

        While the skeleton is edited that is every joint.
        """
        if in_timeline(self._window):
            timeline = self._window.timeline
            if timeline.locks.hasFocus() or timeline.transport.tabs.current == "dynamics":
                self._window.action_table["select_all_strips"].trigger()
            elif timeline.transport.tabs.current == "curves":
                timeline.curves.canvas.view.select_all()
            else:
                timeline.model.select_all()
            return
        skeleton, bones = self.document.skeleton, self.document.session.mode == "skeleton"
        if skeleton is not None:
            self.document.selection.set(i for i, joint in enumerate(skeleton.joints) if bones or joint.has_body)

    def reset_selection(self) -> None:
        """Bring the selected parts back to rest, as one step."""
        skeleton = self.document.skeleton
        if skeleton is None or not self.document.selection.joints:
            return
        q, rest = np.array(self.document.pose), skeleton.rest_pose()
        for joint in self.document.selection.joints:
            values = slice(3 + skeleton.first_dof[joint], 3 + skeleton.first_dof[joint + 1])
            q[values] = rest[values]
        self.document.posing.set(q, "Reset parts to rest")

    def reset_pose(self) -> None:
        """Bring the whole figure back to rest, root included, as one step."""
        if self.document.skeleton is not None:
            self.document.posing.set(self.document.skeleton.rest_pose(), "Reset figure to rest")

    def show_part_menu(self, place: QPoint, joint: int | None) -> None:
        """Show what can be done with the part under a right click, or with the joint while the skeleton is edited."""
        if self.document.session.mode == "skeleton":
            self._window.skeleton.show_joint_menu(place, joint)
            return
        actions = self._window.action_table
        menu = QMenu(self._window)
        skeleton = self.document.skeleton
        other = self.document.session.view.hovered_figure
        if other is not None:
            joint = None
        if joint is not None and skeleton is not None:
            if joint not in self.document.selection.joints:
                self.document.selection.set((joint,))
            title = menu.addAction(skeleton.joints[joint].name.capitalize())
            title.setEnabled(False)
            menu.addSeparator()
            if self.document.session.physics_mode:
                self._window.physics.add_part_menu(menu)
            else:
                menu.addAction(actions["reset_selection"])
                self._window.posing.add_part_menu(menu)
                self.controls.add_menu(menu, joint)
            self._window.locks.add_part_menu(menu, joint)
            base = menu.addAction("Drag up to this joint")
            base.setEnabled(bool(skeleton.children[joint]))
            base.triggered.connect(lambda: self._window.toolbar.set_base(joint))
            menu.addAction(actions["reroot"])
            for name in ("frame_selected", "keep_trail"):
                menu.addAction(actions[name])
            menu.addSeparator()
        elif other is not None and other < len(self.document.model.figures):
            self._window.locks.add_held_menu(menu, other)
        last = ("simulate", "bake") if self.document.session.physics_mode else ("set_key", "delete_key", "reset_pose")
        for name in (*last, "frame_all"):
            menu.addAction(actions[name])
        menu.aboutToHide.connect(menu.deleteLater)
        space_shortcuts(menu)
        menu.popup(place)

    def show_all(self, selected: bool = False) -> None:
        """Show the whole figure, or what is selected; in the timeline, if it has the keyboard, keys."""
        if in_timeline(self._window):
            model = self._window.timeline.model
            (model.fit_selected if selected else model.fit)()
        elif selected:
            self._window.area.frame_selected()
        else:
            self._window.area.frame_all()

    # -- time -----------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Play or pause: the simulation in physics mode, else the sequence."""
        if self.document.session.physics_mode:
            self._window.physics.simulate()
        else:
            self._window.player.toggle()

    def _range(self) -> tuple[int, int]:
        return self.document.model.played

    def go(self, frame: int) -> None:
        """Go to a frame, and see that the timeline shows it."""
        self.document.set_frame(frame)
        self._window.timeline.model.reveal(self.document.frame)

    def go_to_key(self, direction: int) -> None:
        """Go to the nearest key before (-1) or after (+1) the current frame."""
        sequence = self.document.sequence
        if sequence is None:
            return
        frame = next_frame((key.frame for key in sequence.keys), self.document.frame, direction)
        if frame is not None:
            self.go(frame)

    # -- window and help ------------------------------------------------------------------------------------------

    def next_region(self) -> None:
        """Give the keyboard to the next region of the window."""
        window = self._window
        regions = window.regions()
        focus = window.focusWidget()
        at = next((i for i, region in enumerate(regions) if focus is not None and region.isAncestorOf(focus)), None)
        if at is None:
            at = regions.index(focus) if focus in regions else -1
        for step in range(1, len(regions) + 1):
            region = regions[(at + step) % len(regions)]
            direct = region.focusPolicy() != Qt.FocusPolicy.NoFocus or isinstance(region, Panel)
            target = region if direct else _first_stop(region)
            if region.isVisible() and target is not None and target.isEnabled():
                target.setFocus(Qt.FocusReason.TabFocusReason)
                return

    def show_manual(self, page: str | None = None) -> None:
        """Show the manual, one window of it, on the page it is on or another one."""
        from app.dialogs.manual_window import ManualWindow

        window = self._window.findChild(ManualWindow) or ManualWindow(self._window)
        if page is not None:
            window.search.clear()
            window.show_page(page)
        window.show()
        window.raise_()
        window.activateWindow()

    def open_log(self) -> None:
        """Open the log in the program the person reads text with."""
        path = log_path()
        if not path.exists():
            self._window.show_message("info", "The log is empty: nothing has gone wrong")
        elif not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self._window.show_message("info", f"The log is {path}")

    def add_to_applications(self) -> None:
        """Put the editor among the applications of the desktop."""
        system = places.system()
        try:
            if system is None:
                self._window.show_message("warning", "This system has no list of applications that the editor knows")
                return
            written = system.add()
        except OSError as error:
            self._window.show_message("error", f"It cannot be added: {error.strerror or error}", str(error))
            return
        kinds = " and ".join(places.FILE_TYPES)
        self._window.show_message(
            "info", f"{places.NAME} is among the applications; {kinds} files open with it", "\n".join(map(str, written))
        )

    def show_about(self) -> None:
        """Say what this program is."""
        box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowTitle("About Sequence Editor")
        box.setText(f"<b>Sequence Editor {__version__}</b>")
        box.setInformativeText(
            "Pose, key and play articulated figures.\n"
            "In the style of Chris Welman's Sequence Editor (Simon Fraser University, 1993)."
        )
        box.setIconPixmap(self._window.windowIcon().pixmap(64, 64))
        box.open()


def _first_stop(region: QWidget) -> QWidget | None:
    """Return what Tab reaches first in a region that takes no keys itself, or None."""
    inside = (at for at in focus_chain(region) if region.isAncestorOf(at) and at.isVisible() and at.isEnabled())
    return next(inside, None)
