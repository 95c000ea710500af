"""A field that opens a list to choose from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPaintEvent, QStandardItemModel, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from app.process.handler_guard import guarded


class Choice(QComboBox):
    """One choice of many; the wheel changes it only while it has the focus.

    Args:
        name: What is chosen, for assistive tools.
        parent: Parent widget.

    Signals:
        picked(object): Another choice was made by hand: its key.
    """

    picked = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None):
        super().__init__(parent)
        self.setAccessibleName(name)
        self.view().setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # the wheel that scrolls past must not take hold of it
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumContentsLength(6)
        self.setMaxVisibleItems(16)
        self.setItemDelegate(QStyledItemDelegate(self))  # the one it has by itself does not take the style sheet
        self._rows: tuple[tuple[object, str], ...] = ()
        self._refused: dict[object, str] = {}
        self.activated.connect(lambda index: self.picked.emit(self._rows[index][0]))

    def show_rows(
        self, rows: Sequence[tuple[object, str]], chosen: object, refused: Mapping[object, str] | None = None
    ) -> None:
        """Offer other choices.

        Args:
            rows: (key, text) each.
            chosen: Key of the one that holds now.
            refused: Keys of those that cannot be chosen now, which are greyed, and why.
        """
        if tuple(rows) != self._rows or dict(refused or {}) != self._refused:
            self._rows, self._refused = tuple(rows), dict(refused or {})
            self.clear()
            self.addItems([text for _, text in rows])
            model = self.model()
            assert isinstance(model, QStandardItemModel)
            for index, (key, _) in enumerate(self._rows):
                if key in self._refused:
                    item = model.item(index)
                    item.setEnabled(False)
                    item.setToolTip(self._refused[key])
        keys = [key for key, _ in self._rows]
        self.setCurrentIndex(keys.index(chosen) if chosen in keys else -1)

    @property
    def chosen(self) -> object:
        """Key of the choice that holds now; None if none does."""
        index = self.currentIndex()
        return self._rows[index][0] if 0 <= index < len(self._rows) else None

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint it with a text that ends in dots where it has no room; Qt cuts it."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self).width()
        right = Qt.TextElideMode.ElideRight
        option.currentText = option.fontMetrics.elidedText(option.currentText, right, room)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
