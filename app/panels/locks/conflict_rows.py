"""What a conflict of locks says under its rows: which locks or limits are in the way, and what would help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, fill_round
from app.widgets.frames.tool_button import ToolButton
from app.words.dof_names import full_label
from app.words.hindrance import value_text

if TYPE_CHECKING:
    from app.document.lock_conflict import LockConflict
    from core.skeleton import Skeleton

LEFT, RIGHT, TOP, LINE, GAP = 36, 12, 6, 15, 4
GLYPH = 20
MOST_LIMITS = 3


def step_text(fix: Any) -> str:
    """Return what a way out is called as a step: ``"Soften right hand"``."""
    return str(fix.title).replace(" the ", " ")


def button_text(fix: Any) -> str:
    """Return what a way out is called on its button, as short as it can be understood."""
    short = {"plane": "Turn into plane", "free": "Let all joints help"}
    text = short.get(fix.kind, step_text(fix))
    return f"{text}, {fix.still}" if fix.still else text


def limit_sentences(found: LockConflict, skeleton: Skeleton) -> list[str]:
    """Return which limits are in the way: ``"Right knee flex at its limit 0.0°"``, a few of them at most."""
    texts = []
    for dof in found.limits[:MOST_LIMITS]:
        unit, value = skeleton.dof_units[dof], float(found.conflict.q[dof + 3])
        texts.append(f"{full_label(skeleton, dof)} at its limit {value_text(unit, value)}")
    more = len(found.limits) - len(texts)
    return [*texts, f"{more} more limits" if more > 1 else "1 more limit"] if more > 0 else texts


class ConflictRows(Painted):
    """Shows one conflict with a button for each way out of it.

    Signals:
        fix_wanted(int): A way out was chosen: its number among the conflict's fixes.
    """

    fix_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.found: LockConflict | None = None
        self.texts: tuple[str, ...] = ()
        self.buttons: list[ToolButton] = []
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_conflict(self, found: LockConflict, skeleton: Skeleton) -> None:
        """Show a conflict."""
        self.found = found
        self.texts = (found.text, *limit_sentences(found, skeleton))
        self.setAccessibleName(". ".join(self.texts))
        for button in self.buttons:
            button.hide()
            button.setParent(None)
            button.deleteLater()
        self.buttons = []
        whole = any(fix.held for fix in found.fixes)
        for number, fix in enumerate(found.fixes):
            if whole and not fix.held and fix.kind == "drop":
                continue  # what is dropped and leaves others in conflict was dropped for nothing
            text = button_text(fix)
            button = ToolButton("", text, fix.title, "raised", parent=self)
            if not fix.held:
                button.setToolTip(f"{fix.title}: then other locks are in the way")
            button._size = (round(QFontMetricsF(button._font()).horizontalAdvance(text)) + 18, 24)
            button.setAccessibleName(fix.title)
            button.clicked.connect(lambda _=False, number=number: self.fix_wanted.emit(number))
            button.show()
            self.buttons.append(button)
        self._arrange()

    # -- layout --------------------------------------------------------------------------------------------------

    def _lines(self) -> list[tuple[str, str]]:
        """Return the lines that are painted, broken where they are too long, each with its icon or ""."""
        metrics = QFontMetricsF(fonts.font(fonts.SECONDARY))
        room = max(self.width() - LEFT - RIGHT, 80)
        lines = []
        for number, text in enumerate(self.texts):
            icon, current = ("warn" if number == 0 else "stop"), ""
            for word in text.split():
                wider = f"{current} {word}".strip()
                if current and metrics.horizontalAdvance(wider) > room:
                    lines.append((current, icon))
                    icon, current = "", word
                else:
                    current = wider
            lines.append((current, icon))
        return lines

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Put the buttons below the lines, as many beside each other as there is room for."""
        x, y = LEFT, TOP + LINE * len(self._lines()) + GAP
        for button in self.buttons:
            size = button.sizeHint()
            if x > LEFT and x + size.width() > self.width() - RIGHT:
                x, y = LEFT, y + size.height() + GAP
            button.setGeometry(x, y, min(size.width(), self.width() - LEFT - RIGHT), size.height())
            x += size.width() + GAP
        high = (y + 24 if self.buttons else y) + TOP
        if high != self.height() or self.minimumHeight() != high:
            self.setFixedHeight(high)
        self.update()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect()).adjusted(4, 1, -4, -1)
        fill_round(painter, box, style.mix("panel", "conflict", 0.12))
        painter.fillRect(QRectF(4, 4, 2, box.height() - 6), style.color("conflict"))
        painter.setFont(fonts.font(fonts.SECONDARY))
        lines = self._lines()
        main = next((number for number, (_, icon) in enumerate(lines) if icon == "stop"), len(lines))
        for number, (text, icon) in enumerate(lines):
            top = TOP + LINE * number
            if icon == "warn":
                icons.paint(painter, "warn", style.color("conflict"), QRectF(GLYPH - 6.5, top + 1, 13, 13))
            painter.setPen(style.color("text" if number < main else "text2"))
            room = QRectF(LEFT, top, self.width() - LEFT - RIGHT + 4, LINE)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()
