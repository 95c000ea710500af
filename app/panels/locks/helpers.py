"""Which joints may help to keep a lock: presets, and a tree of them to choose from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from app.widgets.fields.segment_bar import SegmentBar
from app.widgets.frames.menu import make_menu, pop_up
from app.widgets.joints.joint_checks import JointChecks
from app.widgets.labels import hint_label, quiet_label
from app.widgets.layouts import column_layout
from app.words.lock_words import count_text, ends_of, found, helping_joints
from app.words.part_names import part_name, spoken_name
from core.constraints.lock import Lock
from core.kinematics.chain import ancestry, drag_chain

if TYPE_CHECKING:
    from core.skeleton import Skeleton

LIMB, UP_TO, ALL, CHOSEN = "limb", "up_to", "all", "chosen"


def limb_joints(lock: Lock, skeleton: Skeleton) -> tuple[int, ...]:
    """Return the joints of the limb that a lock's part ends, of both parts of a pair."""
    joints = {joint for end in ends_of(lock, skeleton) for joint in drag_chain(skeleton, end, "limb").joints}
    return tuple(sorted(joints))


def joints_up_to(lock: Lock, skeleton: Skeleton, base: int) -> tuple[int, ...]:
    """Return the joints from a lock's part up to one above it, of both parts of a pair as far as they hang on it."""
    joints = {
        joint
        for end in ends_of(lock, skeleton)
        if base in ancestry(skeleton, end)
        for joint in drag_chain(skeleton, end, "up_to", base).joints
    }
    return tuple(sorted(joints))


def bases_of(lock: Lock, skeleton: Skeleton) -> tuple[int, ...]:
    """Return the joints that "up to" may name: those above a lock's part that move, nearest first."""
    ends = ends_of(lock, skeleton)
    above = ancestry(skeleton, ends[0])[1:] if ends else ()
    return tuple(joint for joint in above if skeleton.joints[joint].dofs or skeleton.joints[joint].parent < 0)


def preset_of(lock: Lock, skeleton: Skeleton) -> tuple[str, int | None]:
    """Return which preset the joints of a lock are, and the base of "up to"."""
    if lock.joints is None:
        return ALL, None
    chosen = found(skeleton, lock.joints)
    if chosen == limb_joints(lock, skeleton):
        return LIMB, None
    for base in bases_of(lock, skeleton):
        if chosen == joints_up_to(lock, skeleton, base):
            return UP_TO, base
    return CHOSEN, None


class LockHelpers(QWidget):
    """Shows and edits which joints may move for a lock.

    Signals:
        changed(object, str): Other joints were chosen by hand: their names, or None for all; and what that is called.
        unfolded(): The tree of joints was opened by hand, and wants to be seen.
    """

    changed = Signal(object, str)
    unfolded = Signal()

    def __init__(self):
        super().__init__()
        self.lock: Lock | None = None
        self.skeleton: Skeleton | None = None
        self._key = ""
        self._choosing = False
        self.menu: QMenu | None = None
        column = column_layout(self, (12, 3, 12, 3), 3)
        line = QHBoxLayout()
        line.setContentsMargins(0, 0, 0, 0)
        title = quiet_label("Joints that may help")
        self.count = hint_label()
        line.addWidget(title)
        line.addStretch(1)
        line.addWidget(self.count)
        column.addLayout(line)
        self.presets = SegmentBar(
            [(LIMB, "Limb"), (UP_TO, "Up to"), (ALL, "All"), (CHOSEN, "Chosen")], name="Joints that may help"
        )
        self.presets.set_tight(True)
        self.presets.segment(LIMB).setToolTip("Only the limb of the part moves to keep this lock")
        self.presets.segment(UP_TO).setToolTip("The joints from the part up to one above it")
        self.presets.segment(ALL).setToolTip("Every joint that can, and the figure's place")
        self.presets.segment(CHOSEN).setToolTip("Choose joints one by one")
        self.presets.chosen.connect(self._preset)
        column.addWidget(self.presets)
        self.tree = JointChecks("Joints that may help")
        self.tree.changed.connect(self._ticked)
        column.addWidget(self.tree)

    def show_lock(self, key: str, lock: Lock, skeleton: Skeleton) -> None:
        """Show the joints of a lock; ``key`` says which one it is."""
        if key != self._key:
            self._key, self._choosing = key, False
        same = lock is self.lock and skeleton is self.skeleton
        self.lock, self.skeleton = lock, skeleton
        if same:
            return
        self.refresh()

    def refresh(self) -> None:
        """Show what the lock has."""
        lock, skeleton = self.lock, self.skeleton
        if lock is None or skeleton is None:
            return
        preset, base = preset_of(lock, skeleton)
        joints = helping_joints(lock, skeleton)
        self.count.setText(count_text(len(joints)))
        self.presets.set_current(CHOSEN if self._choosing else preset)
        name = "" if base is None else f": {part_name(skeleton.joints[base].name)}"
        self.presets.set_label(UP_TO, f"Up to{name}")
        self.tree.setVisible(self._choosing or preset == CHOSEN)
        self.tree.show_figure(skeleton, joints)

    def _set_helpers(self, joints: Iterable[int] | None, words: str) -> None:
        assert self.skeleton is not None
        names = None if joints is None else tuple(self.skeleton.joints[joint].name for joint in joints)
        self.changed.emit(names, words)
        self.refresh()

    def _preset(self, key: str) -> None:
        lock, skeleton = self.lock, self.skeleton
        if lock is None or skeleton is None:
            return
        self._choosing = key == CHOSEN
        if key == LIMB:
            self._set_helpers(limb_joints(lock, skeleton), "Let the limb keep the lock")
        elif key == ALL:
            self._set_helpers(None, "Let all joints keep the lock")
        elif key == UP_TO:
            self._offer_bases()
        else:
            self.refresh()
            self.unfolded.emit()

    def _offer_bases(self) -> None:
        lock, skeleton = self.lock, self.skeleton
        assert lock is not None and skeleton is not None
        bases = bases_of(lock, skeleton)

        def take(base: int) -> None:
            name = spoken_name(skeleton.joints[base].name)
            self._set_helpers(joints_up_to(lock, skeleton, base), f"Let joints up to {name} keep the lock")

        rows = [(part_name(skeleton.joints[base].name), lambda base=base: take(base), "") for base in bases]
        self.menu = make_menu(self, rows)
        self.menu.aboutToHide.connect(self.refresh)
        button = self.presets.segment(UP_TO)
        pop_up(self.menu, button.mapToGlobal(button.rect().bottomLeft()))

    def _ticked(self, joints: tuple[int, ...]) -> None:
        self._choosing = True
        self._set_helpers(joints, "Choose joints that keep the lock")
