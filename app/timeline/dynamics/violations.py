"""Implausible stretches of the keyed motion: the search beside the window, and the band that shows and repairs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QMenu, QSizePolicy

from app.document.changes import (
    Change,
    FigureChanged,
    KeysChanged,
    LayersChanged,
    LocksChanged,
    PhysicsChanged,
    SequenceChanged,
    SessionChanged,
)
from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.timeline.canvas import TimelineCanvas
from app.timeline.model import TimelineModel
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.behaviour.base import draw_focus_ring, fill_round
from app.widgets.frames.menu import add_action, pop_up
from app.work.background import Progress
from app.work.calm_search import CalmSearch

if TYPE_CHECKING:
    from app.document.document import Document
    from core.animation.sequence import Sequence
    from core.preview.plausibility.violation import Violation

SEARCH_AGAIN = (FigureChanged, SequenceChanged, KeysChanged, LayersChanged, LocksChanged)
ANOTHER = ("all", "active")
"""Names of changes after which another motion is open: nothing that was found holds for it."""
WORDS = {
    "parabola": "off parabola",
    "momentum": "momentum jumps",
    "pull": "ground pulls",
    "friction": "would slip",
    "balance": "off balance",
}
"""What a stretch is called, by its kind."""


MOST_FRAMES = 20_000
"""Longer motions are not searched: that would take minutes, and a gigabyte."""


class ViolationSearch(CalmSearch["tuple[Violation, ...]"]):
    """Searches the active sequence; while the tab is not open and there is no physics mode it rests.

    While it rests, an edit makes it forget what it found: nobody would look again.

    Attributes:
        found: What was found last, by first frame.

    Signals:
        changed(): Something else was found.
    """

    changed = Signal()

    def __init__(self, document: Document, parent: QObject | None = None):
        super().__init__(document, parent, "Looking for implausible motion")
        self.found: tuple[Violation, ...] = ()
        self._open = False
        self._stale = True
        document.changed.connect(self._take)

    def set_open(self, is_open: bool) -> None:
        """Tell whether the tab is open that shows what is found."""
        self._open = is_open
        self._search()

    @property
    def watching(self) -> bool:
        """Whether anybody wants to know."""
        return self._open or self.document.session.mode == "physics"

    def with_span(self, violation: Violation) -> tuple[Violation, ...]:
        """Return all that is wrong over the frames of one stretch, what cannot be first, the largest first."""
        span = (violation.first, violation.last)
        same = [each for each in self.found if (each.first, each.last) == span]
        return tuple(sorted(same, key=lambda each: (each.hint, -each.amount)))

    @property
    def spans(self) -> tuple[Violation, ...]:
        """The first of ``with_span`` for each stretch of frames, by first frame."""
        firsts = {(each.first, each.last): self.with_span(each)[0] for each in self.found}
        return tuple(firsts.values())

    def summary(self) -> str:
        """Return how many stretches there are: ``"2 implausible spans"``; "" for none."""
        count = len([each for each in self.spans if not each.hint])
        return f"{count} implausible span{'s' * (count != 1)}" if count else ""

    def wanted(self, sequence: Sequence) -> bool:
        first, last = sequence.range
        return last - first <= MOST_FRAMES

    def work(self, sequence: Sequence) -> Callable[[Progress], tuple[Violation, ...]]:
        settings = self.document.physics.settings.simulated
        world, friction = settings.world, settings.friction

        def search(progress: Progress) -> tuple[Violation, ...]:
            from core.preview.plausibility.find import find_violations

            return find_violations(sequence, world, friction=friction, progress=progress)

        return search

    def show(self, found: tuple[Violation, ...] | None) -> None:
        self._stale = False
        if (found or ()) != self.found:
            self.found = found or ()
            self.changed.emit()

    def _take(self, change: Change) -> None:
        name = change.name
        if isinstance(change, SessionChanged) and name == "mode":
            self._search()
        elif isinstance(change, SEARCH_AGAIN) or (isinstance(change, PhysicsChanged) and name == "settings"):
            self._stale = True
            if not self.watching or (isinstance(change, (FigureChanged, SequenceChanged)) and name in ANOTHER):
                self._forget()
            self._search()

    def _forget(self) -> None:
        """Drop what was found and what is being looked for: it is about a motion that is no more."""
        self.cancel()
        if self.found:
            self.found = ()
            self.changed.emit()

    def _search(self) -> None:
        if self._stale and self.watching:
            self.wish()


HEIGHT = 20
LEAST = 10.0
"""Least width of a flag, [px]."""
FIX = "Fix: ballistic"
_LEAST_LETTERS = 7  # of a name that is cut; fewer say nothing, the tip does
_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class ViolationBand(TimelineCanvas):
    """Flags over implausible stretches; hidden while there are none. A click on one that can be repaired offers that.

    Args:
        model: The shared scale.
        search: What was found.
    """

    def __init__(self, model: TimelineModel, search: ViolationSearch):
        super().__init__(model)
        self.search = search
        self._chosen: Violation | None = None
        self._hover: Violation | None = None
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Implausible spans")
        search.changed.connect(self._take)
        self._take()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    def _take(self) -> None:
        if self._chosen not in self.search.spans:
            self._chosen = None
        self._hover = None
        self.setHidden(not self.search.found)
        self._describe()
        self.update()

    def _describe(self) -> None:
        chosen = self._chosen
        text = self.search.summary() if chosen is None else self.text_of(chosen).replace("\n", ", ")
        self.setAccessibleDescription(text)

    # -- what lies where ------------------------------------------------------------------------------------------

    def box_of(self, violation: Violation) -> QRectF:
        """Return where a flag is."""
        left, right = self.track_x(violation.first), self.track_x(violation.last)
        more = max(LEAST - (right - left), 0.0) / 2.0
        return QRectF(left - more, 2.0, right - left + 2.0 * more, HEIGHT - 4.0)

    def at(self, position: QPointF) -> Violation | None:
        """Return the flag at a point; of several the shortest."""
        if position.x() < NAMES_WIDTH:
            return None
        under = [each for each in self.search.spans if self.box_of(each).adjusted(-2, -2, 2, 2).contains(position)]
        return min(under, key=lambda each: each.last - each.first, default=None)

    def text_of(self, violation: Violation) -> str:
        """Return what a flag says, in lines: all that is wrong over its frames."""
        one = violation.first == violation.last
        frames = f"Frame {violation.first}" if one else f"Frames {violation.first} to {violation.last}"
        texts = "\n".join(each.text for each in self.search.with_span(violation)) or violation.text
        return f"{texts}\n{frames}" + ("\nClick to fit it to a parabola" if violation.fixable else "")

    def words(self, violation: Violation) -> str:
        """Return what a flag is called: ``"off parabola, momentum jumps"``."""
        return ", ".join(dict.fromkeys(WORDS[each.kind] for each in self.search.with_span(violation) or (violation,)))

    def tip(self, position: QPointF) -> str:
        if position.x() < NAMES_WIDTH:
            return "Where no forces could make the figure move as its keys do"
        violation = self.at(position)
        return "" if violation is None else self.text_of(violation)

    def key_under(self, position: QPointF) -> int | None:
        return None

    # -- mouse and keyboard ----------------------------------------------------------------------------------------

    def menu_of(self, violation: Violation) -> QMenu:
        """Return what can be done about a stretch."""
        menu = QMenu(self)
        title = menu.addAction(f"{self.words(violation).capitalize()}, frames {violation.first} to {violation.last}")
        title.setEnabled(False)
        menu.addSeparator()
        document = self.model.document
        add_action(menu, FIX, lambda: document.flights.repair(violation), violation.fixable)
        add_action(menu, f"Go to frame {violation.first}", lambda: document.set_frame(violation.first))
        return menu

    def _open(self, violation: Violation, place: QPoint) -> None:
        self._choose(violation)
        pop_up(self.menu_of(violation), place)

    def _choose(self, violation: Violation | None) -> None:
        self._chosen = violation
        self._describe()
        self.update()

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        violation = self.at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and violation is not None:
            self._open(violation, event.globalPosition().toPoint())
        else:
            self._choose(None)
            super().mousePressEvent(event)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hover = self.at(event.position())
        if hover != self._hover:
            self._hover = hover
            self.update()
        super().mouseMoveEvent(event)

    def show_cursor(self, position: QPointF) -> None:
        found = self.at(position) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if found else Qt.CursorShape.ArrowCursor)

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        keyboard = event.reason() == QContextMenuEvent.Reason.Keyboard
        violation = self._chosen if keyboard else self.at(QPointF(event.pos()))
        if violation is not None:
            place = self.mapToGlobal(self.box_of(violation).center().toPoint()) if keyboard else event.globalPos()
            self._open(violation, place)

    def takes(self, event: QKeyEvent) -> bool:
        return self._chosen is not None and event.key() in _OPENING

    @guarded
    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab goes from flag to flag, as in the tracks from strip to strip."""
        found = self.search.spans
        at = found.index(self._chosen) if self._chosen in found else None
        to = (0 if forward else len(found) - 1) if at is None else at + (1 if forward else -1)
        if not 0 <= to < len(found):
            return bool(super().focusNextPrevChild(forward))
        self._choose(found[to])
        self.model.reveal(found[to].first)
        return True

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return opens the menu of a flag."""
        if self._chosen is None or event.key() not in _OPENING:
            super().keyPressEvent(event)
        else:
            self._open(self._chosen, self.mapToGlobal(self.box_of(self._chosen).center().toPoint()))

    # -- painting -------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw_names_ground(painter, "panel", "panel")
        icons.paint(painter, "warn", style.color("warn"), QRectF(20, (HEIGHT - 13) / 2, 13, 13))
        painter.setFont(fonts.font())
        painter.setPen(style.color("text2"))
        painter.drawText(QRectF(38, 0, NAMES_WIDTH - 42, HEIGHT), Qt.AlignmentFlag.AlignVCenter, "Implausible")
        self.clip_tracks(painter)
        self.draw_grid(painter, HEIGHT)
        for violation in self.search.spans:
            self._paint_flag(painter, violation)
        self._paint_elsewhere(painter)
        self.draw_playhead(painter)
        painter.setClipping(False)
        painter.fillRect(QRectF(0, HEIGHT - 1, self.width(), 1), style.color("line"))
        if self.focus_ring:
            draw_focus_ring(painter, QRectF(self.rect()))
        painter.end()

    def elsewhere(self) -> str:
        """Return where the nearest flag is while none is in sight: ``"frames 34 to 36 ›"``; "" else."""
        room = QRectF(NAMES_WIDTH, 0.0, self.width() - NAMES_WIDTH, HEIGHT)
        spans = self.search.spans
        if not spans or any(self.box_of(each).intersects(room) for each in spans):
            return ""
        before = [each for each in spans if self.box_of(each).right() <= room.left()]
        if before:
            return f"‹ frames {before[-1].first} to {before[-1].last}"
        return f"frames {spans[0].first} to {spans[0].last} ›"

    def _paint_elsewhere(self, painter: QPainter) -> None:
        text = self.elsewhere()
        if text:
            painter.setFont(fonts.font(fonts.SECONDARY))
            painter.setPen(style.color("warn"))
            side = Qt.AlignmentFlag.AlignLeft if text.startswith("‹") else Qt.AlignmentFlag.AlignRight
            box = QRectF(NAMES_WIDTH + 8, 0, self.width() - NAMES_WIDTH - 18, HEIGHT)
            painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_flag(self, painter: QPainter, violation: Violation) -> None:
        box = self.box_of(violation)
        if box.right() < NAMES_WIDTH or box.left() > self.width():
            return
        chosen, hovered = violation == self._chosen, violation == self._hover
        edge = "accent" if chosen else "text" if hovered else "warn"
        fill_round(painter, box, style.mix("panel", "warn", 0.08 if violation.hint else 0.22), style.color(edge), 3.0)
        if violation.hint:  # what only may be wrong has a broken edge
            painter.setPen(QPen(style.color("panel"), 1.0, Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3.0, 3.0)
        font = fonts.font(fonts.SECONDARY, fonts.MEDIUM)
        left = max(box.left(), NAMES_WIDTH) + 6.0
        room = min(box.right(), self.width()) - 5.0 - left
        text = QFontMetricsF(font).elidedText(self.words(violation), Qt.TextElideMode.ElideRight, max(room, 0.0))
        if room > 24.0 and (text == self.words(violation) or len(text) >= _LEAST_LETTERS):
            painter.setFont(font)
            painter.setPen(style.color("text"))
            painter.drawText(QRectF(left, box.top(), room, box.height()), Qt.AlignmentFlag.AlignVCenter, text)
