"""A drag of a lock strip: its ends, shoulders, weight, keys of its target, or all of it, or a copy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF

from app.timeline.locks import strip_item as item
from app.timeline.strips import shape
from app.timeline.strips.drag import StripDrag
from app.words.lock_words import weight_text, weights_of
from core.animation.key import MAX_FRAME
from core.animation.locks.strip import LockStrip

if TYPE_CHECKING:
    from app.timeline.locks.board import LockBoard


def with_target_at(strip: LockStrip, number: int, frame: int) -> LockStrip:
    """Return a strip with a key of its target at another frame, between its neighbours."""
    keys = list(strip.targets)
    low = keys[number - 1].frame + 1 if number else 0
    high = keys[number + 1].frame - 1 if number + 1 < len(keys) else MAX_FRAME
    keys[number] = replace(keys[number], frame=min(max(frame, low), high))
    return replace(strip, targets=tuple(keys))


WEIGHT_A_PIXEL = 0.01
NAMES = {
    shape.START: "Retime lock",
    shape.END: "Retime lock",
    shape.EASE_IN: "Ease lock",
    shape.EASE_OUT: "Ease lock",
    shape.WEIGHT: "Set weight of lock",
    shape.BODY: "Move lock",
    shape.COPY: "Copy lock",
    "": "Move lock target",
}


def with_weight(strip: LockStrip, weight: float) -> LockStrip:
    """Return a strip of another weight: the lock's, which panels show; a pair keeps its proportions."""
    weights = weights_of(strip.lock)
    most = max(weights)
    made: float | tuple[float, ...] = weight
    if len(set(weights)) > 1:
        made = tuple(weight * each / most for each in weights)
    return replace(strip, lock=replace(strip.lock, weight=made), weight=1.0)


class LockDrag(StripDrag):
    """One drag of a lock strip.

    Args:
        board: The rows.
        strip: The strip under the mouse.
        part: What of it was grabbed: a part by name, or the number of a key of its target; ``COPY`` moves a copy.
        press: Where, [px].
    """

    no_room = "No room for a copy of this lock: it would meet another strip of it"
    board: LockBoard

    def __init__(self, board: LockBoard, strip: LockStrip, part: str | int, press: QPointF):
        super().__init__(board, strip, part, press, NAMES)

    def show(self, changed: Sequence[LockStrip]) -> None:
        super().show(changed)
        if isinstance(self.part, int) and self.board.chosen is not None:
            self.board.choose((changed[0].id, changed[0].targets[self.part].frame))

    def changed(self, by: float, up: float) -> list[LockStrip] | None:
        strip, part = self.strip, self.part
        if isinstance(part, int):
            return [with_target_at(strip, part, self.snapped(strip.targets[part].frame + by))]
        if part == shape.WEIGHT:
            weight = min(max(item.weight_of(strip) + WEIGHT_A_PIXEL * up, 0.0), 1.0)
            return [with_weight(strip, round(weight, 2))]
        return super().changed(by, up)

    def text_of(self, strip: LockStrip) -> str:
        if isinstance(self.part, int):
            return f"target at frame {strip.targets[self.part].frame}"
        if self.part == shape.WEIGHT:
            return f"weight {weight_text(strip.lock)}" + (", holds exactly" if item.weight_of(strip) >= 1.0 else "")
        return super().text_of(strip)
