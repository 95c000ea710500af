"""A drag of a lock strip: its ends, shoulders, weight, keys of its target, or all of it, or a copy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF

from app.document.strip_gesture import StripGesture
from app.locks.words import kind_text, part_of, weight_text, weights_of
from app.timeline.locks import strip_item as item
from app.timeline.locks.strip_times import (
    allowed_slide,
    place_for,
    slid,
    snapped,
    with_ease,
    with_end,
    with_start,
    with_target_at,
)
from app.timeline.model import NAMES_WIDTH, SNAP
from core.animation.locks.strip import LockStrip, new_id

if TYPE_CHECKING:
    from app.timeline.locks.board import LockBoard

WEIGHT_A_PIXEL = 0.01
COPY = "copy"
NAMES = {
    item.START: "Retime lock",
    item.END: "Retime lock",
    item.EASE_IN: "Ease lock",
    item.EASE_OUT: "Ease lock",
    item.WEIGHT: "Weigh lock",
    item.BODY: "Move lock",
    COPY: "Copy lock",
}


def strip_name(strip: LockStrip, board: LockBoard) -> str:
    """Return what a strip is called: ``"Right foot, position"``; a name that a person gave it comes first."""
    skeleton = board.document.skeleton
    kind = kind_text(strip.lock, skeleton)
    return strip.name or f"{part_of(strip.lock, skeleton)}, {kind[:1].lower()}{kind[1:]}"


def span_text(strip: LockStrip) -> str:
    """Return the frames of a strip: ``"frames 6 to 18"``."""
    return f"from frame {strip.start} on" if strip.end is None else f"frames {strip.start} to {strip.end}"


def with_weight(strip: LockStrip, weight: float) -> LockStrip:
    """Return a strip of another weight: the lock's, which panels show; a pair keeps its proportions."""
    weights = weights_of(strip.lock)
    most = max(weights)
    made: float | tuple[float, ...] = weight
    if len(set(weights)) > 1:
        made = tuple(weight * each / most for each in weights)
    return replace(strip, lock=replace(strip.lock, weight=made), weight=1.0)


class StripDrag:
    """One drag, from press to release.

    Args:
        board: The rows.
        strip: The strip under the mouse.
        part: What of it was grabbed: a part by name, or the number of a key of its target; ``COPY`` moves a copy.
        press: Where, [px].
    """

    def __init__(self, board: LockBoard, strip: LockStrip, part: str | int, press: QPointF):
        self.board = board
        self.strip = strip
        self.part = part
        self._shoulder = part if part in (item.EASE_IN, item.EASE_OUT) else None
        self.press = press
        self._press_frame = board.model.exact_frame(press.x() - NAMES_WIDTH)
        self.text = ""
        text = "Move lock target" if isinstance(part, int) else NAMES[part]
        self.gesture = StripGesture(board.document, text)
        self._others = board.siblings(strip)
        self._copy = replace(strip, id=new_id()) if part == COPY else None
        self._places = self._snap_places()

    @property
    def active(self) -> bool:
        """Whether it is under way; undo or another edit may have ended it."""
        return self.gesture.active

    def _snap_places(self) -> np.ndarray:
        """Return the frames that ends snap to: keys, the playhead, and ends of other strips."""
        model = self.board.model
        places = {model.document.frame}
        for strip in self.board.strips():
            if strip.id != self.strip.id:
                places |= {strip.start} if strip.end is None else {strip.start, strip.end}
        return np.union1d(model.frames, np.array(sorted(places), dtype=np.int64))

    def _near(self, frame: float) -> Iterable[int]:
        i = int(np.searchsorted(self._places, frame))
        return (int(place) for place in self._places[max(i - 1, 0) : i + 1])

    def _snapped(self, frame: float) -> int:
        return snapped(frame, self._near(frame), SNAP / self.board.model.pixels)

    def move(self, position: QPointF) -> None:
        """Show what a drag to a point makes of the strip."""
        by = self.board.model.exact_frame(position.x() - NAMES_WIDTH) - self._press_frame
        up = self.press.y() - position.y()
        self.part = self._pulled(by)
        changed = self.changed(by, up)
        if changed is None:
            self.text = "No room for a copy of this lock: it would meet another strip of it"
            self.gesture.show(self.gesture.before)
            return
        self.text = f"{strip_name(changed, self.board)}: {self.told(changed)}"
        self.show(changed)

    def _pulled(self, by: float) -> str | int:
        """Return what is dragged: a shoulder that stands above its end and is pulled outward takes the end along."""
        if self._shoulder == item.EASE_IN and by < 0.0 and not self.strip.eases[0]:
            return item.START
        if self._shoulder == item.EASE_OUT and by > 0.0 and not self.strip.eases[1]:
            return item.END
        return self.part if self._shoulder is None else self._shoulder

    def show(self, changed: LockStrip) -> None:
        """Show the strip, or its copy, as it would be."""
        before = self.gesture.before
        if self._copy is not None:
            self.gesture.show((*before, changed))
        else:
            self.gesture.show(changed if each.id == changed.id else each for each in before)
        if isinstance(self.part, int) and self.board.chosen is not None:
            self.board.choose((changed.id, changed.targets[self.part].frame))

    def changed(self, by: float, up: float) -> LockStrip | None:
        """Return the strip after a drag by some frames and some px up; None if a copy has no room."""
        strip, part = self.strip, self.part
        if isinstance(part, int):
            return with_target_at(strip, part, self._snapped(strip.targets[part].frame + by))
        if part == item.START:
            return with_start(strip, self._snapped(strip.start + by), self._others)
        if part == item.END:
            assert strip.end is not None
            return with_end(strip, self._snapped(strip.end + by), self._others)
        ease_in, ease_out = strip.eases
        if part == item.EASE_IN:
            return with_ease(strip, False, self._snapped(strip.start + ease_in + by) - strip.start)
        if part == item.EASE_OUT:
            assert strip.end is not None
            return with_ease(strip, True, strip.end - self._snapped(strip.end - ease_out + by))
        if part == item.WEIGHT:
            return with_weight(strip, round(min(max(item.weight_of(strip) + WEIGHT_A_PIXEL * up, 0.0), 1.0), 2))
        wanted = self._slide(by)
        if self._copy is None:
            return slid(strip, allowed_slide(strip, wanted, self._others))
        at = place_for(strip, strip.start + wanted, [*self._others, strip])
        return None if at is None else slid(self._copy, at - strip.start)

    def _slide(self, by: float) -> int:
        """Return a slide by whole frames at which the end that is nearer to something snaps to it."""
        choices = []
        for edge in (self.strip.start, self.strip.end):
            if edge is not None:
                place = self._snapped(edge + by)
                choices.append((abs(place - edge - by), place - edge))
        snaps = [choice for choice in choices if choice[1] != round(by)]
        return min(snaps)[1] if snaps else round(by)

    def told(self, strip: LockStrip) -> str:
        """Return what of a strip is of interest during this drag."""
        part = self.part
        if isinstance(part, int):
            return f"target at frame {strip.targets[part].frame}"
        if part == item.START:
            return f"from frame {strip.start} on" + self._at_key(strip.start)
        if part == item.END:
            assert strip.end is not None
            return f"to frame {strip.end}" + self._at_key(strip.end)
        if part in (item.EASE_IN, item.EASE_OUT):
            frames = strip.eases[part == item.EASE_OUT]
            way = "in" if part == item.EASE_IN else "out"
            return f"eases {way} over {frames:g} frame{'s' * (frames != 1.0)}"
        if part == item.WEIGHT:
            return f"weight {weight_text(strip.lock)}" + (", holds exactly" if item.weight_of(strip) >= 1.0 else "")
        return span_text(strip)

    def _at_key(self, frame: int) -> str:
        return ", a key" if bool(np.isin(frame, self.board.model.frames)) else ""

    def drop(self) -> LockStrip | None:
        """End it as one undo step; return the copy that was made, or None."""
        done = self.gesture.commit()
        return self._copy if done else None

    def cancel(self) -> None:
        """Give it up."""
        self.gesture.cancel()
