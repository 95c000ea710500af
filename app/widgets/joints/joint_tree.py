"""The joints of a figure as a tree: names, what kind of joint each is, and which have a counterpart."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QDropEvent, QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import fill_round
from app.widgets.behaviour.own_keys import OwnKeysMixin, is_plain
from core.skeleton import Joint, Skeleton
from core.skeleton.dof import ANGLE, NUMBER

ROW = 24
INDENT = 14
_JOINT = Qt.ItemDataRole.UserRole
_LOOK = Qt.ItemDataRole.UserRole + 1
_KIND_WORDS = {"ball": "ball joint", "hinge": "hinge", "slide": "slide", "spline": "spline", "fixed": "fixed"}

Index = QModelIndex | QPersistentModelIndex


def joint_kind(joint: Joint) -> str:
    """Return the icon of a joint: ``"ball"``, ``"hinge"``, ``"slide"``, ``"spline"``, or ``"fixed"``."""
    units = joint.units
    if not units:
        return "fixed"
    if NUMBER in units:
        return "spline"
    if ANGLE not in units:
        return "slide"
    return "ball" if len(units) > 1 else "hinge"


class _Delegate(QStyledItemDelegate):
    def __init__(self, tree: JointTree):
        super().__init__(tree)
        self._tree = tree

    @guarded
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, ROW)

    @guarded
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        box = QRectF(option.rect)
        chosen = self._tree.selectionModel().isSelected(index)
        kind, mirrored = index.data(_LOOK)
        painter.save()
        middle = box.center().y()
        spot = QRectF(box.left() + 2, middle - 6.5, 13, 13)
        icons.paint(painter, kind, style.color("accent" if chosen else "text2"), spot)
        right = box.right() - 10
        if mirrored:
            icons.paint(painter, "mirror", style.color("text3"), QRectF(right - 11, middle - 5.5, 11, 11))
            right -= 18
        painter.setFont(fonts.font(fonts.BODY, fonts.MEDIUM if chosen else fonts.REGULAR))
        painter.setPen(style.color("text"))
        room = QRectF(box.left() + 21, box.top(), right - box.left() - 21, box.height())
        text = painter.fontMetrics().elidedText(index.data(), Qt.TextElideMode.ElideRight, int(room.width()))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()

    @guarded
    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setMaxLength(200)
        editor.setAccessibleName("Name of the joint")
        return editor

    @guarded
    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        left = option.rect.left() + 15
        editor.setGeometry(QRect(left, option.rect.top(), self._tree.viewport().width() - left - 8, ROW))

    @guarded
    def setModelData(self, editor: QWidget, model: object, index: Index) -> None:
        assert isinstance(editor, QLineEdit)
        name, before = editor.text().strip(), str(index.data())
        if name != before:  # not now: the row is still busy with its editor, and a new figure makes new rows
            QTimer.singleShot(0, self._tree, lambda: self._tree.renamed.emit(before, name))


class JointTree(OwnKeysMixin, QTreeWidget):
    """Shows the joints, and says what a person wants done with them; it changes nothing itself.

    Enter, F2 or a double click rename in place, dragging one joint onto another hangs it there.

    Signals:
        chosen(tuple): Joints were selected by hand: their indices, the current one last.
        hovered(object): The joint under the pointer, or None.
        renamed(str, str): A joint's name and the one it should have.
        moved(str, str): A joint, and the one it should hang on.
        menu_wanted(QPoint): The menu of the selected joints at a global position.
    """

    chosen = Signal(tuple)
    hovered = Signal(object)
    renamed = Signal(str, str)
    moved = Signal(str, str)
    menu_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._items: list[QTreeWidgetItem] = []
        self._shape: tuple[tuple[str, int], ...] = ()
        self._over: int | None = None
        self._quiet = False
        self.setHeaderHidden(True)
        self.setColumnCount(1)
        self.setIndentation(INDENT)
        self.setUniformRowHeights(True)
        self.setItemDelegate(_Delegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked)
        self.setExpandsOnDoubleClick(False)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)
        self.setAccessibleName("Joints of the figure")
        self.itemSelectionChanged.connect(self._report_selection)
        self.itemEntered.connect(lambda item, _column: self.hovered.emit(item.data(0, _JOINT)))

    # -- showing -------------------------------------------------------------------------------------------------

    def show_figure(self, skeleton: Skeleton | None) -> None:
        """Show the joints of a figure; branches that were closed stay closed."""
        joints = skeleton.joints if skeleton is not None else ()
        shape = tuple((joint.name, joint.parent) for joint in joints)
        if shape != self._shape:
            self._rebuild(shape)
        for i, joint in enumerate(joints):
            kind = joint_kind(joint)
            mirrored = joint.mirror is not None
            item = self._items[i]
            item.setData(0, _LOOK, (kind, mirrored))
            what = _KIND_WORDS[kind] if joint.type is None else joint.type.type_name
            words = f"{what}, {len(joint.dofs)} degree{'s' if len(joint.dofs) != 1 else ''} of freedom"
            item.setData(0, Qt.ItemDataRole.AccessibleDescriptionRole, words)
            item.setToolTip(0, f"{joint.name}: {words}" + (f"\nCounterpart: {joint.mirror}" if mirrored else ""))

    def _rebuild(self, shape: tuple[tuple[str, int], ...]) -> None:
        closed = {item.text(0) for item in self._items if item.childCount() and not item.isExpanded()}
        place = self.verticalScrollBar().value()
        self._quiet = True
        self.clear()
        self._items, self._shape = [], shape
        for i, (name, parent) in enumerate(shape):
            item = QTreeWidgetItem([name])
            item.setData(0, _JOINT, i)
            item.setFlags(
                Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable
                | Qt.ItemFlag.ItemIsDropEnabled | (Qt.ItemFlag.ItemIsDragEnabled if parent >= 0 else Qt.ItemFlag(0))
            )  # fmt: skip
            if parent >= 0:
                self._items[parent].addChild(item)
            else:
                self.addTopLevelItem(item)
            self._items.append(item)
        for item in self._items:
            item.setExpanded(item.text(0) not in closed)
        self._quiet = False
        self.verticalScrollBar().setValue(place)

    def show_selection(self, joints: Iterable[int]) -> None:
        """Select joints; the last one becomes the current one and is brought into sight."""
        wanted = [joint for joint in joints if joint < len(self._items)]
        self._quiet = True
        if wanted:
            self.setCurrentItem(self._items[wanted[-1]])
        for i, item in enumerate(self._items):
            if item.isSelected() != (i in wanted):
                item.setSelected(i in wanted)
        if wanted:
            self.scrollToItem(self._items[wanted[-1]])
        self._quiet = False

    def show_hover(self, joint: int | None) -> None:
        """Tint the row of the joint that is hovered anywhere in the window."""
        if joint != self._over:
            self._over = joint
            self.viewport().update()

    def rename(self, joint: int) -> None:
        """Open a joint's name for typing."""
        item = self._items[joint]
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.setCurrentItem(item)
        self.editItem(item, 0)

    def item(self, joint: int) -> QTreeWidgetItem:
        """Return the row of a joint."""
        return self._items[joint]

    # -- painting ------------------------------------------------------------------------------------------------

    @guarded
    def drawRow(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a row by ourselves: the style would fill the ground left of the name in its own way."""
        wide, row = self.viewport().width(), option.rect
        box = QRectF(4, row.top(), wide - 8, row.height())
        if self.selectionModel().isSelected(index):
            fill_round(painter, box, style.color("acc_bg"))
            painter.fillRect(QRectF(box.left(), box.top() + 4, 2, box.height() - 8), style.color("accent"))
        elif index.data(_JOINT) == self._over:
            fill_round(painter, box, style.mix("panel", "hover", 0.6))
        left = self.visualRect(index).left()
        self.drawBranches(painter, QRect(0, row.top(), left, row.height()), index)
        option.rect = QRect(left, row.top(), wide - left, row.height())
        self.itemDelegate().paint(painter, option, index)
        if self.hasFocus() and index == self.currentIndex():
            fill_round(painter, box, None, style.color("accent"), width=2.0)

    @guarded
    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        """Draw the chevron of a joint with children."""
        if self.model().hasChildren(index):
            icon = "chevron-down" if self.isExpanded(index) else "chevron-right"
            box = QRectF(rect.right() - INDENT + 3, rect.center().y() - 5, 11, 11)
            icons.paint(painter, icon, style.color("text2"), box)

    # -- input ---------------------------------------------------------------------------------------------------

    def _report_selection(self) -> None:
        if self._quiet:
            return
        chosen = [i for i, item in enumerate(self._items) if item.isSelected()]
        current = item.data(0, _JOINT) if (item := self.currentItem()) is not None else None
        if current in chosen:  # the one that is edited comes last
            chosen.remove(current)
            chosen.append(current)
        self.chosen.emit(tuple(chosen))

    def takes(self, event: QKeyEvent) -> bool:
        return is_plain(event) and event.key() in _OWN_KEYS

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            if (item := self.currentItem()) is not None:
                self.editItem(item, 0)
        else:
            super().keyPressEvent(event)

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(event.globalPos())

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(None)
        super().leaveEvent(event)

    @guarded
    def dropEvent(self, event: QDropEvent) -> None:
        """Say what should hang where; the tree follows when the figure has changed."""
        target, dragged = self.itemAt(event.position().toPoint()), self.currentItem()
        event.setDropAction(Qt.DropAction.IgnoreAction)
        event.accept()
        on_item = self.dropIndicatorPosition() == QAbstractItemView.DropIndicatorPosition.OnItem
        self.setState(QAbstractItemView.State.NoState)
        if target is not None and dragged is not None and target is not dragged and on_item:
            names = dragged.text(0), target.text(0)
            QTimer.singleShot(0, self, lambda: self.moved.emit(*names))

    @guarded
    def minimumSizeHint(self) -> QSize:
        return QSize(120, 3 * ROW)

    @guarded
    def sizeHint(self) -> QSize:
        widest = max((QFontMetricsF(fonts.font()).horizontalAdvance(name) for name, _ in self._shape), default=100.0)
        return QSize(round(widest) + 80, max(6, len(self._items)) * ROW)


_OWN_KEYS = (
    Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End,
    Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2,
)  # fmt: skip
