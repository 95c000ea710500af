"""Panels and the frame around them: a title strip with tabs, buttons on the right, rounded corners."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, ThemedMixin, draw_focus_ring
from app.widgets.layouts import row_layout


class Panel(Painted):
    """What stands in a dock. Subclasses set the class attributes.

    Args:
        document: What it shows and edits; subclasses say of what kind it is.
        parent: Parent widget.

    Attributes:
        title: Shown in the strip.
        icon: Name of an icon, for the rail that narrow windows fold docks into.
        area: ``"left"`` or ``"right"``.
        stretch: How much of a column's spare height it takes; 0 keeps its own height.
        wanted_height: How high it would be in a mode that brings it in, [px]; 0 leaves that to the others.
        modes: In which of the window's modes it is there.
        beside: Title of the panel whose dock it shares, as a tab; "" for a dock of its own.
        home: What gets the keyboard when the panel gives it back; set by the window.
    """

    title = ""
    icon = ""
    area = "left"
    stretch = 1
    wanted_height = 0
    modes: tuple[str, ...] = ("pose", "physics")
    beside = ""
    home: QWidget | None = None

    def __init__(self, document: object, parent: QWidget | None = None):
        super().__init__(parent)

    def title_buttons(self) -> Sequence[QWidget]:
        """Return the buttons for the right of the title strip; made once by the panel."""
        return ()

    def title_note(self) -> QWidget | None:
        """Return what stands beside the title, such as the frame that the panel is about; made once by the panel."""
        return None

    def keys_changed(self) -> None:
        """Show other keys: somebody has changed the key map."""

    def first_focus(self) -> QWidget | None:
        """Return what in the panel takes the keyboard when the panel is asked to, or None."""
        return None

    @guarded
    def setFocus(self, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason) -> None:
        """Give the keyboard to the panel's first control, if it has one."""
        target = self.first_focus()
        if target is not None:
            target.setFocus(reason)

    def give_focus_back(self) -> None:
        """Give the keyboard to where it belongs when the panel no longer needs it."""
        focused = self.focusWidget()
        if self.home is not None:
            self.home.setFocus(Qt.FocusReason.OtherFocusReason)
        elif focused is not None:
            focused.clearFocus()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), style.color("panel"))
        painter.end()


class Tab(ThemedMixin, QAbstractButton):
    """One of several titles of which one is chosen; the chosen one is underlined."""

    def __init__(self, text: str, parent: QWidget):
        super().__init__(parent)
        self.setText(text)
        self.setAccessibleName(text)
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.alone = self.lit = False
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    @guarded
    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(fonts.font(fonts.BODY, fonts.SEMIBOLD))
        return QSize(round(metrics.horizontalAdvance(self.text())) + 1, style.TITLE_HEIGHT)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        on = self.isChecked() or self.alone
        painter.setFont(fonts.font(fonts.BODY, fonts.SEMIBOLD if on else fonts.MEDIUM))
        ink = "accent" if on and self.lit else "text" if on or self.underMouse() else "text3"
        painter.setPen(style.color(ink))
        painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignVCenter, self.text())
        if on and not self.alone:
            painter.fillRect(QRectF(0, self.height() - 2, self.width(), 2), style.color("accent"))
        if self.focus_ring:
            draw_focus_ring(painter, QRectF(self.rect()).adjusted(0, 3, 0, -3))
        painter.end()


class TitleStrip(Painted):
    """28 px: titles as tabs on the left, buttons on the right; one title alone is a plain heading.

    Usable on its own as a ``QDockWidget``'s title bar.
    """

    chosen = Signal(int)

    def __init__(self, titles: Sequence[str], parent: QWidget | None = None):
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        layout = row_layout(self, (12, 0, 6, 0), 16)
        self._tabs: list[Tab] = []
        self._left = QHBoxLayout()
        self._left.setSpacing(16)
        self._right = QHBoxLayout()
        self._right.setSpacing(0)
        self._notes = QHBoxLayout()
        self._notes.setSpacing(0)
        layout.addLayout(self._left)
        layout.addLayout(self._notes, 1)
        layout.addStretch(1)
        layout.addLayout(self._right)
        for title in titles:
            self.add(title)

    def add(self, title: str) -> None:
        """Add a tab at the end."""
        tab = Tab(title, self)
        number = len(self._tabs)
        self._tabs.append(tab)
        self._left.addWidget(tab)
        tab.setChecked(number == 0)
        tab.installEventFilter(self)
        tab.clicked.connect(lambda: self.chosen.emit(number))
        for each in self._tabs:
            each.alone = len(self._tabs) == 1
            each.setFocusPolicy(Qt.FocusPolicy.NoFocus if each.alone else Qt.FocusPolicy.TabFocus)

    def set_note(self, note: QWidget | None) -> None:
        """Put a note after the titles, in place of the one that was there."""
        while self._notes.count():
            item = self._notes.takeAt(0)
            if item is not None and (old := item.widget()) is not None:
                old.hide()
        if note is not None:
            self._notes.addWidget(note)
            note.show()

    def set_lit(self, lit: bool) -> None:
        """Show whether the keyboard is in what stands below."""
        for tab in self._tabs:
            if tab.lit != lit:
                tab.lit = lit
                tab.update()

    def set_current(self, number: int) -> None:
        """Mark a tab as the one shown."""
        self._tabs[number].setChecked(True)

    def set_buttons(self, buttons: Sequence[QWidget]) -> None:
        """Put buttons on the right in place of those that were there."""
        while (item := self._right.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
        for button in buttons:
            self._right.addWidget(button)
            button.show()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(200, style.TITLE_HEIGHT)

    @guarded
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and watched in self._tabs:
            direction = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
            if direction and len(self._tabs) > 1:
                number = (self._tabs.index(watched) + direction) % len(self._tabs)
                self._tabs[number].setFocus(Qt.FocusReason.OtherFocusReason)
                self._tabs[number].click()
                return True
        return False

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        path = QPainterPath()
        path.setFillRule(Qt.FillRule.WindingFill)
        box = QRectF(self.rect())
        path.addRoundedRect(box, style.RADIUS, style.RADIUS)
        path.addRect(box.adjusted(0, box.height() / 2, 0, 0))
        painter.fillPath(path, style.color("head"))
        painter.end()
