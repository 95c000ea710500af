"""The steps of the undo stack as a list: what was done, what kind of thing it was, and at which frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from shiboken6 import isValid

from app.document.changes import (
    Change,
    FileChanged,
    FrameChanged,
    KeysChanged,
    LocksChanged,
    PendingChanged,
    PoseChanged,
)
from app.document.commands.registry import SetPose, SetStrips
from app.document.step import Step
from app.process.handler_guard import guarded

if TYPE_CHECKING:
    from app.document.document import Document

Index = QModelIndex | QPersistentModelIndex
ROLE = Qt.ItemDataRole

ICON, FRAMES, STATE, SAVED = (int(ROLE.UserRole) + k for k in range(1, 5))
DONE, NOW, UNDONE, LIVE = "done", "now", "undone", "live"
"""How a step stands: done, the one done last, undone, or a drag that is not over."""

_ICONS = {
    "set_keys": "key",
    "set_pose": "pose",
    "set_strips": "lock",
    "set_hybrid_strips": "gravity",
    "set_physics": "gravity",
    "set_always_locks": "lock",
    "set_sequence_value": "settings",
    "set_joint_value": "spring",
    "set_joint_values": "spring",
    "edit_figure": "skeleton",
    "set_figure": "skeleton",
    "add_figure": "skeleton",
    "add_sequence": "plus",
    "set_active": "eye",
}
_WORDS = (
    (("Drag", "Move figure", "Nudge"), "drag"),
    (("Turn",), "rotate"),
    (("Flip", "Mirror"), "mirror"),
    (("Paste", "Insert sequence"), "paste"),
    (("Add marker", "Move marker", "Set markers"), "marker"),
    (("Reset",), "rest"),
    (("Delete", "Cut", "Remove", "Clear"), "trash"),
    (("Breakdown", "Push", "Relax", "Blend"), "between"),
    (("Save", "Name", "Rename"), "pencil"),
)


def icon_of(step: Step) -> str:
    """Return the name of the icon of a step: of what its name says was done, else of what it changed."""
    text = step.text()
    for starts, icon in _WORDS:
        if text.startswith(starts):
            return icon
    return next((_ICONS[command.op] for command in step.commands if command.op in _ICONS), "dot")


def frames_text(step: Step) -> str:
    """Return at which frames a step changed keys, a pose or locks: ``"12"``, ``"12–20"``, or ""."""
    frames = [frame for command in step.commands for frame in command.frames()]
    for command in () if frames else step.commands:
        if isinstance(command, SetPose) and (pose := command.after or command.before) is not None:
            frames.append(pose.frame)
        elif isinstance(command, SetStrips):
            known = set(map(id, command.before)) & set(map(id, command.after))
            frames += [strip.start for strip in (*command.before, *command.after) if id(strip) not in known]
    if not frames:
        return ""
    first, last = min(frames), max(frames)
    return str(first) if first == last else f"{first}–{last}"


class HistoryModel(QAbstractListModel):
    """Row 0 is the document as it was opened, row n the n-th step; a drag under way stands after the last one done.

    Args:
        document: The document.
        parent: Qt parent.
    """

    def __init__(self, document: Document, parent: QObject | None = None):
        super().__init__(parent)
        self.document = document
        self._stack = document.stack
        self._count, self._at, self._clean = self._stack.count(), self._stack.index(), self._stack.cleanIndex()
        self._live, self._name = "", self._opened()
        self._stack.indexChanged.connect(self._follow)
        self._stack.cleanChanged.connect(lambda _clean: self._follow())
        document.changed.connect(self._take)

    # -- what there is -------------------------------------------------------------------------------------------

    @property
    def at(self) -> int:
        """Row of the state that the document is in: that of the last step done."""
        return self._at

    @property
    def live(self) -> str:
        """What the drag under way is called, or ""."""
        return self._live

    def step_number(self, row: int) -> int:
        """Return how many steps are done when a row is the last one done; -1 for the drag under way."""
        if not self._live or row <= self._at:
            return row
        return -1 if row == self._at + 1 else row - 1

    @guarded
    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of rows."""
        return 0 if parent.isValid() else self._count + 1 + bool(self._live)

    @guarded
    def data(self, index: Index, role: int = int(ROLE.DisplayRole)) -> Any:
        """Return what a row shows."""
        if not index.isValid():
            return None
        number = self.step_number(index.row())
        step = self._stack.command(number - 1) if number > 0 else None
        if role in (ROLE.DisplayRole, ROLE.AccessibleTextRole, ROLE.ToolTipRole):
            return self._said(number, step, role == ROLE.AccessibleTextRole)
        if role == ICON:
            return "open" if number == 0 else "drag" if number < 0 else icon_of(step) if isinstance(step, Step) else ""
        if role == FRAMES:
            if number < 0:
                return str(self.document.frame)
            return frames_text(step) if isinstance(step, Step) else ""
        if role == STATE:
            if number < 0:
                return LIVE
            return NOW if number == self._at and not self._live else DONE if number <= self._at else UNDONE
        if role == SAVED:
            return number >= 0 and number == self._clean and self.document.files.path is not None
        return None

    def _said(self, number: int, step: Any, aloud: bool) -> str:
        text = self._live if number < 0 else self._name if number == 0 else step.text() if step else ""
        if not aloud:
            return text
        more = [text]
        if number == self._at:
            more.append("current")
        elif number > self._at:
            more.append("undone")
        if number >= 0 and number == self._clean and self.document.files.path is not None:
            more.append("saved")
        return ", ".join(more)

    def _opened(self) -> str:
        origin = self.document.files.origin
        return f"Open {origin.name}" if origin is not None else "New document"

    # -- following -----------------------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        if isinstance(change, FileChanged):
            if change.name == "opened":
                self._name = self._opened()
            self._notify(0, self.rowCount() - 1)
        if isinstance(change, (KeysChanged, PendingChanged, PoseChanged, LocksChanged, FrameChanged)):
            gesture = self.document.gesture
            moved = gesture is not None and gesture.active and gesture.moved
            self._show_live(gesture.text if moved and gesture is not None else "")

    def _show_live(self, text: str) -> None:
        row = self._at + 1
        if text and not self._live:
            self.beginInsertRows(QModelIndex(), row, row)
            self._live = text
            self.endInsertRows()
            self._notify(self._at, row)
        elif self._live and not text:
            self.beginRemoveRows(QModelIndex(), row, row)
            self._live = ""
            self.endRemoveRows()
            self._notify(self._at, self._at)
        elif text != self._live:
            self._live = text
            self._notify(row, row)

    def _follow(self, _index: int = 0) -> None:
        """Take over what has become of the stack, in as few rows as it changed."""
        if not isValid(self._stack):  # it tells of its own end
            return
        self._show_live("")
        count, at, clean = self._stack.count(), self._stack.index(), self._stack.cleanIndex()
        before = self._at
        if count < self._count:  # steps done after an Undo take the place of those undone
            self.beginRemoveRows(QModelIndex(), count + 1, self._count)
            self._count = count
            self.endRemoveRows()
        elif count > self._count:
            self.beginInsertRows(QModelIndex(), self._count + 1, count)
            self._count = count
            self.endInsertRows()
        changed = [before, at] if clean == self._clean else [before, at, clean, self._clean]
        self._at, self._clean = at, clean
        self._notify(max(min(changed), 0), max(changed))

    def _notify(self, first: int, last: int) -> None:
        last = min(last, self.rowCount() - 1)
        if 0 <= first <= last:
            self.dataChanged.emit(self.index(first), self.index(last))
