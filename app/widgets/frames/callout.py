"""A hint that points at a control: a small framed box over the window with a tip, which takes nothing from anybody."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QLabel, QWidget

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import quiet_label
from app.widgets.layouts import column_layout, row_layout

WIDTH = 264
TIP = 9
"""How far the tip stands out of the box, and half of its base, [px]."""
GAP = 3
"""Between the tip and what it points at, [px]."""
EDGE = 6
ABOVE, BELOW, LEFT, RIGHT = "above", "below", "left", "right"


class Callout(Painted):
    """A title, a sentence or two, and buttons. It is part of the window and not a window of its own: no key and no
    click that is meant for something else goes to it, and it gets the keyboard only by Tab or if it is given it.

    Args:
        parent: The window.

    Signals:
        next_wanted(): The next hint.
        close_wanted(): No more of them.
    """

    next_wanted = Signal()
    close_wanted = Signal()

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self._side, self._at = "", 0.0  # where the tip is, and where along that side
        self.setFixedWidth(WIDTH + 2 * TIP)
        self.title = QLabel()
        self.title.setFont(fonts.font(fonts.BODY, fonts.SEMIBOLD))
        self.text = quiet_label()
        self.text.setWordWrap(True)
        self.count = quiet_label()
        self.close_button = ToolButton("close", "", "No more hints", size=(24, 24))
        self.next_button = ToolButton("", "Next", "", "raised")
        self.close_button.clicked.connect(self.close_wanted)
        self.next_button.clicked.connect(self.next_wanted)
        head, foot = row_layout(spacing=8), row_layout(spacing=8)
        head.addWidget(self.title, 1)
        head.addWidget(self.close_button)
        foot.addWidget(self.count, 1)
        foot.addWidget(self.next_button)
        column = column_layout(self, (TIP + 12, TIP + 6, TIP + 6, TIP + 8), 4)
        column.addLayout(head)
        column.addWidget(self.text)
        column.addLayout(foot)
        self.hide()

    def say(self, title: str, text: str, count: str, last: bool) -> None:
        """Show another hint.

        Args:
            title: What it is about.
            text: What to do.
            count: Which of how many it is.
            last: Whether none follows.
        """
        self.title.setText(title)
        self.text.setText(text)
        self.count.setText(count)
        self.next_button.set_label("Done" if last else "Next")
        self.setAccessibleName(f"Hint {count}: {title}")
        self.setAccessibleDescription(text)
        self.resize(self.sizeHint())

    @guarded
    def sizeHint(self) -> QSize:
        width = WIDTH + 2 * TIP
        layout = self.layout()
        return QSize(width, layout.totalHeightForWidth(width) if layout is not None else 0)

    def point_at(self, target: QRect | None, sides: tuple[str, ...], room: QRect) -> None:
        """Stand beside something, with the tip at it.

        Args:
            target: What is pointed at, in the window; None stands alone at the foot of the room.
            sides: On which sides of it the box may stand, the best one first; the first with room is taken.
            room: Where it may be.
        """
        size = self.sizeHint()
        self.resize(size)
        side, corner = "", QPoint(room.center().x() - size.width() // 2, room.bottom() - size.height() - EDGE)
        if target is not None:
            places = {each: self._corner(target, each, size) for each in sides}
            inside = [each for each in sides if self._fits(places[each], each, size, room)]
            side = inside[0] if inside else sides[0]
            corner = self._kept(places[side], size, room)
            middle = target.center() - corner
            at = middle.x() if side in (ABOVE, BELOW) else middle.y()
            most = (size.width() if side in (ABOVE, BELOW) else size.height()) - 2 * TIP - style.RADIUS
            at = min(max(at, 2 * TIP + style.RADIUS), most)
        else:
            at = 0
        if (side, at) != (self._side, self._at):
            self._side, self._at = side, float(at)
            self.update()
        if corner != self.pos():
            self.move(corner)

    @staticmethod
    def _corner(target: QRect, side: str, size: QSize) -> QPoint:
        """Return where the upper left corner is if the box stands on a side of the target."""
        x, y = target.center().x() - size.width() // 2, target.center().y() - size.height() // 2
        return {
            ABOVE: QPoint(x, target.top() - GAP - size.height()),
            BELOW: QPoint(x, target.bottom() + GAP),
            LEFT: QPoint(target.left() - GAP - size.width(), y),
            RIGHT: QPoint(target.right() + GAP, y),
        }[side]

    @staticmethod
    def _fits(corner: QPoint, side: str, size: QSize, room: QRect) -> bool:
        """Return whether the box is within the room without covering the target, after a shift along its side."""
        if side in (ABOVE, BELOW):
            return room.top() <= corner.y() and corner.y() + size.height() <= room.bottom() + 1
        return room.left() <= corner.x() and corner.x() + size.width() <= room.right() + 1

    @staticmethod
    def _kept(corner: QPoint, size: QSize, room: QRect) -> QPoint:
        x = max(min(corner.x(), room.right() + 1 - size.width()), room.left())
        return QPoint(x, max(min(corner.y(), room.bottom() + 1 - size.height()), room.top()))

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_wanted.emit()
        else:
            super().keyPressEvent(event)

    def _outline(self) -> QPainterPath:
        """Return the box and its tip as one line."""
        box = QRectF(self.rect()).adjusted(TIP + 0.5, TIP + 0.5, -TIP - 0.5, -TIP - 0.5)
        path = QPainterPath()
        path.addRoundedRect(box, style.RADIUS, style.RADIUS)
        if self._side:
            tip = QPainterPath()
            along = QPointF(1, 0) if self._side in (ABOVE, BELOW) else QPointF(0, 1)
            # The tip is on the side that the target is on, which is not the side of the target that the box is on.
            base, out = {
                ABOVE: (QPointF(self._at, box.bottom()), QPointF(0, 1)),
                BELOW: (QPointF(self._at, box.top()), QPointF(0, -1)),
                LEFT: (QPointF(box.right(), self._at), QPointF(1, 0)),
                RIGHT: (QPointF(box.left(), self._at), QPointF(-1, 0)),
            }[self._side]
            inside = base - out * 2.0
            tip.moveTo(inside - along * TIP)
            tip.lineTo(base + out * (TIP - 0.5))
            tip.lineTo(inside + along * TIP)
            tip.closeSubpath()
            path = path.united(tip)
        return path

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(style.color("accent"), 1.0))
        painter.setBrush(style.color("head"))
        painter.drawPath(self._outline())
        painter.end()
