"""The command palette: a field to type a few words into, and under it every command that fits them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QHideEvent, QKeyEvent, QKeySequence, QPainter, QPalette
from PySide6.QtWidgets import QLabel, QLineEdit, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import fill_round
from app.widgets.frames.popover import Popover
from app.words.command_search import score, words_of

WIDTH = 640
ROW = 28
ROWS_SHOWN = 13
FROM_TOP = 76
"""From the upper edge of the window to that of the palette, [px]."""
THE_KEY, MINOR = 10.0, 1.0
"""What it counts that the key itself was typed, and what it counts against a command that it is a minor one."""
_ICON, _GAP, _INSET = 16, 12, 10
_COMMAND = Qt.ItemDataRole.UserRole

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class Command:
    """Something that can be done, as the palette lists it.

    Attributes:
        name: What it is remembered by from one session to the next.
        text: What it does, as a menu says it.
        path: Where else it is found: the menu, with the menu in it.
        run: Does it.
        keys: Keys that do the same, as a person reads them.
        why_not: Why it cannot be done now; empty if it can.
        icon: Name of its icon, or empty.
        checked: Whether it is on; None for what is no switch.
        also: Other words it may be found by.
        minor: Whether it is listed only once something is typed.
    """

    name: str
    text: str
    path: str
    run: Callable[[], object]
    keys: tuple[str, ...] = ()
    why_not: str = ""
    icon: str = ""
    checked: bool | None = None
    also: str = ""
    minor: bool = False

    def spoken(self) -> str:
        """Return the row as assistive tools read it out."""
        on = {None: "", True: "on", False: "off"}[self.checked]
        keys = f"key {self.keys[0]}" if self.keys else ""
        why = f"not now: {self.why_not}" if self.why_not else ""
        return ", ".join(filter(None, (self.text, on, self.path, keys, why)))


def ranked(commands: Sequence[Command], text: str, recent: Sequence[str] = ()) -> list[Command]:
    """Return the commands that fit a text, the best first; those used last come first where they fit alike.

    Args:
        commands: All there are, in the order of the menus.
        text: What was typed; empty for all but the minor ones.
        recent: Names of the commands used last, the last first.
    """
    typed = words_of(text) or text.split()
    place = {name: number for number, name in enumerate(recent)}
    last = len(recent)
    if not typed:
        return sorted((each for each in commands if not each.minor), key=lambda each: place.get(each.name, last))
    wanted = text.strip().casefold()
    fits = []
    for each in commands:
        found = score(typed, each.text, f"{each.path} {each.also}")
        if wanted in (key.casefold() for key in (*each.keys, *each.also.split())):
            found += THE_KEY
        if found > 0.0:
            fits.append((each, found - (MINOR if each.minor else 0.0)))
    fits.sort(key=lambda pair: (-round(pair[1], 1), bool(pair[0].why_not), place.get(pair[0].name, last)))
    return [each for each, _ in fits]


class _Rows(QAbstractListModel):
    """The commands that are listed."""

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self.commands: list[Command] = []

    def show(self, commands: list[Command]) -> None:
        self.beginResetModel()
        self.commands = commands
        self.endResetModel()

    @guarded
    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 as Qt has it
        return 0 if parent.isValid() else len(self.commands)

    @guarded
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        command = self.commands[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return command.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return command.spoken()
        return command if role == _COMMAND else None


class _Painter(QStyledItemDelegate):
    """Paints a command: icon or tick, what it does, where it is found or why it cannot be done, its key."""

    @guarded
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, ROW)

    @guarded
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        command: Command = index.data(_COMMAND)
        option_: Any = option  # the stubs lack what the option holds
        box: QRect = option_.rect
        chosen = bool(option_.state & QStyle.StateFlag.State_Selected)
        painter.save()
        if chosen:
            fill_round(painter, QRectF(box), style.color("acc_bg"), style.color("acc_line"))
        can = not command.why_not
        left = box.left() + _INSET
        name = "check" if command.checked else command.icon
        if name:
            ink = style.color("accent" if command.checked else "text2")
            painter.setOpacity(1.0 if can else 0.5)
            icons.paint(painter, name, ink, QRectF(left, box.center().y() - _ICON / 2 + 0.5, _ICON, _ICON))
            painter.setOpacity(1.0)
        left += _ICON + _GAP - 2
        right = box.right() - _INSET
        if command.keys:
            right = self._write(painter, box, left, right, command.keys[0], "text2", to_right=True) - _GAP
        left = self._write(painter, box, left, right, command.text, "text" if can else "text3") + _GAP
        beside = command.path if can else f"{command.path}  ·  {command.why_not}"
        self._write(painter, box, left, right, beside, "text2" if chosen else "text3", size=fonts.SECONDARY)
        painter.restore()

    def _write(
        self,
        painter: QPainter,
        box: QRect,
        left: int,
        right: int,
        text: str,
        ink: str,
        size: float = fonts.BODY,
        to_right: bool = False,
    ) -> int:
        """Write a text between two edges, cut where it has no room; return where it ends, or begins at the right."""
        font = fonts.font(size)
        measure = QFontMetrics(font)
        if right - left < 2 * measure.averageCharWidth():
            return left
        shown = measure.elidedText(text, Qt.TextElideMode.ElideRight, right - left)
        wide = measure.horizontalAdvance(shown)
        at = right - wide if to_right else left
        painter.setFont(font)
        painter.setPen(style.color(ink))
        painter.drawText(QRect(at, box.top(), wide + 1, box.height()), Qt.AlignmentFlag.AlignVCenter, shown)
        return at if to_right else at + wide


class CommandPalette(Popover):
    """Finds a command by words and has it done; everything by keyboard.

    Args:
        parent: Parent widget.

    Signals:
        chosen(Command): It is to be done; the palette has closed.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget):
        super().__init__("Commands", WIDTH, parent)
        self._shortcuts: Sequence[QKeySequence] = ()
        self._commands: Sequence[Command] = ()
        self._recent: Sequence[str] = ()
        self.column.setSpacing(6)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find a command by a few words, for example: lock feet")
        self.field.setAccessibleName("Find a command")
        self.field.setClearButtonEnabled(True)
        self.field.installEventFilter(self)
        self.rows = _Rows(self)
        self.list = QListView()
        self.list.setAccessibleName("Commands")
        self.list.setModel(self.rows)
        self.list.setItemDelegate(_Painter(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the field keeps the keyboard and passes on what is meant
        self.list.setMouseTracking(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.note = QLabel()
        self.note.setProperty("quiet", True)
        self.note.setFont(fonts.font(fonts.SECONDARY))
        self.note.setFixedHeight(20)
        self.note.setContentsMargins(_INSET, 0, _INSET, 0)
        for part in (self.field, self.list, self.note):
            self.column.addWidget(part)
        self.field.textChanged.connect(lambda _text: self._find())
        self.list.entered.connect(self.list.setCurrentIndex)
        self.list.clicked.connect(lambda _index: self.run())
        self.list.selectionModel().currentChanged.connect(lambda _now, _before: self._describe())

    def open(self, commands: Sequence[Command], recent: Sequence[str], shortcuts: Sequence[QKeySequence] = ()) -> None:
        """Show the palette over its window.

        Args:
            commands: What there is to choose from, in the order of the menus.
            recent: Names of the commands used last, the last first.
            shortcuts: The keys that open it, and close it again.
        """
        self._commands, self._recent, self._shortcuts = commands, recent, shortcuts
        self.field.clear()
        self._find()
        self.adjustSize()
        parent = self.parentWidget()
        assert parent is not None
        window = parent.window()
        at = window.mapToGlobal(window.rect().topLeft())
        self.place(at.x() + (window.width() - self.width()) // 2, at.y() + FROM_TOP)
        self.show()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    @property
    def current(self) -> Command | None:
        """The command that Enter would run."""
        index = self.list.currentIndex()
        return self.rows.commands[index.row()] if index.isValid() else None

    def run(self) -> None:
        """Have the current command done, unless it cannot be done now: the palette then says why."""
        command = self.current
        if command is None:
            return
        if command.why_not:
            self._describe(loud=True)
            return
        self.close()
        self.chosen.emit(command)

    def _find(self) -> None:
        self.rows.show(ranked(self._commands, self.field.text(), self._recent))
        if self.rows.commands:
            self.list.setCurrentIndex(self.rows.index(0))
            self.list.scrollToTop()
        self.list.setFixedHeight(ROW * min(max(len(self.rows.commands), 1), ROWS_SHOWN))
        self.column.activate()  # else it would be as high as before, and what it holds spread out in it
        self.adjustSize()
        self._describe()

    def _describe(self, loud: bool = False) -> None:
        """Say what Enter would do, or why it would do nothing."""
        command = self.current
        if command is None:
            text = f"Nothing is called “{self.field.text().strip()}”; try fewer words"
        elif command.why_not:
            text = f"Not now: {command.why_not}"
        else:
            text = "↑ ↓ choose    Enter run    Esc close"
        self.note.setText(text)
        palette = self.note.palette()
        palette.setColor(QPalette.ColorRole.WindowText, style.color("warn" if loud else "text2"))
        self.note.setPalette(palette)
        self.field.setAccessibleDescription(text if command is None else command.spoken())

    def _step(self, rows: int, round_about: bool = False) -> None:
        last = len(self.rows.commands) - 1
        if last < 0:
            return
        at = self.list.currentIndex().row() + rows
        at = at % (last + 1) if round_about else min(max(at, 0), last)
        self.list.setCurrentIndex(self.rows.index(at))

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._commands = ()
        self.rows.show([])  # what it holds of the window's menus may go with them

    @guarded
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if watched is not self.field or not isinstance(event, QKeyEvent):
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # what is typed here is no shortcut
            return True
        if event.type() != QEvent.Type.KeyPress:
            return False
        key = Qt.Key(event.key())
        if QKeySequence(event.keyCombination()) in self._shortcuts:
            self.close()
        elif key in _STEPS:
            self._step(_STEPS[key], round_about=abs(_STEPS[key]) == 1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run()
        elif key == Qt.Key.Key_Escape:
            self.close()
        elif key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            self._step(1 if key == Qt.Key.Key_Tab else -1, round_about=True)
        else:
            return False
        return True


_STEPS = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_PageDown: ROWS_SHOWN - 1,
    Qt.Key.Key_PageUp: 1 - ROWS_SHOWN,
}
"""How many rows a key goes on."""
