"""One line above the status line: what went wrong, with Details and Undo, until it has been read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QSizePolicy, QWidget

from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, fill_round
from app.widgets.frames.popover import Popover
from app.widgets.frames.tool_button import ToolButton
from app.widgets.layouts import row_layout

LEVELS = {"error": ("warn", "conflict"), "warning": ("warn", "warn"), "info": ("info", "accent")}
HEIGHT = 28

Choice = tuple[str, str, Callable[[], object]]


class ErrorLine(Painted):
    """Shows one message until it is closed or replaced; never takes the focus away.

    Signals:
        undo_wanted: The person pressed Undo.
        closed: The person has read it.
        shown: There is something to read.

    A question is not lost to a message that comes while it stands unanswered: it comes back once that was read.
    """

    undo_wanted = Signal()
    closed = Signal()
    shown = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._level, self._text, self._details = "error", "", ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        layout = row_layout(self, (34, 2, 4, 2), 4)
        layout.addStretch(1)
        self.details_button = ToolButton("", "Details", "Show the whole message", "raised", size=None, parent=self)
        self.undo_button = ToolButton("", "Undo", "Undo the last step", "raised", parent=self)
        self.close_button = ToolButton("close", "", "Close this message", size=(24, 24), parent=self)
        for button in (self.details_button, self.undo_button):
            button._size = (button.sizeHint().width(), 22)
        for button in (self.details_button, self.undo_button, self.close_button):
            layout.addWidget(button)
        self.details_button.clicked.connect(self.show_details)
        self.undo_button.clicked.connect(self._undo)
        self.close_button.clicked.connect(self.close_message)
        self._layout = layout
        self.choices: list[ToolButton] = []
        self._question: tuple[str, str, tuple[Choice, ...]] | None = None  # that is shown, or waits under a message
        self._popup: Popover | None = None
        self.hide()

    @property
    def text(self) -> str:
        """The message that is shown; "" when none is."""
        return self._text if not self.isHidden() else ""

    @property
    def question(self) -> str:
        """The question that is shown or waits under a message; "" if there is none."""
        return self._question[1] if self._question is not None else ""

    @property
    def details(self) -> str:
        """The whole message, many lines."""
        return self._details

    def ask(self, text: str, choices: Iterable[Choice], level: str = "warning") -> None:
        """Ask a question that may be left unanswered, or offer what can be done next.

        Args:
            text: The question, one line.
            choices: Label, tooltip and what to do for each answer.
            level: ``"warning"``, or ``"info"`` where nothing is wrong.
        """
        self._question = (level, text, tuple(choices))
        self._show_question()

    def withdraw(self, text: str) -> None:
        """Take a question or a message back, if it still stands: it is no longer true."""
        shown = bool(self.choices)
        if self._question is not None and self._question[1] == text:
            self._question = None
            if shown:
                self.close_message()
        elif text and not shown and self.text == text:
            self.close_message()

    def _show_question(self) -> None:
        assert self._question is not None
        level, text, choices = self._question
        self.show_message(level, text)
        for label, tip, action in choices:
            button = ToolButton("", label, tip, "raised", parent=self)
            button._size = (button.sizeHint().width(), 22)
            button.clicked.connect(lambda _checked=False, action=action: self._choose(action))
            self._layout.insertWidget(self._layout.count() - 1, button)
            button.show()
            self.choices.append(button)
        for before, after in pairwise((self.undo_button, *self.choices, self.close_button)):
            QWidget.setTabOrder(before, after)
        self._layout.activate()
        self.update()

    def _drop_choices(self) -> None:
        for button in self.choices:
            self._layout.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.choices = []

    def show_message(self, level: str, text: str, details: str = "", undo: bool = False) -> None:
        """Show a message.

        Args:
            level: ``"error"``, ``"warning"`` or ``"info"``.
            text: One line; longer ones are cut and shown whole under Details.
            details: Everything else that helps.
            undo: Whether to offer Undo.
        """
        self._drop_choices()
        self._level = level if level in LEVELS else "error"
        lines = text.strip().splitlines() or [""]
        self._text = lines[0]
        self._details = details or ("\n".join(lines) if len(lines) > 1 else "")
        self.details_button.setVisible(bool(self._details))
        self.undo_button.setVisible(undo)
        self.setAccessibleName(f"{self._level}: {self._text}")
        self.setToolTip(self._text)
        self.show()
        self.update()
        self.shown.emit()

    def close_message(self) -> None:
        """Hide the line, since the message has been read or the question answered; one that waits comes back."""
        if self._popup is not None:
            self._popup.close()
        if self.choices:
            self._question = None
        self._drop_choices()
        self.hide()
        self.closed.emit()
        if self._question is not None:
            self._show_question()

    def clear(self) -> None:
        """Take everything away, a question that waits included: another file is open now."""
        self._question = None
        self.close_message()

    def _choose(self, action: Callable[[], object]) -> None:
        self.close_message()
        action()

    def _undo(self) -> None:
        self.close_message()
        self.undo_wanted.emit()

    def show_details(self) -> None:
        """Open a small window above the line with the whole message, selectable."""
        if self._popup is None:
            self._popup = Popover("Details of the message", parent=self)
            self._popup.column.setContentsMargins(0, 0, 0, 0)
            view = QPlainTextEdit(self._popup)
            view.setObjectName("details")
            view.setReadOnly(True)
            view.document().setDocumentMargin(8)
            view.setAccessibleName("Details of the message")
            self._popup.column.addWidget(view)
        shown = self._popup.findChild(QPlainTextEdit, "details")
        assert shown is not None
        shown.setPlainText(f"{self._text}\n\n{self._details}" if self._details != self._text else self._details)
        wide = max(320, min(720, self.width()))
        high = min(320, 40 + 17 * (shown.document().blockCount() + 1))
        self._popup.resize(wide, high)
        corner = self.mapToGlobal(self.rect().topRight())
        self._popup.move(corner.x() - wide, corner.y() - high - 2)
        self._popup.show()

    def copy(self) -> None:
        """Put the whole message on the clipboard."""
        QApplication.clipboard().setText("\n".join(filter(None, (self._text, self._details))))

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_message()
        else:
            super().keyPressEvent(event)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(320, HEIGHT)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        icon, token = LEVELS[self._level]
        fill_round(painter, QRectF(self.rect()), style.mix("panel", token, 0.14), style.mix("panel", token, 0.5))
        icons.paint(painter, icon, style.color(token), QRectF(12, (self.height() - 16) / 2, 16, 16))
        all_buttons = (self.details_button, self.undo_button, *self.choices, self.close_button)
        buttons = [b for b in all_buttons if not b.isHidden()]
        room = QRectF(36, 0, min(b.x() for b in buttons) - 44, self.height())
        painter.setFont(fonts.font())
        painter.setPen(style.color("text"))
        text = painter.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, int(room.width()))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()
