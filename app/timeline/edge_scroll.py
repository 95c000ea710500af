"""What happens while a drag is held at an edge of the tracks: they scroll, and the drag goes on."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.timeline.time_scale import TimeScale
from app.widgets.frames.scroll import scroll_area_of

INNER = 12.0  # how far inside the edge scrolling begins, px: the edge may be that of the screen
OUTWARD = 4.0  # a drag that begins this close to the edge must first go outward by as much, px
SLOWEST, FASTER, FASTEST = 120.0, 16.0, 2400.0  # px a second: at the edge, more for each px beyond, at most
ROWS_SLOWEST, ROWS_FASTER, ROWS_FASTEST = 40.0, 6.0, 600.0
TICK_MS = 16
LONGEST = 0.05  # s: a tick that comes late scrolls no farther than one after so long


class EdgeScroll(QObject):
    """Scrolls the frames, and the rows where a drag goes across them, while the mouse is at an edge.

    The widget hands it presses and moves; at each tick the tracks move and the widget gets the last move once more, so
    that whatever is dragged follows.

    Args:
        widget: What is dragged on.
        scale: The frames.
        left: Where the tracks begin in the widget, [px].
        dragging: Whether there is a drag that the tracks follow.
        bounded: Whether they stop at the end of what there is, as for a box; keys may go farther.
        across: Whether the drag goes across rows, which then scroll up and down.

    Signals:
        scrolled(float): The tracks have moved to the right by so many px; the move that follows is yet to come.
    """

    scrolled = Signal(float)

    def __init__(
        self,
        widget: QWidget,
        scale: TimeScale,
        left: float,
        dragging: Callable[[], bool],
        bounded: Callable[[], bool] = lambda: False,
        across: Callable[[], bool] = lambda: False,
    ):
        super().__init__(widget)
        self._widget, self._scale, self._left = widget, scale, left
        self._dragging, self._bounded, self._across = dragging, bounded, across
        self._press = QPointF()
        self._place = QPointF()  # of the mouse on the screen
        self._modifiers = Qt.KeyboardModifier.NoModifier
        self._timer = QTimer(self, interval=TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._since = QElapsedTimer()
        self._before: tuple[float, float] | None = None  # what the tracks showed before they were scrolled

    @property
    def active(self) -> bool:
        """Whether the tracks are being scrolled."""
        return self._timer.isActive()

    def watch(self, event: QMouseEvent) -> None:
        """Take a press, move or release of the mouse."""
        kind = event.type()
        if kind == QEvent.Type.MouseMove and event.buttons() & Qt.MouseButton.LeftButton:
            self._place, self._modifiers = event.globalPosition(), event.modifiers()
            if not self._timer.isActive() and any(self._direction()):
                self._since.start()
                self._timer.start()
        elif kind != QEvent.Type.MouseMove:
            self._press, self._before = event.position(), None
            self._timer.stop()

    def give_back(self) -> None:
        """Show what was shown before the drag scrolled the tracks; it has been given up."""
        before, self._before = self._before, None
        self._timer.stop()
        if before is not None:
            self._scale.put_left(*before)

    def _tick(self) -> None:
        seconds = min(self._since.restart() / 1000.0, LONGEST)
        if not self.step(seconds):
            self._timer.stop()

    def step(self, seconds: float) -> bool:
        """Scroll as far as in some seconds, and let the drag follow; return whether the mouse is still at an edge."""
        along, up = self._direction()
        if not self._dragging() or not (along or up):
            return False
        moved = self._pan(along * seconds) if along else 0.0
        if self._scroll_rows(up * seconds) or moved:
            self.scrolled.emit(moved)
            place = QPointF(self._widget.mapFromGlobal(self._place))
            button = Qt.MouseButton
            event = QMouseEvent(
                QEvent.Type.MouseMove, place, self._place, button.NoButton, button.LeftButton, self._modifiers
            )
            QApplication.sendEvent(self._widget, event)
        return True

    def _direction(self) -> tuple[float, float]:
        """Return how fast frames and rows come, [px/s]: above 0 later frames and lower rows."""
        at, width = QPointF(self._widget.mapFromGlobal(self._place)), float(self._widget.width())
        first = min(self._left + INNER, max(self._press.x() - OUTWARD, self._left))
        last = max(width - INNER, min(self._press.x() + OUTWARD, width))
        along = _speed(at.x() - last, SLOWEST, FASTER, FASTEST) - _speed(first - at.x(), SLOWEST, FASTER, FASTEST)
        area = scroll_area_of(self._widget) if self._across() else None
        if area is None:
            return along, 0.0
        seen = area.viewport().mapFromGlobal(self._place).y()
        down = _speed(seen - area.viewport().height(), ROWS_SLOWEST, ROWS_FASTER, ROWS_FASTEST)
        return along, down - _speed(-seen, ROWS_SLOWEST, ROWS_FASTER, ROWS_FASTEST)

    def _pan(self, pixels: float) -> float:
        """Show frames that lie farther along, and return by how much the tracks moved to the right, [px]."""
        scale, before = self._scale, self._scale.left
        if pixels < 0.0:  # nothing is before frame 0
            pixels = -min(-pixels, max(before, 0.0) * scale.pixels)
        elif self._bounded():
            pixels = min(pixels, max((scale.extent()[1] - scale.visible()[1]) * scale.pixels + INNER, 0.0))
        if pixels:
            self._before = self._before or (before, scale.pixels)
            scale.pan(-pixels)
        return (before - scale.left) * scale.pixels

    def _scroll_rows(self, pixels: float) -> bool:
        area = scroll_area_of(self._widget) if pixels else None
        if area is None:
            return False
        bar = area.verticalScrollBar()
        before = bar.value()
        bar.setValue(before + (max(round(pixels), 1) if pixels > 0 else min(round(pixels), -1)))
        return bar.value() != before


def _speed(beyond: float, slowest: float, faster: float, fastest: float) -> float:
    """Return how fast the tracks scroll with the mouse some px beyond an edge; 0 inside."""
    return 0.0 if beyond <= 0.0 else min(slowest + faster * beyond, fastest)
