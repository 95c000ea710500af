"""A small view under its title; a click on the title takes the view into the work area."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QVBoxLayout, QWidget

from app.marks import paint
from app.process.handler_guard import guarded
from app.views.host import TITLES, Host
from app.views.view import View
from app.widgets.behaviour.keyed_tip import set_keyed_tip
from app.words.keys_now import key_of

TITLE_HEIGHT = 22
IN_WORK_AREA = "in work area"


class TitleStrip(QAbstractButton):
    """The title of a view and the key that brings it into the work area.

    Args:
        host: For the theme.
        kind: Which view.
        chip: Whether it stands alone in a row instead of over a small view.
        parent: Owner.
    """

    def __init__(self, host: Host, kind: str, chip: bool = False, parent: QWidget | None = None):
        super().__init__(parent)
        self._host = host
        self.kind = kind
        self._chip = chip
        self._current = False
        self.setObjectName(f"title-{kind}")
        self.setFixedHeight(28 if chip else TITLE_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_current(False)

    @property
    def current(self) -> bool:
        """Whether this view is the one in the work area."""
        return self._current

    def set_current(self, current: bool) -> None:
        """Say whether this view is the one in the work area."""
        self._current = current
        self.setAccessibleName(f"{TITLES[self.kind]} view" + (f", {IN_WORK_AREA}" if current else ""))
        set_keyed_tip(self, "" if current else "Show in the work area ({})", f"view_{self.kind}")
        self.update()

    @guarded
    def sizeHint(self) -> QSize:
        """Return a size that holds the title and the key."""
        return QSize(120 if self._chip else 200, 28 if self._chip else TITLE_HEIGHT)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint title and key."""
        theme = self._host.scene.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect())
        painter.fillRect(rect, paint.color(theme, "win"))
        ground = "acc_bg" if self._current else ("hover" if self.underMouse() else ("head" if self._chip else "panel"))
        box = QRectF(rect) if self._chip else rect.adjusted(0.0, 0.0, 0.0, 2.0 * paint.RADIUS)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(paint.color(theme, ground))
        painter.drawRoundedRect(box, paint.RADIUS, paint.RADIUS)
        if self._current:
            painter.setPen(QPen(paint.color(theme, "acc_line"), 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), paint.RADIUS, paint.RADIUS)
        if self.hasFocus():
            painter.setPen(QPen(paint.color(theme, "accent"), 2.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(1.0, 1.0, -1.0, -1.0), paint.RADIUS, paint.RADIUS)
        text = rect.adjusted(10.0, 0.0, -10.0, 0.0)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(paint.font(12.0, 600 if self._current else 500))
        painter.setPen(paint.color(theme, "accent" if self._current else "text"))
        painter.drawText(text, middle | Qt.AlignmentFlag.AlignLeft, TITLES[self.kind])
        note = key_of(f"view_{self.kind}", "")
        if self._current and not self._chip:
            note = IN_WORK_AREA
        painter.setFont(paint.font(11.0, 400))
        painter.setPen(paint.color(theme, "text2" if self._current else "text3"))
        painter.drawText(text, middle | Qt.AlignmentFlag.AlignRight, note)
        painter.end()


class SmallView(QWidget):
    """One of the four views beside the work area.

    Args:
        host: What the views have in common.
        kind: Which view.
        parent: Owner.

    Signals:
        chosen(str): Its title was clicked.
    """

    chosen = Signal(str)

    def __init__(self, host: Host, kind: str, parent: QWidget | None = None):
        super().__init__(parent)
        self.kind = kind
        self.title = TitleStrip(host, kind, parent=self)
        self.view = View(host, kind, small=True, parent=self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.title)
        layout.addWidget(self.view, 1)
        self.title.clicked.connect(lambda: self.chosen.emit(self.kind))

    def set_current(self, current: bool) -> None:
        """Mark the view as the one in the work area."""
        self.title.set_current(current)
        self.view.accented = current
        self.view.update()
