"""A drag of strips: their ends, shoulders, or all of them, or copies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF

from app.timeline.sheet.selected_keys import SNAP
from app.timeline.strips.board import StripBoard
from app.timeline.strips.shape import BODY, COPY, EASE_IN, EASE_OUT, END, START
from app.timeline.strips.times import (
    allowed_together,
    fits,
    place_for,
    slid,
    snapped,
    with_ease,
    with_end,
    with_start,
)
from app.timeline.time_scale import NAMES_WIDTH
from core.animation.locks.strip import new_id


class StripDrag:
    """One drag, from press to release. What is done to the strip under the mouse is done to the others selected.

    Args:
        board: The rows.
        strip: The strip under the mouse.
        part: What of it was grabbed; ``COPY`` moves a copy.
        press: Where, [px].
        texts: What the undo step is called, by part.
        along: Other strips that go along.
    """

    def __init__(
        self,
        board: StripBoard[Any],
        strip: Any,
        part: str | int,
        press: QPointF,
        texts: Mapping[str, str],
        along: Sequence[Any] = (),
    ):
        self.board = board
        self.strip = strip
        self.strips: tuple[Any, ...] = (strip, *along)
        self.part = part
        self._shoulder = part if part in (EASE_IN, EASE_OUT) else None
        self.press = press
        self._press_frame = board.model.exact_frame(press.x() - NAMES_WIDTH)
        self.text = ""
        self.gesture: Any = board.gesture(texts[part] if isinstance(part, str) else texts[""])
        ids = {each.id for each in self.strips}
        self._others = {each.id: board.siblings(each) for each in self.strips}
        self._standing = {key: [o for o in others if o.id not in ids] for key, others in self._others.items()}
        self._copies = {each.id: replace(each, id=new_id()) for each in self.strips} if part == COPY else {}
        self._places = self._snap_places()

    @property
    def active(self) -> bool:
        """Whether it is under way; undo or another edit may have ended it."""
        return bool(self.gesture.active)

    def _snap_places(self) -> np.ndarray:
        """Return the frames that ends snap to: keys, the playhead, and ends of other strips."""
        model = self.board.model
        places, moving = {model.document.frame}, {each.id for each in self.strips}
        for strip in self.board.strips():
            if strip.id not in moving:
                places |= {strip.start} if strip.end is None else {strip.start, strip.end}
        return np.union1d(model.frames, np.array(sorted(places), dtype=np.int64))

    def _near(self, frame: float) -> Iterable[int]:
        i = int(np.searchsorted(self._places, frame))
        return (int(place) for place in self._places[max(i - 1, 0) : i + 1])

    def snapped(self, frame: float) -> int:
        """Return the frame that an end at a frame, whole or not, snaps to."""
        return snapped(frame, self._near(frame), SNAP / self.board.model.pixels)

    def move(self, position: QPointF) -> None:
        """Show what a drag to a point makes of the strips."""
        by = self.board.model.exact_frame(position.x() - NAMES_WIDTH) - self._press_frame
        up = self.press.y() - position.y()
        self.part = self._pulled(by)
        changed = self.changed(by, up)
        if changed is None:
            self.text = self.no_room
            self.gesture.show(self.gesture.before)
            return
        more = f", and {len(changed) - 1} more" if len(changed) > 1 else ""
        self.text = f"{self.board.name_of(changed[0])}{more}: {self.text_of(changed[0])}"
        self.show(changed)

    no_room = "No room for a copy: it would meet another strip"

    def _pulled(self, by: float) -> str | int:
        """Return what is dragged: a shoulder that stands above its end and is pulled outward takes the end along."""
        if self._shoulder == EASE_IN and by < 0.0 and not self.strip.eases[0]:
            return START
        if self._shoulder == EASE_OUT and by > 0.0 and not self.strip.eases[1]:
            return END
        return self.part if self._shoulder is None else self._shoulder

    def show(self, changed: Sequence[Any]) -> None:
        """Show the strips, or their copies, as they would be."""
        before = self.gesture.before
        if self._copies:
            self.gesture.show((*before, *changed))
        else:
            by_id = {each.id: each for each in changed}
            self.gesture.show(by_id.get(each.id, each) for each in before)

    def changed(self, by: float, up: float) -> list[Any] | None:
        """Return the strips after a drag by some frames and some px up; None if copies have no room."""
        part, strip, gap = self.part, self.strip, self.board.gap
        if part in (BODY, COPY):
            return self._moved(self._slide(by))
        if part == START:
            delta = self.snapped(strip.start + by) - strip.start
            return [with_start(each, each.start + delta, self._others[each.id], gap) for each in self.strips]
        if part == END:
            delta = self.snapped(strip.end + by) - strip.end
            closed = [each for each in self.strips if each.end is not None]
            return [with_end(each, each.end + delta, self._others[each.id], gap) for each in closed]
        if part == EASE_IN:
            ease = self.snapped(strip.start + strip.eases[0] + by) - strip.start
            return [with_ease(each, False, ease) for each in self.strips]
        ease = strip.end - self.snapped(strip.end - strip.eases[1] + by)
        return [with_ease(each, True, ease) for each in self.strips if each.end is not None]

    def _moved(self, wanted: int) -> list[Any] | None:
        gap = self.board.gap
        if not self._copies:
            pairs = [(each, self._standing[each.id]) for each in self.strips]
            by = allowed_together(pairs, wanted, gap)
            return [slid(each, by) for each in self.strips]
        strip, all_strips = self.strip, [(each, [*self._others[each.id], each]) for each in self.strips]
        if len(self.strips) == 1:
            at = place_for(strip, strip.start + wanted, all_strips[0][1], gap)
            return None if at is None else [slid(self._copies[strip.id], at - strip.start)]
        if not all(fits(each, others, wanted, gap) for each, others in all_strips):
            return None
        return [slid(self._copies[each.id], wanted) for each in self.strips]

    def _slide(self, by: float) -> int:
        """Return a slide by whole frames at which the end that is nearer to something snaps to it."""
        choices = []
        for edge in (self.strip.start, self.strip.end):
            if edge is not None:
                place = self.snapped(edge + by)
                choices.append((abs(place - edge - by), place - edge))
        snaps = [choice for choice in choices if choice[1] != round(by)]
        return min(snaps)[1] if snaps else round(by)

    def text_of(self, strip: Any) -> str:
        """Return what of a strip is of interest during this drag."""
        part = self.part
        if part == START:
            return f"from frame {strip.start} on" + self._at_key(strip.start)
        if part == END:
            return f"to frame {strip.end}" + self._at_key(strip.end)
        if part in (EASE_IN, EASE_OUT):
            frames = strip.eases[part == EASE_OUT]
            side = "in" if part == EASE_IN else "out"
            return f"eases {side} over {frames:g} frame{'s' * (frames != 1.0)}"
        return self.board.span_of(strip)

    def _at_key(self, frame: int) -> str:
        return ", a key" if bool(np.isin(frame, self.board.model.frames)) else ""

    def drop(self) -> list[Any]:
        """End it as one undo step; return the copies that were made."""
        done = self.gesture.commit()
        return list(self._copies.values()) if done else []

    def cancel(self) -> None:
        """Give it up."""
        self.gesture.cancel()
