"""How many locks hold parts of each group of joints at the current frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from app.locks.words import found

if TYPE_CHECKING:
    from app.document.change import Change
    from app.document.document import Document
    from app.widgets.joint_groups import Group

_KINDS = frozenset({"locks", "frame", "sequence", "figure", "file"})


class GroupLocks:
    """Counts the locks of groups, and tells which counts have changed.

    Args:
        document: The open document.
        groups: Returns the groups that are shown.
        tell: Called with each group whose number of locks has changed.
    """

    def __init__(self, document: Document, groups: Callable[[], Sequence[Group]], tell: Callable[[Group], object]):
        self._document, self._groups, self._tell = document, groups, tell
        document.changed.connect(self._take)
        self.count()

    def _take(self, change: Change) -> None:
        if change.kind in _KINDS or change.detail.get("name") == "mode":
            self.count()

    def count(self) -> None:
        """Count again."""
        skeleton = self._document.skeleton
        if skeleton is None:
            return
        # A balance belongs to the whole figure, not to the joint that it happens to name.
        locks = [lock for _, lock, _ in self._document.locks_now() if lock.kind != "balance"]
        locked = [joint for lock in locks for joint in found(skeleton, [lock.joint])]
        for group in self._groups():
            number = sum(joint in group.joints for joint in locked)
            if number != group.locks:
                group.locks = number
                self._tell(group)
