"""What stands on top of the work area: the button with the view's name, and the invitation while there is no figure."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QMenu, QWidget

from app.marks import paint
from app.process.handler_guard import guarded
from app.views.host import ORDER, TITLES, Host
from app.words.keys_now import key_of


class ViewButton(QAbstractButton):
    """Says which view is in the work area; a click opens the menu of views.

    Args:
        host: For the theme.
        parent: Owner.

    Signals:
        chosen(str): A view was chosen.
        frame_all_requested(), frame_selected_requested(): The camera should fit the figure or the selected parts.
    """

    chosen = Signal(str)
    frame_all_requested = Signal()
    frame_selected_requested = Signal()

    def __init__(self, host: Host, parent: QWidget | None = None):
        super().__init__(parent)
        self._host = host
        self.kind = "perspective"
        self.setObjectName("view-menu")
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(self.open_menu)
        self.set_kind(self.kind)

    def set_kind(self, kind: str) -> None:
        """Show another view's name."""
        self.kind = kind
        self.setAccessibleName(f"View: {TITLES[kind]}")
        self.resize(self.sizeHint())
        self.update()

    @guarded
    def sizeHint(self) -> QSize:
        """Return a size that holds the longest name, so that the chip beside it stays put."""
        longest = max(paint.text_width(title, 12.0, 600) for title in TITLES.values())
        return QSize(round(longest) + 38, 24)

    def menu(self) -> QMenu:
        """Return the menu of views."""
        menu = QMenu(self)
        for kind in ORDER:
            action = menu.addAction(f"{TITLES[kind]}\t{key_of(f'view_{kind}', '')}")
            action.setCheckable(True)
            action.setChecked(kind == self.kind)
            action.triggered.connect(lambda _=False, kind=kind: self.chosen.emit(kind))
        menu.addSeparator()
        menu.addAction("Frame selected part, or the figure\tF").triggered.connect(self.frame_selected_requested)
        menu.addAction("Frame everything\tA").triggered.connect(self.frame_all_requested)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu

    def open_menu(self) -> None:
        """Open the menu under the button."""
        self.menu().popup(self.mapToGlobal(self.rect().bottomLeft()))

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the same menu by the right button."""
        self.open_menu()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint name and chevron."""
        theme = self._host.scene.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect())
        painter.setPen(QPen(paint.color(theme, "accent"), 2.0) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(paint.color(theme, "hover" if self.underMouse() else "panel", 0.9))
        box = rect.adjusted(1.0, 1.0, -1.0, -1.0) if self.hasFocus() else rect
        painter.drawRoundedRect(box, paint.RADIUS, paint.RADIUS)
        painter.setFont(paint.font(12.0, 600))
        painter.setPen(paint.color(theme, "text"))
        painter.drawText(rect.adjusted(10.0, 0.0, 0.0, 0.0), Qt.AlignmentFlag.AlignVCenter, TITLES[self.kind])
        paint.chevron(painter, paint.color(theme, "text2"), QPointF(rect.right() - 15.0, rect.center().y() + 0.5))
        painter.end()
