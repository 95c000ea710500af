"""What the actions do that pose in larger steps: flip, mirror, between keys, copy, paste, select larger units."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from PySide6.QtWidgets import QApplication, QMenu

from app.actions.group import WindowActions
from app.document.changes import Change, FigureChanged, FileChanged, SelectionChanged, SessionChanged
from app.document.edits import part_choice
from app.panels import HistoryPanel
from app.popovers.between import BetweenPopover
from app.widgets.frames.menu import add_action
from app.words.part_names import spoken_name
from core.animation.reshaping import BREAKDOWN, LEAN, PUSH

STEP = 0.25
"""How far one press of a key pushes, relaxes or leans."""
CHOSEN = frozenset({"mirror_pose", "reset_groups", "select_group", "select_limb", "select_side", "select_other_side"})
"""What makes sense only with something selected."""


class PosingActions(WindowActions):
    """Actions on the pose of the selected parts, or of the whole figure if none is selected."""

    _popover: BetweenPopover | None = None
    _refused = ""  # why the last paste was refused, as long as that stands

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        document = self.document
        return {
            "flip_pose": self.flip,
            "flip_across": lambda: document.posing.flip(None, in_place=False),
            "mirror_pose": lambda: document.posing.mirror(document.selection.joints),
            "mirror_left": lambda: document.posing.mirror_side("left"),
            "mirror_right": lambda: document.posing.mirror_side("right"),
            "mirror_editing": self.flip_mirror_editing,
            "pose_between": self.open_between,
            "breakdown_half": lambda: document.posing.pose_between(BREAKDOWN, 0.5, self._chosen()),
            "push_pose": lambda: document.posing.pose_between(PUSH, STEP, self._chosen()),
            "relax_pose": lambda: document.posing.pose_between(PUSH, -STEP, self._chosen()),
            "lean_back": lambda: document.posing.pose_between(LEAN, -STEP, self._chosen()),
            "lean_on": lambda: document.posing.pose_between(LEAN, STEP, self._chosen()),
            "reset_groups": lambda: document.posing.reset_groups(document.selection.joints),
            "reset_place": document.posing.reset_place,
            "copy_pose": self.copy,
            "paste_pose": self.paste,
            "paste_flipped": lambda: self.paste(flipped=True),
            "paste_in_place": lambda: self.paste(in_place=True),
            "paste_in_world": lambda: self.paste(world=True),
            "show_history": self.show_history,
            "select_group": lambda: self._select(part_choice.whole_groups),
            "select_limb": self.select_limb,
            "select_side": lambda: self._select(part_choice.same_side),
            "select_other_side": lambda: self._select(part_choice.other_side),
            "select_inverted": lambda: self._select(part_choice.inverted),
        }

    def connect(self) -> None:
        """Bind keys that mean another thing in the timeline to views and panels, and follow the document."""
        window = self._window
        self.bind_keys("view", lambda _action: window.posing_regions())
        groups = window.menu.submenu("Edit", "Select")
        if groups is not None:
            self._groups = groups.addMenu("Group")
            self._groups.aboutToShow.connect(self._fill_groups)
        self.document.changed.connect(self._take)
        QApplication.clipboard().dataChanged.connect(self._forget_refusal)

    def _take(self, change: Change) -> None:
        if isinstance(change, (SelectionChanged, FigureChanged, FileChanged, SessionChanged)) and not change.live:
            able = self.document.session.mode == "pose" and bool(self.document.selection.joints)
            for name in CHOSEN:
                self._window.action_table[name].setEnabled(able)
            what = "the whole figure" if self._chosen() is None else self._spoken(self.document.selection.joints)
            self._window.action_table["copy_pose"].setText(f"Copy pose of {what}")

    def _chosen(self) -> tuple[int, ...] | None:
        return self.document.selection.joints or None

    # -- posing ---------------------------------------------------------------------------------------------------

    def flip_mirror_editing(self) -> None:
        """Let what is posed on one side happen on the other as well, or no longer."""
        session = self.document.session
        session.tools.mirror_editing = not session.tools.mirror_editing
        on = "Mirror editing is on: both sides are posed together"
        self._window.status.answer(on if session.tools.mirror_editing else "Mirror editing is off")

    def flip(self) -> None:
        """Flip the selected parts with those across, or the whole pose; say which: a drag leaves its part selected."""
        document, chosen = self.document, self._chosen()
        if document.posing.flip(chosen) and chosen is not None and document.skeleton is not None:
            what = self._spoken(dict.fromkeys((*chosen, *part_choice.other_side(document.skeleton, chosen))))
            self._window.status.answer(f"Flipped only {what}; with nothing selected, the whole figure is flipped")

    def open_between(self) -> None:
        """Open the board that poses between keys, or close it."""
        if self._popover is None:
            self._popover = BetweenPopover(self.document, self._window.area.work_view, self._window.central)
        if self._popover.isVisible():
            self._popover.leave()
        else:
            self._popover.open()

    def show_history(self) -> None:
        """Show the history, with the keyboard in it."""
        panel = next(panel for panel in self._window.panels if isinstance(panel, HistoryPanel))
        self._window.workbench.show_panel(panel)

    # -- copying --------------------------------------------------------------------------------------------------

    def copy(self) -> None:
        """Copy the pose of the selected parts, or of the whole figure."""
        clip, chosen = self.document.posing.copy(self._chosen()), self._chosen()
        if clip is not None:
            part = (
                None if chosen is None else f"{self._spoken(chosen)}; with nothing selected, the whole figure is copied"
            )
            self._window.status.answer(f"Copied the pose of {part or 'the whole figure'}")

    def paste(self, flipped: bool = False, in_place: bool = False, world: bool = False) -> None:
        """Paste a pose; see ``Posing.paste``. Why it was refused stands no longer than it is true."""
        self._forget_refusal()
        before = self._window.errors.text
        self.document.posing.paste(flipped=flipped, in_place=in_place, world=world)
        if self._window.errors.text != before:
            self._refused = self._window.errors.text

    def _forget_refusal(self) -> None:
        self._window.errors.withdraw(self._refused)
        self._refused = ""

    def _spoken(self, joints: Collection[int]) -> str:
        """Return what parts are called in a sentence: the names of two at most, else how many there are."""
        skeleton = self.document.skeleton
        if skeleton is None or len(joints) > 2:
            return f"{len(joints)} parts"
        return " and ".join(spoken_name(skeleton.joint_names[joint]) for joint in joints)

    # -- selecting ------------------------------------------------------------------------------------------------

    def _select(self, choose: Callable[..., tuple[int, ...]]) -> None:
        if self.document.skeleton is not None:
            self.document.selection.set(choose(self.document.skeleton, self.document.selection.joints))

    def select_limb(self) -> None:
        """Select the limbs of the selected parts."""
        skeleton = self.document.skeleton
        if skeleton is not None:
            limbs = (part_choice.limb(skeleton, joint) for joint in self.document.selection.joints)
            self.document.selection.set(dict.fromkeys(joint for limb in limbs for joint in limb))

    def _fill_groups(self) -> None:
        self._groups.clear()
        skeleton = self.document.skeleton
        names = () if skeleton is None else part_choice.group_names(skeleton)
        if not names:
            self._groups.addAction("This figure has no groups").setEnabled(False)
        for name in names:
            title = spoken_name(name)[:1].upper() + spoken_name(name)[1:]
            add_action(self._groups, title, partial(self._select_named, name))

    def _select_named(self, name: str) -> None:
        if self.document.skeleton is not None:
            self.document.selection.set(part_choice.in_group(self.document.skeleton, name))

    def add_part_menu(self, menu: QMenu) -> None:
        """Add what can be done with the pose of a part to its menu."""
        actions = self._window.action_table
        for name in ("copy_pose", "paste_pose", "paste_flipped", "mirror_pose", "flip_pose"):
            menu.addAction(actions[name])
        more = menu.addMenu("Select")
        for name in ("select_group", "select_limb", "select_side", "select_other_side"):
            more.addAction(actions[name])
