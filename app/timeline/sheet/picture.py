"""The keys of all rows in a few calls: numpy finds what is seen and how, Qt gets arrays of rectangles and marks.

Where many keys share a pixel one stands for all of them, so that the cost is bound by the width of the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QPolygonF

from app.look import style
from app.look.stamp import stamp
from app.timeline.key_view import EVERY, MIXED, KeyView, Track
from app.timeline.sheet.rows import Row
from core.animation.shape import INTERPOLATIONS
from core.arrays import Bools, Ints

SUMMARY_SIZE = 10.0
KEY_SIZE = 9.0
DIAMOND, SQUARE, STEP, CIRCLE, RING, TRIANGLE, BOW, HOLLOW = range(8)
_ORDER = (DIAMOND, DIAMOND, SQUARE, STEP, CIRCLE, RING, TRIANGLE, BOW, HOLLOW)
SHAPES = dict(zip((*range(len(INTERPOLATIONS)), MIXED), _ORDER, strict=True))
"""Shape of the mark of each kind: spline that overshoots or not, linear, stepped, Catmull-Rom, centripetal,
Kochanek-Bartels, free, mixed."""

PLAIN, PART, CHOSEN, CURRENT = range(4)
_TOKENS = {PLAIN: "text2", PART: "text2", CHOSEN: "text", CURRENT: "accent"}


def _points(shape: int, middle: float, size: float) -> QPolygonF:
    half = size / 2
    square, foot = half - 1.0, half - 0.5
    corners = {
        DIAMOND: ((0, -half), (half, 0), (0, half), (-half, 0)),
        HOLLOW: ((0, -half), (half, 0), (0, half), (-half, 0)),
        SQUARE: ((-square, -square), (square, -square), (square, square), (-square, square)),
        STEP: ((-foot, -foot), (0.5, -foot), (0.5, -0.5), (foot, -0.5), (foot, foot), (-foot, foot)),
        TRIANGLE: ((0, -half), (half, foot), (-half, foot)),
        BOW: ((-half, -foot), (0, -1), (half, -foot), (half, foot), (0, 1), (-half, foot)),
    }[shape]
    return QPolygonF([QPointF(middle + x, middle + y) for x, y in corners])


def paint_mark(painter: QPainter, shape: int, middle: float, size: float, state: int) -> None:
    """Paint the mark of a key around (middle, middle)."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    fill = style.color(_TOKENS[state])
    painter.setPen(QPen(style.color("text" if state == PART else "panel"), 1.0))
    painter.setBrush(fill)
    if shape in (CIRCLE, RING):
        edge = size - 1.5
        painter.drawEllipse(QRectF(middle - edge / 2, middle - edge / 2, edge, edge))
    else:
        painter.drawPolygon(_points(shape, middle, size))
    if shape in (RING, HOLLOW):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.color("panel"))
        if shape == RING:
            painter.drawEllipse(QPointF(middle, middle), 1.9, 1.9)
        else:
            painter.drawPolygon(_points(DIAMOND, middle, size - 5.0))


class MarkStamps:
    """Pictures of marks, drawn once for a screen and a theme, and stamped many at a time."""

    def __init__(self) -> None:
        self._pictures: dict[tuple[int, int, float, float, str], QPixmap] = {}

    def picture(self, shape: int, state: int, size: float, ratio: float) -> QPixmap:
        """Return the picture of a mark.

        Args:
            shape: One of the shapes.
            state: ``PLAIN``, ``PART`` of it selected, ``CHOSEN`` or at the ``CURRENT`` frame.
            size: Height of a diamond, [px].
            ratio: Device pixels in a px.
        """
        key = (shape, state, size, ratio, style.current().name)
        found = self._pictures.get(key)
        if found is None:
            side = int(size + 4)
            found = QPixmap(round(side * ratio), round(side * ratio))
            found.setDevicePixelRatio(ratio)
            found.fill(Qt.GlobalColor.transparent)
            painter = QPainter(found)
            paint_mark(painter, shape, side / 2, size, state)
            painter.end()
            self._pictures[key] = found
        return found

    def forget(self) -> None:
        """Draw all pictures again when they are needed."""
        self._pictures.clear()

    def draw(
        self, painter: QPainter, places: NDArray[np.float64], codes: NDArray[np.int64], size: float, ratio: float
    ) -> None:
        """Stamp marks.

        Args:
            painter: Where.
            places: Their middles, shape (n, 2), [px].
            codes: Kind of each (see ``SHAPES``) plus 16 times its state, shape (n,).
            size: Height of a diamond, [px].
            ratio: Device pixels in a px.
        """
        if not len(codes):
            return
        places[:, 0] = np.round(places[:, 0] * 2.0) / 2.0
        for code in sorted(set(codes.tolist())):  # the selected ones come last, on top
            shape = SHAPES.get(code % 16, DIAMOND)
            stamp(painter, self.picture(shape, code // 16, size, ratio), places[codes == code])


ROW_HEIGHT = 18
HOLD_HEIGHT = 6.0
BAR_HEIGHT = 5.0
CROWDED = 5.0  # keys nearer than this, in px, are drawn as one bar
SPAN_GAP = 8.0  # between a key and the line to the next
BEYOND = 20.0  # how far beside the tracks things are still drawn, px
LEAST_HOLD = 8.0  # a shorter hold among crowded keys cannot be told apart from them, px
THINNED = 2  # keys a pixel from which on one stands for many

Floats = NDArray[np.float64]


def runs(flags: Bools) -> Ints:
    """Return where flags are set in a row: for each run its first index and the one after its last, shape (n, 2)."""
    return runs_by_row(flags[None])[:, 1:]


def runs_by_row(flags: Bools) -> Ints:
    """Return the runs in each row of flags, shape (r, m): row, first index, the one after its last, shape (n, 3)."""
    padded = np.zeros((flags.shape[0], flags.shape[1] + 2), dtype=np.int8)
    padded[:, 1:-1] = flags
    edges = padded[:, 1:] - padded[:, :-1]
    rows, first = np.nonzero(edges == 1)
    return np.column_stack((rows, first, np.nonzero(edges == -1)[1]))


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
        close: Which are so close to the next that a bar joins them, shape (m - 1,).
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
        alike: dict[int, list[tuple[int, Row, bool, Track]]] = {}  # rows with keys at the same frames are one matrix
        for number, row, lit in rows:
            track = view.track(row)
            if len(track.frames):
                alike.setdefault(id(track.frames), []).append((number, row, lit, track))
        for group in alike.values():
            seen = seen_keys(group[0][3].frames, x_of_0, pixels, left, right)
            if len(seen.xs):
                self._group(view, group, seen, left, right)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for token, found in self._boxes.items():
            if found:
                draw_boxes(painter, np.concatenate(found), style.color("line2" if token == "hold" else token))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        for size, marks in self._marks.items():
            if marks:
                places, codes = (np.concatenate(part) for part in zip(*marks, strict=True))
                self.stamps.draw(painter, places, codes, size, ratio)

    def _group(
        self, view: KeyView, group: list[tuple[int, Row, bool, Track]], seen: Seen, left: float, right: float
    ) -> None:
        """Add what is drawn of rows whose keys are at the same frames."""
        first, last, starts, xs, close, alone = seen
        ys = np.array([number * ROW_HEIGHT + ROW_HEIGHT / 2 for number, *_ in group])
        summary = np.array([row.summary for _, row, *_ in group])
        lit = np.array([is_lit for *_, is_lit, _ in group])
        for token, some in (("line2", ~summary & ~lit), ("acc_line", ~summary & lit)):
            self._lines(xs, np.round(ys[some]), token, left, right)
        chosen = None
        if any(track.chosen is not None for *_, track in group):
            chosen = np.zeros((len(group), len(xs)), dtype=np.int8)
            for i, (*_, track) in enumerate(group):
                if track.chosen is not None:
                    own = track.chosen[first:last]
                    chosen[i] = own if starts is None else np.maximum.reduceat(own, starts)
        held = np.zeros((len(group), len(close)), dtype=bool)
        for i, (_, row, *_) in enumerate(group):
            own = None if row.summary else self._held(view, row, seen)
            if own is not None:
                held[i] = own
        held = self._long(xs, held, close)
        self._bars(xs, held, ys, HOLD_HEIGHT, "hold", left, right)
        self._bars(xs, close & ~held, ys, BAR_HEIGHT, "text3", left, right)
        if chosen is not None:
            self._bars(xs, close & (chosen[:, 1:] > 0) & (chosen[:, :-1] > 0), ys, BAR_HEIGHT, "text", left, right)
        shown = np.flatnonzero(alone & (xs > left - 12.0) & (xs < right + 12.0))
        if not len(shown):
            return
        keys = shown + first if starts is None else starts[shown] + first
        codes = np.array([track.kinds[keys] for *_, track in group]).astype(np.int64)
        if chosen is not None:
            codes += 16 * chosen[:, shown].astype(np.int64)
        for size, some in ((KEY_SIZE, ~summary), (SUMMARY_SIZE, summary)):
            count = int(some.sum())
            if count:
                places = np.empty((count, len(shown), 2))
                places[..., 0], places[..., 1] = xs[shown], ys[some][:, None]
                self._marks[size].append((places.reshape(-1, 2), codes[some].ravel()))

    @staticmethod
    def _long(xs: Floats, held: Bools, close: Bools) -> Bools:
        """Return where rows hold still for long enough to be seen: among crowded keys a moment is not."""
        if not held.any() or not close.any():
            return held
        rows, first, last = runs_by_row(held).T
        keep = (xs[last] - xs[first] >= LEAST_HOLD) | ~close[first]
        edges = np.zeros((held.shape[0], held.shape[1] + 1), dtype=np.int8)
        edges[rows[keep], first[keep]] = 1
        edges[rows[keep], last[keep]] = -1
        return np.asarray(np.cumsum(edges, axis=1, dtype=np.int8)[:, :-1] > 0)

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

    def _bars(self, xs: Floats, flags: Bools, ys: Floats, height: float, token: str, left: float, right: float) -> None:
        """Add bars from key to key over runs of flags, shape (rows, m - 1)."""
        if not flags.any():
            return
        rows, first, last = runs_by_row(flags).T
        a, b = np.maximum(xs[first], left - BEYOND), np.minimum(xs[last], right + BEYOND)
        good = b > a
        self._add(a[good], b[good], ys[rows[good]] - height / 2, height, token)

    def _lines(self, xs: Floats, ys: Floats, token: str, left: float, right: float) -> None:
        """Add lines between neighbouring keys that stop short of both; none where they stand close."""
        a, b = np.maximum(xs[:-1], left - BEYOND), np.minimum(xs[1:], right + BEYOND)
        good = b - a > 2 * SPAN_GAP + 2
        a, b = np.round(a[good] + SPAN_GAP), np.round(b[good] - SPAN_GAP)
        self._add(np.tile(a, len(ys)), np.tile(b, len(ys)), np.repeat(ys, len(a)), 1.0, token)

    def _add(self, a: Floats, b: Floats, top: Floats, height: float, token: str) -> None:
        if len(a):
            self._boxes[token].append(np.column_stack((a, top, b - a, np.full(len(a), height))))


assert EVERY == 2  # states of marks and of what is selected are the same numbers
