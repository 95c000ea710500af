"""Where the tags of physics stand: apart from each other, beside the body if there is room, and where they stood last.

Sizes are logical pixels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF

Array = NDArray[np.float64]

HEIGHT = 20.0
CELL = 8.0
"""The body under tags is counted in squares so wide."""
GAP = 6.0
"""Tags come to stand at least so far apart; they stay while they do not touch."""
_HOLD = 8.0
"""A tag stands still while the tip of its arrow trembles by less."""
_EDGE = 6.0
"""The body may reach so far under the edge of a tag that was there before."""
_COVER, _ARROW, _TIP, _LEAVE, _STEP, _FAR = 4.0, 2.0, 6.0, 7.0, 0.4, 0.08
"""Cost of a square of the body under a tag, of a point of an arrow, of the tip of one, of leaving the place last taken,
of each further choice, and of each pixel farther away."""
# Places of a tag: beside the tip, ahead, on the other side, lower on either side, above, below, and aslant; and all
# again in rings farther away, as much as it takes to leave a body that lies. Gap, side, level in heights, and whether
# it is above (-1) or below (1).
_RINGS, NEAR = (7.0, 30.0, 54.0, 84.0, 118.0, 156.0), 11
"""Places of this number and after stand so far away that a line leads to them."""
_GAPS = np.repeat(_RINGS, NEAR)
_SIDES = np.tile([1.0, 0.0, -1.0, 1.0, -1.0, 0.0, 0.0, 0.75, -0.75, 0.75, -0.75], len(_RINGS))
_LEVELS = np.tile([-0.3, 0.0, -0.3, 0.9, 0.9, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], len(_RINGS))
_OVER = np.tile([0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 1.0, -0.9, -0.9, 0.9, 0.9], len(_RINGS))
_AHEAD = 1 + NEAR * np.arange(len(_RINGS))
_PRICES = _STEP * np.tile(np.arange(NEAR), len(_RINGS)) + _FAR * (_GAPS - _RINGS[0])


class Tag(NamedTuple):
    """A text beside a place.

    Attributes:
        key: What it is about; keeps its place from picture to picture.
        text: Its words.
        token: Their colour.
        at: Where it belongs, the tip of an arrow, [px].
        start: Where the arrow begins, [px].
        above: Whether it stands right above its place if it can.
    """

    key: object
    text: str
    token: str
    at: tuple[float, float]
    start: tuple[float, float]
    above: bool = False


class PhysicsTagPlaces:
    """Chooses the boxes of tags; each keeps its place as long as that is about as good as another."""

    def __init__(self) -> None:
        self._places: dict[object, int] = {}
        self._anchors: dict[object, tuple[float, float]] = {}

    def __len__(self) -> int:
        return len(self._places)

    def forget(self) -> None:
        """Let all tags choose again."""
        self._places.clear()
        self._anchors.clear()

    def known(self, key: object) -> bool:
        """Return whether a tag was there last."""
        return key in self._places

    def far(self, key: object) -> bool:
        """Return whether a tag stands so far away that a line has to lead to it."""
        return self._places.get(key, 0) >= NEAR

    def place(
        self, tags: Sequence[Tag], widths: Sequence[float], room: QRectF, body: Array, taken: Sequence[QRectF]
    ) -> list[tuple[Tag, QRectF]]:
        """Return the tags for which there is room and their boxes, none of which meets another.

        Args:
            tags: The tags, the most important first.
            widths: Of their boxes.
            room: Where they may stand.
            body: Places that they should not cover, shape (m, 2).
            taken: Boxes that others have.
        """
        if not tags:
            self.forget()
            return []
        anchors = {tag.key: self._anchor(tag) for tag in tags}
        choices = _choices([tag._replace(at=anchors[tag.key]) for tag in tags], widths, room)
        seen = _seen(body, room)
        cost = _PRICES + _COVER * _covered(choices, seen)
        lasts = [self._places.get(tag.key, -1) for tag in tags]
        kept = choices[np.arange(len(tags)), lasts]
        edges = _covered(kept, seen) - _covered(kept + np.array([_EDGE, _EDGE, -_EDGE, -_EDGE]), seen)
        tips, shafts = _arrows(tags)
        cost += _TIP * _inside(choices, tips, 2.0) + _ARROW * _inside(choices, shafts, 1.0)
        full = [(box.left(), box.top(), box.right(), box.bottom()) for box in taken]
        # Those that were there come first: no newcomer pushes them away.
        order = sorted(range(len(tags)), key=lambda row: tags[row].key not in self._places)
        places: dict[object, int] = {}
        found: dict[int, QRectF] = {}
        for row in order:
            last = lasts[row]
            gaps = np.full((len(_GAPS), 1, 1), GAP)
            if last >= 0:
                cost[row, last] -= _LEAVE + _COVER * float(edges[row])
                gaps[last] = 0.0
            if full:
                others, boxes = np.array(full), choices[row][:, None]
                meet = (boxes[..., :2] < others[:, 2:] + gaps) & (boxes[..., 2:] > others[:, :2] - gaps)
                cost[row, meet.all(axis=2).any(axis=1)] = np.inf
            chosen = int(cost[row].argmin())
            if np.isfinite(cost[row, chosen]):
                left, top, right, bottom = choices[row, chosen].tolist()
                places[tags[row].key] = chosen
                full.append((left, top, right, bottom))
                found[row] = QRectF(left, top, right - left, bottom - top)
        self._places, self._anchors = places, {key: anchors[key] for key in places}
        return [(tags[row], found[row]) for row in sorted(found)]

    def _anchor(self, tag: Tag) -> tuple[float, float]:
        """Return what a tag stands beside: its tip as it was when the tag moved last, while it is still about there."""
        before = self._anchors.get(tag.key, tag.at)
        return before if math.dist(before, tag.at) < _HOLD else tag.at


def _choices(tags: Sequence[Tag], widths: Sequence[float], room: QRectF) -> Array:
    """Return the boxes that come into question, best first: left, top, right and bottom, shape (tags, k, 4)."""
    at = np.array([tag.at for tag in tags])
    direction = at - np.array([tag.start for tag in tags])
    direction /= np.maximum(np.linalg.norm(direction, axis=1, keepdims=True), 1e-6)
    half = np.empty((len(tags), 2))
    half[:, 0], half[:, 1] = widths, HEIGHT
    half *= 0.5
    side = np.where(direction[:, :1] >= 0.0, 1.0, -1.0)
    middles = np.zeros((len(tags), len(_GAPS), 2))
    middles[:, :, 0] = side * (half[:, :1] + _GAPS) * _SIDES  # beside, right way round first
    middles[:, :, 1] = HEIGHT * _LEVELS + (half[:, 1:] + _GAPS) * _OVER
    ahead = (half * np.abs(direction)).sum(axis=1, keepdims=True) + _GAPS
    along = direction[:, None] * ahead[..., None]
    middles[:, _AHEAD] = along[:, _AHEAD]
    for row, tag in enumerate(tags):
        if tag.above:
            middles[row, 0] = 0.0, -half[row, 1] - 5.0
    middles += at[:, None]
    low = np.array([room.left(), room.top()]) + half
    high = np.maximum(np.array([room.right(), room.bottom()]) - half, low)
    corner = np.round(np.clip(middles, low[:, None], high[:, None]) - half[:, None])
    return np.concatenate([corner, corner + 2.0 * half[:, None]], axis=2)


def _seen(body: Array, room: QRectF) -> Array:
    """Return for each corner of a square how many above and left of it the body is seen in, shape (m, n)."""
    columns, rows = (max(int(size // CELL) + 1, 1) for size in (room.right(), room.bottom()))
    cells = np.floor(body / CELL)
    cells = cells[((cells >= 0.0) & (cells < [columns, rows])).all(axis=1)].astype(np.intp)
    sums = np.zeros((columns + 1, rows + 1))
    sums[cells[:, 0] + 1, cells[:, 1] + 1] = 1.0
    return np.asarray(sums.cumsum(axis=0).cumsum(axis=1))


def _covered(boxes: Array, seen: Array) -> Array:
    """Return how many squares that the body is seen in each box covers; boxes have shape (..., 4), the result (...)."""
    most = np.array(seen.shape) - 1
    first = np.clip(np.floor(boxes[..., :2] / CELL), 0, most).astype(np.intp)
    last = np.clip(np.ceil(boxes[..., 2:] / CELL), 0, most).astype(np.intp)
    (x, y), (right, bottom) = np.moveaxis(first, -1, 0), np.moveaxis(last, -1, 0)
    return np.asarray(seen[right, bottom] - seen[x, bottom] - seen[right, y] + seen[x, y])


def _arrows(tags: Sequence[Tag]) -> tuple[Array, Array]:
    """Return the tips of arrows and places along them, shapes (k, 2) and (m, 2)."""
    tips, starts = np.array([tag.at for tag in tags]), np.array([tag.start for tag in tags])
    share = np.array([0.0, 0.25, 0.5, 0.75])[:, None, None]
    return tips, np.reshape(starts + share * (tips - starts), (-1, 2))


def _inside(boxes: Array, points: Array, margin: float) -> Array:
    """Return how many points lie in each box, shape (tags, k)."""
    low, high = boxes[:, :, None, :2] - margin, boxes[:, :, None, 2:] + margin
    return np.asarray(((points > low) & (points < high)).all(axis=3).sum(axis=2))
