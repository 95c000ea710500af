"""The keys of all rows in a few calls: numpy finds what is seen and how, Qt gets arrays of rectangles and marks.

Where many keys share a pixel one stands for all of them, so that the cost is bound by the width of the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from app import style
from app.timeline.key_marks import KEY_SIZE, SUMMARY_SIZE, MarkStamps
from app.timeline.key_view import EVERY, KeyView, Track
from app.timeline.rows import Row

ROW_HEIGHT = 18
HOLD_HEIGHT = 6.0
BAR_HEIGHT = 5.0
CROWDED = 5.0  # keys nearer than this, in px, are drawn as one bar
SPAN_GAP = 8.0  # between a key and the line to the next
BEYOND = 20.0  # how far beside the tracks things are still drawn, px
THINNED = 4  # keys a pixel from which on one stands for many

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]


def runs(flags: Bools) -> Ints:
    """Return where flags are set in a row: for each run its first index and the one after its last, shape (n, 2)."""
    edges = np.diff(np.concatenate(([0], flags.astype(np.int8), [0])))
    return np.column_stack((np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)))


def draw_boxes(painter: QPainter, boxes: Floats, color: QColor) -> None:
    """Fill many rectangles in one call.

    Args:
        painter: Where.
        boxes: Left, top, width and height of each, shape (n, 4), [px].
        color: Of all of them.
    """
    if not len(boxes):
        return
    array = np.ascontiguousarray(boxes, dtype=np.float64)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    # A QRectF is four doubles, and Qt takes an array of them.
    painter.drawRects(shiboken6.wrapInstance(array.ctypes.data, QRectF), len(array))


class Seen(NamedTuple):
    """The keys of a track that are drawn.

    Attributes:
        first: Number of the first of them, or the one before the first that is in sight.
        last: Number after the last.
        starts: Where many keys share a pixel, the first of each pixel, counted from ``first``; else None.
        xs: Where they are, shape (m,).
        close: Which stand so near to the next that a bar joins them, shape (m - 1,).
        alone: Which are not inside a bar, shape (m,).
    """

    first: int
    last: int
    starts: Ints | None
    xs: Floats
    close: Bools
    alone: Bools


def seen_keys(frames: NDArray[np.int64], x_of_0: float, pixels: float, left: float, right: float) -> Seen:
    """Return which keys of a track are in sight, and where.

    Args:
        frames: Frames of all its keys, ascending.
        x_of_0: Where frame 0 is, [px].
        pixels: Width of a frame, [px].
        left: Left edge of the tracks, [px].
        right: Right edge.
    """
    edges = (np.array([left - BEYOND, right + BEYOND]) - x_of_0) / pixels
    low, high = np.searchsorted(frames, edges)
    first, last = max(int(low) - 1, 0), min(int(high) + 1, len(frames))
    xs = frames[first:last] * pixels + x_of_0
    starts = None
    if len(xs) > THINNED * (right - left):
        cells = np.floor(xs).astype(np.int64)
        starts = np.concatenate(([0], np.flatnonzero(cells[1:] != cells[:-1]) + 1))
        xs = xs[starts]
    close = np.diff(xs) < CROWDED
    alone = np.ones(len(xs), dtype=bool)
    if len(xs) > 2:
        alone[1:-1] = ~(close[1:] & close[:-1])
    return Seen(first, last, starts, xs, close, alone)


class SheetPicture:
    """Draws the keys of rows.

    Args:
        stamps: Pictures of marks.
    """

    def __init__(self, stamps: MarkStamps):
        self.stamps = stamps
        self._boxes: dict[str, list[Floats]] = {}
        self._marks: dict[float, list[tuple[Floats, NDArray[np.int64]]]] = {}

    def paint(
        self,
        painter: QPainter,
        view: KeyView,
        rows: Sequence[tuple[int, Row, bool]],
        x_of_0: float,
        pixels: float,
        edges: tuple[float, float],
        ratio: float,
    ) -> None:
        """Paint the keys of rows.

        Args:
            painter: Where; clipped to the tracks.
            view: The keys.
            rows: Number, row, and whether it is lit, of each.
            x_of_0: Where frame 0 is, [px].
            pixels: Width of a frame, [px].
            edges: Left and right edge of the tracks, [px].
            ratio: Device pixels in a px.
        """
        left, right = edges
        self._boxes = {token: [] for token in ("line2", "acc_line", "hold", "text3", "text")}
        self._marks = {KEY_SIZE: [], SUMMARY_SIZE: []}
        known: dict[int, Seen] = {}
        for number, row, lit in rows:
            track = view.track(row)
            if not len(track.frames):
                continue
            seen = known.get(id(track.frames))
            if seen is None:
                seen = known[id(track.frames)] = seen_keys(track.frames, x_of_0, pixels, left, right)
            self._row(view, row, lit, track, seen, number * ROW_HEIGHT + ROW_HEIGHT / 2, left, right)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for token, found in self._boxes.items():
            if found:
                draw_boxes(painter, np.concatenate(found), style.color("line2" if token == "hold" else token))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        for size, marks in self._marks.items():
            if marks:
                places, codes = (np.concatenate(part) for part in zip(*marks, strict=True))
                self.stamps.draw(painter, places, codes, size, ratio)

    def _row(
        self, view: KeyView, row: Row, lit: bool, track: Track, seen: Seen, y: float, left: float, right: float
    ) -> None:
        first, last, starts, xs, close, alone = seen
        if not row.summary:
            self._lines(xs, round(y), "acc_line" if lit else "line2", left, right)
        chosen = None if track.chosen is None else track.chosen[first:last]
        if chosen is not None and starts is not None:
            chosen = np.maximum.reduceat(chosen, starts)
        plain = close
        if not row.summary:
            held = self._held(view, row, seen)
            if held is not None and held.any():
                self._bars(xs, held, y, HOLD_HEIGHT, "hold", left, right)
                plain = close & ~held
        if plain.any():
            self._bars(xs, plain, y, BAR_HEIGHT, "text3", left, right)
        if chosen is not None:
            self._bars(xs, close & (chosen[1:] > 0) & (chosen[:-1] > 0), y, BAR_HEIGHT, "text", left, right)
        shown = alone & (xs > left - 12.0) & (xs < right + 12.0)
        if not shown.any():
            return
        kinds = track.kinds[first:last]
        codes = (kinds if starts is None else kinds[starts])[shown].astype(np.int64)
        if chosen is not None:
            codes += 16 * chosen[shown].astype(np.int64)
        places = np.empty((len(codes), 2))
        places[:, 0], places[:, 1] = xs[shown], y
        self._marks[SUMMARY_SIZE if row.summary else KEY_SIZE].append((places, codes))

    @staticmethod
    def _held(view: KeyView, row: Row, seen: Seen) -> Bools | None:
        """Return from which keys on the row holds still until the next one that is drawn."""
        holds = view.holds(row)
        if holds is None or seen.last - seen.first < 2:
            return None
        held = holds[seen.first : seen.last - 1]
        if seen.starts is None:
            return held
        whole = np.minimum.reduceat(np.append(held, True).view(np.int8), seen.starts)
        return np.asarray(whole[:-1] != 0)

    def _bars(self, xs: Floats, flags: Bools, y: float, height: float, token: str, left: float, right: float) -> None:
        """Add bars from key to key over runs of flags."""
        ends = xs[runs(flags)]
        a, b = np.maximum(ends[:, 0], left - BEYOND), np.minimum(ends[:, 1], right + BEYOND)
        good = b > a
        self._add(a[good], b[good], y - height / 2, height, token)

    def _lines(self, xs: Floats, y: int, token: str, left: float, right: float) -> None:
        """Add a line between neighbouring keys that stops short of both; none where they stand close."""
        a, b = np.maximum(xs[:-1], left - BEYOND), np.minimum(xs[1:], right + BEYOND)
        good = b - a > 2 * SPAN_GAP + 2
        self._add(np.round(a[good] + SPAN_GAP), np.round(b[good] - SPAN_GAP), y, 1.0, token)

    def _add(self, a: Floats, b: Floats, top: float, height: float, token: str) -> None:
        if len(a):
            boxes = np.empty((len(a), 4))
            boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3] = a, top, b - a, height
            self._boxes[token].append(boxes)


assert EVERY == 2  # states of marks and of what is selected are the same numbers
