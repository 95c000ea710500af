"""The history panel: every step since the document was opened; a click goes there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QVBoxLayout, QWidget
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
from app.document.commands.sequence_commands import SetPose, SetStrips
from app.document.step import Step
from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import ThemedMixin, draw_focus_ring
from app.widgets.behaviour.own_keys import OwnKeysMixin
from app.widgets.frames.dock import Panel

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
    "add_figure": "pose",
    "remove_figure": "trash",
    "add_sequence": "plus",
    "set_active": "eye",
}
_WORDS = (
    (("Drag", "Move figure", "Nudge"), "drag"),
    (("Key the camera", "Move camera", "Set camera", "Set lens"), "camera"),
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
    """Row 0 is the document as it was opened, row n the n-th step; a drag under way stands after the last one done."""

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


ROW = 26
LEFT, GAP, RIGHT = 10, 8, 12
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -10, Qt.Key.Key_PageDown: 10}
_INK = {DONE: ("text2", "text"), NOW: ("accent", "accent"), LIVE: ("accent", "accent"), UNDONE: ("text3", "text3")}
FADED = 0.62
"""How clearly what is undone is seen."""


class StepList(OwnKeysMixin, ThemedMixin, QAbstractScrollArea):
    """The steps, one a row; only those in sight are looked at, so that ten thousand are as quick as ten.

    A click goes to a state, the arrow keys go from one to the next; what is shown follows the document.

    Args:
        model: The steps.
        parent: Parent widget.
    """

    def __init__(self, model: HistoryModel, parent: QWidget | None = None):
        super().__init__(parent)
        self._steps = model
        self._over = -1
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName("History")
        self.verticalScrollBar().setSingleStep(ROW)
        for signal in (model.dataChanged, model.rowsInserted, model.rowsRemoved):
            signal.connect(self.refit)
        self.refit()

    # -- places ------------------------------------------------------------------------------------------------------

    def row_rect(self, row: int) -> QRectF:
        """Return where a row stands in the viewport, [px]."""
        return QRectF(0, row * ROW - self.verticalScrollBar().value(), self.viewport().width(), ROW)

    def row_at(self, y: float) -> int:
        """Return the row at a height in the viewport, -1 if there is none."""
        row = int((y + self.verticalScrollBar().value()) // ROW)
        return row if 0 <= row < self._steps.rowCount() else -1

    def refit(self, *_: object) -> None:
        """Take over how many rows there are."""
        bar, high = self.verticalScrollBar(), self.viewport().height()
        bar.setPageStep(high)
        bar.setRange(0, max(self._steps.rowCount() * ROW - high, 0))
        self.viewport().update()

    def follow(self) -> None:
        """Bring the state that the document is in into sight."""
        self.refit()
        row, bar, high = self._steps.at + bool(self._steps.live), self.verticalScrollBar(), self.viewport().height()
        bar.setValue(min(max(bar.value(), (row + 1) * ROW - high), row * ROW))
        self.setAccessibleDescription(self._said(row, int(ROLE.AccessibleTextRole)))

    def _said(self, row: int, role: int) -> str:
        return str(self._steps.index(row).data(role) or "")

    # -- painting ----------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), style.color("panel"))
        first = max(self.row_at(event.rect().top()), 0)
        for row in range(first, self._steps.rowCount()):
            box = self.row_rect(row)
            if box.top() > event.rect().bottom():
                break
            self._paint_row(painter, row, box)
        painter.end()

    def _paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        """Paint one step: icon, what was done, whether it is what is saved, at which frame."""
        index = self._steps.index(row)
        state = index.data(STATE)
        if state in (NOW, LIVE):
            painter.fillRect(box, style.color("acc_bg"))
            painter.fillRect(QRectF(box.left(), box.top(), 2, box.height()), style.color("accent"))
        elif row == self._over:
            painter.fillRect(box, style.color("hover"))
        icon_ink, ink = _INK[state]
        painter.setOpacity(FADED if state == UNDONE else 1.0)
        place = QRectF(box.left() + LEFT, box.center().y() - 8, 16, 16)
        icons.paint(painter, index.data(ICON) or "dot", style.color(icon_ink), place)
        right = box.right() - RIGHT
        small = fonts.font(fonts.SECONDARY, tabular=True)
        for text, token in ((index.data(FRAMES), "text3"), ("saved" if index.data(SAVED) else "", "ok")):
            if text:
                wide = QFontMetricsF(small).horizontalAdvance(text)
                self._text(painter, QRectF(right - wide, box.top(), wide + 1, ROW), text, small, token)
                right -= wide + GAP
        left = place.right() + GAP
        body = fonts.font(fonts.BODY, fonts.MEDIUM if state in (NOW, LIVE) else fonts.REGULAR)
        said = self._said(row, int(ROLE.DisplayRole)) + ("…" if state == LIVE else "")
        said = QFontMetricsF(body).elidedText(said, Qt.TextElideMode.ElideRight, max(right - left, 0.0))
        self._text(painter, QRectF(left, box.top(), max(right - left, 0.0), ROW), said, body, ink)
        painter.setOpacity(1.0)
        if self.focus_ring and state in (NOW, LIVE):
            draw_focus_ring(painter, box.adjusted(1, 0, -1, 0))

    def _text(self, painter: QPainter, room: QRectF, text: str, font: QFont, token: str) -> None:
        painter.setFont(font)
        painter.setPen(style.color(token))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    # -- mouse and keys ----------------------------------------------------------------------------------------------

    def _go(self, row: int) -> None:
        number = self._steps.step_number(min(max(row, 0), self._steps.rowCount() - 1))
        if number >= 0:
            self._steps.document.history.go_to(number)

    def _hover(self, row: int) -> None:
        if row != self._over:
            self._over = row
            self.viewport().update()

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and row >= 0:
            self._go(row)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.row_at(event.position().y()))

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)
        super().leaveEvent(event)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refit()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _STEPS:
            self._go(self._steps.at + _STEPS[key])
        elif key == Qt.Key.Key_Home:
            self._go(0)
        elif key == Qt.Key.Key_End:
            self._go(self._steps.rowCount() - 1)
        else:
            event.ignore()

    def takes(self, event: QKeyEvent) -> bool:
        return not event.modifiers() and event.key() in (*_STEPS, Qt.Key.Key_Home, Qt.Key.Key_End)

    @guarded
    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = self.row_at(event.pos().y())
            QToolTip.showText(event.globalPos(), self._said(row, int(ROLE.ToolTipRole)) if row >= 0 else "", self)
            return True
        return bool(super().viewportEvent(event))


class HistoryPanel(Panel):
    """Every step since the document was opened, the last one done lit, those undone dimmed."""

    title = "History"
    icon = "undo"
    area = "left"
    stretch = 3
    beside = "Joints"

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(document, parent)
        self.document = document
        self.model = HistoryModel(document, self)
        self.list = StepList(self.model, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 0)
        column.addWidget(self.list)
        for signal in (self.model.dataChanged, self.model.rowsInserted, self.model.rowsRemoved):
            signal.connect(self._follow)
        self.list.follow()

    def first_focus(self) -> QWidget | None:
        return self.list

    def _follow(self, *_: object) -> None:
        if self.isVisible():
            self.list.follow()

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.list.follow()
