"""The status line: what goes on, which keys work now, and what is open."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted
from app.widgets.rows.key_hints import KeyHints

if TYPE_CHECKING:
    from core.skeleton import Skeleton

HEIGHT = 26
SECONDS = 6.0
FRESH = 1500  # what answers a key stays at least so long [ms]
TEXT_SHARE = 0.52
"""Most of the line that its text may take; the rest is for keys and what is open."""
DONE = "done"
LEVEL_TOKENS = {"info": "accent", "warning": "warn", "error": "conflict"}


class _State(Painted):
    """A coloured dot and a line of text."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.token = "", "accent"
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    @guarded
    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), 160), HEIGHT)

    def show_state(self, text: str, token: str) -> None:
        if (text, token) != (self.text, self.token):
            self.text, self.token = text, token
            self.setAccessibleName(text)
            self.updateGeometry()
            self.update()

    @guarded
    def sizeHint(self) -> QSize:
        if not self.text:
            return QSize(0, HEIGHT)
        return QSize(22 + ceil(QFontMetricsF(fonts.font()).horizontalAdvance(self.text)) + 18, HEIGHT)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.text:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.color(self.token))
        painter.drawEllipse(QRectF(8, HEIGHT / 2 - 3.5, 7, 7))
        painter.setFont(fonts.font())
        painter.setPen(style.color(self.token))
        room = QRectF(22, 0, self.width() - 26, HEIGHT)
        text = painter.fontMetrics().elidedText(self.text, Qt.TextElideMode.ElideRight, int(room.width()))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()


def about_text(skeleton: Skeleton | None, more: str = "") -> str:
    """Return what is open, in a few words, and what else is to be known of it."""
    if skeleton is None:
        return ""
    joints = "1 joint" if len(skeleton.joints) == 1 else f"{len(skeleton.joints)} joints"
    return " · ".join([*([more] if more else []), skeleton.name, joints, f"{skeleton.n_dofs} DOF"])


class StatusLine(Painted):
    """One line at the bottom of the window."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.state = _State()
        self.hints = KeyHints()
        self.about = QLabel()
        self.about.setProperty("quiet", True)
        self.about.setAccessibleName("What is open")
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 0, 12, 0)
        row.setSpacing(8)
        row.addWidget(self.state)
        row.addWidget(self.hints, 1)
        row.addWidget(self.about)
        self._passing = QTimer(self, singleShot=True, interval=int(SECONDS * 1000))
        self._passing.timeout.connect(self._restore)
        self._lasting, self._token, self._answers, self._reports = "", "accent", False, False

    def show_state(self, text: str, failing: bool = False, token: str = "accent") -> None:
        """Show what goes on, in a colour, amber if it fails; a message that has just been shown keeps its place.

        What answers a key, such as Undo, is not taken away by what the resting mouse is over.
        """
        self._lasting, self._token = text, "warn" if failing else token
        passing = self._passing.isActive()
        answered = passing and self._answers and self._passing.remainingTime() > self._passing.interval() - FRESH
        if failing or (not answered and not (passing and self._reports) and (text or not passing)):
            self._passing.stop()
            self._restore()

    def answer(self, text: str) -> None:
        """Show what a key did, over what the resting mouse is over."""
        self.show_message("info", text)
        self._answers = True

    def show_message(self, level: str, text: str) -> None:
        """Show a message for some seconds; ``"done"``, what a job has come to, whatever the mouse is over meanwhile."""
        self._answers, self._reports = False, level == DONE
        self.state.show_state(text, LEVEL_TOKENS.get(level, "accent"))
        self._passing.start()

    def drop_message(self) -> None:
        """Take a passing message away: something was done after it."""
        if self._passing.isActive():
            self._passing.stop()
            self._restore()

    def _restore(self) -> None:
        self.state.show_state(self._lasting, self._token)

    def show_hints(self, hints: Sequence[tuple[str, str]]) -> None:
        """Show which keys work now."""
        self.hints.set_hints(hints)

    def show_about(self, text: str) -> None:
        """Show what is open, at the right."""
        self.about.setText(text)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep room for the keys beside a long text."""
        self.state.setMaximumWidth(max(160, int(TEXT_SHARE * self.width())))
        super().resizeEvent(event)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), style.color("head"))
        painter.fillRect(QRectF(0, 0, self.width(), 1), style.color("line"))
        painter.end()
