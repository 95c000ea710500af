"""The header of a group of rows: chevron, title, and a summary on the right."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import ThemedMixin, draw_focus_ring
from app.widgets.frames.scroll import show_section

LEFT, RIGHT, GAP = 28, 10, 8  # beside title and summary, and between them, px


class GroupHeader(ThemedMixin, QAbstractButton):
    """Opens and closes a group; checked means open.

    A click, Return or Space toggles, Left closes, Right opens.

    Args:
        title: Shown in semibold.
        summary: Shown on the right.
        parent: Parent widget.
    """

    menu_wanted = Signal(object)

    def __init__(self, title: str, summary: str = "", parent: QWidget | None = None):
        super().__init__(parent)
        self._summary = ""
        self._body: QWidget | None = None
        self._lit = False
        self._token = "text3"
        self.setText(title)
        self.setAccessibleName(title)
        self.setCheckable(True)
        self.setChecked(True)
        self.set_summary(summary)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.toggled.connect(self._describe)

    @property
    def summary(self) -> str:
        """What stands on the right."""
        return self._summary

    def set_body(self, body: QWidget) -> None:
        """Show a widget while open, and scroll to it when it is opened by hand."""
        self._body = body
        body.setVisible(self.isChecked())
        self.toggled.connect(body.setVisible)
        self.clicked.connect(self.show_body)

    def show_body(self) -> None:
        """Scroll to what is shown while open, if it is, as soon as it has its place."""
        if self._body is not None and self.isChecked():
            body = self._body
            QTimer.singleShot(0, self, lambda: show_section(self, body))

    def set_summary(self, summary: str) -> None:
        """Change what stands on the right."""
        if summary != self._summary:
            self._summary = summary
            self._describe()
            self.update()

    def set_token(self, token: str) -> None:
        """Show the summary in another colour."""
        if token != self._token:
            self._token = token
            self.update()

    def set_lit(self, lit: bool) -> None:
        """Show title and summary in the accent colour: something in this group is being dragged."""
        if lit != self._lit:
            self._lit = lit
            self.update()

    def _describe(self) -> None:
        self.setAccessibleDescription(f"{self._summary}, {'open' if self.isChecked() else 'closed'}".lstrip(", "))

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(160, style.GROUP_HEIGHT)

    @guarded
    def minimumSizeHint(self) -> QSize:
        return QSize(80, style.GROUP_HEIGHT)

    @guarded
    def nextCheckState(self) -> None:
        self.setChecked(not self.isChecked())

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.key() == (Qt.Key.Key_Left if self.isChecked() else Qt.Key.Key_Right):
            self.click()
        else:
            super().keyPressEvent(event)

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(event.globalPos())

    def shown_texts(self) -> tuple[str, str]:
        """Return title and summary as they have room: the longer one is shortened first, down to half of the width."""
        fits = (
            QFontMetricsF(fonts.font(fonts.BODY, fonts.SEMIBOLD)),
            QFontMetricsF(fonts.font(fonts.SECONDARY, tabular=True)),
        )
        room = max(self.width() - LEFT - RIGHT - (GAP if self._summary else 0), 0)
        title, summary = fits[0].horizontalAdvance(self.text()), fits[1].horizontalAdvance(self._summary)
        for_title = min(title, max(room - summary, room / 2.0)) + 1.0
        for_summary = max(room - min(title, for_title), 0.0) + 1.0
        right = Qt.TextElideMode.ElideRight
        return fits[0].elidedText(self.text(), right, for_title), fits[1].elidedText(self._summary, right, for_summary)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect())
        ground = style.color("hover") if self.underMouse() else style.mix("panel", "head", 0.65)
        painter.fillRect(box.adjusted(1, 0, -1, 0), ground)
        middle = box.height() / 2
        icons.paint(
            painter,
            "chevron-down" if self.isChecked() else "chevron-right",
            style.color("text2"),
            QRectF(9, middle - 6, 12, 12),
        )
        title, summary = self.shown_texts()
        inside = box.adjusted(LEFT, 0, -RIGHT, 0)
        painter.setFont(fonts.font(fonts.SECONDARY, tabular=True))
        painter.setPen(style.color("accent" if self._lit else self._token))
        painter.drawText(inside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, summary)
        painter.setFont(fonts.font(fonts.BODY, fonts.SEMIBOLD))
        painter.setPen(style.color("accent" if self._lit else "text"))
        painter.drawText(inside, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
        if self.focus_ring:
            draw_focus_ring(painter, box.adjusted(1, 0, -1, 0))
        painter.end()
