"""Rows of the joints panel that stop a drag, or whose joint is hovered anywhere in the window: they light."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QCursor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from app.document.changes import Change, SessionChanged
from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted
from app.widgets.joints.joint_row import JointRow
from core.posing.hindrance import MOST_NAMED

if TYPE_CHECKING:
    from app.document.document import Document
    from app.document.session import Session
    from app.widgets.joints.joint_groups import Entry, Group
    from app.words.hindrance import NamedStop


class RowHover:
    """Couples the rows of a scrolled column with the session's hovered joint.

    Args:
        session: Holds the hovered joint.
        column: The widget that the rows stand in.
    """

    def __init__(self, session: Session, column: QWidget):
        self._session = session
        self._column = column
        self._shown: int | None = None
        self._mine: int | None = None  # the joint that the pointer hovers by a row, not in a view

    def entered(self, row: JointRow, inside: bool) -> None:
        """Take note that the pointer came over a row or left it."""
        if inside:
            self._set(row.joint)
        elif self._mine == row.joint:
            self._set(None)

    def scrolled(self) -> None:
        """Look which row is under the pointer now; Qt tells only when the mouse moves."""
        under = QApplication.widgetAt(QCursor.pos())
        while under is not None and not isinstance(under, JointRow):
            under = under.parentWidget()
        if under is not None and under.parentWidget() is self._column:
            self._set(under.joint)
        elif self._mine is not None:
            self._set(None)

    def _set(self, joint: int | None) -> None:
        before, self._mine = self._mine, joint
        if joint is not None or self._session.view.hover == before:
            self._session.view.hover = joint

    def show(self, rows: Iterable[JointRow]) -> None:
        """Tint the rows of the joint that is hovered, here or in a view."""
        now = self._session.view.hover
        for row in rows:
            if row.joint in (self._shown, now):
                row.set_over(row.joint == now)
        self._shown = now


FIRST = 3  # place in the pose vector of the first degree of freedom
HEIGHT = 24
IN_SIGHT = 9.0  # so much of a row above and below its middle must be seen, px
_ICON = 13


class EdgeMark(Painted):
    """The name of a degree of freedom that is out of sight, its limit, and which way it lies.

    Args:
        parent: What it lies over; it takes no mouse events from it.
    """

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.text, self._icon = "", "chevron-down"
        self.hide()

    def show_stop(self, text: str, above: bool) -> None:
        """Show a name and its limit, and whether it lies above or below what is in sight."""
        icon = "chevron-up" if above else "chevron-down"
        if (text, icon) != (self.text, self._icon):
            self.text, self._icon = text, icon
            self.setAccessibleName(f"{text}, {'above' if above else 'below'}")
            self.update()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), style.color("panel"))  # what lies below does not peep out around it
        box = QRectF(self.rect()).adjusted(4.5, 1.5, -4.5, -1.5)
        painter.setPen(QPen(style.color("warn"), 1.0))
        painter.setBrush(style.color("raised"))
        painter.drawRoundedRect(box, 4.0, 4.0)
        icons.paint(painter, self._icon, style.color("warn"), QRectF(11, (HEIGHT - _ICON) / 2, _ICON, _ICON))
        painter.setFont(fonts.font(tabular=True))
        painter.setPen(style.color("warn"))
        room = box.adjusted(24.0, 0.0, -6.0, 0.0)
        text = painter.fontMetrics().elidedText(self.text, Qt.TextElideMode.ElideRight, int(room.width()))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()


class BlockedMarks(QObject):
    """Follows what blocks the drag or the turn that is going on.

    Args:
        document: The document.
        view: Shows the column of rows.
        groups: Returns the groups that the panel has now.
    """

    def __init__(self, document: Document, view: QScrollArea, groups: Callable[[], Sequence[Group]]):
        super().__init__(view)
        self._document, self._view, self._groups = document, view, groups
        self.stops: tuple[NamedStop, ...] = ()
        self.marks: list[EdgeMark] = []
        document.changed.connect(self._take)
        document.drag_changed.connect(self._take_drag)
        view.verticalScrollBar().valueChanged.connect(lambda _: self.place())
        view.viewport().installEventFilter(self)

    def _take(self, change: Change) -> None:
        if isinstance(change, SessionChanged) and change.name == "stops":
            self._show_stops()

    def _take_drag(self, name: str) -> None:
        if name == "goal":
            self._show_stops()

    def _show_stops(self) -> None:
        session = self._document.session
        hindrance = None if session.drag.goal is None else session.drag.goal.hindrance
        stops = session.drag.stops if hindrance is None else hindrance.stops
        if stops != self.stops:
            self.stops = stops
            self._light()
            self.place()

    def _light(self) -> None:
        blocked = {FIRST + stop.dof for stop in self.stops}
        for group in self._groups():
            for entry in group.entries:
                if entry.row is not None:
                    entry.row.set_blocked(entry.index in blocked)

    def place(self) -> None:
        """Name what is out of sight at the edge of the column it lies beyond."""
        port = self._view.viewport()
        named = self.stops[:MOST_NAMED]  # the rows of all light; more names would cover the rows
        while len(self.marks) < len(named):
            self.marks.append(EdgeMark(port))
        edges = {True: 0, False: port.height() - HEIGHT}
        sides = self._sides(named)
        for number, mark in enumerate(self.marks):
            above = sides.get(number)
            if above is None:
                mark.hide()
                continue
            mark.show_stop(f"{named[number].label} at {named[number].text}", above)
            mark.setGeometry(0, edges[above], port.width(), HEIGHT)
            edges[above] += HEIGHT if above else -HEIGHT
            mark.show()
            mark.raise_()

    def _sides(self, named: Sequence[NamedStop]) -> dict[int, bool]:
        """Return which of some stops are to be named at an edge: by number, whether they lie above.

        A row that a name of another would cover counts as out of sight too.
        """
        top, high = self._view.verticalScrollBar().value(), self._view.viewport().height()
        sides: dict[int, bool] = {}
        for _ in named:
            before = len(sides)
            first = top + HEIGHT * sum(sides.values())
            last = top + high - HEIGHT * (len(sides) - sum(sides.values()))
            for number, stop in enumerate(named):
                place = self._find(FIRST + stop.dof)
                if number in sides or place is None:
                    continue
                group, entry = place
                row = entry.row if entry.row is not None and entry.row.isVisibleTo(self._view) else None
                y, height = (row.y(), row.height()) if row is not None else (group.top, style.GROUP_HEIGHT)
                middle = y + 0.5 * height
                if row is None or not first <= middle - IN_SIGHT or not middle + IN_SIGHT <= last:
                    sides[number] = middle < top + 0.5 * high
            if len(sides) == before:
                break
        return sides

    def _find(self, index: int) -> tuple[Group, Entry] | None:
        for group in self._groups():
            for entry in group.entries:
                if entry.index == index:
                    return group, entry
        return None

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the marks at the edges when the panel changes its size."""
        if event.type() == QEvent.Type.Resize:
            self.place()
        return False
