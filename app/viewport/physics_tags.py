"""Values beside the arrows of physics mode, the name of its ghost, and its legend. Sizes are logical pixels."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QLinearGradient, QPainter, QPen, QPixmap, QPolygonF

from app.physics.torques import full_torque
from app.physics.words import force_text, number
from app.viewport import paint
from app.viewport.physics_figure import figure_marks
from app.viewport.physics_forces import arrow_ends
from app.viewport.physics_scene import GRAVITY, PhysicsScene
from app.viewport.physics_shapes import DYNAMIC, KEYED, MOTOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.theme import Theme
    from app.viewport.scene import Scene
    from app.viewport.view import View

Array = NDArray[np.float64]

GHOST_NAME = "Keyed motion"
MOST_FORCES = 6
"""Forces that have a tag; those of a figure that lies would hide it."""
_LEAST_FORCE = 0.03  # of the weight
_SIZE = 11.0
_HEIGHT = 20.0
_MARGIN = 5.0
_HOLD = 0.1
"""Numbers stay for so long while it is simulated, so that they can be read, [s]."""
_COVER, _TIP, _HIT, _LEAVE, _STEP = 1.0, 4.0, 60.0, 5.0, 0.4
"""Cost of a point of the figure under a tag, of the tip of an arrow, of another tag, of leaving the place last taken,
and of each further place."""
# Places of a tag: beside the tip, ahead, on the other side, lower on either side, above, below; and all twice more,
# farther away. Gap, side, level in heights, and whether it is above (-1) or below (1).
_RINGS, _NEAR = (7.0, 30.0, 54.0), 7
_GAPS = np.repeat(_RINGS, 7)
_SIDES = np.tile([1.0, 0.0, -1.0, 1.0, -1.0, 0.0, 0.0], len(_RINGS))
_LEVELS = np.tile([-0.3, 0.0, -0.3, 0.9, 0.9, 0.0, 0.0], len(_RINGS))
_OVER = np.tile([0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 1.0], len(_RINGS))
_AHEAD = np.array([1, 8, 15])
_GLYPH, _SPACE, _BAR = 12.0, 12.0, 46.0
_CHIPS_KEPT = 64
_SEEN = 4.0  # least length of an arrow, [px]
_HEADER = 240.0  # room for the chip beside the view's name


class Tag(NamedTuple):
    """A text beside a place.

    Attributes:
        key: What it tells about; keeps its place from picture to picture.
        text: Its words.
        token: Their colour.
        at: Where it belongs, [px].
        way: Unit direction in which the arrow points there, [px].
    """

    key: object
    text: str
    token: str
    at: tuple[float, float]
    way: tuple[float, float]


class PhysicsTags:
    """Paints the tags of a large view; each keeps its side as long as that is about free.

    Args:
        scene: The posed figure.
    """

    def __init__(self, scene: Scene):
        self._scene = scene
        self._places: dict[object, int] = {}
        self._texts: dict[object, str] = {}
        self._parents_of: tuple[object, NDArray[np.int64]] = (None, np.zeros(0, dtype=np.int64))
        self._read, self._keeps = -1.0, False
        self._chips: dict[object, QPixmap] = {}
        self._legend = paint.Cached()

    def paint(self, painter: QPainter, view: View, taken: Sequence[QRectF]) -> list[QRectF]:
        """Paint the values of forces and momentum and the name of the ghost; return the boxes they have.

        Args:
            painter: Where to draw.
            view: Into which view, a large one.
            taken: Boxes that other things have.
        """
        physics = self._scene.physics
        if not physics.shown:
            self._places.clear()
            return []
        tags = self._tags(view, physics)
        placed = self._place(view, tags, taken)
        for tag, box in placed:
            if self._places[tag.key] >= _NEAR and tag.key != "ghost":
                near = QPointF(
                    min(max(tag.at[0], box.left() + 3.0), box.right() - 3.0),
                    min(max(tag.at[1], box.top() + 3.0), box.bottom() - 3.0),
                )
                paint.stroke_line(painter, view.theme, [near, QPointF(*tag.at)], tag.token, 1.0, halo=1.2, alpha=0.8)
            painter.drawPixmap(box.topLeft(), self._chip(view, tag, painter.device().devicePixelRatioF(), box))
        return [box for _, box in placed]

    def _chip(self, view: View, tag: Tag, ratio: float, box: QRectF) -> QPixmap:
        """Return a tag's picture; words change less often than places."""
        key = (tag.text, tag.token, view.theme.name, ratio)
        found = self._chips.get(key)
        if found is None:
            if len(self._chips) >= _CHIPS_KEPT:
                self._chips.clear()
            found = self._chips[key] = QPixmap(math.ceil(box.width() * ratio), math.ceil(box.height() * ratio))
            found.setDevicePixelRatio(ratio)
            found.fill(Qt.GlobalColor.transparent)
            inside = QPainter(found)
            at = QRectF(0.0, 0.0, box.width(), box.height())
            paint.draw_chip(inside, view.theme, at, tag.text, tag.token, None, _SIZE, 500)
            inside.end()
        return found

    # -- what they say -------------------------------------------------------------------------------------------

    def _tags(self, view: View, physics: PhysicsScene) -> list[Tag]:
        found = physics.found
        rows: list[tuple[object, str, str, Array, Array]] = []  # with start and tip in the world
        top = physics.ghost_top
        if top is not None:
            rows.append(("ghost", GHOST_NAME, "text2", top - [0.0, 0.1, 0.0], top))
        if found is not None and found.momentum is not None:
            if found.linear is not None:
                size = math.hypot(*found.momentum[3:].tolist())
                rows.append(("p", f"p {number(size)} kg·m/s", "momentum_linear", found.center, found.linear))
            if found.ring is not None:
                size = math.hypot(*found.momentum[:3].tolist())
                rows.append(("L", f"L {number(size)} kg·m²/s", "momentum_angular", found.ring[-3], found.ring[-1]))
        if found is not None and found.contacts is not None:
            contacts, skeleton = found.contacts, self._scene.skeleton
            weight = figure_marks(skeleton).mass * GRAVITY if skeleton is not None else 0.0
            tips, sizes = arrow_ends(contacts, found.scale, found.longest), contacts.magnitudes.tolist()
            largest = sorted(range(len(sizes)), key=lambda k: -sizes[k])[:MOST_FORCES]
            for k in sorted(k for k in largest if sizes[k] >= _LEAST_FORCE * weight):
                rows.append((int(contacts.joints[k]), force_text(sizes[k]), "force", contacts.points[k], tips[k]))
        if not rows:
            return []
        pixels = view.project(np.array([point for row in rows for point in row[3:]])).tolist()
        inside = QRectF(view.rect())
        texts = self._held({row[0]: row[1] for row in rows})
        tags = []
        for row, a, b in zip(rows, pixels[::2], pixels[1::2], strict=True):
            if a[2] > 0.0 and b[2] > 0.0 and inside.contains(b[0], b[1]):
                x, y = b[0] - a[0], b[1] - a[1]
                far = max(math.hypot(x, y), 1e-6)
                if far < _SEEN and row[0] not in ("ghost", "L"):
                    continue  # an arrow that is not to be seen needs no value
                tags.append(Tag(row[0], texts[row[0]], row[2], (b[0], b[1]), (x / far, y / far)))
        return tags

    def _held(self, texts: dict[object, str]) -> dict[object, str]:
        """Return the words to show: those shown last for a moment, while it is simulated."""
        document = self._scene.document
        sample = document.physics.current
        now = -1.0 if sample is None else float(sample.time)
        self._keeps = document.physics.running and 0.0 <= now - self._read < _HOLD
        if self._keeps:
            texts = {key: self._texts.get(key, text) for key, text in texts.items()}
        else:
            self._read = now
        self._texts = texts
        return texts

    # -- where they stand ----------------------------------------------------------------------------------------

    def _place(self, view: View, tags: list[Tag], taken: Sequence[QRectF]) -> list[tuple[Tag, QRectF]]:
        if not tags:
            return []
        room = QRectF(view.rect()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN - 30.0)
        choices = _choices(tags, [paint.chip_size(tag.text, _SIZE)[0] for tag in tags], room)
        if self._keeps and any(tag.key in self._places for tag in tags):
            best = [self._places.get(tag.key, -1) for tag in tags]
        else:
            best = self._choose(view, tags, choices, [*taken, QRectF(0.0, 0.0, view.chip_left + _HEADER, 38.0)])
        self._places = {tag.key: k for tag, k in zip(tags, best, strict=True) if k >= 0}
        rows = choices[np.arange(len(tags)), best].tolist()
        boxes = [QRectF(x, y, right - x, bottom - y) for x, y, right, bottom in rows]
        return [(tag, box) for tag, box, k in zip(tags, boxes, best, strict=True) if k >= 0]

    def _choose(self, view: View, tags: list[Tag], choices: Array, taken: Sequence[QRectF]) -> list[int]:
        """Return which of its boxes each tag gets, one after the other; -1 for one that has no room beside the others.

        Args:
            view: The view.
            tags: The tags.
            choices: Left, top, right and bottom of their boxes, shape (tags, k, 4), [px].
            taken: Boxes that other things have.
        """
        figure = view.project(self._scene.poses[:, :3, 3])[:, :2]
        figure = np.concatenate([figure, 0.5 * (figure + figure[self._parents()])])
        cost = _STEP * np.arange(choices.shape[1]) + _COVER * _inside(choices, figure, 3.0)
        cost += _TIP * _inside(choices, np.array([tag.at for tag in tags]), 2.0)
        for row, tag in enumerate(tags):
            last = self._places.get(tag.key)
            if last is not None:
                cost[row] += _LEAVE
                cost[row, last] -= _LEAVE
        full = np.empty((len(taken) + len(tags), 4))
        full[: len(taken)] = [[box.left(), box.top(), box.right(), box.bottom()] for box in taken]
        best = []
        for row, count in enumerate(range(len(taken), len(full))):
            boxes, others = choices[row][:, None], full[:count]
            meet = (boxes[..., :2] < others[:, 2:] + 2.0) & (boxes[..., 2:] > others[:, :2] - 2.0)
            met = meet.all(axis=2)
            cost[row] += _HIT * met.sum(axis=1)
            chosen = int(cost[row].argmin())
            free = not met[chosen, len(taken) :].any()
            best.append(chosen if free else -1)
            full[count] = choices[row, chosen] if free else np.nan
        return best

    def _parents(self) -> NDArray[np.int64]:
        skeleton = self._scene.skeleton
        assert skeleton is not None
        if self._parents_of[0] is not skeleton:
            self._parents_of = skeleton, np.array([max(joint.parent, 0) for joint in skeleton.joints])
        return self._parents_of[1]

    # -- the legend ----------------------------------------------------------------------------------------------

    def paint_legend(self, painter: QPainter, view: View, right: float, bottom: float, room: float) -> float:
        """Paint what the signs mean; return the left end of the chip.

        Args:
            painter: Where to draw.
            view: Into which view.
            right: Right end of the chip, [px].
            bottom: Its lower edge, [px].
            room: Its greatest width; without room for words it has only the signs, [px].
        """
        physics = self._scene.physics
        entries = legend_entries(physics)
        if not entries:
            return right
        words = legend_width(entries) <= room
        width = legend_width(entries, words)
        box = QRectF(right - width, bottom - paint.CHIP_HEIGHT, width, paint.CHIP_HEIGHT)
        self._legend.draw(
            painter, box, (view.theme.name, entries, words), lambda p: draw_legend(p, view.theme, box, entries, words)
        )
        return float(box.left())


def _choices(tags: list[Tag], widths: list[float], room: QRectF) -> Array:
    """Return the boxes that come into question, best first: left, top, right and bottom, shape (tags, k, 4), [px]."""
    at, way = np.array([tag.at for tag in tags]), np.array([tag.way for tag in tags])
    half = np.empty((len(tags), 2))
    half[:, 0], half[:, 1] = widths, _HEIGHT
    half *= 0.5
    side = np.where(way[:, :1] >= 0.0, 1.0, -1.0)
    middles = np.zeros((len(tags), len(_GAPS), 2))
    flat = half[:, :1] + _GAPS  # beside, right way round first
    middles[:, :, 0] = side * flat * _SIDES
    middles[:, :, 1] = _HEIGHT * _LEVELS + (half[:, 1:] + _GAPS) * _OVER
    ahead = (half * np.abs(way)).sum(axis=1, keepdims=True) + _GAPS
    along = way[:, None] * ahead[..., None]
    middles[:, _AHEAD] = along[:, _AHEAD]
    for row, tag in enumerate(tags):
        if tag.key == "ghost":
            middles[row, 0] = 0.0, -half[row, 1] - 5.0
    middles += at[:, None]
    low = np.array([room.left(), room.top()]) + half
    high = np.maximum(np.array([room.right(), room.bottom()]) - half, low)
    corner = np.round(np.clip(middles, low[:, None], high[:, None]) - half[:, None])
    return np.concatenate([corner, corner + 2.0 * half[:, None]], axis=2)


def _inside(boxes: Array, points: Array, margin: float) -> Array:
    """Return how many points lie in each box, shape (tags, k)."""
    low, high = boxes[:, :, None, :2] - margin, boxes[:, :, None, 2:] + margin
    return np.asarray(((points > low) & (points < high)).all(axis=3).sum(axis=2))


# -- the legend ----------------------------------------------------------------------------------------------------

Entry = tuple[str, str, str]
"""Sign, word and colour token."""


def legend_entries(physics: PhysicsScene) -> tuple[Entry, ...]:
    """Return what the legend explains: the signs that are switched on and that the figure has."""
    found, skeleton, shown = physics.found, physics.skeleton, physics.overlays
    if found is None or skeleton is None:
        return ()
    marks = figure_marks(skeleton)
    rows: list[Entry] = []
    if shown["inertia"].on:
        kinds = found.kinds if found.kinds else frozenset({KEYED})
        rows += [("body", "Dynamic", "dyn")] if DYNAMIC in kinds else []
        rows += [("open", "Motor", "dyn")] if MOTOR in kinds else []
        rows += [("body", "Keyed", "text3")] if KEYED in kinds else []
    if shown["hinges"].on and len(marks.hinges):
        rows.append(("hinge", "Hinge", "accent"))
    if shown["hinges"].on and len(marks.slides):
        rows.append(("slide", "Slide", "accent"))
    if shown["balls"].on and len(marks.balls):
        rows.append(("ball", "Ball", "lock_position"))
    if found.contacts is not None:
        rows.append(("contact", "Contact", "force"))
    if shown["torques"].on:
        full = full_torque(skeleton) / shown["torques"].scale
        rows.append(("ramp", f"Torque 0–{number(full)} N·m", "force"))
    return tuple(rows)


@lru_cache(maxsize=16)
def legend_width(entries: tuple[Entry, ...], words: bool = True) -> float:
    """Return how wide the legend is, [px]."""
    wide = 2.0 * paint.CHIP_PADDING - _SPACE
    for sign, word, _ in entries:
        wide += (_BAR if sign == "ramp" else _GLYPH) + _SPACE
        if words or sign == "ramp":
            wide += 4.0 + paint.text_width(word, _SIZE, 500)
    return round(wide)


def draw_legend(painter: QPainter, theme: Theme, box: QRectF, entries: Sequence[Entry], words: bool) -> None:
    """Draw the legend."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(paint.color(theme, "panel", 0.86))
    painter.drawRoundedRect(box, paint.RADIUS, paint.RADIUS)
    x, y = box.left() + paint.CHIP_PADDING, box.center().y()
    painter.setFont(paint.font(_SIZE, 500))
    for sign, word, token in entries:
        wide = _BAR if sign == "ramp" else _GLYPH
        _draw_sign(painter, theme, sign, QRectF(x, y - 6.0, wide, 12.0), token)
        x += wide
        if words or sign == "ramp":
            length = paint.text_width(word, _SIZE, 500)
            painter.setPen(paint.color(theme, "text2"))
            painter.drawText(
                QRectF(x + 4.0, box.top(), length + 2.0, box.height()), Qt.AlignmentFlag.AlignVCenter, word
            )
            x += 4.0 + length
        x += _SPACE


def _draw_sign(painter: QPainter, theme: Theme, sign: str, box: QRectF, token: str) -> None:
    color, middle = paint.color(theme, token), box.center()
    painter.setPen(QPen(color, 1.3))
    painter.setBrush(Qt.BrushStyle.NoBrush if sign == "open" else paint.color(theme, token, 0.45))
    if sign in ("body", "open"):
        painter.drawEllipse(middle, 5.4, 3.8)
    elif sign == "hinge":
        painter.drawRoundedRect(QRectF(middle.x() - 5.0, middle.y() - 3.0, 10.0, 6.0), 2.4, 2.4)
        painter.drawEllipse(QPointF(middle.x() - 3.0, middle.y()), 1.6, 3.0)
    elif sign == "slide":
        painter.drawLine(QPointF(box.left(), middle.y()), QPointF(box.right(), middle.y()))
        painter.setBrush(color)
        painter.drawRect(QRectF(middle.x() - 2.5, middle.y() - 2.5, 5.0, 5.0))
    elif sign == "ball":
        painter.drawEllipse(middle, 4.6, 4.6)
        painter.setPen(QPen(color, 0.9))
        painter.drawLine(QPointF(middle.x() - 4.6, middle.y()), QPointF(middle.x() + 4.6, middle.y()))
        painter.drawLine(QPointF(middle.x(), middle.y() - 4.6), QPointF(middle.x(), middle.y() + 4.6))
    elif sign == "contact":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        corners = [QPointF(middle.x(), box.top() + 1.5), QPointF(middle.x() + 5.0, box.bottom() - 2.0),
                   QPointF(middle.x() - 5.0, box.bottom() - 2.0)]  # fmt: skip
        painter.drawPolygon(QPolygonF(corners))
    else:
        ramp = QLinearGradient(box.topLeft(), box.topRight())
        for share, name in ((0.0, "body"), (0.5, "force"), (1.0, "conflict")):
            ramp.setColorAt(share, paint.color(theme, name))
        painter.setPen(QPen(paint.color(theme, "line2"), 1.0))
        painter.setBrush(ramp)
        painter.drawRoundedRect(box.adjusted(0.0, 2.0, 0.0, -2.0), 2.0, 2.0)
