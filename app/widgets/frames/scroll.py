"""A scroll area whose thin bar lies over the content, so that the content never changes its width."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QScrollBar, QWidget

from app.process.handler_guard import guarded

WIDTH = 7


def scroll_area_of(widget: QWidget) -> QScrollArea | None:
    """Return the nearest area that a widget is scrolled in; None if there is none."""
    parent = widget.parentWidget()
    while parent is not None and not isinstance(parent, QScrollArea):
        parent = parent.parentWidget()
    return parent


def show_section(header: QWidget, body: QWidget) -> None:
    """Scroll so that a section that was unfolded is seen: as much of it as has room, its header in any case.

    Args:
        header: Stands over the section.
        body: The section.
    """
    area = scroll_area_of(header)
    if area is None or not header.isVisible() or not body.isVisible():
        return
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)  # until then it has its size from before
    across = area.horizontalScrollBar().value()
    area.ensureWidgetVisible(body, 0, 4)
    area.ensureWidgetVisible(header, 0, 0)
    area.horizontalScrollBar().setValue(across)


class OverlayScrollArea(QScrollArea):
    """Scrolls downwards only; content should keep its right ``WIDTH`` px free of anything to press."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._over = QScrollBar(Qt.Orientation.Vertical, self)
        self._over.setFixedWidth(WIDTH)
        self._over.hide()
        real = self.verticalScrollBar()
        real.rangeChanged.connect(self._follow)
        real.valueChanged.connect(self._over.setValue)
        self._over.valueChanged.connect(real.setValue)

    def _follow(self, lowest: int, highest: int) -> None:
        real = self.verticalScrollBar()
        self._over.setRange(lowest, highest)
        self._over.setPageStep(real.pageStep())
        self._over.setSingleStep(real.singleStep())
        self._over.setValue(real.value())
        self._over.setVisible(highest > lowest)
        self._over.raise_()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._over.setGeometry(self.width() - WIDTH, 0, WIDTH, self.height())
        self._over.setPageStep(self.verticalScrollBar().pageStep())

    @guarded
    def viewportEvent(self, event: QEvent) -> bool:
        handled = super().viewportEvent(event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._over.raise_()
        return bool(handled)
