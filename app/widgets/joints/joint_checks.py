"""The joints of a figure as a tree with a check box each."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
)

from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import fill_round
from app.widgets.behaviour.own_keys import OwnKeysMixin
from app.widgets.frames.scroll import scroll_area_of
from core.skeleton import Skeleton

ROW = 22
INDENT = 13
_JOINT = Qt.ItemDataRole.UserRole
_BOX = 13

Index = QModelIndex | QPersistentModelIndex


class _Delegate(QStyledItemDelegate):
    @guarded
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, ROW)


class JointChecks(OwnKeysMixin, QTreeWidget):
    """Shows which joints are chosen. A click or Space changes one, with Shift the whole branch below it.

    It is as high as its rows and leaves scrolling to the area it stands in.

    Args:
        name: What is chosen, for assistive tools.

    Signals:
        changed(tuple): Indices of the joints that are chosen now, after one was changed by hand.
    """

    changed = Signal(tuple)

    def __init__(self, name: str):
        super().__init__()
        self._items: list[QTreeWidgetItem] = []
        self._shape: tuple[tuple[str, int], ...] = ()
        self.setAccessibleName(name)
        self.setHeaderHidden(True)
        self.setIndentation(INDENT)
        self.setUniformRowHeights(True)
        self.setItemDelegate(_Delegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setExpandsOnDoubleClick(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.itemExpanded.connect(self._fit)
        self.itemCollapsed.connect(self._fit)
        self.setToolTip("Click to choose a joint, Shift-click for its whole branch")

    def show_figure(self, skeleton: Skeleton | None, chosen: Iterable[int]) -> None:
        """Show the joints of a figure that can move, and which are chosen."""
        joints = skeleton.joints if skeleton is not None else ()
        shape = tuple((joint.name, joint.parent) for joint in joints)
        if shape != self._shape:
            self.clear()
            self._items, self._shape = [], shape
            for i, (name, parent) in enumerate(shape):
                item = QTreeWidgetItem([name[:1].upper() + name[1:].replace("_", " ")])
                item.setData(0, _JOINT, i)
                if parent >= 0:
                    self._items[parent].addChild(item)
                else:
                    self.addTopLevelItem(item)
                self._items.append(item)
            self.expandAll()
            self._fit()
        wanted = set(chosen)
        for i, item in enumerate(self._items):
            state = Qt.CheckState.Checked if i in wanted else Qt.CheckState.Unchecked
            if item.checkState(0) != state or item.data(0, Qt.ItemDataRole.CheckStateRole) is None:
                item.setCheckState(0, state)
        self.viewport().update()

    @property
    def chosen(self) -> tuple[int, ...]:
        """Indices of the joints that are chosen."""
        return tuple(i for i, item in enumerate(self._items) if item.checkState(0) == Qt.CheckState.Checked)

    def _fit(self) -> None:
        rows, waiting = 0, [self.topLevelItem(k) for k in range(self.topLevelItemCount())]
        while waiting:
            item = waiting.pop()
            rows += 1
            if item.isExpanded():
                waiting.extend(item.child(k) for k in range(item.childCount()))
        self.setFixedHeight(rows * ROW + 2 * self.frameWidth())

    @guarded
    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        """Let the area around it bring a row into sight."""
        area = scroll_area_of(self)
        box = self.visualRect(index)
        if area is not None and area.widget() is not None and box.isValid():
            middle = self.viewport().mapTo(area.widget(), box.center())
            area.ensureVisible(0, middle.y(), 0, ROW)

    def item(self, joint: int) -> QTreeWidgetItem:
        """Return the row of a joint."""
        return self._items[joint]

    def flip(self, joint: int, branch: bool = False) -> None:
        """Choose a joint, or no longer, as by hand.

        Args:
            joint: Its index.
            branch: Whether all joints below it go along.
        """
        on = self._items[joint].checkState(0) != Qt.CheckState.Checked
        waiting = [self._items[joint]]
        while waiting:
            item = waiting.pop()
            item.setCheckState(0, Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
            if branch:
                waiting.extend(item.child(k) for k in range(item.childCount()))
        self.changed.emit(self.chosen)

    # -- painting ------------------------------------------------------------------------------------------------

    @guarded
    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a row in the look of the editor's other trees."""
        wide, row = self.viewport().width(), option.rect
        on = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked.value
        left = self.visualRect(index).left()
        self.drawBranches(painter, QRect(0, row.top(), left, row.height()), index)
        middle = row.center().y() + 0.5
        box = QRectF(left + 2, middle - _BOX / 2, _BOX, _BOX)
        fill_round(painter, box, style.color("accent" if on else "panel"), style.color("accent" if on else "text3"), 3)
        if on:
            icons.paint(painter, "check", style.color("acc_ink"), box.adjusted(1, 1, -1, -1))
        painter.setFont(fonts.font(fonts.SECONDARY, fonts.MEDIUM if on else fonts.REGULAR))
        painter.setPen(QPen(style.color("text" if on else "text2")))
        room = QRectF(left + 21, row.top(), wide - left - 26, row.height())
        text = painter.fontMetrics().elidedText(index.data(), Qt.TextElideMode.ElideRight, int(room.width()))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
        if self.hasFocus() and index == self.currentIndex():
            ring = QRectF(left - 1, row.top() + 1, wide - left - 2, row.height() - 2)
            fill_round(painter, ring, None, style.color("accent"), width=2.0)

    @guarded
    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        """Draw the chevron of a joint with children."""
        if self.model().hasChildren(index):
            icon = "chevron-down" if self.isExpanded(index) else "chevron-right"
            box = QRectF(rect.right() - INDENT + 3, rect.center().y() - 4.5, 10, 10)
            icons.paint(painter, icon, style.color("text3"), box)

    # -- input ---------------------------------------------------------------------------------------------------

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid():
            if event.position().x() >= self.visualRect(index).left():
                self.setCurrentIndex(index)
                self.flip(index.data(_JOINT), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
                return
        super().mousePressEvent(event)

    def takes(self, event: QKeyEvent) -> bool:
        held = Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier
        return event.key() in _OWN_KEYS and not event.modifiers() & ~held

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.currentItem() is not None:
                shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                self.flip(self.currentItem().data(0, _JOINT), shift)
        else:
            super().keyPressEvent(event)


_OWN_KEYS = (
    Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End,
    Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter,
)  # fmt: skip
