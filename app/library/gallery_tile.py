"""One thing to begin with in the gallery: its picture, its name and a line about it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.library.cache import Icon
from app.library.gallery_items import FIGURES, KNOWN, Item
from app.library.icons import LibraryIcons, to_middle
from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import ThemedMixin, draw_focus_ring, fill_round
from app.widgets.behaviour.own_keys import OwnKeysMixin, is_plain

PICTURE = (148, 104)
SIZE = QSize(PICTURE[0], PICTURE[1] + 42)
_STEPS = {
    Qt.Key.Key_Left: "left",
    Qt.Key.Key_Right: "right",
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
    Qt.Key.Key_Home: "first",
    Qt.Key.Key_End: "last",
}
_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class GalleryTile(OwnKeysMixin, ThemedMixin, QAbstractButton):
    """A picture that a click or Enter opens.

    Args:
        item: What it stands for.
        pictures: Where its picture comes from.
        parent: Parent widget.

    Signals:
        stepped(str): An arrow key: ``"left"``, ``"right"``, ``"up"``, ``"down"``, ``"first"`` or ``"last"``.
    """

    stepped = Signal(str)

    def __init__(self, item: Item, pictures: LibraryIcons, parent: QWidget | None = None):
        super().__init__(parent)
        self.item = item
        self._pictures = pictures
        self._first = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.resize(SIZE)
        self.describe()

    @guarded
    def sizeHint(self) -> QSize:
        return SIZE

    @property
    def icon_shown(self) -> Icon | None:
        """Its picture as far as it is there; to ask for it lets it be drawn."""
        return self._pictures.icon(self.item.entry, self.devicePixelRatioF()) if self.item.drawn else None

    @property
    def line(self) -> str:
        """The line under the name."""
        if self.item.line:
            return self.item.line
        icon = self.icon_shown if self.isVisible() else None
        if icon is None or icon.about is None or self.item.section == FIGURES:
            return ""
        figure = KNOWN[icon.about.figure][0] if icon.about.figure in KNOWN else icon.about.figure.capitalize()
        return f"{figure}, {icon.about.frames} frames"

    def describe(self) -> None:
        """Say what it is, to assistive tools and in the tip."""
        line = self.line
        self.setAccessibleName(f"{self.item.title}, {line}" if line else self.item.title)
        self.setAccessibleDescription(self.item.section)
        self.setToolTip(str(self.item.entry.path))

    def set_first(self, first: bool) -> None:
        """Mark it as what Enter in the search field opens, or no longer."""
        if first != self._first:
            self._first = first
            self.update()

    def picture_came(self) -> None:
        """Take note that the picture is there."""
        self.describe()
        self.update()

    # -- painting ----------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box, icon = QRectF(0.0, 0.0, self.width(), PICTURE[1]), self.icon_shown
        awake = self.underMouse() or self.focus_ring
        edge = "accent" if self._first else "text3" if awake else "line"
        fill_round(painter, box, style.color("input"), style.color(edge))
        about = None if icon is None else icon.about
        picture = icon.pictures[about.still] if icon is not None and about is not None and icon.pictures else None
        if picture is not None:
            ratio = picture.devicePixelRatio()
            left = round(0.5 * (self.width() - PICTURE[0]) * ratio) + to_middle(picture)
            painter.drawImage(QPointF(left / ratio, 0.0), picture)  # pixel on pixel: in between it would be ragged
        elif icon is not None or not self.item.drawn:
            broken = icon is not None and bool(icon.problem)
            place = QRectF(box.center().x() - 14.0, box.center().y() - 14.0, 28.0, 28.0)
            icons.paint(painter, "warn" if broken else "silhouette", style.color("warn" if broken else "line2"), place)
        self._paint_text(painter)
        if self._first:
            self._paint_enter(painter, box)
        if self.focus_ring:
            draw_focus_ring(painter, box)
        painter.end()

    def _paint_text(self, painter: QPainter) -> None:
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        for text, font, token, top in (
            (self.item.title, fonts.font(fonts.BODY, fonts.SEMIBOLD), "text", 4.0),
            (self.line, fonts.font(fonts.SECONDARY), "text2", 21.0),
        ):
            row = QRectF(0.0, PICTURE[1] + top, self.width() - 2.0, 17.0)
            painter.setFont(font)
            painter.setPen(style.color(token))
            shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, row.width() + 1.0)
            painter.drawText(row, left, shown)

    def _paint_enter(self, painter: QPainter, box: QRectF) -> None:
        """Draw the key that opens it in the picture's corner."""
        font, text = fonts.font(fonts.SECONDARY, fonts.MEDIUM), "Enter"
        width = QFontMetricsF(font).horizontalAdvance(text) + 12.0
        key = QRectF(box.right() - width - 6.0, box.bottom() - 24.0, width, 18.0)
        fill_round(painter, key, style.color("head"), style.color("accent"), 3.0)
        painter.setFont(font)
        painter.setPen(style.color("text"))
        painter.drawText(key, Qt.AlignmentFlag.AlignCenter, text)

    # -- keyboard ----------------------------------------------------------------------------------------------------

    def takes(self, event: QKeyEvent) -> bool:
        return is_plain(event) and event.key() in (*_STEPS, *_OPENING)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if not self.takes(event):
            event.ignore()
        elif key in _OPENING:
            self.click()
        else:
            self.stepped.emit(_STEPS[Qt.Key(key)])
