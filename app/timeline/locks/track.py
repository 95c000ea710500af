"""The tracks of locks under their header: a row for each part and kind, a trapezoid for each strip, and a keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPolygonF

from app.look import fonts, lock_glyphs, style
from app.look.theme import current_theme
from app.process.handler_guard import guarded
from app.timeline.locks import strip_item as item
from app.timeline.locks.board import LockBoard, LockRow
from app.timeline.locks.proposals import paint_proposal, proposal_drag
from app.timeline.locks.strip_drag import LockDrag, with_target_at
from app.timeline.locks.strip_menu import StripEdits, show_ground_menu, strip_menu
from app.timeline.strips import shape as shapes
from app.timeline.strips.drag import StripDrag
from app.timeline.strips.shape import GRIP, StripShape
from app.timeline.strips.track import BESIDE, LOW_ROW, NO_ROOM, StripKeys, StripPicture, StripTracks
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.frames.menu import pop_up
from app.widgets.rows.group_header import GroupHeader
from app.words.lock_words import kind_text, select_and_lock

if TYPE_CHECKING:
    from core.animation.locks.strip import LockStrip

LEGEND = "fill height = weight"
SWITCHED_OFF = "off between keys"


class LockHeader(GroupHeader):
    """The title of the locks' rows, with what their picture says; the playhead goes through it."""

    def __init__(self, board: LockBoard):
        super().__init__("Locks")
        self.board = board
        board.changed.connect(self._notify)
        board.model.changed.connect(self._notify)
        board.model.changed.connect(self.update)
        board.model.frame_changed.connect(self._notify)
        board.model.frame_changed.connect(self.update)
        self._notify()

    def _notify(self) -> None:
        count = len(list(self.board.strips()))
        flags = len(self.board.flags)
        words = [LEGEND] if count else []
        if not self.board.holding and count:
            words = [SWITCHED_OFF]
        if flags:
            words.insert(0, self.board.summary() or f"{flags} flagged")
        self.set_summary(" · ".join(words))

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        model = self.board.model
        x = NAMES_WIDTH + model.x(model.document.frame)
        painter = QPainter(self)
        painter.fillRect(QRectF(0, 0, self.width(), 1), style.color("line2"))
        if model.document.skeleton is not None and x >= NAMES_WIDTH:
            painter.fillRect(QRectF(round(x) - 1, 0, 2, self.height()), style.color("accent"))
        painter.end()


class LockKeys(StripKeys):
    """What is done with the selected lock, or with the selected key of its target."""

    move_text, retime_text = "Move lock", "Retime lock"
    board: LockBoard

    def __init__(self, tracks: LockTracks):
        super().__init__(tracks)
        self.edits = StripEdits(tracks.board)

    def copy(self) -> None:
        if self.strip is not None:
            self.edits.copy(self.strip)

    def paste(self, frame: int) -> None:
        self.edits.paste(frame)

    def remove(self) -> None:
        strip, chosen = self.strip, self.board.chosen
        assert strip is not None
        if chosen is not None and chosen[0] == strip.id:
            self.edits.remove_target(strip, chosen[1])
            return
        self.edits.remove(strip)

    def move(self, by: int) -> str:
        strip = self.strip
        assert strip is not None
        chosen = self.board.chosen_target(strip)
        if chosen is None:
            return super().move(by)
        changed = with_target_at(strip, chosen, strip.targets[chosen].frame + by)
        frame = changed.targets[chosen].frame
        if frame == strip.targets[chosen].frame:
            return NO_ROOM
        if not self.edits.put(changed, "Move lock target"):
            return ""
        self.board.choose((strip.id, frame))
        return f"{self.board.name_of(changed)}: target at frame {frame}"


GLYPH, NAME = 22.0, 38.0
"""Where glyphs and names stand, [px]."""


class LockPicture(StripPicture):
    """Rows, grid and strips of lock tracks."""

    board: LockBoard

    def __init__(self, tracks: LockTracks):
        super().__init__(tracks)
        self._broken: frozenset[str] = frozenset()

    def empty_text(self) -> str:
        return select_and_lock()

    def state(self) -> Any:
        self._broken = self.board.broken
        return self._broken

    def paint_strips(self, painter: QPainter, rows: list[tuple[int, Any]]) -> None:
        item.paint_zigzags(painter, [line for number, row in rows for line in self._paint_strips(painter, number, row)])

    def paint_row(self, painter: QPainter, number: int, row: LockRow) -> None:
        height, broken = self.tracks.row_height, self._broken
        selected = any(strip.id == self.board.selected for strip in row.strips)
        top = self.paint_ground(painter, number, selected)
        state = "conflict" if any(strip.id in broken for strip in row.strips) else ""
        middle = QPointF(GLYPH, top + height / 2)
        lock_glyphs.draw(painter, current_theme(), row.kind, middle, lock_glyphs.LIST, state=state, halo=False)
        words = [(row.part, fonts.font(), "accent" if selected else "text2")]
        if height > LOW_ROW:
            kind = kind_text(row.strips[0].lock, self.model.document.skeleton, short=True)
            words.append((kind, fonts.font(fonts.SECONDARY), "text3"))
        room, step = NAMES_WIDTH - NAME - 6, (height - 2 * (len(words) - 1)) / len(words)
        for line, (text, font, color) in enumerate(words):
            painter.setFont(font)
            painter.setPen(style.color(color))
            text = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, room)
            box = QRectF(NAME, top + len(words) - 1 + line * step, room, step)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_strips(self, painter: QPainter, number: int, row: LockRow) -> Iterator[QPolygonF]:
        """Paint the strips of a row; return the zigzags over them."""
        room, broken = self.room, self._broken
        board, hovered = self.board, self.tracks.hovered
        for strip in row.strips:
            shape = self.tracks.shape(strip, number)
            if shape.right < room.left() - GRIP or shape.left > room.right() + GRIP:
                continue
            proposal = board.proposals.get(strip.id)
            if proposal is not None:
                paint_proposal(painter, proposal, shape, strip.id == hovered, room)
                continue
            look = item.Look(
                state="conflict" if strip.id in broken else "",
                selected=strip.id == board.selected,
                hovered=strip.id == hovered,
                faint=not board.holding,
                chosen=board.chosen_target(strip),
            )
            item.paint_strip(painter, board.shown(strip), shape, look, self.model.document.skeleton, room)
            yield from self._zigzags(strip, shape, room)

    def _zigzags(self, strip: LockStrip, shape: StripShape, room: QRectF) -> Iterator[QPolygonF]:
        for flag in self.board.flags_of(strip):
            ends = (self.tracks.track_x(frame) for frame in (flag.first, flag.last))
            left, right = (min(max(x, shape.left), shape.right) for x in ends)
            if right >= room.left() and left <= room.right():
                yield item.zigzag(max(left, room.left() - 20.0), min(right, room.right() + 20.0), shape.top - 1.0)


class LockTracks(StripTracks):
    """Lock strips by row; drag their ends, shoulders, upper edge, or all of them."""

    board: LockBoard

    def __init__(self, board: LockBoard):
        super().__init__(board)
        self.picture = LockPicture(self)
        self.keys = LockKeys(self)
        self.setAccessibleName("Locks")
        self._fit_height()

    @property
    def dragging(self) -> bool:
        weighs = self.drag is not None and self.drag.part == shapes.WEIGHT  # which goes up and down alone
        return not weighs and super().dragging

    def shape(self, strip: LockStrip, row: int) -> shapes.StripShape:
        inset = 2.0 if self.row_height == LOW_ROW else 4.0
        top, height = row * self.row_height + inset, self.row_height - 2 * inset
        shown = self.board.shown(strip)
        targets = [key.frame for key in shown.targets]
        return shapes.shape_of(shown, self.track_x, top, height, self.width(), item.weight_of(shown), targets)

    def clicked_name(self, position: QPointF, modifiers: Qt.KeyboardModifier, twice: bool = False) -> None:
        row = self.row_at(position.y())
        if row is None:
            return
        if row.joint is not None:
            self.model.document.selection.set((row.joint,))
        frame = self.model.document.frame
        here = next((strip for strip in row.strips if strip.covers(frame)), row.strips[0])
        if here.id not in self.board.proposals:
            self.board.select(here.id)

    # -- mouse ----------------------------------------------------------------------------------------------------

    def make_drag(self, strip: LockStrip, part: str | int, press: QPointF) -> StripDrag:
        proposal = self.board.proposals.get(strip.id)
        if proposal is not None:
            return proposal_drag(self.board, proposal, part, press)
        return LockDrag(self.board, strip, part, press)

    def pressed_strip(self, strip: LockStrip, part: str | int, modifiers: Qt.KeyboardModifier) -> None:
        if strip.id in self.board.proposals:
            return
        super().pressed_strip(strip, part, modifiers)
        self.board.choose((strip.id, strip.targets[part].frame) if isinstance(part, int) else None)

    def clicked_strip(self, strip: LockStrip, part: str | int, modifiers: Qt.KeyboardModifier) -> None:
        proposal = self.board.proposals.get(strip.id)
        if proposal is not None:
            self.board.put_proposal(replace(proposal, accepted=not proposal.accepted))
        elif isinstance(part, int):
            self.model.document.set_frame(strip.targets[part].frame)

    def hover_changed(self, strip_id: str | None) -> None:
        self.model.document.session.locks.hovered = strip_id

    @property
    def hovered(self) -> str | None:
        """Id of the strip under the mouse, here or in another part of the window."""
        return super().hovered or self.model.document.session.locks.hovered

    def show_strip_menu(self, at: QPoint, strip: LockStrip, frame: int, target: int | None) -> None:
        if strip.id not in self.board.proposals:
            pop_up(strip_menu(self, self.board, strip, frame, self.opened.emit, target), at)

    def show_ground_menu(self, at: QPoint, row: int | None, frame: int) -> None:
        if row is not None:
            show_ground_menu(self, at, self.board, frame)

    # -- words ----------------------------------------------------------------------------------------------------

    def tip(self, position: QPointF) -> str:
        if self.drag is not None:
            return ""
        found = self.grabbed(position)
        if found is None:
            row = self.row_at(position.y()) if position.x() < NAMES_WIDTH else None
            if row is None:
                return ""
            return f"{row.part}, {kind_text(row.strips[0].lock, self.model.document.skeleton).lower()}"
        strip, part = found
        name = self.board.name_of(strip)
        if strip.id in self.board.proposals:
            does = "leave it out" if self.board.proposals[strip.id].accepted else "take it"
            return f"{name}\n{self.board.span_of(strip)}\nClick to {does}; drag its ends"
        if isinstance(part, int):
            return f"Target of {name}\nkeyed at frame {strip.targets[part].frame}"
        _, weight = item.strip_text(strip, self.model.document.skeleton)
        lines = [f"{name}, weight {weight}", self.board.span_of(strip)]
        frame = self.model.left + (position.x() - NAMES_WIDTH - self.model.x(self.model.left)) / self.model.pixels
        reach = BESIDE / self.model.pixels
        flags = self.board.flags_of(strip)
        lines += [self.board.flag_text(flag) for flag in flags if flag.first - reach <= frame <= flag.last + reach]
        return "\n".join(lines)
