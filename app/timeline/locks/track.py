"""The tracks of locks: a row for each part and kind, a trapezoid for each strip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, Qt

from app.timeline.locks import strip_item as item
from app.timeline.locks.board import LockBoard
from app.timeline.locks.keyboard import LockKeys
from app.timeline.locks.picture import LockPicture
from app.timeline.locks.strip_drag import LockDrag
from app.timeline.locks.strip_menu import show_ground_menu, show_strip_menu
from app.timeline.model import NAMES_WIDTH
from app.timeline.strips import shape as shapes
from app.timeline.strips.picture import LOW_ROW
from app.timeline.strips.track import BESIDE, StripTracks
from app.words.lock_words import kind_text

if TYPE_CHECKING:
    from core.animation.locks.strip import LockStrip


class LockTracks(StripTracks):
    """Lock strips by row; drag their ends, shoulders, upper edge, or all of them.

    Args:
        board: The rows.
    """

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
        self.board.select(here.id)

    # -- mouse ----------------------------------------------------------------------------------------------------

    def make_drag(self, strip: LockStrip, part: str | int, press: QPointF) -> LockDrag:
        return LockDrag(self.board, strip, part, press)

    def pressed_strip(self, strip: LockStrip, part: str | int, modifiers: Qt.KeyboardModifier) -> None:
        super().pressed_strip(strip, part, modifiers)
        self.board.choose((strip.id, strip.targets[part].frame) if isinstance(part, int) else None)

    def clicked_strip(self, strip: LockStrip, part: str | int, modifiers: Qt.KeyboardModifier) -> None:
        if isinstance(part, int):
            self.model.document.set_frame(strip.targets[part].frame)

    def hover_changed(self, strip_id: str | None) -> None:
        self.model.document.session.locks.hovered = strip_id

    @property
    def hovered(self) -> str | None:
        """Id of the strip under the mouse, here or in another part of the window."""
        return super().hovered or self.model.document.session.locks.hovered

    def show_strip_menu(self, at: QPoint, strip: LockStrip, frame: int, target: int | None) -> None:
        show_strip_menu(self, at, self.board, strip, frame, target)

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
        if isinstance(part, int):
            return f"Target of {name}\nkeyed at frame {strip.targets[part].frame}"
        _, weight = item.strip_text(strip, self.model.document.skeleton)
        lines = [f"{name}, weight {weight}", self.board.span_of(strip)]
        frame = self.model.left + (position.x() - NAMES_WIDTH - self.model.x(self.model.left)) / self.model.pixels
        reach = BESIDE / self.model.pixels
        flags = self.board.flags_of(strip)
        lines += [self.board.flag_text(flag) for flag in flags if flag.first - reach <= frame <= flag.last + reach]
        return "\n".join(lines)
