"""What the actions of the skeleton mode do, and how the window goes from one mode to another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMenu

from app.actions.group import WindowActions
from app.document.edits import joint_edits
from app.document.session import MODES
from app.panels.skeleton.panel import SkeletonPanel
from app.widgets.fields.limit_field import LimitField
from app.widgets.frames.menu import space_shortcuts
from app.words.part_names import part_name

if TYPE_CHECKING:
    from core.skeleton import Skeleton

RESTING = "Keys cannot be set while the skeleton is edited"
FIGURE_FILTER = "Figures (*.scr)"
_CHOSEN = ("rename_joint", "remove_branch", "remove_joint", "mirror_side")


class SkeletonActions(WindowActions):
    """Actions on the figure itself."""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        return {
            "new_figure": self.new_figure,
            "save_figure": self.save_figure,
            "rename_figure": self.rename_figure,
            "mode_pose": lambda: self.set_mode("pose"),
            "mode_physics": lambda: self.set_mode("physics"),
            "mode_skeleton": lambda: self.set_mode("skeleton"),
            "next_mode": self.next_mode,
            "add_joints": self.flip_tool,
            "add_child": self.add_child,
            "rename_joint": self.rename,
            "joint_limits": self.type_limits,
            "remove_branch": lambda: self.remove(keep_children=False),
            "remove_joint": lambda: self.remove(keep_children=True),
            "mirror_side": self.mirror,
            "add_bodies": lambda: self.document.figures.edit(joint_edits.with_bodies, "Add shapes"),
            "reroot": self.reroot,
            "carry_children": lambda: self._flip("carry_children"),
            "snap": lambda: self._flip("snap"),
        }

    @property
    def panel(self) -> SkeletonPanel:
        """The skeleton panel."""
        return next(panel for panel in self._window.panels if isinstance(panel, SkeletonPanel))

    def connect(self) -> None:
        """Let the panel's buttons and menus do what the actions do."""
        self.panel.menu_requested.connect(self.show_joint_menu)
        self.panel.add_requested.connect(self.add_child)

    def type_limits(self) -> None:
        """Go to the limits of the joint selected last, where they are typed: that is edited in skeleton mode."""
        if not self.document.selection.joints:
            self.tell("Select a part first")
            return
        self.set_mode("skeleton")
        QCoreApplication.sendPostedEvents()  # the panel shows the joint
        panel = self.panel
        self._window.workbench.show_panel(panel)
        fields = (field for field in panel.findChildren(LimitField) if "lower limit" in field.accessibleName())
        field = next((field for field in fields if field.isVisibleTo(panel)), None)
        if field is None:
            self.tell("This joint has no angle that could have limits")
        else:
            field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # -- figures --------------------------------------------------------------------------------------------------

    def new_figure(self) -> None:
        """Start over with a figure of one joint, and let the person build on it."""
        if not self._window.files.may_discard():
            return
        self._window.player.pause()
        self._window.errors.clear()
        self.document.files.new(joint_edits.first_figure())
        self.set_mode("skeleton")
        self.document.selection.set((0,))

    def save_figure(self) -> bool:
        """Ask for a file and write the figure alone to it, with its objects beside it."""
        skeleton = self.document.skeleton
        if skeleton is None:
            return False
        files, origin = self._window.files, self.document.files.origin
        is_figure = origin is not None and origin.suffix.lower() == ".scr"
        start = str(files.suggested_path(".scr", "") if is_figure else files.own_folder() / f"{skeleton.name}.scr")
        name, _ = QFileDialog.getSaveFileName(self._window, "Save figure as", start, FIGURE_FILTER)
        if not name:
            return False
        path = Path(name)
        return self.document.files.save(
            path if path.suffix.casefold() == ".scr" else path.with_name(path.name + ".scr")
        )

    def rename_figure(self) -> None:
        """Ask for another name of the figure."""
        skeleton = self.document.skeleton
        if skeleton is None:
            return
        name, good = QInputDialog.getText(self._window, "Rename figure", "Name of the figure", text=skeleton.name)
        if good and name.strip() != skeleton.name:
            self.document.figures.rename(self.document.model.active.figure, name)

    # -- modes ----------------------------------------------------------------------------------------------------

    def set_mode(self, mode: str) -> None:
        """Let the window work on something else; without a figure there is nothing but poses."""
        if self.document.skeleton is None:
            mode = "pose"
        self._window.player.pause()
        self._window.area.cancel()
        self.document.session.mode = mode
        self.show_state()

    def next_mode(self) -> None:
        """Go from pose to skeleton mode, and back."""
        self.set_mode("pose" if self.document.session.mode == "skeleton" else "skeleton")

    def show_mode(self) -> None:
        """Arrange the window for the session's mode."""
        window, session = self._window, self.document.session
        session.tools.joint_tool = "move"
        window.workbench.set_mode(session.mode)
        window.timeline.rest(RESTING if session.mode == "skeleton" else "")
        if session.mode != "skeleton":
            window.workbench.fit_timeline()
        window.area.work_view.setFocus()

    def show_state(self) -> None:
        """Show which of the switches are on, and what can be done with what is selected."""
        session, actions, skeleton = self.document.session, self._window.action_table, self.document.skeleton
        for mode in MODES:
            actions[f"mode_{mode}"].setChecked(session.mode == mode)
        actions["add_joints"].setChecked(session.tools.joint_tool == "add")
        actions["carry_children"].setChecked(session.tools.carry_children)
        actions["snap"].setChecked(session.tools.snap)
        chosen = self.document.selection.joints
        for name in _CHOSEN:
            actions[name].setEnabled(bool(chosen) and skeleton is not None and session.mode == "skeleton")
        below = bool(chosen) and skeleton is not None and skeleton.joints[chosen[-1]].parent >= 0
        actions["reroot"].setEnabled(below)

    def _flip(self, name: str) -> None:
        session = self.document.session
        session.set(name, not session.get(name))

    def flip_tool(self) -> None:
        """Activate the tool that adds joints, or leave it."""
        session = self.document.session
        session.tools.joint_tool = "move" if session.tools.joint_tool == "add" else "add"

    # -- joints ---------------------------------------------------------------------------------------------------

    def _chosen(self) -> tuple[Skeleton, int] | None:
        """Return the figure and the joint that is edited."""
        skeleton, chosen = self.document.skeleton, self.document.selection.joints
        return (skeleton, chosen[-1]) if skeleton is not None and chosen else None

    def add_child(self) -> None:
        """Add a joint at the end of the selected one's segment, and select it; on the root if none is selected."""
        skeleton = self.document.skeleton
        if skeleton is None or self.document.session.mode != "skeleton":
            return
        parent = skeleton.joints[self.document.selection.joints[-1] if self.document.selection.joints else 0].name
        name = joint_edits.free_name(skeleton)
        if self.document.figures.edit(joint_edits.added(parent, name), f"Add {name}"):
            self.document.selection.set((name,))

    def rename(self) -> None:
        """Let the person type another name for the selected joint."""
        chosen = self._chosen()
        if chosen is not None:
            self.panel.rename(chosen[1])

    def remove(self, keep_children: bool) -> None:
        """Remove the selected joints, with everything that hangs on them or without, and select what they hung on."""
        chosen = self._chosen()
        if chosen is None:
            return
        skeleton, joint = chosen
        names = [skeleton.joints[i].name for i in self.document.selection.joints]
        above = skeleton.joints[joint].parent
        text = f"Remove {names[0]}" if len(names) == 1 else f"Remove {len(names)} joints"
        if self.document.figures.edit(joint_edits.removed(names, keep_children), text):
            left = self.document.skeleton
            if above >= 0 and left is not None and skeleton.joints[above].name in left.joint_names:
                self.document.selection.set((skeleton.joints[above].name,))

    def mirror(self) -> None:
        """Make the other side of the branch that the selected joint is in."""
        chosen = self._chosen()
        if chosen is None:
            return
        names = joint_edits.side_names(*chosen)
        name = chosen[0].joints[chosen[1]].name
        if self.document.figures.edit(joint_edits.mirrored(*chosen), "Mirror side"):
            self.document.selection.set((names.get(name, name),))

    def reroot(self) -> None:
        """Make the selected joint the root; keys are converted so that every pose stays as it is."""
        chosen = self._chosen()
        if chosen is not None:
            self.document.figures.reroot(chosen[1])

    def show_joint_menu(self, place: QPoint, joint: int | None) -> None:
        """Show what can be done with a joint."""
        actions, skeleton = self._window.action_table, self.document.skeleton
        menu = QMenu(self._window)
        if joint is not None and skeleton is not None:
            if joint not in self.document.selection.joints:
                self.document.selection.set((joint,))
            menu.addAction(part_name(skeleton.joints[joint].name)).setEnabled(False)
            groups = [("add_child", "rename_joint", "mirror_side", "reroot"), ("remove_branch", "remove_joint")]
        else:
            groups = []
        groups += [("add_joints", "carry_children", "snap"), ("frame_selected", "frame_all")]
        for group in groups:
            if not menu.isEmpty():
                menu.addSeparator()
            for name in group:
                menu.addAction(actions[name])
        menu.aboutToHide.connect(menu.deleteLater)
        space_shortcuts(menu)
        menu.popup(place)
