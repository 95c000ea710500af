"""The text of a constraint script: coloured, with what is wrong underlined and names completed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QRect, QSize, QStringListModel, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QFontDatabase,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QAbstractItemView, QCompleter, QFrame, QPlainTextEdit, QTextEdit, QWidget

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.timeline.script.colors import ScriptColors
from core.animation.script.completion import Completion
from core.animation.script.text import LONGEST, ScriptProblem

PLACEHOLDER = 'lock "left foot" pose from 12 to 30 ease 3'
_MOST_WORDS = 200
_MOST_SHOWN = 12
_ACCEPT = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)


class LineNumbers(QWidget):
    """The numbers of the lines, at the left of the text."""

    def __init__(self, editor: ScriptEditor):
        super().__init__(editor)
        self._editor = editor

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(self._editor.numbers_width, 0)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        self._editor.paint_numbers(self, event.rect())


class ScriptEditor(QPlainTextEdit):
    """A text with words of a language. It keeps no history of its own: Undo is the document's.

    Args:
        complete: Gives what may stand at a place of a text.

    Signals:
        edited(str): Somebody typed; the text.
        left(): The editor is left, or Undo or Redo is about to come: what was typed must be in the document.
    """

    edited = Signal(str)
    left = Signal()

    def __init__(self, complete: Callable[[str, int], Completion]):
        super().__init__()
        self._complete = complete
        self._problems: tuple[ScriptProblem, ...] = ()
        self._marked: tuple[int, int] | None = None
        self._showing = False
        self._text = ""  # as it was typed or shown last
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setPlaceholderText(PLACEHOLDER)
        self.setAccessibleName("Script of locks")
        self.setFont(self._fixed_font())
        self.setStyleSheet("QPlainTextEdit { border: none; border-radius: 0; padding: 0; }")
        self.colors = ScriptColors(self.document())
        self.numbers = LineNumbers(self)
        self.completer = QCompleter(self)
        self.completer.setWidget(self)
        self.completer.setModel(QStringListModel([], self.completer))
        self.completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self.completer.setMaxVisibleItems(_MOST_SHOWN)
        self.completer.activated.connect(self._insert)
        self._from = 0
        self.blockCountChanged.connect(lambda _count: self._place_numbers())
        self.updateRequest.connect(self._scroll_numbers)
        self.textChanged.connect(self._typed)
        self.cursorPositionChanged.connect(self.numbers.update)
        self._place_numbers()

    @staticmethod
    def _fixed_font() -> QFont:
        made, like = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont), fonts.font()
        made.setStyleHint(QFont.StyleHint.Monospace)
        if like.pixelSize() > 0:
            made.setPixelSize(like.pixelSize())
        else:
            made.setPointSizeF(like.pointSizeF())
        return made

    # -- text ------------------------------------------------------------------------------------------------------

    def show_text(self, text: str) -> None:
        """Show another text; the cursor and what is scrolled to stay, and only what differs is written."""
        now = self.toPlainText()
        if now == text:
            return
        first = 0
        most = min(len(now), len(text))
        while first < most and now[first] == text[first]:
            first += 1
        last = 0
        while last < most - first and now[-1 - last] == text[-1 - last]:
            last += 1
        self._showing = True
        try:
            cursor = QTextCursor(self.document())
            # Qt counts UTF-16 units.
            cursor.setPosition(_units(now[:first]))
            cursor.setPosition(_units(now[: len(now) - last]), QTextCursor.MoveMode.KeepAnchor)
            cursor.insertText(text[first : len(text) - last])
        finally:
            self._showing = False
            self._text = self.toPlainText()

    def _typed(self) -> None:
        if self._showing or (text := self.toPlainText()) == self._text:
            return  # coloured anew: Qt calls that a change too
        self._text = text
        self.edited.emit(text if len(text) <= LONGEST else text[: LONGEST + 1])
        self.suggest()

    @property
    def place(self) -> int:
        """Where the cursor is, in characters."""
        return self._characters(self.textCursor().position())

    def _characters(self, units: int) -> int:
        text = self.toPlainText()
        return len(text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore")) if not text.isascii() else units

    def go_to(self, place: int) -> None:
        """Put the cursor at a place of the text, and show it."""
        cursor = self.textCursor()
        cursor.setPosition(min(_units(self.toPlainText()[:place]), self.document().characterCount() - 1))
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    # -- what is wrong ---------------------------------------------------------------------------------------------

    def show_problems(self, problems: Sequence[ScriptProblem]) -> None:
        """Underline what is wrong."""
        self._problems = tuple(problems)
        self._mark()

    def mark_line(self, span: tuple[int, int] | None) -> None:
        """Light up the line of the strip that is selected."""
        if span != self._marked:
            self._marked = span
            self._mark()

    def problem_at(self, place: int) -> ScriptProblem | None:
        """Return what is wrong at a place of the text."""
        return next((each for each in self._problems if each.start <= place <= max(each.end, each.start + 1)), None)

    def _mark(self) -> None:
        made: list[QTextEdit.ExtraSelection] = []
        text = self.toPlainText()
        if self._marked is not None:
            line = QTextEdit.ExtraSelection()
            line.format.setBackground(style.color("acc_bg"))
            line.format.setProperty(QTextCharFormat.Property.FullWidthSelection, True)
            line.cursor = self._span(text, *self._marked)
            line.cursor.clearSelection()
            made.append(line)
        for problem in self._problems:
            start, end = problem.start, problem.end
            if end <= start or not text[start:end].strip():
                end = min(start + 1, len(text))
                line_start = text.rfind("\n", 0, start) + 1
                start = max(start - 1, line_start) if text[start:end].strip() == "" else start
            wrong = QTextEdit.ExtraSelection()
            wrong.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            wrong.format.setUnderlineColor(style.color("conflict"))
            wrong.format.setToolTip(problem.message)
            wrong.cursor = self._span(text, start, end)
            made.append(wrong)
        self.setExtraSelections(made)
        self.numbers.update()

    def _span(self, text: str, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        last = self.document().characterCount() - 1
        cursor.setPosition(min(_units(text[:start]), last))
        cursor.setPosition(min(_units(text[:end]), last), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    # -- completion ------------------------------------------------------------------------------------------------

    def suggest(self, always: bool = False) -> None:
        """Show what may stand at the cursor, where a word was begun or it is asked for."""
        text, place = self.toPlainText(), self.place
        line, before = text[text.rfind("\n", 0, place) + 1 : place], text[place - 1 : place]
        begun = before.isalnum() or before in (".", "_") or (before == '"' and line.count('"') % 2 == 1)
        if not self.hasFocus() or (not begun and not always):
            self._close()
            return
        found = self._complete(text, place)
        words = found.words[:_MOST_WORDS]
        whole = text[found.start : place] in words  # then Return is to begin a line
        if not words or (whole and not always):
            self._close()
            return
        self._from = found.start
        model = self.completer.model()
        assert isinstance(model, QStringListModel)
        model.setStringList(list(words))
        popup = self.popup
        area = self.cursorRect()
        area.setWidth(popup.sizeHintForColumn(0) + popup.verticalScrollBar().sizeHint().width() + 24)
        self.completer.complete(area)
        popup.setCurrentIndex(model.index(0, 0))

    @property
    def popup(self) -> QAbstractItemView:
        """The list of what may stand at the cursor."""
        popup = self.completer.popup()
        assert popup is not None
        return popup

    def _close(self) -> None:
        self.popup.hide()

    def _insert(self, word: str) -> None:
        """Put a word in the place of what was begun; a quote behind the cursor is part of it."""
        text, place = self.toPlainText(), self.place
        end = place + 1 if word.endswith('"') and text[place : place + 1] == '"' else place
        cursor = self._span(text, self._from, end)
        cursor.insertText(word)
        self.setTextCursor(cursor)
        self._close()

    # -- events ----------------------------------------------------------------------------------------------------

    @guarded
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            history = QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo
            if any(event.matches(key) for key in history):
                self.left.emit()
                event.ignore()
                return False
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Tab and self.popup.isVisible():  # else Qt goes to the next field with it
                self.keyPressEvent(event)
                return True
        return super().event(event)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.popup.isVisible():
            if event.key() in _ACCEPT:
                index = self.popup.currentIndex()
                if index.isValid():
                    self._insert(str(index.data()))
                    return
                self._close()
            elif event.key() == Qt.Key.Key_Escape:
                self._close()
                return
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home):
            self._close()

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit()

    @guarded
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "colors"):
            self.colors.rehighlight()
            self._mark()

    # -- numbers of lines ------------------------------------------------------------------------------------------

    @property
    def numbers_width(self) -> int:
        """Room for the numbers of the lines, [px]."""
        digits = max(len(str(self.blockCount())), 2)
        return 20 + self.fontMetrics().horizontalAdvance("9") * digits

    def _place_numbers(self) -> None:
        self.setViewportMargins(self.numbers_width, 0, 0, 0)
        area = self.contentsRect()
        self.numbers.setGeometry(QRect(area.left(), area.top(), self.numbers_width, area.height()))

    def _scroll_numbers(self, area: QRect, by: int) -> None:
        if by:
            self.numbers.scroll(0, by)
        else:
            self.numbers.update(0, area.y(), self.numbers.width(), area.height())

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_numbers()

    def paint_numbers(self, widget: QWidget, area: QRect) -> None:
        """Paint the numbers of the lines; those of lines with something wrong stand out."""
        painter = QPainter(widget)
        painter.fillRect(area, style.color("panel"))
        painter.setFont(self.font())
        wrong, here = {problem.line for problem in self._problems}, self.textCursor().blockNumber()
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        height = self.blockBoundingRect(block).height()
        while block.isValid() and top <= area.bottom():
            number = block.blockNumber()
            token = "conflict" if number + 1 in wrong else "text" if number == here else "text3"
            painter.setPen(style.color(token))
            box = QRect(0, round(top), widget.width() - 10, round(height))
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(number + 1))
            top += height
            block = block.next()
        painter.end()


def _units(text: str) -> int:
    """Return how many units Qt counts for a text."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
