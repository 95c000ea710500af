"""A sequence of the library as an icon: one key pose, and all of them like a flip-book under the pointer or focus."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QCursor,
    QEnterEvent,
    QFocusEvent,
    QFontMetricsF,
    QHideEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
)
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QSizePolicy

from app.document.library_edits import MOTION, POSE, kind_of_keys
from app.library.cache import Icon
from app.library.icons import HEIGHT, WIDTH, LibraryIcons, to_middle
from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import ThemedMixin, draw_focus_ring, fill_round
from app.widgets.behaviour.own_keys import OwnKeysMixin, is_plain
from app.words.counts import count
from core.formats.library import Entry

POSES_PER_SECOND = 6
TEXT_HEIGHT = 18
GHOSTS = ((2, 0.22), (1, 0.42))  # how many poses back, and how much of them is seen
STRIP = 4  # poses of the static strip
_STEPS = {
    Qt.Key.Key_Left: "left",
    Qt.Key.Key_Right: "right",
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
    Qt.Key.Key_Home: "first",
    Qt.Key.Key_End: "last",
}
_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class LibraryTile(OwnKeysMixin, ThemedMixin, QAbstractButton):
    """One sequence; 66 x 62 px of picture over its name and number of frames.

    Args:
        entry: The sequence.
        icons_: Where its pictures come from.

    Signals:
        opened(Entry), removed(Entry): Enter or a double click, and Del.
        stepped(str): An arrow key: ``"left"``, ``"right"``, ``"up"``, ``"down"``, ``"first"`` or ``"last"``.
        menu_wanted(Entry, QPoint): A right click, at a global position.
        dragged(Entry): It is being pulled away.
        entered(Entry, bool): Pointer or focus came or went.
    """

    opened = Signal(object)
    removed = Signal(object)
    stepped = Signal(str)
    menu_wanted = Signal(object, object)
    dragged = Signal(object)
    entered = Signal(object, bool)

    def __init__(self, entry: Entry, icons_: LibraryIcons):
        super().__init__()
        self.entry = entry
        self._icons = icons_
        self._loaded = False
        self._reduced = False
        self._pressed_at: QPoint | None = None
        self._kept: QPixmap | None = None  # how it looks while nothing moves: scrolling paints many at once
        self.number = -1
        """Which pose is shown while it flips, else -1."""
        self._clock = QTimer(self)
        self._clock.setInterval(round(1000 / POSES_PER_SECOND))
        self._clock.timeout.connect(self._turn)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.describe()

    # -- what it shows -----------------------------------------------------------------------------------------------

    def show_entry(self, entry: Entry) -> None:
        """Show what became of the sequence: its file has changed."""
        if entry != self.entry:
            self.entry = entry
            self._kept = None
            self.describe()
            self.update()

    def set_loaded(self, loaded: bool) -> None:
        """Light it: this is the sequence that is being edited."""
        if loaded != self._loaded:
            self._loaded = loaded
            self._kept = None
            self.describe()
            self.update()

    @property
    def loaded(self) -> bool:
        """Whether it is lit."""
        return self._loaded

    def set_reduced_motion(self, reduced: bool) -> None:
        """Show a static strip of poses in place of the flip-book."""
        if reduced != self._reduced:
            self._reduced = reduced
            self._stop()
            self.update()

    def picture(self) -> Icon | None:
        """Return the icon as far as it is there."""
        return self._icons.icon(self.entry, self.devicePixelRatioF())

    def describe(self) -> None:
        """Tell assistive tools and the tooltip what is known by now."""
        entry, icon = self.entry, self.picture() if self.isVisible() else None
        words, does = [entry.title], "; double-click opens it"
        if icon is not None and icon.problem:
            words.append("cannot be read")
            tip, does = icon.problem, ""
        elif icon is not None and icon.about is not None:
            about = icon.about
            kind = kind_of_keys(about.keys)
            if kind == MOTION:
                words.append(f"{count(about.frames, 'frame')}, {count(about.keys, 'key')}, {about.figure}")
            else:
                words.append(f"pose of {about.figure}" if kind == POSE else f"the figure {about.figure}")
                does = "; double-click applies it" if kind == POSE else "; double-click puts it beside the others"
            tip = f"{entry.title}: {words[-1]}"
        else:
            tip = entry.title
        if self._loaded:
            words.append("open")
        self.setAccessibleName(", ".join(words))
        whose = "Yours" if entry.own else "In a shared folder" if entry.shared else "Comes with the program"
        self.setToolTip(f"{tip}\n{whose}{does}")

    def icon_came(self) -> None:
        """Take note that more of the icon is there."""
        self._kept = None
        self.describe()
        if (self.underMouse() or self.focus_ring) and not self._clock.isActive():
            self.flip()
        self.update()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(WIDTH, HEIGHT + TEXT_HEIGHT)

    @guarded
    def nextCheckState(self) -> None:
        """A click chooses nothing; the focus says where one is."""

    # -- flipping ----------------------------------------------------------------------------------------------------

    @property
    def flipping(self) -> bool:
        """Whether it flips through its poses."""
        return self.number >= 0

    def flip(self) -> None:
        """Show its key poses one after the other, from the beginning."""
        icon = self.picture()
        if self._reduced or icon is None or len(icon.pictures) < 2 or not self.isVisible():
            self.update()
            return
        self.number = 0
        self._clock.start()
        self.update()

    def _stop(self) -> None:
        self._clock.stop()
        self.number = -1
        self.update()

    def _turn(self) -> None:
        icon = self.picture()
        if icon is None or not icon.pictures:
            self._stop()
            return
        self.number = (self.number + 1) % len(icon.pictures)
        self.update()

    # -- painting ----------------------------------------------------------------------------------------------------

    def theme_changed(self) -> None:
        self._kept = None

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        awake, ratio = self.underMouse() or self.focus_ring, self.devicePixelRatioF()
        if awake or self.flipping:
            self._paint(painter, self.picture(), awake)
        else:
            if self._kept is None or self._kept.devicePixelRatio() != ratio:
                self._keep(ratio)
            if self._kept is not None:
                painter.drawPixmap(0, 0, self._kept)
        painter.end()

    def _keep(self, ratio: float) -> None:
        """Keep how it looks while nothing moves."""
        kept = QPixmap(math.ceil(self.width() * ratio), math.ceil(self.height() * ratio))
        kept.setDevicePixelRatio(ratio)
        kept.fill(Qt.GlobalColor.transparent)
        painter = QPainter(kept)
        self._paint(painter, self.picture(), False)
        painter.end()
        self._kept = kept

    def _paint(self, painter: QPainter, icon: Icon | None, awake: bool) -> None:
        box = QRectF(0, 0, WIDTH, HEIGHT)
        fill = style.color("acc_bg" if self._loaded else "input")
        line = style.color("accent") if self._loaded else style.color("line2") if awake else None
        fill_round(painter, box, fill, line)
        if icon is not None and icon.problem:
            self._paint_sign(painter, "warn", "warn")
        elif icon is None or not icon.pictures:
            if icon is not None:
                self._paint_sign(painter, "skeleton", "line2")
        elif self._reduced and awake:
            self._paint_strip(painter, icon)
        else:
            self._paint_pose(painter, icon)
        self._paint_text(painter, icon)
        if self.focus_ring:
            draw_focus_ring(painter, box)

    def _paint_sign(self, painter: QPainter, name: str, token: str) -> None:
        icons.paint(painter, name, style.color(token), QRectF(0.5 * WIDTH - 11, 0.5 * HEIGHT - 11, 22, 22))

    def _paint_pose(self, painter: QPainter, icon: Icon) -> None:
        assert icon.about is not None
        pictures, number = icon.pictures, self.number
        if number < 0:
            still = pictures[icon.about.still]
            if still is not None:  # where it stands on its way says nothing yet
                painter.drawImage(QPointF(to_middle(still) / still.devicePixelRatio(), 0), still)
            return
        number %= len(pictures)
        for back, seen in GHOSTS:
            if number >= back:
                painter.setOpacity(seen)
                _draw(painter, pictures[number - back])
        painter.setOpacity(1.0)
        _draw(painter, pictures[number])
        icons.paint(painter, "play", style.color("accent"), QRectF(4, 4, 10, 10))
        track = QRectF(5, HEIGHT - 6, WIDTH - 10, 2)
        fill_round(painter, track, style.color("line2"), radius=1.0)
        share = (number + 1) / len(pictures)
        done = QRectF(track.left(), track.top(), max(track.width() * share, 2.0), 2)
        fill_round(painter, done, style.color("accent"), radius=1.0)

    def _paint_strip(self, painter: QPainter, icon: Icon) -> None:
        """Paint some poses beside each other, smaller."""
        count = min(STRIP, len(icon.pictures))
        wide = (WIDTH - 4) / count
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        for place in range(count):
            picture = icon.pictures[round(place * (len(icon.pictures) - 1) / max(count - 1, 1))]
            if picture is None:
                continue
            slot = QRectF(2 + place * wide, 2, wide, HEIGHT - 4)
            high = min(HEIGHT - 4.0, 3.0 * wide)
            shown = QRectF(0, 0, high * WIDTH / HEIGHT, high)
            shown.moveCenter(slot.center())
            painter.drawImage(shown, picture)

    def _paint_text(self, painter: QPainter, icon: Icon | None) -> None:
        box = QRectF(1, HEIGHT + 1, WIDTH - 2, TEXT_HEIGHT - 1)
        painter.setFont(fonts.font(fonts.SECONDARY, tabular=True))
        number = ""
        if icon is not None and icon.about is not None:
            lasts = kind_of_keys(icon.about.keys) == MOTION  # a pose or a prop lasts no time
            number = str(icon.about.frames) if lasts else ""
        wide = QFontMetricsF(painter.font()).horizontalAdvance(number)
        small = fonts.font(fonts.SECONDARY, fonts.SEMIBOLD if self._loaded else fonts.REGULAR)
        metrics = QFontMetricsF(small)
        title = metrics.horizontalAdvance(self.entry.title)
        if title + wide + 4 > box.width():
            number, wide = "", 0.0  # the name matters more; the tooltip has both
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(style.color("text3"))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | middle, number)
        room = box.width() - (wide + 4 if number else 0)
        broken = icon is not None and bool(icon.problem)
        painter.setFont(small)
        painter.setPen(style.color("text" if self._loaded else "text3" if broken else "text2"))
        shown = metrics.elidedText(self.entry.title, Qt.TextElideMode.ElideRight, room + 1.0)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | middle, shown)

    # -- input -------------------------------------------------------------------------------------------------------

    @guarded
    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.flip()
        self.entered.emit(self.entry, True)

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if not self.focus_ring:
            self._stop()
        self.entered.emit(self.entry, False)

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._stop()

    @guarded
    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.focus_ring:
            self.flip()
            self.entered.emit(self.entry, True)

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if not self.underMouse():
            self._stop()
            self.entered.emit(self.entry, False)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed_at = event.position().toPoint()
            self.setFocus(Qt.FocusReason.MouseFocusReason)
        elif event.button() != Qt.MouseButton.RightButton:
            event.ignore()

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        start = self._pressed_at
        if start is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        if (event.position().toPoint() - start).manhattanLength() >= QApplication.startDragDistance():
            self._pressed_at = None
            self.dragged.emit(self.entry)

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pressed_at = None
        event.accept()

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed_at = None
            self.opened.emit(self.entry)

    def takes(self, event: QKeyEvent) -> bool:
        return is_plain(event) and event.key() in (*_STEPS, *_OPENING, Qt.Key.Key_Delete)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Space:
            self.flip()
        elif not self.takes(event):
            event.ignore()
        elif key in _STEPS:
            self.stepped.emit(_STEPS[key])
        elif key in _OPENING:
            self.opened.emit(self.entry)
        else:
            self.removed.emit(self.entry)

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        at = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            at = self.mapToGlobal(QPoint(WIDTH // 2, HEIGHT // 2))
        self.menu_wanted.emit(self.entry, at)
        menu = QApplication.activePopupWidget()
        if isinstance(menu, QMenu):
            menu.aboutToHide.connect(self._look_for_pointer)

    def _look_for_pointer(self) -> None:
        """Rest if the pointer has gone elsewhere: while a menu is open nobody tells that it left."""
        if not self.rect().contains(self.mapFromGlobal(QCursor.pos())):
            QApplication.sendEvent(self, QEvent(QEvent.Type.Leave))


def _draw(painter: QPainter, picture: QImage | None) -> None:
    if picture is not None:
        painter.drawImage(QPointF(0, 0), picture)
