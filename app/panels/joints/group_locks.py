"""How many locks hold parts of each group of joints at the current frame, and what moves the group instead of keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    HybridChanged,
    LocksChanged,
    PhysicsChanged,
    SequenceChanged,
)
from app.widgets.joints.joint_groups import ROOT_TITLE
from app.words.keys_now import key_of
from app.words.lock_words import found
from core.animation.hybrid_strips import BRACE, DYNAMIC, LIMP, MOTOR, STUMBLE

if TYPE_CHECKING:
    from app.document.document import Document
    from app.widgets.joints.joint_groups import Group

_KINDS = (LocksChanged, FrameChanged, SequenceChanged, FigureChanged, FileChanged, HybridChanged)
FORCES = {DYNAMIC: "dynamic", LIMP: "limp", MOTOR: "motor to key", BRACE: "braces", STUMBLE: "keeps balance"}
"""What is said of joints that forces move, by the mode of their strip; of several modes in a group the first one."""


class GroupLocks:
    """Counts the locks of groups, and reports which counts have changed; in physics mode also what moves them.

    Args:
        document: The open document.
        groups: Returns the groups that are shown.
        notify: Called with each group of which something has changed.
    """

    def __init__(self, document: Document, groups: Callable[[], Sequence[Group]], notify: Callable[[Group], object]):
        self._document, self._groups, self._notify = document, groups, notify
        self._modes: tuple[str, ...] | None = None
        document.changed.connect(self._take)
        self.count()

    def _take(self, change: Change) -> None:
        name = change.name
        if isinstance(change, _KINDS) or name == "mode":
            self.count()
        elif isinstance(change, PhysicsChanged) and name in ("sample", "samples"):
            self.show_forces()

    def count(self) -> None:
        """Count again."""
        skeleton = self._document.skeleton
        if skeleton is None:
            return
        # A balance belongs to the whole figure, not to the joint that it happens to name.
        locks = [lock for _, lock, _ in self._document.locks.now() if lock.kind != "balance"]
        locked = [joint for lock in locks for joint in found(skeleton, [lock.joint])]
        for group in self._groups():
            number = sum(joint in group.joints for joint in locked)
            if number != group.locks:
                group.locks = number
                self._notify(group)
        self._modes = None
        self.show_forces()

    def show_forces(self) -> None:
        """Show what moves each group."""
        modes = self._document.physics.modes()
        if modes == self._modes:
            return
        self._modes = modes
        for group in self._groups():
            kinds = {modes[joint] for joint in group.joints if joint < len(modes)}
            forces = next((words for mode, words in FORCES.items() if mode in kinds), "")
            if forces != group.forces:
                group.forces = forces
                if group.title != ROOT_TITLE:  # which says where the root is
                    group.header.set_token("dyn" if forces else "text3")
                self._notify(group)


def is_simulated(document: Document) -> bool:
    """Return whether what is shown is simulated, so that no pose can be edited; say so then."""
    if document.physics.current is None:
        return False
    document.say("info", f"This pose is simulated: bake it, or press {key_of('simulation_stop')} for the keyed one")
    return True
