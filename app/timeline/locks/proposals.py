"""Locks that are proposed, in the rows of the locks: dashed where there would be one, and their ends can be dragged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from app.look import fonts, style
from app.look.lock_glyphs import token
from app.timeline.locks.strip_item import TEXT_INSET
from app.timeline.strips import shape as shapes
from app.timeline.strips.drag import StripDrag
from app.timeline.strips.shape import StripShape, paint_grips

if TYPE_CHECKING:
    from app.document.lock_proposals import LockProposal
    from app.timeline.locks.board import LockBoard
    from core.animation.locks.strip import LockStrip


class ProposalGesture:
    """A drag of a proposal: it changes nothing in the document, so it is no step of Undo.

    Args:
        board: The rows.
        proposal: What is dragged.
    """

    def __init__(self, board: LockBoard, proposal: LockProposal):
        self._board, self._proposal = board, proposal
        self.before: tuple[LockStrip, ...] = (proposal.strip,)
        self._shown = proposal.strip

    @property
    def active(self) -> bool:
        """Whether it is still proposed."""
        return self._proposal.strip.id in self._board.proposals

    def show(self, strips: Iterable[LockStrip]) -> bool:
        """Show it with other ends."""
        (self._shown,) = strips
        self._board.put_proposal(replace(self._proposal, strip=self._shown))
        return True

    def commit(self) -> bool:
        """Keep these; what was dragged is wanted."""
        self._board.put_proposal(replace(self._proposal, strip=self._shown, accepted=True))
        return False

    def cancel(self) -> None:
        """Give it up."""
        self._board.put_proposal(self._proposal)


class _Proposed:
    """The rows of the locks as a drag of a proposal needs them: other proposals of its row are in its way."""

    def __init__(self, board: LockBoard, proposal: LockProposal):
        self._board, self._proposal = board, proposal
        self.model, self.gap = board.model, 2
        self.strips, self.name_of, self.span_of = board.strips, board.name_of, board.span_of

    def gesture(self, _text: str) -> ProposalGesture:
        return ProposalGesture(self._board, self._proposal)

    def siblings(self, strip: LockStrip) -> list[LockStrip]:
        others = (each.strip for each in self._board.proposals.values())
        same = [each for each in others if each.id != strip.id and each.lock.joint == strip.lock.joint]
        return sorted(same, key=lambda each: each.start)


def proposal_drag(board: LockBoard, proposal: LockProposal, part: str | int, press: QPointF) -> StripDrag:
    """Return a drag of a proposal: of an end, or of all of it."""
    strip = proposal.strip
    if part not in (shapes.START, shapes.END):
        part = {shapes.EASE_IN: shapes.START, shapes.EASE_OUT: shapes.END}.get(str(part), shapes.BODY)
    names = dict.fromkeys((shapes.START, shapes.END, shapes.BODY, ""), "Change proposed lock")
    return StripDrag(_Proposed(board, proposal), strip, part, press, names)  # type: ignore[arg-type]


def paint_proposal(painter: QPainter, proposal: LockProposal, shape: StripShape, hovered: bool, room: QRectF) -> None:
    """Paint a proposal: a dashed frame, filled faintly where it is accepted.

    Args:
        painter: Where.
        proposal: The proposal.
        shape: Its place.
        hovered: Whether the mouse is over it.
        room: The tracks, [px].
    """
    name = token(proposal.strip.lock.kind)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    outline = shape.outline(1.0, room.left() - 20.0, room.right() + 20.0)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.mix("panel", name, 0.2 if proposal.accepted else 0.0))
    painter.drawPolygon(outline)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    edge = style.color("text") if hovered else style.color(name if proposal.accepted else "text3")
    painter.setPen(QPen(edge, 1.3, Qt.PenStyle.DashLine))
    painter.drawPolygon(outline)
    if hovered:
        paint_grips(painter, shape, room, edge)
    left, right = max(shape.left, room.left()) + TEXT_INSET, min(shape.right, room.right()) - TEXT_INSET
    font = fonts.font(fonts.SECONDARY, fonts.MEDIUM)
    text = "proposed" if proposal.accepted else "left out"
    if QFontMetricsF(font).horizontalAdvance(text) <= right - left:
        painter.setFont(font)
        painter.setPen(style.color("text2" if proposal.accepted else "text3"))
        box = QRectF(left, shape.top, right - left, shape.bottom - shape.top)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
