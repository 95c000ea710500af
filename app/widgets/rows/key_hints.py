"""Which keys work now: key caps and what they do, for the status line."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, fill_round

CAP_HEIGHT = 18


class KeyHints(Painted):
    """A row of hints such as ``[Ctrl] fine  [X] [Y] [Z] along an axis``; what does not fit is left out at the end."""

    def __init__(self):
        super().__init__()
        self._hints: tuple[tuple[str, str], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def hints(self) -> tuple[tuple[str, str], ...]:
        """The hints that are shown."""
        return self._hints

    def set_hints(self, hints: Sequence[tuple[str, str]]) -> None:
        """Show hints: (keys separated by spaces, what they do) each."""
        new = tuple((str(keys), str(text)) for keys, text in hints)
        if new != self._hints:
            self._hints = new
            self.setAccessibleName("; ".join(f"{keys}: {text}" for keys, text in new))
            self.update()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(200, 26)

    @guarded
    def minimumSizeHint(self) -> QSize:
        return QSize(0, 26)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        cap_font, text_font = fonts.font(fonts.SECONDARY, fonts.MEDIUM), fonts.font()
        caps, words = QFontMetricsF(cap_font), QFontMetricsF(text_font)
        x, top = 0.0, (self.height() - CAP_HEIGHT) / 2
        for keys, text in self._hints:
            widths = [max(CAP_HEIGHT - 2.0, caps.horizontalAdvance(key) + 10) for key in keys.split()]
            wide = sum(widths) + 4 * (len(widths) - 1) + 8 + words.horizontalAdvance(text)
            if x + wide > self.width():
                break
            for key, cap in zip(keys.split(), widths, strict=True):
                box = QRectF(x, top, cap, CAP_HEIGHT)
                fill_round(painter, box, style.color("raised"), style.color("line2"), 3)
                painter.setFont(cap_font)
                painter.setPen(style.color("text"))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, key)
                x += cap + 4
            x += 4
            painter.setFont(text_font)
            painter.setPen(style.color("text2"))
            painter.drawText(
                QRectF(x, 0, words.horizontalAdvance(text) + 2, self.height()), Qt.AlignmentFlag.AlignVCenter, text
            )
            x += words.horizontalAdvance(text) + 18
        painter.end()
