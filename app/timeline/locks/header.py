"""The header of the locks under the dope sheet: opens and closes them."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent

from app.look import style
from app.process.handler_guard import guarded
from app.timeline.locks.board import LockBoard
from app.timeline.model import NAMES_WIDTH
from app.widgets.rows.group_header import GroupHeader

LEGEND = "fill height = weight"
SWITCHED_OFF = "off between keys"


class LockHeader(GroupHeader):
    """The title of the locks' rows, with what their picture says; the playhead goes through it.

    Args:
        board: The rows.
    """

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
